"""A family of games as data: its rules, heights and relation with parameters in them, split into cases, and its small members.

Imports no other room of `uniform`.
"""
