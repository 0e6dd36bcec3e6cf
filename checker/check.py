"""Decide certificates of impartial games anew: python3 checker/check.py [--seconds S] FILE...

This file is the whole checker: it needs Python 3.11 or newer and nothing else, and reads certificates only. It is one file,
and long, on purpose: whoever doubts the package reads it from the top to the end, without another file that could change what
it means, and copies it to where the package is not; so it shares no line with what it judges. For each certificate it prints
proved, refuted (with where), vacuous (nothing satisfies the conditions), undecided, out of time or no certificate. Exit code
0: all are proved; 1: some is not; 2: some is no certificate. docs/proof.md says why this is enough, and explains the file.

A set of tuples of integers is regular if a finite automaton reads its members' binary digits; sums, order, ^ & | are, and
so are intersections, complements and projections (Büchi, 1960). That something is true everywhere means that an automaton
of its contrary accepts nothing.
"""

from __future__ import annotations

import argparse
import ast
import functools
import inspect
import itertools
import json
import math
import operator
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

MOST_STATES, MOST_EDGES, MOST_BYTES, MOST_LETTERS, MOST_BITS, MOST_TRIED = 1 << 19, 1 << 22, 1 << 26, 8000, 4096, 10**4
MOST_KEPT, SMALL = 1 << 12, 1 << 13  # so many automata that were made are kept, of so many edges


class UndecidedError(Exception):
    """There is no answer: the verdict, and why; a file at fault is a ValueError."""


# ---- Automata. An integer is read in two's complement, least significant digit first. The last digit is the sign, 1 for
# negative, and stands for all further ones: 5 is 1010 or 10100, -1 is 1 or 11. A symbol has a digit for each integer of a
# tuple. How often the last symbol is repeated never matters.

Track = str | int  # names are text, the checker's own tracks are numbers: no name that a user chooses is one of these
Edges = Iterable[tuple[int, Any, int]]  # symbol, next state, whether the word may end here
VALUE, HIGHER = -1, -2  # the Grundy number of a position, and a larger one
FRESH = itertools.count()


class Rows(list[dict[int, int]]):
    """The rows of an automaton, never changed; what is made of the same ones is looked up, since claims share much."""

    @functools.cached_property
    def number(self) -> int:
        """What rows that are equal have in common."""
        return hash(tuple([frozenset(row.items()) for row in self]))

    def __hash__(self) -> int:  # type: ignore[override]
        return self.number


class Automaton(NamedTuple):
    """A relation: rows[q][symbol] = 2 * next state + (1 if the word may end here); without an entry it does not hold."""

    tracks: tuple[Track, ...]
    rows: Rows

    def on(self, names: Mapping[Any, Track]) -> Automaton:
        """Return the relation of other integers."""
        return Automaton(tuple(names.get(track, track) for track in self.tracks), self.rows)

    def __and__(self, other: Automaton) -> Automaton:
        return product(False, self, other)

    def __sub__(self, other: Automaton) -> Automaton:
        return product(True, self, other)

    def __invert__(self) -> Automaton:
        return Automaton(self.tracks, Rows([dict.fromkeys(range(1 << len(self.tracks)), 1)])) - self


TRUE, FALSE = Automaton((), Rows([{0: 1}])), Automaton((), Rows([{}]))
MADE: dict[Any, Rows] = {}


def once_made(make: Callable[..., Rows], *of: Any) -> Rows:
    """Return what a function makes of something, which is kept if it is small."""
    if (rows := MADE.get((make, of))) is None:
        rows = make(*of)
        if sum(map(len, rows)) <= SMALL:
            if len(MADE) >= MOST_KEPT:
                MADE.clear()
            MADE[make, of] = rows
    return rows


def sums(factors: Iterable[int]) -> list[int]:
    """Return for each symbol the sum of the factors at which its digit is 1."""
    return functools.reduce(lambda found, factor: found + [one + factor for one in found], factors, [0])


def product(contrary: bool, one: Automaton, other: Automaton) -> Automaton:
    """Return that one holds, and so does the other or, if `contrary`, the other does not: states are pairs of states."""
    tracks = tuple(dict.fromkeys(one.tracks + other.tracks))
    if contrary and len(tracks) > len(one.tracks):
        one &= ~Automaton(tracks, Rows([{}]))
    places = tuple(tracks.index(track) for track in other.tracks)
    return Automaton(tracks, once_made(pairs, contrary, one.rows, (1 << len(one.tracks)) - 1, other.rows, places))


