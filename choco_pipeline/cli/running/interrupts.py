"""Ctrl-C and SIGTERM during a run: the first ends it in order, the second at once, and neither leaves a process."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType

import psutil

from choco_pipeline.cli.running.supervise import ROUNDS
from choco_pipeline.cli.running.workers import DASK
from choco_pipeline.sweep.run_files import RESULTS


@dataclass
class Signals:
    """The signals that a run has received, and what kills, after the second of them, all that it has started."""

    received: list[int] = field(default_factory=list)
    kills: list[Callable[[], None]] = field(default_factory=list)

    def end_at_once(self) -> None:
        """Kill what the run has started, and this process's own children until there are none."""
        # Threads that go on for a moment would complain of what is killed here.
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), sys.stderr.fileno())
        for kill in self.kills:
            kill()
        for _ in range(ROUNDS):
            # Dask starts a worker again that was killed.
            if not (children := psutil.Process().children(recursive=True)):
                break
            for process in children:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(children, 0.02)
        shutil.rmtree(RESULTS / DASK, ignore_errors=True)


@contextmanager
def collected_signals() -> Iterator[Signals]:
    """Collect SIGINT and SIGTERM; the second of them kills everything at once."""
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
