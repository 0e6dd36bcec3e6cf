"""For which height functions a formula holds: all of a box, and conditions that tell them from the others.

Imports `statements`.
"""
