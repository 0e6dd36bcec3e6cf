"""Records: documents between stages of a run, each with its digest.

The digest is of the content, not of the bytes: another layout is the same record, and a record with one changed digit is
refused. Documents from people, such as certificates, are no records: their readers check all of their content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.documents.files import parse_json, read_bytes, write_json
from choco_pipeline.errors import StoreError

#: The key of the digest. It comes last, and no content may have it at the top.
DIGEST = "digest"


class DamagedError(StoreError):
    """A record is not as it was written."""


def write_record(path: Path, content: Mapping[str, Any]) -> None:
    """Write content with its digest as indented JSON, as a whole."""
    if DIGEST in content:
        raise ValueError(f"a record keeps its own digest under {DIGEST!r}")
    write_json(path, {**content, DIGEST: _digest(content)})


def read_record(path: Path) -> dict[str, Any]:
    """Return the content of a record, without its digest.

    Raises `DamagedError` if it is not as it was written; `StoreError` if there is none.
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
        raise damaged(path, "its content has another digest")
    return document


def damaged(path: Path, why: str) -> DamagedError:
    """Return the error for a damaged record."""
    return DamagedError(f"{path}: damaged: {why}; `choco run` makes it anew")


def _digest(content: Mapping[str, Any]) -> str:
    # Sorting would distinguish numbers from words as keys.
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()
