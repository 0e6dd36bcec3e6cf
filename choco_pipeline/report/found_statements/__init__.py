"""The section on what the machine proposes, and its exports.

Imports `math` and `charts`.
"""
