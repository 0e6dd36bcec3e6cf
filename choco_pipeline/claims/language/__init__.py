"""The language of claims: their files, their mistakes, their cases, and the verdicts.

Imports `kinds`, and nothing of how claims are checked.
"""
