"""What is known of a conjecture or a question, in one line that says for what, and never more than its verdicts do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from choco_pipeline.claims.conclusions.outcomes import SIGNS, is_for_all, strongest
from choco_pipeline.claims.conclusions.row_text import exact_text, parameters_text
from choco_pipeline.claims.language.verdict import counted, domain_text
from choco_pipeline.formula import parse
from choco_pipeline.report.claims.counterexamples import place
from choco_pipeline.report.claims.verdicts import ClaimView
from choco_pipeline.report.math.mathml import MathML
from choco_pipeline.report.math.typeset import typeset

Document = Mapping[str, Any]

#: What an outcome says of a question, whose formal reading is a statement that is true or not.
ANSWERS = {
    "refuted": "no: ",
    "holds-to-bound": "open; yes as far as it was checked: ",
    "exhausted": "yes: ",
    "proved-for-listed": "yes for some: ",
    "proved": "yes: ",
}


@dataclass(frozen=True)
class Standing:
    """A conjecture or a question, and what is known of it."""

    view: ClaimView
    known: Markup


def standings(views: Sequence[ClaimView]) -> list[tuple[Document, list[Standing]]]:
    """Return the conjectures and questions, by paper, in the papers' order."""
    papers: dict[str, list[Standing]] = {}
    for view in views:
        if view.claim["status"] in ("conjecture", "question"):
            papers.setdefault(view.claim["paper"]["key"], []).append(Standing(view, _known(view)))
    return [(chosen[0].view.claim["paper"], chosen) for chosen in papers.values()]


def _known(view: ClaimView) -> Markup:
    answer = ANSWERS.get(view.verdict, "") if view.claim["status"] == "question" else ""
    return Markup(escape(answer)) + _outcome(view)


def _outcome(view: ClaimView) -> Markup:
    verdicts = [cell.document for cell in view.cells]
    match view.verdict:
        case "refuted":
            return _refuted(view, verdicts)
        case "proved" | "proved-for-listed":
            return _proved(view, verdicts)
        case "exhausted":
            unit = verdicts[0]["unit"]
            return Markup(escape(f"true in all {counted(view.row['positions'], unit)}"))
        case "holds-to-bound":
            return _held(view, verdicts)
        case other:
            return Markup(escape(SIGNS[other][1]))


def _refuted(view: ClaimView, verdicts: Sequence[Document]) -> Markup:
    decided = view.row["decided"]
    at = "" if decided["position"] is None else place(decided["coordinates"], decided["position"])
    given = parameters_text([decided["parameters"]])
    said = ("refuted", at and f"at {at}", given and f"for {given}")
    text = Markup(escape(" ".join(filter(None, said))))
    refuting = [v["evidence"] for v in verdicts if v["verdict"] == "refuted"]
    every = next((one["every_member"] for one in refuting if "every_member" in one), None)
    if every is not None:
        return text + "; false for " + _all_of(every)
    cases = _single_cases(verdicts)
    false = cases.get("refuted", [])
    if len(false) < 2:
        return text
    others = "" if len(cases) > 1 else ", all that were looked at"
    return text + Markup(escape(f"; false for {_named(false)}{others}"))


def _proved(view: ClaimView, verdicts: Sequence[Document]) -> Markup:
    proved = [v for v in verdicts if v["verdict"] == "proved"]
    parts = [_for([one]) + _all_of(one["for_all"]) for one in proved if is_for_all(one)]
    single = _single_cases(verdicts).get("proved", [])
    if single and single[0]["parameters"]:
        parts.append(_for(single) + Markup(escape(_named(single))))
    others = "" if view.verdict == "proved" else ", and no others"
    return Markup("proved for ") + (Markup(", and for ").join(parts) or _domain(proved)) + others


def _held(view: ClaimView, verdicts: Sequence[Document]) -> Markup:
    cases, parts = _single_cases(verdicts), []
    if cases.get("proved") or any(is_for_all(v) and v["verdict"] == "proved" for v in verdicts):
        parts.append(_proved(view, verdicts))
    whole, held = cases.get("exhausted", []), cases.get("holds-to-bound", [])
    if whole:
        parts.append(Markup(escape(f"every case checked{_for_these(whole, ', and no others')}")))
    if held:
        bounds = sorted(v["bound"] for v in held)
        to = f"to bound {bounds[0]:,}"
        if bounds[0] < bounds[-1]:
            to = f"to bounds from {bounds[0]:,} to {bounds[-1]:,}"
        senses = sorted({v["why"] for v in held if v["why"]})
        sense = f": {senses[0]}" if senses else ""
        if len(senses) > 1:
            sense = ", in a sense that its page states"
        parts.append(Markup(escape(f"holds {to}{_for_these(held)}{sense}")))
    return Markup("; ").join(parts)


def _single_cases(verdicts: Sequence[Document]) -> dict[str, list[Document]]:
    """Return the verdicts that decide single cases, by what these come to; cases that a proof for all covers are none.

    Of several verdicts that say the same of one case the furthest counts.
    """
    covered = [
        parse(v["for_all"]["condition"])
        for v in verdicts
        if is_for_all(v) and v["verdict"] == "proved"
    ]
    of_case: dict[tuple[tuple[str, int], ...], list[Document]] = {}
    for verdict in verdicts:
        given = verdict["parameters"]
        if not is_for_all(verdict) and not any(condition.value(given) for condition in covered):
            of_case.setdefault(tuple(given.items()), []).append(verdict)
    found: dict[str, list[Document]] = {}
    for group in of_case.values():
        kind = strongest(group)
        furthest = max(
            (v for v in group if v["verdict"] == kind), key=lambda one: one["bound"] or 0
        )
        found.setdefault(kind, []).append(furthest)
    return found


def _named(verdicts: Sequence[Document]) -> str:
    return exact_text([verdict["parameters"] for verdict in verdicts])


def _for_these(verdicts: Sequence[Document], others: str = "") -> str:
    """Return for which parameters some verdicts are; nothing for a claim without any."""
    return f" for {_named(verdicts)}{others}" if verdicts[0]["parameters"] else ""


def _for(verdicts: Sequence[Document]) -> Markup:
    """Return up to where proofs reach, if not for all positions: before the parameters that they are for."""
    return (
        Markup()
        if all(v["reach"] is None and v["printed"] is None for v in verdicts)
        else _domain(verdicts) + ", for "
    )


def _domain(verdicts: Sequence[Document]) -> Markup:
    domains = {domain_text(v["unit"], v["reach"], v["printed"]) for v in verdicts}
    said = domains.pop() if len(domains) == 1 else f"all {verdicts[0]['unit']}s up to its bound"
    return Markup(escape(said))


def _all_of(named: Document) -> Markup:
    """Return which parameters a verdict on all of them is on, their condition as mathematics."""
    names = Markup(", ").join(Markup("<i>{}</i>").format(name) for name in named["parameters"])
    condition = typeset(parse(named["condition"]), MathML())
    return Markup("all ") + names + Markup(f" with <math>{condition}</math>")
