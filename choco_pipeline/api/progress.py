"""Progress of a long computation, and of the stages of a run, on the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from choco_pipeline.api.terminal import in_short, in_time
from choco_pipeline.cluster.connect import TaskProgress
from choco_pipeline.stages import UNITS, Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, is_done

#: Seconds between two lines if there is no terminal: for a computation, and for a run.
LINE_S, EVERY = 10, 5.0
#: Rich's placeholder for the name of a task.
DESCRIPTION = "{task.description}"
#: Number of steps of the stage `find`: read results, combine them, test statements.
STEPS = 3
#: Documents of the last stage: the ledger, five of the report, two of found statements. A run with proofs also has a first ledger
#: and report. Pages on proofs of families are not counted, because their number is not known in advance.
DOCUMENTS, FIRST_DOCUMENTS = 8, 6
#: Stages whose remaining time is unknown: they have a few steps of different lengths, some of which wait for other stages.
UNEVEN = (Stage.FIND, Stage.REPORT)


class Bars(Progress):
    """Progress bars on a terminal; lines at intervals elsewhere."""

    _next_line = 0.0

    def __init__(self, *columns: ProgressColumn) -> None:
        """Create bars with the task's name, these columns, and the elapsed time."""
        console = Console(stderr=True)
        shown = (TextColumn(DESCRIPTION), *columns, TimeElapsedColumn())
        super().__init__(*shown, console=console, transient=True, disable=not console.is_terminal)

    def start_task(self, task_id: TaskID) -> None:
        """Start a task; without a terminal, print its name."""
        super().start_task(task_id)
        self._print_line(task_id)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Count steps of a task."""
        super().advance(task_id, advance)
        self._print_line(task_id)

    def _print_line(self, task_id: TaskID) -> None:
        task = self._tasks[task_id]
        if not self.console.is_terminal and task.total and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_S
            self.console.print(f"{task.description} {task.completed:,.0f}/{task.total:,.0f}")


def bars() -> Bars:
    """Return progress bars that count the steps of tasks."""
    return Bars(BarColumn(), MofNCompleteColumn())


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Show a step and its duration; the yielded function renames the step."""
    with Bars(SpinnerColumn()) as progress:
        task = progress.add_task(what, total=None)
        yield lambda next_step: progress.update(task, description=next_step)


@dataclass
class StageProgress:
    """Progress of one stage of a run."""

    stage: Stage
    #: Totals from the plan; positions are counted only for tables.
    total: int
    total_positions: int = 0
    #: Results that existed before the run.
    reused: int = 0
    reused_positions: int = 0
    #: All finished results.
    done: int = 0
    positions: int = 0
    #: Positions in blocks that existed before the run, of unfinished large tables.
    kept_positions: int = 0
    #: Finished blocks of large tables, those copied from tables of a smaller bound, and all.
    blocks: int = 0
    reused_blocks: int = 0
    all_blocks: int = 0
    seconds: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all is done."""
        return self.done >= self.total

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until the stage is complete; None if they are unknown."""
        if self.stage in UNEVEN:
            return None
        done, left = self.done - self.reused, self.total - self.done
        if self.total_positions:
            done, left = self.new_positions, self.total_positions - self.positions
        # The first hundredth is too little for an estimate.
        return left / done * self.seconds if done > 0 and left < 100 * done else None

    @property
    def new_positions(self) -> int:
        """Positions since the stage began."""
        return self.positions - self.reused_positions - self.kept_positions

    @property
    def amount(self) -> str:
        """The finished part, the speed and the remaining time."""
        text = f"{self.done:,}/{self.total:,}"
        if self.all_blocks:
            text += f", {self.blocks:,}/{self.all_blocks:,} blocks"
        if self.total_positions:
            text += f", {in_short(self.positions)} positions"
        if self.is_complete:
            return text
        if self.seconds > 0 and self.new_positions:
            text += f", {in_short(self.new_positions / self.seconds)}/s"
        if self.seconds_left is not None:
            text += f", {in_time(self.seconds_left)} left"
        return text


