"""A game as the page plays it: its rules on a small box, in which every function is an array, so that nothing is evaluated."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import Formula
from choco_pipeline.games.rules import Amounts, Move, Rules

#: The largest number in a packed array; amounts and heights of a box are far smaller, or all the same if they are not.
LARGEST = (1 << 15) - 1


@dataclass(frozen=True)
class PackedFunction:
    """A function of some coordinates, tabulated."""

    #: The numbers of the coordinates, the first of which changes slowest.
    of: tuple[int, ...]
    #: As `packed` writes it.
    data: str


@dataclass(frozen=True)
class PlayedLimit:
    """The largest legal value of the coordinate with number `axis`."""

    axis: int
    largest: PackedFunction


@dataclass(frozen=True)
class PlayedMove:
    """A kind of move, as `choco_pipeline.games.rules.Move`, with coordinates by their numbers."""

    lowers: tuple[int, ...]
    by: str | tuple[int, ...]
    at_most: PackedFunction | None
    clips: bool
    unless: PackedFunction | None
    needs: tuple[PlayedMove, ...]


@dataclass(frozen=True)
class PlayedRules:
    """The rules of a game on a box of positions that no move leaves."""

    #: Their names.
    coordinates: tuple[str, ...]
    #: How many values each has.
    sizes: tuple[int, ...]
    limits: tuple[PlayedLimit, ...]
    within: PackedFunction | None
    moves: tuple[PlayedMove, ...]


def packed(values: NDArray[Any]) -> str:
    """Return an array as 16-bit integers, the lowest byte first, in base 64; larger numbers become `LARGEST`.

    Examples
    --------
    >>> packed(np.array([1, 2]))
    'AQACAA=='
    """
    small = np.clip(values.astype(np.int64), -LARGEST, LARGEST).astype("<i2")
    return b64encode(small.tobytes()).decode()


def played_rules(rules: Rules, sizes: Sequence[int]) -> PlayedRules:
    """Return a game's rules on the positions below `sizes`.

    Raises `FormulaError` if a formula of the rules has no value somewhere in the box, even where no position is; `HeightError`
    if a height is not known there.
    """
    axes = {name: axis for axis, name in enumerate(rules.coordinates)}

    def function(formula: Formula | None) -> PackedFunction | None:
        return None if formula is None else tabulated(formula, axes, sizes)

    def move(rule: Move) -> PlayedMove:
        assert not isinstance(rule.by, Amounts), (
            "a game whose options are listed is not played here"
        )
        return PlayedMove(
            tuple(axes[name] for name in rule.lowers),
            rule.by,
            function(rule.at_most),
            rule.clips,
            function(rule.unless),
            tuple(move(other) for other in rule.needs),
        )

    limits = []
    for name, limit in rules.limits.items():
        of = tuple(axes[other] for other in limit.of)
        heights = limit.height.table(*(sizes[axis] for axis in of))
        limits.append(PlayedLimit(axes[name], PackedFunction(of, packed(heights))))
    return PlayedRules(
        rules.coordinates,
        tuple(sizes),
        tuple(limits),
        function(rules.within),
        tuple(move(rule) for rule in rules.moves),
    )


def tabulated(
    formula: Formula, axes: Mapping[str, int], sizes: Sequence[int], first: int = 0
) -> PackedFunction:
    """Return a formula's values for coordinates that begin with `first`."""
    of = sorted(axes[name] for name in formula.names)
    names = {axis: name for name, axis in axes.items()}
    ranges = np.ix_(*(np.arange(first, first + sizes[axis]) for axis in of))
    places = {names[axis]: numbers for axis, numbers in zip(of, ranges, strict=True)}
    return PackedFunction(tuple(of), packed(np.asarray(formula.evaluate(places))))
