"""Counts of the P-positions in a table: recurrences and their consequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.mining import recurrences
from choco_pipeline.mining.pictures import four_heaps, with_strip
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
from choco_pipeline.tables.cells import Cells

#: Most terms of a sequence, and fewest.
MOST_TERMS, FEWEST_TERMS = 512, 8
#: Bars C(m, m+d): largest d, and largest side.
WIDEST, LARGEST_BAR = 4, 256
#: Fewest P-positions for a sequence; formulas describe fewer.
FEWEST_COUNTED = 5
#: Relations continue a sequence up to the index 2^FAR. Recurrences of its terms at powers of 2 have at most this order.
FAR, MOST_ORDER = 16, 4
#: Largest absolute value of integer roots of recurrences.
LARGEST_ROOT = 16
TRIED = f"linear recurrences, forms in the numbers of binary ones and digits, and relations of the terms at the places 2n+r, …, {1 << recurrences.DEEPEST}n+r to those near half of it"


def b_file(sequence: IntegerSequence) -> str:
    """Return a sequence in the format of the OEIS: lines of index and term.

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


def mine_counts(cells: Cells) -> list[CountFinding]:
    """Return recurrences of a table's counts, and an empty finding for other counts."""
    bar = cells.game.base.rules.bar
    shift = 0 if bar is None else bar.shift
    # nim-sums of shifted coordinates begin at the shift
    centres = list(dict.fromkeys((0, -1, 1, -2, 2, -shift, -2 * shift)))
    findings: list[CountFinding] = []
    without: list[str] = []
    tried = 0
    seen: set[tuple[int, ...]] = set()
    for sequence in sequences(cells):
        terms = sequence.terms
        if len(terms) < FEWEST_TERMS or not any(terms) or terms in seen:
            continue
        seen.add(terms)
        finding = _linear(sequence) or _digits(sequence, centres) or _regular(sequence, centres)
        if finding is None:
            without.append(sequence.what)
            tried += _candidates(sequence)
        else:
            findings.append(finding)
    if without or not findings:
        what = "; ".join(without) or "numbers of P-positions: too few"
        searched = Tried(candidates=tried, what=f"{TRIED}: {what}")
        findings.append(CountFinding(ruleset=cells.game.notation, nothing=True, tried=searched))
    return findings


def _candidates(sequence: IntegerSequence) -> int:
    """Return the number of forms that are tried."""
    return min(len(sequence.terms), recurrences.MOST_FOR_LINEAR) // 3 + recurrences.CANDIDATES


def _finding(
    sequence: IntegerSequence,
    form: str,
    equations: Sequence[tuple[str, int]],
    found_on: tuple[int, str],
    held_on: tuple[int, str],
    text: str,
    **more: Any,
) -> CountFinding:
    last = sequence.first + len(sequence.terms) - 1
    return CountFinding(
        ruleset=sequence.game,
        sequence=sequence,
        relations=tuple(TermRelation(formula=formula, start=start) for formula, start in equations),
        found_on=Evidence(*found_on),
        held_on=Evidence(held_on[0], f"{held_on[1]} up to g({last})"),
        tried=Tried(candidates=_candidates(sequence), what=TRIED),
        form=form,
        text=f"the number g({sequence.index}) of {sequence.what} {text}",
        **more,
    )


def _linear(sequence: IntegerSequence) -> CountFinding | None:
    learnt_recurrence = recurrences.linear_recurrence(sequence.terms)
    if learnt_recurrence is None:
        return None
    recurrence, learnt = learnt_recurrence
    index, terms = sequence.index, sequence.terms
    rule = recurrences.rule_text(recurrence, "g", index)
    # a closed form needs all terms from index 0 on
    closed = None if sequence.first else recurrences.closed_form(terms, recurrence, LARGEST_ROOT)
    return _finding(
        sequence,
        "linear",
        [(rule, sequence.first)],
        (learnt, f"the first {learnt} terms"),
        (len(terms) - learnt, "the terms"),
        f"is {closed}" if closed else f"satisfies {recurrences.printed(rule)}",
        claim=_claim(sequence, [(rule, sequence.first)], ()),
        closed_form=closed
        and TermRelation(formula=f"g({index}) == {closed.text(index)}", start=closed.start),
    )


