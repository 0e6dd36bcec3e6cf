"""Shared by checks: counterexamples, counts of failures, sets of integers.

Imports `language` and `kinds`.
"""
