"""What a table is, before anything is computed: its spec, its variables, its chunks, and the structure of its game.

Imports only what lies below `tables`.
"""
