"""The commands behind the workflow's rules: each runs one task, on the Dask cluster of the run or in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from choco_pipeline.cli.output import SETTINGS, STEPS, Json, emit, note
from choco_pipeline.cluster.connect import call, resolve
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.stages import WORK

app = typer.Typer(**SETTINGS)

Out = Annotated[Path, typer.Option("--out", help="The file to write.")]


#: What the name of a document ends with that a job writes beside its output if two judges contradict each other.
DISAGREEMENT_SUFFIX = ".disagreement.json"


def names() -> set[str]:
    """Return what these commands are called."""
    return {command.callback.__name__ for command in app.registered_commands if command.callback}


def _task(target: str, source: Path, out: Path, json: bool, *more: Path) -> None:
    _carry_out(partial(call, target), source, out, json, *more)


def _carry_out(
    task: Callable[..., Mapping[str, int]], source: Path, out: Path, json: bool, *more: Path
) -> None:
    try:
        result = task(str(source), str(out), *map(str, more))
    except DisagreementError as error:  # which Snakemake takes for any failure
        write_record(out.with_suffix(DISAGREEMENT_SUFFIX), {"disagreement": error.args[0]})
        raise
    _told(result, out, json)


def _told(result: Mapping[str, int], out: Path, json: bool) -> None:
    if json:
        emit(result)
    else:
        note(f"{out}: {', '.join(f'{number} {what}' for what, number in result.items())}")


@app.command(rich_help_panel=STEPS)
def build(
    spec: Annotated[Path, typer.Argument(help="The shard's spec.")],
    out: Out,
    memory: Annotated[
        int | None, typer.Option(help="MB for the blocks of a large table, where no cluster says.")
    ] = None,
    json: Json = False,
) -> None:
    """Compute and store the tables of a shard; a large table in blocks, by many tasks."""
    if read_record(spec)["large"]:
        build_large = resolve("choco_pipeline.tables.building.wavefront:build_large")
        given = None if memory is None else memory * 1_000_000
        _told(build_large(str(spec), str(out), given), out, json)
    else:
        _task("choco_pipeline.tables.building.shard:build_shard", spec, out, json)


@app.command(hidden=True)
def work(
    order: Annotated[Path, typer.Argument(help="The work order, which says what kind it is.")],
    out: Out,
    json: Json = False,
) -> None:
    """Carry out a work order: check, mine or prove what it names."""
    kind = str(read_record(order).get("work"))
    if kind not in WORK:
        raise ChocoError(f"{order}: no work order; one says which of {', '.join(WORK)} it is for")
    _task(f"choco_pipeline.{WORK[kind].task}", order, out, json)


@app.command(rich_help_panel=STEPS)
def find(
    plan_file: Annotated[Path, typer.Argument(help="The run's plan.")],
    out: Out,
    json: Json = False,
) -> None:
    """Make statements of what was found in tables, and try them on what is new to them."""
    find_statements = resolve("choco_pipeline.finding.sharing:find_statements")
    _carry_out(find_statements, plan_file, out, json)


@app.command(rich_help_panel=STEPS)
def ledger(
    plan_file: Annotated[Path, typer.Argument(help="The run's plan.")],
    out: Out,
    json: Json = False,
) -> None:
    """Gather verdicts, proofs and findings of a run into one document."""
    _task("choco_pipeline.sweep.ledger:write_ledger", plan_file, out, json)


@app.command(rich_help_panel=STEPS)
def report(
    ledger_file: Annotated[Path, typer.Argument(help="The run's ledger; with --first, its plan.")],
    out: Out,
    found: Annotated[
        Path | None, typer.Option("--found", help="The statements that the run found.")
    ] = None,
    first: Annotated[
        Path | None,
        typer.Option(
            help="Write this ledger, too: without findings and proofs, which may still be looked for.",
            metavar="LEDGER",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write the report of a run."""
    if first is not None:
        _task("choco_pipeline.report.task:write_first_report", ledger_file, out, json, first)
    elif found is None:
        _task("choco_pipeline.report.task:write_report", ledger_file, out, json)
    else:
        _task("choco_pipeline.report.task:write_last_report", ledger_file, out, json, found)
