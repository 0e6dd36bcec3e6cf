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
import operator
import re
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, MappingProxyType
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


def refuse_if(condition: object, why: str) -> None:
    """End a decision without an answer if a condition is true."""
    if condition:
        raise undecided(why)


# ---- Documents; the forms are those of check.py.

ANY, NAME = re.compile(r"(?s).*"), re.compile("[A-Za-z_][A-Za-z_0-9]{0,60}")
SUM = {ANY: int}  # {"m": 4, "1": -3} is 4m - 3
QUOTIENTS = [{"terms": {ANY: SUM}, "constant": SUM, "divisor": SUM}]
HEIGHT = {"function": ("min", "max", "sum"), "parts": QUOTIENTS}
ANSWER = {"states": [int], "digits": {ANY: int}, "move?": str, "to": int}
LOCATION = {
    "start": bool,
    "settled": bool,
    "move?": str,
    "orders": {ANY: ("equal", "less")},
    "upper?": bool,
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
    "factors": [str],
    "floors": QUOTIENTS,
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
    "without_passes?": str,
    "verdict?": ("proved", "refuted"),
    "cases": [CASE],
}

# ---- Sums of named integers, and conditions on them in SMT-LIB 2. The name a*b is the product of a and b; solvers take it for
# any integer, which loses no counterexample. A condition that must be unsatisfiable is called a counterexample.

POWER = "p_2"  # the name of an arbitrary power of 2
EXPONENTIAL = "2^t"  # the name of 2**t, for the only parameter t that is an exponent
NEW = "!"  # the first letter of names that no certificate can write
QUOTED, COORDINATE = re.compile(r"\|([^|]+)\|"), re.compile(r"position\((\w+)\)")
Factors = tuple[str, ...]  # sorted names; of a number there are none


@dataclass(frozen=True)
class Sum:
    """A sum of multiples of products of named integers, sorted, none of them 0."""

    items: tuple[tuple[Factors, int], ...] = ()

    @property
    def number(self) -> int:
        """The part without names, which is the first one."""
        return self.items[0][1] if self.items and not self.items[0][0] else 0

    @property
    def is_number(self) -> bool:
        return not (self.items and self.items[-1][0])

    @property
    def names(self) -> set[str]:
        return {name for factors, _ in self.items for name in factors}

    def __bool__(self) -> bool:
        return bool(self.items)

    def __add__(self, other: Sum | int) -> Sum:
        return total((*self.items, *as_sum(other).items))

    def __neg__(self) -> Sum:
        return self * -1

    def __sub__(self, other: Sum | int) -> Sum:
        return self + -other

    def __rsub__(self, other: int) -> Sum:
        return -self + other

    def __mul__(self, other: Sum | int) -> Sum:
        if isinstance(other, int):
            return total((factors, m * other) for factors, m in self.items)
        return total((tuple(sorted(a + b)), p * q) for a, p in self.items for b, q in other.items)

    def put(self, values: Mapping[str, Sum]) -> Sum:
        """Substitute sums for names."""
        parts = list[tuple[Factors, int]]()
        for factors, multiple in self.items:
            kept = tuple(name for name in factors if name not in values)
            product = Sum(((kept, multiple),))
            for name in factors if kept != factors else ():
                product *= values.get(name, 1)
            parts += product.items
        return total(parts)

    def at(self, place: Mapping[str, Sum]) -> Sum:
        """Substitute sums for coordinates."""
        return self.put({coordinate(x): value for x, value in place.items()})

    @property
    def coefficients(self) -> dict[str, Sum]:
        """The factors of coordinates, and under "" what is added to their multiples."""
        found = {"": ZERO}
        for factors, multiple in self.items:
            x, *more = [match[1] for match in map(COORDINATE.fullmatch, factors) if match] or [""]
            refuse_if(more, "coordinates are multiplied")
            rest = tuple(name for name in factors if name != coordinate(x))
            found[x] = found.get(x, ZERO) + Sum(((rest, multiple),))
        return found

    @property
    def coordinates(self) -> set[str]:
        """The coordinates that it depends on."""
        return {match[1] for match in map(COORDINATE.fullmatch, self.names) if match}

    @property
    def text(self) -> str:
        numbers = [str(m) if m >= 0 else f"(- {-m})" for _, m in self.items]
        parts = [f"(* {n} |{'*'.join(f)}|)" if f else n for n, (f, _) in zip(numbers, self.items, strict=True)]
        return f"(+ {' '.join(parts)})" if parts[1:] else "".join(parts) or "0"

    @property
    def natural(self) -> str:
        """Condition: the sum is at least 0."""
        return str(self.number >= 0).lower() if self.is_number else f"(>= {self.text} 0)"

    @property
    def zero(self) -> str:
        """Condition: the sum is 0."""
        return str(not self).lower() if self.is_number else f"(= {self.text} 0)"


def total(parts: Iterable[tuple[Factors, int]]) -> Sum:
    """Return a sum of multiples; factors may repeat, and multiples may be 0."""
    multiples: dict[Factors, int] = {}
    for factors, multiple in parts:
        multiples[factors] = multiples.get(factors, 0) + multiple
    refuse_if(any(abs(value) >> MOST_BITS for value in multiples.values()), f"a number has more than {MOST_BITS} bits")
    return Sum(tuple(sorted(item for item in multiples.items() if item[1])))


def as_sum(number: Sum | int) -> Sum:
    """Return a sum, which may be one already."""
    return number if isinstance(number, Sum) else total([((), number)])


def named(*names: str) -> Sum:
    """Return a named integer, or the product of several."""
    return Sum(((names, 1),))


def coordinate(x: str) -> str:
    """Return the name of a coordinate in sums; no parameter has such a name."""
    return f"position({x})"


Numbers = Mapping[str, Sum]
ZERO, ONE = as_sum(0), as_sum(1)


def read(written: Mapping[str, int], names: Collection[str] | None = None) -> Sum:
    """Return a sum of a certificate, in these names only; without `names`, in those of a case's parameters."""
    parts = [(tuple(key.split("*")) if key != "1" else (), multiple) for key, multiple in written.items()]
    for factors, _ in parts:
        known = [f == POWER or NAME.fullmatch(f) if names is None else f in names for f in factors]
        refuse_if(not all(known) or list(factors) != sorted(factors), f"unknown name {'*'.join(factors)[:60]!r}")
    return total(parts)


def both(*conditions: str) -> str:
    """Condition: all hold."""
    parts = [c for c in conditions if c != "true"]
    return "false" if "false" in parts else f"(and {' '.join(parts)})" if parts[1:] else "".join(parts) or "true"


def either(*conditions: str) -> str:
    """Condition: at least one holds."""
    parts = [c for c in conditions if c != "false"]
    return "true" if "true" in parts else f"(or {' '.join(parts)})" if parts[1:] else "".join(parts) or "false"


def contrary(condition: str) -> str:
    """Condition: it does not hold."""
    return {"true": "false", "false": "true"}.get(condition, f"(not {condition})")


def implied(premise: str, *conclusions: str) -> str:
    """Condition: if the premise holds, so do the conclusions."""
    return either(contrary(premise), both(*conclusions))


def remainder(value: Sum, divisor: int, rest: int) -> str:
    """Condition: a remainder modulo a positive number has this value."""
    return f"(= (mod {value.text} {divisor}) {rest})"


# ---- Solvers.

CONTEXT = z3.Context()  # shared, because a new one takes longer than most answers; each question has its own solver
QUICK = 1000  # milliseconds for z3's plain solver


def ask_z3(text: str, milliseconds: int) -> str:
    """Return z3's answer: of its plain solver, or if that finds none, of the default one, which first simplifies the text."""
    answer = "unknown"
    for solver, limit in (z3.SimpleSolver(ctx=CONTEXT), QUICK), (z3.Solver(ctx=CONTEXT), milliseconds):
        if answer == "unknown":
            solver.set("timeout", min(limit, milliseconds))
            solver.from_string(text)
            answer = str(solver.check())
    return answer


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
TEXTS: list[Path] = []  # the folder that receives the texts, for other solvers


class ContradictionError(Exception):
    """Two judges contradict each other."""


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
        if answer == "unknown" and time_left() <= before / 2:
            raise undecided("the time is over")
        answers[solver] = answer
    if {"sat", "unsat"} <= {*answers.values()}:
        raise ContradictionError(f"{name}: {', '.join(f'{one} says {answer}' for one, answer in answers.items())}")
    return {*answers.values()} == {"unsat"}


def has_product(condition: str) -> bool:
    """Return whether a condition has a product of names, which a solver may give a wrong value."""
    return any("*" in name for name in QUOTED.findall(condition))


# ---- Formulas in parameters and coordinates: sums, quotients, minima and maxima, and nim-sums.

