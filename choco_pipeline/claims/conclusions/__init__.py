"""What the verdicts on a claim come to: outcomes, rows of the ledger, and who is right where two claims disagree.

Imports `language` and `kinds`, and no check: it reads verdicts only.
"""
