"""Sequences of integers that tables give: counts, and recurrences.

Imports no other room of `mining`.
"""
