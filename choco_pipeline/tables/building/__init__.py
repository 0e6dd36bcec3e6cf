"""Shards: small tables one after the other, large ones in blocks, and damaged ones made whole.

Imports `storage`, `computing` and `specs`, never `reading`.
"""