def _digits(sequence: IntegerSequence, centres: list[int]) -> CountFinding | None:
    index = sequence.index
    by_digits = recurrences.digit_form(sequence.first, sequence.terms, index)
    if by_digits is None:
        return None
    related = _regular(sequence, centres)
    follows = () if related is None else related.follows
    shown = ", ".join(map(recurrences.printed, by_digits.equations))
    meant = " and ".join(
        f"{name}({index}) {meaning} of {index}"
        for name, meaning in recurrences.MEANINGS.items()
        if f"{name}(" in shown
    )
    return _finding(
        sequence,
        "digits",
        [(equation, 0) for equation in by_digits.equations],
        (
            by_digits.learnt,
            f"the first terms that determine {recurrences.printed(by_digits.equations[0])}",
        ),
        (len(sequence.terms) - by_digits.learnt, "the other terms,"),
        f"satisfies {shown}, with {meant}{_hence(sequence, follows)}",
        follows=follows,
    )


def _regular(sequence: IntegerSequence, centres: list[int]) -> CountFinding | None:
    related = recurrences.relations(sequence.first, sequence.terms, centres)
    if not related:
        return None
    index = sequence.index
    equations = [(relation.text("g", index), relation.start) for relation in related]
    whole = recurrences.is_whole(related)
    consequences = _consequences(sequence, related) if whole else ()
    parts = [
        recurrences.printed(formula) + (f" for {index} ≥ {start}" if start > sequence.first else "")
        for formula, start in equations
    ]
    return _finding(
        sequence,
        "regular" if whole else "partly regular",
        equations,
        (sum(one.found_on for one in related), "equations between the first terms"),
        (sum(one.held_on for one in related), "the other equations,"),
        f"satisfies {', '.join(parts)}{_hence(sequence, consequences)}",
        claim=_claim(sequence, equations, consequences),
        follows=consequences,
    )


def _hence(sequence: IntegerSequence, follows: Sequence[AtPowers]) -> str:
    hence = " and ".join(result.text for result in follows)
    return f"; if so for all {sequence.index}, {hence}" if hence else ""


def _consequences(
    sequence: IntegerSequence, rules: list[recurrences.Relation]
) -> tuple[AtPowers, ...]:
    """Return the forms of the terms at 2^n, and of the sums up to 2^n."""
    every = recurrences.continuation(sequence.first, sequence.terms, rules, 1 << FAR)
    if every is None:
        return ()
    index, places = sequence.index, [(1 << n) - sequence.first for n in range(FAR + 1)]

    def consequence(
        kind: Literal["terms", "sums"], name: str, numbers: list[int]
    ) -> AtPowers | None:
        terms = tuple(numbers[place] for place in places)
        linear = recurrences.linear_recurrence(terms)
        if linear is None or len(linear[0]) > MOST_ORDER:
            return None
        closed = recurrences.closed_form(terms, linear[0], LARGEST_ROOT)
        if closed is None:
            rule = recurrences.printed(recurrences.rule_text(linear[0], "b"))
            return AtPowers(kind=kind, text=f"b(n) = {name}: {rule}")
        text = f"{name} = {closed}"
        return AtPowers(kind=kind, text=text, formula=closed.text(index), start=closed.start)

    sums = np.cumsum(np.array(every, object)).tolist()
    counted = "i" if index == "n" else index  # the exponent is n
    of_sums = f"Σ g({counted}) for {sequence.first} ≤ {counted} ≤ 2^n"
    both = consequence("terms", "g(2^n)", every), consequence("sums", of_sums, sums)
    return tuple(filter(None, both))


