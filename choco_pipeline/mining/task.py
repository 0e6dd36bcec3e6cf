"""Mining a shard: what the machine finds in each of its tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xarray as xr

from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.p_positions import nim_sum_of, p_positions
from choco_pipeline.mining.shifts import best_shifts
from choco_pipeline.mining.value_sets import value_set
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
        found = list(
            _mine(mine["what"], entry, read_table(store_path(manifest), mine["table"], entry))
        )
        seconds = round((time.perf_counter() - start) / max(1, len(found)), 4)
        findings += [{"table": mine["table"], **one, "seconds": seconds} for one in found]
        report("mining", tables=1, positions=entry["positions"])
    write_json(Path(out_file), {"format": order["format"], "findings": findings})
    return {"mined": len(order["mines"])}


def _mine(what: list[str], entry: dict[str, Any], data: xr.Dataset) -> list[dict[str, Any]]:
    game, bound = parse_ruleset(entry["ruleset"]), int(entry["bound"])
    findings: list[dict[str, Any]] = []
    if "value-sets" in what:
        expression = nim_sum_of(game)
        if expression is not None:
            findings.append(value_set(p_positions(game, data), bound, expression))
    if "shifts" in what and entry["quantity"] == "p-positions":
        shifts = best_shifts(game, bound, data)
        if shifts is not None:
            findings.append(shifts)
    return findings
