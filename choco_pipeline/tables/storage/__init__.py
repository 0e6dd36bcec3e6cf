"""Tables on disk or in an object store: Zarr stores, checksums, and the journals of what is finished.

Imports `specs`, and of `computing` what a block hands on.
"""
