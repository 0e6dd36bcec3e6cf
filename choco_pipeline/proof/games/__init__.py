"""Automata for P-positions and Grundy numbers: guesses, proofs, certificates, play.

Imports `arithmetic`.
"""
