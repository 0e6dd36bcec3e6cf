"""Finite automata over tuples of natural numbers in base 2."""
