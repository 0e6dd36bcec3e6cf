"""How many P-positions there are: recurrences of these numbers, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr

from choco_pipeline.games import Ruleset
from choco_pipeline.mining.number_sequences.binary_digits import (
    CANDIDATES,
    MEANINGS,
    told_by_digits,
)
from choco_pipeline.mining.number_sequences.recurrences import (
    AS_FORMULA,
    ClosedForm,
    closed_form,
    follows,
    generating_function,
    rule_text,
    shortest_recurrence,
)
from choco_pipeline.mining.number_sequences.regular import (
    DEEPEST,
    Relation,
    continued,
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

#: Linear recurrences are looked for in so many terms, of order up to about a third of that.
MOST_FOR_LINEAR = 128
#: One of order d must hold for the terms that determine it, and for d and so many more.
FEWEST_MORE = 5
#: A sequence is continued by its relations up to 2^FAR, and what it is at powers of 2 has recurrences of this order.
FAR, MOST_ORDER = 16, 4
#: Roots of recurrences are looked for up to this.
LARGEST_ROOT = 16
TRIED = f"linear recurrences, forms in the numbers of binary ones and digits, and relations of the terms at the places 2n+r, …, {1 << DEEPEST}n+r to those near half of it"


def b_file(sequence: IntegerSequence) -> str:
    """Return a sequence as the OEIS takes it: comments, then lines of an index and a term.

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

    If relations that hold for ever tell the terms at 2^n, the sequence of these is left out. Sequences without any relation are
    named in one finding of nothing.
    """
    findings: list[CountFinding] = []
    without: list[str] = []
    tried = 0
    seen: set[tuple[int, ...]] = set()
    centres = _centres(game)
    for sequence, at_powers in sequences(game, bound, data):
        is_told = False  # the terms at 2^n, by what tells all terms
        for numbers in filter(None, (sequence, at_powers)):
            if len(numbers.terms) < FEWEST_TERMS or not any(numbers.terms) or numbers.terms in seen:
                continue
            seen.add(numbers.terms)
            finding = _linear(numbers) or _digits(numbers, centres) or _regular(numbers, centres)
            if finding is None:
                without.append(numbers.what)
                tried += _candidates(numbers)
            elif not is_told:
                findings.append(finding)
                is_told = finding.closed is not None or any(
                    result.kind == "terms" and result.closed for result in finding.follows
                )
    if without or not findings:
        what = "; ".join(without) or "numbers of P-positions: too few"
        searched = Tried(candidates=tried, what=f"{TRIED}: {what}")
        findings.append(CountFinding(ruleset=game.notation, nothing=True, tried=searched))
    return findings


def linear_recurrence(terms: tuple[int, ...]) -> tuple[tuple[int, ...], int] | None:
    """Return a recurrence that all terms satisfy, and how many of the first determined it; None if there is none."""
    length = min(len(terms), MOST_FOR_LINEAR)
    learnt = (2 * length - 2 * FEWEST_MORE) // 3
    if learnt < 2:
        return None
    recurrence = shortest_recurrence(terms[:learnt])
    if 2 * len(recurrence) > learnt or not follows(terms, recurrence):
        return None
    return recurrence, learnt


def _linear(sequence: IntegerSequence) -> CountFinding | None:
    """Return a finding on a sequence with a linear recurrence."""
    learnt_recurrence = linear_recurrence(sequence.terms)
    if learnt_recurrence is None:
        return None
    recurrence, learnt = learnt_recurrence
    named = recurrence, "g", sequence.index
    rule, formula = rule_text(*named), rule_text(*named, AS_FORMULA)
    closed = _closed(sequence, recurrence)
    relations = [TermRelation(text=rule, formula=formula, start=sequence.first)]
    return CountFinding(
        ruleset=sequence.game,
        sequence=sequence,
        relations=tuple(relations),
        claim=_claim(sequence, relations, []),
        found_on=Evidence(positions=learnt, what=f"the first {learnt} terms"),
        held_on=Evidence(
            positions=len(sequence.terms) - learnt,
            what=f"the terms up to g({sequence.first + len(sequence.terms) - 1})",
        ),
        tried=Tried(candidates=_candidates(sequence), what=TRIED),
        form="linear",
        rule=rule,
        generating_function=generating_function(sequence.terms, recurrence),
        closed=str(closed) if closed else None,
        closed_form=_closed_relation(sequence, closed) if closed else None,
        text=f"{_subject(sequence)} {f'is {closed}' if closed else f'satisfies {rule}'}",
    )


def _digits(sequence: IntegerSequence, centres: list[int]) -> CountFinding | None:
    """Return a finding on a sequence that the binary digits of its places tell, and what its relations say at 2^n."""
    by_digits = told_by_digits(sequence.first, sequence.terms)
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
    return CountFinding(
        ruleset=sequence.game,
        sequence=sequence,
        relations=tuple(
            TermRelation(text=text, formula=formula, start=0)
            for text, formula in zip(texts, formulas, strict=True)
        ),
        found_on=Evidence(
            positions=by_digits.learnt, what=f"the first terms that determine {texts[0]}"
        ),
        held_on=Evidence(
            positions=len(sequence.terms) - by_digits.learnt,
            what=f"the other terms, up to g({sequence.first + len(sequence.terms) - 1})",
        ),
        tried=Tried(candidates=_candidates(sequence), what=TRIED),
        form="digits",
        follows=follows,
        text=f"{_subject(sequence)} satisfies {', '.join(texts)}, with {meant}{_hence(sequence, follows)}",
    )


def _hence(sequence: IntegerSequence, follows: Sequence[AtPowers]) -> str:
    hence = " and ".join(result.text for result in follows)
    return f"; if so for all {sequence.index}, {hence}" if hence else ""


def _centres(game: Ruleset) -> list[int]:
    """Return from where places may be counted: where nim-sums of coordinates with a shift have it begin."""
    bar = game.base.rules.bar
    shift = 0 if bar is None else bar.shift
    return list(dict.fromkeys((0, -1, 1, -2, 2, -shift, -2 * shift)))


def _regular(sequence: IntegerSequence, centres: list[int]) -> CountFinding | None:
    """Return a finding on a sequence with relations between its terms and those at half the place."""
    related, _ = relations(sequence.first, sequence.terms, centres)
    if not related:
        return None
    written = [
        TermRelation(
            text=relation.text("g", sequence.index),
            formula=relation.text("g", sequence.index, AS_FORMULA),
            start=relation.start,
        )
        for relation in related
    ]
    whole = is_whole(related)
    consequences = _consequences(sequence, related) if whole else []
    parts = [
        term.text + (f" for {sequence.index} ≥ {term.start}" if term.start > sequence.first else "")
        for term in written
    ]
    return CountFinding(
        ruleset=sequence.game,
        sequence=sequence,
        relations=tuple(written),
        claim=_claim(sequence, written, consequences),
        found_on=Evidence(
            positions=sum(relation.found_on for relation in related),
            what="equations between the first terms",
        ),
        held_on=Evidence(
            positions=sum(relation.held_on for relation in related),
            what=f"the other equations, up to g({sequence.first + len(sequence.terms) - 1})",
        ),
        tried=Tried(candidates=_candidates(sequence), what=TRIED),
        form="regular" if whole else "partly regular",
        follows=tuple(consequences),
        text=f"{_subject(sequence)} satisfies {', '.join(parts)}{_hence(sequence, consequences)}",
    )


def _candidates(sequence: IntegerSequence) -> int:
    """Return how many forms are looked for at most: linear recurrences by their order, forms in digits, relations by their place."""
    return min(len(sequence.terms), MOST_FOR_LINEAR) // 3 + CANDIDATES + (1 << (DEEPEST + 1)) - 2


def _consequences(sequence: IntegerSequence, rules: list[Relation]) -> list[AtPowers]:
    """Return what a sequence that relations give is at 2^n, and its sums up to there."""
    every = continued(sequence.first, sequence.terms, rules, 1 << FAR)
    if every is None:
        return []
    sums = np.cumsum(np.array(every, object)).tolist()
    index = sequence.index
    kinds: tuple[tuple[Literal["terms", "sums"], str, list[int]], ...] = (
        ("terms", "g(2^n)", every),
        ("sums", f"Σ g({index}) for {sequence.first} ≤ {index} ≤ 2^n", sums),
    )
    consequences = []
    for kind, name, numbers in kinds:
        terms = tuple(numbers[(1 << n) - sequence.first] for n in range(FAR + 1))
        linear = linear_recurrence(terms)
        if linear is None or len(linear[0]) > MOST_ORDER:
            continue
        closed = closed_form(terms, linear[0], LARGEST_ROOT)
        rule = rule_text(linear[0], "b")
        consequences.append(
            AtPowers(
                kind=kind,
                rule=rule,
                closed=str(closed) if closed else None,
                formula=closed.text(index, AS_FORMULA) if closed else None,
                start=closed.start if closed else 0,
                text=f"{name} = {closed}" if closed else f"b(n) = {name}: {rule}",
                in_table=sum(1 << n < sequence.first + len(sequence.terms) for n in range(FAR + 1)),
            )
        )
    return consequences


def _claim(
    sequence: IntegerSequence,
    written: Sequence[TermRelation],
    consequences: Sequence[AtPowers],
) -> ClaimContent | None:
    """Return what numbers of square bars satisfy as a claim on them; that language has no passes, and no m+1, there."""
    if sequence.game != "rectangular-bar(m=m, n=m)":
        return None
    name = sequence.index
    conditions = [
        f"{name} < {relation.start} or {relation.formula}"
        if relation.start > 1
        else relation.formula
        for relation in written
    ]
    sums: ClaimContent = {}
    for result in consequences:
        if result.formula is not None:
            letter = "g"
            if result.kind == "sums":
                letter, sums = "total", {"sums": {"total": f"g({name})"}}
            equation = f"{letter}(2**{name}) == {result.formula}"
            start = result.start
            conditions.append(f"{name} < {start} or {equation}" if start > 1 else equation)
    return {
        "ruleset": sequence.game,
        "check": {"kind": "counts", **sums, "relations": [*conditions]},
    }


def _closed(sequence: IntegerSequence, recurrence: tuple[int, ...]) -> ClosedForm | None:
    """Return the terms as a sum of powers; of a sequence that does not begin with place 0, None."""
    if sequence.first:
        return None
    return closed_form(sequence.terms, recurrence, LARGEST_ROOT)


def _closed_relation(sequence: IntegerSequence, closed: ClosedForm) -> TermRelation:
    """Return a closed form as an equation."""
    index = sequence.index
    formula = f"g({index}) == {closed.text(index, AS_FORMULA)}"
    return TermRelation(text=str(closed), formula=formula, start=closed.start)


def _subject(sequence: IntegerSequence) -> str:
    return f"the number g({sequence.index}) of {sequence.what}"
