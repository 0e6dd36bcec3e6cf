"""Verdicts on claims that compare tables, from the counts of all tables."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
    Verdict,
)
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.written.math_text import math_text


def check_across(catalogue: Catalogue, verdicts: Iterable[ClaimVerdict]) -> list[ClaimVerdict]:
    """Return a verdict on each claim that compares tables.

    `verdicts` are those on single tables; for such claims their evidence is a number, ``p_positions``.
    """
    numbers: dict[str, dict[int, int]] = defaultdict(dict)
    for verdict in verdicts:
        if catalogue.claims[verdict.claim].is_over_tables:
            (parameter,) = verdict.parameters.values()
            numbers[verdict.claim][parameter] = verdict.evidence["p_positions"]
    compared = []
    for claim_id, counts in numbers.items():
        start = time.perf_counter()
        outcome = check_counts(catalogue.claims[claim_id], counts)
        finding = Finding(outcome, {"p_positions": {str(n): counts[n] for n in sorted(counts)}})
        compared.append(ClaimVerdict.of(claim_id, {}, finding, time.perf_counter() - start))
    return compared


def check_counts(claim: Claim, counts: Mapping[int, int]) -> Verdict:
    """Return the verdict on the relations of a claim of kind ``counts``.

    The claim's parameter runs from 1, and `counts` maps its values to numbers of P-positions; sums end at the largest value. A
    relation is skipped where it has no value, or needs a missing table, directly or for a sum. The verdict counts the remaining
    equations, and names relations without any.
    """
    compared = claim.counts
    assert compared is not None
    (parameter,) = claim.parameters
    largest = max(counts, default=0)
    tables = {"g": _Numbers(counts)}
    for name, summand in compared.sums.items():
        tables[name] = _Numbers(_sums(summand, parameter, counts, largest))
    equations = dict.fromkeys(compared.conditions, 0)
    for value in range(1, largest + 1):
        for relation in equations:
            if parameter not in relation.names and value > 1:
                continue
            for table in tables.values():
                table.used.clear()
            try:
                holds = relation.value({parameter: value}, tables)
            except (KeyError, FormulaError):  # a table is missing, or an integer exceeds 64 bits
                continue
            equations[relation] += 1
            if not holds:
                numbers = ", ".join(
                    f"{name}({n}) = {table[n]:,}"
                    for name, table in tables.items()
                    for n in sorted(table.used)
                )
                claimed = f"{math_text(relation)}, here with {parameter} = {value}"
                return Refuted(Counterexample(numbers, claimed), sum(equations.values()))
    checked = sum(equations.values())
    if not checked:
        return Undecided("no relation has all the tables that it needs")
    number = "the one equation" if checked == 1 else f"all {checked:,} equations"
    sense = f"{number} between the tables with {parameter} up to {largest:,}"
    unchecked = [math_text(relation) for relation, n in equations.items() if not n]
    if unchecked:
        sense += f"; none of {', '.join(unchecked)}"
    return HoldsToBound(sum(counts.values()), largest, sense)


def _sums(
    summand: Formula, parameter: str, counts: Mapping[int, int], largest: int
) -> Mapping[int, int]:
    """Return the sums of `summand` over `parameter` = 1, …, n, as far as known."""
    sums, g = {0: 0}, _Numbers(counts)
    for n in range(1, largest + 1):
        try:
            sums[n] = sums[n - 1] + int(summand.value({parameter: n}, {"g": g}))
        except (KeyError, FormulaError):
            break
    return sums


@dataclass
class _Numbers(Sequence[int]):
    """Numbers of P-positions by parameter, with a record of those used."""

    known: Mapping[int, int]
    used: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return sys.maxsize

    def __getitem__(self, index: Any) -> Any:
        number = self.known[index]
        self.used.add(index)
        return number
