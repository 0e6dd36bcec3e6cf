"""Tables in memory: the Grundy numbers or P-positions of a game within a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.tables.computing.computation import computation_of
from choco_pipeline.tables.computing.cost import memory_whole, require_memory
from choco_pipeline.tables.computing.machine import worker_memory
from choco_pipeline.tables.specs.schema import (
    Quantity,
    coordinate_attributes,
    coordinate_values,
    variable_of,
)

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr
    from numpy.typing import NDArray

#: Dimensions that an array of NumPy 2 may have.
MOST_DIMENSIONS = 64
#: Every machine has this much memory; its limits, which take a millisecond to read, are asked for larger tables only.
SMALL_BYTES = 1 << 24


def grundy_table(ruleset: Ruleset | str, bound: int | None = None) -> xr.Dataset:
    """Return the Grundy numbers of every position within `bound`.

    Parameters
    ----------
    ruleset
        The game, or its notation.
    bound
        Largest value of every coordinate that the shape itself does not limit (x and z of a solid bar or a strip bar,
        z of a step bar, every heap). May be left out for a rectangular bar.

    Returns
    -------
    Dataset
        Variable ``grundy``, signed integers: one dimension for each coordinate, p (passes left, 0 first) in front
        where there is one; -1 where there is no position. Every dimension has a coordinate variable.

    Raises
    ------
    RulesetError, HeightError
        If the bound does not fit the ruleset or its height function.
    LimitError
        If the table needs more memory than there is.

    Examples
    --------
    >>> from choco_pipeline import StepBar, WithPass
    >>> int(grundy_table(StepBar(k=1), 15).grundy.sel(y=5, z=9))  # step2015, Fig 4.2
    12
    >>> int(grundy_table("nim(3)", 5).grundy.sel(a=1, b=2, c=3))
    0
    >>> grundy_table(WithPass(StepBar(k=2)), 6).grundy.dims
    ('p', 'y', 'z')
    """
    return table(as_game(ruleset), bound, "grundy")


def p_table(ruleset: Ruleset | str, bound: int | None = None) -> xr.Dataset:
    """Return the P-positions within `bound`, by columns where possible.

    Parameters
    ----------
    ruleset, bound
        As for `grundy_table`.

    Returns
    -------
    Dataset
        One variable of signed integers, with p (passes left, 0 first) in front of its dimensions where there is one:
        ``p_y`` (x, z) for a solid bar, the y of the P-position in that column, -1 for none; ``p_y`` (z) for a step bar;
        for a game with a free heap beside the rest, the heap, over the rest: ``p_x`` (y, z) for a strip bar, the x, which
        may exceed the bound, -1 outside the bar; ``p_c`` (a, b) for three heaps of Nim and so on; ``p_cell`` (i, j) for
        a rectangular bar, 1 where the whole bar with its poisoned cell there is P; ``p_position`` over all coordinates
        for other games, 1, 0, or -1 for no position.

    Examples
    --------
    >>> from choco_pipeline import SolidBar, StripBar
    >>> int(p_table(SolidBar("(x+z)//3"), 14).p_y.sel(x=9, z=10))  # solid2022, Example 2.1
    3
    >>> int(p_table(StripBar(k=4, s=2), 7).p_x.sel(y=2, z=7))
    9
    """
    return table(as_game(ruleset), bound, "p-positions")


def cells_of(ruleset: Ruleset, bound: int | None, quantity: Quantity) -> NDArray[np.integer]:
    """Return the cells of `table`, along the dimensions of its variable."""
    limits = ruleset.limits(bound)  # raises an error if a bound is missing
    if len(limits) > MOST_DIMENSIONS:
        raise LimitError(
            f"{ruleset.notation}: a table has at most {MOST_DIMENSIONS} dimensions, this game {len(limits)} coordinates"
        )
    largest = max(limits) if bound is None else bound
    needed = memory_whole(computation_of(ruleset, largest, quantity))
    if needed > SMALL_BYTES:
        require_memory(ruleset, largest, needed, worker_memory(1))
    with ruleset.naming():
        return computation_of(ruleset, bound, quantity).cells()


def table(ruleset: Ruleset, bound: int | None, quantity: Quantity) -> xr.Dataset:
    """Return `grundy_table` or `p_table`, by the quantity's name."""
    cells = cells_of(ruleset, bound, quantity)
    variable = variable_of(ruleset, quantity)
    attributes: dict[str, str | int] = {"ruleset": ruleset.notation, "quantity": quantity}
    if bound is not None:
        attributes["bound"] = int(bound)
    import xarray as xr  # noqa: PLC0415 -- half a second, which a command that only proves can save

    data = xr.DataArray(
        cells,
        dims=variable.dims,
        coords={
            dim: (dim, coordinate_values(variable.first(dim), n), coordinate_attributes(dim))
            for dim, n in zip(variable.dims, cells.shape, strict=True)
        },
        attrs=variable.attributes,
    )
    return xr.Dataset({variable.name: data}, attrs=attributes)
