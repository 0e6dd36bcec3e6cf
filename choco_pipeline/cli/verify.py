"""``choco verify``: stored tables checked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from choco_pipeline.cli.output import emit, note
from choco_pipeline.documents.files import read_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.sweep.plan import RESULTS
from choco_pipeline.tables.verify import verify_manifest

COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)


def verify_tables(manifests: list[Path], seed: int, json: bool) -> int:
    """Verify the manifests' tables, print what is wrong, and return the exit code: 1 if anything is."""
    chosen = manifests or sorted(RESULTS.glob("tables/*.done.json"))
    if not chosen:
        raise ChocoError(f"no manifests in {RESULTS / 'tables'}: nothing has been built yet")
    records: list[dict[str, Any]] = []
    total = sum(len(read_json(manifest)["tables"]) for manifest in chosen)
    console = Console(stderr=True)
    with Progress(*COLUMNS, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("tables", total=total)
        for manifest in chosen:
            found = verify_manifest(
                str(manifest), seed, lambda *_, tables, **__: progress.advance(bar, tables)
            )
            records += [{"manifest": manifest.as_posix(), **record} for record in found]
            for record in found:
                if record["wrong"]:
                    what = f"{record['ruleset']}, bound {record['bound']}, {record['quantity']}"
                    note(f"wrong: {what}: {record['wrong']}")
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
        print(
            f"{len(records):,} tables: every chunk's checksum and every table's digest read, {checked:,} positions checked"
            f" against the definition; {f'{wrong} tables are wrong' if wrong else 'nothing is wrong'}"
        )
    return 1 if wrong else 0
