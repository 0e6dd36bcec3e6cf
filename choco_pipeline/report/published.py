"""Comparison of a run with the published results of its configuration.

``config/published/RUN.json`` has the digests of a run's results: one for each table, for the verdicts on each claim, for each proof
and for each found statement. A run of the same configuration should give the same digests. Times, versions, engines and the texts
of verdicts are not part of a digest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from choco_pipeline.documents.files import read_json
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.errors import StoreError
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.provenance import canonical_json, digest, file_digest
from choco_pipeline.shipped import project_file
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import Plan

PUBLISHED = Path("config/published")
#: Largest size of such a file; that of the default run has about 90,000 bytes.
MOST_BYTES = 10_000_000


class Published(RecordModel):
    """Digests of the results of a run."""

    #: Digest of its configuration, claims files and games.
    inputs: str
    #: Digests of tables, of verdicts on claims, of proofs and of found statements, by name.
    tables: dict[str, str]
    claims: dict[str, str]
    proofs: dict[str, str]
    found: dict[str, str]

    @classmethod
    def of_run(cls, plan: Plan, ledger: Ledger, found: Sequence[FoundStatement]) -> Published:
        """Return the digests of a finished run."""
        verdicts: dict[str, list[str]] = defaultdict(list)
        for verdict in ledger.verdicts:
            refutes = verdict.counterexample
            content = {
                "verdict": verdict.verdict,
                "table": verdict.table,
                "parameters": verdict.parameters,
                "for all": verdict.for_all and verdict.for_all.condition,
                "bound": verdict.bound,
                "counterexample": refutes and [refutes.position, refutes.option],
            }
            verdicts[verdict.claim].append(canonical_json(content))
        return cls(
            inputs=digest([file_digest(project_file(path)) for path in plan["inputs"]]),
            tables={
                f"{table['ruleset']}, {table['quantity']} to {table['bound']}": table["digest"][:16]
                for table in ledger.tables
            },
            claims={claim: digest(sorted(several)) for claim, several in sorted(verdicts.items())},
            proofs={
                f"{proof.ruleset}, {proof.relation}": digest([proof.status, proof.states])
                for proof in ledger.proofs
            },
            found={
                statement.text: digest([statement.verdict, statement.known]) for statement in found
            },
        )

    def differences(self, other: Published) -> Iterator[str]:
        """Yield the differences of another run from this one, as phrases."""
        for kind in ("tables", "claims", "proofs", "found"):
            own, others = getattr(self, kind), getattr(other, kind)
            for name in dict.fromkeys([*own, *others]):
                if own.get(name) != others.get(name):
                    is_in_both = name in own and name in others
                    how = "differs" if is_in_both else "is new" if name in others else "is missing"
                    yield f"{kind}: {name} {how}"


@dataclass(frozen=True)
class Comparison:
    """A run compared with the published results of its name."""

    #: Whether configuration, claims and games are the published ones; otherwise results are not compared.
    is_same_input: bool
    #: A phrase for each difference.
    differences: Sequence[str]

    def __str__(self) -> str:
        """Return the comparison as one line."""
        if not self.is_same_input:
            return "not compared with the published results: the configuration, a claim or a game has changed"
        if not self.differences:
            return "identical to the published results"
        more = len(self.differences) - 1
        others = f" (+ {more:,} more: choco verify --published)" if more else ""
        return f"different from the published results: {self.differences[0]}{others}"


def compare_run(plan: Plan, ledger: Ledger, found: Sequence[FoundStatement]) -> Comparison | None:
    """Compare a finished run with the published results of its name, if any.

    Raises `StoreError` if these cannot be read.
    """
    path = project_file(PUBLISHED / f"{plan['run']}.json")
    if not path.is_file():
        return None
    try:
        published = Published.model_validate(read_json(path, MOST_BYTES))
    except ValueError as error:
        raise StoreError(f"{path}: not published results ({error})") from None
    own = Published.of_run(plan, ledger, found)
    if own.inputs != published.inputs:
        return Comparison(False, ())
    return Comparison(True, tuple(published.differences(own)))
