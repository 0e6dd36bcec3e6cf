"""Proofs about all positions of a game, by automata.

`arithmetic` decides sentences about natural numbers. `games` proves the P-positions or Grundy numbers of a game. `statements` decides
claims about a proved game. `uniform` proves statements for all parameters of a family. `checker` runs the independent checkers.
"""
