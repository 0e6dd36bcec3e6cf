"""What the verdicts on a statement come to: outcomes and their words, rows of the ledger, and who is right where two claims disagree.

Imports `language` and `kinds`, and no check: it reads verdicts only.
"""
