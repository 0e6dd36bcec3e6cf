"""Laws of equal coordinates, binary digits, counted lines and smaller heaps.

Laws for all coordinates alike: the P-positions of a small box show how many coordinates may have a 1 in the same binary place: an even
number in Nim, a multiple of 3 in Moore's Nim of order 2, none if all heaps may be lowered. They also show which of the sorted
coordinates are equal: the three smallest of four, if exactly two heaps are lowered. Each law is a formula for the P-positions, which is
tested on all positions of a larger box. Let T(r) be the number with a 1 in the places in which at least r coordinates have one. No place
has r, r+1, … or s of them if and only if T(r) = T(s+1).

Counted lines: in Wythoff's game each difference occurs exactly once, and each number except 0 is a coordinate of exactly one pair.
Such a law says that all lines of a family have the same number of P-positions. Lines near the end of a table may continue beyond it.
So only lines far from the end are counted, and the statement names the box in which it is true.

Laws of one heap: the Grundy numbers of a subtraction game with finitely many amounts are periodic, and so are those of octal games, as
far as is known. In Maximum Nim, where at most ⌊n/k⌋ may be taken from n, G(n) = G(n - ⌊n/k⌋ - 1) unless k divides n. A law is learnt on the
first half of a table, and the other half must agree.

Sources: E. H. Moore, A generalization of the game called Nim, Annals of Mathematics 11 (1910), 93–94; E. Boros, V. Gurvich,
N. B. Ho, K. Makino, P. Mursic, On the Sprague-Grundy function of exact k-Nim, arXiv:1508.04484 (2015); W. A. Wythoff,
A modification of the game of Nim, Nieuw Archief voor Wiskunde 7 (1907), 199–202; R. K. Guy and C. A. B. Smith, The G-values of
various games, Proceedings of the Cambridge Philosophical Society 52 (1956), 514–526; L. Levine, Fractal sequences and restricted
Nim, Ars Combinatoria 80 (2006).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations

import numpy as np

from choco_pipeline.formula import parse
from choco_pipeline.mining.recurrences import repetition
from choco_pipeline.mining.table_findings import Evidence, StatementFinding, Tried
from choco_pipeline.tables.cells import (
    Cells,
    Ints,
    Truths,
    are_positions,
    holds_at,
    select,
    select_where,
)

#: Laws for all coordinates: the largest coordinate of the box, by the number of coordinates.
BOUNDS = {2: 255, 3: 63, 4: 23}
#: They are learnt up to the bound divided by `SMALLER`, from at least `FEWEST_P` P-positions.
SMALLER, FEWEST_P = 2, 6
#: Fewest other positions for the statement that only the end is a P-position.
FEWEST_HELD_OUT = 64

#: P-positions are counted up to this bound, on lines up to the bound divided by `INSIDE`, and on at least `FEWEST_LINES` lines.
LINES_BOUND, INSIDE, FEWEST_LINES = 240, 4, 12

#: One heap: fewest terms of a table, and fewest terms and values of a law other than a period.
FEWEST, FEWEST_TERMS, FEWEST_VALUES = 32, 12, 4
#: Divisors k in the places of smaller heaps.
DIVISORS = range(2, 7)


def mine_symmetric_laws(cells: Cells) -> list[StatementFinding]:
    """Return laws for all coordinates alike; none for games with passes."""
    game, names = cells.game, cells.game.coordinates
    if game.passes or game.base.rules.face is not None or len(names) not in BOUNDS:
        return []
    most = min(cells.bound, BOUNDS[len(names)])
    p = cells.all_p_positions(most)
    box = np.indices((most + 1,) * len(names)).reshape(len(names), -1)
    every = dict(zip(names, box, strict=True))
    every = select(every, are_positions(game, every))
    smaller = most // SMALLER
    is_early = np.max([*every.values()], axis=0) <= smaller
    early = np.array([*p.values()])
    early = early[:, early.max(axis=0) <= smaller]
    is_enough = early.shape[1] >= FEWEST_P
    formulas = [*_by_digits(names, early), *_by_order(names, early)] if is_enough else []
    if early.shape[1] == 1 and not early.any() and (~is_early).sum() >= FEWEST_HELD_OUT:
        formulas = [" and ".join(f"{name} == 0" for name in names)]
    found_on = Evidence(int(is_early.sum()), f"positions to bound {smaller}")
    held_on = Evidence(int((~is_early).sum()), f"the others, to bound {most}")
    lines = (
        (formula, f"P <=> {formula}", found_on, held_on)
        for formula in formulas
        if holds_at(parse(formula), p).all()
        and int(holds_at(parse(formula), every).sum()) == p[names[0]].size
    )
    what = "numbers of coordinates with a 1 in the same binary place, and equal ones among the sorted coordinates"
    tried = Tried(candidates=2 ** len(names) + 2 ** (len(names) - 1), what=what)
    return StatementFinding.of_lines("symmetric", tried, lines)


def _by_digits(names: Sequence[str], p: Ints) -> Iterator[str]:
    """Yield the formula on numbers of ones in binary places, except Nim's."""
    places = np.arange(max(1, int(p.max()).bit_length()))
    counts = set(np.unique((p[None] >> places[:, None, None] & 1).sum(axis=1)).tolist())
    excluded = [r for r in range(1, len(names) + 1) if r not in counts]
    if excluded and not counts <= set(range(0, len(names) + 1, 2)):
        firsts = [r for r in excluded if r - 1 not in excluded]
        lasts = [r for r in excluded if r + 1 not in excluded]
        yield " and ".join(
            f"{_at_least(names, first)} == {_at_least(names, last + 1)}"
            for first, last in zip(firsts, lasts, strict=True)
        )


