"""Statements that need no table: integers, octahedra, height functions.

Imports `checks`, `evidence`, `language` and `kinds`, never `conclusions`.
"""
