"""Statements about all positions of a game, decided by automata."""
