"""Building: shards of small tables, large tables in blocks, repair.

Imports `storage`, `computing` and `specs`, never `reading`.
"""
