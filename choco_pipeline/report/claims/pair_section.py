"""Statements as printed beside what was intended, and statements of two papers that cannot both be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.claims.conclusions.claim_row import ClaimPair, Decided, PairKind
from choco_pipeline.report.claims.verdict_cells import Cell, Shown
from choco_pipeline.report.claims.verdicts import ClaimView, decides
from choco_pipeline.sweep.run_ledger import Ledger

#: What a pair comes to, where it is settled. To stand is not to be refuted: how far it was checked is in its verdict.
OUTCOMES = {"intended": "{1} stands", "printed": "{0} stands", "neither": "neither stands"}


@dataclass(frozen=True)
class Side:
    """One statement of a pair."""

    #: What it is in the pair.
    role: str
    #: The claim.
    view: ClaimView
    #: Whether the other one falls while this one stands.
    stands: bool
    #: What was checked, and those other lines of its formal statement that the other one does not share.
    formal: list[tuple[str, str]]


@dataclass(frozen=True)
class PairView:
    """Two statements side by side."""

    #: Id on the page.
    anchor: str
    #: Which statements, what the pair comes to in a few words ("" if it is not settled), and in a sentence.
    title: str
    outcome: str
    text: str
    sides: list[Side]
    #: At the least position that decides; None if no position does.
    counterexample: Shown | None
    #: The page and the id of the evidence that it is taken from, and the game it is a position of, with its parameters.
    evidence_page: str
    evidence: str
    ruleset: str
    #: Whether one side is what the other was meant to say.
    is_misprint: bool


def pair_views(ledger: Ledger, views: Sequence[ClaimView], kind: PairKind) -> list[PairView]:
    """Return the pairs of one kind, ``misprint`` or ``disagreement``, those that are settled first."""
    by_id = {view.claim.id: view for view in views}
    shown = [_pair_view(pair, by_id) for pair in ledger.pairs if pair.kind == kind]
    return sorted(shown, key=lambda view: not view.outcome)


def forms(ledger: Ledger) -> dict[str, tuple[str, str]]:
    """Return, for each claim of a misprint, which form it is and the id of the pair on the page."""
    forms_of_claims: dict[str, tuple[str, str]] = {}
    for pair in ledger.pairs:
        if pair.kind == "misprint":
            forms_of_claims.setdefault(pair.printed, ("as printed", _anchor(pair)))
            forms_of_claims.setdefault(pair.intended, ("as intended", _anchor(pair)))
    return forms_of_claims


def _pair_view(pair: ClaimPair, by_id: Mapping[str, ClaimView]) -> PairView:
    printed, intended = by_id[pair.printed], by_id[pair.intended]
    names = ("the printed form", "the intended form")
    if pair.kind == "misprint":
        roles = ("as printed", "as intended")
        title = printed.claim.number
        if intended.claim.number != title:
            roles = (f"{title}, as printed", f"{intended.claim.number}, as intended")
    else:
        roles = names = (_source(printed), _source(intended))
        title = f"{printed.claim.number} and {intended.claim.number}"
    cell = _deciding(pair.decided, (printed, intended))
    return PairView(
        _anchor(pair),
        title,
        OUTCOMES.get(pair.right, "").format(*names),
        pair.text,
        [
            Side(roles[0], printed, pair.right == "printed", _formal(printed, intended)),
            Side(roles[1], intended, pair.right == "intended", _formal(intended, printed)),
        ],
        None if cell is None else cell.counterexample,
        "" if cell is None else f"{cell.document.claim}.html",
        "" if cell is None else cell.anchor,
        "" if cell is None else cell.ruleset,
        pair.kind == "misprint",
    )


def _anchor(pair: ClaimPair) -> str:
    return f"pair-{pair.printed}-{pair.intended}"


def _formal(view: ClaimView, other: ClaimView) -> list[tuple[str, str]]:
    *supposed, claimed = view.formal
    return [*(line for line in supposed if line not in other.formal), claimed]


def _source(view: ClaimView) -> str:
    return f"{view.claim.number} of {view.claim.paper.key}"


def _deciding(decided: Decided | None, sides: Sequence[ClaimView]) -> Cell | None:
    return next(
        (cell for view in sides for cell in view.cells if decides(cell.document, decided)), None
    )
