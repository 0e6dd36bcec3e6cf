"""Proofs in a plan: which games are to be proved for all positions, what is then decided, and who does which of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from choco_pipeline.claims.catalogue import Catalogue
from choco_pipeline.provenance import digest
from choco_pipeline.sweep.config import Prove
from choco_pipeline.sweep.expand import Planned
from choco_pipeline.tables.schema import Quantity

#: Proofs are shared out among so many work orders, the k-th to the one with number k modulo this: of a family, whose
#: proofs grow with its parameter, each gets cheap ones and expensive ones, and one more at the end moves no other.
PROOF_PARTS = 8
#: On what proof a claim can be decided: by its kind.
DECIDABLE: Mapping[Prove, frozenset[str]] = {
    "p": frozenset({"p-positions", "values"}),
    "grundy": frozenset({"grundy"}),
}
QUANTITY: Mapping[Prove, Quantity] = {"p": "p-positions", "grundy": "grundy"}

Proofs = list[dict[str, Any]]


def proofs(tables: Sequence[Planned], catalogue: Catalogue) -> Proofs:
    """Return what is to be proved of which game, each once, in the order of the tables.

    Returns
    -------
    list of dict
        ``ruleset``, ``relation``, ``seconds``, the limit; ``parameters``, in the first sweep that asks for it; ``claims``,
        the claims that are decided if it is proved, with their parameters.
    """
    asked: dict[tuple[str, Prove], list[Planned]] = defaultdict(list)
    for planned in tables:
        for relation in planned.prove:
            asked[planned.spec.ruleset, relation].append(planned)
    return [
        {
            "ruleset": ruleset,
            "relation": relation,
            "seconds": max(planned.prove_seconds for planned in several),
            "parameters": several[0].parameters,
            "claims": list(_claims(ruleset, relation, several, catalogue)),
        }
        for (ruleset, relation), several in asked.items()
    ]


def shared_out(chosen: Proofs) -> dict[str, Proofs]:
    """Return the proofs in at most `PROOF_PARTS` parts of about the same work, by a name that follows from what is in it."""
    parts = [chosen[i::PROOF_PARTS] for i in range(min(PROOF_PARTS, len(chosen)))]
    return {
        digest({"proofs": [[proof["ruleset"], proof["relation"]] for proof in part]}): part
        for part in parts
    }


def _claims(
    ruleset: str, relation: Prove, several: Sequence[Planned], catalogue: Catalogue
) -> Iterator[dict[str, Any]]:
    for claim, parameters in catalogue.fitting(ruleset, QUANTITY[relation]):
        wanted = any(planned.claims is None or claim.id in planned.claims for planned in several)
        # uncut bars are finite and named by the poisoned cell, a proof speaks of what they are cut to
        if wanted and claim.check.kind in DECIDABLE[relation] and not claim.is_of_whole_bars:
            yield {"claim": claim.id, "parameters": parameters}
