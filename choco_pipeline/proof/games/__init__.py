"""Relations of games: guessed from tables, proved, certified and played by.

Imports `arithmetic`.
"""
