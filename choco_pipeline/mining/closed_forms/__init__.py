"""Formulas for P-positions and Grundy numbers, and forms of sets of values."""
