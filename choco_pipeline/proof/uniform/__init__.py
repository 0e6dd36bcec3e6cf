"""Proofs for all parameters at once: one certificate for a family of games, not for one game.

`families` reads the rules with parameters and splits a family into cases in which all is affine in parameters. There are three
kinds of hints: invariants and strategies for words of digits (`invariants`), options and lemmas on products for Grundy formulas
by cases (`by_cases`), and positions at which a relation is wrong for every member (`failure`). `places` has the sentences of
the last two. `family_certificate` writes the hints, and `checker/families.py` decides. docs/families.md has the method.
"""

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family_prover import FamilyProof, search_family

__all__ = ["FamilyError", "FamilyProof", "search_family"]
