"""Search for statements on games and families, each with its evidence.

`single`, `generalise`, `moduli`, `related` and `heights` propose statements. `trial` tries them on tables that are new to them,
`comparison` finds which ones imply others, and `stage` ranks them.
"""
