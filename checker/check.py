"""Decide certificates of impartial games anew: python3 checker/check.py [--seconds S] FILE...

This file is the whole checker. It needs Python 3.11 or newer and nothing else, and reads certificates only. It is one long
file on purpose: a sceptic reads it from top to bottom, and no other file can change its meaning. It shares no line with the
package. For each certificate it prints a verdict: proved, refuted (with a counterexample), vacuous (nothing satisfies the
conditions), undecided, out of time or no certificate. Below the verdict it prints the games and the statement that it decided.
It derives them from the rules and formulas in the file, never from an id. Exit code 0: all are proved; 1: some are not; 2:
some are no certificates. docs/proof.md says why this is enough, and explains the file.

A set of tuples of integers is regular if a finite automaton reads its members' binary digits; sums, order, ^ & | are, and
so are intersections, complements and projections (Büchi, 1960). That something is true everywhere means that an automaton
of its contrary accepts nothing.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import gc
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
MOST_VALUES = 1 << 14  # Grundy numbers that are computed to show that they repeat
MOST_KEPT, SMALL = 1 << 10, 1 << 15  # the number of kept automata, and the most edges of one


class UndecidedError(Exception):
    """There is no answer: the verdict, and why; a file at fault is a ValueError."""


# ---- Documents. A form says what a value in a JSON document may be: any value of a type; one text or number; a text that
# matches a pattern; an integer in a range; a list, whose values all have a form; a mapping {pattern: form}; an object, with
# the form of each key, where "key?" may be missing or null; or what has one of several forms, which stand in a tuple.

NAME, GAME_NAME = re.compile("[a-z][a-z0-9_]{0,15}"), re.compile("[A-Za-z0-9][A-Za-z0-9-]{0,63}")
NATURAL, FORMULA = range(1 << 63), (str, int)
SPANS = {NAME: FORMULA}
MOVE = {
    "lower": ([NAME], {NAME: FORMULA}),
    "by?": ("any", "each", "same", [(str, int, [FORMULA])]),
    "at_most?": FORMULA,
    "where?": str,
    "when?": str,
    "clip?": bool,
    "split?": (NAME, {NAME: [NAME]}),
}
RULES = {
    "game": GAME_NAME,
    "coordinates": [NAME],
    "moves": [MOVE],
    "parameters?": {NAME: int},
    "heights?": {NAME: FORMULA},
    "ends?": str,
    "legal?": str,
    "play?": "normal",
}
AUTOMATON = {"tracks": [str], "delta": [[NATURAL]], "accepting": [NATURAL]}
PERIOD = {"first": NATURAL, "length": NATURAL}
GAME = {"ruleset": str, "relation": ("p", "grundy"), "coordinates": [NAME], "automata": [AUTOMATON], "period?": PERIOD}
FILE = {"format": 1, "games?": {GAME_NAME: RULES}, "versions?": {re.compile(".*"): str}}
ASKED = [{"engine": str, "version": str, "seconds": (float, int), "states": NATURAL}]
OBLIGATION = {"name": str, "passes": NATURAL, "sentence": str, "checks": ASKED}  # for people, and not used
GAME_CERTIFICATE = {**FILE, **GAME, "obligations?": [OBLIGATION]}
CLAIM = {
    "id": re.compile("[a-z0-9][a-z0-9.-]{0,63}"),  # for people, and not used
    "statement": str,
    "ruleset?": str,
    "every?": SPANS,
    "some?": SPANS,
    "when?": str,
    "bound?": NATURAL,
    "printed?": [[NATURAL]],
}
CLAIM_CERTIFICATE = {**FILE, "kind": "claim", "verdict": "proved", "names": {NAME: int}, "game?": GAME, "claim": CLAIM}


def formed(value: Any, form: Any, place: str) -> Any:
    """Return a value of a form without the nulls in its objects; raise `ValueError` if it has another form."""
    match form:
        case tuple():
            for one in form:
                with contextlib.suppress(ValueError):
                    return formed(value, one, place)
        case type() if type(value) is form:  # exactly: true is no integer
            return value
        case re.Pattern() if type(value) is str and form.fullmatch(value):
            return value
        case range() if type(value) is int and value in form:
            return value
        case list() if type(value) is list:
            return [formed(one, form[0], place) for one in value]
        case dict() if type(value) is dict:
            ((pattern, part), *_), known = form.items(), {str(key).rstrip("?"): part for key, part in form.items()}
            if isinstance(pattern, re.Pattern) and all(map(pattern.fullmatch, value)):
                return {key: formed(one, part, f"{place}.{key}") for key, one in value.items()}
            found = {key: one for key, one in value.items() if one is not None or f"{key}?" not in form}
            if found.keys() <= known.keys() and {key for key in form if key[-1:] != "?"} <= found.keys():
                return {key: formed(one, known[key], f"{place}.{key}") for key, one in found.items()}
        case str() | int() if type(value) is type(form) and value == form:
            return value
    raise ValueError(f"{place} must be {in_words(form)}, found {str(value)[:60]!r}")


def in_words(form: Any) -> str:
    """Return what a form allows."""
    if isinstance(form, tuple):
        return " or ".join(map(in_words, form))
    if isinstance(form, dict):
        return f"an object with {', '.join(map(in_words, form))}"
    return form.__name__ if isinstance(form, type) else str(getattr(form, "pattern", form))


# ---- Automata. An integer is read in two's complement, least significant digit first. The last digit is the sign, 1 for
# negative, and stands for all further ones: 5 is 1010 or 10100, -1 is 1 or 11. A symbol has a digit for each integer of a
# tuple. How often the last symbol is repeated never matters.


class TooLargeError(UndecidedError):
    """An automaton has too many states."""


class Own:
    """A track of the checker's own, equal to itself only: no value in a document is one."""


Track = str | Own  # a name in a document is text
VALUE, HIGHER = Own(), Own()  # the Grundy number of a position, and a larger one


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
# For each state, the next sets of states by symbols. A set is an integer, with digit 1 for each of its states.
Moves = list[dict[int, int]]


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
    """The numbers of things, in the order in which they appear; things of one kind have one number."""

    def __init__(self, first: Any, kind: Callable[[Any], Any] = lambda thing: thing) -> None:
        self.kind, self.known, self.things = kind, dict[Any, int](), list[Any]()
        self[first]

    def __missing__(self, thing: Any) -> int:
        self[thing] = number = self.known.setdefault(self.kind(thing), len(self.things))
        self.things += [thing] * (number == len(self.things))
        return number


def built(edges: Callable[[int], dict[int, int]], most: int = MOST_STATES) -> Rows:
    """Return the rows of the least automaton of what is reached from state 0."""
    rows, after, queue, size = dict[int, dict[int, int]](), dict[int, set[int]](), {0: None}, 0
    while len(rows) < len(queue):
        for state in [*itertools.islice(queue, len(rows), None)]:
            rows[state] = row = edges(state)
            after[state] = {edge >> 1 for edge in row.values()}
            queue.update(dict.fromkeys(after[state]))
            size += len(row)
            if len(queue) > most or size > MOST_EDGES:
                raise TooLargeError("undecided", "an automaton is too large")
    return Rows(least(rows, after))


def least(rows: dict[int, dict[int, int]], after: dict[int, set[int]]) -> list[dict[int, int]]:
    """Return an automaton without states that accept nothing, and with equal states made one (Moore's refinement)."""
    live, rest, count = {q for q, row in rows.items() if 1 in [edge & 1 for edge in row.values()]}, [*reversed(rows)], 0
    while len(rest) != count:  # backwards, since states are reached from those before them
        count = len(rest)
        live.update(q for q in rest if not live.isdisjoint(after[q]))
        rest = [q for q in rest if q not in live]
    if 0 not in live:
        return [{}]
    kept = {q: row for q, row in rows.items() if q in live}
    if rest:
        kept = {q: {a: edge for a, edge in row.items() if edge >> 1 in live} for q, row in kept.items()}
    groups, kind, kinds_of = defaultdict[Any, list[int]](list), dict[int, int](), dict[int, Any]()
    for q, row in kept.items():
        groups[frozenset([2 * a + edge % 2 for a, edge in row.items()])].append(q)
    fresh, asked = itertools.count(), [group for group in groups.values() if len(group) > 1]
    for group in groups.values():
        kind.update(dict.fromkeys(group, next(fresh)))
    for group in asked:
        symbols = [*kept[group[0]]]
        kinds_of |= {q: operator.itemgetter(q, *[kept[q][a] >> 1 for a in symbols]) for q in group}
    while asked:  # states of one kind; a state that is alone of its kind remains so
        groups = defaultdict(list)
        for q in itertools.chain.from_iterable(asked):
            groups[kinds_of[q](kind)].append(q)
        if len(groups) == len(asked):
            break
        for group in groups.values():
            kind.update(dict.fromkeys(group, next(fresh)))
        asked = [group for group in groups.values() if len(group) > 1]
    first = {kind[q]: q for q in reversed(kept)}
    number_of = {k: i for i, k in enumerate(dict.fromkeys(kind[q] for q in kept))}
    to = {q: 2 * number_of[k] for q, k in kind.items()}
    return [{a: to[edge >> 1] + edge % 2 for a, edge in kept[first[k]].items()} for k in number_of]


