"""Claims checked on one table: a module for each way to check, and `check`, which knows which is whose.

Imports `evidence`, `language` and `kinds`.
"""
