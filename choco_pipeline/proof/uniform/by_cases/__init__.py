"""Grundy formulas by cases: obligations without words, the options that they need, and what solvers are told of products.

Imports `families`, and of `uniform` the modules `direct` and `sentences`.
"""
