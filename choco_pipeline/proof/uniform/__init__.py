"""Proofs for all parameters at once: one certificate for a family of games, not for one game.

The way, through `families` and `invariants`: `parametric_rules` reads the rules with parameters off the ruleset; `family` and `linear_forms` split a family into cases in which
all is affine in parameters; `control` writes the obligations as a finite control that reads digits from the top, with counters;
`facts` and `predicates` say what to keep of the counters; `invariant_search` finds invariants and strategies; `smt` writes what makes them
a proof, and `solvers` asks two solvers. docs/families.md says all of it without the code.
"""

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family_prover import FamilyProof, prove_family

__all__ = ["FamilyError", "FamilyProof", "prove_family"]
