"""Claims that compare tables: decided from the numbers that the tables gave."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from choco_pipeline.claims.catalogue import Catalogue
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.kinds import Counts
from choco_pipeline.claims.verdict import (
    Counterexample,
    HoldsToBound,
    Refuted,
    Undecided,
    Verdict,
    verdict_to_json,
)


def check_across(
    catalogue: Catalogue, verdicts: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the verdicts on the claims that compare tables: one for each, with ``"table": null``.

    Parameters
    ----------
    catalogue
        All claims of the run.
    verdicts
        Of every table; those on such claims carry a number, ``evidence["p_positions"]``.
    """
    numbers: dict[str, dict[int, int]] = defaultdict(dict)
    for verdict in verdicts:
        if catalogue.claims[verdict["claim"]].is_over_tables:
            (parameter,) = verdict["parameters"].values()
            numbers[verdict["claim"]][parameter] = verdict["evidence"]["p_positions"]
    found = []
    for claim_id, counts in numbers.items():
        start = time.perf_counter()
        outcome = check_counts(catalogue.claims[claim_id], counts)
        shown = {"claim": claim_id, "table": None, "parameters": {}, **verdict_to_json(outcome)}
        evidence = {"p_positions": {str(n): counts[n] for n in sorted(counts)}}
        found.append(
            {**shown, "evidence": evidence, "seconds": round(time.perf_counter() - start, 4)}
        )
    return found


def check_counts(claim: Claim, counts: Mapping[int, int]) -> Verdict:
    """Return whether the relations of a claim of kind ``counts`` hold.

    Parameters
    ----------
    claim
        Its one parameter runs from 1; a relation is left out where a table that it needs is missing.
    counts
        The number of P-positions by the parameter's value.

    Raises
    ------
    FormulaError
        If a relation has no value for another reason than a missing table.
    """
    if not isinstance(claim.check, Counts):
        raise ValueError(f"{claim.id} is a claim of kind {claim.check.kind}, counts is needed")
    (parameter,) = claim.parameters
    table = _Numbers(counts)
    equations = 0
    for value in range(1, max(counts, default=0) + 1):
        for relation in claim.check.conditions:
            if parameter not in relation.names and value > 1:
                continue
            table.asked.clear()
            try:
                holds = relation.value({parameter: value}, {"g": table})
            except _NoTableError:
                continue
            equations += 1
            if not holds:
                found = ", ".join(f"g({n}) = {counts[n]:,}" for n in sorted(table.asked))
                claimed = f"{relation}, here with {parameter} = {value}"
                return Refuted(Counterexample(found, claimed), equations)
    if not equations:
        return Undecided("no relation has all the tables that it needs")
    largest = max(counts)
    sense = f"all {equations:,} equations between the tables with {parameter} up to {largest:,}"
    return HoldsToBound(sum(counts.values()), largest, sense)


class _NoTableError(LookupError):
    """A number is needed of a table that this run does not have."""


class _Numbers(Sequence[int]):
    """g(n) where there is a table, and which n were asked for."""

    def __init__(self, counts: Mapping[int, int]) -> None:
        self._counts = counts
        self.asked: set[int] = set()

    def __len__(self) -> int:
        return sys.maxsize

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        if index not in self._counts:
            raise _NoTableError(index)
        self.asked.add(index)
        return self._counts[index]
