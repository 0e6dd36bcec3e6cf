"""Conclusions from verdicts: outcomes, rows of the ledger, pairs of claims.

Imports `language` and `kinds`, and no check: it reads verdicts only.
"""
