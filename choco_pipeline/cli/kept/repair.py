"""``choco repair``: stored tables looked through for damage, and rebuilt where there is some, on all cores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from choco_pipeline.cli.kept.verify import chosen_manifests, named, on_all_cores
from choco_pipeline.cli.output import emit, note
from choco_pipeline.cli.running.lock import results_lock
from choco_pipeline.errors import ChocoError
from choco_pipeline.sweep.paths import RESULTS
from choco_pipeline.tables.building.restoration import RepairedTable, repair_manifest


def repair_tables(manifests: list[Path], json: bool) -> int:
    """Rebuild what is damaged in the manifests' tables, say what, and return the exit code: 1 if that was not possible."""
    chosen = chosen_manifests(manifests)
    tables: list[tuple[Path, RepairedTable]] = []
    unusable: dict[str, str] = {}
    with results_lock(RESULTS, unlock=lambda: None):
        for manifest, outcome in on_all_cores(_repaired, chosen):
            if isinstance(outcome, str):
                unusable[manifest.as_posix()] = outcome
            else:
                tables += [(manifest, table) for table in outcome]
    damaged = [(manifest, table) for manifest, table in tables if table.damaged or table.why]
    for _, table in damaged:
        for fault in table.damaged:
            note(f"{'damaged' if table.why else 'repaired'}: {named(table)}: {fault}")
        if table.why:
            note(f"not repaired: {named(table)}: {table.why}")
    for why in unusable.values():
        note(f"not repaired: {why}")
    failed = sum(table.why is not None for _, table in damaged) + len(unusable)
    if json:
        status = "damaged" if failed else "repaired" if damaged else "right"
        records = [{"manifest": m.as_posix(), **asdict(table)} for m, table in damaged]
        answer = {"status": status, "tables": len(tables), "records": records, "unusable": unusable}
        emit(answer)
    elif damaged or unusable:
        print(
            f"{len(tables):,} tables: {len(damaged):,} damaged, {len(damaged) + len(unusable) - failed:,} of them repaired;"
            f" {len(unusable):,} manifests cannot be used"
        )
    else:
        print(f"{len(tables):,} tables: nothing is damaged")
    return 1 if failed else 0


def _repaired(manifest: Path) -> list[RepairedTable] | str:
    try:
        return repair_manifest(str(manifest))
    except ChocoError as error:
        return str(error)
