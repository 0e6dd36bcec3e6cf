"""Tables: specs, costs, computation, storage and verification.

A table's way through the rooms: `specs` say what is asked for, `computing` finds the kernel that computes it, `storage` keeps it, `building`
makes shards of tables, block by block where they are large, and `reading` looks at what is stored. Neither of the last two imports the other.
"""
