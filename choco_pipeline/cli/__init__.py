"""The command line: a module for each command.

`claim_commands` has those on claims, and `running` the run.
"""
