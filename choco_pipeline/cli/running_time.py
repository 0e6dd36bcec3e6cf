"""About how long a run takes in all: jobs that start, tables, checks, searches, proofs, what is found, and the reports.

Every constant is in seconds of one core, rounded from what runs took (docs/performance.md, *Estimates*). They are meant to be right
within a factor of two for a whole run, and not for a stage of it: a proof takes a tenth of a second or its whole limit, and nobody
knows which beforehand. If one of them changes, only what is printed of times does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from choco_pipeline.claims.checks.height_functions import number_of_height_functions
from choco_pipeline.cli.output import in_time
from choco_pipeline.proof.records import GameToProve
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.orders import expected_seconds
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, is_done

#: Snakemake and the workers start, and every worker loads the kernels.
START = 8.0
#: The process of a job starts, and Snakemake sees its end.
JOB = 0.7
#: A claim is checked on a table: the least, for each byte of a small table on disk, but no more than so much, and of any table.
CHECK_LEAST, CHECK_BYTE, CHECK_MOST, CHECK_LARGE_BYTE = 0.004, 2e-7, 0.02, 1.1e-9
#: A statement that needs no table is checked.
STATEMENT = 0.05
#: One thing is looked for in a table: the least, and for each byte on disk, up to so many: of a large table a corner is mined.
SEARCH, SEARCH_BYTE, SEARCH_MOST_BYTES = 0.1, 1e-8, 10_000_000
#: One question is asked of the height functions of a box, and for each function.
HEIGHTS, HEIGHT_FUNCTION = 2.0, 0.001
#: A proof, beside a share of the seconds by which proofs are shared out, which are nearer to the most that it may take.
PROOF, PROOF_SHARE = 0.7, 0.15
#: A claim is decided on a proof, and a statement on integers or for all parameters without one.
CLAIM, DECISION = 0.07, 0.4
#: Statements are made of what was found: by one process; shared out, for each table that was searched or game that was proved, and
#: for each byte of these tables on disk, of which all cells are looked at.
FIND, FIND_GAME, FIND_BYTE = 7.0, 0.17, 3.5e-9
#: Ledger and report are written: the least, and for each verdict on a claim.
REPORT, REPORT_VERDICT = 2.0, 0.0015


@dataclass(frozen=True)
class RunningTime:
    """About how long what is left of a run takes, in seconds on the clock, stage by stage and in all."""

    #: How many compute at the same time.
    workers: int
    #: What is left of each stage; none if everything is there.
    stages: Mapping[Stage, float]

    @property
    def seconds(self) -> float:
        """In all, with the start of what computes; 0 if everything is there."""
        return START + sum(self.stages.values()) if self.stages else 0.0

    def __str__(self) -> str:
        """Return the time in words."""
        if not self.stages:
            return "everything is there already"
        parts = ", ".join(f"{stage} {_about(seconds)}" for stage, seconds in self.stages.items())
        workers = "1 worker" if self.workers == 1 else f"{self.workers:,} workers"
        return f"about {_about(self.seconds)} on {workers}, if nothing else runs there ({parts})"


def running_time(plan: Plan, workers: int) -> RunningTime:
    """Return about how long a run of a plan takes, without the results that are there already."""
    paths = Paths(RESULTS, plan["run"])
    missing = {shard for shard in plan["shards"] if not paths.manifest(shard).exists()}
    core: dict[Stage, float] = defaultdict(float)
    parts: dict[Stage, int] = defaultdict(int)
    if missing:
        tables = [table for table in plan["tables"] if table["shard"] in missing]
        core[Stage.BUILD] = sum(table["seconds"] for table in tables)
        # All workers build a large table together.
        parts[Stage.BUILD] = workers if any(t["large"] for t in tables) else len(missing)
    for stage, seconds in ((Stage.CHECK, _checks), (Stage.MINE, _searches), (Stage.PROVE, _proofs)):
        jobs = plan["jobs"][stage]
        left = {sweep for sweep in jobs if not is_done(plan, paths, stage, sweep)}
        if left:
            share = sum(jobs[sweep]["amount"] for sweep in left) / sum(
                j["amount"] for j in jobs.values()
            )
            core[stage] = share * sum(seconds(plan))
            parts[stage] = sum(jobs[sweep]["amount"] for sweep in left)
    for stage in core:
        core[stage] += JOB * len(plan["jobs"][stage])
    stages = {stage: seconds / min(workers, parts[stage]) for stage, seconds in core.items()}
    if stages or not paths.found.exists():
        searched = {search["table"] for search in plan["mine"]}
        size = sum(table["bytes"] for table in plan["tables"] if table["id"] in searched)
        shared = FIND_GAME * (len(searched) + len(plan["prove"])) + FIND_BYTE * size
        stages[Stage.FIND] = JOB + FIND + shared / workers
        verdicts = len(plan["check"]) + len(plan["check_statements"])
        times = 2 if plan["prove"] else 1  # with proofs there is a first report before them
        stages[Stage.REPORT] = times * (2 * JOB + REPORT + REPORT_VERDICT * verdicts)
    return RunningTime(workers, stages)


def _checks(plan: Plan) -> Iterator[float]:
    """Yield the seconds of one core that each check takes."""
    sizes = {table["id"]: table["bytes"] for table in plan["tables"]}
    for check in plan["check"]:
        size = sizes[check["table"]]
        yield CHECK_LEAST + min(CHECK_MOST, CHECK_BYTE * size) + CHECK_LARGE_BYTE * size
    yield STATEMENT * len(plan["check_statements"])


def _searches(plan: Plan) -> Iterator[float]:
    """Yield the seconds of one core that the searches in each table take, and each question about height functions."""
    sizes = {table["id"]: table["bytes"] for table in plan["tables"]}
    for asked in plan["mine"]:
        size = min(sizes[asked["table"]], SEARCH_MOST_BYTES)
        yield (SEARCH + SEARCH_BYTE * size) * len(asked["what"])
    for question in plan["mine_heights"]:
        side = question["side"] + 1
        functions = number_of_height_functions(side, side, question["height"])
        yield HEIGHTS + HEIGHT_FUNCTION * functions


def _proofs(plan: Plan) -> Iterator[float]:
    """Yield the seconds of one core that each proof takes, with the decisions on its claims."""
    for asked in plan["prove"]:
        proof = GameToProve.model_validate(asked)
        yield PROOF + PROOF_SHARE * expected_seconds(proof) + CLAIM * len(proof.claims)
    yield DECISION * len(plan["prove_statements"])


def _about(seconds: float) -> str:
    """Return a time as people say it: whole seconds up to a minute, then fives of them, then minutes."""
    unit = 1 if seconds < 60 else 5 if seconds < 600 else 60
    return in_time(max(1, round(seconds / unit)) * unit)
