"""Decide certificates of families of games anew: python3 checker/families.py [--seconds S] FILE...

A family is a game with parameters, such as solid-bar(f=(x+z)//k) for all k with k % 4 == 1. A certificate has the game, the
condition on the parameters, the statement about every member, and hints: cases of parameters that cover the condition, and for
each case invariants, a strategy, or options. This file reads the game and the statement, writes every condition that must
follow, as a text in SMT-LIB 2, and asks z3 and cvc5. A family is proved if both call every text unsatisfiable, and small
members agree with the definition. The hints are guesses: a wrong one makes a text satisfiable, and never a false proof.

It needs Python 3.11 or newer, check.py beside it, z3 and cvc5, and reads certificates only. It shares no line with the package.
For each certificate it prints a verdict: proved, refuted, undecided or no certificate, and below it the game and the statement
that it decided. A certificate may also say that the statement is false for every member: the verdict is then "false for every
member". Exit code 0: all certificates hold; 1: some do not; 2: some are no certificates. docs/families.md has the method.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import inspect
import itertools
import json
import math
import re
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import cvc5
import z3

sys.path.insert(0, str(Path(__file__).parent))  # which python -I leaves out
import check
from check import UndecidedError, formed, parsed, value_of

MOST_BITS, MOST_TRACKS, MOST_VALUES, MOST_CHOICES = 256, 12, 64, 64
MEMBERS, POSITIONS, BOX = 13, 500, 24  # members that are compared with the definition, their positions and coordinates
ALONE, ONE_MEMBER = 3, 3.0  # members that check.py also proves, for all positions; seconds for each
TICK = 0.01  # seconds between the signals after the end of a time limit
MOST_PARAMETERS = 20_000  # choices of parameters in the search for members


def undecided(why: str) -> UndecidedError:
    """Return the error that ends a decision without an answer."""
    return UndecidedError("undecided", why)


# ---- Documents; the forms are those of check.py.

ANY, NAME = re.compile(r"(?s).*"), re.compile("[A-Za-z_][A-Za-z_0-9]{0,60}")
SUM = {ANY: int}  # {"m": 4, "1": -3} is 4m - 3
HEIGHT = {"function": ("min", "max", "sum"), "parts": [{"terms": {ANY: SUM}, "constant": SUM, "divisor": SUM}]}
ANSWER = {"states": [int], "digits": {ANY: int}, "move?": str, "to": int}
LOCATION = {
    "start": bool,
    "settled": bool,
    "move?": str,
    "orders": {ANY: ("equal", "less")},
    "zero": [str],  # for people, and not used
    "counters?": {ANY: {ANY: SUM}},
    "never?": [[SUM]],
    "equalities?": [SUM],
    "parities?": {ANY: range(2)},
    "predicates?": [SUM],
    "states": [str],
    "strategy?": [{"digits": {ANY: int}, "answers": [ANSWER]}],
}
OBLIGATION = {"kind": ("value", "exclusion", "option"), "move?": str, "locations": [LOCATION]}
BY_CASES = {
    "factor?": str,
    "quotients": [{"dividend": SUM, "divisor": SUM}],
    "options": [{"move": str, "fallen": [str], "changed": {ANY: SUM}}],
    "lemmas": {ANY: [SUM]},
}
CASE = {
    "parameters": {NAME: SUM},
    "conditions": [SUM],
    "heights": {ANY: HEIGHT},
    "shifts": {ANY: SUM},
    "constant": SUM,
    "offset": SUM,
    "largest?": {ANY: int},
    "position?": {ANY: SUM},
    "digits?": {ANY: {"high": SUM, "low": SUM}},
    "obligations?": [OBLIGATION],
    "formula?": BY_CASES,
}
FAMILY = {
    "kind": "family",
    "format": 2,
    "ruleset": str,
    "games?": {check.GAME_NAME: check.RULES},
    "parameters": [NAME],
    "for": str,
    "where?": str,
    "relation": {"kind": ("p-positions", "grundy"), "formula": str},
    "verdict?": ("proved", "refuted"),
    "cases": [CASE],
}

# ---- Sums of named integers, and conditions on them in SMT-LIB 2. The name a*b is the product of a and b; solvers take it for
# any integer, which loses no counterexample. A condition that must be unsatisfiable is called a counterexample.

POWER, TIMES = "p_2", "*"  # the name of an arbitrary power of 2; the sign between the factors of a product
NEW = "!"  # the first letter of names that no certificate can write
QUOTED, COORDINATE = re.compile(r"\|([^|]+)\|"), re.compile(r"position\((\w+)\)")


@dataclass(frozen=True)
class Sum:
    """A number plus multiples of named integers, none of them 0."""

    number: int
    items: tuple[tuple[str, int], ...] = ()

    @property
    def names(self) -> set[str]:
        """All names, alone or as factors."""
        return {factor for name, _ in self.items for factor in name.split(TIMES)}

    @property
    def is_number(self) -> bool:
        return not self.items

    def __bool__(self) -> bool:
        return bool(self.number or self.items)

    def __add__(self, other: Sum) -> Sum:
        return total([*self.items, *other.items], self.number + other.number)

    def __sub__(self, other: Sum) -> Sum:
        return self + other.times(-1)

    def times(self, factor: int) -> Sum:
        return total([(name, m * factor) for name, m in self.items], self.number * factor)

    def by(self, other: Sum) -> Sum:
        """Return the product, in which products of names are names."""
        parts = [
            (TIMES.join(sorted([*a.split(TIMES), *b.split(TIMES)])), p * q)
            for a, p in self.items
            for b, q in other.items
        ]
        parts += [(a, p * other.number) for a, p in self.items] + [(b, q * self.number) for b, q in other.items]
        return total(parts, self.number * other.number)

    def put(self, values: Mapping[str, Sum]) -> Sum:
        """Substitute sums for names."""
        parts, number = list[tuple[str, int]](), self.number
        for name, multiple in self.items:
            factors = [values.get(factor, named(factor)) for factor in name.split(TIMES)]
            product = functools.reduce(Sum.by, factors).times(multiple)
            parts, number = [*parts, *product.items], number + product.number
        return total(parts, number)

    def at(self, place: Mapping[str, Sum]) -> Sum:
        """Substitute sums for coordinates."""
        return self.put({coordinate(x): value for x, value in place.items()})

    @property
    def factors(self) -> dict[str, Sum]:
        """The factors of coordinates, and under "" what is added to their multiples."""
        found = dict[str, Sum]()
        for name, multiple in [*self.items, ("", self.number)]:
            others = [factor for factor in name.split(TIMES) if not COORDINATE.fullmatch(factor)]
            (x, *more) = COORDINATE.findall(name) or [""]
            if more:
                raise undecided("coordinates are multiplied")
            rest = TIMES.join(others)
            found[x] = found.get(x, ZERO) + (total([(rest, multiple)]) if rest else Sum(multiple))
        return found

    @property
    def text(self) -> str:
        parts = [f"(* {integer_text(m)} |{name}|)" for name, m in self.items]
        return f"(+ {' '.join(parts)} {integer_text(self.number)})" if parts else integer_text(self.number)

    @property
    def natural(self) -> str:
        """Condition: the sum is at least 0."""
        return f"(>= {self.text} 0)"

    @property
    def zero(self) -> str:
        """Condition: the sum is 0."""
        return f"(= {self.text} 0)"


Numbers = Mapping[str, Sum]
ZERO, ONE = Sum(0), Sum(1)


def total(parts: Iterable[tuple[str, int]], number: int = 0) -> Sum:
    """Return a number plus multiples of names; names may repeat, and multiples may be 0."""
    multiples: dict[str, int] = {}
    for name, multiple in parts:
        multiples[name] = multiples.get(name, 0) + multiple
    if any(abs(value) >> MOST_BITS for value in (number, *multiples.values())):
        raise undecided(f"a number has more than {MOST_BITS} bits")
    return Sum(number, tuple(sorted((name, multiple) for name, multiple in multiples.items() if multiple)))


def named(name: str) -> Sum:
    """Return one named integer."""
    return Sum(0, ((name, 1),))


def coordinate(x: str) -> str:
    """Return the name of a coordinate in sums; no parameter has such a name."""
    return f"position({x})"


def read(written: Mapping[str, int], names: Collection[str] | None = None) -> Sum:
    """Return a sum of a certificate, in these names only; without `names`, in those of a case's parameters."""
    for name in written.keys() - {"1"}:
        factors = name.split(TIMES)
        known = [f == POWER or NAME.fullmatch(f) if names is None else f in names for f in factors]
        if not all(known) or factors != sorted(factors):
            raise undecided(f"unknown name {name[:60]!r} in a sum")
    return total(((name, m) for name, m in written.items() if name != "1"), written.get("1", 0))


def integer_text(n: int) -> str:
    """Return an integer as SMT-LIB 2 writes it."""
    return str(n) if n >= 0 else f"(- {-n})"


def both(*conditions: str) -> str:
    """Condition: all hold."""
    return f"(and true {' '.join(conditions)})"


def either(*conditions: str) -> str:
    """Condition: at least one holds."""
    return f"(or false {' '.join(conditions)})"


def contrary(condition: str) -> str:
    """Condition: it does not hold."""
    return f"(not {condition})"


# ---- Solvers.


def ask_z3(text: str, milliseconds: int) -> str:
    """Return the answer of z3."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())


def ask_cvc5(text: str, milliseconds: int) -> str:
    """Return the answer of cvc5."""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(milliseconds))
    solver.setOption("decision", "justification")  # half of the time for conditions with many alternatives
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "condition")
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, parser.getSymbolManager())
    answer = solver.checkSat()
    return "unknown" if answer.isUnknown() else str(answer)


SOLVERS = {  # each is asked about every condition, and all must agree
    "z3": ask_z3,
    "cvc5": ask_cvc5,
}


def time_left() -> float:
    """Return the seconds before the end of the time that `limited` gives."""
    return signal.getitimer(signal.ITIMER_PROF)[0] or 1e5


def unsatisfiable(name: str, condition: str) -> bool:
    """Return whether all solvers call a condition unsatisfiable; raise if two contradict each other."""
    declared = "".join(f"(declare-const |{n}| Int)\n" for n in sorted({*QUOTED.findall(condition)}))
    text, answers = f"(set-logic QF_LIA)\n{declared}(assert {condition})\n", {}
    for folder in TEXTS:
        path = folder / f"{re.sub(r'[^a-z0-9/-]+', '-', name)}.smt2"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}(check-sat)\n", encoding="utf-8")
    for solver, ask in SOLVERS.items():
        before = time_left()
        answer = ask(text, max(1, int(1000 * before)))
        if answer == "unknown" and time_left() > before / 2:  # other processes had most of its time
            answer = ask(text, int(10_000 * before))
        answers[solver] = answer
    if {"sat", "unsat"} <= {*answers.values()}:
        raise ContradictionError(f"{name}: {', '.join(f'{one} says {answer}' for one, answer in answers.items())}")
    return {*answers.values()} == {"unsat"}


def has_product(condition: str) -> bool:
    """Return whether a condition has a product of names, which a solver may give a wrong value."""
    return any(TIMES in name for name in QUOTED.findall(condition))


TEXTS: list[Path] = []  # the folder that receives the texts, for other solvers


class ContradictionError(Exception):
    """Two judges contradict each other."""


# ---- Formulas in parameters.

SIGNS = {ast.Eq: "=", ast.NotEq: "distinct", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def names_in(node: ast.expr) -> set[str]:
    """Return the names in a formula, without those of functions."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - check.FUNCTIONS.keys()


