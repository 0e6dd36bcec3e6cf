"""Pages of proofs for all parameters, as an author could print them.

Imports `found_statements`, `math` and `charts`.
"""
