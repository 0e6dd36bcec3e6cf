"""How far a run is: its stages, from the plan, from the files that are there, and from what tasks report."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from choco_pipeline.cli.output import in_short, in_time
from choco_pipeline.cluster.progress import TaskProgress
from choco_pipeline.sweep.paths import RESULTS, Paths

#: Seconds between two lines in a log.
EVERY = 5.0
#: Steps of making statements of what was found: read, put together, tried.
STEPS = 3
#: Documents that the last stage writes: the ledger and the four files of the report; with proofs twice, before and after.
DOCUMENTS = 5


@dataclass
class Stage:
    """One stage of a run.

    Attributes
    ----------
    name, unit
        As in ``tables: 120 of 200 tables``; `name` is what tasks report under, `unit` what they count.
    total, total_positions
        What the plan says; positions are counted for tables only.
    reused, reused_positions
        What was there before the run began.
    done, positions
        What there is now, in all.
    kept_positions
        Of them, those of large tables' blocks that were there before, too.
    blocks, reused_blocks, all_blocks
        Of the large tables that are being built, or were; those taken from tables of a smaller bound are reused.
    """

    name: str
    unit: str
    total: int
    total_positions: int
    reused: int = 0
    reused_positions: int = 0
    done: int = 0
    positions: int = 0
    kept_positions: int = 0
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
        text = f"{self.name} {self.done:,}/{self.total:,}"
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


class Stages:
    """The stages of a run, kept up to date with what tasks report."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """Take the totals from the plan, and what is there already from the results."""
        paths = Paths(RESULTS, plan["run"])
        tables = {table["id"]: table for table in plan["tables"]}
        self._tally = TaskProgress()
        self._started: dict[str, float] = {}
        folder = paths.plan.parent
        work = work_by_order(plan)

        def finished(inputs: Iterable[Path], output: Path) -> bool:
            if not output.exists():
                return False
            made = output.stat().st_mtime_ns
            return all(path.exists() and path.stat().st_mtime_ns <= made for path in inputs)

        def stage(name: str, unit: str, output: str, *kinds: str) -> Stage:
            result = Stage(name, unit, 0, 0)
            for kind in kinds:
                for of, number in work[kind].items():
                    inputs = [paths.order(kind, of)]
                    if kind in ("checks", "mines"):
                        inputs.append(paths.manifest(of))
                    result.total += number
                    if finished(inputs, folder / output / f"{of}.json"):
                        result.reused += number
            return result

        built = {shard for shard in plan["shards"] if paths.manifest(shard).exists()}
        kept = [table for table in tables.values() if table["shard"] in built]
        self.tables = Stage(
            "tables", "tables", len(tables), sum(table["positions"] for table in tables.values())
        )
        self.tables.reused = len(kept)
        self.tables.reused_positions = sum(table["positions"] for table in kept)
        self.proofs = stage("proofs", "proofs", "proved", "proofs", "statements")
        self.games = len(plan["proofs"])  # beside them, statements are decided
        classified = stage("finding", "steps", "classified", "heights")
        finding = replace(classified, total=STEPS + classified.total)
        found = [folder / "mining" / f"{shard}.json" for shard in work["mines"]]
        found += [folder / "proved" / f"{part}.json" for part in work["proofs"]]
        found += [folder / "classified" / f"{part}.json" for part in work["heights"]]
        if finished([paths.plan, *found], folder / "found.json"):
            finding.reused = finding.total
        self.finding = finding
        self.stages = [
            self.tables,
            stage("checks", "checks", "verdicts", "checks", "standing"),
            stage("mining", "tables", "mining", "mines"),
            self.proofs,
            finding,
            Stage("report", "documents", DOCUMENTS * (2 if plan["proofs"] else 1), 0),
        ]
        self.update()

    def expect(self, jobs: Mapping[str, int]) -> None:
        """Take from Snakemake that it makes statements again: that their code has changed is in no file's time."""
        if "find" in jobs:
            self.finding.reused = min(self.finding.reused, self.finding.total - STEPS)

    def add(self, event: Mapping[str, Any]) -> None:
        """Count what a task has reported."""
        self._started.setdefault(event["stage"], time.monotonic())
        self._tally.add(event)

    def update(self) -> None:
        """Bring the stages up to date."""
        for stage in self.stages:
            totals = self._tally.totals(stage.name)
            if not stage.is_complete and stage.name in self._started:
                stage.seconds = time.monotonic() - self._started[stage.name]
            # A result that was there and is made again counts once.
            stage.done = min(stage.total, stage.reused + totals.get(stage.unit, 0))
            stage.blocks, stage.all_blocks = totals.get("blocks", 0), totals.get("all_blocks", 0)
            stage.reused_blocks = totals.get("reused_blocks", 0)
            stage.kept_positions = totals.get("kept_positions", 0)
            there = stage.reused_positions + stage.kept_positions
            stage.positions = min(stage.total_positions, there + totals.get("positions", 0))

    @property
    def are_complete(self) -> bool:
        """Whether tables, checks, mining, proofs and statements are all there, as far as the files' times say."""
        return all(stage.is_complete for stage in self.stages[:-1])

    def complete(self) -> None:
        """Say that all is done, as the files say."""
        for stage in self.stages:
            stage.done, stage.positions = stage.total, stage.total_positions


