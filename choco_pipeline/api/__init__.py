"""The operations of the program, for commands, notebooks and other programs."""
