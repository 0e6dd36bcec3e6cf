"""Found statements read back: from what ``found.json`` says to what it means, by rules of the games written down once more.

Nothing here is the package's: a sentence is taken apart as a reader would, its formulas are Python's, and a game is its
options. What a search finds, lifts, narrows or tries has no part in it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import count, product
from typing import Any

Position = tuple[int, ...]
Options = Callable[[Position], list[Position]]

SENTENCE = re.compile(
    r"(?:for (?P<when>.+?): )?(?:(?P<game>[a-z-]+\(.*\)): )?"
    r"(?P<label>P iff|G =|a position is a P-position if and only if|the Grundy number is) (?P<said>.*?)"
    r"(?:, but for (?P<but>\(.*?\)))?(?:, for coordinates up to (?P<reach>.*), and no further)?"
)


def value(text: str, **names: int) -> Any:
    """Return what a formula comes to."""
    known = {"min": min, "max": max, "abs": abs, "v2": lambda n: (n & -n).bit_length() - 1}
    return eval(text, {"__builtins__": {}}, {**known, **names})


class Game:
    """A game by its rules, as the papers print them."""

    def __init__(self, notation: str) -> None:
        passes = re.fullmatch(r"with-pass\((.*), passes=(\d+)\)", notation)
        self.passes = int(passes[2]) if passes else 0
        name, _, inner = (passes[1] if passes else notation).partition("(")
        given = dict(
            part.strip().split("=", 1)
            for part in inner[:-1].split(", ", name != "solid-bar")
            if "=" in part
        )
        self.heights: Callable[[int, int], int] | None = None
        if name == "nim":
            self.names = "abcdefg"[: int(given.get("heaps", inner[:-1]))]
        elif name == "solid-bar":
            self.names = "xyz"
            f = compile(inner[:-1].removeprefix("f="), "f", "eval")
            self.heights = cache(lambda x, z: int(value(f, x=x, z=z)))
        else:
            k, s = int(given["k"]), int(given.get("s", 0))
            self.names = "yz" if name == "step-bar" else "xyz"
            self.heights = lambda _, z: (z + s) // k
        self.has_strip = name == "strip-bar"
        self.coordinates = [*self.names, *("p" if self.passes else "")]
        self._numbers: dict[Position, int] = {}

    def top(self, q: Position) -> int | None:
        """Return the largest y beside the other coordinates; None where there is none."""
        if self.heights is None:
            return None
        return self.heights(q[0] if self.names == "xyz" else 0, q[len(self.names) - 1])

    def is_position(self, q: Position) -> bool:
        """Whether there is such a position."""
        top = self.top(q)
        return top is None or q[self.names.index("y")] <= top

    def positions(self, bound: int) -> Iterator[Position]:
        """Yield the positions with no coordinate above a bound."""
        ranges = [range(bound + 1)] * len(self.names) + [range(self.passes + 1)] * (self.passes > 0)
        return filter(self.is_position, product(*ranges))

    def options(self, q: Position) -> Iterator[Position]:
        """Yield what one move leads to."""
        for i in range(len(self.names)):
            for less in range(q[i]):
                cut = [*q[:i], less, *q[i + 1 :]]
                top = self.top(tuple(cut))
                if top is not None:
                    y = self.names.index("y")
                    cut[y] = min(cut[y], top)
                yield tuple(cut)
        if self.passes and q[-1] and any(q[:-1]):
            yield (*q[:-1], q[-1] - 1)

    def number(self, q: Position) -> int:
        """Return the Grundy number; options that come before q in the order of `positions` are known."""
        if q not in self._numbers:
            reached = {self.number(option) for option in self.options(q)}
            self._numbers[q] = next(n for n in count() if n not in reached)
        return self._numbers[q]


def game_of(ruleset: str, parameters: Mapping[str, int]) -> str:
    """Return a ruleset with integers for its parameters, which are what stands behind an equals sign, or in f."""
    for name, number in parameters.items():
        ruleset = re.sub(rf"(?<=[=/(*+ ]){name}(?![\w=])", str(number), ruleset)
    return ruleset


def wrong(
    document: Mapping[str, Any], parameters: Mapping[str, int], bound: int
) -> Position | None:
    """Return a position of one game at which a statement on positions is wrong; None if it is right up to a bound."""
    game = Game(game_of(document["ruleset"], parameters))
    if document["kind"] == "values":
        return _wrong_values(document, game, parameters, bound)
    read = SENTENCE.fullmatch(document["text"])
    assert read, document["text"]
    assert (read["when"] or "") == document["when"]
    is_p = read["label"].startswith(("P", "a pos"))
    cases = [case.partition(" where ")[::2] for case in read["said"].split("; ")]
    but = value(f"[{read['but']}]", **parameters) if read["but"] else []
    reach = value(read["reach"], **parameters) if read["reach"] else bound
    further = []
    for q in game.positions(bound):
        at = {**parameters, **dict(zip(game.coordinates, q, strict=True))}
        meant = [formula for formula, where in cases if not where or value(where, **at)]
        truth = game.number(q) == 0 if is_p else game.number(q)
        right = all(value(formula, **at) == truth for formula in meant)
        right &= bool(meant) or len(cases) == 1  # several cases are all positions together
        size = max(q[: len(game.names)])
        if size <= reach and right == (q in but):
            return q
        further += [q] if not right and size == reach + 1 else []
    return (reach + 1,) if reach < bound and not further else None


def _wrong_values(
    document: Mapping[str, Any], game: Game, parameters: Mapping[str, int], bound: int
) -> Position | None:
    of, are = document["formulas"]
    seen = set()
    for q in game.positions(bound):
        if game.number(q) == 0:
            at = {**parameters, **dict(zip(game.coordinates, q, strict=True))}
            v = value(of["formula"], **at)
            seen.add(v)
            if "at least" not in are["label"] and not value(are["formula"], **parameters, v=v):
                return q
    if "among" not in are["label"]:  # small ones are reached by small positions
        missing = [v for v in range(bound // 2) if value(are["formula"], **parameters, v=v)]
        return next(((v,) for v in missing if v not in seen), None)
    return None


def cells(m: int, n: int) -> dict[tuple[int, int], int]:
    """Return 1 for each cell (i, j) of an uncut bar that makes it a P-position, 0 for the others."""
    return {
        (i, j): int((i - 1) ^ (m - i) ^ (j - 1) ^ (n - j) == 0)
        for i in range(1, m + 1)
        for j in range(1, n + 1)
    }


def wrong_in_words(document: Mapping[str, Any], bound: int) -> str | None:
    """Return an equation of pictures, blocks, or counts that is wrong up to a bound; None if all are right."""
    text = document["text"].replace("−", "-").replace("·", "*").replace("^n", "**n")
    if document["kind"] == "count":
        return _wrong_counts(document, text, bound)
    said = re.sub(r"(\d)([a-z])", r"\1*\2", text.partition("): ")[2])
    picture = _pictures(document["ruleset"])
    said, _, but = said.partition(", but for ")
    start = value(but.partition(", where")[0]) if but else None
    modulo = " mod 2" in said
    for equation in said.removesuffix(" mod 2").split("; "):
        left, right = equation.split(" = ")
        names = sorted(set(re.findall(r"\b[a-z]\b", left[1:])))
        for numbers in product(range(bound), repeat=len(names)):
            known = dict(zip(names, numbers, strict=True))
            place = value(left[1:], **known)
            if picture(*place) is None:
                continue
            there = [value(cell, **known) for cell in re.findall(r"a(\([^)]*\))", right)]
            parts = [picture(*cell) for cell in there]
            total = sum(part or 0 for part in parts) + (place == start)
            if not modulo and any(part is None for part in parts):
                total = 0
            if picture(*place) != (total % 2 if modulo else total):
                return f"{equation} at {known}"
    return None


def _pictures(ruleset: str) -> Callable[..., int | None]:
    """Return what tells whether a cell is P: 1 or 0; None outside of the picture."""
    if ruleset.startswith("nim"):
        return lambda *q: int(q[0] ^ q[1] ^ q[2] == 0) if min(q) >= 0 else None

    def picture(*place: int) -> int | None:
        m, *rest = place
        n, i, j = rest if len(rest) == 3 else (m, *rest)
        inside = 1 <= i <= m and 1 <= j <= n
        return int((i - 1) ^ (m - i) ^ (j - 1) ^ (n - j) == 0) if inside else None

    return picture


def _wrong_counts(document: Mapping[str, Any], text: str, bound: int) -> str | None:
    if "cells whose bar" in text:
        g = cache(lambda m: sum(cells(m, m).values()))
    elif "below n" in text:
        g = cache(lambda n: sum(a ^ b < n for a, b in product(range(n), repeat=2)))
    else:
        assert "P-positions with a+b+c = n" in text, text
        g = cache(lambda n: sum(a ^ b == n - a - b for a in range(n + 1) for b in range(n + 1 - a)))
    for line in document["formulas"]:
        if "total" in line["formula"]:
            continue
        (name,) = set(re.findall(r"\b[mn]\b", line["formula"]))
        for number in range(0 if name == "n" else 1, bound):
            if line["where"] and not value(line["where"], **{name: number}):
                continue
            if "**" in line["formula"] and number > 5:
                continue
            if not value(line["formula"], **{name: number, "g": g}):
                return f"{line['formula']} at {number}"
    return None
