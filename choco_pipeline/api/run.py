"""A run, with Snakemake and a Dask cluster as child processes, and its estimates."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import IO, Any

import psutil
from rich.console import Console

from choco_pipeline.api.lock import bring_to_now, results_lock
from choco_pipeline.api.progress import Display, RunProgress, print_line
from choco_pipeline.api.supervise import ROUNDS, Supervised
from choco_pipeline.api.terminal import in_short, in_time, note
from choco_pipeline.api.workers import DASK, PROFILES, Workers, capacity_of
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cluster.cluster_file import Description, load_cluster
from choco_pipeline.cluster.connect import resolve
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ADVICE, DISAGREEMENT, ChocoError
from choco_pipeline.shipped import SHIPPED
from choco_pipeline.stages import RULES, Stage
from choco_pipeline.sweep.damage import plan_without_damage
from choco_pipeline.sweep.run_files import (
    DISAGREEMENT_SUFFIX,
    RESULTS,
    Paths,
    Plan,
    PlannedTable,
    is_done,
)
from choco_pipeline.sweep.run_plan import Capacity, current_plan, make_plan, require_object_store
from choco_pipeline.tables.spec import TableSpec

SNAKEFILE = SHIPPED / "Snakefile"
#: Estimated seconds on one core, as in `choco_pipeline.sweep.orders`: start of Snakemake and of the workers, which load the kernels.
START = 8.0
#: Start and end of a job.
JOB = 0.7
#: Search for statements: the serial part; the parallel part for each table or proved game, and for each byte of searched tables.
FIND, FIND_GAME, FIND_BYTE = 6.0, 0.12, 2.5e-9
#: Ledger and report: the fixed part, and for each verdict.
REPORT, REPORT_VERDICT = 2.0, 0.0015
#: Seconds between two checks of Snakemake's state.
TICK = 0.1
#: Below this many free bytes, a failed run is reported as "disk full".
LEAST_FREE = 1 << 20
#: Seconds to wait for the scheduler file of a cluster that may be starting at the same time.
SCHEDULER_FILE_S = 600
#: Number of lines of Snakemake's log to show if it fails without a failed job. Its message has one to five lines.
TAIL = 8


def perform(config: Path, cluster: Description, cluster_name: str | None = None) -> SnakemakeRun:
    """Run the sweeps of a configuration under a lock, and show the progress."""
    # Python's resource tracker outlives a killed run, and would print a warning.
    warnings = [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"]
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, warnings))
    capacity = capacity_of(cluster, cluster_name, SCHEDULER_FILE_S)
    with results_lock(RESULTS) as record:
        if of_future := bring_to_now(RESULTS):
            note(
                f"{RESULTS}: {of_future:,} files had times in the future, which were set to {datetime.now():%Y-%m-%d %H:%M} (was the clock set back?)"
            )
        plan = plan_without_damage(config, capacity=capacity, say=note)
        require_object_store(plan, Paths(RESULTS, plan["run"]).manifest)
        logs = Paths(RESULTS, plan["run"]).plan.parent / "log" / "slurm"
        with collected_signals() as signals, Workers(RESULTS, logs, cluster, capacity) as workers:
            done = SnakemakeRun(
                config, plan, workers, Console(stderr=True), signals, capacity.workers
            )
            return done.go(record)


@dataclass
class SnakemakeRun:
    """One run of Snakemake, and its outcome."""

    config: Path
    plan: Plan
    cluster: Workers
    console: Console
    signals: Signals
    workers: int
    code: int = 0
    status: str = "done"
    seconds: float = 0.0
    jobs: dict[str, int] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder = Paths(RESULTS, self.plan["run"]).plan.parent
        self.report = self.folder / "report" / "index.html"
        self.found = self.report.with_name("found.html")
        self.first_report = self.folder / "first-report" / "index.html"
        self.ledger = self.folder / "ledger.json"
        self.log = self.folder / "log" / "snakemake.log"
        self.first_before = _written(self.first_report)
        self.first_is_awaited = True
        self.stages = RunProgress(self.plan)

    def go(self, record: Callable[[int], None]) -> SnakemakeRun:
        """Run Snakemake to its end or until a signal, and print the outcome."""
        start = time.monotonic()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        for earlier in self._disagreements():
            earlier.unlink()
        with ExitStack() as stack:
            output = stack.enter_context(self.log.open("wb"))
            written = SnakemakeLog(stack.enter_context(self.log.open("rb")))
            environment = {**os.environ, **self.cluster.environment}
            command = _snakemake(self.config, *self.cluster.options)
            child = Supervised(command, output, environment)
            stack.callback(child.close)
            self.signals.kills.append(child.kill)
            record(child.pid)
            show = Display(self.console)
            stack.enter_context(show.progress)
            if not self.stages.are_complete:  # the cluster and Snakemake start at the same time
                self._say(f"{running_time(self.plan, self.workers)}")
                self._start_cluster(warm_up=not self.stages.tables.is_complete)
            code = None
            while code is None and not self.signals.received:
                time.sleep(TICK)
                code = child.poll()
                self._follow(written, show)
            if code is None:
                child.terminate()
            elif code == 0 and self.jobs:
                self.stages.complete()
                show.show(self.stages)
        self.seconds = time.monotonic() - start
        if code is None:
            self.code, self.status = 128 + self.signals.received[0], "interrupted"
            tables = self.stages.tables
            self._say(
                f"interrupted: {tables.done:,} of {tables.total:,} tables are done and kept;"
                " repeat the command to continue"
            )
        elif code:
            self._say_why_it_failed(code)
        elif self.jobs:
            self._say_what_is_done()
        else:
            self.status = "nothing to do"
            self._say("nothing to do: everything is up to date")
        return self

    def document(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        tables = self.stages.tables
        return {
            "status": self.status,
            "run": self.plan["run"],
            "report": self.report.as_posix() if self.code == 0 else None,
            "found": self.found.as_posix() if self.code == 0 else None,
            "ledger": self.ledger.as_posix() if self.code == 0 else None,
            "tables": tables.done,
            "positions": tables.positions,
            "recomputed": tables.done - tables.reused,
            "reused": tables.reused,
            "blocks": {"all": tables.all_blocks, "reused": tables.reused_blocks},
            "jobs": self.jobs,
            "failures": self.failures,
            "log": self.log.as_posix(),
            "seconds": round(self.seconds, 2),
        }

    def _disagreements(self) -> list[Path]:
        """Return the documents of jobs in which two judges contradicted each other."""
        return sorted(self.folder.rglob(f"*{DISAGREEMENT_SUFFIX}"))

    def _follow(self, written: SnakemakeLog, show: Display) -> None:
        """Handle new output of Snakemake, and show the progress."""
        were_known = written.jobs is not None
        written.read()
        if written.jobs is not None and not were_known:
            self.jobs = written.jobs
            if "find" in self.jobs:  # its result is not reused
                self.stages.finding.reused = 0
            self._start_cluster(warm_up="build" in self.jobs)
        for rule, logs in written.failed[len(self.failures) :]:
            log = next(filter(_last_line, logs), logs[0])
            error = _last_line(log) or _why_nothing()
            self.failures.append({"rule": rule, "error": error, "log": log.as_posix()})
            self._say(f"{rule} failed: {error} ({log.as_posix()})")
        for report in self.cluster.reports():
            self.stages.add(report)
        if self.first_is_awaited and _written(self.first_report) != self.first_before:
            self.first_is_awaited = False
            if not self.stages.proofs.is_complete:
                self._say(f"first report, on claims and tables: {self.first_report}")
        self.stages.update()
        if self.jobs:
            show.show(self.stages)

    def _start_cluster(self, *, warm_up: bool) -> None:
        """Start the cluster if it does not run; print its dashboard's address once."""
        dashboard = self.cluster.start(warm_up=warm_up)
        if dashboard is not None:
            self._say(f"Dask dashboard: {dashboard}")

    def _say_what_is_done(self) -> None:
        tables, number = self.stages.tables, self.stages.games
        reused = f"{tables.reused:,} reused"
        if tables.reused_blocks:
            reused += f", and {tables.reused_blocks:,} of {tables.all_blocks:,} blocks from smaller tables"
        proofs = f", {counted(number, 'proof')}" if number else ""
        self._say(
            f"{tables.done:,} tables ({reused}), {in_short(tables.positions)} positions{proofs}"
            f" in {in_time(self.seconds)}"
        )

    def _say_why_it_failed(self, code: int) -> None:
        self.code, self.status = 1, "failed"
        if code < 0:
            name = signal.Signals(-code).name
            self._say(f"Snakemake was killed ({name}); possibly there is too little memory")
        elif not self.failures and shutil.disk_usage(RESULTS).free < LEAST_FREE:
            self._say(_why_nothing())
        elif not self.failures:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            self._say("\n".join(["Snakemake failed:", *lines[-TAIL:]]))
        for path in self._disagreements():
            self.code, self.status = DISAGREEMENT, "disagreement"
            self._say(f"{read_record(path)['disagreement']}; {ADVICE}")
        self._say(f"the run failed; finished results are kept; Snakemake's log: {self.log}")

    def _say(self, text: str) -> None:
        print_line(self.console, text)


