"""Automata of games: guesses, proofs, certificates, and play by them.

Imports `arithmetic`.
"""
