"""Descriptions of tables: specs, variables, chunks, structure of games.

Imports only what lies below `tables`.
"""
