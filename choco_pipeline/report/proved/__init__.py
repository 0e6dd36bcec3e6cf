"""The section on proofs: games, the automata that prove them, and how these grow.

Imports `charts`.
"""