def all_of(parts: Iterable[Automaton]) -> Automaton:
    """Return that all parts hold."""
    return functools.reduce(operator.and_, [*parts] or [TRUE])


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
    moves, last, starts = without_integers(count, *parts)
    sets = Numbers(starts)

    def edges(state: int) -> dict[int, int]:
        found = dict[int, int]()
        for q in ones(sets.things[state]):
            for a, after in moves[q].items():
                found[a] = found.get(a, 0) | after
        return {a: 2 * sets[after] + (sets.things[state] & last[a] > 0) for a, after in found.items()}

    with contextlib.suppress(TooLargeError):
        return built(edges, 4 * len(moves))
    # Too many sets of states: those that accept the same words become one. Words that the same states accept are of one kind.
    words = [0] * len(moves)
    ending = from_the_end(moves, last, 16 * len(moves)) or [(1 << q, {}) for q in range(len(moves))]
    for q, number in ((q, 1 << i) for i, (states, _) in enumerate(ending) for q in ones(states)):
        words[q] |= number
    sets = Numbers(starts, lambda states: functools.reduce(operator.or_, [words[q] for q in ones(states)], 0))
    return built(edges)


def without_integers(count: int, *parts: tuple[Rows, *tuple[int, ...]]) -> tuple[Moves, dict[int, int], int]:
    """Return the moves without some integers, for each symbol the states that accept its repetitions, and the first states."""
    moves, starts, last = Moves(), 0, defaultdict[int, int](int)
    for rows, *places in parts:
        start = len(moves)
        starts |= 1 << start
        symbols = sums(1 << place if place >= 0 else 0 for place in places)
        free = sums(1 << i for i in range(count) if i not in places)
        for q, row in enumerate(rows, start):
            moves.append(to := defaultdict[int, int](int))
            for symbol, edge in ((symbols[a] | b, edge) for a, edge in row.items() for b in free):
                to[symbol] |= 1 << start + (edge >> 1)
                if edge & 1:
                    last[symbol] |= 1 << q
    for symbol in last:  # the integers that go may be longer than those that stay
        before = [(1 << q, to[symbol]) for q, to in enumerate(moves) if symbol in to]
        while more := sum(q for q, after in before if after & last[symbol]) & ~last[symbol]:
            last[symbol] |= more
    return moves, last, starts


def from_the_end(moves: Moves, last: Mapping[int, int], most: int) -> list[tuple[int, dict[int, int]]]:
    """Return the sets of states that accept a word, each with the set after one more symbol in front; [] if there are many."""
    before = [defaultdict[int, int](int) for _ in moves]
    for q, a, r in ((q, a, r) for q, to in enumerate(moves) for a, after in to.items() for r in ones(after)):
        before[r][a] |= 1 << q
    sets, rows, found = Numbers(0), Moves(), {a: states for a, states in last.items() if states}
    for states in sets.things:
        for q in ones(states):
            for a, more in before[q].items():
                found[a] = found.get(a, 0) | more
        rows.append({a: sets[more] for a, more in found.items()})
        found = {}
        if len(sets.things) > most:
            return []
    return [
        *zip(sets.things, rows, strict=True),
        (0, {}),
    ]  # the first set belongs to the empty word, the last one to words that no state accepts


def ones(number: int) -> Iterator[int]:
    """Yield the places of the binary digits 1 of a number."""
    while number:
        yield (place := number.bit_length() - 1)
        number ^= 1 << place


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
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    **FOLDED,
    **{word: getattr(operator, word.lower()) for word in ("Add", "Sub", "Mod", "Eq", "Lt", "Gt", "LShift", "RShift")},
    **{"Mult": operator.mul, "NotEq": operator.ne, "LtE": operator.le, "GtE": operator.ge},
}
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


def shown(formula: Any) -> str:
    """Return the text of a formula."""
    tree = parsed(formula)  # which refuses other characters than those of formulas
    return ast.unparse(tree) if tree is formula else " ".join(str(formula).translate(SIGNS).split())


def plus(a: Form, b: Form, factor: int = 1) -> Form:
    """Return a + factor·b."""
    total = {track: a.get(track, 0) + factor * b.get(track, 0) for track in {**a, **b}}
    return {track: number for track, number in total.items() if number}


