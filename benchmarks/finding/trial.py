"""Counterexamples to found statements: on larger boxes and for other parameters than those that were searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.finding.evaluation import Here, World, game_of
from benchmarks.finding.formulas import UndefinedError, UnreadError, value
from benchmarks.finding.games import Game, cells_of
from benchmarks.finding.heights import wrong_heights
from benchmarks.finding.pictures import wrong_finding
from benchmarks.finding.reading import Reading, cases
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.statements import tree

#: This many positions are tried together.
SLAB = 1 << 18
#: Boxes are smaller by this factor for statements on options and other choices.
CHOICES = 1 << 8


@dataclass(frozen=True)
class Effort:
    """The size of trials.

    Attributes
    ----------
    cells
        The most cells of a box.
    times
        The bound of boxes, as a multiple of the bound of the tables.
    folder
        Where heights and games of one's own are read from.
    beyond
        Further boxes, as the largest value of each coordinate.
    """

    cells: int = 1 << 21
    times: int = 4
    folder: Path = Path()
    beyond: Sequence[Mapping[str, int]] = ()


def boxes(game: Game, bound: int, effort: Effort, cells: int) -> Iterator[dict[str, int]]:
    """Yield a cube that is as large as possible, and boxes that are long in one direction."""
    if "sizes" in game.rules:
        m, n = game.rules["sizes"]
        yield {"a": m - 1, "c": n - 1}
        return
    sides = [name for name in game.names if name not in game.limits]

    def cost(largest: Mapping[str, int]) -> int:  # options, where they are looked at one by one
        heights = [0]
        for height, places in game.limits.values():
            if isinstance(height, np.ndarray):
                heights.append(int(height.max()))
            else:
                corner = {game.names[i]: largest[game.names[i]] for i in places}
                heights.append(int(value(str(height), **game.known, **corner)))
        count = cells_of(largest) * (max(heights) + 1) * (game.passes + 1)
        if game.is_plain:
            return count
        line = max(largest.values()) + 1
        free = [move.get("by", "any") in ("any", "each") for move in game.rules["moves"]]
        lowered = [len(move["lower"]) for move in game.rules["moves"]]
        return count * sum(line ** (n if f else 1) for n, f in zip(lowered, free, strict=True))

    side = game.side(effort.times * bound)
    while side > 3 and cost(dict.fromkeys(sides, side)) > cells:
        side -= max(1, side // 16)
    yield dict.fromkeys(sides, side)
    yield from effort.beyond


def counterexample(reading: Reading, bound: int, effort: Effort) -> str | None:
    """Return where a statement is wrong, in words; None if nowhere that was looked.

    Raises `UnreadError` if it cannot be judged.
    """
    if reading.claims:
        for point in reading.points():
            for claim in reading.claims:
                place = wrong(claim, point, bound, effort)
                if place is not None:
                    which = ", ".join(f"{name} = {n}" for name, n in point.items())
                    return f"{which + ': ' if which else ''}{place}"
        return None
    if reading.finding:
        return wrong_finding(reading.finding, bound, effort.folder)
    if reading.kind == "heights":
        return wrong_heights(reading)
    raise UnreadError(reading.line)


def wrong(claim: Claim, point: Mapping[str, int], bound: int, effort: Effort) -> str | None:
    """Return a position of one game at which a claim is wrong; None if none is found."""
    for known in cases(claim, point):
        try:
            game = Game(game_of(claim.statement.ruleset or "", point), effort.folder)
        except (ValueError, UndefinedError):
            return None  # no such game
        has_choices = any(
            isinstance(part, tree.OfOption | tree.OfCell | tree.InRange | tree.IsOption)
            for part in tree.walk(claim.proposition)
        )
        for box in boxes(game, bound, effort, effort.cells // (CHOICES if has_choices else 1)):
            world = World(game.notation, claim.coordinates, box, effort.folder)
            place = wrong_in(world, claim, known)
            if place is not None:
                return place
    return None


def wrong_in(world: World, claim: Claim, known: Mapping[str, int]) -> str | None:
    """Return a position of a box at which a claim is wrong."""
    every = world.positions()
    for start in range(0, len(every[0]), SLAB):
        slab = tuple(axis[start : start + SLAB] for axis in every)
        here = Here(len(slab[0]), known, world).at(slab)
        try:
            bad = np.flatnonzero(~here.holds(claim.proposition))
        except UndefinedError as error:
            return f"undefined: {error}"
        if len(bad):
            return str(tuple(int(axis[bad[0]]) for axis in slab))
    return None


def spoken(reading: Reading, world: World, known: Mapping[str, int]) -> np.ndarray:
    """Return at which positions of a box a statement says something."""
    every = world.positions()
    here = Here(len(every[0]), known, world).at(every)
    found = np.zeros(here.length, bool)
    for claim in reading.claims:
        for case in cases(claim, known):
            found |= replace(here, known={**here.known, **case}).holds(premise(claim.proposition))
    return found


def premise(part: tree.Proposition) -> tree.Proposition:
    """Return the condition on positions under which a statement says something."""
    match part:
        case tree.Let(name, number, body):
            return tree.Let(name, number, premise(body))
        case tree.Implies(condition, _):
            return condition
    return tree.TRUE
