"""A Grundy formula by cases: its obligations as sentences on integers, the options that it needs, and what is said of products.

Imports `families`, `sentences` and `solvers`.
"""
