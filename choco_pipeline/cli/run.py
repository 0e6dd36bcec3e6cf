"""``choco run``: run a configuration and print a summary."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from choco_pipeline.api.run import jobs_to_run, perform
from choco_pipeline.api.workers import capacity_of
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli import output
from choco_pipeline.cli.summary import count_proofs, count_verdicts, show_summary
from choco_pipeline.cluster.cluster_file import load_cluster
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.report.published import compare_run
from choco_pipeline.stages import UNITS, Stage
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import RESULTS, Paths

app = typer.Typer(**output.SETTINGS)


@app.command()
def run(
    config: output.ConfigFile = Path(DEFAULT_CONFIG),
    cluster: output.ClusterName = None,
    workers: output.NumberOfWorkers = None,
    scheduler: output.Scheduler = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would run.")] = False,
    json: output.Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a paragraph for each result.")
    ] = False,
) -> int:
    """Run the sweeps of a configuration, and print a summary.

    The exit code is 0 if the report is written; 1 if a job failed or Snakemake was killed; 3 if two engines, or an engine and
    a definition, contradict each other; 128 and the signal's number after Ctrl-C or SIGTERM.
    """
    where = load_cluster(cluster, workers, scheduler)
    if dry_run:
        plan, jobs, amounts = jobs_to_run(config, capacity_of(where, cluster))
        status = "would run" if jobs else "nothing to do"
        if json:
            output.emit({"status": status, "run": plan["run"], "jobs": jobs, "work": amounts})
        elif not jobs:
            print("nothing to do: everything is up to date")
        else:
            for rule, count in jobs.items():
                what = f", {amounts[rule]:,} {UNITS[Stage(rule)]}" if rule in amounts else ""
                print(f"{rule}: {counted(count, 'job')}{what}")
        return 0
    done = perform(config, where, cluster)
    if done.code:
        if json:
            output.emit({**done.document(), "claims": None, "proofs": None, "published": None})
        return done.code
    ledger = Ledger.read(done.ledger)
    statements = FoundDocument.read(Paths(RESULTS, done.plan["run"]).found).statements
    comparison = compare_run(done.plan, ledger, statements)
    if json:
        results = {**count_verdicts(ledger), "proofs": count_proofs(ledger)}
        published = comparison and asdict(comparison)
        output.emit({**done.document(), **results, "published": published})
    else:
        show_summary(ledger, statements, Console(), verbose=verbose)
        if comparison is not None:
            print(comparison)
        print(f"report: {done.report}")
    return done.code
