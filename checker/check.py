"""Decide certificates of impartial chocolate-bar games anew: python3 checker/check.py [--seconds S] FILE...

This file is the whole checker: it needs Python 3.11 or newer and nothing else, and reads certificates only. For each it
prints proved, refuted (with where), vacuous (nothing satisfies the conditions), undecided or no certificate. Exit code 0:
all are proved; 1: some is not; 2: some is no certificate. docs/proof.md describes the files and goes through this one.

Why it is enough. Let R be a relation on positions such that for each position q: (1) R(q) only if q is a position; (2) if
R(q), then R(o) for no option o; (3) if not R(q), then R(o) for some option o. Then R is the set of P-positions, by
induction: every move lowers a coordinate or uses up a pass and raises none, so play ends; if R is right about the options
of q, then (2) and (3) say that q is in R exactly if all of its options are N-positions. For Grundy numbers let R be a
relation of positions and values with (1); (2) for each q, R(q, g) for some g; (3) if R(q, g), then R(o, g) for no option o;
(4) if R(q, g) and h < g, then R(o, h) for some option o. If R is right about the options of q, then g = mex of their values
by (3) and (4), and there is one by (2). A height that is nowhere negative and nowhere falls makes each bar a position.

All of this can be said with automata. A set of tuples of integers is regular if a finite automaton reads its members'
binary digits; sums, order, ^ & | are, and so are intersections, complements and projections (Büchi, 1960). That something
is true everywhere means that an automaton of its contrary accepts nothing.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import itertools
import json
import operator
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

MOST_STATES, MOST_EDGES, MOST_BYTES, MOST_LETTERS, MOST_BITS = 1 << 20, 1 << 24, 1 << 26, 8000, 4096


class UndecidedError(Exception):
    """There is no answer: it cannot be said, is too large, or takes too long; a file at fault is a ValueError."""


# ---- Automata. An integer is read in two's complement, least significant digit first. The last digit is the sign, 1 for
# negative, and stands for all further ones: 5 is 1010 or 10100, -1 is 1 or 11. A symbol has a digit for each integer of a
# tuple. How often the last symbol is repeated never matters.

Track = str | int  # names are text, the checker's own tracks are numbers: no name that a user chooses is one of these
Edges = Iterable[tuple[int, Any, int]]  # symbol, next state, whether the word may end here
VALUE, HIGHER = -1, -2  # the Grundy number of a position, and a larger one
FRESH = itertools.count()


@dataclass(frozen=True, eq=False)
class Automaton:
    """A relation: rows[q][symbol] = 2 * next state + (1 if the word may end here); without an entry it does not hold."""

    tracks: tuple[Track, ...]
    rows: list[dict[int, int]]

    def on(self, names: Mapping[Any, Track]) -> Automaton:
        """Return the relation of other integers."""
        return Automaton(tuple(names.get(track, track) for track in self.tracks), self.rows)

    def __invert__(self) -> Automaton:
        symbols, sink = range(1 << len(self.tracks)), 2 * len(self.rows)
        rows = [{a: row.get(a, sink) ^ 1 for a in symbols} for row in self.rows]
        return Automaton(self.tracks, least([*rows, dict.fromkeys(symbols, sink + 1)]))


def built(tracks: Iterable[Track], start: Any, edges: Callable[[Any], Edges]) -> Automaton:
    """Return the least automaton of what is reached from a state."""
    number, queue, rows, size = {start: 0}, [start], [], 0
    for state in queue:
        row = {}
        for symbol, after, ends in edges(state):
            place = number.setdefault(after, len(number))
            if place == len(queue):
                queue.append(after)
            row[symbol] = 2 * place + ends
        rows.append(row)
        size += len(row)
        if len(queue) > MOST_STATES or size > MOST_EDGES:
            raise UndecidedError("an automaton is too large")
    return Automaton(tuple(tracks), least(rows))


def least(rows: list[dict[int, int]]) -> list[dict[int, int]]:
    """Return an automaton without states that accept nothing, and with equal states made one (Moore's refinement)."""
    sources = defaultdict(list)
    for q, row in enumerate(rows):
        for edge in row.values():
            sources[edge >> 1].append(q)
    stack = [q for q, row in enumerate(rows) if any(edge & 1 for edge in row.values())]
    live = set(stack)
    while stack:
        more = set(sources[stack.pop()]) - live
        live |= more
        stack += more
    if 0 not in live:
        return [{}]
    order = sorted(live)
    kept = {q: sorted((a, edge) for a, edge in rows[q].items() if edge >> 1 in live) for q in order}
    after = {q: [edge >> 1 for _, edge in kept[q]] for q in order}
    kinds: dict[Any, int] = {}
    kind = {q: kinds.setdefault(tuple((a, edge & 1) for a, edge in kept[q]), len(kinds)) for q in order}
    count = 0
    while count < len(kinds):
        count, kinds, of = len(kinds), {}, kind.__getitem__
        kind = {q: kinds.setdefault((of(q), *map(of, after[q])), len(kinds)) for q in order}
    first = {kind[q]: q for q in reversed(order)}
    return [{a: 2 * kind[edge >> 1] + (edge & 1) for a, edge in kept[first[i]]} for i in range(count)]


def joined(parts: Sequence[Automaton]) -> tuple[list[Track], Callable[[Any], Edges]]:
    """Return tracks and edges of "all parts hold": states are tuples of the parts' states, zeros at first."""
    tracks = list(dict.fromkeys(track for part in parts for track in part.tracks))
    tables: list[Any] = []
    seen = 0
    for part in parts:
        places = [tracks.index(track) for track in part.tracks]
        tables.append((part.rows, places, seen & sum(1 << place for place in places), {}))
        seen |= sum(1 << place for place in places)

    def edges(state: tuple[int, ...]) -> Edges:
        found: list[Any] = [(0, (), 1)]
        for q, (rows, places, common, groups) in zip(state, tables, strict=True):
            if q not in groups:  # the part's edges, by their digits on tracks that earlier parts have
                groups[q] = defaultdict(list)
                for a, edge in rows[q].items():
                    bits = sum((a >> i & 1) << place for i, place in enumerate(places))
                    groups[q][bits & common].append((bits, edge >> 1, edge & 1))
            found = [
                (symbol | bits, (*after, target), ends & end)
                for symbol, after, ends in found
                for bits, target, end in groups[q].get(symbol & common, ())
            ]
        return found

    return tracks, edges


def both(*parts: Automaton) -> Automaton:
    """Return that all parts hold."""
    tracks, edges = joined(parts)
    return parts[0] if len(parts) == 1 else built(tracks, (0,) * len(parts), edges)


def either(*parts: Automaton) -> Automaton:
    """Return that some part holds."""
    return ~both(*(~part for part in parts))


def some(names: Iterable[Track], *parts: Automaton) -> Automaton:
    """Return that integers `names` exist with which all parts hold: one by one, first what meets the fewest others."""
    left, rest = list(names), list(parts)
    while left:
        using = {name: [part for part in rest if name in part.tracks] for name in left}
        name = min(left, key=lambda n: len({track for part in using[n] for track in part.tracks}))
        rest = [part for part in rest if name not in part.tracks]
        gone = [n for n in left if not any(n in part.tracks for part in rest)]
        rest.append(without(gone, both(*using[name])))
        left = [n for n in left if n not in gone]
    return both(*rest)


def without(names: Sequence[Track], part: Automaton) -> Automaton:
    """Return that integers `names` exist with which the part holds: the subset construction."""
    kept = [i for i, track in enumerate(part.tracks) if track not in names]
    moves: list[Any] = [defaultdict(set) for _ in part.rows]
    last = defaultdict(set)  # from which states a symbol, repeated, leads to an end
    for q, row in enumerate(part.rows):
        for a, edge in row.items():
            symbol = sum((a >> place & 1) << i for i, place in enumerate(kept))
            moves[q][symbol].add(edge >> 1)
            if edge & 1:
                last[symbol].add(q)
    for symbol, states in last.items():  # the integers that go may be longer than those that stay
        size = 0
        while size < len(states):
            size = len(states)
            states |= {q for q, row in enumerate(moves) if row.get(symbol, set()) & states}

    def edges(state: frozenset[int]) -> Edges:
        found = defaultdict(set)
        for q in state:
            for symbol, after in moves[q].items():
                found[symbol] |= after
        return [(a, frozenset(after), bool(state & last[a])) for a, after in found.items()]

    return built((part.tracks[i] for i in kept), frozenset([0]), edges)


def witness(*parts: Automaton) -> dict[Track, int] | None:
    """Return integers with the fewest digits with which all parts hold; None if there are none."""
    tracks, edges = joined(parts)
    start = (0,) * len(parts)
    words: dict[Any, Any] = {start: None}  # the state before, and the symbol
    for state in (queue := [start]):
        for symbol, after, ends in edges(state):
            if ends:
                word = [symbol]
                while words[state]:
                    state, symbol = words[state]
                    word.insert(0, symbol)
                digits = {track: [a >> i & 1 for a in word] for i, track in enumerate(tracks)}
                return {t: sum(d << j for j, d in enumerate(ds)) - (ds[-1] << len(ds)) for t, ds in digits.items()}
            if after not in words:
                words[after] = state, symbol
                queue.append(after)
        if len(queue) > MOST_STATES:
            raise UndecidedError("a search is too large")
    return None


# ---- Formulas. The language's operators bind as Python's do, so that Python's parser reads them; nothing is executed.

Form = dict[Track | None, int]  # an integer: Σ factor·integer and, under None, a constant
Names = Mapping[str, Form]
SIGNS = str.maketrans({"⊕": "^", "≤": "<=", "≥": ">=", "≠": "!=", "·": "*"})
WORDS = re.compile(r"([0-9]+(?![0-9A-Za-z_])|[A-Za-z_][A-Za-z0-9_]*|[ +\-*/%^&|<>=!(),])*")
BITWISE = {ast.BitXor: operator.xor, ast.BitAnd: operator.and_, ast.BitOr: operator.or_}
LIMITS = {ast.Eq: (0, 0), ast.Lt: (None, -1), ast.LtE: (None, 0), ast.Gt: (1, None), ast.GtE: (0, None)}


def parsed(text: Any) -> ast.expr:
    """Return the tree of a formula, which may be one already."""
    if isinstance(text, ast.expr):
        return text
    said = str(text).translate(SIGNS).strip()
    if type(text) not in (str, int) or len(said) > MOST_LETTERS or not WORDS.fullmatch(said):
        raise ValueError(f"{said[:60]!r} is no formula")
    return ast.parse(said, mode="eval").body


def plus(a: Form, b: Form, factor: int = 1) -> Form:
    """Return a + factor·b."""
    total = {track: a.get(track, 0) + factor * b.get(track, 0) for track in {**a, **b}}
    return {track: number for track, number in total.items() if number}


def fixed(form: Form) -> int | None:
    """Return the integer that a form is whatever its tracks are; None if it depends on them."""
    return form.get(None, 0) if form.keys() <= {None} else None


def limits(form: Form, low: int | None, high: int | None) -> Automaton:
    """Return low ≤ form ≤ high, None being no limit. A state is the limits of what the digits to come add up to."""
    tracks, sums = [track for track in form if track is not None], [0]
    for track in tracks:
        sums += [s + form[track] for s in sums]

    def edges(state: tuple[int | None, int | None]) -> Edges:
        low, high = state
        for a, s in enumerate(sums):  # s now, and twice what is to come; if a is the last symbol, -s in all
            least = None if low is None else -((s - low) // 2)
            most = None if high is None else (high - s) // 2
            if least is None or most is None or least <= most:
                yield a, (least, most), (low is None or low <= -s) and (high is None or -s <= high)

    c = form.get(None, 0)
    return built(tracks, (None if low is None else low - c, None if high is None else high - c), edges)


class Reader:
    """Formulas as forms. What is not linear is a track of the reader's `own`, and `made` says which integer it is.

    That integer is determined by the others. So "it exists and has a property" and "if it exists, it has" are the same.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.own: list[Track] = []
        self.made: list[Automaton] = []

    def form(self, node: ast.expr) -> Form:
        """Return the integer that a formula is."""
        match node:
            case ast.Constant(value) if type(value) is int:
                return plus({None: value}, {})
            case ast.Name(name) if name in self.names:
                return self.names[name]
            case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, part):
                return plus({}, self.form(part), -1 if isinstance(sign, ast.USub) else 1)
            case ast.BinOp(left, sign, right):
                return self.computed(sign, self.form(left), self.form(right))
            case ast.Call(ast.Name("min" | "max" | "abs" as name), parts, []) if (len(parts) < 2) == (name == "abs"):
                forms = [plus({}, self.form(part), -1 if name == "min" else 1) for part in parts]
                forms += [plus({}, form, -1) for form in forms if name == "abs"]
                return plus({}, self.largest(forms), -1 if name == "min" else 1)
            case ast.Call(ast.Name("v2"), [part], []) if value := fixed(self.form(part)):
                return plus({None: (value & -value).bit_length() - 1}, {})
        raise ValueError(f"{ast.unparse(node)!r} has no value, or a name that is not known here")

    def computed(self, sign: ast.operator, left: Form, right: Form) -> Form:
        """Return what an operator makes of two integers; but for + - ^ & |, one of them must be a constant."""
        a, b = fixed(left), fixed(right)
        small = b is not None and 0 <= b * (a or 1).bit_length() <= MOST_BITS
        match sign:
            case ast.Add() | ast.Sub():
                return plus(left, right, 1 if isinstance(sign, ast.Add) else -1)
            case ast.Mult() if a is not None or b is not None:
                return plus({}, right, a) if a is not None else plus({}, left, b or 0)
            case ast.Pow() if small and a is not None:
                return plus({None: a ** (b or 0)}, {})
            case ast.LShift() | ast.RShift() if small:
                power = 1 << (b or 0)
                return plus({}, left, power) if isinstance(sign, ast.LShift) else self.quotient(left, power)
            case ast.FloorDiv() | ast.Mod() if b:
                quotient = self.quotient(left, b)
                return quotient if isinstance(sign, ast.FloorDiv) else plus(left, quotient, -b)
            case ast.BitXor() | ast.BitAnd() | ast.BitOr():
                held = BITWISE[type(sign)]
                if a is not None and b is not None:
                    return plus({None: held(a, b)}, {})
                equals = [lambda t, form=form: limits(plus(form, {t: 1}, -1), 0, 0) for form in (left, right)]
                (one,), (other,) = map(self.track, equals)
                digits = {a: 1 for a in range(8) if a >> 2 == held(a & 1, a >> 1 & 1)}
                return self.track(lambda t: Automaton((one, other, t), [digits]))  # type: ignore[arg-type]
        raise UndecidedError("an operator has no value, or cannot be said of these integers")

    def quotient(self, form: Form, by: int) -> Form:
        """Return ⌊form / by⌋."""
        value, rest = fixed(form), (0, by - 1) if by > 0 else (by + 1, 0)
        if value is not None:
            return plus({None: value // by}, {})
        return self.track(lambda t: limits(plus(form, {t: by}, -1), *rest))

    def largest(self, forms: Sequence[Form]) -> Form:
        """Return the largest of some integers."""

        def defined(track: Track) -> Automaton:
            above = [plus({track: 1}, form, -1) for form in forms]
            return both(*(limits(a, 0, None) for a in above), either(*(limits(a, None, 0) for a in above)))

        numbers = [number for form in forms if (number := fixed(form)) is not None]
        return plus({None: max(numbers)}, {}) if len(numbers) == len(forms) else self.track(defined)

    def track(self, defined: Callable[[Track], Automaton]) -> Form:
        """Return an integer that is determined by others."""
        self.own.append(next(FRESH))
        self.made.append(defined(self.own[-1]))
        return {self.own[-1]: 1}


def within(formula: Any, names: Names, more: Form, low: int | None, high: int | None) -> Automaton:
    """Return low ≤ formula + more ≤ high."""
    reader = Reader(names)
    return some(reader.own, limits(plus(reader.form(parsed(formula)), more), low, high), *reader.made)


def integer(formula: Any, names: Names) -> int:
    """Return the value of a formula that depends on constants only."""
    if (number := fixed(Reader(names).form(parsed(formula)))) is None:
        raise UndecidedError(f"{ast.unparse(parsed(formula))}: an integer is needed that depends on no others")
    return number


def condition(formula: Any, names: Names) -> Automaton:
    """Return that a condition is true; None is one that always is."""
    match None if formula is None else parsed(formula):
        case None:
            return both()
        case ast.BoolOp(sign, parts):
            return (both if isinstance(sign, ast.And) else either)(*(condition(part, names) for part in parts))
        case ast.UnaryOp(ast.Not(), part):
            return ~condition(part, names)
        case ast.Compare(left, [sign], [right]) if type(sign) in LIMITS:
            return within(ast.BinOp(left, ast.Sub(), right), names, {}, *LIMITS[type(sign)])
        case ast.Compare(left, [ast.NotEq()], [right]):
            return ~condition(ast.Compare(left, [ast.Eq()], [right]), names)
        case ast.Compare(left, [sign, *signs], [right, *others]) if signs:
            rest = ast.Compare(right, signs, others)
            return both(condition(ast.Compare(left, [sign], [right]), names), condition(rest, names))
        case node:
            raise ValueError(f"{ast.unparse(node)!r} is no condition")


# ---- Games.


@dataclass(frozen=True)
class Move:
    """A kind of move: to the tuples with `changed` integers that satisfy `such`, if they are positions."""

    cut: str
    changed: dict[str, Track]
    such: list[Automaton]


@dataclass(frozen=True)
class Game:
    """A ruleset; passes around it are apart, since each number of them that may be left has an automaton of its own."""

    text: str
    coordinates: list[str]
    heaps: list[str]  # the coordinates that do not count passes
    legal: list[Automaton]  # if all of these hold, the coordinates are a position's
    moves: list[Move] = field(default_factory=list)
    faults: list[list[Automaton]] = field(
        default_factory=list
    )  # where all of one hold, the height is negative or falls
    passes: int = 0
    left: str = ""  # the name of how many passes are left

    def not_over(self) -> Automaton:
        """Return that there is a move: some heap is not empty."""
        return limits(dict.fromkeys(self.heaps, 1), 1, None)


ARGUMENTS: dict[str, dict[str, int | None]] = {  # with the least value of those that are integers
    "step_bar": {"k": 1, "s": 0},
    "strip_bar": {"k": 1, "s": 0},
    "solid_bar": {"f": None},
    "rectangular_bar": {"m": 1, "n": 1},
    "nim": {"heaps": 1},
    "with_pass": {"game": None, "passes": 1},
    "sum": {"a": None, "b": None},
}
DEFAULTS = {"s": ast.Constant(0), "passes": ast.Constant(1)}


def read_ruleset(text: Any, names: Names) -> Game:
    """Return the game that a ruleset writes, in which names stand for integers."""
    words = r"\b(step|strip|solid|rectangular|with)-(bar|pass)(?=\s*\()"
    node = parsed(re.sub(words, r"\1_\2", str(text)))
    game, (name, given) = game_of(node, names), arguments(node, names)
    if name != "with_pass":
        return game
    inside = game_of(given["game"], names)
    return replace(inside, text=game.text, passes=given["passes"], left=game.coordinates[-1])


def arguments(node: ast.expr, names: Names) -> tuple[str, dict[str, Any]]:
    """Return the name of a ruleset, and its arguments: integers, or trees."""
    match node:
        case ast.Call(ast.Name(name), values, words) if name in ARGUMENTS and len(values) <= len(ARGUMENTS[name]):
            written = [*zip(ARGUMENTS[name], values, strict=False), *((str(word.arg), word.value) for word in words)]
            given: dict[str, Any] = {key: DEFAULTS[key] for key in ARGUMENTS[name] if key in DEFAULTS} | dict(written)
            if len(dict(written)) == len(written) and given.keys() == ARGUMENTS[name].keys():
                for key, lowest in ARGUMENTS[name].items():
                    given[key] = given[key] if lowest is None else integer(given[key], names)
                    if lowest is not None and given[key] < lowest:
                        raise ValueError(f"{key} is at least {lowest} in {ast.unparse(node)}")
                return name, given
    raise ValueError(f"{ast.unparse(node)!r} is no ruleset")


def game_of(node: ast.expr, names: Names) -> Game:
    """Return the game that a tree writes; here, passes left are a coordinate."""
    match arguments(node, names):
        case "nim", {"heaps": heaps} if heaps <= 15:
            return bar(f"nim({heaps})", [*"abcdefghijklmno"[:heaps]])
        case "rectangular_bar", {"m": m, "n": n}:
            game = bar(f"rectangular-bar({m}, {n})", [*"abcd"])
            game.legal.extend([limits({"a": 1, "b": 1}, None, m - 1), limits({"c": 1, "d": 1}, None, n - 1)])
            return game
        case "step_bar" | "strip_bar" as name, {"k": k, "s": s}:
            coordinates = ["y", "z"] if name == "step_bar" else ["x", "y", "z"]
            return bar(f"{name[:-4]}-bar({k}, {s})", coordinates, ["z"], f"(z+{s})//{k}")
        case "solid_bar", {"f": f}:
            numbers = {name: f"({fixed(form)})" for name, form in names.items() if name not in ("x", "z")}
            f = parsed(re.sub(r"[A-Za-z_]\w*", lambda name: numbers.get(name[0], name[0]), ast.unparse(f)))
            return bar(f"solid-bar({ast.unparse(f)})", ["x", "y", "z"], ["x", "z"], f)
        case "with_pass", {"game": inside, "passes": passes}:
            game, fewer = game_of(inside, names), next(FRESH)
            p = unused("p", game.coordinates)
            move = Move(p, {p: fewer}, [limits({p: 1, fewer: -1}, 1, 1), game.not_over()])
            text, moves = f"with-pass({game.text}, {passes})", [*game.moves, move]
            legal = [*game.legal, limits({p: 1}, 0, passes)]
            return replace(game, text=text, coordinates=[*game.coordinates, p], legal=legal, moves=moves)
        case "sum", {"a": a, "b": b}:
            return in_sum(game_of(a, names), game_of(b, names))
    raise ValueError(f"{ast.unparse(node)!r} is no ruleset")


def bar(text: str, coordinates: list[str], across: Sequence[str] = (), height: Any = None) -> Game:
    """Return Nim on coordinates in which cutting one of those `across` lowers y to the height there, if that is less."""
    game = Game(text, coordinates, coordinates, [limits({c: 1}, 0, None) for c in coordinates])
    here: Names = {c: {c: 1} for c in across}
    for c in coordinates:
        smaller, lower = next(FRESH), next(FRESH)
        less = limits({smaller: 1, c: -1}, None, -1)
        game.moves.append(Move(c, {c: smaller}, [less]))  # a position only if y is not more than the height there
        if c in across:
            there = within(height, {**here, c: {smaller: 1}}, {lower: -1}, 0, 0)
            game.moves.append(Move(c, {c: smaller, "y": lower}, [less, there, limits({lower: 1, "y": -1}, None, -1)]))
            falls = within(height, {**here, c: {c: 1, None: 1}}, {"y": -1}, None, -1)
            game.faults.append([*game.legal, within(height, here, {"y": -1}, 0, 0), falls])
    if across:
        game.faults.append([*game.legal, within(height, here, {}, None, -1)])
        game.legal.append(within(height, here, {"y": -1}, 0, None))
    return game


def in_sum(a: Game, b: Game) -> Game:
    """Return two games side by side; coordinates that both have are told apart by 1 and 2."""
    total = Game(f"sum({a.text}, {b.text})", [], [], [], [], [*a.faults, *b.faults])
    for game, other, digit in ((a, b, "1"), (b, a, "2")):
        names: dict[str, str] = {}
        for c in game.coordinates:
            names[c] = unused(c + digit if c in other.coordinates else c, total.coordinates)
            total.coordinates.append(names[c])
        total.heaps.extend(names[c] for c in game.heaps)
        total.legal.extend(part.on(names) for part in game.legal)
        for move in game.moves:
            changed = {names[c]: track for c, track in move.changed.items()}
            total.moves.append(Move(names[move.cut], changed, [part.on(names) for part in move.such]))
    return total


def unused(name: str, taken: Sequence[str]) -> str:
    """Return a name, or the first of name2, name3, … that is not taken."""
    names = itertools.chain([name], (f"{name}{i}" for i in itertools.count(2)))
    return next(one for one in names if one not in taken)


# ---- Proofs. A case is what is the matter with a position, the number of passes left, and parts: it is so where all hold.
# If nothing is the matter (""), it is a position of which a statement speaks; of all others there must be none.

Parts = list[Automaton]
Case = tuple[str, int, Parts]


@dataclass(frozen=True)
class Proof:
    """A game and its relations, for each number of passes left, which are right if the verdict is `proved`."""

    game: Game
    grundy: bool = False
    relations: tuple[Automaton, ...] = ()
    verdict: tuple[str, str] = ("undecided", "")
    digest: str = ""


def obligations(game: Game, relations: Sequence[Automaton], grundy: bool) -> Iterator[Case]:
    """Yield what must be nowhere if relations are the P-positions or the Grundy numbers of a game."""
    for fault in game.faults:
        yield "the height is negative, or falls", 0, fault
    for p, here in enumerate(relations):
        passed = [[relations[p - 1], game.not_over()]] if p else []
        options = [[here.on(move.changed), *move.such] for move in game.moves]
        yield "what is no position is in the relation", p, [here, ~both(*game.legal)]
        for option in options + passed:
            yield "it is in the relation, and so is an option", p, [here, *option]
        lacking = [*game.legal, ~here]
        if grundy:
            yield "it has no value", p, [*game.legal, ~some([VALUE], here)]
            lacking = [here.on({VALUE: HIGHER}), limits({VALUE: 1}, 0, None), limits({VALUE: 1, HIGHER: -1}, None, -1)]
        for option, changed in [
            *((o, []) for o in passed),
            *((o, m.changed.values()) for o, m in zip(options, game.moves, strict=True)),
        ]:
            lacking = [both(*lacking), ~some(changed, *option)]
        yield "no option is in the relation, and one should be", p, lacking


def decided(cases: Iterable[Case], left: str, said: str) -> tuple[str, str]:
    """Return a verdict, and of what, where, or why."""
    spoken = []
    for what, p, parts in cases:
        found = witness(*parts)
        if not what:
            spoken.append(found is not None)
        elif found is not None:
            at = {name: n for name, n in found.items() if isinstance(name, str)} | ({left: p} if left else {})
            return "refuted", ", ".join([what, *(f"{name} = {n}" for name, n in at.items())])
    return ("proved", said) if any(spoken) or not spoken else ("vacuous", "nothing satisfies the conditions")


# ---- Files ---------------------------------------------------------------------------------------------------------------


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
    return built(tracks, 0, lambda q: ((a, after, a == 0 and q in accepting) for a, after in enumerate(delta[q])))


def loaded(path: Path) -> tuple[str, Any]:
    """Return the digest of a file and the JSON in it, in which no key may be twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key is there twice")
        return dict(pairs)

    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError("the file is too large")
    return hashlib.sha256(data).hexdigest(), json.loads(data, object_pairs_hook=once)


def proof_in(path: Path, proofs: dict[Path, Proof]) -> Proof:
    """Return what the certificate of a game proves; each is looked at once."""
    if path not in proofs:
        digest, document = loaded(path)
        data = without_nulls(document, "format ruleset relation coordinates automata obligations versions")
        game, grundy = read_ruleset(data["ruleset"], {}), data["relation"] == "grundy"
        tracks = [*game.coordinates, *([VALUE] if grundy else [])]
        named = ["value" if track == VALUE else track for track in tracks]
        if data["format"] != 1 or data["relation"] not in ("p", "grundy") or data["coordinates"] != named:
            raise ValueError(f"the format must be 1, the relation p or grundy, and the coordinates {named}")
        if not isinstance(data["automata"], list) or len(data["automata"]) != game.passes + 1:
            raise ValueError("an automaton is needed for each number of passes left")
        relations = tuple(relation_of(automaton, tracks) for automaton in data["automata"])
        said = f"{game.text}, {'Grundy numbers' if grundy else 'P-positions'}"
        verdict = decided(obligations(game, relations, grundy), game.left, said)
        proofs[path] = Proof(game, grundy, relations, verdict, digest)
    return proofs[path]


def verdict_on(path: Path, proofs: dict[Path, Proof]) -> tuple[str, str]:
    """Return what is the case with a file."""
    try:
        return proof_in(path, proofs).verdict
    except UndecidedError as error:
        return "undecided", str(error)
    except (RecursionError, MemoryError) as error:
        return "undecided", type(error).__name__
    except (ValueError, OSError) as error:
        return "no certificate", str(error)


def main() -> int:
    """Print a line for each file; return 0 if all are proved, 2 if one is no certificate, else 1."""
    parser = argparse.ArgumentParser(description="Decide certificates anew.")
    parser.add_argument("--seconds", type=float, default=0, help="for each file; no limit by default")
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()

    def over(*_: object) -> NoReturn:
        raise UndecidedError(f"more than {given.seconds:g} seconds")

    signal.signal(signal.SIGALRM, over)
    proofs: dict[Path, Proof] = {}
    codes = {"proved": 0, "no certificate": 2}
    worst = 0
    for path in given.files:
        signal.setitimer(signal.ITIMER_REAL, given.seconds)
        verdict, why = verdict_on(path, proofs)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(f"{path}: {verdict}: {why}", flush=True)
        worst = max(worst, codes.get(verdict, 1))
    return worst


if __name__ == "__main__":
    sys.exit(main())
