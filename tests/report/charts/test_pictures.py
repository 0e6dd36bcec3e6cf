"""Pictures show what the definition says, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from choco_pipeline.games import RectangularBar, Ruleset, SolidBar, StepBar, StripBar, parse_ruleset
from choco_pipeline.report.charts.pictures import Picture, pictures_of

SOME = 40


def expected(
    game: Ruleset, quantity: str, passes: int, picture: Picture, row: int, column: int
) -> int:
    """Return what a picture shows in one cell, from the game's own options."""
    base, most = game.base, game.passes
    left = (passes,) if base is not game else ()

    def p(*position: int) -> bool:
        return game.is_p_position((*position, *left))

    match base:
        case RectangularBar():
            whole = base.whole(row, column)
            if base is game:
                return int(p(*whole))
            return sum((1 << n) * game.is_p_position((*whole, n)) for n in range(most + 1))
        case SolidBar():
            return next((y for y in range(base.f(row, column) + 1) if p(row, y, column)), -1)
        case StepBar() if quantity == "grundy":
            return game.grundy((row, column, *left)) if base.is_position((row, column)) else -1
        case StepBar():
            return int(p(row, column)) if base.is_position((row, column)) else -1
        case StripBar():
            if not base.is_position((0, row, column)):
                return -1
            return next(x for x in range(1000) if p(x, row, column))
        case _ if picture.says == "c of the P-position":
            return next(c for c in range(1000) if p(row, column, c))
        case _:
            position = (0, row, column)
            return int(p(*position)) if game.is_position(position) else -1


@pytest.mark.full
def test_pictures_agree_with_the_definition(ledger: dict[str, Any]):
    draw = np.random.default_rng(20)
    seen = set()
    for entry in ledger["tables"]:
        game = parse_ruleset(entry["ruleset"])
        pictures = pictures_of(entry, Path("results"))
        for passes, picture in enumerate(pictures):
            rows, columns = picture.cells.shape
            picked = draw.integers((0, 0), (min(rows, 12), min(columns, 12)), (SOME, 2))
            for i, j in {(int(i), int(j)) for i, j in picked}:
                row, column = i + picture.first, j + picture.first
                shown = int(picture.cells[i, j])
                assert shown == expected(game, entry["quantity"], passes, picture, row, column), (
                    f"{game.notation}, {picture.title}: {picture.row} = {row}, {picture.column} = {column}"
                )
            seen.add((type(game.base).__name__, entry["quantity"], picture.colours))
    assert len(seen) >= 8, seen


def test_one_heap_has_no_picture_and_pictures_are_small(ledger: dict[str, Any]):
    for entry in ledger["tables"]:
        pictures = pictures_of(entry, Path("results"))
        assert (pictures == []) == (entry["ruleset"] == "nim(1)")
        assert all(picture.cells.dtype.itemsize <= 2 for picture in pictures)
