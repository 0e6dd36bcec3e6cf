"""Options that several commands have, and their output.

Results go to standard output, all else to standard error.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from choco_pipeline.documents.yaml_file import INVISIBLE

Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON document on standard output; all else goes to standard error.",
    ),
]
ConfigFile = Annotated[Path, typer.Argument(help="The configuration.", metavar="[CONFIG]")]
ClusterName = Annotated[
    str | None,
    typer.Option(help="Compute on the cluster of config/clusters/NAME.yaml.", metavar="NAME"),
]
NumberOfWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Dask worker processes on this machine; one for each core by default."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Use a running Dask cluster: its address, or its scheduler file."),
]

#: Typer settings of all commands.
SETTINGS: Mapping[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
#: Largest width of text, also in a wider terminal.
WIDTH = 120
#: Largest number of characters in a line of `note`.
LONGEST = 2000
#: Exit code if two engines, or an engine and a definition, contradict each other; no verdict has it.
DISAGREEMENT = 3


def emit(document: object) -> None:
    """Print a JSON document on standard output."""
    print(json.dumps(document, ensure_ascii=False))


def note(text: str) -> None:
    """Print text on standard error, safely.

    The text may contain foreign input: control characters are escaped, and long lines are cut.
    """
    seen = INVISIBLE.sub(lambda character: ascii(character[0])[1:-1], text)
    lines = (line if len(line) <= LONGEST else f"{line[:LONGEST]}…" for line in seen.split("\n"))
    print("\n".join(lines), file=sys.stderr)


def wrapped(text: str, indent: str = "", further: str = "") -> str:
    """Return a paragraph as wide as the terminal, with `further` as later indent."""
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    lines = wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=further,
        break_on_hyphens=False,  # names of claims and options have them
    )
    return "\n".join(lines)


def in_short(number: float) -> str:
    """Return a large number in a short form.

    Examples
    --------
    >>> in_short(950), in_short(12_300_000)
    ('950', '12.3 M')
    """
    for unit in ("", " k", " M", " G"):
        if number < 1000:
            return f"{number:.3g}{unit}" if unit else f"{number:.0f}"
        number /= 1000
    return f"{number:.4g} T"


def in_time(seconds: float) -> str:
    """Return a duration in a short form.

    Examples
    --------
    >>> in_time(0.04), in_time(9), in_time(90), in_time(4000)
    ('0.04 s', '9 s', '1 min 30 s', '1 h 6 min')
    """
    if seconds < 9.5:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
