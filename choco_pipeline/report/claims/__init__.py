"""The section on claims: verdicts with their evidence, counterexamples, and pairs that disagree.

Imports no other room of `report`.
"""
