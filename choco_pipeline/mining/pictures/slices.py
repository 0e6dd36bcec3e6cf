"""The P-positions of a table as a stack of plane pictures: one for each value of a coordinate, or each size of a bar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.games import Nim, Ruleset, WithPass
from choco_pipeline.games.combine import passes_left
from choco_pipeline.mining.pictures.gf2 import Bits
from choco_pipeline.tables.computing.in_memory import p_table
from choco_pipeline.tables.specs.schema import NONE, variable_of

#: The side of pictures where nothing else is said.
SIDE = 64
#: Four heaps of Nim are drawn as C(m, m+d) for d up to this,
WIDEST = 8
#: and as C(m, n) for all m and n up to this.
BOTH_SIDES = 16


@dataclass(frozen=True)
class Stack:
    """Plane pictures of P-positions, numbered by one number or by two."""

    #: What the pictures are of: a ruleset, or a family of bars with the parameter m.
    ruleset: str
    #: Names of the picture's number or numbers, of row and column.
    axes: tuple[str, ...]
    #: Numbers, row and column of the first cell.
    first: tuple[int, ...]
    #: Passes left in all of these positions, or None for a game without.
    passes: int | None
    #: Whether it is a P-position; bool, [number, …, row, column].
    cells: Bits
    #: Whether it is a position; bool, as `cells`.
    legal: Bits
    #: Whether no position lies beyond the ends of rows and columns; else they are only not known.
    closed: bool
    #: How many more columns than rows the bars have that are drawn; 0 for other pictures, and for bars of all shapes.
    wider: int = 0

    @property
    def numbers(self) -> int:
        """How many numbers a picture has."""
        return self.cells.ndim - 2

    @property
    def left(self) -> str:
        """How many passes are left, in words."""
        return "" if self.passes is None else passes_left(self.passes)

    @property
    def text(self) -> str:
        """Say what the pictures are."""
        numbers = (
            f"{name} = {first}, …, {first + length - 1}"
            for name, first, length in zip(
                self.axes[:-2], self.first, self.cells.shape, strict=False
            )
        )
        left = "" if self.passes is None else f", {self.left}"
        return f"{self.ruleset} by {' and '.join(numbers)}{left}"


def stacks(game: Ruleset, bound: int, data: xr.Dataset, side: int = SIDE) -> Iterator[list[Stack]]:
    """Yield the ways to cut a table's P-positions into plane pictures; in each, one stack for every number of passes left.

    Coordinates are below `side`, and bars at most so large.
    Three coordinates are cut along each of them. Four heaps of Nim are drawn as the bars C(m, m+d), by m, for each d, and
    as C(m, n), by m and n; for a rectangular bar m × n that is done up to its size and its |n − m|, from a table of four
    heaps. A Grundy table of a step bar is cut as the game with a strip is, whose P-positions it holds. Other games have
    none.
    """
    base, passes = game.base, game.passes
    face = base.rules.face
    is_four_heaps = base.rules.is_nim and len(base.coordinates) == 4
    if face is not None or (is_four_heaps and "p_d" in data):
        widest = WIDEST
        if face is not None:
            m, n = face.sizes.values()
            widest = min(abs(n - m), WIDEST)
            size = min(max(m, n), side)
            data = p_table(_with_passes(Nim(4), passes), size - 1)
        heaps = data["p_d"].values if passes else data["p_d"].values[None]
        size = min(heaps.shape[-1], side)
        for wider in range(min(widest, size - 1) + 1):
            yield _bars(heaps, size - wider, wider)
        yield _bars(heaps, min(size, BOTH_SIDES), None)
    elif len(base.coordinates) == 3 or (base.with_strip is not None and "grundy" in data):
        box = _box(game, bound, data, side)
        cuts: list[list[Stack]] = []
        for order in ((2, 0, 1), (1, 0, 2), (0, 2, 1)):
            cut = _cut(game, box, order)
            if not any(_same(cut, seen) for seen in cuts):
                cuts.append(cut)
        yield from cuts


def _cut(
    game: Ruleset, box: tuple[tuple[str, ...], Bits, Bits], order: tuple[int, int, int]
) -> list[Stack]:
    """Return a stack for every number of passes, up to the last picture that has positions."""
    base, passes = game.base, game.passes
    if (
        base.with_strip is not None
    ):  # its Grundy numbers are the P-positions of the game with a strip
        game = _with_passes(base.with_strip, passes)
    names, *parts = box
    cells, legal = (part.transpose(0, *(1 + axis for axis in order)) for part in parts)
    pictures = int(np.flatnonzero(legal.any(axis=(0, 2, 3)))[-1]) + 1
    axes = (names[order[0]], names[order[1]], names[order[2]])
    return [
        Stack(
            game.notation,
            axes,
            (0, 0, 0),
            p if passes else None,
            cells[p, :pictures],
            legal[p, :pictures],
            False,
        )
        for p in range(passes + 1)
    ]


def _same(own: list[Stack], other: list[Stack]) -> bool:
    """Whether two cuts show the same pictures, as in a game that is symmetric in two coordinates."""
    return all(
        np.array_equal(a.cells, b.cells) and np.array_equal(a.legal, b.legal)
        for a, b in zip(own, other, strict=True)
    )


def _with_passes(game: Ruleset, passes: int) -> Ruleset:
    return WithPass(game, passes) if passes else game


def _bars(heaps: NDArray[np.integer], most: int, wider: int | None) -> list[Stack]:
    """Return the patterns of C(m, m+wider), or of all C(m, n), for m, n ≤ `most`, from a table p, a, b, c → d of heaps."""
    side = np.arange(1, most + 1)
    if wider is None:
        m, n = side[:, None, None, None], side[:, None, None]
        family = "rectangular-bar(m=m, n=n)"
    else:
        m = side[:, None, None]
        n = m + wider
        family = f"rectangular-bar(m=m, n=m+{wider})" if wider else "rectangular-bar(m=m, n=m)"
    i, j = np.arange(most)[:, None], np.arange(most + (wider or 0))
    legal = (i < m) & (j < n)
    below = np.maximum(m - 1 - i, 0)
    numbers = ("m", "n") if wider is None else ("m",)
    passes = len(heaps) - 1
    return [
        Stack(
            f"with-pass({family}, passes={passes})" if passes else family,
            (*numbers, "i", "j"),
            (1,) * legal.ndim,
            p if passes else None,
            legal & (heaps[p][i, below, j] == n - 1 - j),
            legal,
            True,
            wider or 0,
        )
        for p in range(passes + 1)
    ]


def _box(
    game: Ruleset, bound: int, data: xr.Dataset, side: int
) -> tuple[tuple[str, ...], Bits, Bits]:
    """Return names of three coordinates, and [p, …] which triples of coordinates below `side` are P, and are positions."""
    base, passes = game.base, game.passes
    variable = variable_of(game, "grundy" if "grundy" in data else "p-positions")
    values = data[variable.name].transpose(*variable.dims).values
    values = values if passes else values[None]
    values = values[(slice(None), *[slice(side)] * (values.ndim - 1))]
    if variable.name == "grundy" and len(base.coordinates) == 3:
        return base.coordinates, values == 0, values != NONE
    if variable.stored is None and variable.name != "grundy":
        return base.coordinates, values == 1, values != NONE
    shown = base.with_strip or base
    names, stored = shown.coordinates, variable.stored or shown.rules.free or ""
    axis = 1 + names.index(stored)
    column = np.expand_dims(values, axis)
    shape = [1, 1, 1, 1]
    shape[axis] = -1
    inner = np.arange(min(bound + 1, side)).reshape(shape)
    cells = column == inner
    legal: Bits = np.broadcast_to(column != NONE, cells.shape)
    bar = base.rules.bar
    if bar is not None and variable.stored == bar.up:
        sizes = dict(zip(variable.dims[-2:], values.shape[1:], strict=True))
        heights = bar.limit.height.table(*(sizes[name] for name in bar.limit.of))
        heights = heights.transpose(np.argsort([names.index(name) for name in bar.limit.of]))
        legal = np.broadcast_to(inner <= np.expand_dims(heights, (0, axis)), cells.shape)
    return names, cells, legal