def power_of(parameter: str) -> str:
    """Return the key of the largest power of 2 that divides a parameter."""
    return f"{parameter} & -{parameter}"


class Reader:
    """Reads formulas as sums. Other values, such as ⌊m/2⌋, become new names with definitions.

    For all parameters, exactly one choice of the new names satisfies the definitions.
    """

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self.quotients: dict[tuple[Sum, int], Sum] = {}

    def sum(self, node: ast.expr, names: Numbers) -> Sum:
        match node:
            case ast.Constant(value) if type(value) is int:
                return total((), value)
            case ast.Name(name) if name in names:
                return names[name]
            case ast.UnaryOp(ast.USub(), part):
                return self.sum(part, names).times(-1)
            case ast.BinOp(ast.Name(a), ast.BitAnd(), ast.UnaryOp(ast.USub(), ast.Name(b))) if (
                a == b and power_of(a) in names
            ):
                return names[power_of(a)]
            case ast.BinOp(left, operation, right):
                return self.binary(type(operation).__name__, self.sum(left, names), self.sum(right, names))
            case ast.Call(ast.Name("abs"), [part], []):
                one = self.sum(part, names)
                return self.least([one, one.times(-1)], -1)
            case ast.Call(ast.Name("min" | "max" as function), parts, []) if parts:
                return self.least([self.sum(part, names) for part in parts], 1 if function == "min" else -1)
        raise undecided(f"{ast.unparse(node)} cannot be read as a sum of parameters")

    def binary(self, operation: str, left: Sum, right: Sum) -> Sum:
        match operation:
            case "Add":
                return left + right
            case "Sub":
                return left - right
            case "Mult":
                return left.by(right)
            case "FloorDiv" | "Mod" if right.is_number and right.number > 0:
                quotient = self.quotient(left, right.number)
                return quotient if operation == "FloorDiv" else left - quotient.times(right.number)
            case "BitAnd" if left.is_number != right.is_number:
                value, mask = (left, right.number) if right.is_number else (right, left.number)
                if 0 <= mask < 1 << MOST_BITS:
                    return self.masked(value, mask)
            case "BitXor" | "BitAnd" | "BitOr" if left.is_number and right.is_number:
                return total((), check.BITWISE[operation](left.number, right.number))
            case "Pow" if left.is_number and right.is_number and 0 <= right.number < MOST_BITS:
                return total((), left.number**right.number)
        raise undecided(f"{operation} of parameters cannot be read here")

    def masked(self, value: Sum, mask: int) -> Sum:
        """Return the bitwise conjunction of a value with a mask."""
        size = mask.bit_length()
        rest, digits = value - self.quotient(value, 1 << size).times(1 << size), ZERO
        for b in range(size):
            digit = self.new()
            self.definitions += [digit.natural, (ONE - digit).natural]
            rest -= digit.times(1 << b)
            digits += digit.times(1 << b & mask)
        self.definitions.append(rest.zero)
        return digits

    def quotient(self, value: Sum, divisor: int) -> Sum:
        """Return ⌊value/divisor⌋ for a divisor that is at least 1."""
        if all(multiple % divisor == 0 for _, multiple in value.items):
            return total(((name, m // divisor) for name, m in value.items), value.number // divisor)
        if (value, divisor) in self.quotients:
            return self.quotients[value, divisor]
        quotient = self.quotients[value, divisor] = self.new()
        rest = value - quotient.times(divisor)
        self.definitions += [rest.natural, (Sum(divisor - 1) - rest).natural]
        return quotient

    def least(self, values: Sequence[Sum], sign: int) -> Sum:
        """Return the least value; with the sign -1, the largest."""
        least, *others = values
        for value in others:
            more = (value - least).times(sign)
            if more.is_number:
                least = least if more.number >= 0 else value
                continue
            chosen = self.new()
            self.definitions.append(f"(= {chosen.text} (ite {more.natural} {least.text} {value.text}))")
            least = chosen
        return least

    def new(self) -> Sum:
        return named(f"{NEW}{len(self.definitions)}")

    def truth(self, node: ast.expr, names: Numbers) -> str:
        """Return a condition on parameters."""
        match node:
            case ast.UnaryOp(ast.Not(), part):
                return contrary(self.truth(part, names))
            case ast.BoolOp(sign, parts):
                join = both if isinstance(sign, ast.And) else either
                return join(*(self.truth(part, names) for part in parts))
            case ast.Compare(left, signs, others) if {*map(type, signs)} <= SIGNS.keys():
                values = [self.sum(part, names).text for part in (left, *others)]
                pairs = zip(signs, values, values[1:], strict=False)
                return both(*(f"({SIGNS[type(sign)]} {a} {b})" for sign, a, b in pairs))
        raise undecided(f"{ast.unparse(node)} is no condition on parameters")


# ---- The family: a game whose moves lower one coordinate by any amount, and what is stated of it.


class Quotient(NamedTuple):
    """⌊dividend/divisor⌋, where the dividend is a sum of coordinates and parameters."""

    dividend: Sum
    divisor: Sum = ONE

    def room(self, place: Numbers, value: Sum) -> Sum:
        """Return a sum that is at least 0 if and only if the quotient is at least a value."""
        return self.dividend.at(place) - self.divisor.by(value)

    def plus(self, more: Sum) -> Quotient:
        return Quotient(self.dividend + self.divisor.by(more), self.divisor)


JOINED: dict[str, Callable[[list[int]], int]] = {"min": min, "max": max, "sum": sum}


class Height(NamedTuple):
    """A largest value: a quotient, or the least, the largest or the sum of several."""

    parts: tuple[Quotient, ...]
    function: str = "min"

    @property
    def coordinates(self) -> set[str]:
        """The coordinates that it depends on."""
        return {x for part in self.parts for x, a in part.dividend.factors.items() if x and a}

    def allows(self, place: Numbers, value: Sum) -> str:
        """Condition: the height at a place is at least a value; for a sum, a natural number."""
        if self.function != "sum":
            return self.joined(part.room(place, value) for part in self.parts)
        if not value.is_number:
            raise undecided("a height that is a sum of quotients, where its coordinate is no small number")
        shares = with_sum(value.number, len(self.parts))  # no part is negative
        pairs = (zip(self.parts, share, strict=True) for share in shares)
        return either(*(both(*(part.room(place, Sum(n)).natural for part, n in pair)) for pair in pairs))

    def joined(self, rooms: Iterable[Sum]) -> str:
        """Condition: the height is at least a value, for the rooms of its parts."""
        if self.function == "sum":
            raise undecided("a height that is a sum of quotients, where positions have no bound")
        return (both if self.function == "min" else either)(*(room.natural for room in rooms))


class NimSum(NamedTuple):
    """⊕(x + σ) ⊕ C + the offset, over coordinates x with their shifts σ."""

    shifts: Numbers
    constant: Sum = ZERO
    offset: Sum = ZERO

    def plus(self, number: Sum) -> NimSum:
        """Add a number: to a single term, or outside of several."""
        if not self.shifts:
            return NimSum({}, self.constant + self.offset + number)
        if len(self.shifts) == 1 and not self.constant:
            ((name, shift),) = self.shifts.items()
            return NimSum({name: shift + self.offset + number})
        return self._replace(offset=self.offset + number)

    def __xor__(self, other: NimSum) -> NimSum:
        if self.offset or other.offset:
            raise undecided("a nim-sum of what is a sum of a nim-sum")
        if self.shifts.keys() & other.shifts.keys():
            raise undecided("a coordinate stands twice in the relation")
        constants = [c for c in (self.constant, other.constant) if c]
        if len(constants) == 2:
            if not all(constant.is_number for constant in constants):
                raise undecided("two numbers in a nim-sum")
            constants = [total((), constants[0].number ^ constants[1].number)]
        return NimSum({**self.shifts, **other.shifts}, *constants)


class Put(ast.NodeTransformer):
    """Puts formulas for names."""

    def __init__(self, formulas: Mapping[str, ast.expr]) -> None:
        self.formulas = formulas

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.formulas.get(node.id, node)


class Family:
    """The game, the condition on its parameters and the statement of a certificate, as syntax trees."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.ruleset, self.condition = parsed(data["ruleset"]), parsed(data["for"])
        self.is_grundy, self.relation = data["relation"]["kind"] == "grundy", parsed(data["relation"]["formula"])
        self.where = parsed(data["where"]) if data.get("where") else None
        self.games, self.parameters = data.get("games", {}), sorted(data["parameters"])
        self.document, self.arguments, self.defaults = self.described(self.ruleset)
        self.coordinates: list[str] = self.document["coordinates"]
        self.written = {y: parsed(height) for y, height in self.document.get("heights", {}).items()}
        self.clips: dict[str, bool] = {}  # by the coordinate that a move lowers, whether others then fall
        for move in self.document["moves"]:
            named_amounts = isinstance(move["lower"], dict) or move.get("by", "each") not in WAYS
            if {*move} - {"lower", "by", "clip"} or len(move["lower"]) != 1 or named_amounts:
                raise undecided("only moves that lower one coordinate, by any amount, can be checked")
            self.clips[move["lower"][0]] = move.get("clip", True)
        if len(self.clips) < len(self.document["moves"]) or {"within", "ends", "legal"} & {*self.document}:
            raise undecided("two moves of one coordinate, or a condition on all positions")
        if not {*self.clips, *self.written} <= {*self.coordinates} or len({*self.coordinates}) < len(self.coordinates):
            raise ValueError("a coordinate is there twice, or has no name")
        texts = [self.condition, self.relation, *self.arguments.values(), *([self.where] if self.where else [])]
        texts += [] if self.defaults is not None else self.written.values()
        known = set[str]().union(*map(names_in, texts)) - {*self.coordinates}
        if known != {*self.parameters} or len(known) < len(data["parameters"]):
            raise undecided(f"the parameters are {', '.join(sorted(known))}")
        if {*self.coordinates} & {*self.parameters, *(self.defaults or {}), CONSTANT, TARGET, VALUE} or not known:
            raise undecided("a coordinate has the name of a parameter or of a track")
        if any(not names_in(part).isdisjoint(self.coordinates) for part in self.arguments.values()):
            raise undecided("an argument of the game depends on a coordinate")
        if not names_in(self.condition).isdisjoint(self.coordinates):
            raise undecided("the condition on parameters depends on a coordinate")
        powers = {
            part.left.id
            for text in texts
            for part in ast.walk(text)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitAnd) and isinstance(part.left, ast.Name)
            if isinstance(part.right, ast.UnaryOp)
        }
        if len(powers) > 1 or not powers <= known - {POWER}:
            raise undecided("powers of 2 that divide several parameters, a coordinate, or a parameter of their name")
        self.with_power = next(iter(powers), None)  # the parameter of which the power of 2 in it is used

    def described(self, ruleset: ast.expr) -> tuple[dict[str, Any], dict[str, ast.expr], dict[str, int] | None]:
        """Return the description of a game, and for a game of one's own its arguments and default parameters."""
        match ruleset:
            case ast.Call(ast.Name("game"), [ast.Constant(str(name))], words) if name in self.games:
                document = self.games[name]
                given, defaults = {str(word.arg): word.value for word in words}, document.get("parameters", {})
                if document["game"] != name or len(given) < len(words) or not given.keys() <= defaults.keys():
                    raise ValueError("the game described has another name, or other parameters")
                return document, given, defaults
            case ast.Call(ast.Name("sum"), [first, second], []):
                return self.side_by_side(first, second), {}, None
            case ast.Call(ast.Name("nim" | "step_bar" | "strip_bar" | "solid_bar" as name), values, words):
                given = {str(word.arg): word.value for word in words}
                bound = inspect.signature(check.RULESETS[name]).bind(*values, **given)
                bound.apply_defaults()
                parts = bound.arguments
                if name == "nim":
                    if names_in(parsed(parts["heaps"])):
                        raise undecided("members have other coordinates than others")
                    if not 1 <= (heaps := check.integer(parts["heaps"], {})) <= 15:
                        raise ValueError(f"nim has 1 to 15 heaps, not {heaps}")
                    parts = {"heaps": heaps}
                elif name != "solid_bar":
                    parts = {key: f"({ast.unparse(parsed(part))})" for key, part in parts.items()}
                    if any(not names_in(parsed(part)).isdisjoint("xyz") for part in parts.values()):
                        raise undecided("an argument of the game depends on a coordinate")
                document = json.loads(json.dumps(check.RULESETS[name](**parts), default=ast.unparse))
                return {**document, "moves": [{"lower": [c]} for c in document["coordinates"]]}, {}, None
            case _:
                raise undecided(f"{ast.unparse(ruleset)} cannot be checked for all parameters")

    def side_by_side(self, *rulesets: ast.expr) -> dict[str, Any]:
        """Return the description of the disjunctive sum of two games, in which check.py names the coordinates."""
        parts = [self.described(ruleset) for ruleset in rulesets]
        coordinates, heights, moves, others = list[str](), dict[str, str](), list[Any](), set[str]()
        for i, (document, arguments, defaults) in enumerate(parts, start=1):
            named_amounts = any(isinstance(move["lower"], dict) for move in document["moves"])
            if named_amounts or {*document} & {"within", "ends", "legal"}:
                raise undecided("a sum of games with other moves, or a condition on all positions")
            own, beside = dict[str, str](), parts[2 - i][0]["coordinates"]
            for c in document["coordinates"]:
                if c in own or c in (defaults or {}):
                    raise ValueError(f"{c[:60]!r} has two meanings")
                own[c] = check.unused(f"{c}{i}" if c in beside else c, coordinates)
                coordinates.append(own[c])
            put: dict[str, ast.expr] = {key: ast.Constant(number) for key, number in (defaults or {}).items()}
            put |= {**arguments, **{c: ast.Name(new) for c, new in own.items()}}
            for y, height in document.get("heights", {}).items():
                free = names_in(parsed(height)) - put.keys()
                if free and defaults is not None:
                    raise ValueError(f"{min(free)[:60]!r} has no meaning in a height")
                others |= free
                heights[own[y]] = ast.unparse(Put(put).visit(parsed(height)))
            others |= set[str]().union(*map(names_in, arguments.values()))
            moves += [{**move, "lower": [own[c] for c in move["lower"]]} for move in document["moves"]]
        if others & {*coordinates}:
            raise undecided("a parameter has the name of a coordinate of the sum")
        return {"coordinates": coordinates, "heights": heights, "moves": moves}

    def heights(self, reader: Reader, values: Numbers) -> dict[str, Height]:
        """Return the heights, for these values of the parameters."""
        names = dict(values)
        if self.defaults is not None:
            names = {key: total((), number) for key, number in self.defaults.items()}
            names |= {key: reader.sum(part, values) for key, part in self.arguments.items()}
        return {y: self.height(node, reader, names) for y, node in self.written.items()}

    def nim_sum(self, reader: Reader, values: Numbers) -> NimSum:
        """Return the relation: the nim-sum that is 0, or whose value is the Grundy number."""
        if self.is_grundy:
            return self.nim_sum_of(self.relation, reader, values)
        match self.relation:
            case ast.Compare(a, [ast.Eq()], [b]):
                left, right = (self.nim_sum_of(node, reader, values) for node in (a, b))
            case _:
                raise undecided("P-positions need one equation")
        if len(right.shifts) + bool(right.constant) > 1:
            left, right = right, left
        if len(right.shifts) + bool(right.constant) <= 1:  # n + e == x + e' is n == x + (e' - e)
            left, right = NimSum(left.shifts, left.constant), right.plus(left.offset.times(-1))
        return left ^ right

    def inside(self, reader: Reader, values: Numbers) -> Iterator[Sum]:
        """Yield the sums that are at least 0 in the domain of the statement."""
        parts = [self.where] if self.where else []
        while parts:
            match parts.pop():
                case ast.BoolOp(ast.And(), operands):
                    parts += operands
                case ast.Compare(left, signs, others):
                    for sign, *sides in zip(signs, (left, *others), others, strict=False):
                        a, b = (self.linear(side, reader, values) for side in sides)
                        if type(sign) not in check.ENDS:
                            raise undecided("a condition on positions with another sign")
                        least = ONE if isinstance(sign, ast.Lt | ast.Gt) else ZERO
                        if isinstance(sign, ast.Lt | ast.LtE | ast.Eq):
                            yield b - a - least
                        if isinstance(sign, ast.Gt | ast.GtE | ast.Eq):
                            yield a - b - least
                case _:
                    raise undecided("a condition on positions that is no inequality")

    def moves(self, node: ast.expr) -> bool:
        """Return whether a formula depends on a coordinate."""
        return not names_in(node).isdisjoint(self.coordinates)

    def is_sum(self, node: ast.expr) -> bool:
        """Return whether all operations on coordinates are + - *."""
        parts = [part for part in ast.walk(node) if isinstance(part, ast.Call | ast.BinOp) and self.moves(part)]
        return all(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub | ast.Mult) for part in parts)

    def height(self, node: ast.expr, reader: Reader, names: Numbers) -> Height:
        """Return a quotient, or the least, the largest or the sum of several, with a sum of coordinates added."""
        match node:
            case ast.Call(ast.Name("min" | "max" as function), arguments, []) if self.moves(node):
                several = [self.height(argument, reader, names).parts for argument in arguments]
                if any(len(parts) > 1 for parts in several):
                    raise undecided("a least or largest value of such values")
                return Height(tuple(parts[0] for parts in several), function)
            case ast.BinOp(left, ast.FloorDiv(), right) if self.moves(left) and not self.moves(right):
                # With divisors of several parts that are negative, it is another one: see `not_covered`.
                above, divisor = self.height(left, reader, names), reader.sum(right, names)
                if above.function == "sum" or any(part.divisor != ONE for part in above.parts):
                    raise undecided("a quotient of a quotient")
                return above._replace(parts=tuple(part._replace(divisor=divisor) for part in above.parts))
            case ast.BinOp(left, ast.Add(), right) if not (self.is_sum(left) or self.is_sum(right)):
                one, other = self.height(left, reader, names), self.height(right, reader, names)
                if any(height.function != "sum" and len(height.parts) > 1 for height in (one, other)):
                    raise undecided("a sum of least or largest values")
                return Height((*one.parts, *other.parts), "sum")
            case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right) if not self.is_sum(node):
                if isinstance(sign, ast.Add) and self.is_sum(left):
                    left, right = right, left
                height, more = self.height(left, reader, names), self.linear(right, reader, names)
                more = more if isinstance(sign, ast.Add) else ZERO - more
                first, *others = height.parts
                if height.function != "sum":
                    others = [part.plus(more) for part in others]
                return height._replace(parts=(first.plus(more), *others))
        return Height((Quotient(self.linear(node, reader, names)),))

    def linear(self, node: ast.expr, reader: Reader, names: Numbers) -> Sum:
        """Return a sum of coordinates, each times a sum of parameters."""
        if not self.is_sum(node):
            raise undecided(f"{ast.unparse(node)} is no sum of coordinates")
        found = reader.sum(node, {**names, **{x: named(coordinate(x)) for x in self.coordinates}})
        _ = found.factors  # where coordinates are multiplied there is an error
        return found

    def nim_sum_of(self, node: ast.expr, reader: Reader, values: Numbers) -> NimSum:
        if not self.moves(node):
            return NimSum({}, reader.sum(node, values))
        match node:
            case ast.Name(name):
                return NimSum({name: ZERO})
            case ast.BinOp(left, ast.BitXor(), right):
                return self.nim_sum_of(left, reader, values) ^ self.nim_sum_of(right, reader, values)
            case ast.BinOp(left, ast.Add(), right) if not self.moves(left):
                return self.nim_sum_of(right, reader, values).plus(reader.sum(left, values))
            case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right) if not self.moves(right):
                number = reader.sum(right, values).times(1 if isinstance(sign, ast.Add) else -1)
                return self.nim_sum_of(left, reader, values).plus(number)
        raise undecided("the relation is no nim-sum of shifted coordinates")


