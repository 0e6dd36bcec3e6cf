"""The files of a finished report that no rule of the workflow names: its pages, the run's crate, and certificates.

A record beside the report holds the SHA-256 of each, so that the next run can find out which are missing or changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.provenance import file_digest


def write_file_list(report: Path, *folders: Path, certificates: Iterable[Path] = ()) -> None:
    """Write ``REPORT-files.json`` beside the folder of a report: its files, those of other folders, and certificates."""
    files = {path for folder in (report, *folders) for path in folder.rglob("*") if path.is_file()}
    files |= {*certificates}
    entries = [
        {
            "path": Path(os.path.relpath(path, report.parent)).as_posix(),
            "sha256": file_digest(path) if path.is_file() else None,
        }
        for path in sorted(files)
    ]
    write_record(report.with_name(f"{report.name}-files.json"), {"files": entries})


def certificates_in(document: Path, folder: Path) -> set[Path]:
    """Return the certificates in a folder that a document of a run names."""
    named = re.compile(rf'"({re.escape(folder.as_posix())}/[^"]+\.json)"')
    return set(map(Path, named.findall(document.read_text(encoding="utf-8"))))


def changed_files(record: Path) -> Iterator[Path]:
    """Yield the files that are missing, or not as the record of `write_file_list` says."""
    for entry in read_record(record)["files"]:
        path = Path(os.path.normpath(record.parent / entry["path"]))
        if not path.is_file() or file_digest(path) != entry["sha256"]:
            yield path