def _written(path: Path) -> int | None:
    return path.stat().st_mtime_ns if path.exists() else None


def _snakemake(config: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE)]
    return [*command, *options, "--config", f"choco={config}"]


def jobs_to_run(config: Path, capacity: Capacity) -> tuple[Plan, dict[str, int], Counter[str]]:
    """Return the plan, the number of jobs for each rule, and their amount of work."""
    plan = current_plan(config, capacity=capacity)
    profile = str(PROFILES / "default")
    options = ("--workflow-profile", profile, "--cores", "1", "--dry-run")
    done = subprocess.run(_snakemake(config, *options), capture_output=True)
    if done.returncode:
        raise ChocoError(
            f"snakemake --dry-run failed:\n{done.stderr.decode(errors='replace').strip()}"
        )
    output = SnakemakeLog(io.BytesIO(done.stdout + done.stderr))
    output.read()
    amounts: Counter[str] = Counter()
    for rule, sweep in output.started:
        amounts[rule] += plan["jobs"][Stage(rule)][sweep]["amount"]
    return plan, output.jobs or {}, amounts


def _why_nothing() -> str:
    """Return the message for a failed job with an empty log."""
    free = shutil.disk_usage(RESULTS).free
    if free < LEAST_FREE:
        return f"the disk is full: {free:,} bytes are free in {RESULTS.absolute()}"
    return "its log is empty"


