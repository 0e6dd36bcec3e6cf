"""Estimates of the size and the cost of a run.

Constants are in seconds on one core, as in `choco_pipeline.sweep.run_plan`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from choco_pipeline.api.terminal import in_time
from choco_pipeline.api.workers import capacity_of
from choco_pipeline.cluster.cluster_file import load_cluster
from choco_pipeline.cluster.connect import resolve
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, PlannedTable, is_done
from choco_pipeline.sweep.run_plan import Capacity, make_plan
from choco_pipeline.tables.spec import TableSpec

#: Start of Snakemake and of the workers, which load the kernels.
START = 8.0
#: Start and end of a job.
JOB = 0.7
#: Search for statements: the serial part; the parallel part for each table or proved game, and for each byte of searched tables.
FIND, FIND_GAME, FIND_BYTE = 6.0, 0.12, 2.5e-9
#: Ledger and report: the fixed part, and for each verdict.
REPORT, REPORT_VERDICT = 2.0, 0.0015


def plan(config: str | Path = DEFAULT_CONFIG, *, workers: int | None = None) -> dict[str, Any]:
    """Return the size and the cost of a run, as ``choco plan --json`` prints them.

    Parameters
    ----------
    config
        The file.
    workers
        As for `choco_pipeline.run`.

    Returns
    -------
    dict
        Numbers of tables, positions and claims, bytes and seconds: for each sweep and in ``total``; and ``expected`` times.

    Raises
    ------
    ChocoError
        If the configuration has a mistake, or a table is too large.
    """
    return plan_numbers(Path(config), None, workers, None)[2]


def plan_numbers(
    config: Path, cluster: str | None, workers: int | None, scheduler: str | None
) -> tuple[Plan, Capacity, dict[str, Any]]:
    """Return a plan, its workers, and its numbers as ``--json`` prints them.

    ``sweeps`` and ``total`` have numbers of tables, positions and claims, bytes, and seconds on one core. A table of two sweeps
    counts once in ``total``. ``large`` has the tables that are built in blocks. If the memory of a worker is unknown, the planned
    memory of a job determines the blocks.
    """
    capacity = capacity_of(load_cluster(cluster, workers, scheduler), cluster)
    run_plan = make_plan(config, write=False, capacity=capacity)
    time = running_time(run_plan, capacity.workers)
    names = dict.fromkeys(sweep for table in run_plan["tables"] for sweep in table["sweeps"])
    return (
        run_plan,
        capacity,
        {
            "run": run_plan["run"],
            "config": run_plan["config"],
            "workers": capacity.workers,
            "memory_per_worker": capacity.memory,
            "memory_of": capacity.whose,
            "url": run_plan["url"],
            "sweeps": [
                {"sweep": name}
                | _numbers(
                    run_plan, [table for table in run_plan["tables"] if name in table["sweeps"]]
                )
                for name in names
            ],
            "total": _numbers(run_plan, run_plan["tables"]),
            "proofs": len(run_plan["prove"]),
            "large": [
                _blocks(table, capacity.memory) for table in run_plan["tables"] if table["large"]
            ],
            "expected": {"seconds": round(time.seconds, 1), "stages": time.stages},
        },
    )


def _numbers(run_plan: Plan, tables: Sequence[PlannedTable]) -> dict[str, Any]:
    paths = Paths(RESULTS, run_plan["run"])
    left = [table for table in tables if not paths.manifest(table["shard"]).exists()]
    return {
        "tables": len(tables),
        "positions": sum(table["positions"] for table in tables),
        "checks": sum(table["checks"] for table in tables),
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


@dataclass(frozen=True)
class RunningTime:
    """Estimated time of the rest of a run."""

    workers: int
    #: Wall-clock seconds for the rest of each incomplete stage.
    stages: Mapping[Stage, float]

    @property
    def seconds(self) -> float:
        """The sum, with the start of the workers; 0 if all results exist."""
        return START + sum(self.stages.values()) if self.stages else 0.0

    def __str__(self) -> str:
        """Return the time in words."""
        if not self.stages:
            return "all results exist already"
        parts = ", ".join(f"{stage} {_about(seconds)}" for stage, seconds in self.stages.items())
        workers = "1 worker" if self.workers == 1 else f"{self.workers:,} workers"
        return f"about {_about(self.seconds)} on {workers}, if nothing else runs there ({parts})"


def running_time(run_plan: Plan, workers: int) -> RunningTime:
    """Estimate the time of a run of a plan, without finished results."""
    paths = Paths(RESULTS, run_plan["run"])
    missing = {shard for shard in run_plan["shards"] if not paths.manifest(shard).exists()}
    core: dict[Stage, float] = defaultdict(float)
    parts: dict[Stage, int] = defaultdict(int)
    if missing:
        tables = [table for table in run_plan["tables"] if table["shard"] in missing]
        core[Stage.BUILD] = sum(table["seconds"] for table in tables)
        # All workers share a large table.
        parts[Stage.BUILD] = workers if any(t["large"] for t in tables) else len(missing)
    for stage in (Stage.CHECK, Stage.MINE, Stage.PROVE):
        jobs = run_plan["jobs"][stage].items()
        if left := [job for sweep, job in jobs if not is_done(run_plan, paths, stage, sweep)]:
            core[stage] = sum(job["seconds"] for job in left)
            parts[stage] = sum(job["amount"] for job in left)
    for stage in core:
        core[stage] += JOB * len(run_plan["jobs"][stage])
    stages = {stage: seconds / min(workers, parts[stage]) for stage, seconds in core.items()}
    if stages or not paths.found.exists():
        sizes = [table["bytes"] for table in run_plan["tables"] if table["is_searched"]]
        shared = FIND_GAME * (len(sizes) + len(run_plan["prove"])) + FIND_BYTE * sum(sizes)
        stages[Stage.FIND] = JOB + FIND + shared / workers
        verdicts = sum(job["amount"] for job in run_plan["jobs"][Stage.CHECK].values())
        times = 2 if run_plan["prove"] else 1  # a run with proofs writes a first report before them
        stages[Stage.REPORT] = times * (2 * JOB + REPORT + REPORT_VERDICT * verdicts)
    return RunningTime(workers, stages)


def _about(seconds: float) -> str:
    """Return a time rounded to seconds, five seconds or minutes."""
    unit = 1 if seconds < 60 else 5 if seconds < 600 else 60
    return in_time(max(1, round(seconds / unit)) * unit)
