"""The language of claims: files of them, what can be wrong in one, the cases that it has, and the verdicts that there are.

Imports `kinds`, and nothing of how claims are checked.
"""
