"""``choco claims``: list, show and check.

Imports `output` of the command line, and no other command.
"""
