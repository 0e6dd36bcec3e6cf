"""Tables in memory: which kernel computes which ruleset, and the definition where no kernel does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import cast

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.errors import LimitError
from choco_pipeline.games import (
    DisjunctiveSum,
    Nim,
    RectangularBar,
    Ruleset,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
    mex,
)
from choco_pipeline.games.ruleset import MOST_POSITIONS
from choco_pipeline.kernels import grundy_bar, grundy_solid, p_columns
from choco_pipeline.tables.cost import memory_whole, require_memory
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.schema import NONE, Quantity, variable_of

Cells = NDArray[np.integer]


def grundy_table(ruleset: Ruleset, bound: int | None = None) -> xr.Dataset:
    """Return the Grundy numbers of every position within `bound`.

    Parameters
    ----------
    ruleset
        The game.
    bound
        Largest value of every coordinate that the shape itself does not limit (x and z of a solid bar or a strip bar,
        z of a step bar, every heap). May be left out for a rectangular bar.

    Returns
    -------
    Dataset
        Variable ``grundy``, signed integers: one dimension for each coordinate, p (passes left, 0 first) in front
        where there is one; -1 where there is no position. An index is the coordinate's value.

    Raises
    ------
    RulesetError, HeightError
        If the bound does not fit the ruleset or its height function.
    LimitError
        If the table needs more memory than there is, or the ruleset has no kernel and too many positions for its
        definition.

    Examples
    --------
    >>> from choco_pipeline import StepBar, WithPass
    >>> int(grundy_table(StepBar(k=1), 15).grundy.sel(y=5, z=9))  # step2015, Fig 4.2
    12
    >>> grundy_table(WithPass(StepBar(k=2)), 6).grundy.dims
    ('p', 'y', 'z')
    """
    _require_memory(ruleset, bound, "grundy")
    return _dataset(ruleset, bound, "grundy", grundy_cells(ruleset, bound))


def p_table(ruleset: Ruleset, bound: int | None = None) -> xr.Dataset:
    """Return the P-positions within `bound`, one cell for each column that can hold only one.

    Parameters
    ----------
    ruleset, bound
        As for `grundy_table`.

    Returns
    -------
    Dataset
        One variable of signed integers, with p (passes left, 0 first) in front of its dimensions where there is one:
        ``p_y`` (x, z) for a solid bar, the y of the P-position in that column, -1 for none; ``p_y`` (z) for a step bar;
        ``p_x`` (y, z) for a strip bar, the x, which may exceed the bound, -1 outside the bar; ``p_c`` (a, b) for three
        heaps of Nim and so on, the last heap; ``p_cell`` (i, j) for a rectangular bar, 1 where the whole bar with its
        poisoned cell there is P; ``p_position`` over all coordinates for other games, 1, 0, or -1 for no position.

    Examples
    --------
    >>> from choco_pipeline import SolidBar, StripBar
    >>> int(p_table(SolidBar("(x+z)//3"), 14).p_y.sel(x=9, z=10))  # solid2022, Example 2.1
    3
    >>> int(p_table(StripBar(k=4, s=2), 7).p_x.sel(y=2, z=7))
    9
    """
    _require_memory(ruleset, bound, "p-positions")
    return _dataset(ruleset, bound, "p-positions", p_cells(ruleset, bound))


def table(ruleset: Ruleset, bound: int | None, quantity: Quantity) -> xr.Dataset:
    """Return `grundy_table` or `p_table`, by the quantity's name."""
    return grundy_table(ruleset, bound) if quantity == "grundy" else p_table(ruleset, bound)


def grundy_cells(ruleset: Ruleset, bound: int | None) -> Cells:
    """Return the cells of `grundy_table`, as an array with the dimensions of `variable_of`."""
    base, passes = ruleset.base, ruleset.passes
    cells: Cells
    match base:
        case StepBar():
            cells = grundy_bar(_step_heights(base, bound), passes).transpose(0, 2, 1)
        case StripBar():
            size = base.limits(bound)[0] + 1
            heights = np.broadcast_to(_step_heights(base.bar, bound), (size, size))
            cells = grundy_solid(np.ascontiguousarray(heights), passes).transpose(0, 1, 3, 2)
        case SolidBar():
            cells = grundy_solid(_solid_heights(base, bound), passes).transpose(0, 1, 3, 2)
        case Nim(heaps) if heaps <= 3:
            size = base.limits(bound)[0] + 1
            cells = _nim_with_pass(size, heaps, passes)
        case Nim() if passes == 0:
            return _nim_sums([np.arange(most + 1) for most in base.limits(bound)])
        case RectangularBar() if passes == 0:
            return _mask(base, _nim_sums([np.arange(most + 1) for most in base.limits(bound)]))
        case DisjunctiveSum() if passes == 0:
            return _nim_sums([grundy_cells_in_order(part, bound) for part in (base.a, base.b)])
        case _:
            return by_definition(ruleset, bound)
    return cells if ruleset is not base else cells[0]


