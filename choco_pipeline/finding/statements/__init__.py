"""Found statements: their formulas, games and documents.

Imports no other room of `finding`.
"""
