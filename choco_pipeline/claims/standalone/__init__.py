"""Statements that need no table: on integers, on sections of octahedra, on all height functions in a box.

Imports `checks`, `evidence`, `language` and `kinds`, never `conclusions`.
"""
