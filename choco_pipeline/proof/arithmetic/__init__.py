"""Sentences of Büchi arithmetic, and the engine that decides them.

Imports no other subpackage of `proof`, and does not depend on games.
"""
