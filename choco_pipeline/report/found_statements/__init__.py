"""The section on what the machine found, and its exports.

Imports `math` and `charts`.
"""
