"""Found statements read back: from what ``found.json`` says to what it means, tried on larger boxes and other parameters.

Nothing here is the package's: a sentence is taken apart as a reader would, its formulas are read by `formulas`, and a game is
its rules in `games`. What a search finds, lifts, narrows or tries has no part in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.formulas import UnreadError, value
from benchmarks.finding.games import Game, Position, cells_of

SENTENCE = re.compile(
    r"(?:for (?P<when>.+?): )?(?:(?P<game>[a-z-]+\(.*\)): )?"
    r"(?P<label>P iff|G =|a position is a P-position if and only if|the Grundy number is) (?P<said>.*?)"
    r"(?:, except at (?P<but>\(.*?\)))?(?:, for coordinates up to (?P<reach>.*), and no further)?"
)
#: So many positions are looked at together.
SLAB = 1 << 18
#: Statements on families are read back for so many of their games.
MOST_POINTS = 14

Point = Mapping[str, int]


def game_of(ruleset: str, parameters: Point) -> str:
    """Return a ruleset with integers for its parameters, which are what stands behind an equals sign, or in f.

    Examples
    --------
    >>> game_of("solid-bar(f=(x+z)//k)", {"k": 3})
    'solid-bar(f=(x+z)//3)'
    """
    for name, number in parameters.items():
        ruleset = re.sub(rf"(?<=[=/(*+ ]){name}(?![\w=])", str(number), ruleset)
    return ruleset


def points(document: Mapping[str, Any]) -> list[dict[str, int]]:
    """Return the parameters for which a statement is read back: it speaks of them all, wherever it was found.

    They reach to three times the largest for which it was seen, and below the smallest; other values of several parameters
    come with them, so that s ≥ k is among those for (k, s).
    """
    spans = document["parameters"]
    names = list(spans)
    if document["kind"] == "heights" or not names:
        return [{}]
    every = []
    for name in names:
        low, high = min(spans[name]), max(spans[name])
        near = {low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1, high + 2}
        every.append(
            sorted(n for n in near | {2 * high, 2 * high + 1, 3 * high, 3 * high + 1} if n >= 0)
        )
    found = []
    for numbers in product(*every):
        point = dict(zip(names, numbers, strict=True))
        if point.get("k", 1) >= 1 and (not document["when"] or value(document["when"], **point)):
            found.append(point)
    if len(found) <= MOST_POINTS:
        return found
    small = sorted(found, key=lambda point: sum(point.values()))[: MOST_POINTS // 2]
    rest = [point for point in found if point not in small]
    step = max(1, len(rest) // (MOST_POINTS - len(small)))
    return small + rest[::step][-(MOST_POINTS - len(small)) :]


@dataclass(frozen=True)
class Effort:
    """How far a statement is read back.

    Attributes
    ----------
    cells
        Boxes have at most so many cells.
    times
        They reach to so many times the bound of the tables at most.
    folder
        Where heights and games of one's own are read from.
    beyond
        Boxes to look at besides, as the largest value of each coordinate.
    """

    cells: int = 1 << 21
    times: int = 4
    folder: Path = Path()
    beyond: Sequence[Mapping[str, int]] = ()


def boxes(game: Game, bound: int, effort: Effort) -> Iterator[dict[str, int]]:
    """Yield a cube that is as large as may be, and boxes that are long in one direction."""
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
    while side > 3 and cost(dict.fromkeys(sides, side)) > effort.cells:
        side -= max(1, side // 16)
    yield dict.fromkeys(sides, side)
    yield from effort.beyond


@lru_cache(maxsize=24)
def _p_table(notation: str, box: tuple[tuple[str, int], ...], folder: Path) -> Any:
    game = Game(notation, folder)
    legal = game.box(dict(box))
    return legal, game.p_positions(legal)


@lru_cache(maxsize=24)
def _g_table(notation: str, box: tuple[tuple[str, int], ...], folder: Path) -> Any:
    game = Game(notation, folder)
    return game.box(dict(box)), game.numbers(dict(box))


def truth(game: Game, box: Mapping[str, int], is_p: bool, folder: Path) -> tuple[Any, Any]:
    """Return the positions of a box, and whether they are P, or their Grundy numbers; by cells, passes among them."""
    key = game.notation, tuple(sorted(box.items())), folder
    legal, found = _p_table(*key) if is_p else _g_table(*key)
    if game.passes:
        legal = np.repeat(legal[..., None], game.passes + 1, axis=-1)
    return legal, found


def wrong(
    document: Mapping[str, Any], parameters: Point, bound: int, effort: Effort | None = None
) -> Position | None:
    """Return a position of one game at which a statement on positions is wrong; None if none is found.

    Parameters
    ----------
    document
        As ``found.json`` has it.
    parameters
        Of the game.
    bound
        Of the box; with an `effort`, of the tables that it was found on.
    effort
        How far to look.
    """
    if document["ruleset"].startswith("rectangular-bar"):
        return _wrong_cells(document, parameters)
    folder = effort.folder if effort else Path()
    game = Game(game_of(document["ruleset"], parameters), folder)
    once = Effort(cells=1 << 40, times=1, folder=folder)
    for box in boxes(game, bound, effort or once):
        if document["kind"] == "values":
            place = _wrong_values(document, game, parameters, box, folder)
        else:
            place = _wrong_formulas(document, game, parameters, box, folder)
        if place is not None:
            return place
    return None


def _taken_apart(document: Mapping[str, Any]) -> tuple[bool, list[tuple[str, str]], str, str]:
    """Return whether P-positions are meant, the cases, each with where it is meant, the exceptions, and the reach."""
    read = SENTENCE.fullmatch(document["text"])
    if not read:
        raise UnreadError(document["text"])
    if (read["when"] or "") != document["when"]:
        raise UnreadError(
            f"says {read['when']!r}, and is meant for {document['when']!r}: {document['text']}"
        )
    cases = [case.partition(" where ")[::2] for case in read["said"].split("; ")]
    is_p = read["label"].startswith(("P", "a pos"))
    return is_p, cases, read["but"] or "", read["reach"] or ""


def _wrong_formulas(
    document: Mapping[str, Any],
    game: Game,
    parameters: Point,
    box: Mapping[str, int],
    folder: Path,
) -> Position | None:
    is_p, cases, but, reach_text = _taken_apart(document)
    legal, found = truth(game, box, is_p, folder)
    reach = value(reach_text, **parameters) if reach_text else None
    excepted = set(value(f"[{but}]", **parameters)) if but else set()
    further, beyond = False, False
    for at, where in slabs(legal):
        known = dict(zip(game.coordinates, where, strict=True))
        right, meant = claimed(cases, found[at], {**parameters, **known})
        if not all(case[1] for case in cases) or len(cases) > 1:
            right &= meant | (len(cases) == 1)  # several cases are all positions together
        size = np.max(where[: len(game.names)], axis=0)
        inside = np.ones(len(size), bool) if reach is None else size <= reach
        but_here = np.zeros(len(size), bool)
        for q in excepted:
            but_here |= np.all([w == n for w, n in zip(where, q, strict=True)], axis=0)
        bad = np.flatnonzero(inside & (right == but_here))
        if len(bad):
            return tuple(int(w[bad[0]]) for w in where)
        if reach is not None:
            beyond |= bool((size == reach + 1).any())
            further |= bool((~right & (size == reach + 1)).any())
    return (reach + 1,) if reach is not None and beyond and not further else None


def claimed(
    cases: Sequence[tuple[str, str]], truths: Any, known: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return where all cases that are meant are right, and where any is meant."""
    right = np.ones(len(truths), bool)
    meant = np.zeros(len(truths), bool)
    for formula, where in cases:
        here = np.broadcast_to(value(where, **known) if where else True, right.shape)
        right &= ~here | (np.broadcast_to(value(formula, **known), right.shape) == truths)
        meant = meant | here
    return right, meant


