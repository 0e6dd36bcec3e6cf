"""Formulas and sentences with formulas, in LaTeX and MathML."""
