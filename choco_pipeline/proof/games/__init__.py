"""A game's relation: guessed from tables, proved for all positions, kept as a certificate, and played by.

Imports `arithmetic`.
"""
