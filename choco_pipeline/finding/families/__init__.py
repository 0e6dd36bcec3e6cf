"""Statements on families of tables: formulas and laws lifted to parameters, and the condition under which each holds.

Imports `statements`, never `judge`.
"""
