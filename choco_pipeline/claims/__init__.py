"""Claims: the statements of papers, checked on tables.

`kinds` define the fields of a claim. `language` reads claims. `checks` give verdicts with their evidence, on a table or without
one. `conclusions` combine all verdicts on a claim.
"""
