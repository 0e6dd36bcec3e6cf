"""The numbers of P-positions: recurrences of these numbers, and their consequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from choco_pipeline.games import Ruleset
from choco_pipeline.mining.number_sequences.binary_digits import (
    CANDIDATES,
    MEANINGS,
    digit_form,
)
from choco_pipeline.mining.number_sequences.recurrences import (
    AS_FORMULA,
    closed_form,
    follows,
    rule_text,
    shortest_recurrence,
)
from choco_pipeline.mining.number_sequences.regular import (
    DEEPEST,
    Relation,
    continuation,
    is_whole,
    relations,
)
from choco_pipeline.mining.number_sequences.sequences import FEWEST_TERMS, sequences
from choco_pipeline.mining.table_findings import (
    AtPowers,
    ClaimContent,
    CountFinding,
    Evidence,
    IntegerSequence,
    TermRelation,
    Tried,
)
from choco_pipeline.provenance import package_version

#: Most terms in which linear recurrences are looked for; their order is at most about a third of this.
MOST_FOR_LINEAR = 128
#: Fewest terms, beyond the order of a recurrence, that test it.
FEWEST_MORE = 5
#: A sequence is continued by its relations up to 2^FAR. Its terms at powers of 2 have recurrences of at most this order.
FAR, MOST_ORDER = 16, 4
#: Roots of recurrences are looked for up to this.
LARGEST_ROOT = 16
TRIED = f"linear recurrences, forms in the numbers of binary ones and digits, and relations of the terms at the places 2n+r, …, {1 << DEEPEST}n+r to those near half of it"


def b_file(sequence: IntegerSequence) -> str:
    """Return a sequence in the format of the OEIS: comments, then lines of an index and a term.

    Examples
    --------
    >>> print(b_file(IntegerSequence("nim(2)", "P-positions below n", "n", 0, (0, 1, 2))), end="")
    # g(n): P-positions below n; nim(2); choco_pipeline 0.1.0
    0 0
    1 1
    2 2
    """
    head = f"# g({sequence.index}): {sequence.what}; {sequence.game}; choco_pipeline {package_version()}"
    lines = (f"{n} {term}" for n, term in enumerate(sequence.terms, sequence.first))
    return "\n".join((head, *lines, ""))


def mine_counts(game: Ruleset, bound: int, data: xr.Dataset) -> list[CountFinding]:
    """Return the recurrences of a table's numbers of P-positions.

    If relations that hold for ever give the terms at 2^n, the sequence of these is left out. One finding of nothing names
    the sequences without any relation.
    """
    bar = game.base.rules.bar
    shift = 0 if bar is None else bar.shift
    # nim-sums of shifted coordinates begin at the shift
    centres = list(dict.fromkeys((0, -1, 1, -2, 2, -shift, -2 * shift)))
    findings: list[CountFinding] = []
    without: list[str] = []
    tried = 0
    seen: set[tuple[int, ...]] = set()
    for sequence, at_powers in sequences(game, bound, data):
        is_given = False  # whether the terms at 2^n follow from the relations of all terms
        for numbers in filter(None, (sequence, at_powers)):
            if len(numbers.terms) < FEWEST_TERMS or not any(numbers.terms) or numbers.terms in seen:
                continue
            seen.add(numbers.terms)
            finding = _linear(numbers) or _digits(numbers, centres) or _regular(numbers, centres)
            if finding is None:
                without.append(numbers.what)
                tried += _candidates(numbers)
            elif not is_given:
                findings.append(finding)
                is_given = finding.closed_form is not None or any(
                    result.kind == "terms" and result.closed for result in finding.follows
                )
    if without or not findings:
        what = "; ".join(without) or "numbers of P-positions: too few"
        searched = Tried(candidates=tried, what=f"{TRIED}: {what}")
        findings.append(CountFinding(ruleset=game.notation, nothing=True, tried=searched))
    return findings


def linear_recurrence(terms: tuple[int, ...]) -> tuple[tuple[int, ...], int] | None:
    """Return a recurrence that all terms satisfy, and the number of terms that determined it; None if there is none."""
    length = min(len(terms), MOST_FOR_LINEAR)
    learnt = (2 * length - 2 * FEWEST_MORE) // 3
    if learnt < 2:
        return None
    recurrence = shortest_recurrence(terms[:learnt])
    if 2 * len(recurrence) > learnt or not follows(terms, recurrence):
        return None
    return recurrence, learnt


def _candidates(sequence: IntegerSequence) -> int:
    """Return the number of forms: linear recurrences by their order, forms in digits, relations by their place."""
    return min(len(sequence.terms), MOST_FOR_LINEAR) // 3 + CANDIDATES + (1 << (DEEPEST + 1)) - 2


def _finding(
    sequence: IntegerSequence,
    form: str,
    written: Sequence[TermRelation],
    found_on: tuple[int, str],
    held_on: tuple[int, str],
    text: str,
    **more: Any,
) -> CountFinding:
    last = sequence.first + len(sequence.terms) - 1
    return CountFinding(
        ruleset=sequence.game,
        sequence=sequence,
        relations=tuple(written),
        found_on=Evidence(*found_on),
        held_on=Evidence(held_on[0], f"{held_on[1]} up to g({last})"),
        tried=Tried(candidates=_candidates(sequence), what=TRIED),
        form=form,
        text=f"the number g({sequence.index}) of {sequence.what} {text}",
        **more,
    )


def _linear(sequence: IntegerSequence) -> CountFinding | None:
    """Return a finding on a sequence with a linear recurrence."""
    learnt_recurrence = linear_recurrence(sequence.terms)
    if learnt_recurrence is None:
        return None
    recurrence, learnt = learnt_recurrence
    index, terms = sequence.index, sequence.terms
    rule, formula = (rule_text(recurrence, "g", index, *signs) for signs in ((), (AS_FORMULA,)))
    written = [TermRelation(text=rule, formula=formula, start=sequence.first)]
    # sums of powers are those of places from 0 on
    closed = None if sequence.first else closed_form(terms, recurrence, LARGEST_ROOT)
    equation = closed and TermRelation(
        text=str(closed),
        formula=f"g({index}) == {closed.text(index, AS_FORMULA)}",
        start=closed.start,
    )
    return _finding(
        sequence,
        "linear",
        written,
        (learnt, f"the first {learnt} terms"),
        (len(terms) - learnt, "the terms"),
        f"is {closed}" if closed else f"satisfies {rule}",
        claim=_claim(sequence, written, []),
        closed_form=equation,
    )


def _digits(sequence: IntegerSequence, centres: list[int]) -> CountFinding | None:
    """Return a finding on a sequence that the binary digits of its places give, with its relations' consequences at 2^n."""
    by_digits = digit_form(sequence.first, sequence.terms)
    if by_digits is None:
        return None
    related = _regular(sequence, centres)
    follows = () if related is None else related.follows
    index, named = sequence.index, (sequence.first, "g", sequence.index)
    texts = list(by_digits.equations(*named))
    formulas = by_digits.equations(*named, AS_FORMULA)
    meant = " and ".join(
        f"{name}({index}) {MEANINGS[name]} of {index}" for name in by_digits.functions
    )
    return _finding(
        sequence,
        "digits",
        [
            TermRelation(text=text, formula=formula, start=0)
            for text, formula in zip(texts, formulas, strict=True)
        ],
        (by_digits.learnt, f"the first terms that determine {texts[0]}"),
        (len(sequence.terms) - by_digits.learnt, "the other terms,"),
        f"satisfies {', '.join(texts)}, with {meant}{_hence(sequence, follows)}",
        follows=follows,
    )


