"""The result on a conjecture or a question, in one line.

The line names the parameters and bounds, and never says more than the verdicts do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from choco_pipeline.claims.conclusions.conclusion import ANSWERS, SIGNS
from choco_pipeline.claims.conclusions.rows import Given, strongest
from choco_pipeline.claims.language.claims_file import Paper
from choco_pipeline.claims.language.verdict import ClaimVerdict, VerdictKind, counted, place_text
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.parameter_text import exact_text, parameters_text
from choco_pipeline.report.claim_views import ClaimView, by_paper


@dataclass(frozen=True)
class Standing:
    """A conjecture or a question, with its result."""

    view: ClaimView
    known: str


def standings(views: Sequence[ClaimView]) -> list[tuple[Paper, list[Standing]]]:
    """Return the conjectures and questions, by paper, in the papers' order."""
    of_status = [view for view in views if view.claim.status in ("conjecture", "question")]
    return [
        (paper, [Standing(view, _known(view)) for view in chosen])
        for paper, chosen in by_paper(of_status)
    ]


def _known(view: ClaimView) -> str:
    is_answer = view.claim.status == "question" and view.verdict in ANSWERS
    return f"{ANSWERS[view.verdict]}: {_outcome(view)}" if is_answer else _outcome(view)


def _outcome(view: ClaimView) -> str:
    verdicts = [cell.document for cell in view.cells]
    match view.verdict:
        case "refuted":
            return _refuted(view, verdicts)
        case "proved" | "proved-for-listed":
            return _proved(view, verdicts)
        case "exhausted":
            unit = verdicts[0].unit
            return f"true in all {counted(view.row.positions, unit)}"
        case "holds-to-bound":
            return _held(view, verdicts)
        case other:
            return SIGNS[other][1]


def _refuted(view: ClaimView, verdicts: Sequence[ClaimVerdict]) -> str:
    decided = view.row.decided
    assert decided is not None
    at = "" if decided.position is None else place_text(decided.coordinates, decided.position)
    given = parameters_text([decided.parameters])
    parts = ("refuted", at and f"at {at}", given and f"for {given}")
    text = " ".join(filter(None, parts))
    every = [v.false_everywhere for v in verdicts if v.verdict == "refuted"]
    for condition in every:
        if condition is not None:
            return text + "; false for " + condition.text
    cases = _single_cases(verdicts)
    false = cases.get("refuted", [])
    if len(false) < 2:
        return text
    others = "" if len(cases) > 1 else ", all checked parameters"
    return text + f"; false for {_named(false)}{others}"


def _proved(view: ClaimView, verdicts: Sequence[ClaimVerdict]) -> str:
    proved = [v for v in verdicts if v.is_proved]
    parts = [verdict.for_all.text for verdict in proved if verdict.for_all is not None]
    single = _single_cases(verdicts).get("proved", [])
    if single and single[0].parameters:
        is_bounded = any(v.reach is not None or v.printed is not None for v in single)
        parts.append((f"{_domain(single)}, for " if is_bounded else "") + _named(single))
    others = "" if view.verdict == "proved" else ", and no others"
    return f"proved for {', and for '.join(parts) or _domain(proved)}{others}"


def _held(view: ClaimView, verdicts: Sequence[ClaimVerdict]) -> str:
    cases, parts = _single_cases(verdicts), []
    if cases.get("proved") or any(v.for_all is not None and v.is_proved for v in verdicts):
        parts.append(_proved(view, verdicts))
    whole, held = cases.get("exhausted", []), cases.get("holds-to-bound", [])
    if whole:
        parts.append(f"every case checked{_for_these(whole, ', and no others')}")
    if held:
        bounds = sorted(v.bound or 0 for v in held)
        to = f"to bound {bounds[0]:,}"
        if bounds[0] < bounds[-1]:
            to = f"to bounds from {bounds[0]:,} to {bounds[-1]:,}"
        senses = sorted({v.why for v in held if v.why})
        sense = f": {senses[0]}" if senses else ""
        if len(senses) > 1:
            sense = ", in a sense that its page states"
        parts.append(f"holds {to}{_for_these(held)}{sense}")
    return "; ".join(parts)


def _single_cases(verdicts: Sequence[ClaimVerdict]) -> dict[VerdictKind, list[ClaimVerdict]]:
    """Return the verdicts on single cases by their kind.

    Cases that a proof for all covers are left out. Of several verdicts of one kind on a case, the one with the largest bound
    counts.
    """
    covered = [
        parse(v.for_all.condition) for v in verdicts if v.for_all is not None and v.is_proved
    ]
    of_case: dict[Given, list[ClaimVerdict]] = {}
    for verdict in verdicts:
        given = verdict.parameters
        if verdict.for_all is None and not any(condition.value(given) for condition in covered):
            of_case.setdefault(tuple(given.items()), []).append(verdict)
    cases: dict[VerdictKind, list[ClaimVerdict]] = {}
    for group in of_case.values():
        kind = strongest(group)
        furthest = max(
            (v for v in group if v.verdict == kind), key=lambda verdict: verdict.bound or 0
        )
        cases.setdefault(kind, []).append(furthest)
    return cases


def _named(verdicts: Sequence[ClaimVerdict]) -> str:
    return exact_text([verdict.parameters for verdict in verdicts])


def _for_these(verdicts: Sequence[ClaimVerdict], others: str = "") -> str:
    """Return " for" with the parameters of verdicts; "" without parameters."""
    return f" for {_named(verdicts)}{others}" if verdicts[0].parameters else ""


def _domain(verdicts: Sequence[ClaimVerdict]) -> str:
    domains = {verdict.domain for verdict in verdicts}
    return domains.pop() if len(domains) == 1 else f"all {verdicts[0].unit}s up to its bound"
