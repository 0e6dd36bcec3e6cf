"""Pictures show the P-positions of the definition, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.games import RectangularBar, parse_ruleset
from choco_pipeline.report.found import picture_of

SOME = 40


def test_pictures_agree_with_the_definition(ledger: dict[str, Any]):
    draw = np.random.default_rng(20)
    seen = set()
    for entry in ledger["tables"]:
        game = parse_ruleset(entry["ruleset"])
        picture = picture_of(entry, Path("results")) if entry["quantity"] == "p-positions" else None
        if picture is None:
            continue
        base, left = game.base, (game.passes,) if game.base is not game else ()
        rows, columns = picture.cells.shape
        picked = draw.integers((0, 0), (min(rows, 12), min(columns, 12)), (SOME, 2))
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
