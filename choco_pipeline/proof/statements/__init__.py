"""Claims, formulas and statements decided for all positions or integers.

Imports `games` and `arithmetic`.
"""
