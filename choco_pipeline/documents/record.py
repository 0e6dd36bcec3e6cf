"""Records: what one stage of a run writes for another, each with a digest of itself, so that no damage is read as a result.

The digest is of the content, not of the bytes: a record that somebody has laid out anew says the same, and one in which
a single digit differs is refused by whoever reads it. What people hand over, such as a certificate, is no record: what
reads it decides all that it says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from choco_pipeline.documents.files import parse_json, read_bytes, write_json
from choco_pipeline.errors import StoreError

M = TypeVar("M", bound=BaseModel)
#: The key that a record's digest has. It comes last, and no content may use it at the top.
DIGEST = "digest"


class DamagedError(StoreError):
    """A record is not what was written."""


def write_record(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` with its digest, as JSON that people can read, whole or not at all."""
    write_json(path, _with_digest(content))


def read_record(path: Path) -> dict[str, Any]:
    """Return the content of a record, without its digest.

    Raises `DamagedError` if it is not what was written; `StoreError` if it cannot be read.
    """
    if not path.is_file():
        raise StoreError(f"{path}: cannot be read (no such file)")
    try:
        return _content(parse_json(read_bytes(path)))
    except OSError as error:
        why = f"cannot be read ({error.strerror})"
    except ValueError as error:
        why = f"not a JSON document ({error})"
    except DamagedError as error:
        why = str(error)
    raise DamagedError(f"{path}: damaged: {why}; `choco run` makes it anew")


def read_record_as(model: type[M], path: Path) -> M:
    """Return the content of a record as a model.

    Raises `DamagedError` if it is not what was written, or another version wrote something else; `StoreError` if it cannot be
    read.
    """
    try:
        return model.model_validate(read_record(path))
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        why = f"another version wrote it: {key}: {error.errors()[0]['msg']}"
    raise DamagedError(f"{path}: damaged: {why}; `choco run` makes it anew")


def _with_digest(content: Mapping[str, Any]) -> dict[str, Any]:
    if DIGEST in content:
        raise ValueError(f"a record keeps its own digest under {DIGEST!r}")
    return {**content, DIGEST: _digest(content)}


def _content(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict) or DIGEST not in document:
        raise DamagedError("it has no digest (older versions wrote none)")
    content = {key: value for key, value in document.items() if key != DIGEST}
    if document[DIGEST] != _digest(content):
        raise DamagedError("its content is not the one that its digest was taken of")
    return content


def _digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content in its order, which a JSON file keeps; sorting would tell numbers from words."""
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()
