"""How far a run is: its stages, from the plan, from the files that are there, and from what tasks report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from choco_pipeline.cli.output import in_short, in_time
from choco_pipeline.cluster.connect import TaskProgress
from choco_pipeline.stages import UNITS, Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, is_done

#: Seconds between two lines in a log.
EVERY = 5.0
#: Steps of making statements of what was found: read, put together, tried.
STEPS = 3
#: Documents that the last stage writes: the ledger, five of the report, two of what was found; and those of a first ledger and report,
#: which a run with proofs has. How many pages proofs of families take is not known beforehand: the stage may seem done before they are.
DOCUMENTS, FIRST_DOCUMENTS = 8, 6
#: A few steps of different lengths, of which some wait for all other stages: how long those before took says nothing of the rest.
UNEVEN = (Stage.FIND, Stage.REPORT)


@dataclass
class StageProgress:
    """How far one stage of a run is."""

    #: What tasks report under.
    stage: Stage
    #: What the plan says; positions are counted for tables only.
    total: int
    total_positions: int
    #: What was there before the run began.
    reused: int = 0
    reused_positions: int = 0
    #: What there is now, in all.
    done: int = 0
    positions: int = 0
    #: Of them, those of large tables' blocks that were there before, too.
    kept_positions: int = 0
    #: Of the large tables that are being built, or were; those taken from tables of a smaller bound are reused.
    blocks: int = 0
    reused_blocks: int = 0
    all_blocks: int = 0
    seconds: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.done >= self.total

    @property
    def rate(self) -> float:
        """Positions a second since the stage began, 0 if unknown."""
        there = self.reused_positions + self.kept_positions
        return (self.positions - there) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until the stage is complete, if what it has done says."""
        if self.stage in UNEVEN:
            return None
        if self.total_positions:
            done, left = (
                self.positions - self.reused_positions - self.kept_positions,
                self.total_positions - self.positions,
            )
        else:
            done, left = self.done - self.reused, self.total - self.done
        # From less than a hundredth nothing follows, but that it would take years.
        return left / done * self.seconds if done > 0 and left < 100 * done else None

    def __str__(self) -> str:
        """Return the stage's progress as one phrase."""
        return f"{self.stage} {self.amount}"

    @property
    def amount(self) -> str:
        """How far the stage is, and how fast it goes on."""
        text = f"{self.done:,}/{self.total:,}"
        if self.all_blocks:
            text += f", {self.blocks:,}/{self.all_blocks:,} blocks"
        if self.total_positions:
            text += f", {in_short(self.positions)} positions"
        if self.is_complete:
            return text
        if self.rate:
            text += f", {in_short(self.rate)}/s"
        if self.seconds_left is not None:
            text += f", {in_time(self.seconds_left)} left"
        return text


