"""The evidence of a verdict as lines of a page: each key of it in words, and what it holds as text, links or a small table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from choco_pipeline.claims.conclusions.outcomes import ENGINES, enumerated
from choco_pipeline.claims.language.claim_verdict import FalseEverywhere

Document = Mapping[str, Any]

#: Evidence that other words of a page tell, or a table of bounds.
TOLD = ("all_choices", "reach", "true_up_to", "best_possible", "false_at")

LABELS = {
    "abstract_states": "states of the control",
    "among": "positions in the statement",
    "bound": "looked at up to bound",
    "cases": "cases of the family",
    "choices": "choices of integers",
    "conditions": "conditions written anew for the check",
    "count": "number of values",
    "counted": "number found",
    "engines": "engines that agree",
    "failures": "number of failures",
    "first_values": "first members of the set of values",
    "free": "coordinate without a bound",
    "functions": "height functions",
    "growth": "growth with the bound",
    "image": "set of values",
    "image_states": "states of the automaton of the values",
    "alone": "members proved by the checker alone",
    "members": "members of the family that agree with the definition",
    "missing": "members of the claimed set not found",
    "missing_count": "number of members not found",
    "negative_values": "negative values",
    "no_answer": "engines without an answer",
    "order": "order of the octahedron",
    "p_positions": "P-positions",
    "squares": "squares of the section",
    "states": "states of the automaton",
    "tables": "members compared with tables in the check",
    "values": "values found, smallest first",
    "vertices": "single points of the section",
    "with_formula": "functions with the formula",
    "with_property": "functions with the property",
    "without_reach": "without its bound",
}


@dataclass(frozen=True)
class EvidenceTable:
    """Evidence of several columns."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]


EvidenceValue = str | int | Markup | Sequence[int | str | Markup] | EvidenceTable


def evidence_rows(evidence: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield pairs of a label and a value, for what a verdict's evidence holds.

    Examples
    --------
    >>> list(evidence_rows({"engines": ["own", "z3"], "no_answer": {"checker": "the time is over"}, "missing": []}))
    [('engines that agree', 'ours and z3'), ('engines without an answer', ['the checker: the time is over'])]
    >>> list(evidence_rows({"negative_values": False, "failures": 7}))
    [('negative values', 'no'), ('number of failures', 7)]
    """
    for key, value in evidence.items():
        if key in TOLD or value in ([], {}):
            continue
        match key:
            case "follows_from":
                yield from _derivation(value)
            case "every_member":
                yield from _every_member(value)
            case "growth":
                yield LABELS[key], _growth(value)
            case "engines":
                yield LABELS[key], enumerated([ENGINES.get(name, name) for name in value])
            case _:
                yield LABELS.get(key, key.replace("_", " ")), _plain(value)


def _plain(value: Any) -> EvidenceValue:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int() | str():
            return value
        case {}:
            return [f"{ENGINES.get(name, name)}: {text}" for name, text in value.items()]
        case _:
            return list(value)


def _growth(steps: Sequence[Document]) -> EvidenceTable:
    rows = [[step["bound"], step["count"], step["largest"], step["frontier"]] for step in steps]
    return EvidenceTable(("bound", "values", "largest", "all members found up to"), rows)


def _every_member(named: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield for which parameters a statement contradicts itself, where, and what shows it."""
    every = FalseEverywhere.model_validate(named)
    yield "false for", every.text
    yield "it contradicts itself at", list(every.positions)
    yield "engines that agree on that", enumerated([ENGINES.get(n, n) for n in every.engines])


def _derivation(derivation: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield what a claim follows from, by which lemmas and hypotheses, and the sentences that engines decided."""
    yield "follows from", [_claim(premise) for premise in _premises(derivation)]
    if derivation["lemmas"]:
        yield "by", enumerated(derivation["lemmas"])
    if derivation["hypotheses"]:
        yield "where", list(derivation["hypotheses"])
    yield "so that it is known", derivation["known"]
    rows = [
        [
            f"{step['says']} ({step['for']})" if step["for"] else step["says"],
            enumerated([ENGINES.get(name, name) for name in step["engines"]]),
            step["states"],
        ]
        for step in derivation["steps"]
    ]
    # One sentence may be a step of each of two formulas of the statement.
    distinct = [row for i, row in enumerate(rows) if row not in rows[:i]]
    sentences = EvidenceTable(("sentence, decided", "engines", "states"), distinct)
    yield "from which it follows", sentences


def _premises(derivation: Document) -> Iterator[Document]:
    """Yield the premises, and those that they follow from in their turn, each once in a line."""
    for premise in derivation["premises"]:
        yield premise
        if premise["follows_from"] is not None:
            yield from _premises(premise["follows_from"])


def _claim(premise: Document) -> Markup:
    link = Markup('<a href="{0}.html">{0}</a>').format(premise["claim"])
    return link + f", proved for {premise['for_all']}"
