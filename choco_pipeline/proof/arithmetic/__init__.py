"""Sentences of Büchi arithmetic, formulas as sentences, and the two engines that decide them.

Imports no other room of `proof`, and knows nothing of games.
"""
