"""A found statement: its formulas, its games, its sentence, and the claim that says the same.

Imports no other room of `finding`.
"""
