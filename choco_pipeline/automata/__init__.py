"""Finite automata over tuples of natural numbers in base 2: the relations that a computer can compare without a bound."""
