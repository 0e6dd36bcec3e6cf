"""Searches in tables for recurrences, sets of values, rules and formulas."""
