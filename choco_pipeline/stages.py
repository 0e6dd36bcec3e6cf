"""The stages of a run, and the kinds of work orders that each carries out: one word for each, wherever it is named.

The word of a kind of work is its Snakemake rule, the key of its orders in the plan, and the folder of these orders, of what comes of
them and of their logs; its stage is the word that progress is reported under. Tasks import this module, so it knows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Stage(StrEnum):
    """A stage of a run, in their order."""

    PLAN = "plan"
    BUILD = "build"
    CHECK = "check"
    MINE = "mine"
    PROVE = "prove"
    FIND = "find"
    REPORT = "report"


#: The names of the kinds of work orders.
WorkName = Literal["check", "check_statements", "mine", "mine_heights", "prove", "prove_statements"]


@dataclass(frozen=True)
class Work:
    """A kind of work orders."""

    #: Whose work it is.
    stage: Stage
    #: The stage's word, and what else than its main work is meant.
    name: WorkName
    #: What one order asks for one or more of, in the plural.
    asks: str
    #: The function that carries an order out, as ``module:function`` in the package.
    task: str
    #: Whether an order is for the tables of a shard, whose name it has; else it is for a part of the work.
    reads_tables: bool = False


CHECK = Work(Stage.CHECK, "check", "claims on tables", "claims.task:check_shard", reads_tables=True)
CHECK_STATEMENTS = Work(
    Stage.CHECK, "check_statements", "statements", "claims.task:check_standing_statements"
)
MINE = Work(Stage.MINE, "mine", "tables", "mining.task:mine_shard", reads_tables=True)
MINE_HEIGHTS = Work(
    Stage.MINE,
    "mine_heights",
    "questions on height functions",
    "finding.height_functions.height_statements:classify_heights",
)
PROVE = Work(Stage.PROVE, "prove", "proofs", "proof.task:prove_order")
PROVE_STATEMENTS = Work(Stage.PROVE, "prove_statements", "statements", "proof.task:decide_order")
#: Every kind of work by its name, in the order of the stages.
WORK: Mapping[str, Work] = {
    work.name: work
    for work in (CHECK, CHECK_STATEMENTS, MINE, MINE_HEIGHTS, PROVE, PROVE_STATEMENTS)
}
#: What the tasks of a stage count when they say how far it is.
UNITS: Mapping[Stage, str] = {
    Stage.BUILD: "tables",
    Stage.CHECK: "checks",
    Stage.MINE: "searches",
    Stage.PROVE: "proofs",
    Stage.FIND: "steps",
    Stage.REPORT: "documents",
}
#: The rules of a stage that carries out no work orders; a plan is made before any rule.
_RULES: Mapping[Stage, tuple[str, ...]] = {
    Stage.BUILD: ("build",),
    Stage.FIND: ("find",),
    Stage.REPORT: ("first_report", "ledger", "report"),
}


def work_of(stage: Stage) -> tuple[Work, ...]:
    """Return the kinds of work orders of a stage."""
    return tuple(work for work in WORK.values() if work.stage == stage)


def rules_of(stage: Stage) -> tuple[str, ...]:
    """Return the Snakemake rules of a stage."""
    return (*(work.name for work in work_of(stage)), *_RULES.get(stage, ()))