def _last_line(log: Path) -> str:
    """Return the last line of a job's log, which has the error; empty without a log."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


# ---- Signals.


@dataclass
class Signals:
    """The received signals, and the functions that kill the run's processes."""

    received: list[int] = field(default_factory=list)
    kills: list[Callable[[], None]] = field(default_factory=list)

    def end_at_once(self) -> None:
        """Kill the processes of the run and all children of this process."""
        # Other threads may still print errors.
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), sys.stderr.fileno())
        for kill in self.kills:
            kill()
        for _ in range(ROUNDS):
            # Dask restarts killed workers.
            if not (children := psutil.Process().children(recursive=True)):
                break
            for process in children:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(children, 0.02)
        shutil.rmtree(RESULTS / DASK, ignore_errors=True)


@contextmanager
def collected_signals() -> Iterator[Signals]:
    """Collect SIGINT and SIGTERM; a second signal kills all processes at once."""
    signals = Signals()

    def handle(number: int, frame: FrameType | None) -> None:
        if signals.received:
            signals.end_at_once()
            os._exit(128 + number)
        signals.received.append(number)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- Snakemake's output.


_COUNT = re.compile(r"(?P<rule>\w+)\s+(?P<count>\d+)")
_RULE = re.compile(r"(?:local)?rule (?P<rule>\w+):")
_SWEEP = re.compile(r"\s+wildcards: sweep=(?P<sweep>[\w-]+)")
_ERROR = re.compile(r"Error in rule (?P<rule>\w+):")
_LOG = re.compile(r"\s+log: (?P<log>.+?) \(check log file")


class SnakemakeLog:
    """Reader of Snakemake's output while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._rest, self._rule, self._failed = file, b"", "", ""
        self._counts: dict[str, int] | None = None
        #: The number of jobs of each rule that will run; None until it is known.
        self.jobs: dict[str, int] | None = None
        #: The rule and the sweep of each job that has started, or would start in a dry run.
        self.started: list[tuple[str, str]] = []
        #: The rule of each failed job, with the logs of its command and of its queue.
        self.failed: list[tuple[str, list[Path]]] = []

    def read(self) -> None:
        """Read what was written since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        for line in lines:
            self._read_line(line.decode(errors="replace"))

    def _read_line(self, line: str) -> None:
        if line.startswith("Job stats:"):
            self._counts = {}
        elif self._counts is not None:  # in the table of job counts, until an empty line
            if written := _COUNT.fullmatch(line.strip()):
                self._counts[written["rule"]] = int(written["count"])
            elif not line.strip():
                self.jobs = {rule: self._counts[rule] for rule in RULES if rule in self._counts}
                self._counts = None
        elif written := _RULE.match(line):
            self._rule = written["rule"]
        elif written := _SWEEP.match(line):
            if self._rule:
                self.started.append((self._rule, written["sweep"]))
            self._rule = ""
        elif written := _ERROR.match(line):
            self._failed = written["rule"]
        elif self._failed and (written := _LOG.match(line)):
            self.failed.append((self._failed, [*map(Path, written["log"].split(", "))]))
            self._failed = ""


# ---- Estimates.


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
    time, tables = running_time(run_plan, capacity.workers), run_plan["tables"]
    numbers = {
        "run": run_plan["run"],
        "config": run_plan["config"],
        "workers": capacity.workers,
        "memory_per_worker": capacity.memory,
        "memory_of": capacity.whose,
        "url": run_plan["url"],
        "sweeps": [
            {"sweep": name, **_numbers(run_plan, [t for t in tables if name in t["sweeps"]])}
            for name in dict.fromkeys(sweep for table in tables for sweep in table["sweeps"])
        ],
        "total": _numbers(run_plan, tables),
        "proofs": len(run_plan["prove"]),
        "large": [_blocks(table, capacity.memory) for table in tables if table["large"]],
        "expected": {"seconds": round(time.seconds, 1), "stages": time.stages},
    }
    return run_plan, capacity, numbers


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
        workers = counted(self.workers, "worker")
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
