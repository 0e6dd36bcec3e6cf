"""Conclusions from verdicts: outcomes, rows of the ledger, pairs of claims.

This package imports no checks.
"""