WAYS = ("each", "any", "same")  # which mean the same if one coordinate is lowered
CONSTANT, TARGET, VALUE = "constant", "target", "value"


def naturals(heights: Iterable[Height], sign: int = 1) -> list[Sum]:
    """Return sums that are natural if all parts of heights are natural and monotone, with divisors of this sign."""
    quotients = [part for height in heights for part in height.parts]
    return [p.times(sign) for q in quotients for p in (*q.dividend.factors.values(), q.divisor - Sum(sign))]


def is_game(heights: Iterable[Height], sign: int = 1) -> str:
    """Condition: `naturals` are natural."""
    return both(*(part.natural for part in naturals(heights, sign)))


def otherwise_a_game(height: Height) -> str:
    """Condition that holds for every game with this height that `is_game` excludes."""
    if len(height.parts) == 1:
        return is_game([height], -1)  # both signs of ⌊a/d⌋ are others
    # Where a divisor is 0 there is no game; anything else may be one, such as a height max(x-5, z).
    return both(*(contrary(part.divisor.zero) for part in height.parts), contrary(is_game([height])))


# ---- One case of the family.


class Game(NamedTuple):
    """The game and the relation in one case."""

    coordinates: Sequence[str]
    clips: Mapping[str, bool]
    heights: Mapping[str, Height]
    relation: NimSum
    is_grundy: bool
    negative: frozenset[str]  # the tracks that may be negative

    def shift(self, x: str) -> Sum:
        return self.relation.shifts.get(x, ZERO)

    def rooms(self, y: str, track: str) -> list[Sum]:
        """Return the room of each part of y's height, for the number on a track: its counter at numbers less their shifts."""
        less = {x: ZERO - self.shift(x) for x in self.coordinates}
        return [named(legal(track, i)) + part.room(less, less[y]) for i, part in enumerate(self.heights[y].parts)]

    def changed(self, lowered: str) -> tuple[str, ...]:
        """Return the coordinates that a move may change, the lowered one first."""
        return (lowered, *sorted(y for y, height in self.heights.items() if lowered in height.coordinates))

    def is_position(self, place: Numbers) -> str:
        """Condition: a place, one sum for each coordinate, is a position."""
        allowed = (height.allows(place, place[y]) for y, height in self.heights.items())
        return both(*(value.natural for value in place.values()), *allowed)

    def is_option(self, place: Numbers, option: Numbers, lowered: str) -> str:
        """Condition: a move of one coordinate leads from a position to a place.

        Another coordinate is the same at both places, or it has fallen: it is less, and its height.
        """
        conditions = [option[lowered].natural, (place[lowered] - option[lowered] - ONE).natural]
        for y in self.changed(lowered)[1:]:
            conditions.append(self.heights[y].allows(option, option[y]))
            if option[y] != place[y]:
                conditions.append((place[y] - option[y] - ONE).natural)
                conditions.append(contrary(self.heights[y].allows(option, option[y] + ONE)))
        return both(*conditions)


