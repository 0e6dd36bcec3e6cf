"""Formulas as people write them: plain text and other notations."""
