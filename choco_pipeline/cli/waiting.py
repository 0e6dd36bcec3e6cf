"""What a terminal shows while one long computation runs: what it is, and since when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

#: What rich calls the words of a task.
DESCRIPTION = "{task.description}"


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done and how long it has taken; what is yielded tells what comes next."""
    with _shown(SpinnerColumn(), TextColumn(DESCRIPTION), TimeElapsedColumn()) as progress:
        task = progress.add_task(what, total=None)
        yield lambda next_step: progress.update(task, description=next_step)


def bars() -> Progress:
    """Return what shows on a terminal, until it is done, how many of its tasks' steps are."""
    return _shown(TextColumn(DESCRIPTION), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())


def _shown(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
