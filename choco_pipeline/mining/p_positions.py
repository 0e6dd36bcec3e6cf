"""The P-positions of a stored table as flat coordinate arrays: what every miner looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.games import Nim, Ruleset, SolidBar, StripBar
from choco_pipeline.tables.schema import NONE, unwrap, variable_of

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PPositions:
    """The P-positions of one table.

    Attributes
    ----------
    coordinates
        For each coordinate's name, and p where there is a pass, an int64 array with one entry for each P-position.
    size
        The largest coordinate of each P-position, passes not counted; int64.
    """

    coordinates: dict[str, Ints]
    size: Ints

    @classmethod
    def of(cls, game: Ruleset, data: xr.Dataset) -> PPositions:
        """Read the P-positions off a table of either quantity."""
        variable = variable_of(game, "grundy" if "grundy" in data else "p-positions")
        cells = np.atleast_1d(
            data[variable.name].transpose(*variable.dims).values
        )  # one heap has no column
        if variable.stored is not None:
            where = np.nonzero(cells != NONE)
        elif variable.name == "grundy":
            where = np.nonzero(cells == 0)
        else:
            where = np.nonzero(cells == 1)
        found: dict[str, Ints] = {
            dim: index.astype(np.int64) + (1 if dim in ("i", "j") else 0)
            for dim, index in zip(variable.dims, where, strict=False)
        }
        if variable.stored is not None:
            found[variable.stored] = cells[where].astype(np.int64)
        base, _ = unwrap(game)
        names = base.coordinates if variable.name != "p_cell" else ("i", "j")
        ordered = {name: found[name] for name in [*names, *(n for n in found if n not in names)]}
        size = (
            np.max([ordered[name] for name in names], axis=0)
            if where[0].size
            else np.zeros(0, np.int64)
        )
        return cls(ordered, size)

    def __len__(self) -> int:
        return int(self.size.size)


def nim_sum_of(game: Ruleset) -> str | None:
    """Return the nim-sum that the papers form of a position of `game`, as a formula, or None where they form none.

    Examples
    --------
    >>> from choco_pipeline import StripBar, WithPass
    >>> nim_sum_of(WithPass(StripBar(k=4, s=2)))
    '(x+2) ^ y ^ (z+2) ^ p'
    """
    base, passes = unwrap(game)
    match base:
        case StripBar(_, s):
            terms = [f"(x+{s})", "y", f"(z+{s})"] if s else ["x", "y", "z"]
        case SolidBar():
            terms = ["x", "y", "z"]
        case Nim():
            terms = list(base.coordinates)
        case _:
            return None
    return " ^ ".join([*terms, "p"] if passes else terms)
