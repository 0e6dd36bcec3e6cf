"""What commands print: one JSON document on standard output, or text; logs and errors on standard error."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON document on standard output; all else goes to standard error.",
    ),
]


def emit(document: object) -> None:
    """Print a JSON document on standard output."""
    print(json.dumps(document, ensure_ascii=False))


def note(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr)
