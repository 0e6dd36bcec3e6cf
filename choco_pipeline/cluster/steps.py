"""Many tasks that hand results on to each other, run in an order that they allow: here, or on the Dask cluster."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from choco_pipeline.cluster.connect import SCHEDULER, ignore, resolve


@dataclass(frozen=True)
class Step:
    """One task among others."""

    #: Its name; no other step of the same list has it.
    key: str
    #: ``package.module:function``. Called as ``function(*arguments, *results, report)``.
    target: str
    #: Plain data.
    arguments: tuple[Any, ...]
    #: The keys of steps whose results it is given; they stand before it in the list. Results are whatever the targets
    #: return, and must not be changed, since a step may run again when a worker dies.
    needs: tuple[str, ...] = ()
    #: Steps of the same lane run on the same worker while it lives, lanes one after the other on different ones. Without
    #: a lane a step that needs others runs where one of their results is, so that all may end up on one worker.
    lane: int | None = None


def nothing() -> None:
    """Watch nothing."""


class Runner(Protocol):
    """What runs steps."""

    #: Bytes that each of them may use, or None if nothing is said.
    memory: int | None
    #: How many of them run at the same time.
    workers: int

    def run(self, steps: Sequence[Step], watch: Callable[[], None] = nothing) -> None:
        """Run steps to their end; a result is kept only as long as steps that have not run need it.

        Where the choice is free they run in the order in which they are given; `watch` is called now and then meanwhile. Raises
        `ChocoError` as a target raised it, with the same message; `ClusterError` if the cluster goes away, or a step has killed
        several workers.
        """

    def report(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to what is done of `stage`."""


class Here:
    """Steps one after the other, in this process."""

    memory: int | None = None
    workers: int = 1

    def run(self, steps: Sequence[Step], watch: Callable[[], None] = nothing) -> None:
        """Run the steps in the order of the list; nobody is told how far they are."""
        left = Counter(need for step in steps for need in step.needs)
        results: dict[str, Any] = {}
        for step in steps:
            needed = [results[need] for need in step.needs]
            result = resolve(step.target)(*step.arguments, *needed, self.report)
            if left[step.key]:
                results[step.key] = result
            del needed, result
            for need in step.needs:
                left[need] -= 1
                if not left[need]:
                    del results[need]

    def report(self, stage: str, **numbers: int) -> None:
        """Report to nobody."""
        ignore(stage, **numbers)


@contextmanager
def runner() -> Iterator[Runner]:
    """Run steps on the cluster that the environment names, or in this process where it names none."""
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        yield Here()
        return
    # distributed takes half a second to import
    with resolve("choco_pipeline.cluster.graph:on_cluster")(scheduler) as on_cluster:
        yield on_cluster
