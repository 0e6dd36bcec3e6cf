"""Statements about all positions of a game, decided by automata.

`arithmetic` decides sentences on natural numbers, by automata; `games` proves a game's relation with it; `statements` are decided on a proved
relation. `uniform` finds proofs of families for all parameters, and `checker` asks the programs that judge all proofs.
"""
