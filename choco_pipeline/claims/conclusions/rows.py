"""What a run says of each claim: one row for each, over all of its tables."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choco_pipeline.claims.conclusions.claim_row import ClaimRow, Decided
from choco_pipeline.claims.conclusions.conclusion import tally
from choco_pipeline.claims.conclusions.outcomes import Cases, follows_text
from choco_pipeline.claims.conclusions.row_text import distinct_positions, row_text
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.commands import DEFAULT_CONFIG, command
from choco_pipeline.formula.written.parameter_text import exact_text, parameters_text

#: The name of the coordinate that counts passes: sizes of positions do not count it.
PASSES = "p"


def rows(
    catalogue: Catalogue, verdicts: Iterable[ClaimVerdict], config: str = DEFAULT_CONFIG
) -> tuple[ClaimRow, ...]:
    """Return what a run says of every claim of its files, in their order.

    Verdicts on claims over several tables are as `check_across` gives them; the configuration is the one that commands name.
    """
    of_claim: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in verdicts:
        of_claim[verdict.claim].append(verdict)
    return tuple(
        _row(Cases(claim, of_claim[claim.id]), config) for claim in catalogue.claims.values()
    )


def _row(cases: Cases, config: str) -> ClaimRow:
    claim, for_all = cases.claim, cases.proved_for_all
    check = command("claims", "check", claim.id, config=config)
    verdicts = [*([] if for_all is None else [for_all]), *cases.verdicts]
    decided = min(
        (verdict for verdict in verdicts if verdict.verdict == "refuted"),
        key=lambda verdict: _least_first(claim, verdict),
        default=None,
    )
    bounds = [verdict.bound for verdict in verdicts if verdict.bound is not None]
    proved = [dict(case) for case in cases.of("proved") if case and not cases.is_among_all(case)]
    all_of = "" if for_all is None or for_all.for_all is None else for_all.for_all.text
    proved_for = [all_of] if all_of else []
    proved_for += [exact_text(proved)] if proved else []
    return ClaimRow(
        claim=claim.id,
        verdict=cases.outcome,
        text=row_text(cases, decided),
        checks=len(verdicts),
        counts=tally(verdict.verdict for verdict in verdicts),
        parameters=parameters_text(_parameters(claim, verdicts)),
        proved_for=", and for ".join(proved_for),
        for_all=all_of,
        follows_from="" if for_all is None else follows_text(for_all.evidence),
        engines=cases.engines,
        bound=(min(bounds), max(bounds)) if bounds else None,
        positions=distinct_positions(cases.verdicts),
        seconds=round(sum(verdict.seconds for verdict in verdicts), 4),
        decided=None if decided is None else _decided(decided),
        check=check,
        command=_command(cases, check),
    )


def _command(cases: Cases, check: str) -> str:
    """Return what repeats the proof for all parameters, or the proofs, or the check where there are none."""
    if cases.is_proved_for_all:
        follows = cases.claim.statement.follows_from is not None
        return check if follows else cases.claim.command_for_all
    is_proved = cases.of("proved") or cases.proved_for_all
    return f"{check} --proofs" if is_proved else check


def _parameters(claim: Claim, verdicts: Sequence[ClaimVerdict]) -> list[Mapping[str, int]]:
    if not claim.is_over_tables:
        return [verdict.parameters for verdict in verdicts]
    (name,) = claim.parameters
    return [{name: int(n)} for verdict in verdicts for n in verdict.evidence["p_positions"]]


def _least_first(claim: Claim, verdict: ClaimVerdict) -> tuple[Any, ...]:
    """Return what counterexamples are ordered by: largest coordinate, position, parameters."""
    shown, given = verdict.counterexample, list(verdict.parameters.values())
    assert shown is not None
    position = shown.position
    if position is None:
        return (math.inf, (), given)
    sizes = [
        value
        for name, value in zip(shown.coordinates, position, strict=True)
        if claim.pattern is None or name != PASSES
    ]
    return (max(sizes), position, given)


def _decided(verdict: ClaimVerdict) -> Decided:
    shown = verdict.counterexample
    assert shown is not None
    return Decided(
        table=verdict.table,
        parameters=verdict.parameters,
        coordinates=shown.coordinates,
        position=shown.position,
    )
