"""Stored tables looked at: by windows of one chunk, by single cells, and all of them to verify them.

Imports `storage`, `computing` and `specs`, never `building`.
"""
