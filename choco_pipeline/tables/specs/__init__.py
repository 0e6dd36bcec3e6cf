"""Tables before they are computed: spec, variables, chunks, and the structure of the game.

Imports only what lies below `tables`.
"""
