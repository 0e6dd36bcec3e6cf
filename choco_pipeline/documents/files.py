"""Small documents on disk, which are written atomically."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from choco_pipeline.errors import StoreError

#: Control characters, characters that change the direction of text, and halves of surrogate pairs.
INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: Deepest nesting of lists and objects in a document, because functions on them are recursive. The project uses less than 20.
DEEPEST = 100


def write_text(path: Path, text: str) -> None:
    """Write a text atomically; raise `StoreError` if that fails."""
    content = text.encode()
    try:
        write_whole(path, content)
    except OSError as error:
        why = reason_of(error, path, len(content))
        raise StoreError(f"{path}: cannot be written ({why})") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write content to a temporary file and rename it; remove the file on failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def reason_of(error: OSError, place: Path, needed: int | None = None) -> str:
    """Return the reason of an error; for a full disk, with the free bytes."""
    text = error.strerror or str(error) or type(error).__name__
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return text
    folder = next(up for up in [place.absolute(), *place.absolute().parents] if up.is_dir())
    free = f"{shutil.disk_usage(folder).free:,} bytes are free in {folder}"
    return f"{text}: {free}" if needed is None else f"{text}: {free}, {needed:,} are needed"


def read_bytes(path: Path, most: int = -1) -> bytes:
    """Return the content of a file, at most `most` bytes.

    Raises `OSError` if it cannot be read, or is a pipe or a device, which may never end.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "must be a file, not a pipe or a device")
    with path.open("rb") as file:
        return file.read(most)


def write_json(path: Path, document: object) -> None:
    """Write a document atomically as indented JSON."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def write_large_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document as JSON, atomically, with a line for each item of its values.

    Python's encoder of indented text takes three times as long.
    """
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lines = []
    for key, value in document.items():
        if isinstance(value, dict) and value:
            items = (encode({name: item})[1:-1] for name, item in value.items())
            text = "{\n  " + ",\n  ".join(items) + "\n }"
        elif isinstance(value, list | tuple) and value:
            text = "[\n  " + ",\n  ".join(map(encode, value)) + "\n ]"
        else:
            text = encode(value)
        lines.append(f" {encode(key)}: {text}")
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def read_json(path: Path, most_bytes: int | None = None) -> Any:
    """Return the document in a JSON file, which may come from an untrusted source.

    Raises `StoreError` if it cannot be read, is too large or not JSON, or has a repeated key, NaN, Infinity, a number too large for
    a float, half of a surrogate pair, or nesting beyond `DEEPEST`.
    """
    try:
        content = read_bytes(path, -1 if most_bytes is None else most_bytes + 1)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from None
    if most_bytes is not None and len(content) > most_bytes:
        raise StoreError(f"{path}: too large, at most {most_bytes:,} bytes are read")
    try:
        return parse_json(content)
    except ValueError as error:
        raise StoreError(f"{path}: not a JSON document ({error})") from None


def parse_json(text: str | bytes) -> Any:
    """Return the document of a JSON text; `ValueError` in the cases of `read_json`."""
    text = text.decode("utf-8") if isinstance(text, bytes) else text
    try:
        document = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_no_number, parse_float=_finite
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if _is_deep(document):
        raise ValueError(_TOO_DEEP)
    if "\\u" in text:  # half of a pair can only be written as an escape
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is not a character") from None
    return document


_TOO_DEEP = f"nested more than {DEEPEST} deep"


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:60]!r} occurs twice in one object")
    return document


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _is_deep(document: Any) -> bool:
    level: list[Any] = [[document]]
    for _ in range(DEEPEST + 1):
        parts = (part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole))  # fmt: skip
        level = [part for part in parts if isinstance(part, dict | list)]
    return bool(level)
