"""``choco plan``: what a run would cost, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from rich import box
from rich.console import Console
from rich.table import Table

from choco_pipeline.cli.output import emit, in_short, in_time
from choco_pipeline.cluster.connect import resolve
from choco_pipeline.sweep.plan import RESULTS, Paths, make_plan
from choco_pipeline.tables.cost import in_bytes, worker_memory
from choco_pipeline.tables.spec import TableSpec


def show_plan(config: Path, json: bool) -> None:
    """Print tables, positions, memory, disk and time of a configuration, sweep by sweep."""
    workers = psutil.cpu_count() or 1
    plan = make_plan(config, write=False, workers=workers)
    rows = summary(plan)
    large = large_tables(plan, worker_memory(workers))
    if json:
        emit(
            {
                "run": plan["run"],
                "config": plan["config"],
                "workers": workers,
                "url": plan["url"],
                **rows,
                "large": large,
            }
        )
        return
    table = Table(
        title=f"{plan['title']} ({plan['config']})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for column in (
        "sweep",
        "tables",
        "positions",
        "claims",
        "disk",
        "memory/task",
        "time",
    ):
        table.add_column(column, justify="left" if column == "sweep" else "right", overflow="fold")
    for row in [*rows["sweeps"], {**rows["total"], "sweep": "in all"}]:
        table.add_row(
            row["sweep"],
            f"{row['tables']:,}",
            in_short(row["positions"]),
            f"{row['checks']:,}",
            in_bytes(row["bytes"]),
            in_bytes(row["memory"]),
            in_time(row["seconds"]),
            end_section=row is rows["sweeps"][-1],
        )
    console = Console()
    console.print(table)
    total = rows["total"]
    proving = ""
    if rows["proofs"]:
        most = max(proof["seconds"] for proof in plan["proofs"])
        number = f"{rows['proofs']:,} {'proof' if rows['proofs'] == 1 else 'proofs'}"
        proving = f", and {number} of at most about {most:,} seconds each"
    for one in large:
        console.print(
            f"{one['ruleset']}, {one['quantity']} to {one['bound']:,}: {one['blocks']:,} blocks of"
            f" {one['rows']:,} × {one['columns']:,}, each {in_bytes(one['memory'])} of a worker's"
            f" {in_bytes(worker_memory(workers))}; {in_bytes(one['bytes'])} on disk"
        )
    if plan["url"] is not None:
        console.print(f"new tables are stored in {plan['url']}")
    console.print(
        f"{len(plan['shards'])} {'shard' if len(plan['shards']) == 1 else 'shards'}, {total['finished']:,} of {total['tables']:,} tables are there already;"
        f" about {in_time(total['seconds_left'] / workers)} on {workers} workers for those that are missing; claims and mining come on top{proving}."
    )


def large_tables(plan: dict[str, Any], memory: int) -> list[dict[str, Any]]:
    """Return, for each table that is built in blocks, which it is, its bytes on disk, and its blocks on such workers."""
    found = []
    for table in plan["tables"]:
        if table["large"]:
            spec = TableSpec(table["ruleset"], table["bound"], table["quantity"], table["identity"])
            # What knows the kernels is slow to import.
            blocks = resolve("choco_pipeline.tables.blocks:described")(spec, memory)
            kept = {key: table[key] for key in ("ruleset", "bound", "quantity", "bytes")}
            found.append({**kept, **blocks})
    return found


def summary(plan: dict[str, Any]) -> dict[str, Any]:
    """Return the plan's numbers for each sweep and in all, a table of two sweeps once; and the number of proofs."""
    paths = Paths(RESULTS, plan["run"])
    finished = {shard for shard in plan["shards"] if paths.manifest(shard).exists()}
    checks: dict[str, int] = {}
    for check in plan["checks"]:
        checks[check["table"]] = checks.get(check["table"], 0) + 1

    def add(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
        left = [table for table in tables if table["shard"] not in finished]
        return {
            "tables": len(tables),
            "positions": sum(table["positions"] for table in tables),
            "checks": sum(checks.get(table["id"], 0) for table in tables),
            "bytes": sum(table["bytes"] for table in tables),
            "memory": max(table["memory"] for table in tables),
            "seconds": round(sum(table["seconds"] for table in tables), 3),
            "finished": len(tables) - len(left),
            "seconds_left": round(sum(table["seconds"] for table in left), 3),
        }

    names = list(dict.fromkeys(sweep for table in plan["tables"] for sweep in table["sweeps"]))
    by_sweep = [
        {"sweep": name, **add([t for t in plan["tables"] if name in t["sweeps"]])} for name in names
    ]
    return {"sweeps": by_sweep, "total": add(plan["tables"]), "proofs": len(plan["proofs"])}
