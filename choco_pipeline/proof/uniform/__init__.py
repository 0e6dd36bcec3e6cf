"""Proofs for all parameters at once: one certificate for a family of games, not for one game.

The way, through `families` and `invariants`: `parametric_rules` reads the rules with parameters off the ruleset; `family` and `linear_forms` split a family into cases in which
all is affine in parameters; `control` writes the obligations as a finite control that reads digits from the top, with counters;
`facts` and `predicates` say what to keep of the counters; `invariant_search` finds invariants and strategies. `family_certificate` writes
these hints, and `checker/families.py` decides. docs/families.md has the method.
"""

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family_prover import FamilyProof, search_family

__all__ = ["FamilyError", "FamilyProof", "search_family"]
