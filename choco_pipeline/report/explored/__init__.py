"""The page on which a reader looks at games: corners of tables, rules that the page plays by, automata to be walked.

Imports `charts` and `proved`.
"""
