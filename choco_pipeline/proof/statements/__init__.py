"""Claims, formulas and statements on integers, decided for all positions or all integers.

Imports `games` and `arithmetic`.
"""
