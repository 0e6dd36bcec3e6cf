"""Small documents on disk that appear whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from choco_pipeline.errors import StoreError


def write_text(path: Path, text: str) -> None:
    """Write `text` under a name that nobody reads, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def write_json(path: Path, document: object) -> None:
    """Write `document` as JSON that people can read, whole or not at all."""
    write_text(path, _text(document))


def write_json_if_changed(path: Path, document: object) -> bool:
    """Write `document` unless `path` says the same already, so that its time only moves with its content."""
    text = _text(document)
    if path.exists() and path.read_bytes() == text.encode():
        return False
    write_text(path, text)
    return True


def read_json(path: Path) -> Any:
    """Return the document in `path`, or raise `StoreError` saying what is wrong with it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise StoreError(f"{path}: not a JSON document ({error})") from None


def _text(document: object) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
