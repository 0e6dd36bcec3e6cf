"""Grundy formulas by cases: obligations without words, the options that they need, and lemmas on products."""