class Display(Protocol):
    """What shows the progress of a run."""

    def show(self, stages: Stages) -> None:
        """Show how far the run is; called many times a second."""

    def note(self, text: str) -> None:
        """Say something in a line of its own."""


class ProgressLines:
    """Progress in a log: a line every few seconds, and one at the end of each stage."""

    def __init__(self, console: Console) -> None:
        """Write to `console`."""
        self._console = console
        self._next = time.monotonic() + EVERY
        self._ended: set[str] = set()

    def show(self, stages: Stages) -> None:
        """Write a line if it is time for one."""
        for stage in stages.stages:
            if stage.total and stage.is_complete and stage.name not in self._ended:
                self._ended.add(stage.name)
                reused = f" ({stage.reused:,} reused)" if stage.reused else ""
                self.note(f"{stage}{reused}: done")
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            active = [
                str(stage) for stage in stages.stages if stage.total and not stage.is_complete
            ]
            if active:
                self.note("; ".join(active))

    def note(self, text: str) -> None:
        """Write a line."""
        self._console.print(text, soft_wrap=True, markup=False, highlight=False)


class Bars:
    """Progress on a terminal: a bar for each stage."""

    def __init__(self, progress: Progress) -> None:
        """Draw with `progress`."""
        self._progress = progress
        self._bars: dict[str, Any] = {}

    def show(self, stages: Stages) -> None:
        """Draw the bars anew."""
        for stage in stages.stages:
            if not stage.total:
                continue
            if stage.name not in self._bars:
                self._bars[stage.name] = self._progress.add_task(
                    stage.name, total=stage.total, stage=stage
                )
            self._progress.update(self._bars[stage.name], completed=stage.done, stage=stage)

    def note(self, text: str) -> None:
        """Write a line above the bars."""
        self._progress.console.print(text, soft_wrap=True, markup=False, highlight=False)


class _StageColumn(ProgressColumn):
    """What a stage says of itself, but for its name, which stands before the bar."""

    def render(self, task: Task) -> Text:
        """Return the text beside a bar."""
        return Text(str(task.fields["stage"]).partition(" ")[2])


@contextmanager
def display(console: Console) -> Iterator[Display]:
    """Show progress as bars on a terminal and as lines elsewhere."""
    if not console.is_terminal:
        yield ProgressLines(console)
        return
    columns = (TextColumn("{task.description:>7}"), BarColumn(30), _StageColumn())
    with Progress(*columns, console=console, refresh_per_second=8) as progress:
        yield Bars(progress)


def work_by_order(plan: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """Return how much there is to do in each work order: for each kind, by the name of its shard or part."""
    shard_of = {table["id"]: table["shard"] for table in plan["tables"]}
    return {
        "checks": Counter(shard_of[order["table"]] for order in plan["checks"]),
        "standing": Counter(order["part"] for order in plan["standing"]),
        "mines": Counter(shard_of[order["table"]] for order in plan["mines"]),
        "proofs": Counter(order["part"] for order in plan["proofs"]),
        "statements": Counter(order["part"] for order in plan["statements"]),
        "heights": Counter(order["part"] for order in plan["heights"]),
    }
