"""Conclusions from verdicts: outcomes, rows of the ledger, pairs of claims.

No check is imported.
"""
