"""Small documents on disk that appear whole or not at all."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from choco_pipeline.errors import StoreError

#: Lists and objects of a document inside of each other. Ours have less than 20; what walks one may call itself for each.
DEEPEST = 100


def write_text(path: Path, text: str) -> None:
    """Write `text` under a name that nobody reads, then rename it; `StoreError` if that fails."""
    content = text.encode()
    try:
        write_whole(path, content)
    except OSError as error:
        why = reason_of(error, path, len(content))
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
    text = error.strerror or str(error) or type(error).__name__
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return text
    folder = next(up for up in [place.absolute(), *place.absolute().parents] if up.is_dir())
    free = f"{shutil.disk_usage(folder).free:,} bytes are free in {folder}"
    return f"{text}: {free}" if needed is None else f"{text}: {free}, {needed:,} are needed"


def read_bytes(path: Path, most: int = -1) -> bytes:
    """Return what a file holds, at most `most` bytes of it; of nothing else, for a pipe may never end.

    Raises `OSError` if it cannot be read, or is no file.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "a pipe or a device, a file is needed")
    with path.open("rb") as file:
        return file.read(most)


def write_json(path: Path, document: object) -> None:
    """Write `document` as JSON that people can read, whole or not at all."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path, most_bytes: int | None = None) -> Any:
    """Return the document in `path`, which may be anybody's.

    Raises `StoreError`, saying what is wrong: it cannot be read, is too large, is no JSON, has a key twice, a number that is
    none (NaN, Infinity, or too large for a float), a character that is none, or is nested more than `DEEPEST` deep.
    """
    try:
        content = read_bytes(path, -1 if most_bytes is None else most_bytes + 1)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from None
    if most_bytes is not None and len(content) > most_bytes:
        raise StoreError(f"{path}: too large, at most {most_bytes:,} bytes are read")
    try:
        document = parse_json(content)
    except ValueError as error:
        raise StoreError(f"{path}: not a JSON document ({error})") from None
    return document


def parse_json(text: str | bytes) -> Any:
    """Return the document that `text` writes, or raise `ValueError` as `read_json` raises `StoreError`."""
    text = text.decode("utf-8") if isinstance(text, bytes) else text
    try:
        document = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_no_number, parse_float=_finite
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if _is_deep(document):
        raise ValueError(_TOO_DEEP)
    if "\\u" in text:  # half of a pair can only be written so
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is no character") from None
    return document


_TOO_DEEP = f"nested more than {DEEPEST} deep"


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:60]!r} is there twice in one object")
    return document


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large for a number")
    return value


def _is_deep(document: Any) -> bool:
    level = [document]
    for _ in range(DEEPEST):
        level = [
            part
            for whole in level
            if isinstance(whole, dict | list)
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True
