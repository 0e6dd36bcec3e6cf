"""The check of a family's certificate, which shares nothing with the search for it: docs/families.md says what it checks.

`sums` reads formulas as sums, `stated_family` the game and the relation, `verification_conditions` writes the conditions, and `certificate_check` has two
solvers answer. Of the certificate only the cases, the invariants and the strategy are used, each as a guess.
"""

from choco_pipeline.proof.family_check.certificate_check import check_family
from choco_pipeline.proof.family_check.document import is_family

__all__ = ["check_family", "is_family"]