class Case:
    """A case of a certificate: the parameters as sums of the case's own names, with conditions on these."""

    def __init__(self, family: Family, written: Mapping[str, Any]) -> None:
        self.family, self.written, self.reader = family, written, Reader()
        self.values = {p: read(said) for p, said in written["parameters"].items()}
        self.names = {m for value in self.values.values() for m in value.names}
        if sorted(self.values) != family.parameters:
            raise undecided("a case does not say what its parameters are")
        if family.with_power is not None:
            self.values[power_of(family.with_power)] = power_in(self.values[family.with_power])
        self.heights = family.heights(self.reader, self.values)
        by_cases = "formula" in written
        self.relation = NimSum({}) if by_cases else family.nim_sum(self.reader, self.values)
        self.inside = [*family.inside(self.reader, self.values)]
        if not family.is_grundy and self.relation.offset:
            raise undecided("the relation is no nim-sum that is 0")
        for y, height in self.heights.items():
            if any(x == y or (x in self.heights and self.heights[x].coordinates) for x in height.coordinates):
                raise undecided("a height depends on a coordinate that has a height")

    @functools.cached_property
    def facts(self) -> str:
        """Condition: the case's conditions hold, and the heights make a game."""
        conditions = [read(c, self.names).natural for c in self.written["conditions"]]
        if self.family.with_power is not None:  # cases have no conditions of their own then
            conditions = [self.reader.truth(self.family.condition, self.values), (named(POWER) - ONE).natural]
            conditions += [named(name).natural for value in self.values.values() for name, _ in value.items]
        naturals = [named(name).natural for name in sorted(self.names)]
        return both(*naturals, *conditions, *self.reader.definitions, is_game(self.heights.values()))

    @functools.cached_property
    def game(self) -> Game:
        may = {VALUE}
        tracks = {**self.relation.shifts, CONSTANT: self.relation.constant, TARGET: ZERO - self.relation.offset}
        for track, least in tracks.items():
            if least.is_number:
                may |= {track} if least.number < 0 else set()
            elif not unsatisfiable(track, both(self.facts, contrary(least.natural))):
                may.add(track)
        family = self.family
        return Game(family.coordinates, family.clips, self.heights, self.relation, family.is_grundy, frozenset(may))

    def written_otherwise(self) -> str:
        """Counterexample: the certificate displays another game, relation or counter than the checked one."""
        said, relation = self.written, self.relation
        heights = {
            y: {
                "function": height.function,
                "parts": [
                    {
                        "terms": {x: a for x, a in part.dividend.factors.items() if x},
                        "constant": part.dividend.factors[""],
                        "divisor": part.divisor,
                    }
                    for part in height.parts
                ],
            }
            for y, height in self.heights.items()
        }
        own = {"heights": heights, "shifts": relation.shifts, "constant": relation.constant}
        differing = [*self.differences({key: said[key] for key in own}, own)]
        differing += self.differences(said["offset"], ZERO - relation.offset)
        for one in said.get("obligations", []):
            for location in one["locations"]:
                counters = Obligation(self.game, one["kind"], one.get("move")).counters(location.get("move"))
                shown = location.get("counters", {})
                if not shown.keys() <= counters.keys():
                    raise undecided("there is no such counter")
                differing += self.differences(shown, {name: counters[name] for name in shown})
        conditions = [*dict.fromkeys(difference.zero for difference in differing)]
        if self.family.with_power is not None:  # conditions that are for people alone
            conditions += [read(c, self.names).natural for c in said["conditions"]]
        return both(self.facts, either(*map(contrary, conditions)))

    def differences(self, shown: Any, own: Any) -> Iterator[Sum]:
        """Yield the differences between sums at the same places in two documents; a sum that is not there is 0."""
        match own:
            case Sum():
                yield read(shown, self.names) - own
            case dict():
                for key in {**shown, **own}:
                    yield from self.differences(shown.get(key, {}), own.get(key, ZERO))
            case list() if len(own) == len(shown):
                for one, other in zip(shown, own, strict=True):
                    yield from self.differences(one, other)
            case _ if shown != own:
                raise undecided("the certificate shows another game than is checked")

    def conditions(self, is_proof: bool) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples, with names; each must be unsatisfiable together with `facts`."""
        written, power = self.written, self.family.with_power
        if self.family.where or not is_proof:
            if (power is None) != ("digits" not in written) or written.get("obligations"):
                raise undecided("obligations on words, or digits, where there are none")
            position = {x: read(s, self.names) for x, s in written.get("position", {}).items()}
            if power is not None:
                if is_proof:
                    raise undecided("a proof for powers of 2")
                parts = {
                    x: (read(d["high"], self.names), read(d["low"], self.names)) for x, d in written["digits"].items()
                }
                place = PowerPlace(self.game, self.inside, self.values[power_of(power)], position, parts)
                yield "position", place.contradiction()
                return
            if self.inside or is_proof:
                yield from self.few_values.closure(self.largest)
            if is_proof:
                yield from self.few_values.consistent(self.largest)
            else:
                if not all(
                    y in position and position[y].is_number and 0 <= position[y].number <= MOST_VALUES
                    for y in self.heights
                ):
                    raise undecided("a limited coordinate of the position is no small number")
                yield "position", self.few_values.failure(position)
        elif "formula" in written:
            if not self.family.is_grundy or written.get("obligations") or power is not None:
                raise undecided("options and lemmas, where Grundy numbers are no formula by cases")
            yield from ByCases(self, written["formula"]).conditions()
        else:
            for invariant in self.invariants():
                name = "-".join(filter(None, (invariant.obligation.kind, invariant.obligation.move)))
                for condition, body in invariant.conditions():
                    yield f"{name}-{condition}", body

    @functools.cached_property
    def few_values(self) -> FewValues:
        return FewValues(self.game, self.inside)

    @property
    def largest(self) -> Mapping[str, int]:
        if "largest" not in self.written:
            raise undecided("the largest values of limited coordinates are missing")
        return dict(self.written["largest"])

    def invariants(self) -> Iterator[Invariant]:
        """Yield the obligations on words, each with its invariant in the certificate."""
        wanted: list[tuple[str, str | None]] = [("exclusion", x) for x in self.game.clips]
        wanted += [("option", None), *([(VALUE, None)] if self.game.is_grundy else [])]
        given = self.written.get("obligations", [])
        written = {(one["kind"], one.get("move")): one["locations"] for one in given}
        if len(written) < len(given) or written.keys() != {*wanted} or not all(written.values()):
            raise undecided("obligations are missing, or are there twice")
        for kind, move in wanted:
            obligation, said = Obligation(self.game, kind, move), written[kind, move]
            if len(obligation.tracks) > MOST_TRACKS:
                raise undecided(f"words have more than {MOST_TRACKS} tracks")
            yield Invariant(obligation, [Location(obligation, one, self.names, len(said)) for one in said])


# ---- Words of digits: the coordinates are read together, the sign first, then from the highest digit on. A key holds the
# comparisons of the digits so far. Counters are sums of the numbers read so far; invariants are guesses about counters.

Digits = dict[str, int]
Orders = tuple[tuple[str, str], ...]
Key = tuple[bool, str | None, Orders]  # whether a move is chosen or none is asked for, which, and what is less already


def legal(track: str, part: int) -> str:
    """Return the name of the counter of a part of a height, for the number on a track."""
    return f"legal{part + 1 if part else ''}({track})"


class Obligation:
    """One obligation on a case.

    Of an ``exclusion``: no option of a position in the relation is in it. Of an ``option``: every other position, or every
    smaller value, has an option in the relation. Of a ``value``: no value is negative.
    """

    def __init__(self, game: Game, kind: str, move: str | None) -> None:
        self.game, self.kind, self.move = game, kind, move
        self.tracks = [*game.coordinates]  # whose digits somebody else chooses
        if game.relation.constant and not (kind == "exclusion" and game.is_grundy):
            self.tracks.append(CONSTANT)
        if kind == "option" and game.is_grundy:
            self.tracks.append(TARGET)

    def counters(self, move: str | None) -> dict[str, Numbers]:
        """Return the counters with their forms, after the choice of a move or before it."""
        game = self.game
        counters: dict[str, Numbers] = {f"count({x})": {x: ONE} for x in game.coordinates if game.shift(x)}
        more = [t for t in (CONSTANT, TARGET) if t in self.tracks] + [VALUE] * (self.kind == VALUE)
        counters |= {f"count({t})": {t: ONE} for t in more}
        counters |= self.legal(game.heights, ())
        if move is not None:
            changed = game.changed(move)
            counters |= {f"count({x}')": {f"{x}'": ONE} for x in changed if game.shift(x)}
            counters |= self.legal(changed[1:], changed)
        return counters

    def legal(self, limited: Iterable[str], changed: Sequence[str]) -> dict[str, Numbers]:
        """Return the counters of the parts of heights, at a position or at an option with some coordinates changed."""
        option, counters = {x: f"{x}'" for x in changed}, dict[str, Numbers]()
        for y in limited:
            for i, part in enumerate(self.game.heights[y].parts):
                forms = {**part.dividend.factors, y: ZERO - part.divisor}
                counters[legal(option.get(y, y), i)] = {option.get(x, x): a for x, a in forms.items() if x}
        return counters

    def after(self, here: Key | None, there: Key, read_now: Digits) -> dict[str, Sum]:
        """Return the counters after a step, as sums of the counters before it; `here` is None at the start."""
        counters, old = dict[str, Sum](), self.counters(here[1]) if here else {}
        for name, form in self.counters(there[1]).items():
            more = functools.reduce(Sum.__add__, (a.times(read_now[track]) for track, a in form.items()), ZERO)
            if here is None:  # the digit of the sign
                counters[name] = ZERO - more
                continue
            before = name if name in old else name.replace("'", "")  # until now the option was the position itself
            counters[name] = named(before).times(2) + more
        return counters

    @functools.cached_property
    def given(self) -> str:
        """Condition: the whole word spells a position, with its constant and target."""
        game = self.game
        conditions = [(named(f"count({x})") - game.shift(x)).natural for x in game.coordinates if game.shift(x)]
        for y, height in game.heights.items():
            conditions.append(height.joined(game.rooms(y, y)))
        if TARGET in self.tracks:
            conditions.append((named(f"count({TARGET})") + game.relation.offset).natural)
        if CONSTANT in self.tracks:
            conditions.append((named(f"count({CONSTANT})") - game.relation.constant).zero)
        return both(*conditions)

    def goal(self, key: Key) -> str:
        """Condition that must hold if the word ends here."""
        is_settled, move, orders = key
        if self.kind == VALUE:
            return f"(=> {self.given} {(named(f'count({VALUE})') + self.game.relation.offset).natural})"
        if not is_settled:
            return "true"
        assert move is not None
        option = self.is_option(move, dict(orders))
        return contrary(both(self.given, option)) if self.kind == "exclusion" else f"(=> {self.given} {option})"

    def is_option(self, move: str, orders: Mapping[str, str]) -> str:
        """Condition: the move leads to an option."""
        if orders[move] == "equal":
            return "false"
        game, conditions = self.game, list[str]()
        if game.shift(move):
            conditions.append((named(f"count({move}')") - game.shift(move)).natural)
        for y in game.changed(move)[1:]:
            height, rooms = game.heights[y], game.rooms(y, f"{y}'")
            conditions.append(height.joined(rooms))
            if orders[y] == "less":
                more = (room - part.divisor for room, part in zip(rooms, height.parts, strict=True))
                conditions.append(contrary(height.joined(more)))
        return both(*conditions)

    def choices(self, tracks: Sequence[str], is_sign: bool) -> Iterator[Digits]:
        """Yield all choices of digits on tracks."""
        ranges = [(0, 1) if not is_sign or t.rstrip("'") in self.game.negative else (0,) for t in tracks]
        yield from (dict(zip(tracks, chosen, strict=True)) for chosen in itertools.product(*ranges))

    def nim_sum(self, read_now: Digits, changed: Sequence[str] = ()) -> int:
        """Return the nim-sum of a position's digits, or of an option's if some coordinates are changed."""
        digits = (read_now[f"{x}'" if x in changed else x] for x in self.game.relation.shifts)
        return functools.reduce(int.__xor__, digits, read_now.get(CONSTANT, 0))

    def lowered(self, move: str, orders: Orders, read_now: Digits, is_sign: bool) -> Orders | None:
        """Return the orders after a step; None if the option's digits are not allowed."""
        lowered = []
        for x, order in orders:
            own, other = read_now[x], read_now[f"{x}'"]
            if order == "equal" and own != other:
                if (other < own) == is_sign or not (x == move or self.game.clips[move]):
                    return None
                order = "less"
            lowered.append((x, order))
        return tuple(lowered)

    @property
    def start(self) -> Key:
        """The key before the first digit."""
        return (self.kind != "option", None, ()) if self.move is None else (True, self.move, self.equal(self.move))

    def equal(self, move: str) -> Orders:
        """Return the orders of a move before the first digit."""
        return tuple((x, "equal") for x in self.game.changed(move))


