"""``choco doctor``, ``version`` and ``schema``."""

from __future__ import annotations

import platform
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from choco_pipeline import provenance
from choco_pipeline.api.terminal import emit
from choco_pipeline.api.workers import Workers, capacity_of
from choco_pipeline.claims.language.claims_file import ClaimsFile
from choco_pipeline.cli.output import SETTINGS, ClusterName, Json
from choco_pipeline.cluster import clusters
from choco_pipeline.cluster.cluster_file import SlurmJobs, SlurmWorkers, load_cluster
from choco_pipeline.documents.reference import schema_text
from choco_pipeline.errors import ChocoError
from choco_pipeline.games.game_file import GameFile, games_reference
from choco_pipeline.kernels import warm_up
from choco_pipeline.sweep.config import json_schema, reference_page
from choco_pipeline.tables.computing import in_bytes
from choco_pipeline.tables.machine import cores, memory, worker_memory

app = typer.Typer(**SETTINGS)
#: Optional programs, with their use.
OPTIONAL = {
    "chromium": "tests of the report in a browser",
    "pdflatex": "tests of found statements in LaTeX",
    "git": "the commit in stored results",
    "sbatch": "clusters of kind slurm and slurm-jobs",
}


@app.command()
def version(json: Json = False) -> None:
    """Print the versions that are stored with results."""
    known = provenance.versions()
    if json:
        emit(known)
    else:
        print("\n".join(f"{name} {number}" for name, number in known.items()))


@app.command()
def schema(
    reference: Annotated[
        bool,
        typer.Option(
            "--reference",
            help="Print the reference page of all keys in Markdown instead; not with --claims.",
        ),
    ] = False,
    claims_files: Annotated[
        bool, typer.Option("--claims", help="The schema of claims files.")
    ] = False,
    games: Annotated[bool, typer.Option("--games", help="The schema of game files.")] = False,
    json: Json = False,
) -> None:
    """Print a JSON schema: of configurations, claims files or game files."""
    if claims_files and games:
        raise ChocoError("schema: either --claims or --games")
    if claims_files and reference:
        raise ChocoError("schema: the page on claims files is docs/statements.md")
    if reference:
        text = games_reference() if games else reference_page()
    else:
        text = json_schema()
        if claims_files or games:
            text = schema_text(ClaimsFile if claims_files else GameFile)
    if reference and json:
        emit({"reference": text})
    else:
        print(text, end="")


@app.command()
def doctor(cluster: ClusterName = None, json: Json = False) -> None:
    """Show the resources of this machine or of a cluster."""
    if cluster is not None:
        _show_cluster(cluster, json)
        return
    usable = memory()
    start = time.perf_counter()
    warm_up()
    seconds = round(time.perf_counter() - start, 2)
    machine: dict[str, Any] = {
        "cores": cores(),
        "machine": f"{platform.machine()}, {platform.system()}",
        "memory": usable,
        "memory_available": min(psutil.virtual_memory().available, usable),
        "memory_per_worker": worker_memory(cores()),
        "disk_free": shutil.disk_usage(Path.cwd()).free,
        "folder": str(Path.cwd()),
        "kernels": "compiled now" if seconds > 3 else "read from numba's cache",
        "kernels_seconds": seconds,
    }
    optional = {name: shutil.which(name) for name in OPTIONAL}
    if json:
        emit({**machine, "versions": provenance.versions(), "optional": optional})
        return
    kernels = f"ready in {machine['kernels_seconds']} s ({machine['kernels']})"
    _print_table(
        {
            "processor": f"{machine['cores']} cores, {machine['machine']}",
            "memory": f"{in_bytes(usable)}, {in_bytes(machine['memory_available'])} available",
            "workers": f"{machine['cores']} by default, {in_bytes(machine['memory_per_worker'])} each",
            "disk": f"{in_bytes(machine['disk_free'])} free in {machine['folder']}",
            "kernels": kernels,
            **provenance.versions(),
            **{name: f"{path or 'not found'}: {OPTIONAL[name]}" for name, path in optional.items()},
        }
    )


def _print_table(rows: Mapping[str, object]) -> None:
    for name, text in rows.items():
        print(f"{name:<13} {'none' if text is None else text}")


def _show_cluster(name: str, json: bool) -> None:
    """Start or connect to a cluster, and print its properties.

    Raises `ChocoError` if a run could not use it: the file has a mistake, a package or certificate is missing, no scheduler
    answers, or Slurm rejects such jobs.
    """
    description = load_cluster(name, None, None)
    answer: dict[str, Any] = {"cluster": name, "kind": description.kind}
    if isinstance(description, SlurmJobs | SlurmWorkers):
        clusters.require_acceptance(description)
        answer |= {"at most": f"{description.maximum} jobs", "slurm": "takes such jobs"}
    else:
        with (
            tempfile.TemporaryDirectory() as folder,
            Workers(
                Path(folder), Path(folder), description, capacity_of(description, name)
            ) as workers,
        ):
            cluster = workers.open()
            answer |= {"scheduler": cluster.address, "dashboard": cluster.dashboard}
            answer |= {"threads": cluster.workers}
    if json:
        emit(answer)
    else:
        _print_table(answer)
