"""Search for statements on games and families, each with its evidence.

`single`, `generalise`, `moduli`, `related` and `heights` propose statements. `trial` tests them on new tables, `comparison` finds
implications between them, and `stage` ranks them.
"""
