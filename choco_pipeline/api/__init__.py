"""The functions of the program: for commands, notebooks and programs."""
