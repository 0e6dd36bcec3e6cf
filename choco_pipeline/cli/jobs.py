"""Commands for the workflow's rules; each runs one job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from choco_pipeline.api.terminal import note
from choco_pipeline.cli.output import SETTINGS, Json, emit
from choco_pipeline.cluster.connect import call, resolve
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import DisagreementError
from choco_pipeline.stages import BY_SWEEP, Stage
from choco_pipeline.sweep.jobs import run_job
from choco_pipeline.sweep.run_files import DISAGREEMENT_SUFFIX, RESULTS, Paths

app = typer.Typer(**SETTINGS)

Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
PlanFile = Annotated[Path, typer.Argument(help="The run's plan.")]


def _do(job: Callable[[], Mapping[str, int]], out: Path, json: bool) -> None:
    try:
        counts = job()
    except DisagreementError as error:  # Snakemake reports only that the job failed
        write_record(out.with_suffix(DISAGREEMENT_SUFFIX), {"disagreement": error.args[0]})
        raise
    if json:
        emit(counts)
    else:
        note(f"{out}: {', '.join(f'{number} {what}' for what, number in counts.items())}")


@app.command()
def write_plan(
    config: Annotated[Path, typer.Argument(help="The configuration.")], json: Json = False
) -> None:
    """Write the plan of a run: its tables, their shards, and the jobs."""
    plan = resolve("choco_pipeline.sweep.run_plan:current_plan")(config)
    counts = {"tables": len(plan["tables"]), "jobs": sum(map(len, plan["jobs"].values()))}
    _do(lambda: counts, Paths(RESULTS, plan["run"]).plan, json)


@app.command()
def job(
    stage: Annotated[Stage, typer.Argument(help=f"One of {', '.join(BY_SWEEP)}.")],
    plan_file: PlanFile,
    sweep: Annotated[
        str, typer.Argument(help="A sweep of the plan, or without_tables for work without tables.")
    ],
    memory: Annotated[
        int | None, typer.Option(help="Without a cluster: MB of memory to build a large table.")
    ] = None,
    json: Json = False,
) -> None:
    """Run a stage of a sweep: build, check, mine or prove."""
    given = None if memory is None else memory * 1_000_000
    out = Paths.of_plan(plan_file).outcome(stage, sweep)
    _do(lambda: run_job(plan_file, stage, sweep, given), out, json)


@app.command()
def find(plan_file: PlanFile, out: Out, json: Json = False) -> None:
    """Derive statements from the findings of a run, and test them on new tables."""
    find_statements = resolve("choco_pipeline.finding.sharing:find_statements")
    _do(lambda: find_statements(str(plan_file), str(out)), out, json)


@app.command()
def ledger(plan_file: PlanFile, out: Out, json: Json = False) -> None:
    """Write the ledger: all verdicts, proofs and findings of a run."""
    target = "choco_pipeline.sweep.ledger:write_ledger"
    _do(lambda: call(target, str(plan_file), str(out)), out, json)


@app.command()
def report(
    ledger_file: Annotated[Path, typer.Argument(help="The run's ledger; with --first, its plan.")],
    out: Out,
    found: Annotated[
        Path | None, typer.Option("--found", help="The statements that the run found.")
    ] = None,
    first: Annotated[
        Path | None,
        typer.Option(
            help="Write this ledger, without findings and proofs, and a complete report on it.",
            metavar="LEDGER",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write a run's report: the pages on claims and tables, or with --found the rest."""
    if first is not None:
        target, files = "write_first_report", [ledger_file, out, first]
    elif found is not None:
        target, files = "write_last_report", [ledger_file, out, found]
    else:
        target, files = "write_pages", [ledger_file, out]
    words = [f"choco_pipeline.report.task:{target}", *map(str, files)]
    _do(lambda: call(*words), out, json)
