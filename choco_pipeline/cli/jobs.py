"""The commands behind the workflow's rules: each runs one task, on the Dask cluster of the run or in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from choco_pipeline.cli.output import Json, emit, note
from choco_pipeline.cluster.connect import call, resolve
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import DisagreementError

app = typer.Typer()

Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
Order = Annotated[Path, typer.Argument(help="The work order.")]


#: What the name of a document ends with that a job writes beside its output if two judges contradict each other.
DISAGREEMENT_SUFFIX = ".disagreement.json"


def _task(target: str, source: Path, out: Path, json: bool, *more: Path) -> None:
    try:
        result = call(target, str(source), str(out), *map(str, more))
    except DisagreementError as error:  # which Snakemake takes for any failure
        write_record(out.with_suffix(DISAGREEMENT_SUFFIX), {"disagreement": error.args[0]})
        raise
    _told(result, out, json)


def _told(result: dict[str, Any], out: Path, json: bool) -> None:
    if json:
        emit(result)
    else:
        note(f"{out}: {', '.join(f'{number} {what}' for what, number in result.items())}")


@app.command()
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


@app.command()
def check(order: Order, out: Out, json: Json = False) -> None:
    """Check claims on the tables of a shard."""
    _task("choco_pipeline.claims.task:check_shard", order, out, json)


@app.command()
def state(order: Order, out: Out, json: Json = False) -> None:
    """Check statements that need no table."""
    _task("choco_pipeline.claims.task:check_standing_statements", order, out, json)


@app.command()
def search(order: Order, out: Out, json: Json = False) -> None:
    """Look for formulas, value sets, periods and more in the tables of a shard."""
    _task("choco_pipeline.mining.task:mine_shard", order, out, json)


@app.command()
def settle(order: Order, out: Out, json: Json = False) -> None:
    """Prove games for all positions, and decide claims on what is proved."""
    _task("choco_pipeline.proof.task:prove_order", order, out, json)


@app.command()
def decide(order: Order, out: Out, json: Json = False) -> None:
    """Decide statements on integers for all integers."""
    _task("choco_pipeline.proof.statement_task:decide_order", order, out, json)


@app.command()
def classify(order: Order, out: Out, json: Json = False) -> None:
    """Tell the height functions of a box that have a formula from the others."""
    _task(
        "choco_pipeline.finding.height_functions.height_statements:classify_heights",
        order,
        out,
        json,
    )


@app.command()
def find(
    plan_file: Annotated[Path, typer.Argument(help="The run's plan.")],
    out: Out,
    json: Json = False,
) -> None:
    """Make statements of what was found in tables, and try them on what is new to them."""
    _task("choco_pipeline.finding.stage:find_statements", plan_file, out, json)


@app.command()
def ledger(
    plan_file: Annotated[Path, typer.Argument(help="The run's plan.")],
    out: Out,
    first: Annotated[
        bool, typer.Option("--first", help="Without proofs, which may still be looked for.")
    ] = False,
    json: Json = False,
) -> None:
    """Gather verdicts, proofs and findings of a run into one document."""
    write = "write_first_ledger" if first else "write_ledger"
    _task(f"choco_pipeline.sweep.ledger:{write}", plan_file, out, json)


@app.command()
def report(
    ledger_file: Annotated[Path, typer.Argument(help="The run's ledger.")],
    out: Out,
    found: Annotated[
        Path | None, typer.Option("--found", help="The statements that the run found.")
    ] = None,
    json: Json = False,
) -> None:
    """Write the report of a run."""
    if found is None:
        _task("choco_pipeline.report.task:write_report", ledger_file, out, json)
    else:
        _task("choco_pipeline.report.task:write_report_with_found", ledger_file, out, json, found)
