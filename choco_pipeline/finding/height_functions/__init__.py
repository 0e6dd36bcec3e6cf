"""Height functions of a box for which a formula holds, and conditions that distinguish them.

Imports `statements`.
"""
