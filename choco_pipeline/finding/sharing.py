"""How the stage of found statements is shared out: it imports nothing that computes, since a light client makes the steps."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.cluster.steps import Step, runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.stages import Stage

STEPS = "choco_pipeline.finding.find_steps"
#: Steps of a kind for each worker: what one has to do takes some seconds, and differs.
FOR_EACH_WORKER = 4
#: Of a kind there are at most so many.
MOST_STEPS = 16


def find_statements(plan_file: str, out_file: str) -> dict[str, int]:
    """Make statements of what a run's searches found, on the cluster or here, and write them.

    The plan's tables, and what was mined, proved and asked of height functions, must be there. The other file receives a
    `choco_pipeline.finding.statements.found_document.FoundDocument`, whole or not at all; numbers of statements and of searches
    are returned.
    """
    with runner() as run:
        parts = min(MOST_STEPS, FOR_EACH_WORKER * run.workers) if run.workers > 1 else 1
        run.report(Stage.FIND, steps=1)
        run.run(_steps(plan_file, out_file, parts))
    document = read_record(Path(out_file))
    return {"statements": len(document["statements"]), "searches": len(document["searches"])}


def _steps(plan_file: str, out_file: str, parts: int) -> list[Step]:
    searches = [
        Step(f"propose-{part}", f"{STEPS}:propose", (plan_file, part, parts))
        for part in range(parts)
    ]
    proposed = tuple(step.key for step in searches)
    trials = [
        Step(f"try-{part}", f"{STEPS}:try_some", (plan_file, part, parts), ("choose",), lane=part)
        for part in range(parts)
    ]
    shown = tuple(step.key for step in trials)
    decisions = [
        Step(
            f"for-all-{part}", f"{STEPS}:decide_some", (plan_file, part, parts), ("ask",), lane=part
        )
        for part in range(parts)
    ]
    decided = tuple(step.key for step in decisions)
    before = (*proposed, *shown)
    return [
        *searches,
        Step("choose", f"{STEPS}:choose", (plan_file,), proposed),
        *trials,
        Step("ask", f"{STEPS}:ask", (plan_file, parts), before),
        *decisions,
        Step(
            "conclude",
            f"{STEPS}:conclude",
            (plan_file, out_file, parts),
            (*before, "ask", *decided),
        ),
    ]