def slabs(legal: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield the positions of a box, some at a time: as an index, and as their coordinates."""
    every = np.flatnonzero(legal)
    for start in range(0, len(every), SLAB):
        at = np.unravel_index(every[start : start + SLAB], legal.shape)
        yield at, tuple(one.astype(np.int64) for one in at)


def _wrong_values(
    document: Mapping[str, Any],
    game: Game,
    parameters: Point,
    box: Mapping[str, int],
    folder: Path,
) -> Position | None:
    of, are = document["formulas"]
    _, found = truth(game, box, True, folder)
    where = np.nonzero(found)
    known = {**parameters, **dict(zip(game.coordinates, where, strict=True))}
    v = np.broadcast_to(value(of["formula"], **known), where[0].shape)
    if "at least" not in are["label"]:
        bad = np.flatnonzero(
            ~np.broadcast_to(value(are["formula"], **parameters, v=v), v.shape).astype(bool)
        )
        if len(bad):
            return tuple(int(w[bad[0]]) for w in where)
    if "among" not in are["label"]:  # small ones are reached by small positions
        seen = set(np.unique(v).tolist())
        small = range(min(box.values()) // 2)
        missing = (n for n in small if value(are["formula"], **parameters, v=n))
        return next(((n,) for n in missing if n not in seen), None)
    return None


def cells(m: int, n: int, passes: int = 0, left: int = 0) -> dict[tuple[int, int], int]:
    """Return 1 for each cell (i, j) of an uncut bar that makes it a P-position, 0 for the others."""
    return {
        (i, j): int(_is_p_of_heaps((i - 1, m - i, j - 1, n - j), passes, left))
        for i in range(1, m + 1)
        for j in range(1, n + 1)
    }


def _is_p_of_heaps(heaps: Sequence[int], passes: int, left: int) -> bool:
    """Whether heaps of Nim are a P-position: Bouton (1901) without passes, by the rules with passes."""
    if not passes:
        return not np.bitwise_xor.reduce(heaps)
    most = max(8, 1 << max(heaps).bit_length())
    _, found = _p_table(
        f"with-pass(nim(4), passes={passes})", tuple((name, most) for name in "abcd"), Path()
    )
    return bool(found[(*heaps, left)])


def _wrong_cells(document: Mapping[str, Any], parameters: Point) -> Position | None:
    """Return a cell of an uncut bar, behind its numbers of rows and columns, of which a statement is wrong."""
    sizes = re.fullmatch(
        r"rectangular-bar\(m=(\w+), n=(\w+)\)", game_of(document["ruleset"], parameters)
    )
    if not sizes or not (sizes[1] + sizes[2]).isdigit():
        raise UnreadError(document["ruleset"])
    is_p, cases, but, _ = _taken_apart(document)
    if not is_p or but:
        raise UnreadError(document["text"])
    m, n = int(sizes[1]), int(sizes[2])
    if m < 1 or n < 1:
        return None
    every = cells(m, n)
    i, j = (np.array(axis) for axis in zip(*every, strict=True))
    truths = np.array(list(every.values()), bool)
    right, meant = claimed(cases, truths, {**parameters, "i": i, "j": j})
    right &= meant | (len(cases) == 1)
    bad = np.flatnonzero(~right)
    return (m, n, int(i[bad[0]]), int(j[bad[0]])) if len(bad) else None