SIGNS = {ast.Eq: "=", ast.NotEq: "distinct", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
JOINED: dict[str, Callable[[list[int]], int]] = {"min": min, "max": max, "sum": sum}


class Quotient(NamedTuple):
    """⌊dividend/divisor⌋, where the dividend is a sum of coordinates and parameters."""

    dividend: Sum
    divisor: Sum

    def room(self, place: Numbers, value: Sum) -> Sum:
        """Return a sum that is at least 0 if and only if the quotient is at least a value."""
        return self.dividend.at(place) - self.divisor * value

    def allows(self, place: Numbers, value: Sum) -> str:
        return self.room(place, value).natural

    def each(self, change: Callable[[Quotient], Quotient]) -> Quotient:
        return change(self)

    @property
    def written(self) -> dict[str, Any]:
        """The form of a certificate."""
        terms: dict[str, Any] = self.dividend.coefficients
        return {"constant": terms.pop(""), "terms": terms, "divisor": self.divisor}

    def __neg__(self) -> Quotient:
        return Quotient(self.divisor - 1 - self.dividend, self.divisor)


class Height(NamedTuple):
    """The largest value of a coordinate, or a Grundy number: the least, the largest or the sum of several quotients."""

    parts: tuple[Quotient | Height, ...]
    function: str = "min"
    is_flat: bool = True  # whether its parts are quotients, and it is right for negative divisors: see `not_covered`

    @property
    def quotients(self) -> list[Quotient]:
        return [q for part in self.parts for q in ([part] if isinstance(part, Quotient) else part.quotients)]

    @property
    def coordinates(self) -> set[str]:
        return set[str]().union(*(part.dividend.coordinates for part in self.quotients))

    @property
    def is_summand(self) -> bool:
        return self.is_flat and (self.function == "sum" or len(self.parts) == 1)

    def each(self, change: Callable[[Quotient], Quotient]) -> Height:
        return self._replace(parts=tuple(part.each(change) for part in self.parts))

    def __neg__(self) -> Height:
        refuse_if(self.function == "sum", "a sum of quotients is subtracted")
        return Height(tuple(-part for part in self.parts), {"min": "max", "max": "min"}[self.function], False)

    def plus(self, more: Sum) -> Height:
        """Add a sum: to each part, or to the first one if the height is their sum."""
        first, *others = self.parts if self.function == "sum" else [self]

        def change(part: Quotient) -> Quotient:
            return part._replace(dividend=part.dividend + part.divisor * more)

        return self._replace(parts=(first.each(change), *others)) if others else self.each(change)

    def over(self, divisor: Sum) -> Height:
        refuse_if(self.function == "sum", "a quotient of a sum of quotients")
        found = self.each(lambda part: Quotient(part.dividend, part.divisor * divisor))
        return found._replace(is_flat=self.is_flat and all(part.divisor == ONE for part in self.quotients))

    def allows(self, place: Numbers, value: Sum) -> str:
        """Condition: the height at a place is at least a value; for a sum, a natural number."""
        if self.function != "sum":
            return self.joined(part.allows(place, value) for part in self.parts)
        refuse_if(not value.is_number, "a height that is a sum of quotients, where its coordinate is no small number")
        shares = with_sum(value.number, len(self.parts))  # no part is negative
        pairs = (zip(self.parts, share, strict=True) for share in shares)
        return either(*(both(*(part.allows(place, as_sum(n)) for part, n in pair)) for pair in pairs))

    def joined(self, allowed: Iterable[str]) -> str:
        """Condition: the height is at least a value, where its parts are on conditions."""
        refuse_if(self.function == "sum", "a height that is a sum of quotients, where positions have no bound")
        return (both if self.function == "min" else either)(*allowed)


class NimSum(NamedTuple):
    """⊕(x + σ) ⊕ C + the offset, over coordinates x with their shifts σ."""

    shifts: Numbers
    constant: Sum = ZERO
    offset: Sum = ZERO

    def plus(self, number: Sum) -> NimSum:
        """Add a number: to a single term, or outside of several."""
        refuse_if(number.coordinates, "a nim-sum plus a coordinate")
        if not self.shifts:
            return NimSum({}, self.constant + self.offset + number)
        if len(self.shifts) == 1 and not self.constant:
            ((name, shift),) = self.shifts.items()
            return NimSum({name: shift + self.offset + number})
        return self._replace(offset=self.offset + number)

    def __xor__(self, other: NimSum) -> NimSum:
        refuse_if(self.offset or other.offset, "a nim-sum of what is a sum of a nim-sum")
        refuse_if(self.shifts.keys() & other.shifts.keys(), "a coordinate stands twice in the relation")
        constant = self.constant + other.constant
        if self.constant and other.constant:
            refuse_if(not (self.constant.is_number and other.constant.is_number), "two numbers in a nim-sum")
            constant = as_sum(self.constant.number ^ other.constant.number)
        return NimSum({**self.shifts, **other.shifts}, constant)


Value = Sum | Height | NimSum


def as_height(value: Value) -> Height:
    """Return a sum as a height."""
    if isinstance(value, NimSum):
        raise undecided("a quotient, a minimum or a maximum of a nim-sum")
    return Height((Quotient(value, ONE),)) if isinstance(value, Sum) else value


def as_nim_sum(value: Value) -> NimSum:
    """Return a number, or a coordinate with a shift, as a nim-sum."""
    if isinstance(value, NimSum):
        return value
    match list(value.coefficients.items()) if isinstance(value, Sum) else []:
        case [("", number)]:
            return NimSum({}, number)
        case [("", shift), (x, factor)] if factor == ONE:
            return NimSum({x: shift})
    raise undecided("the relation is no nim-sum of shifted coordinates")


def names_in(*formulas: ast.expr) -> set[str]:
    """Return the names in formulas, without those of functions."""
    parts = itertools.chain.from_iterable(map(ast.walk, formulas))
    return {part.id for part in parts if isinstance(part, ast.Name)} - check.FUNCTIONS.keys()


def operations(sign: type[ast.operator], *formulas: ast.expr) -> list[ast.BinOp]:
    """Return the parts of formulas that apply an operator."""
    parts = itertools.chain.from_iterable(map(ast.walk, formulas))
    return [part for part in parts if isinstance(part, ast.BinOp) and isinstance(part.op, sign)]


def power_of(parameter: str) -> str:
    """Return the key of the largest power of 2 that divides a parameter."""
    return f"{parameter} & -{parameter}"


def replaced(node: ast.expr, formulas: Mapping[str, ast.expr]) -> ast.expr:
    """Substitute formulas for parts of a formula; `formulas` has them by the texts of the parts."""
    if (other := formulas.get(ast.unparse(node))) is not None:
        return other
    match node:
        case ast.BinOp(left, operation, right):
            return ast.BinOp(replaced(left, formulas), operation, replaced(right, formulas))
        case ast.UnaryOp(operation, part):
            return ast.UnaryOp(operation, replaced(part, formulas))
        case ast.Call(function, parts, []):
            return ast.Call(function, [replaced(part, formulas) for part in parts], [])
        case _:
            return node


class Reader:
    """Reads formulas. Other numbers than sums of parameters, such as ⌊m/2⌋, become new names with definitions.

    For all parameters, exactly one choice of the new names satisfies the definitions.
    """

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self.quotients: dict[tuple[Sum, int], Sum] = {}
        self.divisors: list[Sum] = []  # of what depends on coordinates
        self.exponent: Sum | None = None  # t, where 2**t is EXPONENTIAL
        self.floors: dict[Quotient, Sum] | None = None  # quotients that are read as further coordinates, called 0, 1, …

    def sum(self, node: ast.expr, names: Numbers) -> Sum:
        return self.rounded(self.value(node, names), ast.unparse(node))

    def rounded(self, value: Value, text: str) -> Sum:
        """Return a sum, or a quotient as a further coordinate."""
        match value:
            case Sum():
                return value
            case Height((Quotient(dividend, divisor),)) if divisor == ONE:
                return dividend
            case Height((Quotient() as quotient,)) if self.floors is not None:
                return self.floors.setdefault(quotient, named(coordinate(str(len(self.floors)))))
        raise undecided(f"{text} cannot be read as a sum")

    def value(self, node: ast.expr, names: Numbers) -> Value:
        match node:
            case ast.Constant(value) if type(value) is int:
                return as_sum(value)
            case ast.Name(name) if name in names:
                return names[name]
            case ast.UnaryOp(ast.USub(), part):
                return self.binary("Sub", ZERO, self.value(part, names))
            case ast.BinOp(ast.Name(a), ast.BitAnd(), ast.UnaryOp(ast.USub(), ast.Name(b))) if (
                a == b and power_of(a) in names
            ):
                return names[power_of(a)]
            case ast.BinOp(left, operation, right):
                return self.binary(type(operation).__name__, self.value(left, names), self.value(right, names))
            case ast.Call(ast.Name("min" | "max" | "abs" as function), parts, []) if parts:
                values = [self.value(part, names) for part in parts]
                if function == "abs":
                    (one,), function = values, "max"
                    values = [one, self.binary("Sub", ZERO, one)]
                fixed = [value for value in values if isinstance(value, Sum) and not value.coordinates]
                if len(fixed) == len(values):
                    return self.least(fixed, 1 if function == "min" else -1)
                several = [as_height(value) for value in values]
                is_flat = all(height.is_flat and len(height.parts) == 1 for height in several)
                return Height(tuple(h if h.parts[1:] else h.parts[0] for h in several), function, is_flat)
        raise undecided(f"{ast.unparse(node)} cannot be read as a number")

    def binary(self, operation: str, left: Value, right: Value) -> Value:
        match operation, left, right:
            case "Add", Sum(), Sum():
                return left + right
            case "Add", Height() | NimSum(), Sum():
                return left.plus(right)
            case "Add", Sum(), Height() | NimSum():
                return right.plus(left)
            case "Add", Height(), Height() if left.is_summand and right.is_summand and self.floors is None:
                return Height((*left.parts, *right.parts), "sum")
            case "Sub", _, Sum():
                return self.binary("Add", left, -right)
            case "Sub", Sum(), Height():
                return (-right).plus(left)
            case "Mult", Sum(), Sum():
                _ = (product := left * right).coefficients  # where coordinates are multiplied there is an error
                return product
            case ("Mult", Height() as height, Sum() as factor) | ("Mult", Sum() as factor, Height() as height):
                if factor in (ONE, -ONE):
                    return height if factor == ONE else -height
                if not factor:
                    return ZERO
            case "FloorDiv", Sum() | Height(), Sum() if left.coordinates and not right.coordinates:
                self.divisors.append(right)
                return as_height(left).over(right)
            case "Mod", Sum(), Sum() if left.coordinates and not right.coordinates and self.floors is not None:
                return left - right * self.rounded(self.binary("FloorDiv", left, right), operation)
            case "FloorDiv" | "Mod", Sum(), Sum() if not left.coordinates and right.is_number and right.number > 0:
                quotient = self.quotient(left, right.number)
                return quotient if operation == "FloorDiv" else left - quotient * right.number
            case "BitAnd", Sum(), Sum() if left.is_number != right.is_number:
                value, mask = (left, right.number) if right.is_number else (right, left.number)
                if 0 <= mask < 1 << MOST_BITS and not value.coordinates:
                    return self.masked(value, mask)
            case "BitXor" | "BitAnd" | "BitOr", Sum(), Sum() if left.is_number and right.is_number:
                return as_sum(check.BITWISE[operation](left.number, right.number))
            case "Pow", Sum(), Sum() if left.is_number and right.is_number and 0 <= right.number < MOST_BITS:
                return as_sum(left.number**right.number)
            case "Pow", Sum(), Sum() if left == as_sum(2) and self.exponent is not None:
                if (more := right - self.exponent).is_number and 0 <= more.number < MOST_BITS:
                    return named(EXPONENTIAL) * (1 << more.number)
            case "BitXor", _, _:
                return as_nim_sum(left) ^ as_nim_sum(right)
            case _:
                pass
        if self.floors is not None and isinstance(left, Height) | isinstance(right, Height):
            return self.binary(operation, self.rounded(left, operation), self.rounded(right, operation))
        raise undecided(f"{operation} of such numbers cannot be read here")

    def masked(self, value: Sum, mask: int) -> Sum:
        """Return the bitwise conjunction of a value with a mask."""
        rest, digits = self.binary("Mod", value, as_sum(1 << mask.bit_length())), ZERO
        assert isinstance(rest, Sum)
        for b in range(mask.bit_length()):
            digit = self.new()
            self.definitions += [digit.natural, (1 - digit).natural]
            rest, digits = rest - digit * (1 << b), digits + digit * (mask & 1 << b)
        self.definitions.append(rest.zero)
        return digits

    def quotient(self, value: Sum, divisor: int) -> Sum:
        """Return ⌊value/divisor⌋ for a divisor that is at least 1."""
        if all(multiple % divisor == 0 for factors, multiple in value.items if factors):
            return total((factors, multiple // divisor) for factors, multiple in value.items)
        if (value, divisor) not in self.quotients:
            quotient = self.quotients[value, divisor] = self.new()
            rest = value - quotient * divisor
            self.definitions += [rest.natural, (divisor - 1 - rest).natural]
        return self.quotients[value, divisor]

    def least(self, values: Sequence[Sum], sign: int) -> Sum:
        """Return the least value; with the sign -1, the largest."""
        least, *others = values
        for value in others:
            more = (value - least) * sign
            if more.is_number:
                least = least if more.number >= 0 else value
                continue
            chosen = self.new()
            self.definitions.append(f"(= {chosen.text} (ite {more.natural} {least.text} {value.text}))")
            least = chosen
        return least

    def new(self) -> Sum:
        return named(f"{NEW}{len(self.definitions)}")

    def condition(self, node: ast.expr, names: Numbers, place: Numbers = MappingProxyType({})) -> str:
        """Condition: a formula is true at a place."""
        match node:
            case ast.UnaryOp(ast.Not(), part):
                return contrary(self.condition(part, names, place))
            case ast.BoolOp(sign, parts):
                join = both if isinstance(sign, ast.And) else either
                return join(*(self.condition(part, names, place) for part in parts))
            case ast.Compare(ast.BinOp(left, ast.BitXor(), right), [ast.Eq()], [ast.Constant(0)]):
                return self.condition(ast.Compare(left, [ast.Eq()], [right]), names, place)
            case ast.Compare(left, signs, others) if {*map(type, signs)} <= SIGNS.keys():
                pairs = itertools.pairwise(self.sum(part, names).at(place).text for part in (left, *others))
                return both(*(f"({SIGNS[type(sign)]} {a} {b})" for sign, (a, b) in zip(signs, pairs, strict=True)))
        raise undecided(f"{ast.unparse(node)} is no condition on sums")


# ---- The family: a game whose moves lower one coordinate, and what is stated of it.

CONSTANT, TARGET, VALUE = "constant", "target", "value"


class Family:
    """The game, the condition on its parameters and the statement of a certificate, as syntax trees."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.ruleset, self.condition = parsed(data["ruleset"]), parsed(data["for"])
        self.is_grundy, self.stated = data["relation"]["kind"] == "grundy", parsed(data["relation"]["formula"])
        self.relation = parsed(data.get("without_passes", self.stated))  # of the game without passes
        self.where = parsed(data["where"]) if data.get("where") else None
        self.games, self.parameters = data.get("games", {}), sorted(data["parameters"])
        game, passes = without_passes(self.ruleset)
        self.document = self.described(game)
        self.coordinates: list[str] = self.document["coordinates"]
        self.passes = {check.unused("p", self.coordinates): passes} if passes else {}  # the passes left, and the most
        self.own = {x: named(coordinate(x)) for x in self.coordinates}
        self.formulas = {y: parsed(height) for y, height in self.document.get("heights", {}).items()}
        self.clips: dict[str, bool] = {}  # by the coordinate that a move lowers, whether others then fall
        self.listed: dict[str, list[ast.expr]] = {}  # the amounts of a move, where only some are allowed
        self.most: dict[str, ast.expr] = {}  # the largest amount of a move, a formula of the position
        for move in self.document["moves"]:
            is_other = {*move} - {"lower", "by", "at_most", "clip"} or isinstance(move["lower"], dict)
            refuse_if(is_other or len(move["lower"]) != 1, "only moves that lower one coordinate can be checked")
            self.clips[lowered := move["lower"][0]] = move.get("clip", True)
            if isinstance(move.get("by"), list):
                self.listed[lowered] = [parsed(amount) for amount in move["by"]]
            if "at_most" in move:
                self.most[lowered] = parsed(move["at_most"])
        if len(self.clips) < len(self.document["moves"]) or {"within", "ends", "legal"} & {*self.document}:
            raise undecided("two moves of one coordinate, or a condition on all positions")
        if not {*self.clips, *self.formulas} <= self.own.keys() or len(self.own) < len(self.coordinates):
            raise ValueError("a coordinate is there twice, or has no name")
        stated = [self.stated, *([self.where] if self.where else [])]
        listed = [*itertools.chain.from_iterable(self.listed.values())]
        refuse_if(names_in(*listed) & self.own.keys(), "a listed amount depends on a coordinate")
        self.fixed = [*listed, *(most for most in self.most.values() if not names_in(most) & self.own.keys())]
        texts = [self.condition, self.relation, *self.formulas.values(), *listed, *self.most.values()]
        texts += self.passes.values()
        known = (names_in(*texts) | names_in(*stated) - self.passes.keys()) - self.own.keys()
        if not known or known != {*self.parameters} or len(known) < len(data["parameters"]):
            raise undecided(f"the parameters are {', '.join(sorted(known))}")
        used = names_in(self.condition, *self.passes.values())
        if self.own.keys() & {CONSTANT, TARGET, VALUE, *check.FUNCTIONS, *used}:
            raise undecided(
                "a coordinate in the condition on parameters, or with the name of a parameter or of a track or function"
            )
        masked = [(part.left, part.right) for part in operations(ast.BitAnd, *texts, *stated)]
        powers = {a.id for a, b in masked if isinstance(a, ast.Name) and isinstance(b, ast.UnaryOp)}
        if len(powers) > 1 or not powers <= known - {POWER}:
            raise undecided("powers of 2 that divide several parameters, a coordinate, or a parameter of their name")
        self.with_power = next(iter(powers), None)  # the parameter of which the power of 2 in it is used
        exponents = names_in(*(part.right for part in operations(ast.Pow, *texts, *stated)))
        if len(exponents) > 1 or not exponents <= known or (exponents and powers):
            raise undecided("powers with several exponents, a coordinate as exponent, or two kinds of powers")
        self.exponent = next(iter(exponents), None)  # t of 2**t
        refuse_if(("without_passes" in data) != bool(passes), "a relation without passes, for games with passes only")
        refuse_if(self.passes.keys() & known, "a parameter has the name of the passes left")
        if passes and (powers or exponents or self.listed or self.most or data.get("verdict") == "refuted"):
            raise undecided(
                "passes, with powers of 2, some amounts only, or a statement that is false for every member"
            )

    def described(self, ruleset: ast.expr) -> dict[str, Any]:
        """Return the description of a game, with heights in its coordinates and the parameters of the family."""
        match ruleset:
            case ast.Call(ast.Name("game"), [ast.Constant(str(name))], words) if name in self.games:
                document: dict[str, Any] = self.games[name]
                given, defaults = {str(word.arg): word.value for word in words}, document.get("parameters", {})
                if document["game"] != name or len(given) < len(words) or not given.keys() <= defaults.keys():
                    raise ValueError("the game described has another name, or other parameters")
                coordinates, put = {*document["coordinates"]}, {key: parsed(n) for key, n in defaults.items()} | given
                if not names_in(*formulas_of(document)) <= {*coordinates, *put} or coordinates & {*put}:
                    raise ValueError("a name in a height or an amount has two meanings, or none")
                refuse_if(names_in(*given.values()) & coordinates, "an argument of the game depends on a coordinate")
                return with_formulas(document, put)
            case ast.Call(ast.Name("sum"), [first, second], []):
                return side_by_side(self.described(first), self.described(second))
            case ast.Call(ast.Name("nim" | "step_bar" | "strip_bar" | "solid_bar" as name), values, words):
                given = {str(word.arg): word.value for word in words}
                (bound := inspect.signature(check.RULESETS[name]).bind(*values, **given)).apply_defaults()
                parts = bound.arguments
                if name == "nim":
                    refuse_if(names_in(parsed(parts["heaps"])), "members have other coordinates than others")
                    if not 1 <= (heaps := check.integer(parts["heaps"], {})) <= 15:
                        raise ValueError(f"nim has 1 to 15 heaps, not {heaps}")
                    parts = {"heaps": heaps}
                elif name != "solid_bar":
                    parts = {key: f"({ast.unparse(parsed(part))})" for key, part in parts.items()}
                    used = names_in(*map(parsed, parts.values()))
                    refuse_if(used & {*"xyz"}, "an argument of the game depends on a coordinate")
                document = json.loads(json.dumps(check.RULESETS[name](**parts), default=ast.unparse))
                return {**document, "moves": [{"lower": [c]} for c in document["coordinates"]]}
            case _:
                raise undecided(f"{ast.unparse(ruleset)} cannot be checked for all parameters")

    @functools.cached_property
    def heap(self) -> str | None:
        """The heap beside the game of a statement on P-positions with passes: a coordinate that no height depends on."""
        if self.is_grundy:
            return None
        bound = {*self.formulas, *names_in(*self.formulas.values())}
        if not (heaps := [c for c in self.clips if c not in bound]):
            raise undecided("P-positions with passes, of a game without a heap beside it")
        return heaps[0]

    def heights(self, reader: Reader, values: Numbers) -> dict[str, Height]:
        """Return the heights, for these values of the parameters."""
        names = {**values, **self.own}
        heights = {y: as_height(reader.value(node, names)) for y, node in self.formulas.items()}
        if not all(height.is_flat for height in heights.values()):
            raise undecided("a height that is no least or largest value, or sum, of quotients")
        return heights

    def takes_something(self, reader: Reader, values: Numbers) -> str:
        """Condition: listed amounts, and limits of amounts that are the same at all positions, are at least 1."""
        return both(*((reader.sum(amount, values) - 1).natural for amount in self.fixed))

    def nim_sum(self, reader: Reader, values: Numbers) -> NimSum:
        """Return the relation: the nim-sum that is 0, or whose value is the Grundy number."""
        names = {**values, **self.own}
        if self.is_grundy:
            return as_nim_sum(reader.value(self.relation, names))
        match self.relation:
            case ast.Compare(a, [ast.Eq()], [b]):
                left, right = (as_nim_sum(reader.value(node, names)) for node in (a, b))
            case _:
                raise undecided("P-positions need one equation")
        if len(right.shifts) + bool(right.constant) > 1:
            left, right = right, left
        if len(right.shifts) + bool(right.constant) <= 1:  # n + e == x + e' is n == x + (e' - e)
            left, right = NimSum(left.shifts, left.constant), right.plus(-left.offset)
        return left ^ right

    @property
    def is_on_a_part(self) -> bool:
        """Whether a premise restricts the positions; in games with passes all of them are looked at."""
        return self.where is not None and not self.passes

    def inside(self, reader: Reader, values: Numbers) -> Iterator[Sum]:
        """Yield the sums that are at least 0 in the domain of the relation."""
        parts = [self.where] if self.where is not None and self.is_on_a_part else []
        while parts:
            match parts.pop():
                case ast.BoolOp(ast.And(), operands):
                    parts += operands
                case ast.Compare(left, signs, others):
                    pairs = itertools.pairwise(reader.sum(side, {**values, **self.own}) for side in (left, *others))
                    for sign, (a, b) in zip(signs, pairs, strict=True):
                        refuse_if(type(sign) not in check.ENDS, "a condition on positions with another sign")
                        low, high = check.ENDS[type(sign)]
                        yield from [b - a + high] if high is not None else []
                        yield from [a - b - low] if low is not None else []
                case _:
                    raise undecided("a condition on positions that is no inequality")


def without_passes(ruleset: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    """Return a game without its passes, and their number; None if it has none."""
    match ruleset:
        case ast.Call(ast.Name("with_pass"), values, words):
            named_values = check.once([(str(word.arg), word.value) for word in words])
            (bound := inspect.signature(check.RULESETS["with_pass"]).bind(*values, **named_values)).apply_defaults()
            return bound.arguments["game"], parsed(bound.arguments["passes"])
        case _:
            return ruleset, None


def formulas_of(game: Mapping[str, Any]) -> list[ast.expr]:
    """Return the formulas in the heights and moves of a description."""
    texts = [*game.get("heights", {}).values()]
    for move in game["moves"]:
        texts += [*(move["by"] if isinstance(move.get("by"), list) else ()), move.get("at_most", 0)]
    refuse_if(any(isinstance(text, list) for text in texts), "amounts as vectors")
    return [*map(parsed, texts)]


def with_formulas(game: Mapping[str, Any], put: Mapping[str, ast.expr]) -> dict[str, Any]:
    """Substitute formulas for names in the heights and moves of a description."""

    def changed(text: Any) -> str:
        return ast.unparse(replaced(parsed(text), put))

    moves = [dict(move) for move in game["moves"]]
    for move in moves:
        move |= {"by": [*map(changed, move["by"])]} if isinstance(move.get("by"), list) else {}
        move |= {"at_most": changed(move["at_most"])} if "at_most" in move else {}
    heights = {y: changed(height) for y, height in game.get("heights", {}).items()}
    return {**game, "heights": heights, "moves": moves}


def side_by_side(*games: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of the disjunctive sum of two games, in which check.py names the coordinates."""
    coordinates, heights, moves, others = list[str](), dict[str, str](), list[Any](), set[str]()
    for i, game in enumerate(games):
        if any(isinstance(move["lower"], dict) for move in game["moves"]) or {*game} & {"within", "ends", "legal"}:
            raise undecided("a sum of games with other moves, or a condition on all positions")
        own = dict[str, str]()
        for c in game["coordinates"]:
            if c in own:
                raise ValueError(f"{c[:60]!r} has two meanings")
            own[c] = check.unused(f"{c}{i + 1}" if c in games[1 - i]["coordinates"] else c, coordinates)
            coordinates.append(own[c])
        others |= names_in(*formulas_of(game)) - own.keys()
        renamed = with_formulas(game, {c: ast.Name(new) for c, new in own.items()})
        heights |= {own[y]: height for y, height in renamed["heights"].items()}
        moves += [{**move, "lower": [own[c] for c in move["lower"]]} for move in renamed["moves"]]
    refuse_if(others & {*coordinates}, "a parameter has the name of a coordinate of the sum")
    return {"coordinates": coordinates, "heights": heights, "moves": moves}


def naturals(heights: Iterable[Height], sign: int = 1) -> list[Sum]:
    """Return sums that are natural if all parts of heights are natural and monotone, with divisors of this sign."""
    quotients = [part for height in heights for part in height.quotients]
    return [p * sign for q in quotients for p in (*q.dividend.coefficients.values(), q.divisor - sign)]


def is_game(heights: Iterable[Height], sign: int = 1) -> str:
    """Condition: `naturals` are natural."""
    return both(*(part.natural for part in naturals(heights, sign)))


def natural_multiples(sums: Iterable[Sum], names: Collection[str]) -> list[str]:
    """Return facts: 2**t is at least 1, and its products with natural numbers of these names are natural."""
    products = {factors for one in sums for factors, _ in one.items if EXPONENTIAL in factors}
    natural = sorted(factors for factors in products if {*factors} <= {EXPONENTIAL, *names})
    return [(named(*factors) - (1 if factors == (EXPONENTIAL,) else 0)).natural for factors in natural]


def otherwise_a_game(height: Height) -> str:
    """Condition that holds for every game with this height that `is_game` excludes."""
    if len(height.parts) == 1:
        return is_game([height], -1)  # both signs of ⌊a/d⌋ are others
    # Where a divisor is 0 there is no game; anything else may be one, such as a height max(x-5, z).
    return both(*(contrary(part.divisor.zero) for part in height.quotients), contrary(is_game([height])))


# ---- One case of the family.


class Case:
    """A case of a certificate: the game and the relation, with parameters that are sums of the case's own names."""

    def __init__(self, family: Family, written: Mapping[str, Any]) -> None:
        self.family, self.written, self.reader = family, written, Reader()
        self.coordinates, self.clips, self.is_grundy = family.coordinates, family.clips, family.is_grundy
        self.values = {p: read(said) for p, said in written["parameters"].items()}
        self.names = {m for value in self.values.values() for m in value.names}
        refuse_if(sorted(self.values) != family.parameters, "a case does not say what its parameters are")
        if family.with_power is not None:
            self.values[power_of(family.with_power)] = power_in(self.values[family.with_power])
        self.reader.exponent = self.values[family.exponent] if family.exponent is not None else None
        self.heights = family.heights(self.reader, self.values)
        names = {**self.values, **family.own}
        self.listed = {x: [self.reader.sum(n, self.values) for n in listed] for x, listed in family.listed.items()}
        self.most = {x: as_height(self.reader.value(most, names)) for x, most in family.most.items()}
        self.relation = NimSum({}) if "formula" in written else family.nim_sum(self.reader, self.values)
        self.inside = [*family.inside(self.reader, self.values)]
        refuse_if(not self.is_grundy and self.relation.offset, "the relation is no nim-sum that is 0")
        for y, height in self.heights.items():
            if any(x == y or (x in self.heights and self.heights[x].coordinates) for x in height.coordinates):
                raise undecided("a height depends on a coordinate that has a height")
        self.by_cases = ByCases(self, written["formula"]) if "formula" in written else None

    @functools.cached_property
    def facts(self) -> str:
        """Condition: the case's conditions hold, and the heights make a game."""
        conditions = [read(c, self.names).natural for c in self.written["conditions"]]
        if self.family.with_power is not None:  # cases have no conditions of their own then
            conditions = [self.reader.condition(self.family.condition, self.values), (named(POWER) - 1).natural]
            products = {factors for value in self.values.values() for factors, _ in value.items if factors}
            conditions += [named(*factors).natural for factors in sorted(products)]
        conditions += [named(name).natural for name in sorted(self.names)]
        conditions.append(self.family.takes_something(self.reader, self.values))
        if self.family.exponent is not None:
            conditions += natural_multiples([*naturals(self.heights.values()), *self.limits.values()], self.names)
        return both(*conditions, *self.reader.definitions, is_game(self.heights.values()))

    @functools.cached_property
    def negative(self) -> set[str]:
        """The tracks whose numbers may be negative."""
        may, relation = {VALUE}, self.relation
        for track, least in {**relation.shifts, CONSTANT: relation.constant, TARGET: -relation.offset}.items():
            always = contrary(least.natural) == "false"
            if not always and (least.is_number or not unsatisfiable(track, both(self.facts, contrary(least.natural)))):
                may.add(track)
        return may

    @functools.cached_property
    def limits(self) -> dict[str, Sum]:
        """By counter, the least number that it may end at."""
        relation, less = self.relation, {x: -self.shift(x) for x in self.coordinates}
        limits = {count(x): self.shift(x) for x in self.coordinates} | {count(CONSTANT): relation.constant}
        limits |= {count(track): -relation.offset for track in (TARGET, VALUE)}
        for y, height in self.heights.items():
            limits |= {legal(y, i): -part.room(less, less[y]) for i, part in enumerate(height.quotients)}
        return limits

    def shift(self, x: str) -> Sum:
        return self.relation.shifts.get(x, ZERO)

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
        amount = place[lowered] - option[lowered]
        conditions = [option[lowered].natural, (amount - 1).natural]
        if lowered in self.listed:
            conditions.append(either(*((amount - n).zero for n in self.listed[lowered])))
        if lowered in self.most:
            conditions.append(self.most[lowered].allows(place, amount))
        for y in self.changed(lowered)[1:]:
            conditions.append(self.heights[y].allows(option, option[y]))
            if option[y] != place[y]:
                conditions.append((place[y] - option[y] - 1).natural)
                conditions.append(contrary(self.heights[y].allows(option, option[y] + 1)))
        return both(*conditions)

    def written_otherwise(self) -> str:
        """Counterexample: the certificate displays another game, relation or counter than the checked one."""
        said, relation, heights = self.written, self.relation, dict[str, Any]()
        for y, height in self.heights.items():
            heights[y] = {"function": height.function, "parts": [part.written for part in height.quotients]}
        own = {"heights": heights, "shifts": relation.shifts, "constant": relation.constant, "offset": -relation.offset}
        differing = [*self.differences({key: said[key] for key in own}, own)]
        if self.by_cases is not None:
            differing += self.differences(said["formula"]["floors"], [floor.written for floor in self.by_cases.floors])
        for one in said.get("obligations", []):
            for location in one["locations"]:
                counters = Obligation(self, one["kind"], one.get("move")).counters(location.get("move"))
                shown = location.get("counters", {})
                refuse_if(not shown.keys() <= counters.keys(), "there is no such counter")
                differing += self.differences(shown, {name: counters[name] for name in shown})
        conditions = [*dict.fromkeys(difference.zero for difference in differing)]
        if self.family.with_power is not None:  # conditions that are for people alone
            conditions += [read(c, self.names).natural for c in said["conditions"]]
        return both(self.facts, contrary(both(*conditions)))

    def differences(self, shown: Any, own: Any) -> Iterator[Sum]:
        """Yield the differences between sums at the same places in two documents; a sum that is not there is 0."""
        match own:
            case Sum():
                yield read(shown, {*self.names, EXPONENTIAL}) - own
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
        is_of_places, written = self.family.is_on_a_part or not is_proof, self.written
        if is_of_places or self.by_cases is not None:
            refuse_if(self.family.exponent, "2**t where no words are read")
            refuse_if(written.get("obligations"), "obligations on words")
        if (self.listed or self.most) and (is_of_places or self.by_cases is None):
            raise undecided("moves by some amounts only, where the relation is no formula by cases")
        if self.family.passes:
            yield "only-the-end", self.stuck()
        if is_of_places:
            yield from self.on_places(is_proof)
        elif self.by_cases is not None:
            refuse_if(self.family.with_power is not None, "options and lemmas, where a power of 2 divides a parameter")
            yield from self.by_cases.conditions()
        else:
            yield from self.obligations()

    def on_places(self, is_proof: bool) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples where some coordinates are small, or a position refutes every member."""
        written, power = self.written, self.family.with_power
        if (power is None) != ("digits" not in written) or (power is not None and is_proof):
            raise undecided("a proof for powers of 2, or digits, where there are none")
        position = {x: read(s, self.names) for x, s in written.get("position", {}).items()}
        if power is not None:
            digits = written["digits"].items()
            parts = {x: (read(d["high"], self.names), read(d["low"], self.names)) for x, d in digits}
            yield "position", PowerPlace(self, self.values[power_of(power)], position, parts).contradiction()
            return
        few = FewValues(self)
        if self.inside or is_proof:
            yield from few.closure()
        if is_proof:
            yield from few.consistent()
        elif all(is_small(position.get(y, named(y))) for y in self.heights):
            yield "position", few.failure(position)
        else:
            raise undecided("a limited coordinate of the position is no small number")

    def is_somewhere(self) -> bool:
        """Return whether some position of a member satisfies the condition on positions; products of names show nothing."""
        few = FewValues(self)
        here = (both(self.facts, few.is_here(place)) for _, place in few.places())
        return any(not has_product(place) and not unsatisfiable("position", place) for place in here)

    def stuck(self) -> str:
        """Counterexample: a position that is not all zeros has no move to zeros; a heap beside the game is left out."""
        zeros: Numbers = dict.fromkeys(self.coordinates, ZERO)
        place = {c: ZERO if c == self.family.heap else named(coordinate(c)) for c in self.coordinates}
        here = [value.natural for value in place.values()]
        here += [either(place[y].zero, height.allows(place, ONE)) for y, height in self.heights.items()]
        moves = list[str]()
        for x, clips in self.clips.items():
            fallen = {y: contrary(self.heights[y].allows(zeros, ONE)) for y in self.changed(x)[1:] if clips}
            others = (either(place[c].zero, fallen.get(c, "false")) for c in self.coordinates if c != x)
            moves.append(both((place[x] - 1).natural, *others))
        return both(*here, either(*((value - 1).natural for value in place.values())), *map(contrary, moves))

    def obligations(self) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples of the obligations on words, each with its invariant in the certificate."""
        wanted: list[tuple[str, str | None]] = [("exclusion", x) for x in self.clips]
        wanted += [("option", None), *([(VALUE, None)] if self.is_grundy else [])]
        given = self.written.get("obligations", [])
        written = {(one["kind"], one.get("move")): one["locations"] for one in given}
        if len(written) < len(given) or written.keys() != {*wanted} or not all(written.values()):
            raise undecided("obligations are missing, or are there twice")
        for kind, move in wanted:
            obligation, said = Obligation(self, kind, move), written[kind, move]
            refuse_if(len(obligation.tracks) > MOST_TRACKS, f"words have more than {MOST_TRACKS} tracks")
            obligation.locations = [Location(obligation, one, self.names, len(said)) for one in said]
            for name, body in obligation.conditions():
                yield "-".join(filter(None, (kind, move, name))), body


def is_small(value: Sum) -> bool:
    """Return whether a value is a small natural number."""
    return value.is_number and 0 <= value.number <= MOST_VALUES


# ---- Words of digits: the coordinates are read together, the sign first, then from the highest digit on. A key holds the
# comparisons of the digits so far. Counters are sums of the numbers read so far; invariants are guesses about counters.
#
# Where a word ends, counters are compared with their limits, such as s for the number z + s. A limit is a sum of parameters or,
# with powers of 2, A·2^t + B, where A and B are sums of parameters. One proof is for all t:
# - More digits in front, equal to the sign, change no integer, negative or not. So it is enough to read words with at least t
#   digits after the sign; t may be larger than the number of digits of each coordinate. The last t digits are the lower ones, the
#   others after the sign the upper ones. There may be none of either.
# - Where the lower digits begin, A is subtracted from each counter. After j of them it has the value e - A·2^j, where e is the
#   value without the subtraction: both go from d to 2d + (its form of the next digits). At the end j is t, and e is at least
#   A·2^t + B if and only if e - A·2^t is at least B.
# - So a location is upper or lower. Upper digits lead from the start, which is upper, to upper locations. Between two digits,
#   `switch-N` leads from there to lower locations, with the same key otherwise. Lower digits lead to these. Words end there.
# - For one member A, B and the forms are fixed numbers, even those that depend on t, such as A = t of t·2^t. No text has the
#   number of lower digits. By induction, invariants hold after any number of upper digits and then any number of lower ones,
#   and the goal with them, so also after t lower ones. The digits of the limit do not matter. What else is supposed of 2^t is
#   in `natural_multiples`. Forms of counters do not have it.

Digits = dict[str, int]
Orders = tuple[tuple[str, str], ...]


class Key(NamedTuple):
    """What a location keeps of the digits so far, beside the counters."""

    is_settled: bool  # whether a move is chosen, or none is asked for
    move: str | None
    orders: Orders  # which changed coordinates are less already
    is_upper: bool  # whether the digits so far are upper ones


def count(track: str) -> str:
    """Return the name of the counter of a number."""
    return f"count({track})"


def legal(track: str, part: int) -> str:
    """Return the name of the counter of a part of a height, for the number on a track."""
    return f"legal{part + 1 if part else ''}({track})"


class Obligation:
    """One obligation on a case, with the locations of a certificate, which `conditions` verify.

    Of an ``exclusion``: no option of a position in the relation is in it. Of an ``option``: every other position, or every
    smaller value, has an option in the relation. Of a ``value``: no value is negative.
    """

    def __init__(self, game: Case, kind: str, move: str | None) -> None:
        self.game, self.kind, self.move, self.locations = game, kind, move, list[Location]()
        self.tracks = [*game.coordinates]  # whose digits the opponent chooses
        if game.relation.constant and not (kind == "exclusion" and game.is_grundy):
            self.tracks.append(CONSTANT)
        if kind == "option" and game.is_grundy:
            self.tracks.append(TARGET)
        forms = itertools.chain.from_iterable(form.values() for form in self.counters(None).values())
        refuse_if(any(EXPONENTIAL in a.names for a in forms), "2**t in a divisor, or as a factor of a coordinate")

    def changed(self, move: str | None) -> tuple[str, ...]:
        return self.game.changed(move) if move is not None else ()

    def counters(self, move: str | None) -> dict[str, Numbers]:
        """Return the counters with their forms, after the choice of a move or before it."""
        game, changed = self.game, self.changed(move)
        option = {x: f"{x}'" for x in changed}
        tracks = [x for x in game.coordinates if game.shift(x)] + [t for t in self.tracks if t in (CONSTANT, TARGET)]
        tracks += [VALUE] * (self.kind == VALUE) + [option[x] for x in changed if game.shift(x)]
        counters: dict[str, Numbers] = {count(t): {t: ONE} for t in tracks}
        limited = [*((y, dict[str, str]()) for y in game.heights), *((y, option) for y in changed[1:])]
        for y, names in limited:
            for i, part in enumerate(game.heights[y].quotients):
                forms = {**part.dividend.coefficients, y: -part.divisor}
                counters[legal(names.get(y, y), i)] = {names.get(x, x): a for x, a in forms.items() if x}
        return counters

    def after(self, here: Key | None, there: Key, digits: Digits) -> dict[str, Sum]:
        """Return the counters after a step, as sums of the counters before it; `here` is None at the start."""
        counters, old = dict[str, Sum](), self.counters(here.move) if here else {}
        for name, form in self.counters(there.move).items():
            more = sum((a * digits[track] for track, a in form.items()), ZERO)
            before = name if name in old else name.replace("'", "")  # until now the option was the position itself
            counters[name] = named(before) * 2 + more if here else -more  # the first digit is the sign
        return counters

    def limit(self, counter: str) -> tuple[Sum, Sum]:
        """Return A and B, where A·2^t + B is the least number that a counter may end at."""
        limit = self.game.limits[counter.replace("'", "")]
        refuse_if(any(factors.count(EXPONENTIAL) > 1 for factors, _ in limit.items), "2**t is multiplied by itself")
        low = limit.put({EXPONENTIAL: ZERO})
        return limit.put({EXPONENTIAL: ONE}) - low, low

    def above(self, counter: str) -> Sum:
        """Return how far a counter is above its limit where a word ends."""
        return named(counter) - self.limit(counter)[1]

    def switched(self, move: str | None) -> dict[str, Sum]:
        """Return the counters before the lower digits, as sums of the counters after the upper ones."""
        return {name: named(name) - self.limit(name)[0] for name in self.counters(move)}

    def at_least(self, y: str, track: str, more: int) -> str:
        """Condition: the height is at least the number on a track, plus one or not; its shift was added to each number."""
        height = self.game.heights[y]
        parts = enumerate(height.quotients)
        return height.joined((self.above(legal(track, i)) - part.divisor * more).natural for i, part in parts)

    @functools.cached_property
    def given(self) -> str:
        """Condition: the whole word spells a position, with its constant and target."""
        game = self.game
        conditions = [self.above(count(x)).natural for x in game.coordinates if game.shift(x)]
        conditions += [self.at_least(y, y, 0) for y in game.heights]
        conditions += [self.above(count(TARGET)).natural] * (TARGET in self.tracks)
        conditions += [self.above(count(CONSTANT)).zero] * (CONSTANT in self.tracks)
        return both(*conditions)

    def violated(self, key: Key) -> str:
        """Condition: the word ends here, and must not."""
        if self.kind == VALUE:
            return both(self.given, contrary(self.above(count(VALUE)).natural))
        if not key.is_settled:
            return "false"
        move, less = key.move, dict(key.orders)
        assert move is not None
        option = [] if less[move] == "less" else ["false"]
        option += [self.above(count(f"{move}'")).natural] if self.game.shift(move) else []
        for y in self.changed(move)[1:]:
            option.append(self.at_least(y, f"{y}'", 0))
            option += [contrary(self.at_least(y, f"{y}'", 1))] if less[y] == "less" else []
        return both(self.given, both(*option) if self.kind == "exclusion" else contrary(both(*option)))

    def choices(self, tracks: Sequence[str], is_sign: bool) -> Iterator[Digits]:
        ranges = [(0, 1) if not is_sign or t.rstrip("'") in self.game.negative else (0,) for t in tracks]
        yield from (dict(zip(tracks, chosen, strict=True)) for chosen in itertools.product(*ranges))

    def nim_sum(self, digits: Digits, changed: Sequence[str] = ()) -> int:
        """Return the nim-sum of a position's digits, or of an option's if some coordinates are changed."""
        own = (digits[f"{x}'" if x in changed else x] for x in self.game.relation.shifts)
        return functools.reduce(int.__xor__, own, digits.get(CONSTANT, 0))

    def lowered(self, move: str, orders: Orders, digits: Digits, is_sign: bool) -> Orders | None:
        """Return the orders after a step; None if the option's digits are not allowed."""
        lowered = []
        for x, order in orders:
            own, other = digits[x], digits[f"{x}'"]
            if order == "equal" and own != other:
                if (other < own) == is_sign or not (x == move or self.game.clips[move]):
                    return None
                order = "less"
            lowered.append((x, order))
        return tuple(lowered)

    def equal(self, move: str | None) -> Orders:
        """Return the orders of a move before the first digit."""
        return tuple((x, "equal") for x in self.changed(move))

    def conditions(self) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples, with names."""
        start, is_option = self.locations[0], self.kind == "option"
        # Whatever else is said of the start, even that 1 = 0, would be supposed of every word.
        first = Key(not is_option, self.move, self.equal(self.move), self.game.family.exponent is not None)
        said = [start.never, start.equalities, start.parities, start.predicates]
        if not start.is_start or start.key != first or any(said) or start.states != [""]:
            raise undecided("the first location is not the start")
        if is_option:
            yield from self.never_ends()
        for number, here in enumerate(self.locations):
            refuse_if(here.is_start != (number == 0), "there are two starts")
            before = here.invariant({})
            if is_option:  # without `never`: such words spell no position (`never_ends`)
                before = both(here.facts({}), either(*here.in_states({})), contrary(here.is_never({})))
            yield f"step-{number}", both(before, either(*(self.answers(here) if is_option else self.steps(here))))
            if here.is_upper and not here.is_start:
                values, there = self.switched(here.key.move), self.at(here.key._replace(is_upper=False))
                yield f"switch-{number}", both(before, contrary(either(*(other.invariant(values) for other in there))))
            elif not here.is_start:
                yield f"goal-{number}", both(before, self.violated(here.key))

    def at(self, key: Key) -> list[Location]:
        """Return the locations with a key, except the start."""
        return [location for location in self.locations[1:] if location.key == key]

    def steps(self, here: Location) -> Iterator[str]:
        """Conditions: some step leads out of the invariants. All digits are chosen by the opponent."""
        changed = self.changed(self.move)
        for digits in self.choices((*self.tracks, *(f"{x}'" for x in changed)), here.is_start):
            orders: Orders | None = ()
            if self.move:
                own, other = self.nim_sum(digits), self.nim_sum(digits, changed)
                if own != other or (not self.game.is_grundy and own):
                    continue
                orders = self.lowered(self.move, here.key.orders, digits, here.is_start)
            if orders is None:
                continue
            there = Key(True, self.move, orders, here.is_upper)
            digits[VALUE] = self.nim_sum(digits)
            values = self.after(None if here.is_start else here.key, there, digits)
            yield contrary(either(*(other.invariant(values) for other in self.at(there))))

    def never_ends(self) -> Iterator[tuple[str, str]]:
        """Counterexamples: a `never` of an option obligation ends after some digits, or holds at a position.

        `never` depends on the position alone, so the answers of the strategy do not matter.
        """
        key, own = Key(False, None, (), False), self.counters(None).keys()
        every = [here for here in self.locations if here.never]
        switched = either(*(here.is_never(self.switched(None)) for here in every if not here.is_upper))
        for number, here in enumerate({(here.is_never({}), here.is_upper): here for here in every}.values()):
            if not {name for part in here.never for s in part for name in s.names if "(" in name} <= own:
                raise undecided("what never becomes a position speaks of an option")
            after = (self.after(key, key, digits) for digits in self.choices(self.tracks, False))
            ends = (contrary(here.is_never(values)) for values in after)
            end = contrary(switched) if here.is_upper else self.given
            yield f"never-{number}", both(here.is_never({}), either(end, *ends))

    def answers(self, here: Location) -> Iterator[str]:
        """Conditions: the opponent chooses digits for which the strategy leads out of the invariants."""
        written = {frozenset(step["digits"].items()): step["answers"] for step in here.strategy}
        refuse_if(len(written) < len(here.strategy), "a strategy has two answers to the same digits")
        states = here.in_states({})
        for digits in self.choices(self.tracks, here.is_start):
            target = digits.get(TARGET, 0)
            differs = self.nim_sum(digits) != target
            is_larger = self.game.is_grundy and bool(target) != here.is_start
            if not here.key.is_settled and differs and is_larger:
                continue  # a target is smaller than the value
            unanswered = {*range(len(states))}
            for answer in written.get(frozenset(digits.items()), ()):
                refuse_if(not {*answer["states"]} <= unanswered, "a strategy has two answers, or answers for no state")
                unanswered -= {*answer["states"]}
                there, values = self.answered(here, digits, differs, answer)
                answered = either(*(states[i] for i in sorted({*answer["states"]})))
                yield both(answered, contrary(there.invariant(values)))
            yield from (states[i] for i in sorted(unanswered))

    def answered(
        self, here: Location, digits: Digits, differs: bool, answer: Mapping[str, Any]
    ) -> tuple[Location, Numbers]:
        """Return the location after an answer, and the counters there; refuse answers that are no moves."""
        own, (is_settled, move, orders, _) = answer["digits"], here.key
        there = Key(False, None, (), here.is_upper)
        if is_settled or differs:
            if not is_settled:
                move = answer.get("move")
                if move is None or move not in self.game.clips:
                    raise undecided("a strategy makes a move that there is not")
                orders = self.equal(move)
            assert move is not None
            changed = self.changed(move)
            tracks = [f"{x}'" for x in changed]
            if own.keys() != {*tracks} or (is_settled and answer.get("move") not in (None, move)):
                raise undecided("an answer has other digits or another move than are asked for")
            refuse_if(own not in self.choices(tracks, here.is_start), "an answer has a digit that no option has")
            digits = digits | own
            after = self.lowered(move, orders, digits, here.is_start)
            if after is None or self.nim_sum(digits, changed) != digits.get(TARGET, 0):
                raise undecided("an answer is larger than the position, or has another nim-sum")
            there = Key(True, move, after, here.is_upper)
        elif own or answer.get("move") is not None:
            raise undecided("an answer before the nim-sum differs")
        location = self.locations[answer["to"]]
        refuse_if(location.is_start or location.key != there, "an answer leads to another location than it says")
        return location, self.after(None if here.is_start else here.key, there, digits)


class Location:
    """A location of a certificate: a key, and an invariant in its counters and the names of the case."""

    def __init__(self, obligation: Obligation, written: Mapping[str, Any], own: Collection[str], size: int) -> None:
        move, kind = written.get("move"), obligation.kind
        refuse_if(move is not None and move not in obligation.game.clips, "a location has a move that there is not")
        changed = obligation.changed(move)
        refuse_if(written["orders"].keys() != {*changed}, "a location has other orders than its move")
        if (move is not None) != (written["settled"] and kind != VALUE) or obligation.move not in (None, move):
            raise undecided("a location has another move than its obligation, has it too early, or none")
        self.is_upper: bool = written.get("upper", False)
        orders = tuple((x, written["orders"][x]) for x in changed)
        self.key = Key(written["settled"], move, orders, self.is_upper)
        self.is_start, self.states, self.strategy = written["start"], written["states"], written.get("strategy", [])
        counters = set() if self.is_start else obligation.counters(move).keys()
        names = {*own, *counters}
        self.parities: dict[str, int] = written.get("parities", {})
        refuse_if(not self.parities.keys() <= counters, "a parity of what is no counter")
        self.never = [[read(s, names) for s in part] for part in written.get("never", [])]
        self.equalities = [read(s, names) for s in written.get("equalities", [])]
        self.predicates = [read(s, names) for s in written.get("predicates", [])]
        if any(len(state) != len(self.predicates) or {*state} - {*"01"} for state in self.states):
            raise undecided("a state is not one digit for each predicate")
        if not all(0 <= answer["to"] < size for step in self.strategy for answer in step["answers"]):
            raise undecided("an answer leads to no location")

    def is_never(self, values: Numbers) -> str:
        """Condition: one of `never` holds for these values of the counters."""
        return either(*(both(*(s.put(values).natural for s in part)) for part in self.never))

    def facts(self, values: Numbers) -> str:
        """Condition: the equalities and parities hold."""
        parities = (remainder(named(n).put(values), 2, r) for n, r in self.parities.items())
        return both(*(e.put(values).zero for e in self.equalities), *parities)

    def in_states(self, values: Numbers) -> list[str]:
        """Conditions, one for each state: the predicates have its truth values."""
        holds = [(contrary(c), c) for c in (p.put(values).natural for p in self.predicates)]
        return [both(*(pair[int(bit)] for pair, bit in zip(holds, state, strict=True))) for state in self.states]

    def invariant(self, values: Numbers) -> str:
        return either(self.is_never(values), both(self.facts(values), either(*self.in_states(values))))


# ---- Few values: the coordinates with heights are small numbers. A place gives each coordinate a sum; it is consistent if
# it is in the relation, or has an option that is, and not both.

LOWERED = "lowered()"  # the lowered coordinate of an option


class FewValues:
    """The places of a case, in which the coordinates with heights have at most their largest values."""

    def __init__(self, game: Case) -> None:
        relation, heights = game.relation, game.heights
        self.game, self.inside = game, game.inside
        self.largest: Mapping[str, int] = game.written.get("largest", {})
        self.free: Numbers = {x: named(coordinate(x)) for x in game.coordinates if x not in heights}
        if game.is_grundy or relation.shifts.keys() != {*game.coordinates}:
            raise undecided("only P-positions, by all coordinates, have such conditions")
        refuse_if(not all(relation.shifts[y].is_number for y in heights), "a limited coordinate plus a parameter")
        if any(height.coordinates & heights.keys() for height in heights.values()):
            # Lowering y would let others fall, and only free coordinates are looked at for that.
            raise undecided("a height depends on a limited coordinate")
        refuse_if(not relation.constant.is_number or len(self.free) > 2, "a nim-sum of more than two sums of names")

    def consistent(self) -> Iterator[tuple[str, str]]:
        """Counterexamples: a place inside is not consistent, for each choice of limited coordinates."""
        for name, place in self.places():
            related, reaches = self.is_related(place), either(*self.related(place))
            # Written out, which takes z3 half of the time of (not (xor …)).
            wrong = either(both(related, reaches), both(contrary(related), contrary(reaches)))
            yield f"consistent-{name}", both(self.is_here(place), wrong)

    def failure(self, place: Numbers, *facts: str) -> str:
        """Counterexample: for some parameters a place is no position, a fact does not hold, or it is consistent."""
        refuse_if(place.keys() != {*self.game.coordinates}, "the position has other coordinates than the game")
        consistent = f"(xor {self.is_related(place)} {either(*self.related(place))})"
        return either(contrary(both(self.is_here(place), *facts)), consistent)

    def closure(self) -> Iterator[tuple[str, str]]:
        """Counterexamples: a limited coordinate is larger inside, or an option of a position inside is outside."""
        refuse_if(self.largest.keys() != self.game.heights.keys(), "a largest value is missing, or too much")
        refuse_if(not all(0 <= n <= MOST_VALUES for n in self.largest.values()), "a largest value is no small number")
        bounds = [part for part in self.inside if part.coordinates <= self.free.keys()]
        known = [value.natural for value in (*self.free.values(), *bounds)]
        for y, most in self.largest.items():
            yield f"largest-{y}", both(*known, self.game.heights[y].allows(self.free, as_sum(most + 1)))
        for name, place in self.places():
            left = [
                both(self.game.is_option(place, option, x), contrary(self.is_inside(option)))
                for x in self.game.clips
                for option in ({**fallen, x: named(LOWERED)} for fallen in self.fallen(place, x))
            ]
            yield f"inside-{name}", both(self.is_here(place), either(*left))

    def places(self) -> Iterator[tuple[str, Numbers]]:
        for values in itertools.product(*(range(most + 1) for most in self.largest.values())):
            place = {**self.free, **dict(zip(self.largest, map(as_sum, values), strict=True))}
            yield "-".join(map(str, values)), place

    def is_here(self, place: Numbers) -> str:
        """Condition: a place is a position inside."""
        return both(self.game.is_position(place), self.is_inside(place))

    def is_inside(self, place: Numbers) -> str:
        return both(*(part.at(place).natural for part in self.inside))

    def smaller(self, place: Numbers, y: str) -> Iterator[Sum]:
        """Yield the smaller values of a limited coordinate."""
        yield from map(as_sum, range(place[y].number))

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
        x = next(iter(self.free or self.game.coordinates))
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
            yield "true", number - self.game.shift(x)
        for when, value in nim_added(others[0], number) if others else ():
            yield when, value - self.game.shift(x)


def nim_added(value: Sum, number: int) -> Iterator[tuple[str, Sum]]:
    """Yield the nim-sum of a sum with a number, by cases: pairs of a condition and a sum."""
    size = 2
    while not -size <= number < size:
        size *= 2
    for rest in range(size):
        # The digits above are those of the value, all of them changed if the number is negative.
        high = value - rest if number >= 0 else rest - size - value
        yield remainder(value, size, rest), high + (rest ^ number) % size


# ---- Powers of 2. A certificate gives the coordinates of a place in two parts, above and below a base that is a power of 2.
# Lemmas on products hold for all integers, so they exclude no counterexample.

BELOW = "below()"  # the lower part of the limited coordinate of an option: any number below the base
Parts = tuple[Sum, Sum]  # the upper and the lower part of a number


def power_in(value: Sum) -> Sum:
    """Return the largest power of 2 that divides 2n+1 or 2·p_2·(2n+1); all numbers except 0 have this form."""
    for n in value.names - {POWER}:
        for base in (ONE, named(POWER) * 2):
            if value == base * (named(n) * 2 + 1):
                return base
    raise undecided("a parameter with a power of 2 is neither 2n+1 nor 2·p_2·(2n+1)")


class PowerPlace(FewValues):
    """A place of a game with one limited coordinate, for a base that is a power of 2."""

    def __init__(self, game: Case, base: Sum, place: Numbers, parts: Mapping[str, Parts]) -> None:
        super().__init__(game)
        self.base, self.place = base, place
        if [len(height.parts) for height in game.heights.values()] != [1]:
            raise undecided("a limited coordinate with one quotient as its height is needed")
        ((self.limited, height),) = game.heights.items()
        self.divisor = height.quotients[0].divisor
        if game.relation.constant or not self.free or game.shift(self.limited):
            raise undecided("one limited coordinate without a shift, and one or two others, are needed")
        if not all(a.is_number and a.number <= 0 for form in self.inside for x, a in form.coefficients.items() if x):
            raise undecided("an option may be where nothing is stated")
        refuse_if(not place.keys() == parts.keys() == {*game.coordinates}, "the position has other coordinates")
        upper = parts[self.limited][0]
        if not all(map(is_small, (upper, *(parts[x][1] for x in self.free)))):
            raise undecided("a part of a coordinate that must be a small number is none")
        self.lower = [(as_sum(n), named(BELOW)) for n in range(upper.number + 1)]
        self.parts = {place[x] + game.shift(x): part for x, part in parts.items()}  # by what they are the parts of
        if len(self.parts) < len(parts):  # the parts of one could be taken for those of another
            raise undecided("two coordinates of the position are the same sum")

    def contradiction(self) -> str:
        """Counterexample: for some member the place is no position, or it is consistent."""
        below, facts = named(BELOW), list[str]()
        for value, (upper, lower) in self.parts.items():
            facts += [(value - self.base * upper - lower).zero, lower.natural, (self.base - 1 - lower).natural]
        failure = self.failure(self.place, *facts)
        is_low = both(below.natural, (self.base - 1 - below).natural)
        return both(*self.products(self.place[self.limited] - below), is_low, failure)

    def products(self, drop: Sum) -> Iterator[str]:
        """Yield lemmas: a product of natural factors is natural."""
        pairs = [(drop - i, self.divisor - j) for i in range(3) for j in range(5)] + [(-drop, self.divisor)]
        names = sorted({factors for s in (self.divisor, *self.place.values()) for factors, _ in s.items if factors})
        for one in (named(*factors) for factors in names):
            pairs.append((named(POWER) - 1, one))
            # Every name of a case is natural, and so is every product of them; a quotient in a divisor may be negative.
            if not any(NEW in name for name in one.names):
                yield one.natural
        yield from (either(contrary(both(a.natural, b.natural)), (a * b).natural) for a, b in pairs)

    def smaller(self, place: Numbers, y: str) -> Iterator[Sum]:
        """Yield the numbers whose upper part is not larger; `is_option` excludes those that are not smaller."""
        for upper, below in self.lower:
            value = self.base * upper + below
            self.parts[value] = upper, below
            yield value

    def solutions(self, place: Numbers, x: str) -> Iterator[tuple[str, Sum]]:
        """Yield the value of x for which the nim-sum is 0, by cases: upper and lower parts each have the nim-sum 0."""
        (upper, lower) = next((self.parts[place[o] + self.game.shift(o)] for o in self.free if o != x), (ZERO, ZERO))
        high, low = self.parts[place[self.limited]]
        pairs = itertools.product(nim_added(upper, high.number), nim_added(low, lower.number))
        for (when, up), (also, down) in pairs:
            yield both(when, also), self.base * up + down - self.game.shift(x)


# ---- Formulas by cases, for Grundy numbers or P-positions. A certificate lists the options to try, and the sums that need
# lemmas on products. Every name is an integer; the lemmas hold for all integers. A quotient that is multiplied, added to another or
# compared, and the quotient of each remainder, is a further coordinate of every place, which its definition determines.

RESULT, ASKED = "value()", "target()"


class ByCases:
    """A formula for the Grundy number or the P-positions in one case, with the options and lemmas of a certificate."""

    def __init__(self, case: Case, written: Mapping[str, Any]) -> None:
        self.family, self.reader, self.values, self.written = case.family, case.reader, case.values, written
        self.game, self.names = case, case.names
        self.place: Numbers = self.family.own
        self.known: Numbers = {**self.values, **self.family.own}
        self.numbers = [f"number({i})" for i, _ in enumerate(written["quotients"], start=1)]
        self.moves = [
            (lowered, fallen)
            for lowered, clips in self.game.clips.items()
            for size in range(len(self.game.changed(lowered)) if clips else 1)
            for fallen in itertools.combinations(self.game.changed(lowered)[1:], size)
        ]
        self.floors = self.reader.floors = dict[Quotient, Sum]()
        self.choices = list[tuple[list[tuple[Sum, int, int]], Height]]()  # the remainders, and the rest of the formula
        if not case.is_grundy:
            self.reader.condition(self.family.relation, self.known)  # all quotients are then in `floors`
            return
        remainders = dict[str, tuple[Sum, int]]()  # by numbers, with their texts
        for part in operations(ast.Mod, self.family.relation):
            if names_in(part) & self.place.keys():
                by = self.reader.sum(part.right, self.values)
                refuse_if(by.is_number and by.number < 1, "a remainder by what is no positive number")
                one = {ast.unparse(part): (self.reader.sum(part.left, self.known), by.number)}
                remainders |= one if by.is_number else {}
        refuse_if(math.prod(by for _, by in remainders.values()) > MOST_CHOICES, "too many choices of remainders")
        for numbers in itertools.product(*(range(by) for _, by in remainders.values())):
            node = replaced(self.family.relation, dict(zip(remainders, map(parsed, numbers), strict=True)))
            chosen = [(*remainder, number) for remainder, number in zip(remainders.values(), numbers, strict=True)]
            self.choices.append((chosen, as_height(self.reader.value(node, self.known))))

    def conditions(self) -> Iterator[tuple[str, str]]:
        """Yield the counterexamples to the formula, with names."""
        positive = both(*((divisor - 1).natural for divisor in self.reader.divisors))
        yield "divisors", both(contrary(positive), *self.reader.definitions)
        value, target, bodies = named(RESULT), named(ASKED), dict[str, str]()
        place, floors = self.whole(self.place, "position")
        position, related = both(self.game.is_position(self.place), floors), self.is_value(place, value)
        here, other = both(position, related), both(position, contrary(related))
        if self.game.is_grundy:
            bodies["value"] = both(here, contrary(value.natural))
            other = both(here, target.natural, (value - target - 1).natural)
        for lowered, fallen in self.moves:
            changed = {**self.place, **{x: named(f"option({x})") for x in (lowered, *fallen)}}
            option, floors = self.whole(changed, "option")
            same = both(floors, self.game.is_option(self.place, changed, lowered), self.is_value(option, value))
            bodies["-".join(["exclusion", lowered, *fallen])] = both(here, same)
        bodies["option"] = both(other, *self.quotients(), *self.without_options(target))
        refuse_if(self.written["lemmas"].keys() != bodies.keys(), "lemmas of other conditions than there are")
        for name, body in bodies.items():
            sentence = both(*map(self.lemma, self.written["lemmas"][name]), body)
            yield name, both(sentence, *self.of_products(sentence), *self.reader.definitions)

    def whole(self, place: Numbers, kind: str) -> tuple[Numbers, str]:
        """Return a place with its further coordinates, and the condition that defines these, for positive divisors."""
        found, conditions = dict(place), list[str]()
        for number, quotient in enumerate(self.floors):
            found[str(number)] = value = named(f"{kind}({number})")
            rest = quotient.room(found, value)
            conditions += [rest.natural, (quotient.divisor - 1 - rest).natural]
        return found, both(*conditions)

    def quotients(self) -> Iterator[str]:
        """Yield the definitions of the certificate's quotients, for positive divisors."""
        for i, quotient in enumerate(self.written["quotients"]):
            divisor = read(quotient["divisor"], self.names)
            rest = self.read(quotient["dividend"], i) - divisor * named(self.numbers[i])
            yield implied((divisor - 1).natural, rest.natural, (divisor - 1 - rest).natural)

    def read(self, written: Mapping[str, int], quotients: int) -> Sum:
        """Return a sum of parameters, the position, the smaller value, and the first `quotients` quotients."""
        known = {*self.names, *map(coordinate, self.whole(self.place, "position")[0]), ASKED}
        return read(written, {*known, *self.numbers[:quotients]})

    def without_options(self, target: Sum) -> Iterator[str]:
        """Conditions: no option of the certificate is one with the smaller value, or with a P-position."""
        for number, option in enumerate(self.written["options"], start=1):
            move, fallen = option["move"], tuple(option["fallen"])
            refuse_if((move, fallen) not in self.moves, "an option by a move that there is not")
            refuse_if(option["changed"].keys() != {move, *fallen}, "an option does not say what the move changes")
            changed = {**self.place, **{x: self.read(s, len(self.numbers)) for x, s in option["changed"].items()}}
            place, floors = self.whole(changed, f"option{number}")
            option_with_value = both(self.game.is_option(self.place, changed, move), self.is_value(place, target))
            yield both(floors, contrary(option_with_value))

    def lemma(self, written: Mapping[str, int]) -> str:
        """Lemmas on a sum d and its product D with natural numbers m: D ≥ m, D ≤ -m or D = 0."""
        known = {*self.names, *self.numbers, RESULT, ASKED}
        kinds = ("position", "option", *(f"option{i}" for i in range(1, len(self.written["options"]) + 1)))
        known |= {f"{kind}({x})" for kind in kinds for x in self.whole(self.place, kind)[0]}
        d, lemmas = read(written, known), list[str]()
        refuse_if(
            not {*self.written["factors"]} <= self.names, "lemmas on products with what is no parameter of the case"
        )
        for m in map(named, self.written["factors"]):
            up = implied((d - 1).natural, (m * d - m).natural)
            down = implied((-d - 1).natural, (-(m * d) - m).natural)
            lemmas += [up, down, implied(d.zero, (m * d).zero)]
        return both(*lemmas)

    def of_products(self, text: str) -> Iterator[str]:
        """Yield lemmas: a product with a parameter that is 0 or 1."""
        for factors in (tuple(name.split("*")) for name in sorted({*QUOTED.findall(text)})):
            for m, other in (factors, factors[::-1]) if len(factors) == 2 else ():
                if m in self.names:
                    yield implied(named(m).zero, named(*factors).zero)
                    yield implied((named(m) - 1).zero, (named(*factors) - named(other)).zero)

    def is_value(self, place: Numbers, value: Sum) -> str:
        """Condition: the formula has a value at a place, or says that it is a P-position. One choice of remainders applies."""
        if not self.game.is_grundy:
            return self.reader.condition(self.family.relation, self.known, place)
        choices = []
        for remainders, formula in self.choices:
            when = (remainder(one.at(place), by, number) for one, by, number in remainders)
            choices.append(both(*when, formula.allows(place, value), contrary(formula.allows(place, value + 1))))
        return either(*choices)


# ---- Passes. A game with r passes has positions (v, p), in which the players together may pass p times, but not where v has no
# option. Let n be the Grundy number of v with p passes left; or let n be a heap beside the game, and (v, n) a P-position if and
# only if n is that number. docs/lemmas.md proves: p and p % 2 passes give the same number; and one pass exchanges 2i - 1 and 2i
# for each i >= 1, if only the position without options has the number 0 without passes (the text only-the-end).

EXCHANGED = parsed("a == b == 0 or a % 2 == 1 and b == a + 1 or a % 2 == 0 and a == b + 1 >= 2")


def automaton(family: Family, formula: ast.expr, names: check.Names, value: check.Track) -> check.Automaton:
    """Return where a formula has a value, or where a condition of P-positions holds."""
    if family.is_grundy:
        return check.within(formula, names, {value: -1}, 0, 0)
    return check.condition(formula, names)


def otherwise_with_passes(family: Family) -> check.Automaton:
    """Return the integers for which the statement does not follow from the relation without passes.

    They need not make a game. A Grundy number without passes that stands in the statement is any natural number.
    """
    (p, most), (n, other) = *family.passes.items(), (family.heap or check.Own(), check.Own())
    rest, formulas = [c for c in family.coordinates if c != n], [family.stated, family.relation]
    names = {c: {c: 1} for c in (*family.parameters, *family.coordinates, p, NEW)}
    if family.is_grundy:
        short = [replaced(formula, {ast.unparse(family.relation): ast.Name(NEW)}) for formula in formulas]
        formulas = formulas if names_in(*short) & {*rest} else short
    stated, plain = (automaton(family, formula, names, n) for formula in formulas)

    def some_other(*parts: check.Automaton) -> check.Automaton:
        return check.some([other], plain.on({n: other}), *parts)

    passed = some_other(check.condition(EXCHANGED, {"a": {n: 1}, "b": {other: 1}}))
    is_even = check.condition(parsed(f"{p} % 2 == 0"), names)
    right = check.any_of([is_even & plain, passed - is_even])
    ends, zero = check.all_of(check.limits({c: 1}, 0, 0) for c in rest), some_other(check.limits({other: 1}, 0, 0))
    here = check.all_of(check.limits({c: 1}, 0, None) for c in (*names, n))
    here &= check.condition(family.condition, names) & check.condition(family.where, names)
    here &= check.within(most, names, {p: -1}, 0, None)
    here &= some_other(check.limits({other: 1}, 0, None)) & check.any_of([ends & zero, here - ends - zero])
    return check.any_of([here & stated - right, here & right - stated])


# ---- Members: the family with numbers for its parameters, compared with the definition.


class Member:
    """One game of the family, by the definition."""

    def __init__(self, family: Family, values: Mapping[str, int]) -> None:
        self.family, self.values, numbers = family, values, {name: as_sum(n) for name, n in values.items()}
        if family.with_power is not None:
            n = values[family.with_power]
            numbers[power_of(family.with_power)] = as_sum(n & -n)
        self.heights = family.heights(Reader(), numbers)  # as other members are read, too
        self.formulas = family.formulas | family.passes
        if any(value_of(most, values) < 1 for most in family.passes.values()):
            raise ValueError("no passes")
        of = {y: sorted(names_in(node) & {*family.coordinates}) for y, node in self.formulas.items()}
        self.of = dict(sorted(of.items(), key=lambda item: bool(item[1])))  # those that depend on nothing first
        self.order = [*(c for c in family.coordinates if c not in of), *self.of]
        self.known: dict[str, dict[tuple[int, ...], int]] = {y: {} for y in of}

    def height(self, y: str, at: Mapping[str, int]) -> int:
        """Return a height, which is computed once for the coordinates that it depends on."""
        key, known = tuple([at[x] for x in self.of[y]]), self.known[y]
        if key not in known:
            known[key] = value_of(self.formulas[y], {**self.values, **at})
        return known[key]

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
        passes = dict[str, int]()
        for c, clips in self.family.clips.items():
            limited = [y for y, of in self.of.items() if c in of]
            for n in self.amounts(c, at):
                option = {**at, c: at[c] - n}
                tops = {y: self.height(y, option) for y in limited}
                if clips or all(option[y] <= top for y, top in tops.items()):
                    passes = {p: at[p] - 1 for p in self.family.passes if at[p]}  # only where there is another move
                    yield option | {y: min(option[y], top) for y, top in tops.items()}
        if passes:
            yield {**at, **passes}

    def amounts(self, c: str, at: Mapping[str, int]) -> Iterator[int]:
        """Yield the amounts by which a move may lower a coordinate, by the definition."""
        listed, most = self.family.listed.get(c), self.family.most.get(c)
        allowed = range(1, at[c] + 1) if listed is None else {value_of(n, self.values) for n in listed}
        largest = at[c] if most is None else value_of(most, {**self.values, **at})
        yield from (n for n in allowed if 1 <= n <= min(at[c], largest))

    def is_position(self, at: Mapping[str, int]) -> bool:
        return min(at.values()) >= 0 and all(at[y] <= self.height(y, at) for y in self.of)

    def related(self, at: Mapping[str, int]) -> int:
        """Return the stated Grundy number, or 1 for a stated P-position."""
        return value_of(self.family.stated, {**self.values, **at})

    def inside(self, at: Mapping[str, int]) -> bool:
        return self.family.where is None or bool(value_of(self.family.where, {**self.values, **at}))


def with_sum(amount: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield all tuples of `size` natural numbers with this sum."""
    if size == 1:
        yield (amount,)
        return
    for first in range(amount + 1):
        yield from ((first, *others) for others in with_sum(amount - first, size - 1))


def choices(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Yield values for names, those with the least sum first; at most `MOST_PARAMETERS` choices."""
    numbers = (chosen for amount in itertools.count() for chosen in with_sum(amount, len(names)))
    yield from (dict(zip(names, chosen, strict=True)) for chosen in itertools.islice(numbers, MOST_PARAMETERS))


def members(family: Family, cases: Sequence[Mapping[str, Any]]) -> Iterator[Member]:
    """Yield members with small parameters, then members of each case with small numbers for its names."""
    found, plain = set[tuple[int, ...]](), list[tuple[Mapping[str, Any], Numbers, list[str]]]()
    for case in cases:
        values = {p: read(said) for p, said in case["parameters"].items()}
        names = set[str]().union(*(value.names for value in values.values()))
        if names and POWER not in names and sorted(values) == family.parameters:
            plain.append((case, values, sorted(names)))
    by_cases = ((values, chosen) for _, values, names in plain for chosen in choices(names))
    by_solver = ((values, least) for case, values, _ in plain if not found for least in least_numbers(case))
    of_cases = (
        {p: value.put({name: as_sum(n) for name, n in chosen.items()}).number for p, value in values.items()}
        for values, chosen in itertools.chain(by_cases, by_solver)
    )
    for parameters in itertools.chain(choices(family.parameters), of_cases):
        key = tuple(parameters[name] for name in family.parameters)
        if key in found or min(key) < 0:
            continue
        with contextlib.suppress(ValueError, ZeroDivisionError):  # a formula without a value
            takes_something = all(value_of(amount, parameters) >= 1 for amount in family.fixed)
            if takes_something and value_of(family.condition, parameters):
                member = Member(family, parameters)
                if all(part.is_number and part.number >= 0 for part in naturals(member.heights.values())):
                    found.add(key)
                    yield member


def least_numbers(case: Mapping[str, Any]) -> Iterator[dict[str, int]]:
    """Yield the numbers for a case's names with the least sums, as z3 finds them; for conditions with large numbers."""
    sums = [*map(read, case["parameters"].values()), *map(read, case["conditions"])]
    names = sorted(set[str]().union(*(s.names for s in sums)))
    declared = "".join(f"(declare-const |{n}| Int)\n" for n in names)
    natural = both(*(named(n).natural for n in names), *(s.natural for s in sums if not has_product(s.text)))
    solver = z3.Optimize(ctx=CONTEXT)
    solver.set("timeout", 1000)
    solver.from_string(f"{declared}(assert {natural})\n(minimize (+ 0 {' '.join(f'|{n}|' for n in names)}))")
    for _ in range(MEMBERS):
        if solver.check() != z3.sat:
            return
        model = solver.model()
        numbers = {n: model.eval(z3.Int(n, CONTEXT), model_completion=True).as_long() for n in names}
        yield numbers
        solver.add(z3.Or([z3.Int(n, CONTEXT) != number for n, number in numbers.items()]))


def wrong_position(member: Member) -> dict[str, int] | None:
    """Return a small position at which the statement contradicts the definition, if there is one."""
    family = member.family
    for y, height in member.heights.items():  # which must be what the rules say
        for chosen in itertools.product(range(BOX), repeat=len(member.of[y])):
            at = dict(zip(member.of[y], chosen, strict=True))
            place = {coordinate(x): as_sum(n) for x, n in at.items()}
            values = [part.dividend.put(place).number // part.divisor.number for part in height.quotients]
            refuse_if(member.height(y, at) != JOINED[height.function](values), "a height is not what it was read as")
    bound, found = 0, [*member.positions(1)]
    while bound < BOX and len(more := [*member.positions(bound + 1)]) <= POSITIONS and more:
        bound, found = bound + 1, more
    grundy: dict[tuple[int, ...], int] = {}
    key = operator.itemgetter(*family.coordinates, *family.passes)
    for at in sorted(found, key=lambda at: sum(at.values())):  # options have a smaller sum
        reached = {grundy[key(option)] for option in member.options(at)}
        grundy[key(at)] = number = next(n for n in itertools.count() if n not in reached)
        right = number if family.is_grundy else int(number == 0)
        if member.inside(at) and member.related(at) != right:
            return at
    return None


def require_failure(member: Member, cases: Sequence[Mapping[str, Any]]) -> None:
    """Raise unless the certificate has a position of this member that is inconsistent by the definition."""
    for case in cases:
        own: dict[str, Sum] = {}
        for name, written in case["parameters"].items():
            value, number = read(written), member.values[name]
            if POWER in value.names:
                power = number & -number
                own |= dict.fromkeys(value.names, as_sum((number // (power or 1) - 1) // 2))
                own[POWER] = as_sum(power // 2)
            else:
                own |= {m: as_sum((number - value.number) // q) for (m, *_), q in (value - value.number).items}
        if any(read(s).put(own) != as_sum(member.values[n]) for n, s in case["parameters"].items()):
            continue
        if any(read(c).put(own).number < 0 for c in case["conditions"]):
            continue
        at = {x: read(s).put(own).number for x, s in case.get("position", {}).items()}
        if at.keys() != {*member.family.coordinates} or not member.is_position(at) or not member.inside(at):
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
    relation = game.legal & automaton(family, family.stated, known, check.VALUE)
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
    reader.exponent = names[family.exponent] if family.exponent is not None else None
    heights, condition = family.heights(reader, known), reader.condition(family.condition, known)
    natural += natural_multiples(naturals(heights.values()), family.parameters)
    covered = []
    for case in cases:
        inside, own = list[str](), dict[str, Sum]()
        values = {name: read(written) for name, written in case["parameters"].items()}
        refuse_if(values.keys() != names.keys(), "a case does not say what its parameters are")
        several = [value.names - {POWER} for value in values.values() if not value.is_number]
        refuse_if(len(set[str]().union(*several)) < len(several), "parameters of a case have a name in common")
        for name, value in values.items():
            if name == family.with_power and power_in(value) != ONE:  # all even numbers but 0
                inside += [remainder(names[name], 2, 0), (names[name] - 1).natural]
                continue
            rest = names[name] - value.number
            match (value - value.number).items:
                case () if family.with_power is None:
                    inside.append(rest.zero)
                case (((m,), q),) if q >= 1 and m not in {POWER, *own}:
                    own[m] = reader.quotient(rest, q)
                    inside += [remainder(rest, q, 0), own[m].natural]
                case _:
                    raise undecided("a parameter of a case is not q·m + r with an m of its own")
        if family.with_power is None:
            inside += [read(c, own).put(own).natural for c in case["conditions"]]
        covered.append(both(*inside))
    others = map(otherwise_a_game, heights.values())
    missed = both(is_game(heights.values()), family.takes_something(reader, known), contrary(either(*covered)))
    return both(*natural, condition, *reader.definitions, either(*others, missed))


def statement(family: Family) -> list[str]:
    """Return the rules of the game and the statement, both as read."""
    rules = check.rules_of(family.document)
    for p, most in family.passes.items():
        rules += f"; {p} from 0 to {check.shown(most)}; a move may lower {p} by 1 instead, if there is another move"
    parameters = f"all natural numbers {', '.join(family.parameters)} with {check.shown(family.condition)}"
    among = f"positions ({', '.join([*family.coordinates, *family.passes])})"
    among += f" with {check.shown(family.where)}" if family.where else ""
    sign = "the Grundy number is" if family.is_grundy else "a position is a P-position if and only if"
    said = f"for {parameters} that make a game, and all {among}: {sign} {check.shown(family.stated)}"
    return [f"{check.shown(family.ruleset)}: {rules}", said]


def without_evidence(status: str, why: str) -> dict[str, Any]:
    """Return a verdict as plain data, without evidence."""
    evidence: dict[str, Any] = {"statement": [], "coordinates": [], "parameters": None, "position": None}
    counts: dict[str, Any] = {"conditions": 0, "members": 0, "alone": [], "tables_only": []}
    return {"status": status, "why": why, **evidence, "every_member": False, "engines": [], **counts}


def decide(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict on a certificate, with the statement and the counts of what was checked."""
    answer = without_evidence("undecided", "")
    try:
        family, is_proof = Family(data), data.get("verdict", "proved") == "proved"
        answer |= {"statement": statement(family), "coordinates": [*family.coordinates, *family.passes]}
        small = [*itertools.islice(members(family, data["cases"]), MEMBERS)]
        refuse_if(not small, "no small parameters make a member of the family")
        for member in small:
            if not is_proof:
                require_failure(member, data["cases"])
            elif (at := wrong_position(member)) is not None:
                found = {"parameters": dict(member.values), "position": [at[c] for c in answer["coordinates"]]}
                return answer | {"status": "refuted", "why": "the definition says otherwise", **found}
        uncovered = not_covered(family, data["cases"])
        cases = [Case(family, written) for written in data["cases"]]
        refuse_if(not unsatisfiable("cases", uncovered), "cases: some parameters are in no case")
        number = 1
        for i, case in enumerate(cases, start=1):
            conditions = ((name, both(case.facts, body)) for name, body in case.conditions(is_proof))
            for name, condition in itertools.chain([("as-written", case.written_otherwise())], conditions):
                if not unsatisfiable(f"case-{i}/{name}", condition):
                    raise undecided(f"case-{i}/{name} does not hold, or no solver knows it")
                number += 1
        if family.passes:
            verdict, why = check.decided(iter([("the statement does not follow", otherwise_with_passes(family))]))
            refuse_if(verdict != "proved", f"passes: {why}")
            number += 1
        near = (member.inside(at) for member in small for bound in (1, 4, 16) for at in member.positions(bound))
        if is_proof and family.where and not any(near if family.passes else (case.is_somewhere() for case in cases)):
            raise undecided("no position of any member satisfies the condition on positions")
        answer |= {"status": "proved" if is_proof else "refuted", "why": "every condition holds"}
        answer |= {"every_member": not is_proof, "conditions": number, "engines": [*SOLVERS], "members": len(small)}
        if is_proof:
            for i, member in enumerate(small):
                how = "tables_only"
                with contextlib.suppress(UndecidedError, MemoryError):
                    if family.where is None and i < ALONE:
                        with limited(min(ONE_MEMBER, time_left())):
                            prove_alone(member)
                        how = "alone"
                answer[how].append(dict(member.values))
    except UndecidedError as error:
        answer |= {"status": "undecided", "why": error.args[1]}
    return answer


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End a block with `UndecidedError` after this many seconds of processor time; 0 for no limit."""
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
        answer = without_evidence("undecided", error.args[1])
    except ContradictionError as error:
        answer = without_evidence("contradiction", str(error))
    except MemoryError:
        answer = without_evidence("undecided", "it takes more memory than there is")
    except check.MISTAKES as error:
        answer = without_evidence("no certificate", f"{type(error).__name__}: {error}")
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
