"""``choco repair``: stored tables looked through for damage, and rebuilt where there is some, on all cores."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.cli.output import emit, note
from choco_pipeline.cli.running.lock import results_lock
from choco_pipeline.cli.verify import Records, chosen_manifests, named, on_all_cores
from choco_pipeline.errors import ChocoError
from choco_pipeline.sweep.paths import RESULTS
from choco_pipeline.tables.building.restoration import repair_manifest


def repair_tables(manifests: list[Path], json: bool) -> int:
    """Rebuild what is damaged in the manifests' tables, say what, and return the exit code: 1 if that was not possible."""
    chosen = chosen_manifests(manifests)
    records: Records = []
    unusable: dict[str, str] = {}
    with results_lock(RESULTS, unlock=lambda: None):
        for manifest, found in on_all_cores(_repaired, chosen):
            if isinstance(found, str):
                unusable[manifest.as_posix()] = found
            else:
                records += [{"manifest": manifest.as_posix(), **record} for record in found]
    damaged = [record for record in records if record["damaged"] or record["why"]]
    for record in damaged:
        for fault in record["damaged"]:
            note(f"{'damaged' if record['why'] else 'repaired'}: {named(record)}: {fault}")
        if record["why"]:
            note(f"not repaired: {named(record)}: {record['why']}")
    for why in unusable.values():
        note(f"not repaired: {why}")
    failed = sum(record["why"] is not None for record in damaged) + len(unusable)
    if json:
        status = "damaged" if failed else "repaired" if damaged else "right"
        said = {"status": status, "tables": len(records), "records": damaged, "unusable": unusable}
        emit(said)
    elif damaged or unusable:
        print(
            f"{len(records):,} tables: {len(damaged):,} damaged, {len(damaged) + len(unusable) - failed:,} of them repaired;"
            f" {len(unusable):,} manifests cannot be used"
        )
    else:
        print(f"{len(records):,} tables: nothing is damaged")
    return 1 if failed else 0


def _repaired(manifest: Path) -> Records | str:
    try:
        return repair_manifest(str(manifest))
    except ChocoError as error:
        return str(error)
