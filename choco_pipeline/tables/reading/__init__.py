"""Reading tables: blocks of cells, single positions, and verification.

Imports `storage`, `computing` and `specs`, never `building`.
"""