def _at_least(names: Sequence[str], number: int) -> str:
    """Return the formula for places where at least `number` coordinates have 1."""
    parts = [" & ".join(some) for some in combinations(names, number)]
    joined = " | ".join(f"({part})" if number > 1 else part for part in parts)
    return f"({joined})" if parts else "0"


def _by_order(names: Sequence[str], p: Ints) -> Iterator[str]:
    """Yield the formula for equal coordinates among the sorted ones, if any."""
    ordered = np.sort(p, axis=0)
    equal = [bool((low == high).all()) for low, high in pairwise(ordered)]
    if len(names) < 3 or not any(equal) or all(equal):
        return
    cases = [
        " and ".join(
            f"{low} {'==' if same else '<='} {high}"
            for (low, high), same in zip(pairwise(order), equal, strict=True)
        )
        for order in permutations(names)
        # equal neighbours are sorted by name, because other orders are the same case
        if all(low < high for (low, high), same in zip(pairwise(order), equal, strict=True) if same)
    ]
    yield " or ".join(f"({case})" for case in sorted(cases))


def mine_counted_lines(cells: Cells) -> list[StatementFinding]:
    """Return families of lines with the same number of P-positions on each."""
    game, names = cells.game, cells.game.coordinates
    if game.passes or game.base.rules.face is not None or len(names) != 2:
        return []
    a, b = names
    lines = [
        (f"{a} <= {b}", f"{b}-{a} == n", 0),
        (f"{a} < {b}", f"({a} == n or {b} == n)", 1),
        (f"{a} <= {b}", f"{a}+{b} == n", 0),
    ]
    most = min(cells.bound, LINES_BOUND)
    last = most // INSIDE
    laws: list[tuple[str, str, Evidence, Evidence]] = []
    p = cells.all_p_positions(most) if last >= FEWEST_LINES else {}
    for domain, line, first in lines if p else ():
        inside = select_where(p, parse(domain))
        count = inside[a].size
        on_lines = ((inside | {"n": np.full(count, n)}) for n in range(first, last + 1))
        numbers = [int(holds_at(parse(line), points).sum()) for points in on_lines]
        if len(set(numbers)) == 1 and numbers[0]:
            learnt = len(numbers) // 2
            counted = f"count(position: size <= {most} and P and {domain} and {line})"
            text = f"{numbers[0]} P-positions with {domain} and {line} for each n"
            found_on = Evidence(learnt, f"the first {learnt} lines")
            held_on = Evidence(len(numbers) - learnt, f"the lines to n = {last}")
            law = f"every n in {first}..{last}: {counted} == {numbers[0]}"
            laws.append((text, law, found_on, held_on))
    what = "numbers of P-positions with the same difference, the same sum, or the same coordinate"
    return StatementFinding.of_lines("lines", Tried(candidates=len(lines), what=what), laws)


