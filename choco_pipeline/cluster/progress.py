"""How far tasks are: reports that travel from workers to the run that waits for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

#: The scheduler's log topic that reports travel under.
TOPIC = "choco-progress"


class Report(Protocol):
    """What a task is given to say how far it is."""

    def __call__(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to what is done of `stage`."""


def ignore(stage: str, **numbers: int) -> None:
    """Report to nobody: what a task is given outside of a cluster."""


@dataclass
class TaskProgress:
    """What tasks have reported so far.

    A task whose worker died runs again from its start, so what its earlier attempt reported is forgotten.
    """

    #: For each task the worker that runs it, and what that worker has reported, by stage and by what it counts.
    _attempts: dict[str, tuple[str, dict[tuple[str, str], int]]] = field(default_factory=dict)

    def add(self, event: Mapping[str, Any]) -> None:
        """Count a report, as `choco_pipeline.cluster.task.run_target` sends it."""
        worker, numbers = self._attempts.get(event["task"], (event["worker"], {}))
        if worker != event["worker"]:
            worker, numbers = event["worker"], {}
        for what, number in event["numbers"].items():
            key = (event["stage"], what)
            numbers[key] = numbers.get(key, 0) + number
        self._attempts[event["task"]] = worker, numbers

    def totals(self, stage: str) -> dict[str, int]:
        """Return the sums of what was reported for `stage`, by name."""
        sums: dict[str, int] = {}
        for _, numbers in self._attempts.values():
            for (of, what), number in numbers.items():
                if of == stage:
                    sums[what] = sums.get(what, 0) + number
        return sums
