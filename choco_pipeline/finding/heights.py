"""Statements on monotone height functions f(x, z): counts, and conditions on f.

The search returns the shortest condition that exactly the functions of a class satisfy (solid2022, Questions 1 and 2). It uses all
functions of small boxes. Conditions are then tested on larger boxes, formulas, random functions and near misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations, product
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.checks.height_functions import number_of_height_functions
from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.lines import nodes_in
from choco_pipeline.finding.statement import FoundDocument, FoundStatement, Searched
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.mining.height_search import (
    EVERY,
    GRUNDY,
    P_POSITIONS,
    HeightClass,
    Heights,
    Truths,
)
from choco_pipeline.mining.table_findings import Evidence, Tried
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.config import MOST_HEIGHT_FUNCTIONS
from choco_pipeline.sweep.run_plan import ASKED_OF_HEIGHTS

#: Most functions in one array.
BLOCK = 1 << 13
#: The value of `t` if there is no such nim-sum: larger than all nim-sums.
NO_TOP = 1 << 30

#: Possible guards on u < x, on z, and on the heights g = f(u, z) and h = f(x, z).
GUARDS = (
    "u^z < x^z",
    "u^z > x^z",
    "u^z <= h",
    "u^z > g",
    "x^z <= h",
    "x^z > h",
    "g < h",
    "u >> i == x >> i",
    "u >> 1 == x >> 1",
    "u & (u-1) == 0",
    "x & (x-1) == 0",
)
#: Possible conclusions.
CONCLUSIONS = (
    "u^z <= g",
    "u^z < g",
    "u^z != g",
    "u^z > h",
    "x^z <= g",
    "x^z <= h",
    "x^z > h",
    "x^z != h",
    "t < u^z",
    "t <= x^z",
    "t > x^z",
    "g == h",
    "g^u^x <= g or g^u^x > h",
    "h^u^x <= g or h^u^x >= h",
    "g >> 1 == h >> 1",
    "g >> i-1 == h >> i-1",
    "g >> i == h >> i",
    "g >> i+1 == h >> i+1",
)
MOST_GUARDS = 2


@dataclass(frozen=True)
class Condition:
    """A property of f for all z and u < x, with g = f(u, z), h = f(x, z).

    `i` is any of 1, 2, …. `t` is the least nim-sum v⊕z with v < x and f(v, z) = v⊕z, or x⊕w with w < z and f(x, w) = x⊕w. Cuts from
    high positions of column (x, z) end there, at positions with nim-sum zero.
    """

    #: Some of `GUARDS`.
    where: tuple[str, ...]
    #: One of `CONCLUSIONS`.
    such: str

    @property
    def size(self) -> int:
        """Number of nodes of its formulas."""
        return sum(nodes_in(parse(part)) for part in (*self.where, self.such))

    @property
    def guard(self) -> str:
        """The guards as one formula; empty if there are none."""
        return " and ".join(self.where)

    @property
    def names(self) -> frozenset[str]:
        """The names in its formulas."""
        return frozenset().union(*(parse(part).names for part in (*self.where, self.such)))


@cache
def family() -> tuple[Condition, ...]:
    """Return the conditions that are searched, the shortest first.

    A conclusion is not its own guard, and guards do not exclude each other.
    """
    conditions = []
    for such in CONCLUSIONS:
        for number in range(MOST_GUARDS + 1):
            for where in combinations(GUARDS, number):
                condition = Condition(where, such)
                exclusive = {"u^z < x^z", "u^z > x^z"}, {"x^z <= h", "x^z > h"}
                if such in where or any(pair <= set(where) for pair in exclusive):
                    continue
                if ("u >> i == x >> i" in where) == ("i" in parse(such).names):
                    conditions.append(condition)
    return tuple(sorted(conditions, key=lambda condition: condition.size))


def having(heights: Heights, conditions: Iterable[Condition]) -> Iterator[Truths]:
    """Yield for each condition which functions satisfy it, as bool [functions].

    `heights` is int64 [functions, n_x, n_z], with at most `BLOCK` monotone functions.
    """
    both = [_TruthTable(f) for f in (heights, heights.transpose(0, 2, 1))]
    for condition in conditions:
        yield both[0].satisfying(condition) & both[1].satisfying(condition)


class _TruthTable:
    """Cache of the truth values of formulas, by function and point."""

    def __init__(self, heights: Heights) -> None:
        bits = max(*heights.shape[1:], int(heights.max(initial=0)) + 1).bit_length()
        self._plain = _environment(heights, np.zeros(1, np.int64))
        self._shifted = _environment(heights, np.arange(1, bits + 1))
        self._cache: dict[tuple[str, bool], NDArray[np.bool_]] = {}

    def satisfying(self, condition: Condition) -> Truths:
        """Return a mask of the functions with a condition on their first argument."""
        shifted = "i" in condition.names
        right = self._truths(condition.such, shifted).copy()
        for part in condition.where:
            right[~self._truths(part, shifted)] = True
        satisfied: Truths = np.all(right, axis=1)
        return satisfied

    def _truths(self, part: str, shifted: bool) -> NDArray[np.bool_]:
        if (part, shifted) not in self._cache:
            env = self._shifted if shifted else self._plain
            values = parse(part).evaluate(env)
            self._cache[part, shifted] = np.broadcast_to(values, env["g"].shape).astype(np.bool_)
        return self._cache[part, shifted]


def _environment(heights: Heights, i: NDArray[np.int64]) -> Mapping[str, NDArray[np.int64]]:
    """Return the values of all names, with shape [functions, points]."""
    xs, zs = (np.arange(n) for n in heights.shape[1:])
    u, x, z, i = (a.ravel() for a in np.meshgrid(xs, xs, zs, i, indexing="ij"))
    before = u < x
    u, x, z, i = u[before], x[before], z[before], i[before]
    g, h, t = heights[:, u, z], heights[:, x, z], _tops(heights)[:, x, z]
    return {"u": u, "x": x, "z": z, "i": i, "g": g, "h": h, "t": t}


def _tops(heights: Heights) -> Heights:
    x, z = np.ogrid[tuple(slice(n) for n in heights.shape[1:])]
    own = np.where(heights == x ^ z, x ^ z, NO_TOP)
    tops = np.full(heights.shape, NO_TOP)
    tops[:, 1:] = np.minimum.accumulate(own, axis=1)[:, :-1]
    before = np.minimum.accumulate(own, axis=2)[:, :, :-1]
    tops[:, :, 1:] = np.minimum(tops[:, :, 1:], before)
    return tops


#: Most functions of the larger box.
MOST_FUNCTIONS = 1 << 20
#: Largest argument and height of narrow boxes, of which all functions are tried.
TALL = ((1, 6), (2, 4), (3, 3))
#: Largest side and height of random functions, and their number for each shape and height. Conditions that are right in all small
#: boxes and in large square ones were wrong for one function in a thousand of a box of 4 by 5.
LONGEST, OF_A_SHAPE = 6, 4096
#: Largest argument and height of the boxes in which random members of the class are drawn.
SIDES = (7, 15)
#: Number of tries in each of these boxes.
DRAWN = 1500
#: Functions by formulas, for k up to `LARGEST_K`.
FORMULAS = (
    "(x+z)//k",
    "x//k + z//k",
    "max(x,z)//k",
    "min(x,z)//k",
    "max(x//k, z) - max(x//k, z)%k",
    "(x//k)*(z//k)",
)
LARGEST_K = 12


def held_out(
    height_class: HeightClass, side: int, height: int
) -> Iterator[tuple[str, Iterable[Heights]]]:
    """Yield groups of held-out functions: a description, and batches of heights.

    A batch has shape (at most `BLOCK`, n_x, n_z). Members of the class are drawn, too, because random functions are rarely members.
    The functions of `boxes(side, height)` are not held out.
    """
    for wide, most in (*TALL, (side, height + 1), (side + 1, height)):
        if wide <= side and most <= height:
            continue
        tall = max(
            (h for h in range(most + 1) if number_in_box(wide, h) <= MOST_FUNCTIONS), default=0
        )
        yield f"other {named(wide, tall)}, all of them", _others(wide, tall, side, height)
    random = np.random.default_rng(0)
    yield (
        f"drawn f of boxes of all shapes with up to {LONGEST} arguments a side, to {{0..{LONGEST}}}",
        drawn_of_all_shapes(random),
    )
    largest = max(SIDES)
    yield f"f by formulas, with arguments up to {largest}", [by_formulas(largest)]
    for large in SIDES:
        members = np.unique(height_class.drawn(large, large, DRAWN, random), axis=0)
        both = np.concatenate([members, near_misses(members, large, random)])
        yield (
            f"drawn f with arguments and heights up to {large}, about half of them near misses",
            [both],
        )


def named(side: int, height: int) -> str:
    """Return a description of the functions of `boxes`."""
    return f"f from {{0..a}}×{{0..b}} to {{0..{height}}}, a ≤ b ≤ {side}"


def boxes(side: int, height: int) -> Iterator[Heights]:
    """Yield all functions with arguments up to `side`, heights up to `height`.

    A box is never longer along x than along z, because conditions are symmetric in the arguments of f. Boxes that are not square, and
    boxes that are small for their heights, are needed: some wrong conditions hold in all others.
    """
    every = np.concatenate(list(HeightClass(EVERY).members(side, height)))
    for n_z in range(1, side + 2):
        for n_x in range(1, n_z + 1):
            box = np.unique(every[:, :n_x, :n_z], axis=0)
            for start in range(0, len(box), BLOCK):
                yield box[start : start + BLOCK]


def drawn_of_all_shapes(random: np.random.Generator) -> Iterator[Heights]:
    """Yield random monotone functions for each shape and height."""
    for n_z in range(1, LONGEST + 1):
        for n_x in range(1, n_z + 1):
            for height in range(1, LONGEST + 1):
                drawn = random.integers(0, height + 1, (OF_A_SHAPE, n_x, n_z))
                monotone = np.maximum.accumulate(np.maximum.accumulate(drawn, axis=1), axis=2)
                yield np.unique(monotone, axis=0)


def _others(wide: int, tall: int, side: int, height: int) -> Iterator[Heights]:
    """Yield the functions of `boxes(wide, tall)` outside `boxes(side, height)`."""
    for box in boxes(wide, tall):
        new = box if box.shape[2] > side + 1 else box[box[:, -1, -1] > height]
        if len(new):
            yield new


def by_formulas(side: int) -> Heights:
    """Return the monotone functions of `FORMULAS` in a box of this side."""
    x, z = np.ogrid[: side + 1, : side + 1]
    shape = (side + 1, side + 1)
    samples = [
        np.broadcast_to(parse(text).evaluate({"x": x, "z": z, "k": k}), shape)
        for text in FORMULAS
        for k in range(1, LARGEST_K + 1)
    ]
    heights = np.minimum(np.unique(np.array(samples), axis=0), side)
    monotone = (np.diff(heights, axis=1) >= 0).all((1, 2)) & (np.diff(heights, axis=2) >= 0).all(
        (1, 2)
    )
    return heights[monotone]


def near_misses(heights: Heights, height: int, random: np.random.Generator) -> Heights:
    """Return monotone functions that differ from the given ones in one height."""
    samples = []
    for f in heights:
        x, z = random.integers(0, len(f), 2)
        low = max(f[x - 1, z] if x else 0, f[x, z - 1] if z else 0)
        high = min(
            f[x + 1, z] if x + 1 < len(f) else height, f[x, z + 1] if z + 1 < len(f) else height
        )
        others = np.setdiff1d(np.arange(low, high + 1), f[x, z])
        if others.size:
            changed = f.copy()
            changed[x, z] = random.choice(others)
            samples.append(changed)
    return np.array(samples, np.int64).reshape(-1, *heights.shape[1:])


#: Most conditions in a conjunction.
MOST_JOINED = 3
#: Number of conjunctions that are tested on held-out functions: the shortest that are exact in the boxes.
CANDIDATES = 12
#: Number of confirmed conjunctions that become statements; the others are equivalent.
KEPT = 1

Joined = tuple[Condition, ...]


def number_in_box(side: int, height: int) -> int:
    """Return the number of monotone functions from (0..side)² to 0..height."""
    return number_of_height_functions(side + 1, side + 1, height)


class HeightsError(ChocoError):
    """A box of height functions that cannot be searched."""


@dataclass(frozen=True)
class CriterionSearch:
    """The result of a search for conditions."""

    #: Number of functions of the boxes, and of those in the class.
    functions: int
    members: int
    #: The conjunctions that exactly the members satisfy, in the boxes and among held-out functions, the shortest first.
    exact: tuple[Joined, ...]
    #: Number of single conditions, and of conjunctions that are right in the boxes.
    looked_at: tuple[int, int]
    #: The held-out functions on which the shortest of these were tested.
    held: Evidence

    @property
    def tried(self) -> Tried:
        """The conditions that were searched."""
        conditions, joined = self.looked_at
        what = f"single conditions, joined up to {MOST_JOINED} at a time; right in the boxes: {joined:,}"
        if joined and not self.exact:
            what += f"; of the {min(joined, CANDIDATES)} shortest of these none is right for other functions, too"
        return Tried(conditions, what)


def search(
    height_class: HeightClass,
    side: int,
    height: int,
    conditions: Sequence[Condition] | None = None,
) -> CriterionSearch:
    """Return the shortest conjunctions that exactly the members of a class satisfy.

    The search uses the functions of `boxes(side, height)`; larger ones are held out. `conditions` are by default those of
    `choco_pipeline.finding.heights.family`.
    """
    number = number_in_box(side, height)
    if number > MOST_HEIGHT_FUNCTIONS or not 1 <= height <= side:
        raise HeightsError(
            f"heights: side {side}, height {height}: {number:,} functions; 1 ≤ height ≤ side and at most"
            f" {MOST_HEIGHT_FUNCTIONS:,} functions are needed"
        )
    conditions = family() if conditions is None else conditions
    every = list(boxes(side, height))
    inside = [height_class.has(block) for block in every]
    needed = list(conditions)  # those that all members have
    for block, has in zip(every, inside, strict=True):
        together = zip(needed, having(block[has], needed), strict=True)
        needed = [condition for condition, truths in together if truths.all()]
    joined = _separating([f[~has] for f, has in zip(every, inside, strict=True)], needed)
    candidates = sorted(joined, key=lambda joint: sum(condition.size for condition in joint))
    exact, held = _confirmed(candidates[:CANDIDATES], height_class, side, height)
    functions, members = sum(map(len, every)), int(sum(map(np.sum, inside)))
    return CriterionSearch(functions, members, exact[:KEPT], (len(conditions), len(joined)), held)


def _separating(others: Sequence[Heights], conditions: Sequence[Condition]) -> list[Joined]:
    """Return the shortest conjunctions that no function of `others` satisfies."""
    if not conditions:
        return []
    wrong = np.concatenate([~np.array([*having(block, conditions)]) for block in others], axis=1)
    if not wrong.any(axis=0).all():
        return []
    distinct: dict[
        int, Condition
    ] = {}  # by the functions that it excludes; the shortest comes first
    for condition, row in zip(conditions, np.packbits(wrong, axis=1), strict=True):
        distinct.setdefault(int.from_bytes(row.tobytes(), "big"), condition)
    distinct.pop(0, None)
    all_excluded = reduce(int.__or__, distinct)
    for number in range(1, MOST_JOINED + 1):
        joined = [
            tuple(distinct[excluded] for excluded in chosen)
            for chosen in combinations(distinct, number)
            if reduce(int.__or__, chosen) == all_excluded
        ]
        if joined:
            return joined
    return []


def _confirmed(
    candidates: Sequence[Joined], height_class: HeightClass, side: int, height: int
) -> tuple[tuple[Joined, ...], Evidence]:
    """Return candidates that are right for all held-out functions, with evidence."""
    left, seen = list(candidates), 0
    what = []
    for name, batches in held_out(height_class, side, height):
        number = 0
        for heights in batches if left else ():
            inside = height_class.has(heights)
            number += len(heights)
            parts = sorted({part for candidate in left for part in candidate}, key=repr)
            truths = dict(zip(parts, having(heights, parts), strict=True))
            left = [
                candidate
                for candidate in left
                if (np.logical_and.reduce([truths[part] for part in candidate]) == inside).all()
            ]
        seen += number
        what.append(f"{number:,} {name}")
    return tuple(left), Evidence(seen, "; ".join(what))


RULESET = "solid-bar(f=f)"
MEANING = (
    "f is monotone, u < x, g = f(u, z) and h = f(x, z); the condition is meant for all such u, x and z, and also with the"
    " arguments of f exchanged"
)
TOP = (
    "t is the least of the v⊕z with v < x and f(v, z) = v⊕z and the x⊕w with w < z and f(x, w) = x⊕w, infinite where there"
    " are none"
)


#: For each question of a plan: its formula in the picture and in words, and the class of height functions with this formula.
QUESTIONS: Mapping[str, tuple[str, str, HeightClass]] = {
    "grundy": ("x ^ y ^ z", "G = x⊕y⊕z", HeightClass(GRUNDY)),
    "p-positions": ("x ^ y ^ z == 0", "P iff x⊕y⊕z = 0", HeightClass(P_POSITIONS)),
}


def classify_heights(order: Mapping[str, Any], report: Any) -> dict[str, Any]:
    """Answer one question about a box's functions by a `FoundDocument` as plain data.

    The order is ``{"asked": …, "side": n, "height": h}``: f has arguments 0..n and heights 0..h, h ≤ n. ``asked`` is a key of
    `QUESTIONS`, for a condition on f, or ``counts``. The report is called as ``report(Stage.MINE, searches=1)``. Raises
    `HeightsError` if the box has too many functions, or if h > n.
    """
    document = classified(order["asked"], int(order["side"]), int(order["height"]))
    report(Stage.MINE, searches=1)
    return document.document()


def classified(asked: str, side: int, height: int) -> FoundDocument:
    """Return statements and searches on the height functions of a box."""
    if asked not in QUESTIONS:
        return FoundDocument(statements=(census(side, height),), searches=())
    formula, shown, height_class = QUESTIONS[asked]
    criterion = search(height_class, side, height)
    searched = Searched(
        what=f"conditions on f for {shown}",
        game=RULESET,
        tried=criterion.tried,
        nothing=not criterion.exact,
    )
    box = f"all monotone {named(side, height)}"
    statements = []
    for joined in criterion.exact:
        conditions = "; and ".join(
            math_text(part.such) + (f" wherever {math_text(part.guard)}" if part.where else "")
            for part in joined
        )
        top = f"; {TOP}" if any("t" in part.names for part in joined) else ""
        criterion_of = [{"such": part.such, "where": part.guard} for part in joined]
        statement = FoundStatement(
            search="heights",
            ruleset=RULESET,
            parameters={"f": ()},
            words=f"of {box}, exactly those have {shown} for which {conditions}. Here {MEANING}{top}",
            found_on=Evidence(criterion.functions, f"{box}; {criterion.members:,} members"),
            held_on=criterion.held,
            tried=criterion.tried,
            conclusion=Conclusion(
                "unchecked", f"right for {criterion.held.positions:,} other functions, too"
            ),
            picture={"kind": "height-criterion", "formula": formula, "conditions": criterion_of},
        )
        statements.append(statement)
    return FoundDocument(statements=tuple(statements), searches=(searched,))


def classified_all(side: int, height: int) -> FoundDocument:
    """Return statements and searches on all questions about a box."""
    return FoundDocument.merged(classified(asked, side, height) for asked in ASKED_OF_HEIGHTS)


#: Most functions of a box for a count. Few functions have the formula for Grundy numbers, so those boxes may be larger.
MOST_COUNTED: Mapping[int, int] = {GRUNDY: 10**12, P_POSITIONS: 10**7}
#: Boxes are counted with largest arguments and heights up to this.
LARGEST = 8
#: a, b, c of P iff (x+a)⊕(y+b)⊕(z+c) = 0, the smallest first; the empty bar is P, so a⊕b⊕c = 0.
SHIFTS: tuple[tuple[int, int, int], ...] = tuple(
    sorted(
        ((a, b, c) for a, b, c in product(range(-1, 3), repeat=3) if a ^ b ^ c == 0),
        key=lambda shift: (sum(map(abs, shift)), min(shift) < 0, shift),
    )
)


def counts(asked: HeightClass) -> list[dict[str, int]]:
    """Return the number of functions of a class in each box that is not too large."""
    return [
        {"side": side, "height": height, "functions": asked.count(side, height)}
        for side in range(1, LARGEST + 1)
        for height in range(1, LARGEST + 1)
        if number_in_box(side, height) <= MOST_COUNTED[asked.asked]
    ]


def census(side: int, height: int) -> FoundStatement:
    """Return a statement on the numbers of functions with each formula.

    The box has arguments up to `side` and heights up to `height`. The picture has counts for other boxes, too.
    """
    every = np.concatenate(list(HeightClass(EVERY).members(side, height)))
    grundy, p_positions = HeightClass(GRUNDY).has(every), HeightClass(P_POSITIONS).has(every)
    shifts = best_shifts(every)
    least = {
        "P iff x⊕y⊕z = 0, not G = x⊕y⊕z": least_of(every, p_positions & ~grundy),
        "not P iff x⊕y⊕z = 0": least_of(every, ~p_positions),
        "G = x⊕y⊕z, not constant": least_of(every, grundy & (every[:, 0, 0] < every[:, -1, -1])),
    }
    number = len(every)
    return FoundStatement(
        search="heights",
        ruleset=RULESET,
        parameters={"f": ()},
        words=f"of the {number:,} monotone f from {{0..{side}}}² to {{0..{height}}}, {grundy.sum():,} have G = x⊕y⊕z"
        f" ({up_to_exchange(every, grundy):,} up to exchanging x and z), and {p_positions.sum():,} have P iff x⊕y⊕z = 0"
        f" ({up_to_exchange(every, p_positions):,})",
        found_on=Evidence(number, "all functions of the box"),
        held_on=Evidence(0, "nothing: it is a count"),
        tried=Tried(1 + len(SHIFTS), "formulas"),
        conclusion=Conclusion("unchecked", "counted"),
        picture={
            "kind": "height-functions",
            "counts": {shown: counts(of_class) for _, shown, of_class in QUESTIONS.values()},
            "shifts": shifts,
            "least": least,
        },
    )


class ShiftCount(TypedDict):
    """Numbers of functions for which a shifted nim-sum is exact, and is the closest."""

    sum: str
    exact: int
    best: int


def best_shifts(every: Heights) -> list[ShiftCount]:
    """Return the number of functions for which each sum is exact, and closest.

    The closest sum has the fewest mismatches; of several, it is the first of `SHIFTS`. Sums that are neither for any function are
    left out.
    """
    wrong = np.array([HeightClass(P_POSITIONS, shift).mismatches(every) for shift in SHIFTS])
    best = wrong.argmin(axis=0)
    rows: list[ShiftCount] = [
        {
            "sum": "⊕".join(f"({n}{s:+d})" if s else n for n, s in zip("xyz", shift, strict=True)),
            "exact": int((wrong[i] == 0).sum()),
            "best": int((best == i).sum()),
        }
        for i, shift in enumerate(SHIFTS)
    ]
    for row in rows:
        row["sum"] = row["sum"].replace("-", "−")
    return [row for row in rows if row["exact"] or row["best"]]


def least_of(every: Heights, chosen: Truths) -> list[list[int]] | None:
    """Return the chosen function with the least maximum, sum and heights, if any."""
    heights: list[Any] = every[chosen].tolist()
    return min(heights, key=lambda f: (f[-1][-1], sum(map(sum, f)), f), default=None)


def up_to_exchange(every: Heights, chosen: Truths) -> int:
    """Return the number of chosen functions if f(x, z) and f(z, x) count as one."""
    among = every[chosen]
    symmetric = int((among == among.transpose(0, 2, 1)).all(axis=(1, 2)).sum())
    return (len(among) + symmetric) // 2
