"""The conclusions of a run: rows of claims, pairs, and contradictions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import (
    ClaimPair,
    ClaimRow,
    Decided,
    Outcome,
    PairKind,
    Right,
    tally,
)
from choco_pipeline.claims.conclusions.outcomes import Cases, follows_text
from choco_pipeline.claims.conclusions.row_text import distinct_positions, row_text
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.verdict import place_text
from choco_pipeline.commands import DEFAULT_CONFIG, command
from choco_pipeline.errors import DisagreementError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import exact_text, parameters_text

#: The name of the coordinate that counts passes: sizes of positions do not count it.
PASSES = "p"
#: Outcomes that leave open whether a claim is right.
SILENT: set[Outcome] = {"unchecked", "undecided", "vacuous"}


def rows(
    catalogue: Catalogue, verdicts: Iterable[ClaimVerdict], config: str = DEFAULT_CONFIG
) -> tuple[ClaimRow, ...]:
    """Return a row for every claim of the files of a run, in their order.

    Verdicts on claims over several tables come from `check_across`. `config` is the configuration that commands name.
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
    """Return the command that repeats the proofs, or the check."""
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
    """Return the sort key of a counterexample: size, position, parameters."""
    refutes, given = verdict.counterexample, list(verdict.parameters.values())
    assert refutes is not None
    position = refutes.position
    if position is None:
        return (math.inf, (), given)
    sizes = [
        value
        for name, value in zip(refutes.coordinates, position, strict=True)
        if claim.pattern is None or name != PASSES
    ]
    return (max(sizes), position, given)


def _decided(verdict: ClaimVerdict) -> Decided:
    refutes = verdict.counterexample
    assert refutes is not None
    return Decided(
        table=verdict.table,
        parameters=verdict.parameters,
        coordinates=refutes.coordinates,
        position=refutes.position,
    )


def pairs(catalogue: Catalogue, rows: Iterable[ClaimRow]) -> tuple[ClaimPair, ...]:
    """Decide between claims that correct or contradict each other."""
    row_of = {row.claim: row for row in rows}
    compared: set[frozenset[str]] = set()
    result: list[ClaimPair] = []
    for claim in catalogue.claims.values():
        entry = claim.statement
        if not isinstance(entry, Entry):
            continue
        others: list[tuple[PairKind, str]] = []
        if entry.corrects is not None:
            others.append(("misprint", entry.corrects))
        others += [("disagreement", other) for other in entry.contradicts]
        for kind, other in others:
            both = frozenset((claim.id, other))
            # The other file may not be part of the run, and both claims may name each other.
            if other not in row_of or both in compared:
                continue
            compared.add(both)
            result.append(_pair(kind, catalogue, row_of[other], row_of[claim.id]))
    return tuple(result)


def _pair(kind: PairKind, catalogue: Catalogue, printed: ClaimRow, intended: ClaimRow) -> ClaimPair:
    first, second = (
        _name(catalogue.claims[row.claim], other=catalogue.claims[other.claim])
        for row, other in ((printed, intended), (intended, printed))
    )
    if kind == "misprint":
        first, second = f"{first} as printed", f"{second} as intended"
    first, second = f"{first} {_standing(printed)}", f"{second} {_standing(intended)}"
    right: Right
    match printed.verdict == "refuted", intended.verdict == "refuted":
        case _ if {printed.verdict, intended.verdict} & SILENT:
            right, text = "open", f"Open: {first}, {second}."
        case True, False:
            right, text = "intended", f"{second}, {first}."
        case False, True:
            right, text = "printed", f"{first}, {second}."
        case True, True:
            right, text = "neither", f"Neither is right: {first}, {second}."
        case _:
            right, text = "both", f"Not distinguished so far: {first}, {second}."
    return ClaimPair(
        kind=kind,
        printed=printed.claim,
        intended=intended.claim,
        right=right,
        text=text,
        decided=printed.decided or intended.decided,
    )


def _name(claim: Claim, other: Claim) -> str:
    assert isinstance(claim.statement, Entry)
    assert claim.paper is not None
    number = claim.statement.number
    return number if claim.paper == other.paper else f"{number} of {claim.paper.key}"


def _standing(row: ClaimRow) -> str:
    """Return the outcome of a row as the predicate of a sentence."""
    match row.verdict:
        case "refuted":
            decided = row.decided
            assert decided is not None
            given = parameters_text([decided.parameters])
            named = f" for {given}" if given else ""
            if decided.position is None:
                return f"is refuted{named}"
            return f"is refuted at {place_text(decided.coordinates, decided.position)}{named}"
        case "proved" | "proved-for-listed":
            return f"is proved for {row.proved_for}" if row.proved_for else "is proved"
        case "exhausted":
            return "is true in every case"
        case "holds-to-bound":
            return "holds as far as it was checked"
        case verdict:
            return f"is {verdict}"


def require_agreement(catalogue: Catalogue, verdicts: Iterable[ClaimVerdict]) -> None:
    """Raise `DisagreementError` if verdicts on a claim contradict each other.

    Only claims with `for_all` are compared. They must not be proved for all parameters and refuted for some of them. Where one is
    refuted, no proof, and no table that holds the counterexample, may say that it is true for the same parameters.
    """
    of_claim: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in verdicts:
        if catalogue.claims[verdict.claim].statement.for_all is not None:
            of_claim[verdict.claim].append(verdict)
    for claim_id, several in of_claim.items():
        claim = catalogue.claims[claim_id]
        cases = Cases(claim, several)
        for given, group in cases.by_parameters.items():
            refuted = [verdict for verdict in group if verdict.verdict == "refuted"]
            if not refuted:
                continue
            counterexample = (
                f"{claim_id}: {refuted[0].text}, for {dict(given)} ({_origin(refuted[0])})"
            )
            if cases.is_among_all(given):
                condition = math_text(claim.statement.for_all or "")
                raise DisagreementError(f"{counterexample}; proved for all {condition}")
            for verdict in group:
                if any(_contradicts(verdict, other) for other in refuted):
                    raise DisagreementError(
                        f"{counterexample}; {verdict.text} ({_origin(verdict)})"
                    )


def _contradicts(verdict: ClaimVerdict, refuted: ClaimVerdict) -> bool:
    """Whether a verdict says that a claim is true at its counterexample."""
    if verdict.verdict in ("proved", "exhausted"):
        return True
    position = None if refuted.counterexample is None else refuted.counterexample.position
    within = position is not None and max(position) <= (verdict.bound or -1)
    return verdict.verdict == "holds-to-bound" and within


def _origin(verdict: ClaimVerdict) -> str:
    if verdict.table is not None:
        return f"table {verdict.table}"
    return "by proof" if verdict.is_by_proof else "by a check"