class RunProgress:
    """The progress of all stages of a run, from the reports of its tasks."""

    def __init__(self, plan: Plan) -> None:
        """Read the totals from the plan, and the finished parts from the results."""
        paths = Paths(RESULTS, plan["run"])
        self._tally = TaskProgress()
        self._started: dict[str, float] = {}
        self.games = len(plan["prove"])
        documents = DOCUMENTS + (FIRST_DOCUMENTS if self.games else 0)
        self.stages = [
            StageProgress(Stage.BUILD, len(plan["tables"])),
            *(StageProgress(stage, 0) for stage in (Stage.CHECK, Stage.MINE, Stage.PROVE)),
            StageProgress(Stage.FIND, STEPS, reused=STEPS if paths.found.exists() else 0),
            StageProgress(Stage.REPORT, documents),
        ]
        self.tables, *by_sweep, self.finding, _ = self.stages
        self.proofs = by_sweep[-1]
        for table in plan["tables"]:
            is_stored = paths.manifest(table["shard"]).exists()
            self.tables.total_positions += table["positions"]
            self.tables.reused += is_stored
            self.tables.reused_positions += table["positions"] * is_stored
        for progress in by_sweep:
            for sweep, job in plan["jobs"][progress.stage].items():
                progress.total += job["amount"]
                if is_done(plan, paths, progress.stage, sweep):
                    progress.reused += job["amount"]
        self.update()

    def add(self, event: Mapping[str, Any]) -> None:
        """Count the report of a task."""
        self._started.setdefault(event["stage"], time.monotonic())
        self._tally.add(event)

    def update(self) -> None:
        """Update the stages from the reports."""
        for stage in self.stages:
            totals = self._tally.totals(stage.stage)
            if not stage.is_complete and stage.stage in self._started:
                stage.seconds = time.monotonic() - self._started[stage.stage]
            # An existing result that is computed again counts once.
            stage.done = min(stage.total, stage.reused + totals.get(UNITS[stage.stage], 0))
            for name in ("blocks", "all_blocks", "reused_blocks", "kept_positions"):
                setattr(stage, name, totals.get(name, 0))
            earlier = stage.reused_positions + stage.kept_positions
            stage.positions = min(stage.total_positions, earlier + totals.get("positions", 0))

    @property
    def are_complete(self) -> bool:
        """Whether all stages before the report are complete."""
        return all(stage.is_complete for stage in self.stages[:-1])

    def complete(self) -> None:
        """Mark all stages as complete."""
        for stage in self.stages:
            stage.done, stage.positions = stage.total, stage.total_positions


def print_line(console: Console, text: str) -> None:
    """Print a line as it is, above the bars of a display on this console."""
    console.print(text, soft_wrap=True, markup=False, highlight=False)


class Display:
    """Display of a run's stages: bars on a terminal, lines about changes elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        #: The bars; they are shown in its context.
        self.progress = Progress(
            TextColumn("{task.description:>6}"),
            BarColumn(30),
            TextColumn("{task.fields[stage].amount}"),
            console=console,
            refresh_per_second=8,
            disable=not console.is_terminal,
        )
        self._bars: dict[Stage, TaskID] = {}
        self._next_line, self._last = time.monotonic() + EVERY, ""
        self._ended: set[Stage] = set()

    def show(self, run: RunProgress) -> None:
        """Show the progress; may be called many times a second."""
        stages = [stage for stage in run.stages if stage.total]
        if self._console.is_terminal:
            for one in stages:
                if one.stage not in self._bars:
                    bar = self.progress.add_task(one.stage, total=one.total, stage=one)
                    self._bars[one.stage] = bar
                self.progress.update(self._bars[one.stage], completed=one.done, stage=one)
            return
        for one in stages:
            if one.is_complete and one.stage not in self._ended:
                self._ended.add(one.stage)
                reused = f" ({one.reused:,} reused)" if one.reused else ""
                print_line(self._console, f"{one.stage} {one.amount}{reused}: done")
        active = "; ".join(f"{one.stage} {one.amount}" for one in stages if not one.is_complete)
        if active != self._last and time.monotonic() >= self._next_line:
            self._next_line, self._last = time.monotonic() + EVERY, active
            if active:
                print_line(self._console, active)