class Location:
    """A location of a certificate: a key, and an invariant in its counters and the names of the case."""

    def __init__(self, obligation: Obligation, written: Mapping[str, Any], own: Collection[str], size: int) -> None:
        move, kind = written.get("move"), obligation.kind
        if move is not None and move not in obligation.game.clips:
            raise undecided("a location has a move that there is not")
        changed = obligation.game.changed(move) if move is not None else ()
        if written["orders"].keys() != {*changed}:
            raise undecided("a location has other orders than its move")
        if (move is not None) != (written["settled"] and kind != VALUE):
            raise undecided("a location has a move too early, or none")
        if obligation.move not in (None, move):
            raise undecided("a location has another move than its obligation")
        self.is_start, self.states, self.strategy = written["start"], written["states"], written.get("strategy", [])
        counters = set() if self.is_start else obligation.counters(move).keys()
        names = {*own, *counters}
        self.parities: dict[str, int] = written.get("parities", {})
        if not self.parities.keys() <= counters:
            raise undecided("a parity of what is no counter")
        self.key: Key = (written["settled"], move, tuple((x, written["orders"][x]) for x in changed))
        self.never = [[read(s, names) for s in part] for part in written.get("never", [])]
        self.equalities = [read(s, names) for s in written.get("equalities", [])]
        self.predicates = [read(s, names) for s in written.get("predicates", [])]
        if any(len(state) != len(self.predicates) or {*state} - {*"01"} for state in self.states):
            raise undecided("a state is not one digit for each predicate")
        if not all(0 <= answer["to"] < size for step in self.strategy for answer in step["answers"]):
            raise undecided("an answer leads to no location")

    @property
    def is_bare(self) -> bool:
        """Whether its invariant is true of all numbers."""
        return not (self.never or self.equalities or self.parities or self.predicates) and self.states == [""]

    def is_never(self, values: Numbers) -> str:
        """Condition: one of `never` holds for these values of the counters."""
        return either(*(both(*(s.put(values).natural for s in part)) for part in self.never))

    def facts(self, values: Numbers) -> str:
        """Condition: the equalities and parities hold."""
        parities = (f"(= (mod {named(n).put(values).text} 2) {r})" for n, r in self.parities.items())
        return both(*(e.put(values).zero for e in self.equalities), *parities)

    def state(self, number: int, values: Numbers) -> str:
        """Condition: the predicates have the truth values of one state."""
        holds = [p.put(values).natural for p in self.predicates]
        bits = zip(holds, self.states[number], strict=True)
        return both(*(one if bit == "1" else contrary(one) for one, bit in bits))

    def some_state(self, values: Numbers) -> str:
        return either(*(self.state(i, values) for i in range(len(self.states))))

    def invariant(self, values: Numbers) -> str:
        return either(self.is_never(values), both(self.facts(values), self.some_state(values)))


