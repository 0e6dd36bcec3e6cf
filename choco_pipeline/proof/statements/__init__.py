"""Decisions of claims and formulas for all positions or integers.

Imports `games` and `arithmetic`.
"""