def pairs(contrary: bool, one: Rows, digits_of_one: int, other: Rows, places: tuple[int, ...]) -> Rows:
    """Return the rows of a product, the other's integers standing in these places."""
    size, symbols = len(other) + 1, sums(1 << place for place in places)
    shared = symbols[-1] & digits_of_one
    groups: list[Any] = [defaultdict(list) for _ in range(size)]  # the other's edges by the digits on shared tracks
    for group, row in zip(groups, other, strict=False):
        for b, edge in row.items():
            group[symbols[b] & shared].append((symbols[b], edge ^ contrary))
    nowhere = [(0, 2 * size - 1)] if contrary else []  # the last state is that from which the other accepts nothing
    rows = [[(a, a & shared, (edge >> 1) * 2 * size, edge % 2 - 2) for a, edge in row.items()] for row in one]

    def edges(state: int) -> dict[int, int]:
        row, group = rows[state // size], groups[state % size].get
        return {a | b: base + (its & mask) for a, digits, base, mask in row for b, its in group(digits, nowhere)}

    return built(edges)


class Numbers(dict[Any, int]):
    """The numbers of things, in the order in which they appear."""

    def __init__(self, first: Any) -> None:
        self[first], self.things = 0, [first]

    def __missing__(self, thing: Any) -> int:
        self[thing] = number = len(self)
        self.things.append(thing)
        return number


def built(edges: Callable[[int], dict[int, int]]) -> Rows:
    """Return the rows of the least automaton of what is reached from state 0."""
    rows, after, queue, size = dict[int, dict[int, int]](), dict[int, set[int]](), {0: None}, 0
    while len(rows) < len(queue):
        for state in [*itertools.islice(queue, len(rows), None)]:
            rows[state] = row = edges(state)
            after[state] = {edge >> 1 for edge in row.values()}
            queue.update(dict.fromkeys(after[state]))
            size += len(row)
            if len(queue) > MOST_STATES or size > MOST_EDGES:
                raise UndecidedError("undecided", "an automaton is too large")
    return Rows(least(rows, after))


def least(rows: dict[int, dict[int, int]], after: dict[int, set[int]]) -> list[dict[int, int]]:
    """Return an automaton without states that accept nothing, and with equal states made one (Moore's refinement)."""
    live, more = set[int](), {q for q, row in rows.items() if 1 in [edge & 1 for edge in row.values()]}
    while more:
        live |= more
        more = {q for q in rows.keys() - live if not more.isdisjoint(after[q])}
    if 0 not in live:
        return [{}]
    kept = {q: sorted([pair for pair in row.items() if pair[1] >> 1 in live]) for q, row in rows.items() if q in live}
    to = {q: [edge >> 1 for _, edge in row] for q, row in kept.items()}
    signs = {q: tuple([2 * a + edge % 2 for a, edge in row]) for q, row in kept.items()}
    kind, kinds, count = dict.fromkeys(kept, 0), dict[Any, int](), 0
    while len(kinds) > count or not count:
        count, kinds, of = len(kinds), {}, kind.__getitem__
        kind = {q: kinds.setdefault((signs[q], *map(of, states)), len(kinds)) for q, states in to.items()}
    first = {kind[q]: q for q in reversed(kept)}
    return [{a: 2 * kind[edge >> 1] + edge % 2 for a, edge in kept[first[i]]} for i in range(count)]


def all_of(parts: Iterable[Automaton]) -> Automaton:
    """Return that all parts hold."""
    return functools.reduce(operator.and_, parts, TRUE)


def any_of(parts: Iterable[Automaton]) -> Automaton:
    """Return that some part holds."""
    return without((), *parts)


def some(names: Iterable[Track], *parts: Automaton) -> Automaton:
    """Return that integers `names` exist with which all parts hold: one by one, first what meets the fewest others."""
    left, rest = [*names], [*parts]
    while left:
        near = {name: {track for part in rest if name in part.tracks for track in part.tracks} for name in left}
        name = min(left, key=lambda n: len(near[n]))
        using = [part for part in rest if near[name].issuperset(part.tracks)]  # also what only adds a restriction
        rest = [part for part in rest if not near[name].issuperset(part.tracks)]
        gone = {n for n in left if not any(n in part.tracks for part in rest)}
        rest.append(without(gone, all_of(using)))
        left = [n for n in left if n not in gone]
    return all_of(rest)


def without(names: Collection[Track], *parts: Automaton) -> Automaton:
    """Return that integers `names` exist with which one of the parts holds: states are sets of states."""
    kept = [track for track in dict.fromkeys(track for part in parts for track in part.tracks) if track not in names]
    places = tuple((part.rows, *(kept.index(t) if t in kept else -1 for t in part.tracks)) for part in parts)
    return Automaton(tuple(kept), once_made(unions, len(kept), *places))


def unions(count: int, *parts: tuple[Rows, *tuple[int, ...]]) -> Rows:
    """Return the rows of what `without` makes, by the place of each integer among `count` that stay; -1: it goes."""
    moves, starts = list[dict[int, set[int]]](), list[int]()
    last = defaultdict[int, set[int]](set)  # from which states a symbol, repeated, leads to an end
    for rows, *places in parts:
        starts.append(start := len(moves))
        symbols = sums(1 << place if place >= 0 else 0 for place in places)
        free = sums(1 << i for i in range(count) if i not in places)
        for q, row in enumerate(rows, start):
            moves.append(to := defaultdict[int, set[int]](set))
            for symbol, edge in ((symbols[a] | b, edge) for a, edge in row.items() for b in free):
                to[symbol].add(start + (edge >> 1))
                if edge & 1:
                    last[symbol].add(q)
    for symbol, states in last.items():  # the integers that go may be longer than those that stay
        while more := {q for q, to in enumerate(moves) if not states.isdisjoint(to.get(symbol, ()))} - states:
            states |= more
    sets = Numbers(frozenset(starts))

    def edges(state: int) -> dict[int, int]:
        found = defaultdict[int, set[int]](set)
        for q in sets.things[state]:
            for symbol, after in moves[q].items():
                found[symbol] |= after
        ends = sets.things[state].isdisjoint
        return {a: 2 * sets[frozenset(after)] + (not ends(last[a])) for a, after in found.items()}

    return built(edges)


def witness(part: Automaton) -> dict[Track, int] | None:
    """Return integers with the fewest digits of which a relation holds; None if there are none."""
    words: dict[int, list[int]] = {0: []}
    for state in (queue := [0]):
        for symbol, edge in part.rows[state].items():
            word = [*words[state], symbol]
            if edge & 1:
                digits = {track: [a >> i & 1 for a in word] for i, track in enumerate(part.tracks)}
                return {t: sum(d << j for j, d in enumerate(ds)) - (ds[-1] << len(ds)) for t, ds in digits.items()}
            if words.setdefault(edge >> 1, word) is word:
                queue.append(edge >> 1)
    return None


# ---- Formulas. The language's operators bind as Python's do, so that Python's parser reads them; nothing is executed.

Key = Track | tuple[Track, int] | None  # (t, d) is t >> d: t from its digit d on
Form = dict[Key, int]  # an integer: Σ factor·integer and, under None, a constant
Names = Mapping[str, Form]
Made = list[tuple[Track, Automaton]]  # integers that others determine, and how
SIGNS = str.maketrans({"⊕": "^", "≤": "<=", "≥": ">=", "≠": "!=", "·": "*"})
WORDS = re.compile(r"([0-9]+(?![0-9A-Za-z_])|[A-Za-z_][A-Za-z0-9_]*|[ +\-*/%^&|<>=!(),])*")
SPAN = re.compile(r"(.+?)(?:\.\.(.+?)(?:\s+step\s+(.+))?)?")
BITWISE = {"BitXor": operator.xor, "BitAnd": operator.and_, "BitOr": operator.or_}
FUNCTIONS: dict[str, Any] = {"max": max, "min": min, "abs": abs, "v2": lambda n: (n & -n).bit_length() - 1}
FOLDED = FUNCTIONS | BITWISE | {"FloorDiv": operator.floordiv, "Pow": pow}  # of constants
ENDS = {ast.Eq: (0, 0), ast.Lt: (None, -1), ast.LtE: (None, 0), ast.Gt: (1, None), ast.GtE: (0, None)}


def parsed(text: Any) -> ast.expr:
    """Return the tree of a formula, which may be one already, or of a ruleset."""
    if isinstance(text, ast.expr):
        return text
    said, quoted = str(text).translate(SIGNS).strip(), re.compile(r"\b(game\(\s*)([A-Za-z0-9][A-Za-z0-9-]*)(?=\s*[,)])")
    if type(text) not in (str, int) or len(said) > MOST_LETTERS or not WORDS.fullmatch(quoted.sub(r"\1", said)):
        raise ValueError(f"{said[:60]!r} is no formula")
    said = re.sub(r"\b(step|strip|solid|rectangular|with)-(bar|pass)(?=\s*\()", r"\1_\2", quoted.sub(r"\1'\2'", said))
    return ast.parse(said, mode="eval").body


def plus(a: Form, b: Form, factor: int = 1) -> Form:
    """Return a + factor·b."""
    total = {track: a.get(track, 0) + factor * b.get(track, 0) for track in {**a, **b}}
    return {track: number for track, number in total.items() if number}


def fixed(form: Form) -> int | None:
    """Return the integer that a form is whatever its tracks are; None if it depends on them."""
    return form.get(None, 0) if form.keys() <= {None} else None


def from_digit(digit: int, track: Track) -> Form:
    """Return an integer from one of its digits on."""
    return {(track, digit) if digit else track: 1}


def tracks_of(form: Form) -> list[tuple[Track, int, int]]:
    """Return which integers a form depends on, from which digit on, and their factors."""
    return [(*(key if isinstance(key, tuple) else (key, 0)), factor) for key, factor in form.items() if key is not None]


def limits(form: Form, low: int | None, high: int | None) -> Automaton:
    """Return low ≤ form ≤ high, None being no limit; all is multiplied so that factor·(t >> d) is a multiple of t less digits."""
    total, gone, parts = defaultdict[Track, int](int), list[Track](), list[Automaton]()
    digits, c = [digit for _, digit, _ in tracks_of(form)] or [0], form.get(None, 0)
    for track, digit, factor in tracks_of(form):
        total[track] += factor << max(digits) - digit
        if less := digit - min(digits):  # t is what these digits are
            gone.append(t := next(FRESH))
            rows = [{0: 2 * i + 1, 3: 2 * i} for i in range(1, less + 1)]
            parts.append(Automaton((track, t), Rows([*rows, {0: 2 * less + 1, 1: 2 * less + 1}])))
            total[t] -= factor << max(digits) - digit
    factors = {track: factor for track, factor in total.items() if factor}
    times, by = max(digits) - min(digits), math.gcd(*factors.values()) or 1
    ends = None if low is None else -((c - low << times) // by), None if high is None else (high - c << times) // by
    part = between(tuple(factor // by for factor in factors.values()), *ends).on(dict(enumerate(factors)))
    return delayed(min(digits), some(gone, part, *parts))


def delayed(count: int, part: Automaton) -> Automaton:
    """Return that a relation holds of integers from digit `count` on; digits before make no difference, but for a sign."""
    symbols, sign = range(1 << len(part.tracks)), part.rows[0]
    first = [{a: 2 * i + (sign.get(a, 0) & 1) for a in symbols} for i in range(1, count + 1)]
    later = [{a: edge + 2 * count for a, edge in row.items()} for row in part.rows]
    return Automaton(part.tracks, Rows(first + later))


@functools.lru_cache(1 << 10)
def between(factors: tuple[int, ...], low: int | None, high: int | None) -> Automaton:
    """Return that a sum is within limits, whatever its tracks; a state is the limits of what the digits to come add up to."""
    symbols = sums(factors)

    spans = Numbers((low, high))

    def edges(state: int) -> dict[int, int]:
        row, (low, high) = {}, spans.things[state]
        for a, s in enumerate(symbols):  # s now, and twice what is to come; if a is the last symbol, -s in all
            least, most = None if low is None else -((s - low) // 2), None if high is None else (high - s) // 2
            if least is None or most is None or least <= most:
                row[a] = 2 * spans[least, most] + ((low is None or low <= -s) and (high is None or -s <= high))
        return row

    return Automaton(tuple(range(len(factors))), built(edges))


def form(node: ast.expr, names: Names, made: Made) -> Form:
    """Return the integer that a formula is; what is not linear is a new track, and `made` then says which integer it is."""
    match node:
        case ast.Constant(value) if type(value) is int:
            return plus({None: value}, {})
        case ast.Name(name) if name in names:
            return names[name]
        case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, part):
            return plus({}, form(part, names, made), -1 if isinstance(sign, ast.USub) else 1)
        case ast.BinOp(left, operation, right):
            word, parts = type(operation).__name__, [left, right]
        case ast.Call(ast.Name(word), parts, []) if word in FUNCTIONS and (len(parts) < 2) == (word in ("abs", "v2")):
            pass
        case _:
            raise ValueError(f"{ast.unparse(node)!r} has no value, or a name that is not known here")
    return computed(word, [form(part, names, made) for part in parts], made)


def computed(word: str, parts: Sequence[Form], made: Made) -> Form:
    """Return what an operator makes of integers; but for + - ^ & | max min abs, one of two must be a constant."""
    numbers, digits = [fixed(part) for part in parts], [digit for part in parts for _, digit, _ in tracks_of(part)]
    left, a, right, b, t, start = parts[0], numbers[0], parts[-1], numbers[-1], next(FRESH), min(digits, default=0)
    small, new = b is not None and 0 <= b * (a or 1).bit_length() <= MOST_BITS, from_digit(start, t)
    match word:
        case "Add" | "Sub":
            return plus(left, right, 1 if word == "Add" else -1)
        case "Mult" if a is not None or b is not None:
            return plus({}, right, a) if a is not None else plus({}, left, b or 0)
        case "LShift" | "RShift" if small:
            power: Form = {None: 1 << (b or 0)}
            return computed("Mult" if word == "LShift" else "FloorDiv", [left, power], made)
        case "Mod" if b:
            return plus(left, computed("FloorDiv", parts, made), -b)
        case _ if (
            None not in numbers
            and word in FOLDED
            and (b or word not in ("FloorDiv", "v2"))
            and (small or word != "Pow")
        ):
            return plus({None: FOLDED[word](*numbers)}, {})
        case "FloorDiv" if b and b & b - 1 == 0 < b and [*left.values()] == [1]:
            ((track, digit, _),) = tracks_of(left)
            return from_digit(digit + b.bit_length() - 1, track)
        case "FloorDiv" if b:  # what is left over has the sign of b
            made.append((t, limits(plus(left, new, -b), min(0, b + 1), max(0, b - 1))))
        case "BitXor" | "BitAnd" | "BitOr":
            both = next(FRESH), next(FRESH)
            for u, part in zip(both, parts, strict=True):
                made.append((u, limits(plus(part, from_digit(start, u), -1), 0, 0)))
            row = {d: 1 for d in range(8) if d >> 2 == BITWISE[word](d & 1, d >> 1 & 1)}
            made.append((t, delayed(start, Automaton((*both, t), Rows([row])))))
        case "max" | "min" | "abs":  # min is the contrary of the contraries' max
            signs = {"max": (1,), "min": (-1,), "abs": (1, -1)}[word]
            above = [plus(new, part, -sign) for part in parts for sign in signs]
            made.append((t, all_of(limits(f, 0, None) for f in above) & any_of(limits(f, None, 0) for f in above)))
            return plus({}, new, signs[0])
        case _:
            raise UndecidedError("undecided", f"{word} has no value, or cannot be said of these integers")
    return new


def within(formula: Any, names: Names, more: Form, low: int | None, high: int | None) -> Automaton:
    """Return low ≤ formula + more ≤ high; of each integer made there is exactly one, so that it may as well be "for all"."""
    made: Made = []
    part = limits(plus(form(parsed(formula), names, made), more), low, high)
    return some([track for track, _ in made], part, *(automaton for _, automaton in made))


def integer(formula: Any, names: Names) -> int:
    """Return the value of a formula that depends on constants only."""
    if (number := fixed(form(parsed(formula), names, []))) is None:
        raise UndecidedError("undecided", f"{ast.unparse(parsed(formula))} depends on integers, and must not")
    return number


def condition(formula: Any, names: Names) -> Automaton:
    """Return that a condition is true; None is one that always is."""
    match parsed("0 == 0" if formula is None else formula):
        case ast.BoolOp(sign, parts):
            return (all_of if isinstance(sign, ast.And) else any_of)(condition(part, names) for part in parts)
        case ast.UnaryOp(ast.Not(), part):
            return ~condition(part, names)
        case ast.Compare(left, [ast.NotEq()], [right]):
            return ~within(ast.BinOp(left, ast.Sub(), right), names, {}, 0, 0)
        case ast.Compare(left, [sign], [right]) if type(sign) in ENDS:
            return within(ast.BinOp(left, ast.Sub(), right), names, {}, *ENDS[type(sign)])
        case ast.Compare(left, [sign, *signs], [right, *others]) if signs:
            pairs = ast.Compare(left, [sign], [right]), ast.Compare(right, signs, others)
            return all_of(condition(pair, names) for pair in pairs)
        case node:
            raise ValueError(f"{ast.unparse(node)!r} is no condition")


# ---- Games. Each is a document: its coordinates, the largest values of some of them (heights), and its moves.


class Game(NamedTuple):
    """A ruleset; how many passes are left is a coordinate, too."""

    text: str
    coordinates: list[str]
    passes: list[str]  # the coordinate that counts passes around the whole game
    legal: Automaton  # that the coordinates are a position's
    moves: list[tuple[set[str], dict[str, Track], list[Automaton]]]  # what is lowered, what changes, what holds
    faults: list[Automaton]  # that a height is negative, or falls


RULESETS: dict[str, Callable[..., dict[str, Any] | Game]] = {  # those of the papers, and games made of games
    "nim": lambda heaps: {"coordinates": [*"abcdefghijklmno"[:heaps]]},
    "rectangular_bar": lambda m, n: {"coordinates": [*"abcd"], "within": f"a+b < {m} and c+d < {n}"},
    "step_bar": lambda k, s=0: {"coordinates": ["y", "z"], "heights": {"y": f"(z+{s})//{k}"}},
    "strip_bar": lambda k, s=0: {"coordinates": ["x", "y", "z"], "heights": {"y": f"(z+{s})//{k}"}},
    "solid_bar": lambda f: {"coordinates": ["x", "y", "z"], "heights": {"y": f}},
    "with_pass": lambda game, passes=1: with_pass(game, passes),
    "sum": lambda a, b: in_sum(a, b),
}


@functools.cache
def described(text: str, said: str) -> Game:
    """Return the game of a document, in which parameters are numbers; it is made once for all claims on it."""
    document = json.loads(said)
    numbers = {key: plus({None: n}, {}) for key, n in document.get("parameters", {}).items()}
    coordinates, heights, parts = document["coordinates"], document.get("heights") or {}, [*numbers, "v", "grundy"]
    if len({*coordinates, *parts}) < len(coordinates) + len(parts) or not {*heights} <= {*coordinates}:
        raise ValueError(f"{text}: a name is there twice, or has no meaning")
    read = {c: {part.id for part in ast.walk(parsed(h)) if isinstance(part, ast.Name)} for c, h in heights.items()}
    of = {c: names & {*coordinates} for c, names in read.items()}
    at: dict[str, Form] = {**numbers, **{c: {c: 1} for c in coordinates}}
    known = {name: one for name, one in at.items() if not of.get(name)}  # a height depends on none that has one
    legal, faults, moves = all_of(limits({c: 1}, 0, None) for c in coordinates), [], []
    for c, height in heights.items():
        faults.append(legal & within(height, known, {}, None, -1))
        for d in of[c]:
            falls = within(height, {**known, d: {d: 1, None: 1}}, {c: -1}, None, -1)
            faults.append(legal & within(height, known, {c: -1}, 0, 0) & falls)
    for move in document.get("moves", [{"lower": [c]} for c in coordinates]):
        move = without_nulls(move, "lower", "by at_most clip")
        lowered: dict[str, Track] = {c: next(FRESH) for c in move["lower"]}
        if not 0 < len(move["lower"]) == len(lowered.keys() & {*coordinates}):
            raise ValueError(f"{text}: a move lowers coordinates, each of them once")
        there: Names = {**known, **{c: {t: 1} for c, t in lowered.items() if c in known}}
        such = amounts(move, lowered, at, numbers)
        such += [~condition(document["ends"], at)] if document.get("ends") else []
        falling = [c for c in heights if of[c] & lowered.keys()] if move.get("clip", True) else []
        for chosen in itertools.product((False, True), repeat=len(falling)):  # the others must be able to stay
            fallen: dict[str, Track] = {c: next(FRESH) for c in itertools.compress(falling, chosen)}
            found = [within(heights[c], there, {t: -1}, 0, 0) for c, t in fallen.items()]
            found += [limits({t: 1, lowered.get(c, c): -1}, None, -1) for c, t in fallen.items()]
            twice = [lowered[c] for c in fallen.keys() & lowered.keys()]
            moves.append(({*lowered}, {**lowered, **fallen}, [some(twice, *such, *found)] if twice else such + found))
    legal &= all_of(within(height, known, {c: -1}, 0, None) for c, height in heights.items())
    return Game(text, [*coordinates], [], legal & condition(document.get("within"), at), moves, faults)


def amounts(move: Mapping[str, Any], lowered: dict[str, Track], at: Names, numbers: Names) -> list[Automaton]:
    """Return what a move asks of the amounts that it takes."""
    taken: list[Form] = [{c: 1, t: -1} for c, t in lowered.items()]
    by = move["by"] if len(taken) > 1 else move.get("by", "each")
    if not isinstance(by, list) and by not in ("any", "each", "same"):
        raise ValueError(f"{by!r} is no way to take amounts")
    found = [limits(amount, 0 if by == "any" else 1, None) for amount in taken]
    found += [limits(functools.reduce(plus, taken), 1, None)]
    found += [within(move["at_most"], at, plus({}, amount, -1), 0, None) for amount in taken if "at_most" in move]
    found += [limits(plus(amount, taken[0], -1), 0, 0) for amount in taken[1:] if by not in ("any", "each")]
    if isinstance(by, list):
        found.append(any_of(limits(taken[0], n, n) for n in [integer(part, numbers) for part in by]))
    return found


def with_pass(game: Game, passes: int) -> Game:
    """Return a game in which the players together may pass so many times, if there is a move."""
    p, fewer = unused("p", game.coordinates), next(FRESH)
    options = (some(to.values(), game.legal, game.legal.on(to), *such) for _, to, such in game.moves)
    pass_on = ({p}, dict[str, Track]({p: fewer}), [limits({p: 1, fewer: -1}, 1, 1), any_of(options)])
    text, legal = f"with-pass({game.text}, {passes})", game.legal & limits({p: 1}, 0, passes)
    return Game(text, [*game.coordinates, p], [p], legal, [*game.moves, pass_on], game.faults)


def in_sum(a: Game, b: Game) -> Game:
    """Return two games side by side; coordinates that both have are told apart by 1 and 2."""
    coordinates: list[str] = []
    legal, moves = TRUE, []
    for i, (game, other) in enumerate(((a, b), (b, a)), 1):
        own: dict[Any, str] = {}
        for c in game.coordinates:
            own[c] = unused(f"{c}{i}" if c in other.coordinates else c, coordinates)
            coordinates.append(own[c])
        legal &= game.legal.on(own)
        for lowers, to, such in game.moves:
            renamed = {own[c]: track for c, track in to.items()}
            moves.append(({own[c] for c in lowers}, renamed, [part.on(own) for part in such]))
    return Game(f"sum({a.text}, {b.text})", coordinates, [], legal, moves, [*a.faults, *b.faults])


def unused(name: str, taken: Sequence[str]) -> str:
    """Return a name, or the first of name2, name3, … that is not taken."""
    return next(one for one in (name, *(f"{name}{i}" for i in range(2, len(taken) + 3))) if one not in taken)


def game_of(node: ast.expr, names: Names, documents: Mapping[str, Any]) -> Game:
    """Return the game that a ruleset writes, in which names stand for integers."""

    def value(key: str, part: Any) -> Any:
        if key in ("game", "a", "b"):
            return game_of(part, names, documents)
        if key == "f":  # whose x and z are coordinates
            numbers = {name: f"({fixed(one)})" for name, one in names.items() if name not in ("x", "z")}
            return parsed(re.sub(r"[A-Za-z_]\w*", lambda name: numbers.get(name[0], name[0]), ast.unparse(part)))
        if not (key != "s") <= (number := integer(part, names)) <= (15 if key == "heaps" else 1 << 63):
            raise ValueError(f"{key} = {number} in {ast.unparse(node)}")
        return number

    match node:
        case ast.Call(ast.Name("game"), [ast.Constant(str(name))], words):
            document = without_nulls(documents[name], "game coordinates moves", "parameters heights ends")
            given = once([(str(word.arg), integer(word.value, names)) for word in words])
            numbers = {key: integer(part, {}) for key, part in document.get("parameters", {}).items()}
            if not given.keys() <= numbers.keys():
                raise ValueError(f"{ast.unparse(node)}: the game has not all of these parameters")
            values = {**numbers, **given}
            text = ", ".join([name, *(f"{key}={number}" for key, number in values.items())])
            return described(f"game({text})", json.dumps({**document, "parameters": values}, sort_keys=True))
        case ast.Call(ast.Name(name), values, words) if name in RULESETS:
            named = once([(str(word.arg), word.value) for word in words])
            (bound := inspect.signature(RULESETS[name]).bind(*values, **named)).apply_defaults()
            given = {key: value(key, part) for key, part in bound.arguments.items()}
            shown = ", ".join(ast.unparse(part) if isinstance(part, ast.expr) else str(part) for part in given.values())
            made = RULESETS[name](**given)
            text = f"{name.replace('_', '-')}({shown})"
            return made if isinstance(made, Game) else described(text, json.dumps(made, default=ast.unparse))
    raise ValueError(f"{ast.unparse(node)!r} is no ruleset")


# ---- Proofs. A case is what is wrong, and where; that must be nowhere. If what is wrong is "", nothing is: it is where a
# statement speaks of something, and that must be somewhere.

Cases = Iterator[tuple[str, Automaton]]
Introduced = tuple[dict[str, Form], list[Automaton], list[Track]]
Proof = tuple[Game, Automaton, bool, tuple[str, str]]  # a relation, whether of Grundy numbers, and the verdict on it


def obligations(game: Game, relation: Automaton, grundy: bool) -> Cases:
    """Yield what must be nowhere if a relation is the P-positions or the Grundy numbers of a game."""
    yield from (("the height is negative, or falls", fault) for fault in game.faults)
    yield "what is no position is in the relation", relation - game.legal
    lacking = game.legal - relation
    if grundy:
        yield "it has no value", game.legal - some([VALUE], relation)
        above = relation.on({VALUE: HIGHER}), limits({VALUE: 1}, 0, None), limits({VALUE: 1, HIGHER: -1}, None, -1)
        lacking = some([HIGHER], *above)
    for _, changed, such in game.moves:
        reached = some(changed.values(), relation.on(changed), *such, game.legal)
        yield "it is in the relation, and so is an option", relation & reached
        lacking -= reached
    yield "no option is in the relation, and one should be", lacking


def decided(cases: Cases, said: str) -> tuple[str, str]:
    """Return a verdict, and of what, where, or why."""
    speaks = True
    for what, where in cases:
        found = witness(where)
        if what and found is not None:
            at = [f"{name} = {n}" for name, n in found.items() if isinstance(name, str)]
            return "refuted", ", ".join([what, *at])
        speaks &= bool(what) or found is not None
    return ("proved", said) if speaks else ("vacuous", "nothing satisfies the conditions")


# ---- Claims.

WHOLE = ("p-positions", "values", "count")  # what these say of rectangular bars is said of whole ones
KINDS: dict[str, tuple[str, str, tuple[str, ...]]] = {  # keys that are needed, others, and the words that one may be
    "p-positions": ("formula", "relation where", ("exactly", "contain", "within")),
    "grundy": ("equals", "where", ()),
    "values": ("of values relation", "where", ("exactly", "contains-all", "within")),
    "options": ("of have to", "by beside", ("no", "some", "every")),
    "grundy-table": ("down across rows", "", ()),
    "grundy-list": ("numbers", "", ()),
    "p-list": ("positions", "where", ()),
    "count": ("of equals", "over where beside", ("positions", "p-positions")),
    "integers": ("bound all", "finite let where holds any equivalent number", ()),
}


def on_positions(check: Any, game: Game, relation: Automaton, grundy: bool, names: Names, reach: int | None) -> Cases:
    """Yield the positions of which a claim speaks, and those of which it is false."""
    kind, words = check["kind"], KINDS[check["kind"]][2]
    at: dict[str, Form] = {**names, **{c: {c: 1} for c in game.coordinates}}
    word = next((check[key] for key in ("relation", "have", "over") if key in check), "".join(words[:1]))
    by, aside = check.get("by") or game.coordinates, check.get("beside") or None
    if kind.startswith("grundy") and not grundy:
        raise UndecidedError("undecided", "the game's certificate is not one of Grundy numbers")
    if (kind == "count" and aside) or (kind in WHOLE and re.match(r"(with-pass\()?rectangular-bar", game.text)):
        raise UndecidedError("undecided", "a statement on whole bars, or a count with further integers")
    if word not in (words or [""]) or aside not in (None, "kept", "lowered") or not {*by} <= {*game.coordinates}:
        raise ValueError(f"{word!r} is none of {words}, or {aside!r} or {by!r} says of no options")
    if kind in ("p-list", "count") and reach is None:
        raise ValueError("a reach is needed")
    is_p = some([VALUE], relation, limits({VALUE: 1}, 0, 0)) if grundy else relation
    box = [limits({c: 1}, None, reach) for c in game.coordinates if reach is not None and c not in game.passes]
    spoken = all_of([game.legal, *box, condition(check.get("of" if kind == "options" else "where"), at)])
    so, gone = spoken & (relation if kind.startswith("grundy") else is_p), game.coordinates[:0]
    yield from (("the height is negative, or falls", fault) for fault in game.faults)
    match kind:
        case "p-positions":
            claimed = spoken & condition(check["formula"], at)
            spoken = {"contain": claimed, "within": so}.get(word, spoken)
        case "grundy":
            claimed, word = within(check["equals"], at, {VALUE: -1}, 0, 0), "within"
        case "values":
            spoken = so = so & within(check["of"], at, {"v": -1}, 0, 0)
            claimed, gone = condition(check["values"], {**names, "v": {"v": 1}}), game.coordinates
        case "options":
            left, have, to = spoken, list[Automaton](), condition(check["to"], at)
            to = ~to if word == "every" else to
            for lowers, changed, such in game.moves:
                if lowers <= {*by} and aside in (None, "lowered" if changed.keys() > lowers else "kept"):
                    option = [game.legal.on(changed), *such, game.legal]
                    left -= some(changed.values(), *option, to.on(changed))
                    have += [some(changed.values(), *option)] if word == "every" else []
            so, claimed = (left, FALSE) if word == "some" else (FALSE, spoken - left)
            spoken &= any_of(have) if word == "every" else TRUE
        case "count":
            counted = spoken & (is_p if word == "p-positions" else relation if grundy else TRUE)
            more: Names = {"grundy": {VALUE: 1}} if grundy and word == "positions" else {}
            number = how_many(some([VALUE], counted, condition(check["of"], {**at, **more})))
            so = TRUE if number != integer(check["equals"], names) else FALSE
            spoken, claimed = counted, FALSE
        case _:
            tracks: list[Any] = [*game.coordinates, *([] if kind == "p-list" else [VALUE])]
            rows = check.get("positions") or check.get("numbers")
            if kind == "grundy-table":
                tracks = [check["down"], check["across"], VALUE]
                rows = [[i, j, n] for i, row in enumerate(check["rows"]) for j, n in enumerate(row)]
            if not rows or {*tracks} - {VALUE} != {*game.coordinates}:
                raise ValueError("nothing is claimed, or down and across are not the coordinates")
            pairs = [zip(tracks, naturals(row), strict=True) for row in rows]
            claimed = any_of(all_of(limits({track: 1}, n, n) for track, n in pair) for pair in pairs)
            if kind != "p-list":
                spoken, so, word = claimed, relation, "contain"  # also where it is beyond the reach
    yield "", spoken
    yield "it is so, and not as claimed", FALSE if word.startswith("contain") else so - claimed
    yield "it is claimed, and not so", FALSE if word == "within" else claimed - some(gone, so)


def how_many(part: Automaton) -> int:
    """Return of how many tuples of integers below 2**64 a relation holds: how many words of 65 symbols."""

    @functools.cache
    def words(q: int, left: int) -> int:
        return sum(words(edge >> 1, left - 1) if left else edge & 1 for edge in part.rows[q].values())

    return words(0, 64)


def span_of(said: Any, names: Names, made: Made) -> tuple[Form, Form, int]:
    """Return the first and the last integer of a range, and its step."""
    first, last, step = SPAN.fullmatch(str(said)).groups()  # type: ignore[union-attr]
    low, by = form(parsed(first), names, made), integer(step or 1, names)
    if by < 1:
        raise ValueError(f"a step must be at least 1, found {by}")
    return low, form(parsed(last), names, made) if last else low, by


def introduced(ranges: dict[str, Any], lets: dict[str, Any], names: Names, numbers: Names) -> Introduced:
    """Return more names: integers in ranges, unless they are `numbers`, and what follows; what holds; tracks without names."""
    known, parts, made = dict(names), list[Automaton](), Made()
    if len({*names, *ranges, *lets}) < len(names) + len(ranges) + len(lets):
        raise ValueError("a name is there twice")
    for name, said in ranges.items():
        here, (low, high, by) = numbers.get(name, {name: 1}), span_of(said, known, made)
        above = plus(here, low, -1)
        parts += [limits(above, 0, None), limits(plus(here, high, -1), None, 0)]
        parts += [limits(computed("Mod", [above, {None: by}], made), 0, 0)]
        known[name] = here
    for name, text in lets.items():
        known[name] = form(parsed(text), known, made)
    return known, [*parts, *(automaton for _, automaton in made)], [track for track, _ in made]


def tried(said: Any, names: Names, number: int | None) -> Sequence[int]:
    """Return the integers of a range that depends on constants only; if there is a number, it alone, and only if it is there."""
    low, high, by = span_of(said, names, [])
    if (first := fixed(low)) is None or (last := fixed(high)) is None:
        raise UndecidedError("undecided", "the integers of a range depend on others")
    span = range(first, last + 1, by)
    return span if number is None else [number] * (number in span)


def on_integers(check: dict[str, Any], numbers: Names) -> Cases:
    """Yield the integers of which a statement speaks, some being numbers, and those of which it is false."""
    names, parts, own = introduced(check["all"], check.get("let", {}), {"N": {"N": 1}}, numbers)

    def conditions(key: str) -> list[Automaton]:
        said = check.get(key, [])
        return [condition(part, names) for part in (said if isinstance(said, list) else [said])]

    parts += [limits({"N": 1}, integer(check["bound"], {}), None), *conditions("where")]
    wrong = [~part for part in conditions("holds")]
    wrong += [~any_of(conditions("any"))] if check.get("any") else []
    wrong += [any_of([a - b, b - a]) for a, b in itertools.pairwise(conditions("equivalent"))]
    if "number" in check:
        number = without_nulls(check["number"], "of such", "let least exactly")
        ((word, formula),) = ((word, number[word]) for word in ("least", "exactly") if word in number)
        inner, more, gone = introduced(number["of"], number.get("let", {}), names, {})
        such, claimed = some(gone, *more, condition(number["such"], inner)), integer(formula, names)
        copy, preceded = {name: next(FRESH) for name in number["of"]}, FALSE
        for name, t in reversed(copy.items()):
            preceded = any_of([limits({t: 1, name: -1}, None, -1), limits({t: 1, name: -1}, 0, 0) & preceded])

        def at_least(count: int) -> Automaton:
            late = such  # and later than count - 1 others
            for _ in range(count - 1):
                late = some(copy.values(), late, late.on(copy), preceded)
            return some(number["of"], late) if count > 0 else TRUE

        wrong += [~at_least(claimed), at_least(claimed + 1) if word == "exactly" else FALSE]
    if not wrong:
        raise ValueError("nothing is claimed")
    yield "", some([*own, "N"], *parts)
    yield from (("it is false", some([*own, "N"], *parts, part)) for part in wrong)


def on_claim(document: Any) -> tuple[str, str]:
    """Return the verdict on the certificate of a claim."""
    data = without_nulls(document, "format kind claim names verdict", "game games versions")
    claim = without_nulls(data["claim"], "id check", "ruleset every some when let reach")
    kind = claim["check"]["kind"]
    if (data["format"], data["kind"], data["verdict"]) != (1, "claim", "proved") or kind not in KINDS:
        raise ValueError("the format must be 1, the kind claim, the verdict proved, and the statement of a known kind")
    check = without_nulls(claim["check"], "kind " + KINDS[kind][0], KINDS[kind][1])
    if not all(type(n) is int for n in data["names"].values()):
        raise ValueError("names stand for integers")
    names = {name: plus({None: n}, {}) for name, n in data["names"].items()}
    said = ", ".join([claim["id"], *(f"{name} = {n}" for name, n in data["names"].items())])
    if kind == "integers":
        if any(claim[key] for key in claim.keys() - {"id", "check"}) or not names.keys() <= check["all"].keys():
            raise ValueError("a statement on integers has an id and a check, and names are some of its integers")
        return decided(on_integers(check, names), said)
    every, ranges = claim.get("every", {}), [*claim.get("every", {}).items(), *claim.get("some", {}).items()]
    if not names.keys() >= every.keys() or (names.keys() - every.keys()) & once(ranges).keys():
        raise ValueError("an integer is needed for each name in every, and none for one in some")
    choices = [{name: number for name, number in names.items() if name not in every}]
    for name, span in ranges:  # integers of `some` are tried one after the other
        pairs = ((known, n) for known in choices for n in tried(span, known, data["names"].get(name)))
        choices = [{**known, name: plus({None: n}, {})} for known, n in itertools.islice(pairs, MOST_TRIED)]
        if next(pairs, None):
            raise UndecidedError("undecided", "too many integers would have to be tried")
    if all(witness(condition(claim.get("when"), known)) is None for known in choices):
        return "vacuous", "it does not speak of these names"
    names, _, _ = introduced({}, claim.get("let", {}), names, {})
    game, games = game_of(parsed(claim["ruleset"]), names, data.get("games", {})), {"games": data.get("games")}
    reach = integer(claim["reach"], names) if "reach" in claim else None
    if not ("game" in data or kind == "options") or names.keys() & {*game.coordinates} or (reach or 0) >> 63:
        raise ValueError("automata of the game are needed, names that are no coordinates, and a reach below 2**63")
    own, relation, grundy, verdict = game, TRUE, False, ("proved", "")
    if "game" in data:
        text = json.dumps({"format": 1, **data["game"], **games}, sort_keys=True)
        own, relation, grundy, verdict = proof_in(text)
    if verdict[0] != "proved":
        return verdict
    if own.text != game.text and decided(obligations(game, relation, grundy), "")[0] != "proved":
        raise ValueError("the automata are of another game")  # rather than of one whose height is written otherwise
    said += f": {game.text}" + (f", coordinates up to {reach}" if reach is not None else "")
    return decided(on_positions(check, game, relation, grundy, names, reach), said)


# ---- Files.


def without_nulls(value: Any, needed: str, allowed: str = "") -> dict[str, Any]:
    """Return an object without what is null; it must have all needed keys, and no others but allowed ones."""
    found = {k: part for k, part in value.items() if part is not None} if isinstance(value, dict) else {}
    if not {*needed.split()} <= found.keys() or not value.keys() <= {*needed.split(), *allowed.split()}:
        raise ValueError(f"an object with {needed} is needed, found {str(value)[:60]}")
    return found


def naturals(value: Any, below: int = 1 << 63) -> list[int]:
    """Return a list of integers from 0."""
    if not isinstance(value, list) or not all(type(n) is int and 0 <= n < below for n in value):
        raise ValueError(f"a list of integers from 0 to {below - 1} is needed, found {str(value)[:60]}")
    return value


def relation_of(value: Any, tracks: Sequence[Track]) -> Automaton:
    """Return an automaton of a file as one of ours; a natural number ends with a 0."""
    data = without_nulls(value, "tracks delta accepting")
    delta = data["delta"] if isinstance(data["delta"], list) else []
    accepting = {*naturals(data["accepting"], len(delta))}
    if data["tracks"] != [str(i) for i in range(len(tracks))] or not delta:
        raise ValueError("the tracks must be 0, 1, …, one for each of the coordinates")
    if any(len(naturals(row, len(delta))) != 1 << len(tracks) for row in delta):
        raise ValueError("each state needs a next one for each symbol")
    if any((q in accepting) != (row[0] in accepting) for q, row in enumerate(delta)):
        raise ValueError("zeros in front of a number must not matter")
    rows = built(lambda q: {a: 2 * after + (a == 0 and q in accepting) for a, after in enumerate(delta[q])})
    return Automaton(tuple(tracks), rows)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, in which no key may be twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


@functools.cache
def proof_in(text: str) -> Proof:
    """Return what automata of a game prove; of several claims that rest on the same ones they are decided once."""
    data = without_nulls(json.loads(text), "ruleset relation coordinates automata", "format games obligations versions")
    game, grundy = game_of(parsed(data["ruleset"]), {}, data.get("games", {})), data["relation"] == "grundy"
    tracks: list[Any] = [c for c in game.coordinates if c not in game.passes] + [VALUE] * grundy
    named = ["value" if track == VALUE else track for track in tracks]
    if (data.get("format", 1), data["coordinates"]) != (1, named) or data["relation"] not in ("p", "grundy"):
        raise ValueError("the format must be 1, the relation p or grundy, and the coordinates those of the ruleset")
    if not isinstance(data["automata"], list) or (len(data["automata"]) > 1 and not game.passes):
        raise ValueError("automata are needed, one for each number of passes left")
    parts = [relation_of(automaton, tracks) for automaton in data["automata"]]
    relation = any_of(part & all_of(limits({p: 1}, i, i) for p in game.passes) for i, part in enumerate(parts))
    said = f"{game.text}, {'Grundy numbers' if grundy else 'P-positions'}"
    try:
        verdict = decided(obligations(game, relation, grundy), said)
    except UndecidedError as error:  # kept, too: what took too long is not tried again for each claim
        verdict = error.args
    return game, relation, grundy, verdict


def verdict_on(path: Path) -> tuple[str, str]:
    """Return the verdict on a file; and of what, where, or why."""
    try:
        with path.open("rb") as file:
            document = json.loads(file.read(MOST_BYTES), object_pairs_hook=once)
        if "kind" in document:
            return on_claim(document)
        said = {"games": None} | {key: part for key, part in document.items() if key not in ("obligations", "versions")}
        return proof_in(json.dumps(said, sort_keys=True))[3]
    except UndecidedError as error:
        return error.args
    except MemoryError:
        return "undecided", "an automaton is too large"
    except (ValueError, TypeError, LookupError, AttributeError, SyntaxError, RecursionError, OSError) as error:
        return "no certificate", f"{type(error).__name__}: {error}"


def main() -> int:
    """Print a line for each file; return 0 if all are proved, 2 if one is no certificate, else 1."""
    parser, worst = argparse.ArgumentParser(description=str(__doc__).splitlines()[0]), 0
    parser.add_argument("--seconds", type=float, default=0.0, help="of computing for each file, at most")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()

    def over(*_: object) -> NoReturn:
        raise UndecidedError("out of time", f"more than {given.seconds:g} seconds")

    signal.signal(signal.SIGPROF, over)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    for path in given.files:
        try:
            signal.setitimer(signal.ITIMER_PROF, given.seconds)
            verdict, why = verdict_on(Path(path))
            signal.setitimer(signal.ITIMER_PROF, 0)
        except UndecidedError as error:  # time was over when there was a verdict, or just before
            verdict, why = error.args
        print(f"{path}: {verdict}: {' '.join(why.split())}", flush=True)  # one line, whatever names a file has
        worst = max(worst, {"proved": 0, "no certificate": 2}.get(verdict, 1))
    return worst


if __name__ == "__main__":
    sys.exit(main())
