"""Counterexamples to search results on pictures and numbers of P-positions, from their data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.evaluation import Here, World, game_of
from benchmarks.finding.formulas import UndefinedError, UnreadError, value
from benchmarks.finding.games import Game
from choco_pipeline.mining.table_findings import BlocksFinding, CellularFinding, CountFinding
from choco_pipeline.statements.parse import Names, parse_proposition

#: Whether cells of a picture are P-positions, and whether they are positions.
Picture = Callable[[Sequence[Any], int | None], tuple[Any, Any]]


def wrong_finding(
    finding: BlocksFinding | CellularFinding | CountFinding, bound: int, folder: Path
) -> str | None:
    """Return where a search result is wrong; None if nowhere up to a bound."""
    if isinstance(finding, CountFinding):
        return _wrong_counts(finding, bound, folder)
    picture, side = _picture(finding, bound, folder)
    cells = list(np.indices((side,) * len(finding.axes)).reshape(len(finding.axes), -1))
    if isinstance(finding, CellularFinding):
        return _wrong_rule(finding, picture, cells)
    for relation in finding.relations:
        place = [2 * axis + rest for axis, rest in zip(cells, relation.residue, strict=True)]
        here, exists = picture(place, finding.passes)
        there = np.zeros_like(here)
        for steps in relation.terms:
            shifted = [axis + step for axis, step in zip(cells, steps, strict=True)]
            there ^= picture(shifted, finding.passes)[0]
        meant = exists & (np.min(place[:-2], axis=0) >= finding.begins)
        if (wrong := np.flatnonzero(meant & (here != there))).size:
            return f"{finding.axes} = {tuple(int(axis[wrong[0]]) for axis in place)}"
    if not finding.relations:
        raise UnreadError("copies without a claim")
    return None


def _picture(
    finding: BlocksFinding | CellularFinding, bound: int, folder: Path
) -> tuple[Picture, int]:
    """Return a picture, and the number of cells along each axis that are tried."""
    game = Game(game_of(finding.ruleset, {"m": 1, "n": 1}), folder)
    is_bar = "sizes" in game.rules
    notation, names = finding.ruleset, game.coordinates
    if is_bar:
        notation = f"with-pass(nim(4), passes={game.passes})" if game.passes else "nim(4)"
        wider = game.rules["sizes"][1] - 1
    world = World(notation, names, {}, folder)

    def picture(place: Sequence[Any], left: int | None) -> tuple[Any, Any]:
        at = dict(zip(finding.axes, place, strict=True))
        if is_bar:
            rows, columns, i, j = at["m"], at.get("n", at["m"] + wider), at["i"], at["j"]
            at = {"a": i - 1, "b": rows - i, "c": j - 1, "d": columns - j}
        every = [at[name] for name in game.names] + [np.full_like(place[0], left or 0)] * (
            left is not None
        )
        if is_bar and not game.passes:
            return (np.bitwise_xor.reduce(every) == 0) & (np.min(every, axis=0) >= 0), np.min(
                every, axis=0
            ) >= 0
        found, exists = world.look_up(notation, tuple(every), True)
        return found & exists, exists

    return picture, min(
        bound, 20 if not is_bar else 12 if game.passes or "n" in finding.axes else 40
    )


def _wrong_rule(finding: CellularFinding, picture: Picture, cells: Sequence[Any]) -> str | None:
    here, meant = picture(cells, finding.passes)
    there = np.zeros_like(here)
    for steps in finding.terms:
        shifted = [axis - step for axis, step in zip(cells, steps, strict=True)]
        alive, exists = picture(shifted, finding.passes)
        there ^= alive
        meant = meant & (exists | (not finding.inside))
    if finding.exceptions is None:
        meant = meant & (np.min(cells[:-2], axis=0) >= finding.begins)
    for cell in finding.exceptions or ():
        there ^= np.logical_and.reduce([axis == n for axis, n in zip(cells, cell, strict=True)])
    wrong = np.flatnonzero(meant & (here != there))
    return (
        f"{finding.axes} = {tuple(int(axis[wrong[0]]) for axis in cells)}" if wrong.size else None
    )


@lru_cache(maxsize=64)
def numbers(
    ruleset: str, counted: str, index: str, first: int, most: int, folder: Path
) -> list[int]:
    """Return the values of a count for an index from the first to the greatest."""
    game = Game(game_of(ruleset, {index: 1}), folder)
    is_bar = "sizes" in game.rules
    coordinates = ("i", "j", *game.coordinates[4:]) if is_bar else tuple(game.coordinates)
    equation = parse_proposition(f"{counted} == 0", Names(coordinates, frozenset({index})))
    ((_, count),) = equation.terms
    if not is_bar:
        box = {name: game.side(most) for name in game.names if name not in game.limits}
        places = np.arange(first, most + 1)
        return (
            Here(len(places), {index: places}, World(ruleset, coordinates, box, folder))
            .term(count)
            .tolist()
        )
    found = []
    for m in range(first, most + 1):
        one = Game(game_of(ruleset, {index: m}), folder)
        world = World(
            one.notation, coordinates, dict(zip("ac", one.rules["sizes"], strict=True)), folder
        )
        found.append(int(Here(1, {index: m}, world).term(count)[0]))
    return found


def equations(finding: CountFinding) -> Iterator[tuple[str, int]]:
    """Yield the equations between terms g(n) and sums total(n), and the least index of each."""
    assert finding.sequence is not None
    index = finding.sequence.index
    for relation in (*finding.relations, *([finding.closed_form] if finding.closed_form else ())):
        yield relation.formula, max(relation.start, finding.sequence.first)
    for power in finding.follows:
        if power.formula is not None:
            name = "g" if power.kind == "terms" else "total"
            yield f"{name}(2**{index}) == {power.formula}", power.start


def _wrong_counts(finding: CountFinding, bound: int, folder: Path) -> str | None:
    sequence = finding.sequence
    assert sequence is not None
    is_power = f"2**{sequence.index}" in sequence.counted
    most = min(4 * bound, 130 if "nim" in sequence.game or "rect" in sequence.game else 200)
    most = 24 if "passes" in sequence.game and "rect" in sequence.game else most
    last = most.bit_length() - 1 if is_power else most
    found = numbers(sequence.game, sequence.counted, sequence.index, sequence.first, last, folder)

    if any(a != b for a, b in zip(found, sequence.terms, strict=False)):
        return f"terms: {found}"

    def g(n: int) -> int:
        if not sequence.first <= n <= last:
            raise UndefinedError(f"g({n})")
        return found[n - sequence.first]

    def total(n: int) -> int:
        return sum(g(m) for m in range(sequence.first, n + 1))

    for formula, start in equations(finding):
        for n in range(start, last + 1):
            try:
                if not value(formula, **{sequence.index: n, "g": g, "total": total}):
                    return f"{formula} at {sequence.index} = {n}"
            except UndefinedError:
                continue
    return None
