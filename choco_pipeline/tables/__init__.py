"""Tables: descriptions, computation, storage and verification.

`spec` and `bounded_game` describe tables, `computing` chooses a kernel, and `store` keeps the result. `shard` builds small tables,
`wavefront` large ones in blocks. `cells` reads stored tables.
"""
