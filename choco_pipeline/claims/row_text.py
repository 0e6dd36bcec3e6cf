"""The words of a row: what all verdicts on a claim say together, in which a bound never reads as a truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.verdict import counted

Document = Mapping[str, Any]
#: Some integers for a claim's parameters, as a key.
Given = tuple[tuple[str, int], ...]

#: Of several verdicts with the same parameters, the first of these that any of them gives is what they come to.
STRONGEST_FIRST = ("refuted", "proved", "exhausted", "holds-to-bound", "undecided")
#: Of parameters that are no product of ranges, about so many are named.
MOST_NAMED = 8


def parameters_text(given: Sequence[Mapping[str, int]]) -> str:
    """Return the values of parameters in short, name by name.

    Examples
    --------
    >>> parameters_text([{"k": k, "s": s} for k in (2, 4, 6, 8) for s in range(k)])
    'k = 2, 4, …, 8; s = 0, …, 7'
    >>> parameters_text([{"m": m} for m in (14, 18, 21, 22)])
    'm = 14, 18, 21, 22'
    """
    names = dict.fromkeys(name for parameters in given for name in parameters)
    return "; ".join(
        f"{name} = {_in_short(sorted({one[name] for one in given if name in one}))}"
        for name in names
    )


def exact_text(given: Sequence[Mapping[str, int]]) -> str:
    """Return which parameters these are, as `parameters_text` where that names no others.

    Examples
    --------
    >>> exact_text([{"k": k, "s": s} for k in (4, 6) for s in (1, 2)])
    'k = 4, 6; s = 1, 2'
    >>> exact_text([{"k": 4, "s": 2}, {"k": 6, "s": 2}, {"k": 6, "s": 4}])
    '(k, s) = (4, 2), (6, 2), (6, 4)'
    """
    names = list(dict.fromkeys(name for parameters in given for name in parameters))
    chosen = sorted({tuple(one[name] for name in names) for one in given})
    if len(chosen) == math.prod(len(set(values)) for values in zip(*chosen, strict=True)):
        return parameters_text(given)
    shown = [f"({', '.join(map(str, one))})" for one in chosen]
    if len(shown) > MOST_NAMED:
        shown = [*shown[: MOST_NAMED - 2], "…", f"{shown[-1]} ({len(shown)} of them)"]
    return f"({', '.join(names)}) = {', '.join(shown)}"


def is_by_proof(verdict: Document) -> bool:
    """Whether a verdict was found by proof for all positions or integers, not by looking at some of them."""
    return "certificate" in verdict


def _in_short(values: list[int]) -> str:
    steps = {b - a for a, b in itertools.pairwise(values)}
    if len(values) > 3 and steps == {1}:
        return f"{values[0]}, …, {values[-1]}"
    if len(values) > 3 and len(steps) == 1:
        return f"{values[0]}, {values[1]}, …, {values[-1]}"
    if len(values) <= 5:
        return ", ".join(map(str, values))
    return f"{', '.join(map(str, values[:3]))}, …, {values[-1]} ({len(values)} values)"


def place_text(decided: Document) -> str:
    """Return the position of a counterexample with the names of its coordinates."""
    names, values = decided["coordinates"], decided["position"]
    if len(names) == 1:
        return f"{names[0]} = {values[0]}"
    return f"({', '.join(names)}) = ({', '.join(map(str, values))})"


def strongest(verdicts: Sequence[Document]) -> str:
    """Return what the verdicts with the same parameters come to: a proof outweighs tables, a whole table smaller ones."""
    found = {verdict["verdict"] for verdict in verdicts}
    return next(verdict for verdict in STRONGEST_FIRST if verdict in found)


def distinct_positions(verdicts: Iterable[Document]) -> int:
    """Return how many positions, or cases, some verdicts settled, each counted once.

    Tables of one game, which verdicts with the same parameters are on, lie in each other: the largest holds what the others
    hold, and counts alone.
    """
    largest: dict[Given, int] = {}
    for verdict in verdicts:
        given = tuple(sorted(verdict["parameters"].items()))
        largest[given] = max(verdict["positions"], largest.get(given, 0))
    return sum(largest.values())


def row_text(
    claim: Claim,
    outcome: str,
    by_parameters: Mapping[Given, Sequence[Document]],
    decided: Document | None,
    *,
    are_all: bool,
) -> str:
    """Return what the verdicts on a claim come to in one line.

    Parameters
    ----------
    claim
        The claim.
    outcome
        The verdict on the claim as a whole, or ``unchecked``.
    by_parameters
        All verdicts.
    decided
        The one with the least counterexample.
    are_all
        Whether the claim speaks of no other parameters.
    """
    verdicts = [verdict for group in by_parameters.values() for verdict in group]
    proved = [given for given, group in by_parameters.items() if strongest(group) == "proved"]
    undecided = [
        verdict
        for given, group in by_parameters.items()
        for verdict in group
        if verdict["verdict"] == "undecided" and given not in proved
    ]
    match outcome:
        case "unchecked" if claim.pattern is None:
            return "not checked in this run, though it needs no table"
        case "unchecked":
            when = claim.statement.when
            where = "" if when is None else f", where {when}"
            return f"no table of this run fits: ruleset {claim.statement.ruleset}{where}"
        case "undecided":
            first = undecided[0]
            on = f" on {_share(undecided, verdicts)}" if len(verdicts) > 1 else ""
            return f"says nothing{on}: {first['why']}{_for(first)}"
        case "proved":
            parts = [_proved(claim, proved)]
            if any(proved) and not are_all:
                parts.append(f"other {', '.join(dict(proved[-1]))} are not proved")
            parts += [v["text"] for v in by_parameters.get((), []) if () not in proved]
        case _ if len(verdicts) == 1 and outcome == verdicts[0]["verdict"]:
            parts = [f"{verdicts[0]['text']}{_for(verdicts[0])}"]
        case "refuted":
            assert decided is not None
            refuting = [verdict for verdict in verdicts if verdict["verdict"] == "refuted"]
            parts = [f"{decided['text']}{_for(decided)}"]
            verb = "refutes" if len(refuting) == 1 else "refute"
            parts.append(f"{_share(refuting, verdicts)} {verb} it")
            parts += _contradiction(by_parameters)
        case _:
            parts = _agreement(claim, outcome, by_parameters)
    if outcome != "refuted":
        parts += _about_the_reach(by_parameters)
    if undecided:
        first = undecided[0]
        parts.append(f"says nothing on {_share(undecided, verdicts)}: {first['why']}{_for(first)}")
    return "; ".join(parts)


def _proved(claim: Claim, given: Sequence[Given]) -> str:
    named = exact_text([dict(one) for one in given]) if any(given) else ""
    what = "integers" if claim.pattern is None else "positions"
    return f"proved for all {what}{f', for {named}' if named else ''}"


def _contradiction(by_parameters: Mapping[Given, Sequence[Document]]) -> list[str]:
    """Return where a refuted claim is proved as well, which is never right."""
    both = [
        dict(given)
        for given, group in by_parameters.items()
        if {"refuted", "proved"} <= {verdict["verdict"] for verdict in group}
    ]
    named = exact_text(both) if both and both[0] else ""
    return (
        [f"and yet proved{f' for {named}' if named else ''}: one of them is wrong"] if both else []
    )


def _agreement(
    claim: Claim, outcome: str, by_parameters: Mapping[Given, Sequence[Document]]
) -> list[str]:
    """Return what several verdicts without a counterexample say together."""
    found = {given: strongest(group) for given, group in by_parameters.items()}
    proved = [given for given, verdict in found.items() if verdict == "proved"]
    cases = [given for given, verdict in found.items() if verdict == "exhausted"]
    whole = [verdict for given in cases for verdict in by_parameters[given]]
    held = [
        verdict
        for given, group in by_parameters.items()
        for verdict in group
        if found[given] == "holds-to-bound" and verdict["verdict"] == "holds-to-bound"
    ]
    parts = [_proved(claim, proved)] if proved else []
    if outcome == "exhausted":
        named = parameters_text([dict(given) for given in cases])
        parts.append(
            f"true: a finite statement, every case checked{f' for {named}' if named else ''}"
            f" ({_in_all(whole)})"
        )
    elif cases:
        named = parameters_text([dict(given) for given in cases])
        rest = "" if held else f" ({_in_all(whole)}); other parameters are not checked"
        parts.append(f"every case{f' for {named}' if named else ''}{rest}")
    if held:
        bounds = sorted({verdict["bound"] for verdict in held})
        bound = (
            f"bound {bounds[0]:,}"
            if len(bounds) == 1
            else f"bounds from {bounds[0]:,} to {bounds[-1]:,}"
        )
        parts.append(f"holds up to {bound} on {_tables(len(held))} ({_in_all(held)})")
        senses = list(dict.fromkeys(verdict["why"] for verdict in held if verdict["why"]))
        if senses:
            weakest = _weakest(held)
            which = f"for the least{_for(weakest)}: " if len(senses) > 1 else ""
            parts.append(f"in this sense: {which}{weakest['why']}")
    return parts


def _weakest(held: Sequence[Document]) -> Document:
    """Return the verdict that says least, of those that say in which sense a claim holds.

    For each choice of parameters its largest table counts; of these the one whose values fill the claimed set least far.
    """
    largest: dict[Given, Document] = {}
    for verdict in sorted(held, key=lambda one: one["bound"]):
        if verdict["why"]:
            largest[tuple(verdict["parameters"].items())] = verdict
    return min(largest.values(), key=_frontier)


def _frontier(verdict: Document) -> float:
    growth = verdict["evidence"].get("growth")
    reached = growth[-1]["frontier"] if growth else None
    return math.inf if reached is None else reached


def _about_the_reach(by_parameters: Mapping[Given, Sequence[Document]]) -> list[str]:
    """Return whether bounds that a statement names are the best possible, as far as larger tables say."""
    beyond: dict[Given, Document] = {}
    for given, group in by_parameters.items():
        larger = [verdict for verdict in group if "best_possible" in verdict["evidence"]]
        if larger:
            beyond[given] = max(larger, key=lambda verdict: verdict["bound"])["evidence"]
    if not beyond:
        return []
    number = len(beyond)
    best = sum(evidence["best_possible"] for evidence in beyond.values())
    which = "checked" if number == len(by_parameters) else "with a table beyond it"
    checked = "" if number == 1 else f" for each of the {number:,} parameters {which}"
    if best == number:
        return [f"the printed bound is the best possible{checked}"]
    first, evidence = next(item for item in beyond.items() if not item[1]["best_possible"])
    named = parameters_text([dict(first)])
    example = f"{evidence['reach']:,} is printed, true up to {evidence['true_up_to']:,}"
    example = f"for {named}, {example}" if named else example
    if best:
        some = f"for {best:,} of the {number:,} parameters {which}"
        return [f"the printed bound is the best possible {some}, not for all: {example}"]
    return [f"the printed bound is not the best possible{checked}: {example}"]


def _for(verdict: Document) -> str:
    given = parameters_text([verdict["parameters"]])
    return f" ({given})" if given else ""


def _tables(number: int) -> str:
    return "1 table" if number == 1 else f"{number:,} tables"


def _share(chosen: Sequence[Document], verdicts: Sequence[Document]) -> str:
    """Return how many of all tables, and of checks without one and proofs if there are any, gave some of the verdicts."""
    parts = []
    for one in ("table", "check", "proof"):
        number, of = (
            sum(_source(verdict) == one for verdict in some) for some in (chosen, verdicts)
        )
        if not number:
            continue
        all_of_them = f"{of:,} {one}{'' if of == 1 else 's'}"
        if len(chosen) == len(verdicts) == of:
            parts.append(all_of_them)
        elif number == of:
            parts.append(f"the only {one}" if of == 1 else f"all {all_of_them}")
        else:
            parts.append(f"{number:,} of {all_of_them}")
    return " and ".join(parts)


def _source(verdict: Document) -> str:
    if is_by_proof(verdict):
        return "proof"
    return "check" if verdict["table"] is None else "table"


def _in_all(verdicts: Sequence[Document]) -> str:
    """Return how many positions were settled, or whatever was counted."""
    return counted(distinct_positions(verdicts), verdicts[0]["unit"])
