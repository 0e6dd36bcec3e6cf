"""Checks of a claim on one table: one module for each method, and `check`.

`check` chooses the method by the kind of the claim. Imports `evidence`, `language` and `kinds`.
"""
