"""Sentences of Büchi arithmetic, and the engine that decides them.

Imports no other room of `proof`, and knows nothing of games.
"""
