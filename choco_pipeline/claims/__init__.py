"""Claims: the statements of papers, checked on tables.

`kinds` has the forms of statements. `language` reads claims. `checks` find verdicts with their evidence, on a table or without one.
`conclusions` combine all verdicts on a claim.
"""
