"""Checks of a claim, a module for each method.

`check` chooses the method by the kind of the claim.
"""
