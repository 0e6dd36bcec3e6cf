"""Statements in words read back: lines that repeat, pictures, blocks, numbers of P-positions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.formulas import UnreadError, value
from benchmarks.finding.games import Game
from benchmarks.finding.reading import Effort, cells, truth, wrong
from benchmarks.finding.reading_heights import wrong_heights
from benchmarks.finding.reading_related import wrong_related

BEGINS = re.compile(
    r"(?P<what>P-positions|Grundy numbers) of (?P<game>.*?)(?: with (?P<left>\d+) pass(?:es)? left)?: (?P<said>.*)"
)
COUNTED = re.compile(
    r"(?P<game>.*): the number g\((?P<index>\w)\) of (?P<what>.*?) (?:satisfies|is) "
)
#: Sums of many numbers of P-positions are followed to this power of 2.
MOST_POWER = 6


def wrong_in_words(
    document: Mapping[str, Any], bound: int, effort: Effort | None = None
) -> str | None:
    """Return where an equation of lines, pictures, blocks, or counts is wrong up to a bound; None if nowhere.

    Raises
    ------
    UnreadError
        If it says something that is not known here.
    """
    text = document["text"].replace("−", "-").replace("·", "*")
    effort = effort or Effort()
    if document["when"]:
        raise UnreadError(document["text"])
    match document["kind"]:
        case "count":
            return _wrong_counts(document, text, bound, effort)
        case "heights":
            return wrong_heights(document)
    read = BEGINS.fullmatch(text.replace("^n", "**n"))
    if not read:
        raise UnreadError(document["text"])
    picture, side = _pictures(document["ruleset"], read, bound, effort)
    if "R(" in read["said"]:
        return _wrong_copies(read["said"], bound)
    return _wrong_equations(re.sub(r"(\d)([a-z])", r"\1*\2", read["said"]), picture, side)


Picture = Callable[..., int | None]


def _pictures(ruleset: str, read: re.Match[str], bound: int, effort: Effort) -> tuple[Picture, int]:
    """Return what tells whether a cell is P: 1 or 0, None outside of the picture; and to where it is known."""
    left = int(read["left"] or 0)
    if ruleset.startswith(("rectangular", "with-pass(rect")):
        passes = re.search(r"passes=(\d+)", ruleset)
        wider = re.search(r"n=m\+(\d+)", ruleset)
        square = "n=n" not in ruleset

        @cache
        def bar(m: int, n: int) -> dict[tuple[int, int], int]:
            return cells(m, n, int(passes[1]) if passes else 0, left)

        def picture(*place: int) -> int | None:
            m, *rest = place
            n, i, j = (m + int(wider[1] if wider else 0), *rest) if square else rest
            inside = 1 <= i <= m and 1 <= j <= n
            return bar(m, n)[i, j] if inside else None

        return picture, min(bound, 10 if not square or passes else 16)
    game = Game(ruleset, effort.folder)
    side = min(bound, 20)
    axes = re.findall(r"\w+", read["said"].partition("a(")[2].partition(")")[0])
    names = [next(c for c in axis if c.isalpha()) for axis in axes]
    order = [names.index(name) for name in game.names]
    box = {name: game.side(2 * side + 2) for name in game.names if name not in game.limits}
    legal, found = truth(game, box, True, effort.folder)
    if game.passes:
        legal, found = legal[..., left], found[..., left]

    def of_game(*place: int) -> int | None:
        q = tuple(place[i] for i in order)
        if min(q) < 0 or any(n >= size for n, size in zip(q, legal.shape, strict=True)):
            return None
        return int(found[q]) if legal[q] else None

    return of_game, side


def _wrong_equations(said: str, picture: Picture, side: int) -> str | None:
    equations: list[str] = []
    least: dict[str, int] = {}
    for part in said.removesuffix(", where all these cells are positions").split("; "):
        begins = re.fullmatch(r"for (.*) from (\d+) on", part)
        if begins:
            least = dict.fromkeys(begins[1].split(" and "), int(begins[2]))
        elif part.startswith("a("):
            equations.append(part)
        else:
            raise UnreadError(part)
    only_inside = said.endswith("where all these cells are positions")
    for equation in equations:
        equation, _, but = equation.partition(", except at ")
        equation, _, begin = equation.partition(", from ")
        if begin or " and others" in but or "b(" in equation:
            raise UnreadError(equation)
        starts = value(f"[{but.partition(', where')[0]}]") if but else ()
        modulo = equation.endswith(" mod 2")
        left, right = equation.removesuffix(" mod 2").split(" = ")
        parts = [] if right == "0" else right.split(" + ")
        names = sorted(set(re.findall(r"\b[a-z]\b", left[1:])))
        for numbers in product(range(side), repeat=len(names)):
            known = dict(zip(names, numbers, strict=True))
            if any(known[name] < n for name, n in least.items() if name in known):
                continue
            place = value(left[1:], **known)
            here = picture(*place)
            if here is None:
                continue
            there = [picture(*value(part.removeprefix("a"), **known)) for part in parts]
            if None in there and (only_inside or not modulo):
                if only_inside:
                    continue
                there = [0] if len(there) == 1 else there
            total = sum(one or 0 for one in there) + (place in starts)
            if here != (total % 2 if modulo else total):
                return f"{equation} at {known}"
    return None


def _wrong_copies(said: str, bound: int) -> str | None:
    read = re.fullmatch(r"for m = 2\^e \+ s, 0 < s < 2\^e: (.*), and no other P-position", said)
    if not read:
        raise UnreadError(said)
    copies = re.findall(r"R\((.*?)\) at \((.*?), (.*?)\)", read[1])
    for e in range(1, max(2, bound.bit_length())):
        for s in range(1, 2**e):
            known, expected = {"e": e, "s": s}, set()
            for texts in copies:
                size, row, column = (value(text.replace("^", "**"), **known) for text in texts)
                one = cells(size, size)
                expected |= {(i + row, j + column) for (i, j), is_p in one.items() if is_p}
            found = {place for place, is_p in cells(2**e + s, 2**e + s).items() if is_p}
            if found != expected:
                return f"m = {2**e + s}: {min(found ^ expected)}"
    return None


@lru_cache(maxsize=64)
def terms(game: str, what: str, most: int, folder: Path) -> tuple[int, list[int]]:
    """Return the first place of a sequence of numbers of P-positions, and its terms."""
    what, _, of_passes = what.partition(", ")
    left = 0
    if of_passes:
        left = 1 if of_passes == "the pass left" else int(of_passes.split()[0])
    passes = re.fullmatch(r"with-pass\((.*), passes=(\d+)\)", game)
    if "cells whose bar" in what:
        wider = re.search(r"n=m\+(\d+)", game)
        more = int(wider[1]) if wider else 0
        number = int(passes[2]) if passes else 0
        last = 24 if passes else most
        return 1, [sum(cells(m, m + more, number, left).values()) for m in range(1, last)]
    one = Game(game, folder)
    most = one.side(most)
    box = {name: most for name in one.names if name not in one.limits}
    _, found = truth(one, box, True, folder)
    if one.passes:
        found = found[..., left]
    where = np.array(np.nonzero(found))
    total = re.fullmatch(r"P-positions with (.*) = n", what)
    if what == "P-positions with all coordinates below n":
        size = where.max(axis=0) + 1
        return 0, np.cumsum(np.bincount(size, minlength=most + 2))[: most + 2].tolist()
    if not total:
        raise UnreadError(what)
    names = total[1].split("+")
    size = where[[one.names.index(name) for name in names]].sum(axis=0)
    others = [i for i, name in enumerate(one.names) if name not in names and name not in one.limits]
    if others:
        raise UnreadError(what)
    return 0, np.bincount(size, minlength=most + 1)[: most + 1].tolist()


def _wrong_counts(document: Mapping[str, Any], text: str, bound: int, effort: Effort) -> str | None:
    read = COUNTED.match(text)
    if not read:
        raise UnreadError(text)
    most = min(4 * bound, 130 if "rectangular" in read["game"] or "nim" in read["game"] else 200)
    first, found = terms(read["game"], read["what"], most, effort.folder)
    index, last = read["index"], first + len(found) - 1

    class BeyondError(Exception):
        """A term that is not known."""

    def g(n: int) -> int:
        if not first <= n <= last:
            raise BeyondError
        return found[n - first]

    conditions = [
        (line["formula"], line["where"])
        for line in document["formulas"]
        if "total" not in line["formula"]
    ]
    closed = re.search(r" is ([^,]*?)(?: for n ≥ (\d+))?$", text)
    if closed and "satisfies" not in text:
        equal = closed[1].replace("^", "**").replace("/", "//")
        conditions.append((f"g({index}) == {equal}", f"{index} >= {closed[2] or first}"))
    for formula, where in conditions:
        for n in range(first, last + 1):
            if where and not value(where, **{index: n}):
                continue
            try:
                if not value(formula, **{index: n, "g": g}):
                    return f"{formula} at {index} = {n}"
            except BeyondError:
                continue
    follows = text.partition("; if so for all ")[2]
    power = re.search(r"g\(2\^n\) = (.*?)(?: for n ≥ (\d+))?(?: and |$)", follows)
    sums = re.search(r"Σ g\(\w\) for (\d+) ≤ \w ≤ 2\^n = (.*?)(?: for n ≥ (\d+))?$", follows)
    for n in range(MOST_POWER + 1):
        if 2**n > last:
            break
        if power and n >= int(power[2] or 0) and g(2**n) != value(_plain(power[1]), n=n):
            return f"g(2^n) at n = {n}"
        if sums and n >= int(sums[3] or 0):
            total = sum(g(m) for m in range(int(sums[1]), 2**n + 1))
            if total != value(_plain(sums[2]), n=n):
                return f"Σ g at n = {n}"
    return None


def _plain(closed: str) -> str:
    return closed.replace("^", "**").replace("/", "//")


def counterexample(
    document: Mapping[str, Any], parameters: list[dict[str, int]], bound: int, effort: Effort
) -> str | None:
    """Return where a statement is wrong, in words; None if nowhere that was looked.

    Raises
    ------
    UnreadError
        If it cannot be read.
    """
    kind = document["kind"]
    if kind in ("p-positions", "grundy", "values", "related"):
        find = wrong_related if kind == "related" else wrong
        for point in parameters:
            try:
                place = find(document, point, bound, effort)
            except ZeroDivisionError:
                continue
            if place is not None:
                which = ", ".join(f"{name} = {n}" for name, n in point.items())
                return f"{which + ': ' if which else ''}{place}"
        return None
    return wrong_in_words(document, bound, effort)