def _claim(
    sequence: IntegerSequence,
    equations: Sequence[tuple[str, int]],
    consequences: Sequence[AtPowers],
) -> ClaimContent | None:
    """Return relations as a claim, if the game is a square bar without passes."""
    if sequence.game != "rectangular-bar(m=m, n=m)":
        return None
    name = sequence.index
    every, sums = list(equations), dict[str, JsonValue]()
    for result in consequences:
        if result.formula is not None:
            letter = "g" if result.kind == "terms" else "total"
            if letter == "total":
                sums = {"sums": {"total": f"g({name})"}}
            every.append((f"{letter}(2**{name}) == {result.formula}", result.start))
    conditions: list[JsonValue] = [
        f"{name} < {start} or {equation}" if start > 1 else equation for equation, start in every
    ]
    return {
        "ruleset": sequence.game,
        "check": {"kind": "counts", **sums, "relations": conditions},
    }


def sequences(cells: Cells) -> Iterator[IntegerSequence]:
    """Yield counts of P-positions: in boxes, by sum of coordinates, by size of bars.

    In a game with passes, positions with no pass left are not counted: they belong to the game without passes.
    """
    cells = with_strip(cells)
    rules, passes = cells.game.base.rules, cells.game.passes
    if rules.face is not None:
        m, n = rules.face.sizes.values()
        wider = abs(n - m)
        most = min(m, n, LARGEST_BAR - wider)
        if wider < LARGEST_BAR and most >= FEWEST_TERMS:
            yield from _bars(four_heaps(passes, most + wider - 1), most, wider)
        return
    yield from _boxes(cells)
    if rules.is_nim and cells.variable.name == "p_d":
        heaps = four_heaps(passes, cells)
        side = min(heaps.shape[-1], LARGEST_BAR)
        for wider in range(min(WIDEST, side - 1) + 1):
            yield from _bars(heaps, side - wider, wider)


def _boxes(cells: Cells) -> Iterator[IntegerSequence]:
    game, passes, bound = cells.game, cells.game.passes, cells.bound
    names = game.base.coordinates
    total = "+".join(names)
    numbers = np.zeros((2, passes + 1, bound + 1), np.int64)
    for points in cells.p_positions():
        inside = cells.within_reach(points, bound)
        row = (bound + 1) * inside[game.coordinates[-1]] if passes else 0
        sums = np.sum([inside[name] for name in names], axis=0)
        for counts, value in zip(numbers, (cells.sizes(inside), sums), strict=True):
            places = (row + value)[value <= bound]
            counts += np.bincount(places, minlength=counts.size).reshape(counts.shape)
    for p in range(min(1, passes), passes + 1):
        in_boxes, by_sum = numbers[:, p]
        below = np.concatenate([[0], in_boxes.cumsum()])
        counted = [("all coordinates below n", "size < n", in_boxes, below)]
        if len(names) > 1:
            counted.append((f"{total} = n", f"size <= n and {total} == n", by_sum, by_sum))
        for what, condition, part, terms in sorted(counted, key=lambda one: one[0]):
            if part.sum() >= FEWEST_COUNTED:
                what = f"P-positions with {what}"
                shown = terms[:MOST_TERMS].tolist()
                yield _sequence(game.notation, p, passes, "n", what, condition, shown)


def _bars(heaps: NDArray[np.integer], most: int, wider: int) -> Iterator[IntegerSequence]:
    """Yield counts for the bars C(m, m+wider), from a table [p, a, b, c] → d."""
    passes = len(heaps) - 1
    width = f"m+{wider}" if wider else "m"
    family = f"rectangular-bar(m=m, n={width})"
    what = f"cells whose bar of m rows and {width} columns is a P-position"
    for p in range(min(1, passes), passes + 1):
        terms = []
        for m in range(1, most + 1):
            i, j = np.arange(m)[:, None], np.arange(m + wider)
            is_p = heaps[p][i, m - 1 - i, j] == m + wider - 1 - j
            terms.append(int(np.count_nonzero(is_p)))
        game = f"with-pass({family}, passes={passes})" if passes else family
        yield _sequence(game, p, passes, "m", what, "i > 0", terms)


def _sequence(
    game: str, p: int, passes: int, index: str, what: str, condition: str, terms: Sequence[int]
) -> IntegerSequence:
    left = f", {'the pass left' if passes == 1 else passes_left(p)}" if passes else ""
    counted = f"count(position: P and {condition}{f' and p == {p}' if passes else ''})"
    return IntegerSequence(game, what + left, index, int(index == "m"), tuple(terms), counted)
