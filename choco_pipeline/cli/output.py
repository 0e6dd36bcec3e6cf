"""Shared options of commands, and wrapped text.

Results are printed to standard output, all other text to standard error.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON document on standard output; all other text goes to standard error.",
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
#: Largest width of text, even in a wider terminal.
WIDTH = 120


def wrapped(text: str, indent: str = "", further: str = "") -> str:
    """Return a wrapped paragraph; `further` is the indent of all lines but the first."""
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    return fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=further,
        break_on_hyphens=False,  # names of claims and options have them
    )
