"""Found statements tried on larger tables, other parameters and proved games; what is known already, and what comes first.

Imports `families` and `statements`.
"""
