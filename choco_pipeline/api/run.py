"""A run: Snakemake and a Dask cluster as child processes."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import IO, Any

import psutil
from rich.console import Console

from choco_pipeline.api.lock import bring_to_now, results_lock
from choco_pipeline.api.plan import running_time
from choco_pipeline.api.progress import Display, RunProgress, display
from choco_pipeline.api.supervise import ROUNDS, Supervised
from choco_pipeline.api.terminal import in_short, in_time, note
from choco_pipeline.api.workers import DASK, PROFILES, Workers, capacity_of
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cluster.cluster_file import Description
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ADVICE, DISAGREEMENT, ChocoError
from choco_pipeline.shipped import SHIPPED
from choco_pipeline.stages import RULES, Stage
from choco_pipeline.sweep.damage import plan_without_damage
from choco_pipeline.sweep.run_files import DISAGREEMENT_SUFFIX, RESULTS, Paths, Plan
from choco_pipeline.sweep.run_plan import Capacity, current_plan, require_object_store

SNAKEFILE = SHIPPED / "Snakefile"
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
            written = stack.enter_context(self.log.open("wb"))
            events = SnakemakeLog(stack.enter_context(self.log.open("rb")))
            environment = {**os.environ, **self.cluster.environment}
            command = _snakemake(self.config, *self.cluster.options)
            child = Supervised(command, written, environment)
            stack.callback(child.close)
            self.signals.kills.append(child.kill)
            record(child.pid)
            show = stack.enter_context(display(self.console))
            if not self.stages.are_complete:  # the cluster and Snakemake start at the same time
                self._say(f"{running_time(self.plan, self.workers)}")
                self._start_cluster(show, warm_up=not self.stages.tables.is_complete)
            code = None
            while code is None and not self.signals.received:
                time.sleep(TICK)
                code = child.poll()
                self._follow(events, show)
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

    def _follow(self, events: SnakemakeLog, show: Display) -> None:
        """Handle Snakemake's events, and show the progress."""
        for event in events.events():
            match event:
                case Jobs(counts):
                    self.jobs = counts
                    self.stages.expect(counts)
                    self._start_cluster(show, warm_up="build" in counts)
                case Failed(rule, logs):
                    log = next(filter(_last_line, logs), logs[0])
                    error = _last_line(log) or _why_nothing()
                    self.failures.append({"rule": rule, "error": error, "log": log.as_posix()})
                    self._say(f"{rule} failed: {error} ({log.as_posix()})")
                case Job():
                    pass
        for report in self.cluster.reports():
            self.stages.add(report)
        if self.first_is_awaited and _written(self.first_report) != self.first_before:
            self.first_is_awaited = False
            if not self.stages.proofs.is_complete:
                self._say(f"first report, on claims and tables: {self.first_report}")
        self.stages.update()
        if self.jobs:
            show.show(self.stages)

    def _start_cluster(self, show: Display, *, warm_up: bool) -> None:
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
        self.console.print(text, soft_wrap=True, markup=False, highlight=False)


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
    jobs: dict[str, int] = {}
    amounts: Counter[str] = Counter()
    for event in SnakemakeLog(io.BytesIO(done.stdout + done.stderr)).events():
        match event:
            case Jobs(counts):
                jobs = counts
            case Job(rule, sweep):
                amounts[rule] += plan["jobs"][Stage(rule)][sweep]["amount"]
            case Failed():
                pass
    return plan, jobs, amounts


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


@dataclass(frozen=True)
class Jobs:
    """The number of jobs of each rule that will run."""

    counts: dict[str, int]


@dataclass(frozen=True)
class Job:
    """A job that has started, or would start in a dry run."""

    rule: str
    sweep: str


@dataclass(frozen=True)
class Failed:
    """A failed job, with the logs of its command and of its queue."""

    rule: str
    logs: tuple[Path, ...]


Event = Jobs | Job | Failed


class SnakemakeLog:
    """Reader of Snakemake's output while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._rest = b""
        self._counts: dict[str, int] | None = None
        self._rule = ""
        self._failed = ""

    def events(self) -> Iterator[Event]:
        """Yield the events since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        for line in lines:
            yield from self._event(line.decode(errors="replace"))

    def _event(self, line: str) -> Iterator[Event]:
        if line.startswith("Job stats:"):
            self._counts = {}
        elif self._counts is not None:  # in the table of job counts, until an empty line
            if written := _COUNT.fullmatch(line.strip()):
                self._counts[written["rule"]] = int(written["count"])
            elif not line.strip():
                yield Jobs({rule: self._counts[rule] for rule in RULES if rule in self._counts})
                self._counts = None
        elif written := _RULE.match(line):
            self._rule = written["rule"]
        elif written := _SWEEP.match(line):
            if self._rule:
                yield Job(self._rule, written["sweep"])
            self._rule = ""
        elif written := _ERROR.match(line):
            self._failed = written["rule"]
        elif self._failed and (written := _LOG.match(line)):
            yield Failed(self._failed, tuple(map(Path, written["log"].split(", "))))
            self._failed = ""
