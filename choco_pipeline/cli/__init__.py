"""The command line: a module for each command; `claim_commands` for those on claims, and `running` for a run and what surrounds it."""
