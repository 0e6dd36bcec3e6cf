"""Games by their rules, written down once more: options one by one, and P-positions of large boxes by what leads to them.

A game is what `benchmarks/known/games` writes: coordinates, the largest legal values of some, and moves that lower others;
then whatever stands above its largest value falls to it. Bars and heaps are said in the same form here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, cached_property
from itertools import combinations, count, product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from benchmarks.finding.formulas import UnreadError, value
from choco_pipeline.formula import parse

Position = tuple[int, ...]
Truths = NDArray[np.bool_]

ROOT = Path(__file__).parent.parent.parent
#: Where games of one's own are described, besides ``config/games`` of the folder that is asked.
OWN = (ROOT / "benchmarks" / "known" / "games", ROOT / "config" / "games")


class Game:
    """A game by its notation, with integers for all parameters.

    Attributes
    ----------
    names
        Its coordinates, the number of passes left not among them.
    passes
        How many passes there are.
    """

    def __init__(self, notation: str, folder: Path | None = None) -> None:
        within = re.fullmatch(r"with-pass\((.*), passes=([^,()]+)\)", notation)
        self.notation = notation
        self.passes = int(value(within[2])) if within else 0
        self.rules = rules(within[1] if within else notation, folder or Path())
        self.names: list[str] = self.rules["coordinates"]
        self.known: dict[str, int] = self.rules.get("parameters", {})
        self.coordinates = [*self.names, *("p" if self.passes else "")]
        self._numbers: dict[Position, int] = {}
        self._tops: dict[tuple[str, Position], int] = {}

    @cached_property
    def limits(self) -> dict[str, tuple[Any, list[int]]]:
        """For each coordinate with a largest value: the formula or table, and the places of the coordinates in it."""
        found = {}
        for name, height in self.rules.get("heights", {}).items():
            used = ["x", "z"] if isinstance(height, np.ndarray) else parse(str(height)).names
            found[name] = height, [i for i, one in enumerate(self.names) if one in used]
        return found

    def side(self, most: int) -> int:
        """Return so many, or the largest coordinate for which a table has heights if that is less."""
        tables = (h for h, _ in self.limits.values() if isinstance(h, np.ndarray))
        return min([most, *(min(table.shape) - 1 for table in tables)])

    def top(self, name: str, q: Position) -> int | None:
        """Return the largest value of a coordinate beside the others; None where there is none."""
        if name not in self.limits:
            return None
        height, places = self.limits[name]
        at = tuple(q[i] for i in places)
        if (name, at) not in self._tops:
            self._tops[name, at] = int(self._height(height, places, at))
        return self._tops[name, at]

    def _height(self, height: Any, places: list[int], at: tuple[Any, ...]) -> Any:
        if isinstance(height, np.ndarray):
            return height[at]
        known = dict(zip([self.names[i] for i in places], at, strict=True))
        return value(str(height), **self.known, **known)

    def is_position(self, q: Position) -> bool:
        """Whether there is such a position."""
        tops = ((q[self.names.index(name)], self.top(name, q)) for name in self.limits)
        return all(top is None or n <= top for n, top in tops)

    def positions(self, bound: int) -> Iterator[Position]:
        """Yield the positions with no coordinate above a bound, options before what they are options of."""
        ranges = [range(bound + 1)] * len(self.names) + [range(self.passes + 1)] * (self.passes > 0)
        return filter(self.is_position, product(*ranges))

    def options(self, q: Position, by: Collection[str] = ()) -> list[Position]:
        """Return the options; with names, only those by moves that lower no other coordinates."""
        left = q[len(self.names) :]
        found = [(*to, *left) for to in self._cuts(q[: len(self.names)], by)]
        if left and left[0] and not by and self._cuts(q[: len(self.names)]):
            found.append((*q[:-1], q[-1] - 1))
        return found

    def _cuts(self, q: Position, by: Collection[str] = ()) -> list[Position]:
        at = {**self.known, **dict(zip(self.names, q, strict=True))}
        if self.rules.get("ends") and value(self.rules["ends"], **at):
            return []
        found = []
        for move in self.rules["moves"]:
            if by and not {*move["lower"]} <= {*by}:
                continue
            places = [self.names.index(name) for name in move["lower"]]
            for lowered in self._lowered(move, q, places, at):
                to = list(lowered)
                for name in self.limits:
                    top = self.top(name, lowered)
                    i = self.names.index(name)
                    to[i] = to[i] if top is None else min(to[i], top)
                if move.get("clip", True) or tuple(to) == lowered:
                    found.append(tuple(to))
        return found

    def _lowered(
        self, move: Mapping[str, Any], q: Position, places: list[int], at: Mapping[str, int]
    ) -> Iterator[Position]:
        """Yield what a move leaves before anything falls."""
        by = move.get("by", "any")
        most = value(str(move["at_most"]), **at) if "at_most" in move else max(q, default=0)
        amounts: Any
        if isinstance(move["lower"], dict):  # formulas in numbers that the player chooses
            texts = [str(text) for text in move["lower"].values()]
            names = sorted(frozenset().union(*(parse(text).names for text in texts)) - {*at})
            chosen = np.indices((most + 1,) * len(names)).reshape(len(names), -1)
            known = {**at, **dict(zip(names, chosen, strict=True))}
            taken = np.broadcast_arrays(*(value(text, **known) for text in texts))
            amounts = np.transpose(taken)[value(str(move["where"]), **known)].tolist()
        elif by == "same" or isinstance(by, list):
            numbers = range(1, min(q[i] for i in places) + 1) if by == "same" else by
            each = [n if isinstance(n, list) else [n] * len(places) for n in numbers]
            amounts = [
                [n if isinstance(n, int) else int(value(n, **self.known)) for n in several]
                for several in each
            ]
        else:
            least = 1 if by == "each" else 0
            amounts = product(*(range(least, q[i] + 1) for i in places))
        for amount in amounts:
            if 0 < sum(amount) <= most * len(places) and all(
                n <= min(q[i], most) for i, n in zip(places, amount, strict=True)
            ):
                to = list(q)
                for i, n in zip(places, amount, strict=True):
                    to[i] -= n
                yield tuple(to)

    def number(self, q: Position) -> int:
        """Return the Grundy number; options that come before q in the order of `positions` are known."""
        if q not in self._numbers:
            reached = {self.number(option) for option in self.options(q)}
            self._numbers[q] = next(n for n in count() if n not in reached)
        return self._numbers[q]

    @property
    def is_plain(self) -> bool:
        """Whether each coordinate is lowered alone, by any amount, and nothing else happens: bars and heaps."""
        alone = [{"lower": [name]} for name in self.names]
        return self.rules["moves"] == alone and "ends" not in self.rules

    def box(self, largest: Mapping[str, int]) -> Truths:
        """Return which points of a box are positions; coordinates that are not named go to their largest values."""
        sizes: dict[str, int] = {}
        for name in self.names:
            if name in largest and name not in self.limits:
                sizes[name] = largest[name]
        for name, (height, places) in self.limits.items():
            grid = np.ogrid[tuple(slice(sizes[self.names[i]] + 1) for i in places)]
            top = int(np.max(self._height(height, places, tuple(grid))))
            sizes[name] = min(top, largest.get(name, top))
        shape = tuple(sizes[name] + 1 for name in self.names)
        legal = np.ones(shape, bool)
        for name, (height, places) in self.limits.items():
            every = np.ogrid[tuple(map(slice, shape))]
            tops = self._height(height, places, tuple(every[i] for i in places))
            legal &= every[self.names.index(name)] <= tops
        return legal

    def p_positions(self, legal: Truths) -> Truths:
        """Return which points of a box are P-positions; with passes, one layer more for each number of passes left.

        The first position in lexicographic order that is not known to have a P-position among its options is P: what
        leads to it is then marked. That takes as many steps as there are P-positions, not as there are positions.
        """
        if self.passes and not self.is_plain:
            every = product(map(tuple, np.argwhere(legal).tolist()), range(self.passes + 1))
            is_p = np.zeros((*legal.shape, self.passes + 1), bool)
            for q, left in every:
                is_p[(*q, left)] = self.number((*q, left)) == 0
            return is_p
        layers: list[Truths] = []
        for _ in range(self.passes + 1):
            is_open = legal.copy()
            if layers:
                is_open &= ~layers[-1]
                is_open.flat[0] = True  # the end of play, where nobody may pass
            layers.append(self._layer(is_open))
        return np.stack(layers, axis=-1) if self.passes else layers[0]

    def _layer(self, is_open: Truths) -> Truths:
        if not self.is_plain:
            return self._one_by_one(is_open)
        found, flat, at = np.zeros_like(is_open), is_open.reshape(-1), 0
        while True:
            at += int(flat[at:].argmax())
            if not flat[at]:
                return found
            q = tuple(map(int, np.unravel_index(at, is_open.shape)))
            found[q] = True
            flat[at] = False
            for i in range(len(q)):
                leads: list[Any] = [*q]
                leads[i] = slice(q[i] + 1, None)
                for name, (_, places) in self.limits.items():
                    j = self.names.index(name)
                    if i in places and q[j] == self.top(name, q):
                        leads[j] = slice(q[j], None)
                is_open[tuple(leads)] = False

    def _one_by_one(self, is_open: Truths) -> Truths:
        found = np.zeros_like(is_open)
        for q in map(tuple, np.argwhere(is_open).tolist()):
            found[q] = not any(found[option] for option in self._cuts(q))
        return found

    def numbers(self, largest: Mapping[str, int]) -> NDArray[np.int64]:
        """Return the Grundy numbers in a box, -1 where there is no position: the heaps beside which positions are P."""
        legal = self.box(largest)
        if not self.is_plain:
            layers = [(n,) for n in range(self.passes + 1)] if self.passes else [()]
            found = np.full((*legal.shape, *((len(layers),) if self.passes else ())), -1)
            for q, left in product(map(tuple, np.argwhere(legal).tolist()), layers):
                found[(*q, *left)] = self.number((*q, *left))
            return found
        most = sum(legal.shape) - legal.ndim + (self.passes > 0)
        beside = Game(self.notation)
        beside.names = [*self.names, "beside"]
        beside.rules = {**self.rules, "coordinates": beside.names}
        beside.rules["moves"] = [{"lower": [name]} for name in beside.names]
        is_p = beside.p_positions(np.repeat(legal[..., None], most + 1, axis=-1))
        if self.passes:
            return np.where(legal[..., None], is_p.argmax(axis=-2), -1)
        return np.where(legal, is_p.argmax(axis=-1), -1)


def cells_of(sizes: Mapping[str, int]) -> int:
    """Return how many cells a box has."""
    return prod(n + 1 for n in sizes.values())


@cache
def _table(path: str) -> NDArray[np.int64]:
    return np.loadtxt(path, dtype=np.int64, delimiter=",", ndmin=2)


def rules(notation: str, folder: Path) -> dict[str, Any]:
    """Return a game without passes as `benchmarks/known/games` writes one."""
    name, _, inner = notation.partition("(")
    inner = inner.removesuffix(")")
    given = dict(
        part.strip().split("=", 1)
        for part in inner.split(", ", -1 if name != "solid-bar" else 0)
        if "=" in part
    )
    heights: dict[str, Any] = {}
    if name == "game":
        own, *values = inner.split(", ")
        places = (place / f"{own}.yaml" for place in (folder / "config" / "games", *OWN))
        described = next((place for place in places if place.exists()), None)
        if described is None:
            raise UnreadError(f"{own} is not described in config/games")
        found = yaml.safe_load(described.read_text(encoding="utf-8"))
        more = dict(part.split("=") for part in values)
        known = {**found.get("parameters", {}), **{k: int(value(v)) for k, v in more.items()}}
        return {**found, "parameters": known}
    if name == "nim":
        names = list("abcdefg"[: int(given.get("heaps", inner))])
    elif name == "solid-bar":
        names, f = ["x", "y", "z"], inner.removeprefix("f=")
        heights = {"y": _table(str(folder / f[4:-1])) if f.startswith("csv(") else f}
    elif name in ("step-bar", "strip-bar"):
        names = ["y", "z"] if name == "step-bar" else ["x", "y", "z"]
        k, s = value(given["k"]), value(given.get("s", "0"))
        if k < 1 or s < 0:
            raise ValueError(f"there is no game {notation}")
        heights = {"y": f"(z+{s})//{k}"}
    elif name == "rectangular-bar":
        m, n = value(given["m"]), value(given["n"])
        if m < 1 or n < 1:
            raise ValueError(f"there is no game {notation}")
        names, heights = list("abcd"), {"b": f"{m - 1}-a", "d": f"{n - 1}-c"}
        moves = [{"lower": [name]} for name in names]
        return {"coordinates": names, "heights": heights, "moves": moves, "sizes": (m, n)}
    else:
        raise UnreadError(f"unknown game: {notation}")
    return {"coordinates": names, "heights": heights, "moves": [{"lower": [n]} for n in names]}


def monotone(side_x: int, side_z: int, height: int) -> Iterator[NDArray[np.int64]]:
    """Yield all monotone f from {0..side_x}×{0..side_z} to {0..height}."""
    columns = [
        tuple(sum(step <= z for step in steps) for z in range(side_z + 1))
        for steps in _ascending(height, side_z + 1)
    ]

    def extended(rows: tuple[Position, ...]) -> Iterator[tuple[Position, ...]]:
        if len(rows) > side_x:
            yield rows
            return
        for column in columns:
            if not rows or all(a <= b for a, b in zip(rows[-1], column, strict=True)):
                yield from extended((*rows, column))

    return (np.array(rows, np.int64) for rows in extended(()))


def _ascending(length: int, most: int) -> Iterator[Position]:
    """Yield the ascending sequences of so many numbers from 0 to a most: where a column of heights rises."""
    for chosen in combinations(range(most + length), length):
        yield tuple(n - i for i, n in enumerate(chosen))
