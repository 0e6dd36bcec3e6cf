"""The P-positions of a table as small pictures: the corner of it that a page can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.documents.files import read_json
from choco_pipeline.games import (
    DisjunctiveSum,
    Position,
    RectangularBar,
    Ruleset,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
    parse_ruleset,
)
from choco_pipeline.games.height import TableHeight
from choco_pipeline.tables.schema import NONE, variable_of
from choco_pipeline.tables.store import read_table, store_of

Cells = NDArray[np.integer]
Colours = Literal["values", "outcome", "passes"]

#: Cells along a side of a picture, and of one that is read from a table of three coordinates.
SIDE, SOLID_SIDE = 160, 64


@dataclass(frozen=True)
class Picture:
    """Cells to be shown as an image.

    Attributes
    ----------
    cells
        Rows and columns, the first row at the bottom unless `down`; -1 is left blank.
    row, column
        The coordinates that count rows and columns.
    first
        The coordinate of the first row and column.
    colours
        ``values``: a number in each cell; ``outcome``: 1 for P and 0 for N; ``passes``: 1 for P without a pass, 2 for P with
        one, 3 for both, 0 for neither.
    says
        What a cell shows, in a few words.
    title
        Which part of the table it is.
    down
        Whether rows are counted downwards, as in a matrix.
    """

    cells: Cells
    row: str
    column: str
    first: int
    colours: Colours
    says: str
    title: str
    down: bool = False


def pictures_of(entry: Mapping[str, Any], results: Path) -> list[Picture]:
    """Return the pictures of a stored table, one for each number of passes left; none for a table without two axes.

    Parameters
    ----------
    entry
        The table's entry in the ledger.
    results
        The folder that holds ``tables/``.

    Raises
    ------
    StoreError
        If the table cannot be read.
    """
    game = parse_ruleset(entry["ruleset"])
    base = game.base
    has_passes = base is not game
    variable = variable_of(game, entry["quantity"])
    corner = _read_corner(entry, results, _sides(base, entry, int(has_passes)))
    layers: list[Cells] = list(corner) if has_passes else [corner]
    dims = variable.dims[1:] if has_passes else variable.dims
    if variable.name == "p_cell":
        assert isinstance(base, RectangularBar)
        return [_pattern(base, layers)]
    pictures = []
    for p, layer in enumerate(layers):
        title = f"{p} pass{'es' if p != 1 else ''} left" if has_passes else ""
        picture = _picture(base, variable.name, dims, layer, title)
        if picture is not None:
            pictures.append(picture)
    return pictures


def sample_position(game: Ruleset) -> Position:
    """Return a position whose drawing shows what bars of this game look like.

    Examples
    --------
    >>> from choco_pipeline import StripBar
    >>> sample_position(StripBar(k=4, s=2))
    (3, 2, 9)
    """
    match game:
        case SolidBar():
            return _sample_of_solid(game)
        case StepBar(k):
            z = min(2 * k + 1, 19)
            return (game.height(z), z)
        case StripBar():
            return (3, *sample_position(game.bar))
        case RectangularBar(m, n):
            rows, columns = min(m, 12) - 1, min(n, 12) - 1
            return (rows // 3, rows - rows // 3, columns // 2, columns - columns // 2)
        case DisjunctiveSum(a, b):
            return (*sample_position(a), *sample_position(b))
        case WithPass(ruleset, passes):
            return (*sample_position(ruleset), passes)
        case _:
            return tuple(3 + 2 * i % 5 for i in range(len(game.coordinates)))


def _sample_of_solid(bar: SolidBar) -> Position:
    """Return a whole bar: the smallest of a few sizes that has steps, or the smallest."""
    most_x, most_z = (
        (n - 1 for n in bar.f.values.shape) if isinstance(bar.f, TableHeight) else (20, 20)
    )
    sizes = [(min(size - 2, most_x), min(size, most_z)) for size in (6, 9, 14, 20)]
    x, z = next((size for size in sizes if bar.f(*size) >= 2), sizes[0])
    return (x, bar.f(x, z), z)


def _sides(base: Ruleset, entry: Mapping[str, Any], passes: int) -> list[int]:
    """Return how many cells of each dimension are needed; the first `passes` dimensions are needed whole."""
    shape: Sequence[int] = entry["shape"]
    if entry["variable"] == "grundy" and isinstance(base, SolidBar):
        side = min(SOLID_SIDE, shape[-1])
        return [*shape[:passes], side, base.f(side - 1, side - 1) + 1, side]
    plane = [min(size, SIDE) for size in shape[passes:]]
    return [*shape[:passes], *(1 for _ in plane[:-2]), *plane[-2:]]


def _read_corner(entry: Mapping[str, Any], results: Path, sides: Sequence[int]) -> Cells:
    manifest = results / "tables" / f"{entry['shard']}.done.json"
    data = read_table(store_of(manifest, read_json(manifest)), entry["id"], entry, sides)
    return np.asarray(data[entry["variable"]].values)


def _picture(
    base: Ruleset, name: str, dims: Sequence[str], cells: Cells, title: str
) -> Picture | None:
    match base:
        case SolidBar() if name == "grundy":
            zero = cells == 0
            y = np.where(zero.any(axis=1), zero.argmax(axis=1), NONE)
            return Picture(_small(y), "x", "z", 0, "values", "y of the P-position", title)
        case StepBar() if name == "p_y":
            heights = (np.arange(cells.size) + base.s) // base.k
            y = np.arange(int(heights.max()) + 1)[:SIDE, None]
            outcome = np.where(y > heights, NONE, y == cells)
            return Picture(_small(outcome), "y", "z", 0, "outcome", "P- or N-position", title)
    if cells.ndim < 2:
        return None
    fixed = dims[:-2]
    if fixed:
        title = ", ".join([*([title] if title else []), *(f"{dim} = 0" for dim in fixed)])
    plane = _cropped(cells[(0,) * len(fixed)])
    row, column = dims[-2:]
    if name == "p_position":
        return Picture(_small(plane), row, column, 0, "outcome", "P- or N-position", title)
    says = "Grundy number" if name == "grundy" else f"{name[2:]} of the P-position"
    return Picture(_small(plane), row, column, 0, "values", says, title)


def _pattern(bar: RectangularBar, layers: Sequence[Cells]) -> Picture:
    """Return the pattern of a rectangular bar, with and without a pass in one picture (patterns, Figs 8 to 11)."""
    title = f"R({bar.m}, {bar.n})"
    if len(layers) == 1:
        return Picture(
            _small(layers[0]), "i", "j", 1, "outcome", "P- or N-position", title, down=True
        )
    both = layers[0] + 2 * layers[1]
    return Picture(
        _small(both), "i", "j", 1, "passes", "P without, with one pass", title, down=True
    )


def _cropped(cells: Cells) -> Cells:
    """Return the cells without the last rows that hold nothing: a long bar is low."""
    filled = np.nonzero((cells != NONE).any(axis=1))[0]
    return cells[: int(filled[-1]) + 1] if filled.size else cells


def _small(cells: NDArray[Any]) -> Cells:
    """Return the cells in the smallest signed type that holds them."""
    most = int(cells.max(initial=0))
    return cells.astype(np.int8 if most < 1 << 7 else np.int16 if most < 1 << 15 else np.int32)
