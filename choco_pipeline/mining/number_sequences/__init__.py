"""Sequences of integers that tables give: counts, recurrences, and periods of lines.

Imports no other room of `mining`.
"""
