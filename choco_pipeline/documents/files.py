"""Small documents on disk that appear whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

from choco_pipeline.errors import StoreError


def write_text(path: Path, text: str) -> None:
    """Write `text` under a name that nobody reads, then rename it; `StoreError` if that fails."""
    content = text.encode()
    try:
        write_whole(path, content)
    except OSError as error:
        why = reason_of(error, path, len(content))
        raise StoreError(f"{path}: cannot be written ({why})") from None


def append_text(path: Path, text: str) -> None:
    """Write `text` at the end of a file, or a beginning of it if this process is killed; `StoreError` if that fails."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        why = reason_of(error, path, len(text.encode()))
        raise StoreError(f"{path}: cannot be written ({why})") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` under a name that nobody reads, then rename it; what fails leaves nothing behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def reason_of(error: OSError, place: Path, needed: int | None = None) -> str:
    """Return why the operating system failed at `place`; of a full disk also how much is free, and needed."""
    said = error.strerror or str(error) or type(error).__name__
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return said
    folder = next(up for up in [place.absolute(), *place.absolute().parents] if up.is_dir())
    free = f"{shutil.disk_usage(folder).free:,} bytes are free in {folder}"
    return f"{said}: {free}" if needed is None else f"{said}: {free}, {needed:,} are needed"


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
