"""A batch conjecture-search pipeline for impartial chocolate-bar games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from choco_pipeline.api.check import check, load_claims, prove
    from choco_pipeline.api.mine import mine
    from choco_pipeline.api.results import Run, open_run, open_table, run
    from choco_pipeline.api.run import plan
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
    from choco_pipeline.tables.cells import p_positions
    from choco_pipeline.tables.computing import grundy_table, p_table

    #: `Game.from_file` reads a user's game.
    Game = CutGame

__version__ = "0.1.0"

__all__ = [
    "CutGame",
    "DisjunctiveSum",
    "Game",
    "Nim",
    "RectangularBar",
    "Ruleset",
    "Run",
    "SolidBar",
    "StepBar",
    "StripBar",
    "WithPass",
    "check",
    "grundy_table",
    "load_claims",
    "mine",
    "open_run",
    "open_table",
    "p_positions",
    "p_table",
    "parse_ruleset",
    "plan",
    "prove",
    "run",
]

#: The modules of names whose import is slow; all other names are in `games`.
PLACES = {
    **dict.fromkeys(("grundy_table", "p_table"), "tables.computing"),
    "p_positions": "tables.cells",
    **dict.fromkeys(("check", "load_claims", "prove"), "api.check"),
    "mine": "api.mine",
    "plan": "api.run",
    **dict.fromkeys(("Run", "open_run", "open_table", "run"), "api.results"),
}


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that a command loads only what it needs."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{PLACES.get(name, 'games')}")
    return getattr(module, "CutGame" if name == "Game" else name)


def __dir__() -> list[str]:
    """Return the importable names."""
    return [*__all__, "__version__"]
