"""The language of claims: files, mistakes, cases and verdicts.

Imports `kinds`, and no check.
"""
