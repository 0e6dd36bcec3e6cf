"""Progress of one long computation on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

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

P = TypeVar("P", bound=Progress)
#: Seconds between two lines without a terminal.
LINE_S = 10
#: The placeholder of rich for the name of a task.
DESCRIPTION = "{task.description}"


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Show a step and its duration; the yielded function renames the step."""
    columns = (SpinnerColumn(), TextColumn(DESCRIPTION), TimeElapsedColumn())
    with _on_terminal(*columns, kind=Progress) as progress:
        task = progress.add_task(what, total=None)
        yield lambda next_step: progress.update(task, description=next_step)


class Bars(Progress):
    """Progress bars on a terminal; elsewhere a line for each task from time to time."""

    _next_line = 0.0

    def start_task(self, task_id: TaskID) -> None:
        """Start a task, and print its name without a terminal."""
        super().start_task(task_id)
        self._tell(task_id)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Count steps of a task."""
        super().advance(task_id, advance)
        self._tell(task_id)

    def _tell(self, task_id: TaskID) -> None:
        task = self._tasks[task_id]
        if not self.console.is_terminal and task.total and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_S
            self.console.print(f"{task.description} {task.completed:,.0f}/{task.total:,.0f}")


def bars() -> Bars:
    """Return progress bars that count the steps of tasks."""
    return _on_terminal(
        TextColumn(DESCRIPTION), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), kind=Bars
    )


def _on_terminal(*columns: ProgressColumn, kind: type[P]) -> P:
    console = Console(stderr=True)
    return kind(*columns, console=console, transient=True, disable=not console.is_terminal)
