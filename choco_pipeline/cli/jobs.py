"""The jobs of a run: the commands in the rules of the workflow.

Type ``python -m choco_pipeline JOB --help`` for the arguments of a job.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from choco_pipeline.api.terminal import emit, note
from choco_pipeline.cluster.connect import call, resolve
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import DisagreementError
from choco_pipeline.stages import BY_SWEEP, Stage
from choco_pipeline.sweep.jobs import run_job
from choco_pipeline.sweep.run_files import DISAGREEMENT_SUFFIX, RESULTS, Paths

#: The jobs by name, each with its description.
JOBS = {
    "write-plan": "Write the plan of a run: its tables, their shards, and the jobs.",
    "job": "Run a stage of a sweep: build, check, mine or prove.",
    "find": "Derive statements from the findings of a run, and test them on new tables.",
    "ledger": "Write the ledger: all verdicts, proofs and findings of a run.",
    "report": "Write a run's report: the pages on claims and tables, or with --found the rest.",
}


def run_job_command(words: Sequence[str]) -> None:
    """Run a job, given by its name and its arguments.

    Raises `ChocoError` for a user's mistake, and `DisagreementError` if two engines contradict each other.
    """
    given = _parser().parse_args(words)
    if given.name == "write-plan":
        plan = resolve("choco_pipeline.sweep.run_plan:current_plan")(given.config)
        given.out = Paths(RESULTS, plan["run"]).plan
        counts = {"tables": len(plan["tables"]), "jobs": sum(map(len, plan["jobs"].values()))}
    else:
        if given.name == "job":
            given.out = Paths.of_plan(given.plan).outcome(given.stage, given.sweep)
        try:
            counts = _run(given)
        except DisagreementError as error:  # Snakemake reports only that the job failed
            disagreement = given.out.with_suffix(DISAGREEMENT_SUFFIX)
            write_record(disagreement, {"disagreement": error.args[0]})
            raise
    if given.json:
        emit(counts)
    else:
        note(f"{given.out}: {', '.join(f'{number} {what}' for what, number in counts.items())}")


def _run(given: Namespace) -> dict[str, int]:
    match given.name:
        case "job":
            memory = None if given.memory is None else given.memory * 1_000_000
            return run_job(given.plan, Stage(given.stage), given.sweep, memory)
        case "find":
            find_statements = resolve("choco_pipeline.finding.sharing:find_statements")
            return dict(find_statements(str(given.plan), str(given.out)))
        case "ledger":
            target, files = "sweep.ledger:write_ledger", [given.plan, given.out]
        case _:
            target, files = "report.task:write_pages", [given.ledger, given.out]
            if given.first is not None:
                target, files = "report.task:write_first_report", [*files, given.first]
            elif given.found is not None:
                target, files = "report.task:write_last_report", [*files, given.found]
    return dict(call(f"choco_pipeline.{target}", *map(str, files)))


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="choco", allow_abbrev=False)
    names = parser.add_subparsers(dest="name", required=True)
    of = {
        name: names.add_parser(name, help=text, description=text, allow_abbrev=False)
        for name, text in JOBS.items()
    }
    of["write-plan"].add_argument("config", type=Path, help="the configuration")
    of["job"].add_argument("stage", choices=[*map(str, BY_SWEEP)], help="the stage")
    for name in ("job", "find", "ledger"):
        of[name].add_argument("plan", type=Path, help="the run's plan")
    of["job"].add_argument("sweep", help="a sweep of the plan, or without_tables")
    of["job"].add_argument(
        "--memory", type=int, help="without a cluster: MB of memory to build a large table"
    )
    of["report"].add_argument("ledger", type=Path, help="the run's ledger; with --first, its plan")
    of["report"].add_argument("--found", type=Path, help="the statements that the run found")
    of["report"].add_argument(
        "--first",
        type=Path,
        metavar="LEDGER",
        help="write this ledger, without findings and proofs, and a complete report on it",
    )
    for name in ("find", "ledger", "report"):
        of[name].add_argument("--out", type=Path, required=True, help="the file to write")
    for parser_of_job in of.values():
        parser_of_job.add_argument("--json", action="store_true", help="print one JSON document")
    return parser
