"""Grundy numbers and formulas in plain Python: the oracles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import RectangularBar, Ruleset, mex
from choco_pipeline.tables.spec import NONE


def grundy_by_definition(game: Ruleset, bound: int | None) -> NDArray[np.int32]:
    """Return the Grundy numbers of all positions, -1 elsewhere, passes in front."""
    cells = np.full([most + 1 for most in game.limits(bound)], NONE, np.int32)
    for position in game.positions(bound):
        cells[position] = mex(int(cells[option]) for option in game.options(position))
    return np.moveaxis(cells, -1, 0) if game.passes else cells


def monotone(n_x: int, n_z: int, height: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return all heights f[x][z] up to a number that fall in no row and no column, in their order."""
    rows = [row for row in product(range(height + 1), repeat=n_z) if list(row) == sorted(row)]
    return [
        f
        for f in product(rows, repeat=n_x)
        if all(list(column) == sorted(column) for column in zip(*f, strict=True))
    ]


def grundy_of_heights(f: Sequence[Sequence[int]]) -> Callable[[int, int, int], int]:
    """Return the function of Grundy numbers of the solid bar with heights f[x][z]."""

    @cache
    def grundy(x: int, y: int, z: int) -> int:
        options = {grundy(u, min(y, f[u][z]), z) for u in range(x)}
        options |= {grundy(x, v, z) for v in range(y)}
        options |= {grundy(x, min(y, f[x][w]), w) for w in range(z)}
        return next(n for n in range(99) if n not in options)

    return grundy


@cache
def _code(text: str) -> CodeType:
    return compile(text.strip(), "a formula", "eval")


def value_in_python(text: str, values: Mapping[str, int]) -> Any:
    """Return a formula's value as Python reads it."""
    return eval(_code(text), {"min": min, "max": max, "abs": abs, **values})


@cache
def _bar(m: int, n: int) -> RectangularBar:
    """Return a bar that remembers the Grundy numbers it was asked for."""
    return RectangularBar(m, n)


@cache
def is_p_bar(m: int, n: int, i: int, j: int) -> bool:
    """Whether the uncut m × n bar with the poisoned cell (i, j) is P."""
    return _bar(m, n).is_p_position(_bar(m, n).whole(i, j))
