"""Who is right where a claim corrects a printed one, or contradicts one of another paper."""

from __future__ import annotations

from collections.abc import Iterable

from choco_pipeline.claims.conclusions.claim_row import (
    ClaimPair,
    ClaimRow,
    PairKind,
    Right,
)
from choco_pipeline.claims.conclusions.conclusion import Outcome
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.verdict import place_text
from choco_pipeline.formula.written.parameter_text import parameters_text

#: Outcomes of claims of which a run says neither that they are right nor that they are wrong.
SILENT: set[Outcome] = {"unchecked", "undecided", "vacuous"}


def pairs(catalogue: Catalogue, rows: Iterable[ClaimRow]) -> tuple[ClaimPair, ...]:
    """Return who is right where a claim corrects a printed one, or contradicts one of another paper."""
    row_of = {row.claim: row for row in rows}
    told: set[frozenset[str]] = set()
    result: list[ClaimPair] = []
    for claim in catalogue.claims.values():
        if not isinstance(claim.statement, Entry):
            continue
        entry = claim.statement
        others: list[tuple[PairKind, str]] = []
        if entry.corrects is not None:
            others.append(("misprint", entry.corrects))
        others += [("disagreement", other) for other in entry.contradicts]
        for kind, other in others:
            both = frozenset((claim.id, other))
            # A claim of a file that the run does not read is no mistake; neither is saying it on both sides.
            if other not in row_of or both in told:
                continue
            told.add(both)
            printed, intended = row_of[other], row_of[claim.id]
            result.append(
                ClaimPair(
                    kind=kind,
                    printed=other,
                    intended=claim.id,
                    right=_right(printed.verdict, intended.verdict),
                    text=_pair_text(kind, catalogue, printed, intended),
                    decided=printed.decided or intended.decided,
                )
            )
    return tuple(result)


def _right(printed: Outcome, intended: Outcome) -> Right:
    if {printed, intended} & SILENT:
        return "open"
    match printed == "refuted", intended == "refuted":
        case True, False:
            return "intended"
        case False, True:
            return "printed"
        case True, True:
            return "neither"
        case _:
            return "both"


def _pair_text(kind: PairKind, catalogue: Catalogue, printed: ClaimRow, intended: ClaimRow) -> str:
    first, second = (
        _name(catalogue.claims[row.claim], other=catalogue.claims[other.claim])
        for row, other in ((printed, intended), (intended, printed))
    )
    if kind == "misprint":
        first, second = f"{first} as printed", f"{second} as intended"
    of_printed, of_intended = _standing(printed), _standing(intended)
    match _right(printed.verdict, intended.verdict):
        case "intended":
            return f"{second} {of_intended}, {first} {of_printed}."
        case "printed":
            return f"{first} {of_printed}, {second} {of_intended}."
        case "neither":
            return f"Neither is right: {first} {of_printed}, {second} {of_intended}."
        case "both":
            return f"Not told apart so far: {first} {of_printed}, {second} {of_intended}."
        case _:
            return f"Open: {first} {of_printed}, {second} {of_intended}."


def _name(claim: Claim, other: Claim) -> str:
    assert isinstance(claim.statement, Entry)
    assert claim.paper is not None
    number = claim.statement.number
    return number if claim.paper == other.paper else f"{number} of {claim.paper.key}"


def _standing(row: ClaimRow) -> str:
    """Return what a row says of its claim as the predicate of a sentence."""
    match row.verdict:
        case "refuted":
            decided = row.decided
            assert decided is not None
            given = parameters_text([decided.parameters])
            named = f" for {given}" if given else ""
            if decided.position is None:
                return f"is refuted{named}"
            return f"is refuted at {place_text(decided.coordinates, decided.position)}{named}"
        case "proved" if row.proved_for:
            return f"is proved for {row.proved_for}"
        case "proved":
            return "is proved"
        case "proved-for-listed":
            return f"is proved for {row.proved_for}"
        case "exhausted":
            return "is true in every case"
        case "holds-to-bound":
            return "holds as far as it was checked"
        case verdict:
            return f"is {verdict}"
