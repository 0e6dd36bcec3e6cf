"""Small documents on disk: JSON that appears whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from choco_pipeline.errors import StoreError


def write_json(path: Path, document: object) -> None:
    """Write `document`, readable, under a name that nobody reads, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)


def write_json_if_changed(path: Path, document: object) -> bool:
    """Write `document` unless `path` says the same already, so that its time only moves with its content."""
    if path.exists() and read_json(path) == json.loads(json.dumps(document)):
        return False
    write_json(path, document)
    return True


def read_json(path: Path) -> Any:
    """Return the document in `path`, or raise `StoreError` saying what is wrong with it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise StoreError(f"{path}: not a JSON document ({error})") from None
