"""The stages of a run, and the kinds of work in them.

The name of a stage is also that of its Snakemake rule, of the folders of its results and logs, and in progress reports. This module
imports no other module of the package, because tasks import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """The stages of a run, in order."""

    PLAN = "plan"
    BUILD = "build"
    CHECK = "check"
    MINE = "mine"
    PROVE = "prove"
    FIND = "find"
    REPORT = "report"


#: The stages with a job for each sweep. The others have one job for the whole run.
BY_SWEEP = (Stage.BUILD, Stage.CHECK, Stage.MINE, Stage.PROVE)
#: The Snakemake rules of a run, in order.
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
    """A kind of work in a stage; `name` is used in orders."""

    stage: Stage
    name: str
    #: The function for one part of a job, as ``module:function`` in the package.
    task: str


CHECK = Work(Stage.CHECK, "check", "claims.task:check_shard")
CHECK_STATEMENTS = Work(Stage.CHECK, "check_statements", "claims.task:check_standing_statements")
MINE = Work(Stage.MINE, "mine", "mining.task:mine_shard")
MINE_HEIGHTS = Work(Stage.MINE, "mine_heights", "finding.heights:classify_heights")
PROVE = Work(Stage.PROVE, "prove", "proof.task:prove_order")
PROVE_STATEMENTS = Work(Stage.PROVE, "prove_statements", "proof.task:decide_order")
#: All kinds of work by name, in the order of their priority on a cluster. Decisions for all parameters come before proofs of games,
#: because one of them is the longest task.
WORK: Mapping[str, Work] = {
    work.name: work
    for work in (CHECK, CHECK_STATEMENTS, MINE, MINE_HEIGHTS, PROVE_STATEMENTS, PROVE)
}
#: The unit of each stage in progress reports.
UNITS: Mapping[Stage, str] = {
    Stage.BUILD: "tables",
    Stage.CHECK: "checks",
    Stage.MINE: "searches",
    Stage.PROVE: "proofs",
    Stage.FIND: "steps",
    Stage.REPORT: "documents",
}
#: Key that marks a result with a proof that was killed from outside. The next run repeats it.
KILLED = "killed"