def mine_smaller_heaps(cells: Cells) -> list[StatementFinding]:
    """Return a period of a table of one heap, or laws of smaller heaps."""
    game = cells.game
    if game.passes or len(game.coordinates) != 1 or cells.variable.name != "grundy":
        return []
    values = cells.array.astype(np.int64)
    (name,) = game.coordinates
    what = "periods, and places n//k + c and n - n//k - c for residues of n modulo k"
    tried = Tried(candidates=values.size // 4 + 2 * len(DIVISORS) * 9, what=what)
    half = values.size // 2
    period = repetition(values) if half >= FEWEST // 2 else None
    if period is not None:
        law = f"G({name}+{period[1]}) == G"
        laws = [f"{name} >= {period[0]} => {law}" if period[0] else law]
    else:
        laws = [*_places(name, values)] if half >= FEWEST // 2 else []
    found_on = Evidence(half, f"heaps below {half}")
    held_on = Evidence(values.size - half, f"the others, to {cells.bound}")
    lines = ((law, law, found_on, held_on) for law in laws)
    return StatementFinding.of_lines("smaller-heaps", tried, lines)


def _places(name: str, values: Ints) -> Iterator[str]:
    """Yield a law G(n) = G(smaller heap) for most heaps, and a law for the others."""
    heaps = np.arange(values.size)
    laws: list[tuple[int, int, str, Truths]] = []
    for k in DIVISORS:
        classes = [heaps % k == r for r in range(k)]
        places = [f"{name}//{k}{c:+}" if c else f"{name}//{k}" for c in (-1, 0, 1)]
        rest = f"{name} - {name}//{k}"
        for place in (*places, rest, f"{rest} - 1", f"{rest} - 2"):
            there = parse(place).evaluate({name: heaps})
            inside = (there >= 0) & (there < heaps)
            agrees = values[np.where(inside, there, 0)] == values
            right = [r for r, in_class in enumerate(classes) if (agrees & inside)[in_class].all()]
            conditions = [f"{name} % {k} == {r}" for r in right]
            if len(right) == k - 1 and k > 2:
                (other,) = {*range(k)} - {*right}
                conditions.insert(0, f"{name} % {k} != {other}")
            for condition in conditions:
                where = np.asarray(parse(condition).evaluate({name: heaps}), np.bool_)
                if _is_informative(values, where):
                    law = f"{condition} => G == G({place})"
                    laws.append((-int(where.sum()), len(law), law, where))
    if laws:
        *_, law, where = min(laws, key=lambda one: one[:3])
        yield law
        others = [k for k in (1, *DIVISORS) if (values == heaps // k)[~where].all()]
        if others and _is_informative(values, ~where):
            premise, _ = law.split(" => ")
            old, new = ("!=", "==") if "!=" in premise else ("==", "!=")
            elsewhere = premise.replace(old, new).replace("% 2 != 1", "% 2 == 0")
            yield f"{elsewhere} => G == {name}//{others[0]}".replace("//1", "")


def _is_informative(values: Ints, where: Truths) -> bool:
    """Whether the first half has enough terms with different values."""
    half = values[: values.size // 2][where[: values.size // 2]]
    return half.size >= FEWEST_TERMS and np.unique(half).size >= FEWEST_VALUES
