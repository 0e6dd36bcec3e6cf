"""Formulas in a mathematical notation: MathML for pages, LaTeX and Markdown for papers.

Imports no other room of `report`.
"""
