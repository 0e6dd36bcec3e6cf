"""Mining a shard: what the machine finds in each of its tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import xarray as xr

from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.mining.blocks import mine_blocks
from choco_pipeline.mining.cellular import mine_cellular
from choco_pipeline.mining.counts import mine_counts
from choco_pipeline.mining.formulas import mine_formulas
from choco_pipeline.mining.periods import mine_periods
from choco_pipeline.mining.shifts import best_shifts
from choco_pipeline.mining.value_sets import mine_value_sets
from choco_pipeline.tables.store import read_table, store_path


def mine_shard(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, Any]:
    """Carry out a work order for mining and write what was found.

    Parameters
    ----------
    order_file
        Names the manifest, and for each table what to look for.
    out_file
        Receives ``{"findings": […]}``, whole or not at all.
    report
        Called as ``report("mining", tables=1, positions=n)`` for each table.

    Returns
    -------
    dict
        Number of tables mined.
    """
    order = read_json(Path(order_file))
    manifest = Path(order["manifest"])
    entries = read_json(manifest)["tables"]
    findings: list[dict[str, Any]] = []
    for mine in order["mines"]:
        start = time.perf_counter()
        entry = entries[mine["table"]]
        data = read_table(store_path(manifest), mine["table"], entry)
        game, bound = parse_ruleset(entry["ruleset"]), int(entry["bound"])
        found = mine_table(mine["what"], game, bound, entry["quantity"], data)
        seconds = round((time.perf_counter() - start) / max(1, len(found)), 4)
        findings += [{"table": mine["table"], **one, "seconds": seconds} for one in found]
        report("mining", tables=1, positions=entry["positions"])
    write_json(Path(out_file), {"format": order["format"], "findings": findings})
    return {"mined": len(order["mines"])}


def mine_table(
    what: Iterable[str], game: Ruleset, bound: int, quantity: str, data: xr.Dataset
) -> list[dict[str, Any]]:
    """Return what the named searches find in one table, each at least that there is nothing.

    Parameters
    ----------
    what
        Names of searches, keys of `MINERS`.
    game, bound, quantity, data
        The table.
    """
    findings: list[dict[str, Any]] = []
    for name in what:
        if name != "shifts" or quantity == "p-positions":
            findings += MINERS[name](game, bound, data)
    return findings


def _shifts(game: Ruleset, bound: int, data: xr.Dataset) -> list[dict[str, Any]]:
    found = best_shifts(game, bound, data)
    return [] if found is None else [found]


#: The searches, by the names that a sweep's ``mine:`` gives them.
MINERS: Mapping[str, Callable[[Ruleset, int, xr.Dataset], list[dict[str, Any]]]] = {
    "value-sets": mine_value_sets,
    "shifts": _shifts,
    "formulas": mine_formulas,
    "counts": mine_counts,
    "periods": mine_periods,
    "cellular": mine_cellular,
    "blocks": mine_blocks,
}