def p_cells(ruleset: Ruleset, bound: int | None) -> Cells:
    """Return the cells of `p_table`, as an array with the dimensions of `variable_of`.

    The strip of a strip bar, and the last heap of Nim, is a free heap beside the rest of the game. Its size in the
    P-position is the rest's Grundy number, with passes too: both are the mex of the same values, since a position of
    the whole game is terminal only if the heap is empty and the rest is terminal.
    """
    base, passes = ruleset.base, ruleset.passes
    cells: Cells
    match base:
        case StepBar():
            cells = p_columns(_step_heights(base, bound)[None, :], passes)[:, 0, :]
        case StripBar():
            return grundy_cells(_with_passes(base.bar, passes), bound)
        case SolidBar():
            cells = p_columns(_solid_heights(base, bound), passes)
        case Nim(1):
            cells = np.zeros(passes + 1, np.int16)
        case Nim(heaps):
            return grundy_cells(_with_passes(Nim(heaps - 1), passes), bound)
        case RectangularBar():
            cells = _pattern(base, passes)
        case _:
            grundy = grundy_cells(ruleset, bound)
            return np.where(grundy == NONE, np.int8(NONE), (grundy == 0).astype(np.int8))
    return cells if ruleset is not base else cells[0]


def by_definition(ruleset: Ruleset, bound: int | None) -> Cells:
    """Return the cells of `grundy_table` from the ruleset's own options: the oracle, in plain Python."""
    limits = ruleset.limits(bound)
    size = int(np.prod([most + 1 for most in limits], dtype=object))
    if size > MOST_POSITIONS:
        raise LimitError(
            f"{ruleset.notation}: no kernel computes this ruleset, and bound {bound} has {size:,} positions,"
            f" more than the {MOST_POSITIONS:,} that its definition can visit"
        )
    cells = np.full([most + 1 for most in limits], NONE, np.int32)
    for position in ruleset.positions(bound):
        cells[position] = mex(int(cells[option]) for option in ruleset.options(position))
    return np.moveaxis(cells, -1, 0) if ruleset.base is not ruleset else cells


def grundy_cells_in_order(ruleset: Ruleset, bound: int | None) -> Cells:
    """Return `grundy_cells` with the axes in the order in which positions hold the coordinates."""
    cells = grundy_cells(ruleset, bound)
    return np.moveaxis(cells, 0, -1) if ruleset.base is not ruleset else cells


def _require_memory(ruleset: Ruleset, bound: int | None, quantity: Quantity) -> None:
    limits = ruleset.limits(bound)  # says so if a bound is needed
    largest = max(limits) if bound is None else bound
    needed = memory_whole(ruleset, largest, quantity)
    require_memory(ruleset, largest, needed, worker_memory(1))


def _step_heights(bar: StepBar, bound: int | None) -> NDArray[np.int64]:
    return (np.arange(bar.limits(bound)[1] + 1) + bar.s) // bar.k


def _solid_heights(bar: SolidBar, bound: int | None) -> NDArray[np.int32]:
    size = bar.limits(bound)[0] + 1
    return bar.f.table(size, size)


def _with_passes(ruleset: Ruleset, passes: int) -> Ruleset:
    return WithPass(ruleset, passes) if passes else ruleset


def _nim_with_pass(size: int, heaps: int, passes: int) -> Cells:
    """Return the Grundy numbers [p, heaps…] of up to three heaps: bars of constant height, where nothing is clipped."""
    top = size - 1
    match heaps:
        case 1:
            return cast(Cells, grundy_bar(np.zeros(size, np.int64), passes)[:, :, 0])
        case 2:
            return cast(Cells, grundy_bar(np.full(size, top), passes))
        case _:
            return cast(Cells, grundy_solid(np.full((size, size), top), passes))


def _nim_sums(parts: Sequence[Cells]) -> Cells:
    """Return the nim-sums of independent games, NONE where any of them has no position (Sprague and Grundy)."""

    def add(a: Cells, b: Cells) -> Cells:
        total = np.bitwise_xor.outer(a.astype(np.int32), b.astype(np.int32))
        total[np.logical_or.outer(a == NONE, b == NONE)] = NONE
        return cast(Cells, total)

    return reduce(add, parts).astype(np.int32)


def _mask(bar: RectangularBar, cells: Cells) -> Cells:
    rows, columns = np.arange(bar.m), np.arange(bar.n)
    fits_m = np.add.outer(rows, rows) < bar.m
    fits_n = np.add.outer(columns, columns) < bar.n
    fits = np.logical_and.outer(fits_m, fits_n)
    return np.where(fits, cells, NONE).astype(np.int32)


def _pattern(bar: RectangularBar, passes: int) -> Cells:
    """Return [p, i, j]: whether the cell is a P-position, read off the P-table of four heaps, never from a formula."""
    i, j = np.arange(bar.m)[:, None], np.arange(bar.n)[None, :]
    last = _nim_with_pass(max(bar.m, bar.n), 3, passes)
    is_p: NDArray[np.bool_] = last[:, i, bar.m - 1 - i, j] == bar.n - 1 - j
    return is_p.astype(np.int8)


def _dataset(ruleset: Ruleset, bound: int | None, quantity: Quantity, cells: Cells) -> xr.Dataset:
    variable = variable_of(ruleset, quantity)
    attributes: dict[str, str | int] = {"ruleset": ruleset.notation, "quantity": quantity}
    if bound is not None:
        attributes["bound"] = int(bound)
    coordinates = {
        d: np.arange(1, n + 1)
        for d, n in zip(variable.dims, cells.shape, strict=True)
        if d in ("i", "j")
    }
    data = xr.DataArray(
        cells, dims=variable.dims, coords=coordinates, attrs={"meaning": variable.meaning}
    )
    return xr.Dataset({variable.name: data}, attrs=attributes)
