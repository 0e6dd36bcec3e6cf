"""``choco plan``: what a run would cost, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from rich import box
from rich.console import Console
from rich.table import Table

from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli.output import emit, in_short, in_time
from choco_pipeline.cli.running.workers import capacity_of
from choco_pipeline.cli.running_time import running_time
from choco_pipeline.cluster.cluster_file import load_cluster
from choco_pipeline.cluster.connect import resolve
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, PlannedTable
from choco_pipeline.sweep.run_plan import make_plan
from choco_pipeline.tables.computing import in_bytes
from choco_pipeline.tables.spec import Quantity, TableSpec


def show_plan(
    config: Path, *, cluster: str | None, workers: int | None, scheduler: str | None, json: bool
) -> None:
    """Print tables, positions, memory, disk and time of a configuration, sweep by sweep."""
    capacity = capacity_of(load_cluster(cluster, workers, scheduler), cluster)
    plan = make_plan(config, write=False, capacity=capacity)
    rows = summary(plan)
    large = large_tables(plan, capacity.memory)
    time = running_time(plan, capacity.workers)
    if json:
        emit(
            {
                "run": plan["run"],
                "config": plan["config"],
                "workers": capacity.workers,
                "memory_per_worker": capacity.memory,
                "memory_of": capacity.whose,
                "url": plan["url"],
                **rows,
                "large": large,
                "expected": {"seconds": round(time.seconds, 1), "stages": time.stages},
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
        "to build",
    ):
        table.add_column(column, justify="left" if column == "sweep" else "right", overflow="fold")
    in_all: SweepNumbers = {**rows["total"], "sweep": "in all"}
    for row in [*rows["sweeps"], in_all]:
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
    for big in large:
        console.print(
            f"{big['ruleset']}, {big['quantity']} to {big['bound']:,}: {big['blocks']:,} blocks of"
            f" {big['rows']:,} × {big['columns']:,}, each {in_bytes(big['memory'])} of memory;"
            f" {in_bytes(big['bytes'])} on disk"
        )
    if plan["url"] is not None:
        console.print(f"new tables are stored in {plan['url']}")
    reused = f" ({total['finished']:,} are there already)" if total["finished"] else ""
    proving = ""
    if rows["proofs"]:
        most = max(proof["seconds"] for proof in plan["prove"])
        proving = f", {counted(rows['proofs'], 'proof')} of at most {most:,} seconds each"
    searches = f", {len(plan['mine']):,} of them searched" if plan["mine"] else ""
    console.print(
        f"{counted(total['tables'], 'table')}{reused} in {counted(len(plan['shards']), 'shard')}{searches}{proving}."
    )
    console.print(f"The run: {time}.")
    if capacity.memory is None:
        console.print(f"Memory: {capacity.whose}.")
    else:
        console.print(f"A worker has {in_bytes(capacity.memory)} of memory ({capacity.whose}).")


class LargeTable(TypedDict):
    """A table that is built in blocks: which it is, its bytes on disk, and number, sides and memory of its blocks."""

    ruleset: str
    bound: int
    quantity: Quantity
    bytes: int
    blocks: int
    rows: int
    columns: int
    memory: int


class PlannedNumbers(TypedDict):
    """Numbers of tables, positions and claims, bytes on disk and of memory, seconds, and what is left of them."""

    tables: int
    positions: int
    checks: int
    bytes: int
    memory: int
    seconds: float
    finished: int
    seconds_left: float


class SweepNumbers(PlannedNumbers):
    """The same of a sweep."""

    sweep: str


class PlanSummary(TypedDict):
    """The numbers for each sweep and in all, and of proofs."""

    sweeps: list[SweepNumbers]
    total: PlannedNumbers
    proofs: int


def large_tables(plan: Plan, memory: int | None) -> list[LargeTable]:
    """Return, for each table that is built in blocks, which it is, its bytes on disk, and its blocks.

    Of a worker whose memory is not known, blocks are as large as they must be.
    """
    large: list[LargeTable] = []
    for table in plan["tables"]:
        if table["large"]:
            spec = TableSpec(table["ruleset"], table["bound"], table["quantity"], table["identity"])
            # What knows the kernels is slow to import.
            cut: dict[str, int] = resolve("choco_pipeline.tables.wavefront:described")(
                spec, memory or table["memory_of_job"]
            )
            large.append(
                {
                    "ruleset": table["ruleset"],
                    "bound": table["bound"],
                    "quantity": table["quantity"],
                    "bytes": table["bytes"],
                    "blocks": cut["blocks"],
                    "rows": cut["rows"],
                    "columns": cut["columns"],
                    "memory": cut["memory"],
                }
            )
    return large


def summary(plan: Plan) -> PlanSummary:
    """Return the plan's numbers for each sweep and in all, a table of two sweeps once; and the number of proofs."""
    paths = Paths(RESULTS, plan["run"])
    finished = {shard for shard in plan["shards"] if paths.manifest(shard).exists()}
    checks: dict[str, int] = {}
    for check in plan["check"]:
        checks[check["table"]] = checks.get(check["table"], 0) + 1

    def add(tables: Sequence[PlannedTable]) -> PlannedNumbers:
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
    by_sweep: list[SweepNumbers] = [
        {"sweep": name, **add([t for t in plan["tables"] if name in t["sweeps"]])} for name in names
    ]
    return {"sweeps": by_sweep, "total": add(plan["tables"]), "proofs": len(plan["prove"])}
