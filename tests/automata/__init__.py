"""Automata are compared with what they mean: tables of small numbers, and words read state by state."""
