"""Mining a shard: searches in each of its tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from choco_pipeline.documents.record import read_record
from choco_pipeline.mining.closed_forms.learnt_formulas import mine_formulas
from choco_pipeline.mining.closed_forms.value_sets import mine_value_sets
from choco_pipeline.mining.counts import mine_counts
from choco_pipeline.mining.laws import mine_counted_lines, mine_smaller_heaps, mine_symmetric_laws
from choco_pipeline.mining.picture_rules import mine_blocks, mine_cellular
from choco_pipeline.mining.table_findings import Finding, MineOrder
from choco_pipeline.stages import Stage
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.store import store_of

#: Most cells of a table that are searched; larger tables are cut to a corner.
MOST_CELLS = 1 << 23


def mine_shard(
    order_document: Mapping[str, Any], report: Callable[..., None]
) -> dict[str, list[Any]]:
    """Search in the tables of a `MineOrder`, and return the findings as plain data.

    The report is called as ``report(Stage.MINE, searches=1, positions=n)`` for each table.
    """
    order = MineOrder.model_validate(order_document)
    built = read_record(order.manifest)
    store, entries = store_of(order.manifest, built), built["tables"]
    findings: list[Finding] = []
    for search in order.searches:
        start = time.perf_counter()
        entry = entries[search.table]
        part = part_of(Cells.open(store, search.table, entry), MOST_CELLS)
        mined = mine_table(search.what, replace(part, cells=part.array))
        seconds = round((time.perf_counter() - start) / max(1, len(mined)), 4)
        placed = {"table": search.table, "seconds": seconds}
        findings += [finding.model_copy(update=placed) for finding in mined]
        report(Stage.MINE, searches=1, positions=entry["positions"])
    return {"findings": [finding.model_dump() for finding in findings]}


def mine_table(what: Iterable[str], cells: Cells) -> list[Finding]:
    """Return findings of searches in a table; none for a table of one cell."""
    return [finding for name in what for finding in MINERS[name](cells)] if cells.shape else []


def part_of(cells: Cells, most: int) -> Cells:
    """Return a table, with its bound halved until it has at most `most` cells."""
    bound = cells.bound
    while prod(cells.shape) > most and bound > 1:
        bound //= 2
        cells = cells.corner(bound)
    return cells


#: The searches, by their names in a sweep's ``mine:``.
MINERS: Mapping[str, Callable[[Cells], Sequence[Finding]]] = {
    "value-sets": mine_value_sets,
    "formulas": mine_formulas,
    "counts": mine_counts,
    "cellular": mine_cellular,
    "blocks": mine_blocks,
    "symmetric": mine_symmetric_laws,
    "lines": mine_counted_lines,
    "smaller-heaps": mine_smaller_heaps,
}
