"""Tables on disk or in an object store: Zarr stores, checksums, journals.

Imports `specs`, and the frontiers of `computing`.
"""
