"""The numbers of P-positions of a table as sequences of integers: in boxes, by their sum, in bars by their size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.mining.p_positions import four_heaps, with_strip
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.tables.reading.cells import Cells

#: Largest number of terms, and the fewest with which a sequence is made.
MOST_TERMS, FEWEST_TERMS = 512, 8
#: Bars C(m, m+d) are counted for d up to this, and up to this side.
WIDEST, LARGEST_BAR = 4, 256
#: Fewer P-positions are not counted: formulas describe them.
FEWEST_COUNTED = 5
#: A sequence, and its terms at powers of 2 where these may have relations of their own.
Counted = tuple[IntegerSequence, IntegerSequence | None]


def sequences(game: Ruleset, bound: int, data: xr.Dataset) -> Iterator[Counted]:
    """Yield the numbers of P-positions: in boxes, with those for powers of 2 alone; by their sum; in bars by their size.

    Of a game with passes, positions without a pass are not counted: they belong to the game without passes.
    """
    game, data = with_strip(game, data)
    rules, passes = game.base.rules, game.passes
    if rules.face is not None:
        m, n = rules.face.sizes.values()
        wider = abs(n - m)
        most = min(m, n, LARGEST_BAR - wider)
        if wider < LARGEST_BAR and most >= FEWEST_TERMS:
            yield from _bars(four_heaps(passes, most + wider - 1), most, wider)
        return
    yield from _boxes(Cells.of(game, bound, data))
    if rules.is_nim and len(rules.coordinates) == 4 and "p_d" in data:
        heaps = four_heaps(passes, data)
        side = min(heaps.shape[-1], LARGEST_BAR)
        for wider in range(min(WIDEST, side - 1) + 1):
            yield from _bars(heaps, side - wider, wider)


def _boxes(cells: Cells) -> Iterator[Counted]:
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
        found: list[Counted] = []
        in_boxes, by_sum = (part[p] for part in numbers)
        if in_boxes.sum() >= FEWEST_COUNTED:
            terms = np.concatenate([[0], in_boxes.cumsum()]).tolist()
            powers = [terms[1 << n] for n in range((len(terms) - 1).bit_length())]
            boxes = (
                (f"P-positions with all coordinates below {side}", f"size < {power}", of)
                for side, power, of in (("n", "n", terms[:MOST_TERMS]), ("2^n", "2**n", powers))
            )
            below, below_powers = (_sequence(game.notation, p, passes, "n", *box) for box in boxes)
            found.append((below, below_powers))
        if len(names) > 1 and by_sum.sum() >= FEWEST_COUNTED:
            what, condition = f"P-positions with {total} = n", f"size <= n and {total} == n"
            terms = by_sum[:MOST_TERMS].tolist()
            found.append((_sequence(game.notation, p, passes, "n", what, condition, terms), None))
        yield from sorted(found, key=lambda counted: counted[0].what)


def _bars(heaps: NDArray[np.integer], most: int, wider: int) -> Iterator[Counted]:
    """Yield the numbers of P-positions of the bars C(m, m+wider) from a table p, a, b, c → d of heaps."""
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
        yield _sequence(game, p, passes, "m", what, "i > 0", terms), None


def _sequence(
    game: str, p: int, passes: int, index: str, what: str, condition: str, terms: Sequence[int]
) -> IntegerSequence:
    """Return the numbers of P-positions that satisfy a condition, with p of some passes left."""
    left = f", {'the pass left' if passes == 1 else passes_left(p)}" if passes else ""
    counted = f"count(position: P and {condition}{f' and p == {p}' if passes else ''})"
    return IntegerSequence(game, what + left, index, int(index == "m"), tuple(terms), counted)
