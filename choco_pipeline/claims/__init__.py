"""Claims: what the papers state, checked on tables, with verdicts that say how far they go.

A claim's way through the rooms: `kinds` say what it may hold, `language` reads it and puts it to a table as a case, `checks` and `standalone` give
verdicts with the `evidence` for them, and `conclusions` say what all verdicts on it come to.
"""
