"""A batch conjecture-search pipeline for impartial chocolate-bar games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from choco_pipeline.tables.compute import grundy_table, p_table

__version__ = "0.1.0"

#: `Game.from_file` reads a game of one's own.
Game = CutGame

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
    """Import the tables, and with them numba, zarr and xarray, only when they are asked for."""
    if name in ("grundy_table", "p_table"):
        from choco_pipeline.tables import compute  # noqa: PLC0415 -- lazily, for the command line's sake

        return getattr(compute, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
