"""Distribution of the stage `find` to workers.

This module imports no kernels, because a light client submits the steps.
"""

from __future__ import annotations

import time
from pathlib import Path

from choco_pipeline.cluster.connect import Step, runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.stages import Stage

STEPS = "choco_pipeline.finding.steps"
#: Steps of each kind for several workers.
STEPS_OF_A_KIND = 32


def find_statements(plan_file: str, out_file: str) -> dict[str, int]:
    """Find and write a run's statements; return the numbers of them and of searches.

    The plan's tables, and the results of mining, proofs and questions on height functions, must exist. A
    `choco_pipeline.finding.statement.FoundDocument` is written to `out_file`, atomically. The steps run on the cluster, if there is
    one.
    """
    with runner() as run:
        parts = STEPS_OF_A_KIND if run.workers > 1 else 1
        run.report(Stage.FIND, steps=1)
        run.run(_steps((plan_file, time.time_ns()), out_file, parts))
    document = read_record(Path(out_file))
    return {"statements": len(document["statements"]), "searches": len(document["searches"])}


def _steps(run: tuple[str, int], out_file: str, parts: int) -> list[Step]:
    """Return the steps; `run` is the plan's file and the time at which they begin."""

    def several(
        name: str, function: str, needs: tuple[str, ...] = (), *, lanes: bool = True
    ) -> list[Step]:
        return [
            Step(
                f"{name}-{part}",
                f"{STEPS}:{function}",
                (run, part, parts),
                needs,
                lane=part if lanes else None,
            )
            for part in range(parts)
        ]

    searches = several("propose", "propose", lanes=False)
    trials = several("try", "answer", ("choose",))
    decisions = several("for-all", "answer", ("ask",))
    proposed, tried, decided = (
        tuple(step.key for step in steps) for steps in (searches, trials, decisions)
    )
    ask, concluding = (run, parts), (run, out_file, parts)
    # lane 0: one worker caches what these steps read and compare
    return [
        *searches,
        Step("choose", f"{STEPS}:ask", ask, proposed, lane=0),
        *trials,
        Step("ask", f"{STEPS}:ask", ask, (*proposed, *tried), lane=0),
        *decisions,
        Step("conclude", f"{STEPS}:conclude", concluding, (*proposed, *tried, *decided), lane=0),
    ]
