"""Pictures of found statements."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from choco_pipeline.games import RectangularBar, parse_ruleset
from choco_pipeline.report.found import SIDE, Picture, drawing, pattern, picture_of
from tests.report.found_documents import RESULTS, a_statement


def test_a_pattern_shows_the_p_positions(ledger: dict[str, Any]):
    said = a_statement(
        search="cellular",
        ruleset="rectangular-bar(m=m, n=m)",
        parameters={"m": tuple(range(1, 13))},
        words="a rule",
    )
    drawn = drawing(said, ledger["tables"], RESULTS)
    assert drawn is not None
    game = parse_ruleset("rectangular-bar(m=12, n=12)")

    def heaps(i: int, j: int) -> tuple[int, ...]:
        """Return what can be cut off on the four sides of a bitter cell."""
        return i - 1, 12 - i, j - 1, 12 - j

    assert game.notation in drawn, "the largest bar"
    shown = {(int(y) + 1, int(x) + 1) for x, y in re.findall(r"M(\d+) (\d+)h1", drawn)}
    places = [(i, j) for i in range(1, 13) for j in range(1, 13)]
    assert shown == {place for place in places if game.is_p_position(heaps(*place))}
    assert 0 < len(shown) < len(places)


def test_a_plane_is_drawn_upwards_and_cut():
    cells = np.zeros((SIDE + 5, 3), np.int8)
    cells[1, 2] = cells[SIDE + 1, 1] = 1
    drawn = pattern(Picture(cells, "y", "z", "<title>"), "nim(2)")
    assert re.findall(r"M(\d+) (\d+)h1", drawn) == [("2", str(SIDE - 2))]
    assert "<title>" not in drawn


def test_only_tables_that_the_statement_speaks_of_are_drawn(ledger: dict[str, Any]):
    said = a_statement(
        search="cellular",
        ruleset="rectangular-bar(m=m, n=m)",
        parameters={"m": (100,)},
        words="a rule",
    )
    assert drawing(said, ledger["tables"], RESULTS) is None


def test_pictures_agree_with_the_definition(ledger: dict[str, Any]):
    draw = np.random.default_rng(20)
    seen = set()
    for entry in ledger["tables"]:
        game = parse_ruleset(entry["ruleset"])
        picture = picture_of(entry, RESULTS) if entry["quantity"] == "p-positions" else None
        if picture is None:
            continue
        base, left = game.base, (game.passes,) if game.base is not game else ()
        rows, columns = picture.cells.shape
        picked = draw.integers((0, 0), (min(rows, 12), min(columns, 12)), (40, 2))
        for i, j in {(int(i), int(j)) for i, j in picked}:
            if isinstance(base, RectangularBar):
                position = base.whole(i + 1, j + 1)
            else:
                position = (*(0 for _ in base.coordinates[:-2]), i, j)
            is_position = base.is_position(position)
            shown = int(picture.cells[i, j])
            assert shown == (game.is_p_position((*position, *left)) if is_position else -1), (
                f"{game.notation}, {picture.title}: {picture.row} = {i}, {picture.column} = {j}"
            )
        seen.add((type(base).__name__, bool(left)))
    assert len(seen) >= 2, seen
