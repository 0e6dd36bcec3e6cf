"""Proofs for all parameters at once: one certificate for a family of games.

`parametric_rules` reads the rules with parameters. `family` splits a family into cases that are affine in the parameters. There are
three kinds of hints: invariants and strategies for words of digits (`control`, `invariant_search`), options and lemmas about products
for formulas by cases (`by_cases`, `product_lemmas`), and positions that refute a relation for every member (`failure`).
`family_certificate` writes the hints, and `checker/families.py` decides. docs/families.md explains the method.
"""
