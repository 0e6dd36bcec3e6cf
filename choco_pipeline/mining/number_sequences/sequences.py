"""The numbers of P-positions of a table as sequences of integers: in boxes, by their sum, in bars by their size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.games import Nim, Ruleset, WithPass
from choco_pipeline.games.combine import passes_left
from choco_pipeline.mining.p_positions import p_positions
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.tables.computing.in_memory import p_table

#: Sequences have at most so many terms; shorter ones than this are not made.
MOST_TERMS, FEWEST_TERMS = 512, 8
#: Bars C(m, m+d) are counted for d up to this, and up to this side.
WIDEST, LARGEST_BAR = 4, 256
#: Fewer P-positions are not counted: that there are no more of them is what formulas say.
FEWEST_COUNTED = 5
#: What most P-positions are counted by.
BOX = "all coordinates below n"
BOX_OF_POWER = "all coordinates below 2^n"
#: The same in the statement language.
CONDITIONS = {BOX: "size < n", BOX_OF_POWER: "size < 2**n"}
#: A sequence, and those of its terms whose index is a power of 2, where these may have relations of their own.
Counted = tuple[IntegerSequence, IntegerSequence | None]


def sequences(game: Ruleset, bound: int, data: xr.Dataset) -> Iterator[Counted]:
    """Yield the numbers of P-positions: in boxes, with those for powers of 2 alone; by their sum; and in bars by their size.

    The Grundy numbers of a step bar are the P-positions of the game with a strip, which are counted. Of a game with passes those with all numbers of passes left but 0, which belong to the game without.
    """
    base, passes = game.base, game.passes
    strip, face = base.with_strip, base.rules.face
    if strip is not None and "grundy" in data:
        game = WithPass(strip, passes) if passes else strip
        data = xr.Dataset({"p_x": data["grundy"]})
    if face is None:
        yield from _boxes(game, bound, data)
    if face is not None:
        m, n = face.sizes.values()
        wider = abs(n - m)
        most = min(m, n, LARGEST_BAR - wider)
        if wider < LARGEST_BAR and most >= FEWEST_TERMS:
            heaps = WithPass(Nim(4), passes) if passes else Nim(4)
            table = p_table(heaps, most + wider - 1)["p_d"].values
            yield from _bars(table if passes else table[None], most, wider)
    elif base.rules.is_nim and len(base.coordinates) == 4 and "p_d" in data:
        table = data["p_d"].values if passes else data["p_d"].values[None]
        side = min(table.shape[-1], LARGEST_BAR)
        for wider in range(min(WIDEST, side - 1) + 1):
            yield from _bars(table, side - wider, wider)


def _boxes(game: Ruleset, bound: int, data: xr.Dataset) -> Iterator[Counted]:
    base, passes = game.base, game.passes
    names = base.coordinates
    counts: dict[tuple[int, str], NDArray[np.int64]] = defaultdict(
        lambda: np.zeros(bound + 1, np.int64)
    )
    for part in p_positions(game, data):
        inside = part.size <= bound
        size = part.size[inside]
        columns = {name: values[inside] for name, values in part.coordinates.items()}
        left = columns[game.coordinates[-1]] if passes else np.zeros_like(size)
        for p in range(min(1, passes), passes + 1):
            here = left == p
            for what, value in _ways(names, columns, size):
                chosen = here & (value <= bound)
                counts[p, what] += np.bincount(value[chosen], minlength=bound + 1)
    for (p, what), numbers in sorted(counts.items()):
        if numbers.sum() < FEWEST_COUNTED:
            continue
        more = f", {_left(p, passes)}" if passes else ""
        also = f" and p == {p}" if passes else ""

        def counted(
            what: str, terms: Sequence[int], more: str = more, also: str = also
        ) -> IntegerSequence:
            said = f"P-positions with {what}{more}"
            term = f"count(position: P and {CONDITIONS.get(what) or _sum_condition(what)}{also})"
            return IntegerSequence(game.notation, said, "n", 0, tuple(terms), term)

        if what == BOX:
            terms = np.concatenate([[0], numbers.cumsum()]).tolist()
            powers = [terms[1 << n] for n in range((len(terms) - 1).bit_length())]
            yield counted(what, terms[:MOST_TERMS]), counted(BOX_OF_POWER, powers)
        else:
            yield counted(what, numbers[:MOST_TERMS].tolist()), None


def _sum_condition(what: str) -> str:
    """Return in the statement language that coordinates have the sum n.

    Examples
    --------
    >>> _sum_condition("x+y+z = n")
    'size <= n and x+y+z == n'
    """
    return f"size <= n and {what.replace(' = ', ' == ')}"


def _left(p: int, passes: int) -> str:
    """Return how many of several passes are left, in words."""
    return "the pass left" if passes == 1 else passes_left(p)


def _ways(
    names: tuple[str, ...], columns: dict[str, NDArray[np.int64]], size: NDArray[np.int64]
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield what P-positions are counted by, and the number of each."""
    yield BOX, size
    if len(names) > 1:
        yield f"{'+'.join(names)} = n", np.sum([columns[name] for name in names], axis=0)


def _bars(heaps: NDArray[np.integer], most: int, wider: int) -> Iterator[Counted]:
    """Yield the numbers of P-positions of the bars C(m, m+wider) from a table p, a, b, c → d of heaps."""
    passes = len(heaps) - 1
    width = f"m+{wider}" if wider else "m"
    family = f"rectangular-bar(m=m, n={width})"
    for p in range(min(1, passes), passes + 1):
        terms = []
        for m in range(1, most + 1):
            i, j = np.arange(m)[:, None], np.arange(m + wider)
            is_p = heaps[p][i, m - 1 - i, j] == m + wider - 1 - j
            terms.append(int(np.count_nonzero(is_p)))
        sequence = IntegerSequence(
            f"with-pass({family}, passes={passes})" if passes else family,
            f"cells whose bar of m rows and {width} columns is a P-position"
            + (f", {_left(p, passes)}" if passes else ""),
            "m",
            1,
            tuple(terms),
            f"count(position: P and i > 0{f' and p == {p}' if passes else ''})",
        )
        yield sequence, None
