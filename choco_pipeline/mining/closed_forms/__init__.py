"""Formulas for the P-positions or the Grundy numbers of one table, and conditions on the values there: learnt on a part, tested on the rest.

Imports no other room of `mining`.
"""