def fixed(form: Form) -> int | None:
    """Return the integer of a constant form; None for a form that depends on its tracks."""
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
            gone.append(t := Own())
            rows = [{0: 2 * i + 1, 3: 2 * i} for i in range(1, less + 1)]
            parts.append(Automaton((track, t), Rows([*rows, {0: 2 * less + 1, 1: 2 * less + 1}])))
            total[t] -= factor << max(digits) - digit
    factors = {track: factor for track, factor in total.items() if factor}
    times, by = max(digits) - min(digits), math.gcd(*factors.values()) or 1
    ends = None if low is None else -((c - low << times) // by), None if high is None else (high - c << times) // by
    part = Automaton(tuple(factors), between(tuple(factor // by for factor in factors.values()), *ends))
    return delayed(min(digits), some(gone, part, *parts))


def delayed(count: int, part: Automaton) -> Automaton:
    """Return that a relation holds of integers from digit `count` on; digits before make no difference, but for a sign."""
    symbols, sign = range(1 << len(part.tracks)), part.rows[0]
    first = [{a: 2 * i + (sign.get(a, 0) & 1) for a in symbols} for i in range(1, count + 1)]
    later = [{a: edge + 2 * count for a, edge in row.items()} for row in part.rows]
    return Automaton(part.tracks, Rows(first + later))


@functools.lru_cache(1 << 10)
def between(factors: tuple[int, ...], low: int | None, high: int | None) -> Rows:
    """Return the rows for a sum within limits; a state is the limits of what the digits to come add up to."""
    symbols = sums(factors)
    spans = Numbers((low, high))

    def edges(state: int) -> dict[int, int]:
        row, (low, high) = {}, spans.things[state]
        for a, s in enumerate(symbols):  # s now, and twice what is to come; if a is the last symbol, -s in all
            least, most = None if low is None else -((s - low) // 2), None if high is None else (high - s) // 2
            if least is None or most is None or least <= most:
                row[a] = 2 * spans[least, most] + ((low is None or low <= -s) and (high is None or -s <= high))
        return row

    return built(edges)


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
    left, a, right, b, t, start = parts[0], numbers[0], parts[-1], numbers[-1], Own(), min(digits, default=0)
    small, new = b is not None and 0 <= b * (a or 1).bit_length() <= MOST_BITS, from_digit(start, t)
    has_value = (b or word not in ("FloorDiv", "v2")) and (small or word != "Pow")
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
        case _ if has_value and None not in numbers and word in FOLDED:
            return plus({None: FOLDED[word](*numbers)}, {})
        case "FloorDiv" if b and b & b - 1 == 0 < b and [*left.values()] == [1]:
            ((track, digit, _),) = tracks_of(left)
            return from_digit(digit + b.bit_length() - 1, track)
        case "FloorDiv" if b:  # what is left over has the sign of b
            made.append((t, limits(plus(left, new, -b), min(0, b + 1), max(0, b - 1))))
        case "BitXor" | "BitAnd" | "BitOr":
            both = Own(), Own()
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


def value_of(node: ast.expr, at: Mapping[str, int]) -> int:
    """Return the value of a formula where names are numbers; conditions are 1 or 0."""
    match node:
        case ast.Constant(value) if type(value) is int:
            return value
        case ast.Name(name) if name in at:
            return at[name]
        case ast.UnaryOp(ast.USub(), part):
            return -value_of(part, at)
        case ast.UnaryOp(ast.Not(), part):
            return 1 - value_of(part, at)
        case ast.BoolOp(sign, parts):
            return int((all if isinstance(sign, ast.And) else any)(value_of(part, at) for part in parts))
        case ast.Compare(left, signs, others):
            values = [value_of(part, at) for part in (left, *others)]
            pairs = zip(signs, values, values[1:], strict=False)
            return int(all(OPERATIONS[type(sign).__name__](a, b) for sign, a, b in pairs))
        case ast.BinOp(left, operation, right):
            a, b = value_of(left, at), value_of(right, at)
            if not isinstance(operation, ast.Pow | ast.LShift | ast.RShift) or 0 <= b * a.bit_length() <= 1024:
                return OPERATIONS[type(operation).__name__](a, b)
        case ast.Call(ast.Name(function), parts, []) if function in FUNCTIONS:
            return int(FUNCTIONS[function](*(value_of(part, at) for part in parts)))
    raise ValueError(f"{ast.unparse(node)} has no value")


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
    rules: tuple[str, ...]  # in words: its own and those of the games in it
    coordinates: list[str]
    passes: list[str]  # the coordinate that counts passes around the whole game
    legal: Automaton  # that the coordinates are a position's
    moves: list[tuple[set[str], dict[str, Track], list[Automaton]]]  # what is lowered, what changes, what holds
    faults: list[Automaton]  # that a height is negative, or falls


class NoMoves(list[Any]):
    """Placeholder for moves that split. A statement that needs them is undecided; a period is computed from the document."""

    def __iter__(self) -> NoReturn:
        raise UndecidedError("undecided", "moves that split a coordinate are decided by a period only")


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
    coordinates, heights, parts = document["coordinates"], document.get("heights", {}), [*numbers, "v", "grundy"]
    if len({*coordinates, *parts}) < len(coordinates) + len(parts) or not {*heights} <= {*coordinates}:
        raise ValueError(f"{text}: a name is there twice, or has no meaning")
    read = {c: {part.id for part in ast.walk(parsed(h)) if isinstance(part, ast.Name)} for c, h in heights.items()}
    of = {c: names & {*coordinates} for c, names in read.items()}
    at: dict[str, Form] = {**numbers, **{c: {c: 1} for c in coordinates}}
    legal, faults, moves = all_of(limits({c: 1}, 0, None) for c in coordinates), [], []
    for c, height in heights.items():
        known = {name: one for name, one in at.items() if name != c}  # a height does not depend on itself
        faults.append(legal & within(height, known, {}, None, -1))
        for d in of[c]:
            falls = within(height, {**known, d: {d: 1, None: 1}}, {c: -1}, None, -1)
            faults.append(legal & within(height, known, {c: -1}, 0, 0) & falls)
    ordered = list[str]()  # coordinates with heights, each after those that its height depends on
    while len(ordered) < len(heights):
        more = [c for c in heights if c not in ordered and of[c] & heights.keys() <= {*ordered}]
        if not more:
            raise UndecidedError("undecided", f"{text}: heights that depend on each other are not decided here")
        ordered += more
    if any("split" in move for move in document["moves"]):
        if heights or "legal" in document:
            raise UndecidedError("undecided", f"{text}: splits with heights, or legal positions, are not decided here")
        return Game(text, (f"{text}: {rules_of(document)}",), [*coordinates], [], legal, NoMoves(), [])
    for move in document["moves"]:
        lowered: dict[str, Track] = {c: Own() for c in move["lower"]}
        if not 0 < len(move["lower"]) == len(lowered.keys() & {*coordinates}):
            raise ValueError(f"{text}: a move lowers coordinates, each of them once")
        such = amounts(move, lowered, at, numbers)
        such += [~condition(document["ends"], at)] if "ends" in document else []
        such += [condition(move["when"], at)] if "when" in move else []
        changed, falling = {*lowered}, list[str]()
        for c in ordered if move.get("clip", True) else ():
            if of[c] & changed:
                changed, falling = changed | {c}, [*falling, c]
        for chosen in itertools.product((False, True), repeat=len(falling)):  # the others must be able to stay
            there, fallen, found = dict(lowered), dict[str, Track](), list[Automaton]()
            for c in itertools.compress(falling, chosen):
                tracks: Names = {**at, **{d: {t: 1} for d, t in there.items()}}
                fallen[c] = t = Own()
                found += [within(heights[c], tracks, {t: -1}, 0, 0), limits({t: 1, there.get(c, c): -1}, None, -1)]
                there[c] = t
            twice = [lowered[c] for c in fallen.keys() & lowered.keys()]
            moves.append(({*lowered}, {**lowered, **fallen}, [some(twice, *such, *found)] if twice else such + found))
    legal &= all_of(within(height, at, {c: -1}, 0, None) for c, height in heights.items())
    legal &= condition(document.get("within"), at) & condition(document.get("legal"), at)
    return Game(text, (f"{text}: {rules_of(document)}",), [*coordinates], [], legal, moves, faults)


def rules_of(document: Mapping[str, Any]) -> str:
    """Return the rules of a document in words."""
    ways = {"any": "any amounts, not all 0", "each": "at least 1 each", "same": "the same amount"}
    after = "if all others are then within their heights", "then others fall to their heights"
    moves = defaultdict[str, list[str]](list)
    for move in document["moves"]:
        by, several = move.get("by", "each"), len(move["lower"]) > 1
        if isinstance(move["lower"], dict):
            way = [", ".join(map(shown, move["lower"].values())), "for numbers from 0 to the largest of these"]
            way += [f"where {shown(move['where'])}"] if "where" in move else []
        elif isinstance(by, list):
            listed = [f"({', '.join(map(shown, one))})" if isinstance(one, list) else shown(one) for one in by]
            way = [f"one of {', '.join(listed)}", *["the same from each"] * (several and "(" not in "".join(listed))]
        else:
            way = [ways[by] if several else "at least 1"]
        if "split" in move:
            named = move["split"] if isinstance(move["split"], dict) else {move["split"]: []}
            way += [f"then splits {c} into {' and '.join(parts) or 'two parts'}" for c, parts in named.items()]
            way += [f"where {shown(move['where'])}"] if "where" in move and not isinstance(move["lower"], dict) else []
        way += [f"if {shown(move['when'])}"] if "when" in move else []
        way += [f"each at most {shown(move['at_most'])}"] if "at_most" in move else []
        way += [after[move.get("clip", True)]] if document.get("heights") else []
        moves[", ".join(way)].append(" and ".join(move["lower"]) or "nothing")
    parts = [f"coordinates {', '.join(document['coordinates'])} >= 0"]
    parts += [f"{c} <= {shown(height)}" for c, height in document.get("heights", {}).items()]
    parts += [shown(document[key]) for key in ("within", "legal") if key in document]
    parts += [f"a move lowers {' or '.join(lower)} by {way}" for way, lower in moves.items()]
    return "; ".join([*parts, *([f"no move if {shown(document['ends'])}"] if "ends" in document else [])])


def amounts(move: Mapping[str, Any], lowered: dict[str, Track], at: Names, numbers: Names) -> list[Automaton]:
    """Return what a move asks of the amounts that it takes."""
    taken: list[Form] = [{c: 1, t: -1} for c, t in lowered.items()]
    if isinstance(move["lower"], dict):
        return chosen_amounts(move, lowered, at)
    if "where" in move:
        raise ValueError("`where` needs named amounts")
    by = move.get("by", "" if len(taken) > 1 else "each")
    if not by:
        raise ValueError("a move of several coordinates needs `by`, and a list of amounts must not be empty")
    several = isinstance(by, list) and any(isinstance(one, list) for one in by)
    found = [limits(amount, 0 if by == "any" or several else 1, None) for amount in taken]
    found += [limits(functools.reduce(plus, taken), 1, None)]
    found += [within(move["at_most"], at, plus({}, amount, -1), 0, None) for amount in taken if "at_most" in move]
    if isinstance(by, list):
        vectors = [*vectors_of(by, len(taken), numbers)]
        if any(len(row) != len(taken) or min(row) < 0 for row in vectors):
            raise ValueError("an amount for each coordinate is needed")
        found.append(any_of(all_of(limits(a, n, n) for a, n in zip(taken, row, strict=True)) for row in vectors))
    else:
        found += [limits(plus(amount, taken[0], -1), 0, 0) for amount in taken[1:] if by not in ("any", "each")]
    return found


def vectors_of(by: Sequence[Any], count: int, numbers: Names) -> Iterator[list[int]]:
    """Yield vectors of amounts. The entry bits(s) means every n for which the binary digit 2^n of s is 1."""
    for one in by:
        if isinstance(one, str) and (bits := re.fullmatch(r"bits\((.+)\)", one)):
            number = integer(bits[1], numbers)
            if number < 2 or number % 2 or number >> 63:
                raise ValueError(f"{one}: {number} is no set of amounts")
            yield from ([n] * count for n in range(number.bit_length()) if number >> n & 1)
        else:
            yield [integer(part, numbers) for part in (one if isinstance(one, list) else [one] * count)]


def chosen_amounts(move: Mapping[str, Any], lowered: dict[str, Track], at: Names) -> list[Automaton]:
    """Return the conditions on amounts that are formulas in chosen numbers."""
    if {"by", "at_most"} & move.keys():
        raise ValueError("`by` and `at_most` are not read beside named amounts")
    used = [one.id for part in move["lower"].values() for one in ast.walk(parsed(part)) if isinstance(one, ast.Name)]
    chosen: dict[str, Track] = {name: Own() for name in used if name not in at}
    known: Names = {**at, **{name: {t: 1} for name, t in chosen.items()}}
    found = list[Automaton]()
    for t in chosen.values():
        found += [limits({t: 1}, 0, None), any_of(limits({c: 1, t: -1}, 0, None) for c in lowered)]
    for c, t in lowered.items():
        found += [within(move["lower"][c], known, {c: -1, t: 1}, 0, 0), limits({c: 1, t: -1}, 0, None)]
        found += [limits({t: 1}, 0, None)]
    found += [any_of(limits({c: 1, t: -1}, 1, None) for c, t in lowered.items()), condition(move.get("where"), known)]
    return [some(chosen.values(), *found)]


def with_pass(game: Game, passes: int) -> Game:
    """Return a game in which the players together may pass `passes` times, while there is a move."""
    p, fewer = unused("p", game.coordinates), Own()
    options = (some(to.values(), game.legal, game.legal.on(to), *such) for _, to, such in game.moves)
    pass_on = ({p}, dict[str, Track]({p: fewer}), [limits({p: 1, fewer: -1}, 1, 1), any_of(options)])
    text, legal = f"with-pass({game.text}, passes={passes})", game.legal & limits({p: 1}, 0, passes)
    way = f"a coordinate {p} from 0 to {passes}; a move may lower {p} by 1 instead, if there is another move"
    rules, coordinates = (*game.rules, f"{text}: also {way}"), [*game.coordinates, p]
    return Game(text, rules, coordinates, [p], legal, [*game.moves, pass_on], game.faults)


def in_sum(a: Game, b: Game) -> Game:
    """Return two games side by side; coordinates that both have are told apart by 1 and 2."""
    coordinates, legal, moves = list[str](), TRUE, list[Any]()
    for i, (game, other) in enumerate(((a, b), (b, a)), 1):
        own: dict[Any, str] = {}
        for c in game.coordinates:
            own[c] = unused(f"{c}{i}" if c in other.coordinates else c, coordinates)
            coordinates.append(own[c])
        legal &= game.legal.on(own)
        for lowers, to, such in game.moves:
            renamed = {own[c]: track for c, track in to.items()}
            moves.append(({own[c] for c in lowers}, renamed, [part.on(own) for part in such]))
    text = f"sum({a.text}, {b.text})"
    rules = f"{text}: the coordinates are {', '.join(coordinates)}; a move is a move in one of the two games"
    return Game(text, (*a.rules, *b.rules, rules), coordinates, [], legal, moves, [*a.faults, *b.faults])


def unused(name: str, taken: Sequence[str]) -> str:
    """Return a name, or the first of name2, name3, … that is not taken."""
    return next(one for one in (name, *(f"{name}{i}" for i in range(2, len(taken) + 3))) if one not in taken)


def document_of(node: ast.expr, names: Names, documents: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a user's game, with the values of its parameters."""
    match node:
        case ast.Call(ast.Name("game"), [ast.Constant(str(name))], words):
            document, given = documents[name], once([(str(word.arg), integer(word.value, names)) for word in words])
            values = {**document.get("parameters", {}), **given}
            if document["game"] != name or len(values) > len(document.get("parameters", {})):
                raise ValueError(f"{ast.unparse(node)}: the game described has another name, or other parameters")
            return {**document, "parameters": values}
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is no game of one's own")


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
        case ast.Call(ast.Name("game")):
            document = document_of(node, names, documents)
            text = ", ".join([document["game"], *(f"{key}={n}" for key, n in document["parameters"].items())])
            return described(f"game({text})", json.dumps(document, sort_keys=True))
        case ast.Call(ast.Name(name), values, words) if name in RULESETS:
            named = once([(str(word.arg), word.value) for word in words])
            (bound := inspect.signature(RULESETS[name]).bind(*values, **named)).apply_defaults()
            given = {key: value(key, part) for key, part in bound.arguments.items()}
            made = RULESETS[name](**given)
            if isinstance(made, Game):
                return made
            text = ", ".join(f"{key}={shown(part)}" for key, part in given.items()).removeprefix("heaps=")
            made["moves"] = [{"lower": [c]} for c in made["coordinates"]]
            return described(f"{name.replace('_', '-')}({text})", json.dumps(made, default=ast.unparse))
    raise ValueError(f"{ast.unparse(node)!r} is no ruleset")


# ---- Proofs. A case is what is wrong, and where; that must be nowhere. If what is wrong is "", nothing is: it is where a
# statement speaks of something, and that must be somewhere.

Cases = Iterator[tuple[str, Automaton]]
Introduced = tuple[dict[str, Form], list[Automaton], list[Track]]
Verdict = tuple[str, str]  # and why
Stated = tuple[list[str], Callable[[], Verdict]]  # the games and the statement of a file, and what decides it


def obligations(game: Game, relation: Automaton, grundy: bool) -> Cases:
    """Yield what must be nowhere if a relation is the P-positions or the Grundy numbers of a game."""
    yield from (("the height is negative, or falls", fault) for fault in game.faults)
    yield "what is no position is in the relation", relation - game.legal
    lacking, options = game.legal - relation, list[Automaton]()
    if grundy:
        yield "it has no value", game.legal - some([VALUE], relation)
        above = relation.on({VALUE: HIGHER}), limits({VALUE: 1}, 0, None), limits({VALUE: 1, HIGHER: -1}, None, -1)
        lacking = some([HIGHER], *above)
    if seen_from_the_end(game, relation, lacking):
        return
    for _, changed, such in game.moves:
        reached = some(changed.values(), *such, game.legal, relation.on(changed))  # the largest last
        yield "it is in the relation, and so is an option", relation & reached
        options.append(reached)
    yield "no option is in the relation, and one should be", functools.reduce(operator.sub, options, lacking)


def seen_from_the_end(game: Game, relation: Automaton, lacking: Automaton) -> bool:
    """Return whether the obligations on options hold; False also if they are not decided here.

    Words are read from the end, by all automata at once, without determinising those of options. This is quick if the relation has
    few states when it is read so, and not tried otherwise.
    """
    tracks, readers, most = [*dict.fromkeys(relation.tracks + lacking.tracks)], list[Any](), len(relation.rows)
    options = ((all_of([*such, game.legal, relation.on(to)]), {*to.values()}) for _, to, such in game.moves)
    with contextlib.suppress(TooLargeError):
        for part, gone in itertools.chain(((part, set[Track]()) for part in (relation, lacking)), options):
            places = (-1 if track in gone else tracks.index(track) for track in part.tracks)
            readers.append(from_the_end(*without_integers(len(tracks), (part.rows, *places))[:2], most))
            if not readers[-1]:
                return False
            most = MOST_TRIED
        words = Numbers((0,) * len(readers))
        for word in words.things:
            sets, rows = zip(*map(operator.getitem, readers, word), strict=True)
            is_in, is_lacking, *options_in = [states & 1 for states in sets]
            if (is_in if any(options_in) else is_lacking) or len(words) > MOST_TRIED:
                return False
            for a in range(1 << len(tracks)):
                words[tuple([row.get(a, -1) for row in rows])]
        return True
    return False


# ---- Periods. Let a game of one heap have moves that take one of finitely many amounts, at most k, and perhaps split the rest
# in two; let its conditions compare the heap and the parts with numbers below T alone. If G(n + p) = G(n) for first <= n < end,
# and F is the larger of first and T, then this is so for all n >= first if end >= F + k and no move splits, or if
# end >= 2F + p + k: the larger part of an option of n + p is at least F + p, and less p it is one of an option of n, of the same
# value; and so from n to n + p (R. K. Guy and C. A. B. Smith, 1956). A split that takes nothing leaves no empty part: T >= 1.


class Take(NamedTuple):
    """A move in a game of one heap. `parts` names the two parts of a split, and is empty without one."""

    amount: int
    parts: list[str]
    asked: list[ast.expr]
    numbers: Mapping[str, int]

    def allows(self, at: Mapping[str, int]) -> bool:
        """Return whether all conditions hold for these numbers."""
        return all(value_of(one, {**self.numbers, **at}) for one in self.asked)


def above(node: ast.expr, names: Collection[str], numbers: Names) -> int:
    """Return a number above all constants in a condition, which may compare single names with constants only."""
    match node:
        case ast.BoolOp(_, parts):
            return max(above(part, names, numbers) for part in parts)
        case ast.UnaryOp(ast.Not(), part):
            return above(part, names, numbers)
        case ast.Compare(left, signs, others) if all(type(sign).__name__ in OPERATIONS for sign in signs):
            sides = (left, *others)
            named = [any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(side)) for side in sides]
            single = [isinstance(side, ast.Name) for side in sides]
            if any(map(operator.gt, named, single)) or any(a and b for a, b in itertools.pairwise(named)):
                raise UndecidedError("undecided", f"a period needs single names and constants: {ast.unparse(node)}")
            constants = (side for side, is_named in zip(sides, named, strict=True) if not is_named)
            return max([0, *(integer(side, numbers) + 1 for side in constants)])
    raise ValueError(f"{ast.unparse(node)!r} is no condition")


def takes_of(document: Mapping[str, Any]) -> tuple[list[Take], int]:
    """Return the moves of a described game, and T of the theorem above."""
    values = document.get("parameters", {})
    numbers: Names = {key: plus({None: n}, {}) for key, n in values.items()}
    heap, *others = document["coordinates"]
    if others or {"heights", "legal"} & document.keys():
        raise UndecidedError("undecided", "a period needs one heap, of any size")
    takes, below = list[Take](), 0
    for move in document["moves"]:
        lower, split = move["lower"], move.get("split")
        parts = list(split.get(heap, [])) if isinstance(split, dict) else ["first part", "second part"] * bool(split)
        used = {*lower, *([split] if isinstance(split, str) else split or [])}
        if len(parts) != 2 * bool(split) or not used <= {heap}:
            raise ValueError("a move takes from the heap, and may split it into two parts")
        if len({heap, *numbers, *parts}) < 1 + len(numbers) + len(parts):
            raise ValueError("a name is there twice")
        match move:
            case {"by": list(by)} if lower == [heap] and "at_most" not in move and (split or "where" not in move):
                amounts = [n for (n,) in vectors_of(by, 1, numbers)]
            case {"at_most": most} if lower == [heap] and not {"by", "split", "where"} & move.keys():
                amounts = [*range(1, min(integer(most, numbers), MOST_VALUES) + 1)]
            case {"lower": dict() | []} if not {"by", "at_most"} & move.keys():
                amounts = [integer(n, numbers) for n in (lower.values() if lower else [0])]
            case _:
                raise UndecidedError("undecided", "a period needs amounts that are listed")
        if not amounts or min(amounts) < (not split) or max(amounts) >= MOST_VALUES:
            raise ValueError(f"a move takes at least {int(not split)}, and less than {MOST_VALUES}")
        asked = [parsed(move[key]) for key in ("when", "where") if key in move]
        asked += [ast.UnaryOp(ast.Not(), parsed(document["ends"]))] if "ends" in document else []
        takes += [Take(amount, parts, asked, values) for amount in amounts]
        below = max([below, int(0 in amounts), *(above(one, [heap, *parts], numbers) for one in asked)])
    return takes, below


def heap_values(heap: str, takes: Sequence[Take], below: int, end: int) -> list[int]:
    """Return the Grundy numbers of 0, 1, …, end - 1. Parts of at least `below` satisfy the same conditions."""
    values = list[int]()
    for n in range(end):
        options = set[int]()
        for amount, parts, allowed in ((take.amount, take.parts, take.allows) for take in takes):
            if (left := n - amount) < 0:
                continue
            if not parts and allowed({heap: n}):
                options.add(values[left])
            for u in (*range(min(below, left + 1)), *range(max(below, left - below + 1), left + 1)) if parts else ():
                if max(u, left - u) < n and allowed({heap: n, parts[0]: u, parts[1]: left - u}):
                    options.add(values[u] ^ values[left - u])
            if parts and left >= 2 * below and allowed({heap: n, parts[0]: below, parts[1]: left - below}):
                middle = values[below : left - below + 1]
                options |= {*map(operator.xor, middle, reversed(middle))}
        values.append(next(value for value in itertools.count() if value not in options))
    return values


def repeated(document: Mapping[str, Any], first: int, length: int, relation: Automaton, grundy: bool) -> Cases:
    """Yield automata that are empty if the Grundy numbers repeat and the relation is theirs."""
    (takes, below), heap = takes_of(document), document["coordinates"][0]
    start, most = max(first, below), max(take.amount for take in takes)
    end = 2 * start + length + most if any(take.parts for take in takes) else start + most
    if length < 1 or end + length > MOST_VALUES:
        why = f"a period of {length} needs {end + length} values, {MOST_VALUES} are computed"
        raise UndecidedError("undecided", why)
    values = heap_values(heap, takes, below, end + length)
    wrong = [n for n in range(first, end) if values[n] != values[n + length]]
    yield "the values do not repeat", any_of(limits({heap: 1}, n, n) for n in wrong[:1])
    yield "what is no position is in the relation", relation & limits({heap: 1}, None, -1)
    later = Own()
    moved = some([later], limits({later: 1, heap: -1}, length, length), relation.on({heap: later}))
    yield "it does not repeat", limits({heap: 1}, first, None) & any_of([relation - moved, moved - relation])
    for n, value in enumerate(values[: first + length]):
        here = limits({heap: 1}, n, n)
        right = here & limits({VALUE: 1}, value, value) if grundy else here & (~TRUE if value else TRUE)
        yield "it has another value", any_of([(here & relation) - right, right - relation])


def decided(cases: Cases) -> Verdict:
    """Return a verdict."""
    speaks = True
    for what, where in cases:
        found = witness(where)
        if what and found is not None:
            at = [f"{name} = {n}" for name, n in found.items() if isinstance(name, str)]
            return "refuted", ", ".join([what, *at])
        speaks &= bool(what) or found is not None
    return ("proved", "") if speaks else ("vacuous", "nothing satisfies the conditions")


# ---- Statements; docs/statements.md has their language. A tree is a tuple whose first entry says what it is: "is" with a
# formula and its terms, "P" with whether it is primed, "printed" with a row, "not" with a part, "and", "or" and "<=>" with
# parts, "=>" with a premise and a part, "every", "some" and "no" with bindings and a part, "let" with a name, a formula and
# a part, "set" with a value, a condition, a relation, and the members by a name and a condition. In a formula a name such as
# _0_ stands for a term: "G" with a place or whether it is primed, "count" with bindings and a part, "cell" with a row and a
# column, "'" with a coordinate. A binding is a name with its range, "option" with coordinates, or "position".

Node = tuple[Any, ...]
SIGN = r"<=>|=>|//|<<|>>|==|!=|<=|>=|\*\*|\.\.|[-+*%^&|<>(){}\[\],:;=]"
WORD = re.compile(rf"\s*({SIGN}|[0-9]+(?![0-9A-Za-z_])|[A-Za-z_]\w*'?)", re.ASCII)
STATEMENT_SIGNS = SIGNS | str.maketrans({"⇔": "<=>", "⇒": "=>", "∈": "in", "⊆": "<=", "⊇": ">="})
QUANTIFIERS = {"for": "every", "every": "every", "some": "some", "no": "no"}
ENDING = {"and", "or", "=>", "<=>", ":", ";", ",", ")", "}", "..", "step", "in", ""}
COMPARED = {"==", "!=", "<", "<=", ">", ">="}
DEEPEST = 40


class Reader:
    """Reads a statement; anything that it does not know is a `ValueError`."""

    def __init__(self, text: str) -> None:
        said, self.words, self.at, self.depth = " ".join(text.translate(STATEMENT_SIGNS).split()), list[str](), 0, 0
        place = 0
        while place < len(said):
            if (match := WORD.match(said, place)) is None or len(said) > MOST_LETTERS:
                raise ValueError(f"{said[place : place + 20]!r} is no part of a statement")
            self.words.append(match[1])
            place = match.end()
        self.words.append("")

    def whole(self) -> Node:
        """Return the tree of the whole text."""
        node = self.parts()
        self.need("")
        return node

    def take(self, *words: str) -> str:
        """Skip the next word if it is one of these, and return it."""
        word = self.words[self.at]
        self.at += (found := word in words and bool(word))
        return word if found else ""

    def need(self, word: str) -> None:
        """Skip the next word, which must be this one."""
        if not (self.take(word) or word == self.words[self.at] == ""):
            raise ValueError(f"{word or 'the end'!r} is needed, found {self.words[self.at]!r}")

    def parts(self) -> Node:
        """Read parts that all hold, with semicolons between them."""
        found = [self.part()]
        while self.take(";") and self.words[self.at]:
            found.append(self.part())
        return joined("and", found)

    def part(self) -> Node:
        """Read sides of an arrow, or a single side."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError("a statement is nested too deeply")
        sides, sign = [self.junction("or")], self.take("=>", "<=>")
        if sign:
            sides.append(self.junction("or"))
            while sign == "<=>" and self.take(sign):
                sides.append(self.junction("or"))
        if self.words[self.at] in ("=>", "<=>"):
            raise ValueError(f"brackets are needed around a part with {self.words[self.at]!r}")
        self.depth -= 1
        return (sign, *sides) if sign == "=>" else (sign, sides) if sign else sides[0]

    def junction(self, word: str) -> Node:
        """Read parts with ``or`` between them, and those with ``and`` in them."""
        inner = self.negation if word == "and" else functools.partial(self.junction, "and")
        found = [inner()]
        while self.take(word):
            found.append(inner())
        return joined(word, found)

    def negation(self) -> Node:
        """Read a part that no ``and`` divides."""
        if self.take("not"):
            return ("not", self.negation())
        if word := self.take(*QUANTIFIERS):
            bindings = self.bindings()
            self.need(":")
            return (QUANTIFIERS[word], bindings, self.parts() if word == "for" else self.part())
        if self.take("let"):
            lets = []
            while True:
                name = self.name()
                self.need("=")
                lets.append((name, self.plain()))
                if not self.take(","):
                    break
            self.need(":")
            node = self.parts()
            for name, value in reversed(lets):
                node = ("let", name, value, node)
            return node
        return self.atom()

    def bindings(self) -> list[Node]:
        """Read what a quantifier or a count binds."""
        found: list[Node] = []
        while True:
            if self.take("position"):
                found.append(("position",))
            elif self.take("option"):
                by = [self.name()] if self.take("by") else []
                while by and self.take(","):
                    by.append(self.name())
                found.append(("option", by))
            else:
                name = self.name()
                self.need("in")
                self.take("sample")
                span = self.plain()
                if self.take(".."):
                    span += f"..{self.plain()}"
                    span += f" step {self.plain()}" if self.take("step") else ""
                found.append((name, span))
            if not self.take(","):
                if len({one[0] for one in found}) < len(found):
                    raise ValueError("a name is there twice")
                return found

    def atom(self) -> Node:
        """Read a part without words before it."""
        if word := self.take("P", "P'"):
            if self.words[self.at] == "[" or (word == "P'" and self.words[self.at] == "("):
                raise UndecidedError("undecided", "an outcome in another game is not decided here")
            return ("P", self.row() if self.words[self.at] == "(" else word == "P'")
        if self.take("{"):
            value = self.formula()
            self.need(":")
            condition_on_positions = self.part()
            self.need("}")
            relation = self.take("==", "<=", ">=")
            self.need("{")
            if self.words[self.at + 1] == ":":
                name = self.name()
                self.need(":")
                members = self.part()
            else:
                name, spans = "v", [self.member()]
                while self.take(","):
                    spans.append(self.member())
                members = ("is", parsed(" or ".join(spans)), {})
            self.need("}")
            return ("set", value, condition_on_positions, relation, name, members)
        end = self.closing()
        if self.words[self.at] == "(" and self.words[end + 1] == "in":
            row = self.row()
            self.need("in")
            self.need("printed")
            return ("printed", row)
        if self.words[self.at] == "(" and self.words[end + 1] in ENDING and self.is_part(end):
            self.need("(")
            node = self.part()
            self.need(")")
            return node
        return self.formula()

    def member(self) -> str:
        """Read an integer or a range of a listed set, as a condition on v."""
        first = self.plain()
        return f"({first}) <= v <= ({self.plain()})" if self.take("..") else f"v == ({first})"

    def closing(self) -> int:
        """Return where the bracket that opens here is closed."""
        level = 0
        for i in range(self.at, len(self.words) - 1):
            level += (self.words[i] in "({[") - (self.words[i] in ")}]")
            if not level:
                return i
        return len(self.words) - 2

    def is_part(self, end: int) -> bool:
        """Return whether a bracket holds a part of a statement rather than an integer."""
        kept, i = self.at, self.at + 1
        while i < end:
            if self.words[i] in ("count", "G", "printed") and self.words[i + 1] == "(":
                self.at = i + 1
                i, self.at = self.closing(), kept
            elif self.words[i] in COMPARED | {"and", "or", "not", "=>", "<=>", "P", "P'", "in", "let", *QUANTIFIERS}:
                return True
            i += 1
        return False

    def name(self) -> str:
        """Read a name."""
        word = self.words[self.at]
        if not NAME.fullmatch(word) or word in ENDING | {"not", "let", "by", "count", "size", *QUANTIFIERS}:
            raise ValueError(f"a name is needed, found {word!r}")
        self.at += 1
        return word

    def row(self) -> list[Node]:
        """Read integers in brackets."""
        self.need("(")
        found = [self.formula()]
        while self.take(","):
            found.append(self.formula())
        self.need(")")
        return found

    def plain(self) -> str:
        """Return the text of a formula without terms."""
        start = self.at
        if self.formula()[2]:
            raise ValueError("a range or a definition is made of integers alone")
        return " ".join(self.words[start : self.at])

    def formula(self) -> Node:
        """Read words that make an integer or a comparison, each term as a name."""
        words, terms, level = list[str](), dict[str, Node](), 0
        while (word := self.words[self.at]) and not (level == 0 and word in ENDING):
            term: Node | None = None
            if word.endswith("'"):
                self.at += 1
                term = ("G", True) if word == "G'" else ("'", word[:-1])
            elif self.take("G"):
                term = ("G", self.row() if self.words[self.at] == "(" else False)
            elif self.take("printed"):
                term = ("cell", *self.row())
            elif self.take("count"):
                self.need("(")
                bindings = self.bindings()
                self.need(":")
                term = ("count", bindings, self.part())
                self.need(")")
            if term is not None:
                words.append(name := f"_{len(terms)}_")
                terms[name] = term
                continue
            level += (word == "(") - (word == ")")
            words.append(word)
            self.at += 1
        return ("is", parsed(" ".join(words)), terms)


def joined(word: str, parts: list[Node]) -> Node:
    """Return a junction; parts that are junctions of the same word are opened."""
    flat = [one for part in parts for one in (part[1] if part[0] == word else [part])]
    return flat[0] if len(flat) == 1 else (word, flat)


class World(NamedTuple):
    """What a statement is about: a game and its relation, or integers alone."""

    game: Game | None
    relation: Automaton  # the P-positions, or the positions with their Grundy numbers, VALUE
    grundy: bool
    names: Mapping[str, Form]  # parameters, coordinates and variables
    printed: list[list[int]]
    option: Mapping[str, Form]  # the coordinates of the option that is bound
    where: Sequence[Automaton] = ()  # which together say of which positions and integers it is asked

    def numbers(self, primed: bool | list[Node], value: Track) -> Automaton:
        """Return that the position, the option, or another place, has the Grundy number `value`."""
        if self.game is None or not self.grundy:
            raise UndecidedError("undecided", "the game's certificate is not one of Grundy numbers")
        return self.there(self.relation.on({VALUE: value}), primed)

    def are_p(self, primed: bool | list[Node]) -> Automaton:
        """Return that the position, the option, or another place, is a P-position."""
        if self.game is None:
            raise ValueError("a statement about integers has no P-positions")
        zero = some([VALUE], self.relation, limits({VALUE: 1}, 0, 0)) if self.grundy else self.relation
        return self.there(zero, primed)

    def there(self, part: Automaton, primed: bool | list[Node]) -> Automaton:
        """Return a relation of the coordinates of the option, if it is primed, or of another place."""
        if isinstance(primed, list):
            return self.placed(part, primed)
        if primed and not self.option:
            raise ValueError("there is no option here")
        tracks = {c: one for c, form in self.option.items() for one in form if isinstance(one, str | Own)}
        return part.on(tracks) if primed else part

    def placed(self, part: Automaton, place: list[Node]) -> Automaton:
        """Return a relation at another place. Undecided unless the place is a position wherever the statement needs it."""
        if self.game is None or any(one[2] for one in place):
            raise UndecidedError("undecided", "a place of this form is not decided here")
        tracks: dict[str, Track] = {c: Own() for c, _ in zip(self.game.coordinates, place, strict=True)}
        values = zip(tracks.values(), place, strict=True)
        here = all_of(within(one[1], self.names, {track: -1}, 0, 0) for track, one in values)
        if witness(all_of(self.where) - some(tracks.values(), here, self.game.legal.on(tracks))) is not None:
            raise UndecidedError("undecided", "a place may be no position")
        return some(tracks.values(), here, part.on(tracks))


def holds(node: Node, world: World) -> Automaton:
    """Return where a part of a statement holds."""
    match node:
        case ("is", formula, terms):
            return comparison(formula, terms, world)
        case ("P", primed):
            return world.are_p(primed)
        case ("printed", row):
            entries = ([*zip(row, entry, strict=True)] for entry in world.printed)
            return any_of(all_of(within(one[1], world.names, {None: -n}, 0, 0) for one, n in e) for e in entries)
        case ("not", part):
            return ~holds(part, world)
        case ("and" | "or" as word, parts):
            return (all_of if word == "and" else any_of)(holds(part, world) for part in parts)
        case ("=>", premise, part):
            return ~(holds(premise, world) - holds(part, world))
        case ("<=>", parts):
            found = [holds(part, world) for part in parts]
            return ~any_of(differ for a, b in itertools.pairwise(found) for differ in (a - b, b - a))
        case ("let", name, text, part):
            names, made, own = introduced({}, {name: text}, world.names, {})
            return some(own, *made, holds(part, world._replace(names=names)))
        case ("every" | "some" | "no" as word, [("option", by)], part):
            wanted = [reached(by, world, part, word == "every")]
            return any_of(wanted) if word == "some" else ~any_of(wanted)
        case ("every" | "some" | "no" as word, bindings, part) if not {b[0] for b in bindings} & {"option", "position"}:
            names, parts, own = introduced(dict(bindings), {}, world.names, {})
            inner = holds(part, world._replace(names=names))
            one = some([*own, *(name for name, _ in bindings)], *parts, ~inner if word == "every" else inner)
            return one if word == "some" else ~one
    raise UndecidedError("undecided", f"a part of this form is not decided here: {node[0]}")


def reached(by: Sequence[str], world: World, part: Node | None, contrary: bool) -> Automaton:
    """Return an automaton of the positions with an option, by moves that lower only `by`, that satisfies a part (or fails it)."""
    game, found = world.game, list[Automaton]()
    if game is None or not {*by} <= {*game.coordinates}:
        raise ValueError(f"{by} are not all coordinates of a game")
    for lowers, changed, such in game.moves:
        if not by or lowers <= {*by}:
            option: dict[str, Form] = {c: {changed.get(c, c): 1} for c in game.coordinates}
            met = TRUE if part is None else holds(part, world._replace(option=option))
            found.append(some(changed.values(), game.legal.on(changed), *such, game.legal, ~met if contrary else met))
    return any_of(found)


def comparison(formula: ast.expr, terms: Mapping[str, Node], world: World) -> Automaton:
    """Return an automaton of the integers for which a condition with game terms is true."""
    names, parts, own = dict(world.names), list[Automaton](), list[Track]()
    for name, term in terms.items():
        names[name] = {(track := Own()): 1}
        own.append(track)
        match term:
            case ("'", coordinate) if coordinate in world.option:
                names[name] = world.option[coordinate]
            case ("G", primed):
                parts.append(world.numbers(primed, track))
            case ("cell", row, column):
                cells = ((i, j, n) for i, line in enumerate(world.printed) for j, n in enumerate(line))
                said = ([*zip((row[1], column[1], ast.Name(name)), cell, strict=True)] for cell in cells)
                parts.append(any_of(all_of(within(one, names, {None: -n}, 0, 0) for one, n in e) for e in said))
            case ("count", bindings, part):
                return counted(formula, name, bindings, part, world)
            case _:
                raise ValueError(f"{term[0]} has no meaning here")
    made: Made = []
    match formula:  # as quick as a condition on each coordinate alone
        case ast.Compare(ast.Name("size"), [ast.LtE()], [most]) if world.game is not None:
            number = integer(most, names)
            return all_of(limits({c: 1}, None, number) for c in world.game.coordinates if c not in world.game.passes)
    if world.game is not None:
        heaps = [names[c] for c in world.game.coordinates if c not in world.game.passes]
        names["size"] = computed("max", heaps, made) if len(heaps) > 1 else heaps[0]
        if not any(isinstance(one, ast.Name) and one.id == "size" for one in ast.walk(formula)):
            made.clear()
    found = some(own, *parts, condition(formula, names))
    return some([track for track, _ in made], found, *(automaton for _, automaton in made))


def counted(formula: ast.expr, name: str, bindings: list[Node], part: Node, world: World) -> Automaton:
    """Return where a number of integers is a constant, or compares with it."""
    match formula:
        case ast.UnaryOp(ast.Not(), opposite):
            return TRUE - counted(opposite, name, bindings, part, world)
        case ast.Compare(ast.Name(one), [sign], [number]) if one == name:
            claimed = integer(number, world.names)
        case _:
            raise UndecidedError("undecided", "a count is compared with a constant only")
    if any(len(one) != 2 or one[0] == "option" for one in bindings):
        raise UndecidedError("undecided", "only integers are counted inside of a statement")
    inner, more, gone = introduced(dict(bindings), {}, world.names, {})
    such = some(gone, *more, holds(part, world._replace(names=inner)))
    copy, preceded = {name: Own() for name, _ in bindings}, FALSE
    for name, t in reversed(copy.items()):
        preceded = any_of([limits({t: 1, name: -1}, None, -1), limits({t: 1, name: -1}, 0, 0) & preceded])

    def at_least(count: int) -> Automaton:
        late = such  # and later than count - 1 others
        for _ in range(count - 1):
            late = some(copy.values(), late, late.on(copy), preceded)
        return some(copy, late) if count > 0 else TRUE

    match sign:
        case ast.Eq():
            return at_least(claimed) - at_least(claimed + 1)
        case ast.NotEq():
            return TRUE - (at_least(claimed) - at_least(claimed + 1))
        case ast.GtE() | ast.Gt():
            return at_least(claimed + isinstance(sign, ast.Gt))
        case _:
            return TRUE - at_least(claimed + isinstance(sign, ast.LtE))


def cases_of(node: Node, world: World, numbers: Names, bound: int) -> Cases:
    """Yield where a statement speaks of something, and where it is false; definitions and ranges in front stay as they are."""
    names, parts, own, game = world.names, list[Automaton](), list[Track](), world.game
    if game is None:
        names, parts, own = {"N": {"N": 1}}, [limits({"N": 1}, bound, None)], ["N"]
    else:
        yield from (("the height is negative, or falls", fault) for fault in game.faults)
        parts.append(game.legal)
    while node[0] in ("let", "every") and not (node[0] == "every" and (game or node[1][0][0] == "option")):
        ranges, lets = (dict(node[1]), {}) if node[0] == "every" else ({}, {node[1]: node[2]})
        names, more, gone = introduced(ranges, lets, names, numbers)
        parts, own, node = [*parts, *more], [*own, *gone], node[-1]
    world = world._replace(names=names)
    if node[0] == "set":
        return (yield from values(node, world, parts))
    if node[0] == "is" and any(term[0] == "count" and term[1][0] == ("position",) for term in node[2].values()):
        return (yield from number_of_positions(node, world, parts))
    world = world._replace(where=parts)
    for one in conjuncts(node[1]) if node[0] == "=>" else ():  # each is asked where those before it hold
        parts = [*parts, holds(one, world)]
        world = world._replace(where=parts)
    if node[0] == "=>":
        node = node[2]
    met = [reached(node[1][0][1], world, None, False)] if node[0] == "every" and node[1][0][0] == "option" else []
    met += [holds(node[1], world)] if node[0] == "=>" else []  # as in H => (P => F)
    yield "", some(own, *parts, *met)
    for one in conjuncts(node):
        for wrong in violations(one, world):
            yield "it is false", some(own, *parts, wrong)


def conjuncts(node: Node) -> list[Node]:
    """Return parts that all hold if and only if a part does."""
    return list(node[1]) if node[0] == "and" else [node]


def violations(node: Node, world: World) -> Iterator[Automaton]:
    """Yield where a part does not hold."""
    if node[0] == "<=>":
        found = [holds(one, world) for one in node[1]]
        for a, b in itertools.pairwise(found):
            yield from (a - b, b - a)
    elif node[0] == "=>":
        yield holds(node[1], world) - holds(node[2], world)
    elif node[0] in ("every", "no") and node[1][0][0] == "option":
        yield reached(node[1][0][1], world, node[2], node[0] == "every")
    else:
        yield ~holds(node, world)


def values(node: Node, world: World, parts: list[Automaton]) -> Cases:
    """Yield what is wrong with a set of values."""
    _, value, part, relation, name, members = node
    assert world.game is not None
    if value[2] or name in world.names or not relation:
        raise UndecidedError("undecided", "a set of values of this form is not decided here")
    spoken = all_of([*parts, holds(part, world), within(value[1], world.names, {name: -1}, 0, 0)])
    outer = {one: form for one, form in world.names.items() if one not in world.game.coordinates}
    claimed = holds(members, world._replace(names={**outer, name: {name: 1}}, game=None))
    yield "", spoken if relation != ">=" else claimed
    yield "a value is no member", FALSE if relation == ">=" else spoken - claimed
    yield "a member is no value", FALSE if relation == "<=" else claimed - some(world.game.coordinates, spoken)


def number_of_positions(node: Node, world: World, parts: list[Automaton]) -> Cases:
    """Yield what is wrong with a number of positions."""
    assert world.game is not None
    (name, (_, bindings, part)), *others = node[2].items()
    match node[1]:
        case ast.Compare(ast.Name(one), [ast.Eq()], [number]) if one == name and not others and len(bindings) == 1:
            claimed = integer(number, world.names)
        case _:
            raise UndecidedError("undecided", "a number of positions is compared with a constant only")
    sizes = [one[1] for one in conjuncts(part) if one[0] == "is"]
    if not any(re.match(r"size <= ", ast.unparse(one)) for one in sizes):
        raise ValueError("a limit on the size is needed")
    number_of = how_many(all_of([*parts, holds(part, world)]))
    yield "", all_of(parts)
    yield f"the number is {number_of}", FALSE if number_of == claimed else TRUE


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


def on_claim(document: Any) -> Stated:
    """Return what the certificate of a claim states, and what decides it."""
    data = formed(document, CLAIM_CERTIFICATE, "certificate")
    claim, games, numbers = data["claim"], data.get("games", {}), data["names"]
    node, text = Reader(claim["statement"]).whole(), " ".join(claim["statement"].split())
    names = {name: plus({None: n}, {}) for name, n in numbers.items()}
    every, others = claim.get("every", {}), claim.get("some", {})
    given = ", ".join(f"{name} = {n}" for name, n in numbers.items())
    if "ruleset" not in claim:
        if every or others or "when" in claim or "game" in data:
            raise ValueError("a statement about integers has a bound and nothing else")
        if node[0] != "every" or not names.keys() <= dict(node[1]).keys():
            raise ValueError("names are some of the integers of `for`")
        world = World(None, TRUE, False, {}, claim.get("printed", []), {})
        said = f"for all integers N >= {claim.get('bound', 0)}{f', {given}' * bool(given)}: {text}"
        return [said], lambda: decided(cases_of(node, world, names, claim.get("bound", 0)))
    if not names.keys() >= every.keys() or others.keys() & names.keys():
        raise ValueError("an integer is needed for each name in every, and none for one in some")
    game = game_of(parsed(claim["ruleset"]), names, games)
    if names.keys() & {"size", *game.coordinates}:
        raise ValueError("no name may be that of a coordinate")
    if re.match(r"(with-pass\()?rectangular-bar", game.text) and not re.search(r"\b[abcd]\b|\boption\b", text):
        raise UndecidedError("undecided", "a statement about whole bars")
    if not ("game" in data or not re.search(r"\b[PG]\b", text)):
        raise ValueError("the automata of the game are needed")
    known: Names = {**names, **{c: {c: 1} for c in game.coordinates}}

    def verdict() -> Verdict:
        choices = [{name: number for name, number in names.items() if name not in every}]
        for name, span in [*every.items(), *others.items()]:  # integers of `some` are tried one after the other
            pairs = ((chosen, n) for chosen in choices for n in tried(span, chosen, numbers.get(name)))
            choices = [{**chosen, name: plus({None: n}, {})} for chosen, n in itertools.islice(pairs, MOST_TRIED)]
            if next(pairs, None):
                raise UndecidedError("undecided", "too many integers would have to be tried")
        if all(witness(condition(claim.get("when"), chosen)) is None for chosen in choices):
            return "vacuous", "it does not speak of these names"
        own, relation, grundy = game, TRUE, False
        if "game" in data:
            text = json.dumps({**data["game"], "games": games}, sort_keys=True)
            if (proof := proof_in(text))[0] != "proved":
                return proof
            own, relation, grundy = relation_in(text)
        if own.text != game.text and decided(obligations(game, relation, grundy))[0] != "proved":
            raise ValueError("the automata are of another game")  # two notations of one game may differ
        world = World(game, relation, grundy, known, claim.get("printed", []), {})
        return decided(cases_of(node, world, {}, 0))

    of_positions = f"among the positions ({', '.join(game.coordinates)}) of {game.text}"
    printed = f", where printed is {claim['printed']}" if claim.get("printed") else ""
    return [*game.rules, f"{f'for {given}, ' * bool(given)}{of_positions}: {text}{printed}"], verdict


# ---- Files.

MISTAKES = ValueError, TypeError, LookupError, AttributeError, ArithmeticError, SyntaxError, RecursionError, OSError


def relation_from(automaton: Mapping[str, Any], tracks: Sequence[Track]) -> Automaton:
    """Return an automaton of a file as one of ours; a natural number ends with a 0."""
    delta, accepting = automaton["delta"], {*automaton["accepting"]}
    if automaton["tracks"] != [str(i) for i in range(len(tracks))] or not delta:
        raise ValueError("the tracks must be 0, 1, …, one for each of the coordinates, and a state is needed")
    if any(len(row) != 1 << len(tracks) for row in delta):
        raise ValueError("each state needs a next one for each symbol")
    if max(accepting.union(*delta)) >= len(delta):
        raise ValueError("an automaton has no such state")
    if any((q in accepting) != (row[0] in accepting) for q, row in enumerate(delta)):
        raise ValueError("zeros in front of a number must not matter")
    rows = built(lambda q: {a: 2 * after + (a == 0 and q in accepting) for a, after in enumerate(delta[q])})
    return Automaton(tuple(tracks), rows)


def document_in(path: Path) -> Any:
    """Return the document in a file."""
    with path.open("rb") as file:
        return json.loads(file.read(MOST_BYTES), object_pairs_hook=once)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, in which no key may be twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


@functools.cache
def relation_in(text: str) -> tuple[Game, Automaton, bool]:
    """Return the game of a document's automata, the relation that they accept, and whether it is on Grundy numbers."""
    data = json.loads(text)
    game, grundy = game_of(parsed(data["ruleset"]), {}, data["games"]), data["relation"] == "grundy"
    tracks: list[Track] = [c for c in game.coordinates if c not in game.passes]
    if data["coordinates"] != [*tracks, *["value"] * grundy]:
        raise ValueError("the coordinates must be those of the ruleset")
    if len(data["automata"]) != 1 and not game.passes:
        raise ValueError("one automaton is needed, or one for each number of passes left")
    parts = [relation_from(automaton, [*tracks, *[VALUE] * grundy]) for automaton in data["automata"]]
    relation = any_of(part & all_of(limits({p: 1}, i, i) for p in game.passes) for i, part in enumerate(parts))
    return game, relation, grundy


@functools.cache
def proof_in(text: str) -> Verdict:
    """Return the verdict on a document's automata, which is kept for further claims about them."""
    data, (game, relation, grundy) = json.loads(text), relation_in(text)
    try:
        if (period := data.get("period")) is None:
            return decided(obligations(game, relation, grundy))
        document = document_of(parsed(data["ruleset"]), {}, data["games"])
        return decided(repeated(document, period["first"], period["length"], relation, grundy))
    except UndecidedError as error:
        return error.args


def stated(path: Path) -> Stated:
    """Return what a file states, and what decides it."""
    document = document_in(path)
    if isinstance(document, dict) and "kind" in document:
        return on_claim(document)
    data = formed(document, GAME_CERTIFICATE, "certificate")
    game = game_of(parsed(data["ruleset"]), {}, games := data.get("games", {}))
    what = "pairs of a position and its Grundy number" if data["relation"] == "grundy" else "P-positions"
    said = f"the automata accept exactly the {what} of {game.text}"
    own = {key: data[key] for key in data if key in GAME or f"{key}?" in GAME}
    text = json.dumps({**own, "games": games}, sort_keys=True)
    return [*game.rules, said], lambda: proof_in(text)


def verdict_on(path: Path, said: list[str], decides: bool = True) -> Verdict:
    """Return the verdict on a file, and why; add what it states to what is said."""
    try:
        lines, verdict = stated(path)
        said += lines
        return verdict() if decides else ("stated", "")
    except UndecidedError as error:
        return error.args
    except MemoryError:
        return "undecided", "an automaton is too large"
    except MISTAKES as error:
        said.clear()
        return "no certificate", f"{type(error).__name__}: {error}"


def main() -> int:
    """Print the verdict on each file; return 0 if all are proved, 2 if one is no certificate, else 1."""
    parser, worst = argparse.ArgumentParser(description=str(__doc__).splitlines()[0]), 0
    parser.add_argument("--seconds", type=float, default=0.0, help="of computing for each file, at most")
    parser.add_argument("--state", action="store_true", help="print what the files state, and decide nothing")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    gc.set_threshold(1 << 17)  # automata are many small objects without cycles

    def over(*_: object) -> NoReturn:
        raise UndecidedError("out of time", f"more than {given.seconds:g} seconds")

    signal.signal(signal.SIGPROF, over)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    for path in given.files:
        said = list[str]()
        try:
            signal.setitimer(signal.ITIMER_PROF, given.seconds)
            verdict, why = verdict_on(Path(path), said, not given.state)
            signal.setitimer(signal.ITIMER_PROF, 0)
        except UndecidedError as error:  # time was over when there was a verdict, or just before
            verdict, why = error.args
        print(f"{path}: {verdict}{': ' * bool(why)}{' '.join(why.split())}", *said, sep="\n  ", flush=True)
        worst = max(worst, {"proved": 0, "stated": 0, "no certificate": 2}.get(verdict, 1))
    return worst


if __name__ == "__main__":
    sys.exit(main())
