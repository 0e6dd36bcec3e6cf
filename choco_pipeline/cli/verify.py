"""``choco verify``: stored tables checked again, on all cores."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from choco_pipeline.cli.output import emit, note
from choco_pipeline.cluster.progress import ignore
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.sweep.paths import RESULTS
from choco_pipeline.tables.machine import cores
from choco_pipeline.tables.verify import verify_manifest

COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)
Records: TypeAlias = list[dict[str, Any]]


def verify_tables(manifests: list[Path], seed: int, json: bool) -> int:
    """Verify the manifests' tables, print what is wrong, and return the exit code: 1 if anything is."""
    records: Records = []
    for manifest, found in on_all_cores(partial(_verified, seed), chosen_manifests(manifests)):
        if isinstance(found, str):
            raise ChocoError(found)
        records += [{"manifest": manifest.as_posix(), **record} for record in found]
    for record in records:
        if record["wrong"]:
            note(f"wrong: {named(record)}: {record['wrong']}")
    wrong = sum(record["wrong"] is not None for record in records)
    checked = sum(record["checked"] for record in records)
    if json:
        emit(
            {
                "status": "wrong" if wrong else "right",
                "tables": len(records),
                "positions": checked,
                "records": records,
            }
        )
    else:
        said = f"{wrong} tables are wrong" if wrong else "nothing is wrong"
        print(
            f"{len(records):,} tables: every chunk's checksum and every table's digest read, {checked:,} positions checked"
            f" against the definition; {said}"
        )
    return 1 if wrong else 0


def chosen_manifests(manifests: list[Path]) -> list[Path]:
    """Return these manifests, or all of the results folder if there are none; `ChocoError` if that has none either."""
    chosen = manifests or sorted(RESULTS.glob("tables/*.done.json"))
    if not chosen:
        raise ChocoError(f"no manifests in {RESULTS / 'tables'}: nothing has been built yet")
    return chosen


def _verified(seed: int, manifest: Path) -> Records | str:
    try:
        return verify_manifest(str(manifest), seed, ignore)
    except ChocoError as error:
        return str(error)


def on_all_cores(
    work: Callable[[Path], Records | str], manifests: Sequence[Path]
) -> list[tuple[Path, Records | str]]:
    """Return what `work` returns of each manifest, in their order; a bar on a terminal shows how far it is."""
    console = Console(stderr=True)
    processes = min(len(manifests), cores())
    # A fresh process for each core: what this one has started, threads among it, is not theirs.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    bar = Progress(*COLUMNS, console=console, disable=not console.is_terminal)
    with pool, bar:
        task = bar.add_task("shards", total=len(manifests))
        futures = {pool.submit(work, manifest): manifest for manifest in manifests}
        try:
            for _ in as_completed(futures):
                bar.advance(task)
            return [(manifest, future.result()) for future, manifest in futures.items()]
        except BrokenProcessPool:
            raise StoreError(
                "a process that read tables has died; too little memory for so many at once?"
            ) from None


def named(record: dict[str, Any]) -> str:
    """Return how lines about a table begin."""
    return f"{record['ruleset']}, bound {record['bound']}, {record['quantity']}"