class Invariant(NamedTuple):
    """An obligation with the locations of a certificate, which `conditions` verify."""

    obligation: Obligation
    locations: Sequence[Location]

    def conditions(self) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples, with names."""
        start, is_option = self.locations[0], self.obligation.kind == "option"
        # Whatever else is said of the start, even that 1 = 0, would be supposed of every word.
        if not start.is_start or start.key != self.obligation.start or not start.is_bare:
            raise undecided("the first location is not the start")
        if is_option:
            yield from self.never_ends()
        for number, here in enumerate(self.locations):
            if here.is_start != (number == 0):
                raise undecided("there are two starts")
            yield f"step-{number}", self.answers(here) if is_option else self.steps(here)
            if not here.is_start:
                yield f"goal-{number}", both(self.before(here), contrary(self.obligation.goal(here.key)))

    def before(self, here: Location) -> str:
        """Condition: the invariant. For options without `never`: such words spell no position (`never_ends`)."""
        if self.obligation.kind != "option":
            return here.invariant({})
        return both(here.facts({}), here.some_state({}), contrary(here.is_never({})))

    def steps(self, here: Location) -> str:
        """Counterexample: some step leads out of the invariants. All digits are chosen by the opponent."""
        obligation, move, wrong = self.obligation, self.obligation.move, list[str]()
        changed = obligation.game.changed(move) if move else ()
        for chosen in obligation.choices((*obligation.tracks, *(f"{x}'" for x in changed)), here.is_start):
            orders: Orders | None = ()
            if move:
                own, other = obligation.nim_sum(chosen), obligation.nim_sum(chosen, changed)
                if own != other or (not obligation.game.is_grundy and own):
                    continue
                orders = obligation.lowered(move, here.key[2], chosen, here.is_start)
            if orders is None:
                continue
            there = (True, move, orders)
            read_now = chosen | {VALUE: obligation.nim_sum(chosen)}
            values = obligation.after(None if here.is_start else here.key, there, read_now)
            following = [other for other in self.locations[1:] if other.key == there]
            wrong.append(contrary(either(*(other.invariant(values) for other in following))))
        return both(self.before(here), either(*wrong))

    def never_ends(self) -> Iterator[tuple[str, str]]:
        """Counterexamples: a `never` of an option obligation ends after some digits, or holds at a position.

        `never` depends on the position alone, so the answers of the strategy do not matter.
        """
        obligation, key = self.obligation, (False, None, ())
        own = obligation.counters(None).keys()
        for number, here in enumerate({here.is_never({}): here for here in self.locations if here.never}.values()):
            if not {name for part in here.never for s in part for name, _ in s.items if "(" in name} <= own:
                raise undecided("what never becomes a position speaks of an option")
            ends = [
                contrary(here.is_never(obligation.after(key, key, chosen)))
                for chosen in obligation.choices(obligation.tracks, False)
            ]
            yield f"never-{number}", both(here.is_never({}), either(obligation.given, *ends))

    def answers(self, here: Location) -> str:
        """Counterexample: the opponent chooses digits for which the strategy leads out of the invariants."""
        obligation, wrong = self.obligation, list[str]()
        written = {frozenset(step["digits"].items()): step["answers"] for step in here.strategy}
        if len(written) < len(here.strategy):
            raise undecided("a strategy has two answers to the same digits")
        for chosen in obligation.choices(obligation.tracks, here.is_start):
            target = chosen.get(TARGET, 0)
            differs = obligation.nim_sum(chosen) != target
            is_larger = obligation.game.is_grundy and bool(target) != here.is_start
            if not here.key[0] and differs and is_larger:
                continue  # nobody asks for a target above the value
            unanswered = {*range(len(here.states))}
            for answer in written.get(frozenset(chosen.items()), ()):
                if not {*answer["states"]} <= unanswered:
                    raise undecided("a strategy has two answers, or answers for no state")
                unanswered -= {*answer["states"]}
                there, values = self.answered(here, chosen, differs, answer)
                states = either(*(here.state(i, {}) for i in sorted({*answer["states"]})))
                wrong.append(both(states, contrary(there.invariant(values))))
            wrong += [here.state(i, {}) for i in sorted(unanswered)]
        return both(self.before(here), either(*wrong))

    def answered(
        self, here: Location, chosen: Digits, differs: bool, answer: Mapping[str, Any]
    ) -> tuple[Location, Numbers]:
        """Return the location after an answer, and the counters there; refuse answers that are no moves."""
        obligation, own = self.obligation, answer["digits"]
        is_settled, move, orders = here.key
        there: Key = (False, None, ())
        if is_settled or differs:
            if not is_settled:
                move = answer.get("move")
                if move is None or move not in obligation.game.clips:
                    raise undecided("a strategy makes a move that there is not")
                orders = obligation.equal(move)
            assert move is not None
            changed = obligation.game.changed(move)
            tracks = [f"{x}'" for x in changed]
            if own.keys() != {*tracks} or (is_settled and answer.get("move") not in (None, move)):
                raise undecided("an answer has other digits or another move than are asked for")
            if own not in obligation.choices(tracks, here.is_start):
                raise undecided("an answer has a digit that no option has")
            chosen = chosen | own
            after = obligation.lowered(move, orders, chosen, here.is_start)
            if after is None or obligation.nim_sum(chosen, changed) != chosen.get(TARGET, 0):
                raise undecided("an answer is larger than the position, or has another nim-sum")
            there = (True, move, after)
        elif own or answer.get("move") is not None:
            raise undecided("an answer before the nim-sum differs")
        location = self.locations[answer["to"]]
        if location.is_start or location.key != there:
            raise undecided("an answer leads to another location than it says")
        return location, obligation.after(None if here.is_start else here.key, there, chosen)


# ---- Few values: the coordinates with heights are small numbers. A place gives each coordinate a sum; it is consistent if
# it is in the relation, or has an option that is, and not both.

LOWERED = "lowered()"  # the lowered coordinate of an option


class FewValues:
    """The game, the relation and its domain: sums of coordinates that are at least 0."""

    def __init__(self, game: Game, inside: Sequence[Sum]) -> None:
        relation, heights = game.relation, game.heights
        self.game, self.inside = game, inside
        self.free = [x for x in game.coordinates if x not in heights]
        if game.is_grundy or relation.shifts.keys() != {*game.coordinates}:
            raise undecided("only P-positions, by all coordinates, have such conditions")
        if not all(relation.shifts[y].is_number for y in heights):
            raise undecided("a parameter is added to a limited coordinate")
        if any(height.coordinates & heights.keys() for height in heights.values()):
            # Lowering y would let others fall, and only free coordinates are looked at for that.
            raise undecided("a height depends on a limited coordinate")
        if not relation.constant.is_number or len(self.free) > 2:
            raise undecided("a nim-sum of more than two sums of names")

    def consistent(self, largest: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Counterexamples: a place inside is not consistent, for each choice of limited coordinates."""
        for name, place in self.places(largest):
            related, reaches = self.is_related(place), either(*self.related(place))
            # Written out, which takes z3 half of the time of (not (xor …)).
            wrong = either(both(related, reaches), both(contrary(related), contrary(reaches)))
            yield f"consistent-{name}", both(self.is_here(place), wrong)

    def failure(self, place: Numbers, *facts: str) -> str:
        """Counterexample: for some parameters a place is no position, a fact does not hold, or it is consistent."""
        if place.keys() != {*self.game.coordinates}:
            raise undecided("the position has other coordinates than the game")
        consistent = f"(xor {self.is_related(place)} {either(*self.related(place))})"
        return either(contrary(both(self.is_here(place), *facts)), consistent)

    def closure(self, largest: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Counterexamples: a limited coordinate is larger inside, or an option of a position inside is outside."""
        if largest.keys() != self.game.heights.keys():
            raise undecided("not the limited coordinates have a largest value")
        if any(not 0 <= most <= MOST_VALUES for most in largest.values()):
            raise undecided("a largest value is no small number")
        free = {x: named(coordinate(x)) for x in self.free}
        bounds = [p for p in self.inside if {x for x, a in p.factors.items() if x and a} <= free.keys()]
        for y, most in largest.items():
            known = [value.natural for value in (*free.values(), *bounds)]
            yield f"largest-{y}", both(*known, self.game.heights[y].allows(free, Sum(most + 1)))
        for name, place in self.places(largest):
            left = [
                both(self.game.is_option(place, option, x), contrary(self.is_inside(option)))
                for x in self.game.clips
                for option in ({**fallen, x: named(LOWERED)} for fallen in self.fallen(place, x))
            ]
            yield f"inside-{name}", both(self.is_here(place), either(*left))

    def places(self, largest: Mapping[str, int]) -> Iterator[tuple[str, Numbers]]:
        free = {x: named(coordinate(x)) for x in self.free}
        for values in itertools.product(*(range(most + 1) for most in largest.values())):
            yield "-".join(map(str, values)), {**free, **dict(zip(largest, map(Sum, values), strict=True))}

    def is_here(self, place: Numbers) -> str:
        """Condition: a place is a position inside."""
        return both(self.game.is_position(place), self.is_inside(place))

    def is_inside(self, place: Numbers) -> str:
        return both(*(part.at(place).natural for part in self.inside))

    def smaller(self, place: Numbers, y: str) -> Iterator[Sum]:
        """Yield the smaller values of a limited coordinate."""
        yield from map(Sum, range(place[y].number))

    def fallen(self, place: Numbers, x: str) -> Iterator[Numbers]:
        """Yield the place with all values of the other coordinates after a move of x."""
        others, clips = self.game.changed(x)[1:], self.game.clips[x]
        for values in itertools.product(*([place[y], *(self.smaller(place, y) if clips else ())] for y in others)):
            yield {**place, **dict(zip(others, values, strict=True))}

    def related(self, place: Numbers) -> Iterator[str]:
        """Conditions: an option is in the relation if and only if one of them holds."""
        for x in self.game.clips:
            if x in self.game.heights:
                for option in ({**place, x: lower} for lower in self.smaller(place, x)):
                    yield both(self.game.is_option(place, option, x), self.is_related(option))
                continue
            for fallen in self.fallen(place, x):
                for when, value in self.solutions(fallen, x):
                    yield both(when, self.game.is_option(place, {**fallen, x: value}, x))

    def is_related(self, place: Numbers) -> str:
        x = (self.free or self.game.coordinates)[0]
        return either(*(both(when, (place[x] - value).zero) for when, value in self.solutions(place, x)))

    def solutions(self, place: Numbers, x: str) -> Iterator[tuple[str, Sum]]:
        """Yield the value of x for which the nim-sum is 0, by cases: pairs of a condition and a sum."""
        number, others = self.game.relation.constant.number, list[Sum]()
        for value in (place[name] + self.game.shift(name) for name in self.game.coordinates if name != x):
            if value.is_number:
                number ^= value.number
            else:
                others.append(value)
        if not others:
            yield "true", Sum(number) - self.game.shift(x)
            return
        (other,), size = others, 2
        while not -size <= number < size:
            size *= 2
        for rest in range(size):
            # The digits above are those of the other one, all of them changed if the number is negative.
            high = other - Sum(rest) if number >= 0 else Sum(rest - size) - other
            yield f"(= (mod {other.text} {size}) {rest})", high + Sum((rest ^ number) % size) - self.game.shift(x)


# ---- Powers of 2. A certificate gives the coordinates of a place in two parts, above and below a base that is a power of 2.
# Lemmas on products hold for all integers, so they exclude no counterexample.

BELOW = "below()"  # the lower part of the limited coordinate of an option: any number below the base
Parts = tuple[Sum, Sum]  # the upper and the lower part of a number


def power_in(value: Sum) -> Sum:
    """Return the largest power of 2 that divides 2n+1 or 2·p_2·(2n+1); all numbers except 0 have this form."""
    for n in value.names - {POWER}:
        for base in (ONE, named(POWER).times(2)):
            if value == base.by(named(n).times(2) + ONE):
                return base
    raise undecided("a parameter with a power of 2 is neither 2n+1 nor 2·p_2·(2n+1)")


class PowerPlace(FewValues):
    """A place of a game with one limited coordinate, for a base that is a power of 2."""

    def __init__(
        self, game: Game, inside: Sequence[Sum], base: Sum, place: Numbers, parts: Mapping[str, Parts]
    ) -> None:
        super().__init__(game, inside)
        self.base, self.place = base, place
        coordinates, shifts = {*game.coordinates}, game.relation.shifts
        one = [*game.heights.values()]
        if len(one) != 1 or len(one[0].parts) != 1:
            raise undecided("a limited coordinate with one quotient as its height is needed")
        if game.relation.constant or not self.free or any(shifts[y] for y in game.heights):
            raise undecided("one limited coordinate without a shift, and one or two others, are needed")
        if not all(a.is_number and a.number <= 0 for form in inside for x, a in form.factors.items() if x):
            raise undecided("an option may be where nothing is stated")
        if place.keys() != coordinates or parts.keys() != coordinates:
            raise undecided("the position has other coordinates than the game")
        (self.limited,) = game.heights
        numbers = [parts[self.limited][0], *(parts[x][1] for x in self.free)]
        if not all(n.is_number and 0 <= n.number <= MOST_VALUES for n in numbers):
            raise undecided("a part of a coordinate that must be a small number is none")
        self.lower = [(Sum(n), named(BELOW)) for n in range(numbers[0].number + 1)]
        self.parts = {place[x] + game.shift(x): part for x, part in parts.items()}  # by what they are the parts of
        if len(self.parts) < len(parts):  # the parts of one could be taken for those of another
            raise undecided("two coordinates of the position are the same sum")

    def contradiction(self) -> str:
        """Counterexample: for some member the place is no position, or it is consistent."""
        below = named(BELOW)
        facts = list[str]()
        for value, (upper, lower) in self.parts.items():
            facts += [(value - self.base.by(upper) - lower).zero, lower.natural, (self.base - ONE - lower).natural]
        failure = self.failure(self.place, *facts)
        is_low = both(below.natural, (self.base - ONE - below).natural)
        return both(*self.products(self.place[self.limited] - below), is_low, failure)

    def products(self, drop: Sum) -> Iterator[str]:
        """Yield lemmas: a product of natural factors is natural."""
        divisor, power = self.game.heights[self.limited].parts[0].divisor, named(POWER)
        pairs = [(drop - Sum(i), divisor - Sum(j)) for i in range(3) for j in range(5)] + [(drop.times(-1), divisor)]
        names = sorted({n for s in (divisor, *self.place.values()) for n, _ in s.items})
        pairs += [(power - ONE, named(n)) for n in names]
        # Every name of a case is natural, and so is every product of them; a quotient in a divisor may be negative.
        yield from (named(n).natural for n in names if NEW not in n)
        yield from (f"(=> {both(a.natural, b.natural)} {a.by(b).natural})" for a, b in pairs)

    def smaller(self, place: Numbers, y: str) -> Iterator[Sum]:
        """Yield the numbers whose upper part is not larger; `is_option` excludes those that are not smaller."""
        for upper, below in self.lower:
            value = self.base.by(upper) + below
            self.parts[value] = upper, below
            yield value

    def solutions(self, place: Numbers, x: str) -> Iterator[tuple[str, Sum]]:
        """Yield the value of x for which the nim-sum is 0, by cases: upper and lower parts each have the nim-sum 0."""
        (upper, lower) = next((self.parts[place[o] + self.game.shift(o)] for o in self.free if o != x), (ZERO, ZERO))
        high, low = self.parts[place[self.limited]]
        above, below = 1 << high.number.bit_length(), 1 << lower.number.bit_length()
        for r, t in itertools.product(range(above), range(below)):
            up, down = upper + Sum((r ^ high.number) - r), low + Sum((t ^ lower.number) - t)
            when = both(f"(= (mod {upper.text} {above}) {r})", f"(= (mod {low.text} {below}) {t})")
            yield when, self.base.by(up) + down - self.game.shift(x)


# ---- Grundy numbers that are a formula by cases. A certificate lists the options to try, and the sums that need lemmas on
# products. Every name is an integer; the lemmas hold for all integers.

RESULT, ASKED = "value()", "target()"


class ByCases:
    """A formula for the Grundy number in one case, with the options and lemmas of a certificate."""

    def __init__(self, case: Case, written: Mapping[str, Any]) -> None:
        self.family, self.reader, self.values, self.written = case.family, case.reader, case.values, written
        self.game, self.names = case.game, case.names
        self.place: Numbers = {x: named(coordinate(x)) for x in self.family.coordinates}
        self.numbers = [f"number({i})" for i, _ in enumerate(written["quotients"], start=1)]
        self.moves = [
            (lowered, fallen)
            for lowered, clips in self.game.clips.items()
            for count in range(len(self.game.changed(lowered)) if clips else 1)
            for fallen in itertools.combinations(self.game.changed(lowered)[1:], count)
        ]
        self.remainders: dict[str, tuple[ast.BinOp, int]] = {}  # by their texts
        for part in ast.walk(self.family.relation):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod) and self.family.moves(part):
                by = self.reader.sum(part.right, self.values)
                if not by.is_number or by.number < 1:
                    raise undecided("a remainder by what is no positive number")
                self.remainders[ast.unparse(part)] = part, by.number
        if math.prod(by for _, by in self.remainders.values()) > MOST_CHOICES:
            raise undecided(f"more than {MOST_CHOICES} choices of remainders")

    def conditions(self) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples to the formula, with names."""
        parts = (part for part in ast.walk(self.family.relation) if isinstance(part, ast.BinOp))
        divisors = [part.right for part in parts if isinstance(part.op, ast.FloorDiv) and self.family.moves(part)]
        positive = both(*((self.reader.sum(d, self.values) - ONE).natural for d in divisors))
        yield "divisors", both(contrary(positive), *self.reader.definitions)
        value, target = named(RESULT), named(ASKED)
        here = both(self.game.is_position(self.place), self.is_value(self.place, value))
        bodies = {"value": both(here, contrary(value.natural))}
        for lowered, fallen in self.moves:
            option = {**self.place, **{x: named(f"option({x})") for x in (lowered, *fallen)}}
            same = self.is_value(option, value)
            name = "-".join(["exclusion", lowered, *fallen])
            bodies[name] = both(here, self.game.is_option(self.place, option, lowered), same)
        smaller = [target.natural, (value - target - ONE).natural]
        bodies["option"] = both(here, *smaller, *self.quotients(), *map(contrary, self.options(target)))
        if self.written["lemmas"].keys() != bodies.keys():
            raise undecided("lemmas of other conditions than there are")
        for name, body in bodies.items():
            sentence = both(*map(self.lemma, self.written["lemmas"][name]), body)
            yield name, both(sentence, *self.of_products(sentence), *self.reader.definitions)

    def quotients(self) -> Iterator[str]:
        """Yield the definitions of the certificate's quotients, for positive divisors."""
        for i, quotient in enumerate(self.written["quotients"]):
            divisor = read(quotient["divisor"], self.names)
            rest = self.read(quotient["dividend"], i) - divisor.by(named(self.numbers[i]))
            yield f"(=> {(divisor - ONE).natural} {both(rest.natural, (divisor - ONE - rest).natural)})"

    def read(self, written: Mapping[str, int], quotients: int) -> Sum:
        """Return a sum of parameters, the position, the smaller value, and the first `quotients` quotients."""
        known = {*self.names, *map(coordinate, self.place), ASKED}
        return read(written, {*known, *self.numbers[:quotients]})

    def options(self, target: Sum) -> Iterator[str]:
        """Conditions: an option of the certificate is an option, and has the smaller value."""
        for option in self.written["options"]:
            move, fallen = option["move"], tuple(option["fallen"])
            if (move, fallen) not in self.moves:
                raise undecided("an option by a move that there is not")
            if option["changed"].keys() != {move, *fallen}:
                raise undecided("an option does not say what the move changes")
            place = {**self.place, **{x: self.read(s, len(self.numbers)) for x, s in option["changed"].items()}}
            yield both(self.game.is_option(self.place, place, move), self.is_value(place, target))

    def lemma(self, written: Mapping[str, int]) -> str:
        """Lemma on a sum d and its product D with a natural number m: D ≥ m, D ≤ -m or D = 0."""
        known = {*self.names, *self.numbers, RESULT, ASKED}
        known |= {f"{kind}({x})" for kind in ("position", "option") for x in self.place}
        if (m := self.written.get("factor")) not in self.names:
            raise undecided("lemmas on products with what is no parameter of the case")
        d, factor = read(written, known), named(m)
        whole = factor.by(d)
        up = f"(=> {(d - ONE).natural} {(whole - factor).natural})"
        down = f"(=> {(d.times(-1) - ONE).natural} {(whole.times(-1) - factor).natural})"
        return both(up, down, f"(=> {d.zero} {whole.zero})")

    def of_products(self, text: str) -> Iterator[str]:
        """Yield lemmas: a product with a parameter that is 0 or 1."""
        for name in sorted({*QUOTED.findall(text)}):
            factors = name.split(TIMES)
            for m, other in (factors, factors[::-1]) if len(factors) == 2 else ():
                if m in self.names:
                    yield f"(=> (= |{m}| 0) {named(name).zero})"
                    yield f"(=> (= |{m}| 1) {(named(name) - named(other)).zero})"

    def is_value(self, place: Numbers, value: Sum) -> str:
        """Condition: the formula has a value at a place. Exactly one choice of remainders applies."""
        choices = []
        for numbers in itertools.product(*(range(by) for _, by in self.remainders.values())):
            chosen = dict(zip(self.remainders, numbers, strict=True))
            when = [
                f"(= (mod {self.at(part.left, place).text} {by}) {chosen[said]})"
                for said, (part, by) in self.remainders.items()
            ]
            node = self.with_remainders(self.family.relation, chosen)
            choices.append(both(*when, *(self.compared(node, place, value, sign) for sign in (1, -1))))
        return either(*choices)

    def with_remainders(self, node: ast.expr, chosen: Mapping[str, int]) -> ast.expr:
        """Replace remainders by numbers, and products with 0 by 0."""
        if (number := chosen.get(ast.unparse(node))) is not None:
            return ast.Constant(number)
        match node:
            case ast.BinOp(left, operation, right):
                parts = [self.with_remainders(part, chosen) for part in (left, right)]
                known = [self.reader.sum(part, self.values) for part in parts if not self.family.moves(part)]
                if isinstance(operation, ast.Mult) and ZERO in known:
                    return ast.Constant(0)
                return ast.BinOp(parts[0], operation, parts[1])
            case ast.UnaryOp(operation, part):
                return ast.UnaryOp(operation, self.with_remainders(part, chosen))
            case ast.Call(function, parts, []):
                return ast.Call(function, [self.with_remainders(part, chosen) for part in parts], [])
            case _:
                return node

    def at(self, node: ast.expr, place: Numbers) -> Sum:
        """Read a sum, for a place."""
        return self.family.linear(node, self.reader, self.values).at(place)

    def compared(self, node: ast.expr, place: Numbers, bound: Sum, sign: int) -> str:
        """Condition: a part of the formula is at least a bound; with the sign -1, at most."""
        is_sum = self.family.is_sum
        if is_sum(node):
            return (self.at(node, place) - bound).times(sign).natural
        match node:
            case ast.UnaryOp(ast.USub(), part):
                return self.compared(part, place, bound.times(-1), -sign)
            case ast.BinOp(left, ast.Add(), right) if is_sum(left):
                return self.compared(right, place, bound - self.at(left, place), sign)
            case ast.BinOp(left, ast.Add() | ast.Sub() as by, right) if is_sum(right):
                more = self.at(right, place).times(-1 if isinstance(by, ast.Add) else 1)
                return self.compared(left, place, bound + more, sign)
            case ast.BinOp(left, ast.Sub(), right) if is_sum(left):
                return self.compared(right, place, self.at(left, place) - bound, -sign)
            case ast.BinOp(left, ast.Mult(), right):
                number, part = (right, left) if self.family.moves(left) else (left, right)
                if self.family.moves(number):
                    raise undecided("a product of what is no number")
                factor = self.reader.sum(number, self.values)
                if factor not in (ONE, ZERO - ONE):
                    raise undecided("a multiple of what is no sum")
                return self.compared(part, place, bound.times(factor.number), sign * factor.number)
            case ast.BinOp(left, ast.FloorDiv(), right):
                divisor = self.reader.sum(right, self.values)
                rest = ZERO if sign > 0 else divisor - ONE
                return self.compared(left, place, divisor.by(bound) + rest, sign)
            case ast.Call(ast.Name("min" | "max" as function), parts, []) if parts:
                join = either if (function == "max") == (sign > 0) else both
                return join(*(self.compared(part, place, bound, sign) for part in parts))
        raise undecided("a part of the formula that cannot be compared with a sum")


# ---- Members: the family with numbers for its parameters, compared with the definition.

Position = tuple[int, ...]


class Member:
    """One game of the family, by the definition."""

    def __init__(self, family: Family, values: Mapping[str, int]) -> None:
        self.family, self.values = family, values
        self.known: Mapping[str, int] = values
        if family.defaults is not None:
            self.known = {**family.defaults, **{key: value_of(part, values) for key, part in family.arguments.items()}}
        numbers = {name: Sum(n) for name, n in values.items()}
        if family.with_power is not None:
            n = values[family.with_power]
            numbers[power_of(family.with_power)] = Sum(n & -n)
        self.read = family.heights(Reader(), numbers)  # as other members are, too
        of = {y: names_in(node) & {*family.coordinates} for y, node in family.written.items()}
        self.of = {y: of[y] for y in sorted(of, key=lambda y: bool(of[y]))}  # those that depend on nothing first
        self.order = [*(c for c in family.coordinates if c not in of), *self.of]

    def height(self, y: str, at: Mapping[str, int]) -> int:
        return value_of(self.family.written[y], {**self.known, **at})

    def positions(self, bound: int) -> Iterator[dict[str, int]]:
        """Yield the positions whose coordinates without a height are at most a bound."""
        found: list[dict[str, int]] = [{}]
        for c in self.order:
            found = [
                {**at, c: n}
                for at in found
                for n in range((min(self.height(c, at), POSITIONS) if c in self.of else bound) + 1)
            ]
            if bound > 1 and len(found) > 4 * POSITIONS:
                return
        yield from found

    def options(self, at: Mapping[str, int]) -> Iterator[dict[str, int]]:
        """Yield the options, by the definition."""
        for c, clips in self.family.clips.items():
            for n in range(at[c]):
                option = {**at, c: n}
                tops = {y: self.height(y, option) for y, of in self.of.items() if c in of}
                if clips or all(option[y] <= top for y, top in tops.items()):
                    yield option | {y: min(option[y], top) for y, top in tops.items()}

    def legal(self, at: Mapping[str, int]) -> bool:
        return min(at.values()) >= 0 and all(at[y] <= self.height(y, at) for y in self.of)

    def related(self, at: Mapping[str, int]) -> int:
        """Return the stated Grundy number, or 1 for a stated P-position."""
        return value_of(self.family.relation, {**self.values, **at})

    def inside(self, at: Mapping[str, int]) -> bool:
        return self.family.where is None or bool(value_of(self.family.where, {**self.values, **at}))


def with_sum(amount: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield all tuples of `count` natural numbers with this sum."""
    if count == 1:
        yield (amount,)
        return
    for first in range(amount + 1):
        yield from ((first, *others) for others in with_sum(amount - first, count - 1))


def choices(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Yield values for names, those with the least sum first; at most `MOST_PARAMETERS` choices."""
    numbers = (chosen for amount in itertools.count() for chosen in with_sum(amount, len(names)))
    yield from (dict(zip(names, chosen, strict=True)) for chosen in itertools.islice(numbers, MOST_PARAMETERS))


def members(family: Family, cases: Sequence[Mapping[str, Any]]) -> Iterator[Member]:
    """Yield members with small parameters, then members of each case with small numbers for its names."""
    found = set[tuple[int, ...]]()
    written = [{p: read(said) for p, said in case["parameters"].items()} for case in cases]
    own = [sorted({name for value in values.values() for name in value.names}) for values in written]
    plain = [
        (case, values, names)
        for case, values, names in zip(cases, written, own, strict=True)
        if names and POWER not in names and sorted(values) == family.parameters
    ]
    by_cases = ((values, chosen) for _, values, names in plain for chosen in choices(names))
    by_solver = ((values, least) for case, values, _ in plain if not found for least in least_numbers(case))
    of_cases = (
        {p: value.put({name: Sum(n) for name, n in chosen.items()}).number for p, value in values.items()}
        for values, chosen in itertools.chain(by_cases, by_solver)
    )
    for parameters in itertools.chain(choices(family.parameters), of_cases):
        key = tuple(parameters[name] for name in family.parameters)
        if key in found or min(key) < 0:
            continue
        with contextlib.suppress(ValueError, ZeroDivisionError):  # a formula without a value
            if value_of(family.condition, parameters):
                member = Member(family, parameters)
                if all(part.is_number and part.number >= 0 for part in naturals(member.read.values())):
                    found.add(key)
                    yield member


def least_numbers(case: Mapping[str, Any]) -> Iterator[dict[str, int]]:
    """Yield the numbers for a case's names with the least sums, as z3 finds them; for conditions with large numbers."""
    sums = [*map(read, case["parameters"].values()), *map(read, case["conditions"])]
    names = sorted(set[str]().union(*(s.names for s in sums)))
    declared = "".join(f"(declare-const |{n}| Int)\n" for n in names)
    natural = both(*(named(n).natural for n in names), *(s.natural for s in sums if not has_product(s.text)))
    solver = z3.Optimize(ctx=(context := z3.Context()))
    solver.set("timeout", 1000)
    solver.from_string(f"{declared}(assert {natural})\n(minimize (+ 0 {' '.join(f'|{n}|' for n in names)}))")
    for _ in range(MEMBERS):
        if solver.check() != z3.sat:
            return
        model = solver.model()
        numbers = {n: model.eval(z3.Int(n, context), model_completion=True).as_long() for n in names}
        yield numbers
        solver.add(z3.Or([z3.Int(n, context) != number for n, number in numbers.items()]))


def wrong_position(member: Member) -> dict[str, int] | None:
    """Return a small position at which the statement contradicts the definition, if there is one."""
    family = member.family
    for y, height in member.read.items():  # which must be what the rules say
        of = sorted(member.of[y])
        for chosen in itertools.product(range(BOX), repeat=len(of)):
            at = dict(zip(of, chosen, strict=True))
            place = {x: Sum(at.get(x, 0)) for x in family.coordinates}
            values = [part.dividend.at(place).number // part.divisor.number for part in height.parts]
            if member.height(y, at) != JOINED[height.function](values):
                raise undecided("a height is not what it was read as")
    bound, found = 0, [*member.positions(1)]
    while bound < BOX and len(more := [*member.positions(bound + 1)]) <= POSITIONS and more:
        bound, found = bound + 1, more
    grundy: dict[Position, int] = {}
    for at in sorted(found, key=lambda at: sum(at.values())):  # options have a smaller sum
        key = tuple(at[c] for c in family.coordinates)
        reached = {grundy[tuple(option[c] for c in family.coordinates)] for option in member.options(at)}
        grundy[key] = next(n for n in itertools.count() if n not in reached)
        right = grundy[key] if family.is_grundy else int(grundy[key] == 0)
        if member.inside(at) and member.related(at) != right:
            return at
    return None


def require_failure(member: Member, cases: Sequence[Mapping[str, Any]]) -> None:
    """Raise unless the certificate has a position of this member that is inconsistent by the definition."""
    values = member.values
    for case in cases:
        own: dict[str, Sum] = {}
        for name, written in case["parameters"].items():
            value = read(written)
            if POWER in value.names:
                power = values[name] & -values[name]
                own |= {n: Sum((values[name] // (power or 1) - 1) // 2) for n in value.names}
                own[POWER] = Sum(power // 2)
            else:
                own |= {m: Sum((values[name] - value.number) // q) for m, q in value.items}
        if any(read(s).put(own) != Sum(values[n]) for n, s in case["parameters"].items()):
            continue
        if any(read(c).put(own).number < 0 for c in case["conditions"]):
            continue
        at = {x: read(s).put(own).number for x, s in case.get("position", {}).items()}
        if at.keys() != {*member.family.coordinates} or not member.legal(at) or not member.inside(at):
            continue
        if bool(member.related(at)) == any(map(member.related, member.options(at))):
            return
    raise undecided("a member has no position at which the relation contradicts itself")


def prove_alone(member: Member) -> None:
    """Prove the statement for one member and all positions by check.py; raise if it is refuted, or without an answer."""
    names: dict[str, check.Form] = {name: check.plus({None: n}, {}) for name, n in member.values.items()}
    family = member.family
    game = check.game_of(family.ruleset, names, family.games)
    known: check.Names = {**names, **{c: {c: 1} for c in game.coordinates}}
    if family.is_grundy:
        relation = game.legal & check.within(family.relation, known, {check.VALUE: -1}, 0, 0)
    else:
        relation = game.legal & check.condition(family.relation, known)
    verdict, why = check.decided(check.obligations(game, relation, family.is_grundy))
    if verdict != "proved":
        raise ContradictionError(f"{game.text}: the proof for all parameters says otherwise than check.py: {why}")


# ---- The verdict.


def not_covered(family: Family, cases: Sequence[Mapping[str, Any]]) -> str:
    """Counterexample: parameters that make a game, and are in no case or give heights of another form."""
    reader, names = Reader(), {name: named(name) for name in family.parameters}
    natural, known = [value.natural for value in names.values()], dict(names)
    if family.with_power is not None:  # of which nothing is known here
        known[power_of(family.with_power)] = named(POWER)
    heights, condition = family.heights(reader, known), reader.truth(family.condition, known)
    covered = []
    for case in cases:
        inside, own = list[str](), dict[str, Sum]()
        values = {name: read(written) for name, written in case["parameters"].items()}
        if values.keys() != names.keys():
            raise undecided("a case does not say what its parameters are")
        several = [value for value in values.values() if not value.is_number]
        if len(set[str]().union(*(v.names - {POWER} for v in several))) < len(several):
            raise undecided("parameters of a case have a name in common")
        for name, value in values.items():
            if name == family.with_power and power_in(value) != ONE:  # all even numbers but 0
                inside += [f"(= (mod {names[name].text} 2) 0)", (names[name] - ONE).natural]
                continue
            if value.is_number and family.with_power is None:
                inside.append((names[name] - value).zero)
                continue
            if len(value.items) != 1 or value.items[0][1] < 1 or TIMES in value.items[0][0]:
                raise undecided("a parameter of a case is not q·m + r with an m of its own")
            ((m, q),) = value.items
            if m in {POWER, *own}:
                raise undecided("a parameter of a case is not q·m + r with an m of its own")
            rest = names[name] - Sum(value.number)
            inside.append(f"(= (mod {rest.text} {q}) 0)")
            own[m] = reader.quotient(rest, q)
        inside += [own[m].natural for m in own]
        if family.with_power is None:
            inside += [read(c, own).put(own).natural for c in case["conditions"]]
        covered.append(both(*inside))
    others = map(otherwise_a_game, heights.values())
    missed = both(is_game(heights.values()), contrary(either(*covered)))
    return both(*natural, condition, *reader.definitions, either(*others, missed))


def statement(family: Family) -> list[str]:
    """Return the rules of the game and the statement, both as read."""
    moves = [{"lower": [c], **({} if clips else {"clip": False})} for c, clips in family.clips.items()]
    rules = check.rules_of({**family.document, "moves": moves})
    shown = {key: str(number) for key, number in (family.defaults or {}).items()}
    shown |= {key: check.shown(part) for key, part in family.arguments.items()}
    values = [f"{key} = {part}" for key, part in shown.items()]
    given = f" with {', '.join(values)}" if values else ""
    parameters = f"all natural numbers {', '.join(family.parameters)} with {check.shown(family.condition)}"
    among = f"positions ({', '.join(family.coordinates)})"
    among += f" with {check.shown(family.where)}" if family.where else ""
    sign = "the Grundy number is" if family.is_grundy else "a position is a P-position if and only if"
    said = f"for {parameters} that make a game, and all {among}: {sign} {check.shown(family.relation)}"
    return [f"{check.shown(family.ruleset)}{given}: {rules}", said]


def answered(status: str, why: str) -> dict[str, Any]:
    """Return a verdict as plain data, without evidence."""
    evidence: dict[str, Any] = {
        "statement": [],
        "coordinates": [],
        "parameters": None,
        "position": None,
        "every_member": False,
        "engines": [],
    }
    return {"status": status, "why": why, **evidence, "conditions": 0, "members": 0, "alone": [], "tables_only": []}


def decide(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict on a certificate, with the statement and the counts of what was checked."""
    answer = answered("undecided", "")
    try:
        family, is_proof = Family(data), data.get("verdict", "proved") == "proved"
        answer |= {"statement": statement(family), "coordinates": family.coordinates}
        small = [*itertools.islice(members(family, data["cases"]), MEMBERS)]
        if not small:
            raise undecided("no small parameters make a member of the family")
        for member in small:
            if not is_proof:
                require_failure(member, data["cases"])
            elif (at := wrong_position(member)) is not None:
                found = {"parameters": dict(member.values), "position": [at[c] for c in family.coordinates]}
                return answer | {"status": "refuted", "why": "the definition says otherwise", **found}
        uncovered = not_covered(family, data["cases"])
        cases = [Case(family, written) for written in data["cases"]]
        if not unsatisfiable("cases", uncovered):
            raise undecided("cases: some parameters are in no case")
        number = 1
        for i, case in enumerate(cases, start=1):
            conditions = ((name, both(case.facts, body)) for name, body in case.conditions(is_proof))
            for name, condition in itertools.chain([("as-written", case.written_otherwise())], conditions):
                if not unsatisfiable(f"case-{i}/{name}", condition):
                    raise undecided(f"case-{i}/{name} does not hold, or no solver knows it")
                number += 1
        if is_proof and family.where:
            places = (both(c.facts, c.few_values.is_here(p)) for c in cases for _, p in c.few_values.places(c.largest))
            if all(has_product(place) or unsatisfiable("position", place) for place in places):
                raise undecided("no position of any member satisfies the condition on positions")
        answer |= {"status": "proved" if is_proof else "refuted", "why": "every condition holds"}
        answer |= {"every_member": not is_proof, "conditions": number, "engines": [*SOLVERS], "members": len(small)}
        if is_proof:
            for i, member in enumerate(small):
                alone = family.where is None and i < ALONE and is_proved_alone(member)
                answer["alone" if alone else "tables_only"].append(dict(member.values))
    except UndecidedError as error:
        answer |= {"status": "undecided", "why": error.args[1]}
    return answer


def is_proved_alone(member: Member) -> bool:
    """Return whether `prove_alone` ends within its seconds."""
    try:
        with limited(min(ONE_MEMBER, time_left())):
            prove_alone(member)
    except (UndecidedError, MemoryError):
        return False
    return True


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End a block with `UndecidedError` after so many seconds of processor time; 0 for no limit."""
    own_files, is_over = {verdict_on.__code__.co_filename, check.main.__code__.co_filename}, False

    def over(_: int, frame: FrameType | None) -> None:
        nonlocal is_over
        # Not in other files: a destructor or a callback of the garbage collector would swallow the error.
        if not is_over and frame is not None and frame.f_code.co_filename in own_files:
            is_over = True
            raise undecided("the time is over")

    handler, before = signal.signal(signal.SIGPROF, over), time.process_time()
    left = interval = 0.0
    try:
        left, interval = signal.setitimer(signal.ITIMER_PROF, seconds, TICK)
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        if left:
            taken = time.process_time() - before
            signal.setitimer(signal.ITIMER_PROF, max(0.001, left - taken), interval)


def verdict_on(path: Path, seconds: float) -> dict[str, Any]:
    """Return the verdict on a file as plain data."""
    start = time.process_time()
    try:
        with limited(seconds):
            data = formed(check.document_in(path), FAMILY, "certificate")
            if not (0 < len(data["parameters"]) <= 8 and 0 < len(data["cases"]) <= 200):
                raise ValueError("a family has 1 to 8 parameters and 1 to 200 cases")
            answer = decide(data)
    except UndecidedError as error:
        answer = answered("undecided", error.args[1])
    except ContradictionError as error:
        answer = answered("contradiction", str(error))
    except MemoryError:
        answer = answered("undecided", "it takes more memory than there is")
    except check.MISTAKES as error:
        answer = answered("no certificate", f"{type(error).__name__}: {error}")
    return answer | {"seconds": round(time.process_time() - start, 2)}


def main() -> int:
    """Print the verdict on each file; return 0 if all certificates hold, 2 if one is no certificate, else 1."""
    parser, worst = argparse.ArgumentParser(description=str(__doc__).splitlines()[0]), 0
    parser.add_argument("--seconds", type=float, default=0.0, help="of computing for each file, at most")
    parser.add_argument("--json", action="store_true", help="print a JSON document for each file, one on a line")
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="write the texts for solvers there")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    TEXTS.extend([given.texts] if given.texts else [])
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    for path in given.files:
        answer = verdict_on(Path(path), given.seconds)
        if given.json:
            print(json.dumps({"certificate": path, **answer}), flush=True)
        else:
            verdict = "false for every member" if answer["every_member"] else answer["status"]
            why = " ".join(str(answer["why"]).split())
            print(f"{path}: {verdict}: {why}", *answer["statement"], sep="\n  ", flush=True)
        holds = answer["status"] == "proved" or answer["every_member"]
        worst = max(worst, 0 if holds else 2 if answer["status"] == "no certificate" else 1)
    return worst


if __name__ == "__main__":
    sys.exit(main())
