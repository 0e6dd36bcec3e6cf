"""The formal statement of a claim, line by line: what was checked, as mathematics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from choco_pipeline.claims.language.ledger_claim import LedgerClaim
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.formula.written.math_text import math_text, range_text
from choco_pipeline.formula.written.parameter_text import assigned

Document = Mapping[str, Any]


def formal_lines(claim: LedgerClaim) -> list[tuple[str, str]]:
    """Return pairs of a label and a text, for a claim as the ledger holds it.

    Examples
    --------
    >>> check = {"kind": "p-positions", "formula": "y ^ z == 0"}
    >>> formal = {"every": {}, "some": {}, "when": "k % 2 == 0", "for_all": None, "let": {}, "reach": None}
    >>> formal |= {"check": check, "follows_from": None}
    >>> said = {"ruleset": "step-bar(k=k)", "formula": "P ⇔ y ⊕ z = 0", "formal": formal}
    >>> formal_lines(LedgerClaim.model_construct(**said))
    [('ruleset', 'step-bar(k=k)'), ('for', 'k ≡ 0 (mod 2)'), ('checked as', 'P ⇔ y ⊕ z = 0')]
    """
    return list(_lines(claim, claim.formal, claim.formal["check"]))


def _lines(claim: LedgerClaim, formal: Document, check: Document) -> Iterator[tuple[str, str]]:
    if claim.ruleset is not None:
        yield "ruleset", claim.ruleset
    if formal["when"]:
        yield "for", math_text(formal["when"])
    if formal["every"]:
        yield "and every", _ranges(formal["every"])
    if formal["some"]:
        yield "with some", _ranges(formal["some"])
    if formal["for_all"] and formal["for_all"] != formal["when"]:
        yield "for all at once", math_text(formal["for_all"])
    if formal["follows_from"]:
        lemmas = formal["follows_from"]["lemmas"]
        by = f", by {', '.join(lemmas)}" if lemmas else ""
        yield "follows from", f"{', '.join(formal['follows_from']['claims'])}{by}"
    if formal["let"]:
        yield "where", assigned({name: math_text(text) for name, text in formal["let"].items()})
    if formal["reach"]:
        yield "up to", math_text(formal["reach"])
    if claim.ruleset is None:
        yield "for all", _ranges(check["all"])
        if check.get("number"):
            yield "counted over", _ranges(check["number"]["of"])
        if "height" in check:
            yield "heights up to", math_text(check["height"])
        yield "N", f"{check['bound']:,}"
    yield "checked as", claim.formula


def _ranges(spans: Mapping[str, str]) -> str:
    return ", ".join(range_text(name, parse_range(span)) for name, span in spans.items())
