"""Tables in memory: which kernel computes which game, at what cost, on what machine.

Imports `specs`; knows nothing of stores.
"""
