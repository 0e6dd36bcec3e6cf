"""Formulas in mathematical notation: plain text, LaTeX and MathML."""
