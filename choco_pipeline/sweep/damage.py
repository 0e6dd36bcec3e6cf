"""Removal of damaged and outdated results of a run, and repair of tables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from choco_pipeline.documents.record import DamagedError, read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.stages import BY_SWEEP, KILLED, Stage
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.run_files import (
    RESULTS,
    Paths,
    Plan,
    certificates_in,
    changed_files,
    is_done,
    read_plan,
)
from choco_pipeline.sweep.run_plan import Capacity, current_plan
from choco_pipeline.tables.store import store_of

#: Patterns of journals of earlier versions, which are no longer used.
OUTDATED = ("*.partial.jsonl", "*.blocks")


def damaged(records: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the records that are damaged, each with the reason."""
    for path in records:
        try:
            read_record(path)
        except DamagedError as error:
            yield path, str(error)


def plan_without_damage(
    config_path: Path, *, capacity: Capacity | None, say: Callable[[str], None]
) -> Plan:
    """Return the `current_plan` after repair or removal of damaged results.

    `say` is called with a message for each damaged or missing file. Results of killed proofs are removed, too.
    """
    run = Paths(RESULTS, load_config(config_path)[0].run)
    for pattern in OUTDATED:
        for path in sorted((RESULTS / "tables").glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            say(f"{path}: left by an earlier version; removed")
    with suppress(StoreError):  # the old plan, because the new one overwrites its specs
        _remove(_shared(run, read_plan(run.plan)), say)
    _remove(run.records(), say)
    proved = sorted((run.folder / Stage.PROVE).glob("*.json"))
    for path in (*proved, *filter(Path.exists, [run.found])):
        if read_record(path).get(KILLED):
            path.unlink()
            say(f"{path}: a proof was killed; it is searched for again")
    _remove_changed_reports(run, say)
    plan = current_plan(config_path, capacity=capacity)
    if any([_remove(_shared(run, plan), say), _repair_tables(run, plan, say)]):
        plan = current_plan(config_path, capacity=capacity)
    for stage in BY_SWEEP:
        for path in sorted((run.folder / stage).glob("*.json")):
            sweep = path.stem
            if sweep not in plan["jobs"][stage] or not is_done(plan, run, stage, sweep):
                path.unlink()  # Snakemake runs the job again if the plan has it
    return plan


def _shared(run: Paths, plan: Plan) -> Iterator[Path]:
    """Yield the existing records of a plan's shards, tables and statements."""
    for shard in plan["shards"]:
        yield from filter(Path.exists, (run.spec(shard), run.manifest(shard)))
    of_tables = (run.verdicts / f"{table['id']}.json" for table in plan["tables"])
    yield from filter(Path.exists, of_tables)
    yield from sorted((run.verdicts / "statements").glob("*.json"))


def _remove_changed_reports(run: Paths, say: Callable[[str], None]) -> None:
    """Remove file lists of changed reports, and results of changed certificates."""
    results = [*run.outcomes(), *filter(Path.is_file, [run.found])]
    for record in filter(Path.is_file, run.file_lists()):
        changed = list(changed_files(record))
        for path in changed:
            say(f"{path}: missing or changed since the report was written; it is written again")
            if path.is_relative_to(run.certificates):
                path.unlink(missing_ok=True)
                for result in filter(Path.is_file, results):
                    if path in certificates_in(result, run.certificates):
                        result.unlink()
        if changed:
            record.unlink()


def _repair_tables(run: Paths, plan: Plan, say: Callable[[str], None]) -> bool:
    """Repair tables with changed files; return whether a table must be rebuilt."""
    lost = False
    for manifest in filter(Path.is_file, map(run.manifest, plan["shards"])):
        store = store_of(manifest, read_record(manifest)).folder
        if store is None:  # only `choco verify` checks the files in an object store
            continue
        built = manifest.stat().st_mtime_ns
        found = [os.path.join(at, name) for at, _, names in os.walk(store) for name in ("", *names)]
        if found and all(os.stat(path).st_mtime_ns <= built for path in found):
            continue
        # It loads numba, which a run without repairs does not need at its start.
        from choco_pipeline.tables.verification import repair_manifest  # noqa: PLC0415

        for table in repair_manifest(str(manifest)):
            for fault in table.damaged:
                say(f"{fault}; {'the table is built again' if table.why else 'repaired'}")
            if table.why:
                manifest.unlink(missing_ok=True)
                lost = True
        for at, _, names in os.walk(store):  # otherwise the next run would check all files again
            for name in ("", *names):
                os.utime(os.path.join(at, name), ns=(built, built))
    return lost


def _remove(records: Iterable[Path], say: Callable[[str], None]) -> bool:
    """Remove the records that are damaged; return whether there were any."""
    removed = list(damaged(records))
    for path, why in removed:
        path.unlink()
        say(why)
    return bool(removed)
