"""The P-positions of a table as small pictures: the corner of it that a page can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.combine import passes_left
from choco_pipeline.games.rules import Face, Rules
from choco_pipeline.tables.reading.finished import stored_corner
from choco_pipeline.tables.specs.schema import NONE, Variable, variable_of

Cells = NDArray[np.integer]
Colours = Literal["values", "outcome", "passes"]

#: Cells along a side of a picture, and of one that is read from a table of three coordinates.
SIDE, SOLID_SIDE = 160, 64
#: A plane of fewer cells shows nothing that is worth a picture.
FEWEST_CELLS = 4


@dataclass(frozen=True)
class Picture:
    """Cells to be shown as an image."""

    #: Rows and columns, the first row at the bottom unless `down`; -1 is left blank.
    cells: Cells
    #: The coordinates that count rows and columns.
    row: str
    column: str
    #: The coordinate of the first row and column.
    first: int
    #: ``values``: a number in each cell; ``outcome``: 1 for P and 0 for N; ``passes``: 1 for P without a pass, 2 for P with
    #: one, 3 for both, 0 for neither.
    colours: Colours
    #: What a cell shows, in a few words.
    says: str
    #: Which part of the table it is.
    title: str
    #: Whether rows are counted downwards, as in a matrix.
    down: bool = False


def pictures_of(entry: Mapping[str, Any], results: Path) -> list[Picture]:
    """Return the pictures of a stored table, one for each number of passes left; none for a table without two axes, or with next to no cells.

    Raises `StoreError` if the table cannot be read.
    """
    game = parse_ruleset(entry["ruleset"])
    base = game.base
    has_passes = base is not game
    variable = variable_of(game, entry["quantity"])
    corner = stored_corner(results, entry, _sides(base, entry, int(has_passes)))
    layers: list[Cells] = list(corner) if has_passes else [corner]
    face = base.rules.face
    if face is not None and variable.name != "grundy":
        return [_pattern(face, layers)]
    pictures = []
    for p, layer in enumerate(layers):
        title = passes_left(p) if has_passes else ""
        picture = _picture(base.rules, variable, layer, title)
        if picture is not None:
            pictures.append(picture)
    return pictures


def _is_solid(rules: Rules) -> bool:
    """Whether boxes make up the game, so that each of their columns (x, z) has one P-position at most."""
    return rules.bar is not None and not rules.bar.is_flat and rules.bar.strip is None


def _sides(base: Ruleset, entry: Mapping[str, Any], passes: int) -> list[int]:
    """Return how many cells of each dimension are needed; the first `passes` dimensions are needed whole."""
    shape: Sequence[int] = entry["shape"]
    rules = base.rules
    if entry["variable"] == "grundy" and rules.bar is not None and _is_solid(rules):
        up, limit = rules.bar.up, rules.bar.limit
        longest = dict(zip(rules.coordinates, shape[passes:], strict=True))
        side = min(SOLID_SIDE, *(longest[name] for name in limit.of))
        sides = {**dict.fromkeys(limit.of, side), up: limit.height(side - 1, side - 1) + 1}
        return [*shape[:passes], *(sides[name] for name in rules.coordinates)]
    plane = [min(size, SIDE) for size in shape[passes:]]
    return [*shape[:passes], *(1 for _ in plane[:-2]), *plane[-2:]]


def _picture(rules: Rules, variable: Variable, cells: Cells, title: str) -> Picture | None:
    dims, stored, bar = variable.dims[-cells.ndim :], variable.stored, rules.bar
    if bar is not None and variable.name == "grundy" and _is_solid(rules):
        zero, axis = cells == 0, dims.index(bar.up)
        rows = np.where(zero.any(axis=axis), zero.argmax(axis=axis), NONE)
        row, column = (name for name in dims if name != bar.up)
        says = f"{bar.up} of the P-position"
        return Picture(_small(rows), row, column, 0, "values", says, title)
    if bar is not None and bar.is_flat and stored == bar.up and cells.ndim == 1:
        heights = bar.limit.height.table(cells.size)
        up = np.arange(int(heights.max()) + 1)[:SIDE, None]
        outcome = np.where(up > heights, NONE, up == cells)
        says = "P- or N-position"
        return Picture(_small(outcome), stored, dims[0], 0, "outcome", says, title)
    if cells.ndim < 2:
        return None
    fixed = dims[:-2]
    if fixed:
        title = ", ".join([*([title] if title else []), *(f"{dim} = 0" for dim in fixed)])
    plane = _cropped(cells[(0,) * len(fixed)])
    if plane.size < FEWEST_CELLS:
        return None
    row, column = dims[-2:]
    if stored is None and variable.name != "grundy":
        return Picture(_small(plane), row, column, 0, "outcome", "P- or N-position", title)
    says = f"{stored} of the P-position" if stored is not None else "Grundy number"
    return Picture(_small(plane), row, column, 0, "values", says, title)


def _pattern(face: Face, layers: Sequence[Cells]) -> Picture:
    """Return the pattern of a rectangular bar, with and without a pass in one picture (patterns, Figs 8 to 11)."""
    title = f"R({', '.join(map(str, face.sizes.values()))})"
    row, column = face.sizes
    both = layers[0] if len(layers) == 1 else layers[0] + 2 * layers[1]
    colours: Colours = "outcome" if len(layers) == 1 else "passes"
    says = "P- or N-position" if len(layers) == 1 else "P without, with one pass"
    return Picture(_small(both), row, column, 1, colours, says, title, down=True)


def _cropped(cells: Cells) -> Cells:
    """Return the cells without the last rows that hold nothing: a long bar is low."""
    filled = np.nonzero((cells != NONE).any(axis=1))[0]
    return cells[: int(filled[-1]) + 1] if filled.size else cells


def _small(cells: NDArray[Any]) -> Cells:
    """Return the cells in the smallest signed type that holds them."""
    most = int(cells.max(initial=0))
    return cells.astype(np.int8 if most < 1 << 7 else np.int16 if most < 1 << 15 else np.int32)
