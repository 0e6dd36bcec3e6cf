"""The project's own search, run on the tables that a case names."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.case import Case, Decoy
from benchmarks.finding.formulas import value
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.heights import classified_all
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.stage import Finder, document_of, proposals
from choco_pipeline.finding.statement import FoundDocument, Mined
from choco_pipeline.finding.tables import MemberTable, TableFamily
from choco_pipeline.games.notation import build, match, read
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table


@dataclass(frozen=True)
class Found:
    """What the search says of a case, best first, and in how many seconds of a core."""

    document: FoundDocument
    notation: str
    seconds: float


def run(case: Case, seed: int, catalogue: Catalogue) -> Found:
    """Search the tables of a case, in the working directory, where heights that are drawn are written.

    Raises
    ------
    ChocoError
        If a ruleset cannot be read, or a table cannot be made.
    """
    start = time.process_time()
    if case.box is not None:
        document = classified_all(case.box.side, case.box.height)
        return Found(document, "solid-bar(f=f)", time.process_time() - start)
    notation = case.games
    if case.random is not None:
        notation = notation.replace("f=f", f"f=csv({drawn(case, seed)})")
    pattern = read(notation)
    mined: list[Mined] = []
    members: list[MemberTable] = []
    bounds = {}
    for point in case.points():
        game = build(pattern, point, Path())
        parameters = dict(sorted((match(pattern, read(game.notation)) or {}).items()))
        bound = max(game.limits(None)) if game.notation.startswith("rect") else case.bound
        data = table(game, bound, case.quantity)
        if isinstance(case, Decoy) and case.permuted:
            data = permuted(data, seed)
        cells = Cells.of(game, bound, data)
        findings = mine_table(case.search, cells)
        family = notation if pattern.names else game.notation
        mined += [
            Mined(game.notation, case.quantity, bound, family, parameters, one) for one in findings
        ]
        members.append(MemberTable.in_memory(parameters, cells, findings))
        bounds[game.notation, case.quantity] = bound
    families = [TableFamily.of(notation, members)] if pattern.names else []
    finder = Finder(Tables(bounds), catalogue)
    document = document_of([search() for search in proposals(mined, families)], finder)
    return Found(document, notation, time.process_time() - start)


def drawn(case: Case, seed: int) -> str:
    """Write heights that are about as large as a formula says, and return the name of the file."""
    assert case.random is not None
    side = case.random.side
    x, z = np.ogrid[: side + 1, : side + 1]
    like = np.broadcast_to(value(case.random.like, x=x, z=z), (side + 1, side + 1))
    random = np.random.default_rng(seed)
    step = max(1, round(2 * side / max(1, int(like[-1, -1]))))
    moved = like + random.integers(-1, 2, like.shape) * (random.random(like.shape) < 1 / step)
    heights = np.maximum.accumulate(np.maximum.accumulate(np.maximum(moved, 0), axis=0), axis=1)
    path = Path(f"{case.id}-{seed}.csv")
    np.savetxt(path, heights, fmt="%d", delimiter=",")
    return str(path)


def permuted(data: Any, seed: int) -> Any:
    """Return a table in which small numbers have changed places: 0 and 1, and others at random."""
    random = np.random.default_rng(seed)
    found = data.copy(deep=True)
    for name in found.data_vars:
        cells = found[name].values
        if cells.ndim:
            numbers = np.arange(int(cells.max()) + 1, dtype=cells.dtype)
            places = np.concatenate([random.permutation(numbers[:8]), numbers[8:]])
            known = cells < np.iinfo(cells.dtype).max
            known &= cells >= 0
            found[name].values = np.where(known, places[np.clip(cells, 0, len(places) - 1)], cells)
    return found
