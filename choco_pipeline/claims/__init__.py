"""Claims: the statements of papers, checked on tables.

`kinds` define the fields of a claim. `language` reads claims and joins each with a table as a case. `checks` and
`standalone` give verdicts with their `evidence`. `conclusions` combine all verdicts on a claim.
"""
