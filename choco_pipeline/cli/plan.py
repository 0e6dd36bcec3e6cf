"""``choco plan``: the size and the cost of a run, before anything runs.

The constants of time are in seconds of one core, rounded from measured runs (docs/performance.md, *Estimates*). They are meant to be
right within a factor of two for a whole run, not for a stage: a proof takes a tenth of a second or its whole limit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from choco_pipeline.claims.checks.height_functions import number_of_height_functions
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli import output
from choco_pipeline.cli.workers import capacity_of
from choco_pipeline.cluster.cluster_file import load_cluster
from choco_pipeline.cluster.connect import resolve
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.proof.records import GameToProve
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.orders import expected_seconds
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, PlannedTable, is_done
from choco_pipeline.sweep.run_plan import Capacity, make_plan
from choco_pipeline.tables.computing import in_bytes
from choco_pipeline.tables.spec import TableSpec

app = typer.Typer(**output.SETTINGS)
#: Start of Snakemake and the workers, which load the kernels.
START = 8.0
#: Start and end of a job.
JOB = 0.7
#: A claim on a table: least, for each byte of a small table on disk, its maximum, and for each byte of any table.
CHECK_LEAST, CHECK_BYTE, CHECK_MOST, CHECK_LARGE_BYTE = 0.002, 1e-7, 0.01, 7e-10
#: A statement that needs no table.
STATEMENT = 0.04
#: One search in a table: least, for each byte on disk, and the largest number of bytes, because of a large table a corner is mined.
SEARCH, SEARCH_BYTE, SEARCH_MOST_BYTES = 0.07, 7e-9, 10_000_000
#: One question about the height functions of a box, and each function.
HEIGHTS, HEIGHT_FUNCTION = 2.0, 0.001
#: A proof, and its share of `expected_seconds`, which are nearer to its limit.
PROOF, PROOF_SHARE = 0.35, 0.07
#: A claim that is decided on a proof; a statement that is decided without one.
CLAIM, DECISION = 0.04, 0.2
#: Found statements: in one process; shared, for each table or proved game, and for each byte of the searched tables on disk.
FIND, FIND_GAME, FIND_BYTE = 6.0, 0.12, 2.5e-9
#: Ledger and report: least, and for each verdict.
REPORT, REPORT_VERDICT = 2.0, 0.0015


def plan_numbers(
    config: Path, cluster: str | None, workers: int | None, scheduler: str | None
) -> tuple[Plan, Capacity, dict[str, Any]]:
    """Return a plan, the workers for it, and its numbers as ``--json`` prints them.

    ``sweeps`` and ``total`` have numbers of tables, positions and claims, bytes, and seconds of one core; a table of two sweeps counts
    once in ``total``. ``large`` has the tables that are built in blocks. Blocks are as large as they must be if the memory of
    a worker is unknown.
    """
    capacity = capacity_of(load_cluster(cluster, workers, scheduler), cluster)
    made = make_plan(config, write=False, capacity=capacity)
    time = running_time(made, capacity.workers)
    names = dict.fromkeys(sweep for table in made["tables"] for sweep in table["sweeps"])
    return (
        made,
        capacity,
        {
            "run": made["run"],
            "config": made["config"],
            "workers": capacity.workers,
            "memory_per_worker": capacity.memory,
            "memory_of": capacity.whose,
            "url": made["url"],
            "sweeps": [
                {"sweep": name}
                | _numbers(made, [table for table in made["tables"] if name in table["sweeps"]])
                for name in names
            ],
            "total": _numbers(made, made["tables"]),
            "proofs": len(made["prove"]),
            "large": [
                _blocks(table, capacity.memory) for table in made["tables"] if table["large"]
            ],
            "expected": {"seconds": round(time.seconds, 1), "stages": time.stages},
        },
    )


def _numbers(made: Plan, tables: Sequence[PlannedTable]) -> dict[str, Any]:
    paths = Paths(RESULTS, made["run"])
    checks = Counter(check["table"] for check in made["check"])
    left = [table for table in tables if not paths.manifest(table["shard"]).exists()]
    return {
        "tables": len(tables),
        "positions": sum(table["positions"] for table in tables),
        "checks": sum(checks[table["id"]] for table in tables),
        "bytes": sum(table["bytes"] for table in tables),
        "memory": max(table["memory"] for table in tables),
        "seconds": round(sum(table["seconds"] for table in tables), 3),
        "finished": len(tables) - len(left),
        "seconds_left": round(sum(table["seconds"] for table in left), 3),
    }


def _blocks(table: PlannedTable, memory: int | None) -> dict[str, Any]:
    spec = TableSpec.of_entry(table)
    # The kernels are slow to import.
    blocks_of = resolve("choco_pipeline.tables.wavefront:block_sizes")
    blocks: dict[str, int] = blocks_of(spec, memory or table["memory_of_job"])
    return {
        "ruleset": table["ruleset"],
        "bound": table["bound"],
        "quantity": table["quantity"],
        "bytes": table["bytes"],
        **blocks,
    }


@app.command()
def plan(
    config: output.ConfigFile = Path(DEFAULT_CONFIG),
    cluster: output.ClusterName = None,
    workers: output.NumberOfWorkers = None,
    scheduler: output.Scheduler = None,
    json: output.Json = False,
) -> None:
    """Show tables, positions, memory, disk and time before anything runs."""
    made, capacity, numbers = plan_numbers(config, cluster, workers, scheduler)
    if json:
        output.emit(numbers)
        return
    table = Table(
        title=f"{made['title']} ({made['config']})",
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
            output.in_short(row["positions"]),
            f"{row['checks']:,}",
            in_bytes(row["bytes"]),
            in_bytes(row["memory"]),
            output.in_time(row["seconds"]),
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
    if made["url"] is not None:
        console.print(f"new tables are stored in {made['url']}")
    reused = f" ({total['finished']:,} are there already)" if total["finished"] else ""
    searches = f", {len(made['mine']):,} of them searched" if made["mine"] else ""
    proving = ""
    if made["prove"]:
        most = max(proof["seconds"] for proof in made["prove"])
        proving = f", {counted(len(made['prove']), 'proof')} of at most {most:,} seconds each"
    console.print(
        f"{counted(total['tables'], 'table')}{reused} in {counted(len(made['shards']), 'shard')}{searches}{proving}."
    )
    console.print(f"The run: {running_time(made, capacity.workers)}.")
    if capacity.memory is None:
        console.print(f"Memory: {capacity.whose}.")
    else:
        console.print(f"A worker has {in_bytes(capacity.memory)} of memory ({capacity.whose}).")


# ---- Time.


@dataclass(frozen=True)
class RunningTime:
    """Estimated time of the rest of a run."""

    workers: int
    #: Seconds on the clock for the rest of each stage that is not complete.
    stages: Mapping[Stage, float]

    @property
    def seconds(self) -> float:
        """The sum, with the start of the workers; 0 if everything is there."""
        return START + sum(self.stages.values()) if self.stages else 0.0

    def __str__(self) -> str:
        """Return the time in words."""
        if not self.stages:
            return "everything is there already"
        parts = ", ".join(f"{stage} {_about(seconds)}" for stage, seconds in self.stages.items())
        workers = "1 worker" if self.workers == 1 else f"{self.workers:,} workers"
        return f"about {_about(self.seconds)} on {workers}, if nothing else runs there ({parts})"


def running_time(made: Plan, workers: int) -> RunningTime:
    """Estimate the time of a run of a plan, without finished results."""
    paths = Paths(RESULTS, made["run"])
    missing = {shard for shard in made["shards"] if not paths.manifest(shard).exists()}
    core: dict[Stage, float] = defaultdict(float)
    parts: dict[Stage, int] = defaultdict(int)
    if missing:
        tables = [table for table in made["tables"] if table["shard"] in missing]
        core[Stage.BUILD] = sum(table["seconds"] for table in tables)
        # All workers build a large table together.
        parts[Stage.BUILD] = workers if any(t["large"] for t in tables) else len(missing)
    for stage, seconds in ((Stage.CHECK, _checks), (Stage.MINE, _searches), (Stage.PROVE, _proofs)):
        jobs = made["jobs"][stage]
        left = {sweep for sweep in jobs if not is_done(made, paths, stage, sweep)}
        if left:
            share = sum(jobs[sweep]["amount"] for sweep in left) / sum(
                j["amount"] for j in jobs.values()
            )
            core[stage] = share * sum(seconds(made))
            parts[stage] = sum(jobs[sweep]["amount"] for sweep in left)
    for stage in core:
        core[stage] += JOB * len(made["jobs"][stage])
    stages = {stage: seconds / min(workers, parts[stage]) for stage, seconds in core.items()}
    if stages or not paths.found.exists():
        searched = {search["table"] for search in made["mine"]}
        size = sum(table["bytes"] for table in made["tables"] if table["id"] in searched)
        shared = FIND_GAME * (len(searched) + len(made["prove"])) + FIND_BYTE * size
        stages[Stage.FIND] = JOB + FIND + shared / workers
        verdicts = len(made["check"]) + len(made["check_statements"])
        times = 2 if made["prove"] else 1  # with proofs there is a first report before them
        stages[Stage.REPORT] = times * (2 * JOB + REPORT + REPORT_VERDICT * verdicts)
    return RunningTime(workers, stages)


def _checks(made: Plan) -> Iterator[float]:
    sizes = {table["id"]: table["bytes"] for table in made["tables"]}
    for check in made["check"]:
        size = sizes[check["table"]]
        yield CHECK_LEAST + min(CHECK_MOST, CHECK_BYTE * size) + CHECK_LARGE_BYTE * size
    yield STATEMENT * len(made["check_statements"])


def _searches(made: Plan) -> Iterator[float]:
    sizes = {table["id"]: table["bytes"] for table in made["tables"]}
    for order in made["mine"]:
        size = min(sizes[order["table"]], SEARCH_MOST_BYTES)
        yield (SEARCH + SEARCH_BYTE * size) * len(order["what"])
    for box_of in made["mine_heights"]:
        side = box_of["side"] + 1
        functions = number_of_height_functions(side, side, box_of["height"])
        yield HEIGHTS + HEIGHT_FUNCTION * functions


def _proofs(made: Plan) -> Iterator[float]:
    for order in made["prove"]:
        proof = GameToProve.model_validate(order)
        yield PROOF + PROOF_SHARE * expected_seconds(proof) + CLAIM * len(proof.claims)
    yield DECISION * len(made["prove_statements"])


def _about(seconds: float) -> str:
    """Return a time rounded to seconds, five seconds or minutes."""
    unit = 1 if seconds < 60 else 5 if seconds < 600 else 60
    return output.in_time(max(1, round(seconds / unit)) * unit)