class RunProgress:
    """The stages of a run, kept up to date with what tasks report."""

    def __init__(self, plan: Plan) -> None:
        """Take the totals from the plan, and what is there already from the results."""
        paths = Paths(RESULTS, plan["run"])
        tables = plan["tables"]
        self._tally = TaskProgress()
        self._started: dict[str, float] = {}

        def progress(stage: Stage) -> StageProgress:
            result = StageProgress(stage, 0, 0)
            for sweep, job in plan["jobs"][stage].items():
                result.total += job["amount"]
                if is_done(plan, paths, stage, sweep):
                    result.reused += job["amount"]
            return result

        kept = [table for table in tables if paths.manifest(table["shard"]).exists()]
        self.tables = StageProgress(
            Stage.BUILD,
            len(tables),
            sum(table["positions"] for table in tables),
            reused=len(kept),
            reused_positions=sum(table["positions"] for table in kept),
        )
        self.proofs = progress(Stage.PROVE)
        self.games = len(plan["prove"])  # beside them, statements are decided
        self.finding = StageProgress(Stage.FIND, STEPS, 0)
        if paths.found.exists():
            self.finding.reused = STEPS
        self.stages = [
            self.tables,
            progress(Stage.CHECK),
            progress(Stage.MINE),
            self.proofs,
            self.finding,
            StageProgress(Stage.REPORT, DOCUMENTS + (FIRST_DOCUMENTS if self.games else 0), 0),
        ]
        self.update()

    def expect(self, jobs: Mapping[str, int]) -> None:
        """Take from Snakemake that it makes statements again: that their code has changed is in no file's time."""
        if "find" in jobs:
            self.finding.reused = 0

    def add(self, event: Mapping[str, Any]) -> None:
        """Count what a task has reported."""
        self._started.setdefault(event["stage"], time.monotonic())
        self._tally.add(event)

    def update(self) -> None:
        """Bring the stages up to date."""
        for stage in self.stages:
            totals = self._tally.totals(stage.stage)
            if not stage.is_complete and stage.stage in self._started:
                stage.seconds = time.monotonic() - self._started[stage.stage]
            # A result that was there and is made again counts once.
            stage.done = min(stage.total, stage.reused + totals.get(UNITS[stage.stage], 0))
            stage.blocks, stage.all_blocks = totals.get("blocks", 0), totals.get("all_blocks", 0)
            stage.reused_blocks = totals.get("reused_blocks", 0)
            stage.kept_positions = totals.get("kept_positions", 0)
            there = stage.reused_positions + stage.kept_positions
            stage.positions = min(stage.total_positions, there + totals.get("positions", 0))

    @property
    def are_complete(self) -> bool:
        """Whether tables, checks, mining, proofs and statements are all there."""
        return all(stage.is_complete for stage in self.stages[:-1])

    def complete(self) -> None:
        """Say that all is done, as the files say."""
        for stage in self.stages:
            stage.done, stage.positions = stage.total, stage.total_positions


class Display:
    """What shows the progress of a run."""

    def __init__(self, console: Console) -> None:
        """Write to `console`."""
        self._console = console

    def show(self, stages: RunProgress) -> None:
        """Show how far the run is; called many times a second."""
        raise NotImplementedError

    def note(self, text: str) -> None:
        """Write a line of its own, above bars if there are any."""
        self._console.print(text, soft_wrap=True, markup=False, highlight=False)


class ProgressLines(Display):
    """Progress in a log: a line every few seconds, and one at the end of each stage."""

    def __init__(self, console: Console) -> None:
        """Write to `console`."""
        super().__init__(console)
        self._next = time.monotonic() + EVERY
        self._ended: set[str] = set()

    def show(self, stages: RunProgress) -> None:
        """Write a line if it is time for one."""
        for stage in stages.stages:
            if stage.total and stage.is_complete and stage.stage not in self._ended:
                self._ended.add(stage.stage)
                reused = f" ({stage.reused:,} reused)" if stage.reused else ""
                self.note(f"{stage}{reused}: done")
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            active = [
                str(stage) for stage in stages.stages if stage.total and not stage.is_complete
            ]
            if active:
                self.note("; ".join(active))


class Bars(Display):
    """Progress on a terminal: a bar for each stage."""

    def __init__(self, progress: Progress) -> None:
        """Draw with `progress`."""
        super().__init__(progress.console)
        self._progress = progress
        self._bars: dict[str, Any] = {}

    def show(self, stages: RunProgress) -> None:
        """Draw the bars anew."""
        for stage in stages.stages:
            if not stage.total:
                continue
            if stage.stage not in self._bars:
                self._bars[stage.stage] = self._progress.add_task(
                    stage.stage, total=stage.total, stage=stage
                )
            self._progress.update(self._bars[stage.stage], completed=stage.done, stage=stage)


@contextmanager
def display(console: Console) -> Iterator[Display]:
    """Show progress as bars on a terminal and as lines elsewhere."""
    if not console.is_terminal:
        yield ProgressLines(console)
        return
    columns = (
        TextColumn("{task.description:>6}"),
        BarColumn(30),
        TextColumn("{task.fields[stage].amount}"),
    )
    with Progress(*columns, console=console, refresh_per_second=8) as progress:
        yield Bars(progress)
