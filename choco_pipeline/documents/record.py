"""Records: JSON documents with a digest, which stages of a run exchange.

The digest is that of the content, not of the bytes. The layout of a record may change, but a change of one digit makes it damaged.
Documents from users and certificates are not records: their readers check all of their content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.documents.files import parse_json, read_bytes, write_large_json
from choco_pipeline.errors import StoreError

#: The key of the digest. It is the last key, and the content must not have it at the top level.
DIGEST = "digest"


class DamagedError(StoreError):
    """A record was changed after it was written."""


def write_record(path: Path, content: Mapping[str, Any]) -> None:
    """Write content and its digest atomically as JSON."""
    if DIGEST in content:
        raise ValueError(f"the key {DIGEST!r} is reserved for the record's digest")
    write_large_json(path, {**content, DIGEST: _digest(content)})


def read_record(path: Path) -> dict[str, Any]:
    """Return the content of a record, without its digest.

    Raises `StoreError` if the file does not exist, and `DamagedError` if it was changed.
    """
    if not path.is_file():
        raise StoreError(f"{path}: cannot be read (no such file)")
    try:
        document = parse_json(read_bytes(path))
    except OSError as error:
        raise damaged(path, f"cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise damaged(path, f"not a JSON document ({error})") from None
    if not isinstance(document, dict) or DIGEST not in document:
        raise damaged(path, "it has no digest")
    if document.pop(DIGEST) != _digest(document):
        raise damaged(path, "its content does not match its digest")
    return document


def damaged(path: Path, why: str) -> DamagedError:
    """Return the error for a damaged record."""
    return DamagedError(f"{path}: damaged: {why}; `choco run` writes it again")


def _digest(content: Mapping[str, Any]) -> str:
    # Keys are not sorted, because numbers as keys sort differently after they have become text.
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()
