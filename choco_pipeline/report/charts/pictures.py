"""P-positions of a stored table as a picture: the corner of it that a page can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.combine import passes_left
from choco_pipeline.tables.reading.finished import stored_corner
from choco_pipeline.tables.specs.schema import NONE, variable_of

Cells = NDArray[np.integer]

#: Cells along a side.
SIDE = 160
#: A plane of fewer cells shows nothing that is worth a picture.
FEWEST_CELLS = 4


@dataclass(frozen=True)
class Picture:
    """A plane of positions."""

    #: Rows and columns, the first row at the bottom unless `down`: 1 for P, 0 for N, -1 where there is no position.
    cells: Cells
    #: The coordinates that count rows and columns.
    row: str
    column: str
    #: Which part of the table it is.
    title: str
    #: Whether rows are counted downwards, as in a matrix.
    down: bool = False


def picture_of(entry: Mapping[str, Any], results: Path) -> Picture | None:
    """Return the picture of a table of P-positions, with all passes left.

    None if its cells hold coordinates of P-positions that no plane shows, if it is a face with passes, or if it is too small.
    Raises `StoreError` if the table cannot be read.
    """
    game = parse_ruleset(entry["ruleset"])
    passes, rules = int(game.base is not game), game.base.rules
    variable, bar, face = variable_of(game, "p-positions"), rules.bar, rules.face
    is_flat = bar is not None and bar.is_flat and variable.stored == bar.up
    if (variable.stored is not None and not is_flat) or (face is not None and passes):
        return None
    shape = entry["shape"]
    plane = [min(size, SIDE) for size in shape[passes:]]
    sides = [*shape[:passes], *(1 for _ in plane[:-2]), *plane[-2:]]
    corner = stored_corner(results, entry, sides)
    cells = corner[-1] if passes else corner
    title = passes_left(len(corner) - 1) if passes else ""
    if face is not None:
        row, column = face.sizes
        name = f"R({', '.join(map(str, face.sizes.values()))})"
        return Picture(cells, row, column, name, down=True)
    dims = variable.dims[-cells.ndim :]
    if is_flat and cells.ndim == 1:
        assert bar is not None
        heights = bar.limit.height.table(cells.size)
        up = np.arange(int(heights.max()) + 1)[:SIDE, None]
        return Picture(np.where(up > heights, NONE, up == cells), bar.up, dims[0], title)
    if cells.ndim < 2:
        return None
    *fixed, row, column = dims
    title = ", ".join([*([title] if title else []), *(f"{dim} = 0" for dim in fixed)])
    cells = _cropped(cells[(0,) * len(fixed)])
    return Picture(cells, row, column, title) if cells.size >= FEWEST_CELLS else None


def _cropped(cells: Cells) -> Cells:
    """Return the cells without the last rows that hold nothing: a long bar is low."""
    filled = np.nonzero((cells != NONE).any(axis=1))[0]
    return cells[: int(filled[-1]) + 1] if filled.size else cells
