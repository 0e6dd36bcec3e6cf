"""A batch conjecture-search pipeline for impartial chocolate-bar games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from choco_pipeline.games import (
        CutGame,
        DisjunctiveSum,
        Nim,
        RectangularBar,
        Ruleset,
        SolidBar,
        StepBar,
        StripBar,
        WithPass,
        parse_ruleset,
    )
    from choco_pipeline.tables.computing.in_memory import grundy_table, p_table

    #: `Game.from_file` reads a game of one's own.
    Game = CutGame

__version__ = "0.1.0"

__all__ = [
    "CutGame",
    "DisjunctiveSum",
    "Game",
    "Nim",
    "RectangularBar",
    "Ruleset",
    "SolidBar",
    "StepBar",
    "StripBar",
    "WithPass",
    "grundy_table",
    "p_table",
    "parse_ruleset",
]


def __getattr__(name: str) -> Any:
    """Import games, and tables with numba, zarr and xarray, only when they are asked for: a command starts without them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    tables = name in ("grundy_table", "p_table")
    module = import_module(f"{__name__}.{'tables.computing.in_memory' if tables else 'games'}")
    return getattr(module, "CutGame" if name == "Game" else name)
