"""Mining: searches for statements in tables; their findings are suggestions for claims, never claims.

A room for each thing that is looked for: `closed_forms` of positions and of values, `pictures` that repeat, and `number_sequences`. None imports
another.
"""
