"""The games of the five papers by their definitions, and user-defined games."""

from choco_pipeline.games.bars import Nim, RectangularBar, SolidBar, StepBar, StripBar
from choco_pipeline.games.description import CutGame
from choco_pipeline.games.notation import as_game, parse_ruleset
from choco_pipeline.games.rules import Position
from choco_pipeline.games.ruleset import DisjunctiveSum, Ruleset, WithPass, mex

__all__ = [
    "CutGame",
    "DisjunctiveSum",
    "Nim",
    "Position",
    "RectangularBar",
    "Ruleset",
    "SolidBar",
    "StepBar",
    "StripBar",
    "WithPass",
    "as_game",
    "mex",
    "parse_ruleset",
]
