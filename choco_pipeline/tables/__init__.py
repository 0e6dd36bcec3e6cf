"""Tables: specs, costs, computation, storage and verification.

`specs` describe the tables, `computing` chooses a kernel, and `storage` keeps the result. `building` makes shards of tables,
in blocks if they are large. `reading` looks at stored tables. The last two do not import each other.
"""
