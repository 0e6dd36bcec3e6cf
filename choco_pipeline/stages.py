"""The stages of a run, and the kinds of work in them: one word for each.

The word of a stage is its Snakemake rule, the folder of its results and of its logs, and the word in progress reports. Tasks import
this module, so it imports nothing of the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """A stage of a run, in their order."""

    PLAN = "plan"
    BUILD = "build"
    CHECK = "check"
    MINE = "mine"
    PROVE = "prove"
    FIND = "find"
    REPORT = "report"


#: The stages with a job for each sweep. The rest have one job for the whole run.
BY_SWEEP = (Stage.BUILD, Stage.CHECK, Stage.MINE, Stage.PROVE)
#: The Snakemake rules that do the work of a run, in order.
RULES = (
    "plan",
    "build",
    "check",
    "mine",
    "prove",
    "find",
    "first_report",
    "ledger",
    "pages",
    "report",
)


@dataclass(frozen=True)
class Work:
    """A kind of work in a stage, with its name in orders."""

    stage: Stage
    name: str
    #: The function that does one part of a job, as ``module:function`` in the package.
    task: str


CHECK = Work(Stage.CHECK, "check", "claims.task:check_shard")
CHECK_STATEMENTS = Work(Stage.CHECK, "check_statements", "claims.task:check_standing_statements")
MINE = Work(Stage.MINE, "mine", "mining.task:mine_shard")
MINE_HEIGHTS = Work(Stage.MINE, "mine_heights", "finding.heights:classify_heights")
PROVE = Work(Stage.PROVE, "prove", "proof.task:prove_order")
PROVE_STATEMENTS = Work(Stage.PROVE, "prove_statements", "proof.task:decide_order")
#: Every kind of work by its name, in the order in which a cluster begins. Decisions for all parameters come before proofs of single
#: games, because one of them is the longest task.
WORK: Mapping[str, Work] = {
    work.name: work
    for work in (CHECK, CHECK_STATEMENTS, MINE, MINE_HEIGHTS, PROVE_STATEMENTS, PROVE)
}
#: What the tasks of a stage count in their progress reports.
UNITS: Mapping[Stage, str] = {
    Stage.BUILD: "tables",
    Stage.CHECK: "checks",
    Stage.MINE: "searches",
    Stage.PROVE: "proofs",
    Stage.FIND: "steps",
    Stage.REPORT: "documents",
}
#: Key of a result with a proof that was killed from outside. The next run repeats it.
KILLED = "killed"