def _regular(sequence: IntegerSequence, centres: list[int]) -> CountFinding | None:
    """Return a finding on a sequence with relations between its terms and those at half the place."""
    related = relations(sequence.first, sequence.terms, centres)
    if not related:
        return None
    index = sequence.index
    written = [
        TermRelation(
            text=relation.text("g", index),
            formula=relation.text("g", index, AS_FORMULA),
            start=relation.start,
        )
        for relation in related
    ]
    whole = is_whole(related)
    consequences = _consequences(sequence, related) if whole else ()
    parts = [
        term.text + (f" for {index} ≥ {term.start}" if term.start > sequence.first else "")
        for term in written
    ]
    return _finding(
        sequence,
        "regular" if whole else "partly regular",
        written,
        (sum(one.found_on for one in related), "equations between the first terms"),
        (sum(one.held_on for one in related), "the other equations,"),
        f"satisfies {', '.join(parts)}{_hence(sequence, consequences)}",
        claim=_claim(sequence, written, consequences),
        follows=consequences,
    )


def _hence(sequence: IntegerSequence, follows: Sequence[AtPowers]) -> str:
    hence = " and ".join(result.text for result in follows)
    return f"; if so for all {sequence.index}, {hence}" if hence else ""


def _consequences(sequence: IntegerSequence, rules: list[Relation]) -> tuple[AtPowers, ...]:
    """Return forms of the terms at 2^n, and of the sums up to there, of a sequence that relations give."""
    every = continuation(sequence.first, sequence.terms, rules, 1 << FAR)
    if every is None:
        return ()
    index, places = sequence.index, [(1 << n) - sequence.first for n in range(FAR + 1)]
    known = sum(place < len(sequence.terms) for place in places)

    def consequence(
        kind: Literal["terms", "sums"], name: str, numbers: list[int]
    ) -> AtPowers | None:
        terms = tuple(numbers[place] for place in places)
        linear = linear_recurrence(terms)
        if linear is None or len(linear[0]) > MOST_ORDER:
            return None
        closed = closed_form(terms, linear[0], LARGEST_ROOT)
        rule = rule_text(linear[0], "b")
        return AtPowers(
            kind=kind,
            rule=rule,
            closed=str(closed) if closed else None,
            formula=closed.text(index, AS_FORMULA) if closed else None,
            start=closed.start if closed else 0,
            text=f"{name} = {closed}" if closed else f"b(n) = {name}: {rule}",
            in_table=known,
        )

    sums = np.cumsum(np.array(every, object)).tolist()
    of_sums = f"Σ g({index}) for {sequence.first} ≤ {index} ≤ 2^n"
    both = consequence("terms", "g(2^n)", every), consequence("sums", of_sums, sums)
    return tuple(filter(None, both))


def _claim(
    sequence: IntegerSequence, written: Sequence[TermRelation], consequences: Sequence[AtPowers]
) -> ClaimContent | None:
    """Return relations as a claim on square bars; claims speak of no passes, and of no m+1, there."""
    if sequence.game != "rectangular-bar(m=m, n=m)":
        return None
    name = sequence.index

    def from_start(equation: str, start: int) -> str:
        return f"{name} < {start} or {equation}" if start > 1 else equation

    conditions = [from_start(relation.formula, relation.start) for relation in written]
    sums: ClaimContent = {}
    for result in consequences:
        if result.formula is not None:
            letter = "g"
            if result.kind == "sums":
                letter, sums = "total", {"sums": {"total": f"g({name})"}}
            conditions.append(from_start(f"{letter}(2**{name}) == {result.formula}", result.start))
    return {
        "ruleset": sequence.game,
        "check": {"kind": "counts", **sums, "relations": [*conditions]},
    }
