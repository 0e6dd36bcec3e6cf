"""Checks of a claim: one module for each method, and `check`, which chooses the method by the kind of the claim."""
