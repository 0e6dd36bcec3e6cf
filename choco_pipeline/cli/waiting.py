"""What a terminal shows while one long computation runs: what it is, and since when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done and how long it has taken; what is yielded tells what comes next."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(what, total=None)
        yield lambda next_step: progress.update(task, description=next_step)
