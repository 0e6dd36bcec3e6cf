"""``choco plan``: estimates of the size and the cost of a run."""

from __future__ import annotations

from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from choco_pipeline.api.plan import plan_numbers, running_time
from choco_pipeline.api.terminal import emit, in_short, in_time
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli import output
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.tables.computing import in_bytes

app = typer.Typer(**output.SETTINGS)


@app.command()
def plan(
    config: output.ConfigFile = Path(DEFAULT_CONFIG),
    cluster: output.ClusterName = None,
    workers: output.NumberOfWorkers = None,
    scheduler: output.Scheduler = None,
    json: output.Json = False,
) -> None:
    """Estimate the tables, positions, memory, disk space and time of a run."""
    run_plan, capacity, numbers = plan_numbers(config, cluster, workers, scheduler)
    if json:
        emit(numbers)
        return
    table = Table(
        title=f"{run_plan['title']} ({run_plan['config']})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    columns = ("sweep", "tables", "positions", "claims", "disk", "memory/task", "to build")
    for column in columns:
        table.add_column(column, justify="left" if column == "sweep" else "right", overflow="fold")
    total = numbers["total"]
    for row in [*numbers["sweeps"], {**total, "sweep": "in all"}]:
        table.add_row(
            row["sweep"],
            f"{row['tables']:,}",
            in_short(row["positions"]),
            f"{row['checks']:,}",
            in_bytes(row["bytes"]),
            in_bytes(row["memory"]),
            in_time(row["seconds"]),
            end_section=row is numbers["sweeps"][-1],
        )
    console = Console()
    console.print(table)
    for big in numbers["large"]:
        console.print(
            f"{big['ruleset']}, {big['quantity']} to {big['bound']:,}: {big['blocks']:,} blocks of"
            f" {big['rows']:,} × {big['columns']:,}, each {in_bytes(big['memory'])} of memory;"
            f" {in_bytes(big['bytes'])} on disk"
        )
    if run_plan["url"] is not None:
        console.print(f"new tables are stored in {run_plan['url']}")
    reused = f" ({total['finished']:,} exist already)" if total["finished"] else ""
    searched = sum(table["is_searched"] for table in run_plan["tables"])
    searches = f", {searched:,} of them searched" if searched else ""
    proving = ""
    if run_plan["prove"]:
        most = max(proof["seconds"] for proof in run_plan["prove"])
        proving = f", {counted(len(run_plan['prove']), 'proof')} of at most {most:,} seconds each"
    console.print(
        f"{counted(total['tables'], 'table')}{reused} in {counted(len(run_plan['shards']), 'shard')}{searches}{proving}."
    )
    console.print(f"The run: {running_time(run_plan, capacity.workers)}.")
    if capacity.memory is None:
        console.print(f"Memory: {capacity.whose}.")
    else:
        console.print(f"A worker has {in_bytes(capacity.memory)} of memory ({capacity.whose}).")
