"""A page and a LaTeX document for each proof of a family.

All content comes from the certificate: cases, counters, invariants, strategies and formulas. States of a location with the same
answers form a class, and a set of states is written as a short disjunction. A counter of a single track has the track's name,
because it is the number read so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.documents.files import write_text
from choco_pipeline.errors import StoreError
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import Node, render
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.family_statement import where_phrases
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.formula.written.math_text import MathNotation, typeset
from choco_pipeline.formula.written.mathml import MathML
from choco_pipeline.games.notation import read
from choco_pipeline.proof.family_document import (
    FamilyText,
    FormulaText,
    LocationText,
    ObligationText,
    QuotientOfHeight,
    SumText,
    is_family,
    read_family,
)
from choco_pipeline.proof.uniform.affine import EXPONENTIAL, ZERO, Affine, number
from choco_pipeline.proof.uniform.control import legal, option
from choco_pipeline.proof.uniform.parametric_rules import ParametricRules, describe
from choco_pipeline.proof.uniform.passes import split_passes
from choco_pipeline.proof.uniform.solved_parameter import exponents
from choco_pipeline.report.environment import environment, papers
from choco_pipeline.report.pictures import digit_patterns
from choco_pipeline.sweep.ledger import Ledger

#: Folder of these pages, beside the page of the run; a page has the name of its certificate.
FOLDER = "families"
#: Letters for the counters of legality; the first one that is not a name in the game is used.
LEGAL = "hcbw"
#: Names of counters. Further parts of a height have the counters "legal2", "legal3", …. A prime marks the option.
COUNTER = re.compile(r"(count|legal\d*)\((\w+)('?)\)")
#: Letters for tracks that are not coordinates.
SPECIAL = {"target": "T", "constant": "C", "value": "V"}
#: Names in a formula by cases: ``position(z)``, ``number(2)``, ``target()``.
_NAMED = re.compile(r"(position|option|number|value|target)(\d*)\((\w*)\)")
#: Letters for other numbers. The claimed number is a capital letter, unlike names in the game.
_LETTERS = {"number": "q", "value": "G", "target": "g"}
#: The letter for quotients in a formula; their index is a number.
FLOOR = "w"
#: A conjunction of typeset inequalities.
Conjunction = list[str]
#: The digits of a position; for each class of states, the tracks and digits of an option, and the next location.
Rows = list[tuple[str, list[tuple[str, str, int]]]]


def affine(text: SumText) -> Affine:
    """Return a sum from a certificate."""
    return Affine.total({n: c for n, c in text.items() if n != "1"}, text.get("1", 0))


def _is_natural(total: Affine) -> bool:
    """Whether a sum has no negative coefficient."""
    return total.constant >= 0 and all(c >= 0 for _, c in total.terms)


class Symbols:
    """The symbols of one case, in a notation.

    They stand for the game's coordinates and for the parameters of the family and of the case. `conditions` are sums of
    parameters that are not negative. `exponent` is the parameter t of powers 2**t.
    """

    def __init__(
        self,
        notation: MathNotation,
        coordinates: Sequence[str],
        family: Iterable[str],
        case: Iterable[str],
        conditions: Sequence[Affine],
        exponent: str = "",
    ) -> None:
        self.to, self.assumptions, self.exponent = notation, conditions, exponent
        own = sorted(set(case))
        new = [name for name in own if name.startswith("m_")]
        self._parameters = {name: (name, "") for name in (*family, *own)}
        self._parameters |= {name: ("m", name.removeprefix("m_")) for name in new}
        if len(new) == 1 and "m" not in {*family, *own, *coordinates}:
            self._parameters[new[0]] = ("m", "")
        taken = {letter for letter, _ in self._parameters.values()} | {*coordinates}
        self._tracks: dict[str, str] = {}
        for name in (*coordinates, *SPECIAL):
            letters = SPECIAL.get(name, name.upper())
            while letters in taken:
                letters += letters[0]
            taken.add(letters)
            self._tracks[name] = letters
        self._legal = next((letter for letter in LEGAL if letter not in taken), "legal")

    def name(self, name: str) -> str:
        """Return the symbol for a name in the certificate."""
        if name in self._parameters:
            return self.to.symbol(*self._parameters[name])
        if name == EXPONENTIAL:
            return self.to.power(self.to.number("2"), self.to.symbol(self.exponent))
        if "*" in name:
            return self.joined(self.to.sign(""), map(self.name, name.split("*")))
        if named := _NAMED.fullmatch(name):
            kind, place, of = named.groups()
            if of.isdigit() and kind in ("position", "option"):
                index = ",".join([str(int(of) + 1), *([place] if place else [])])
                return self.to.symbol(FLOOR, index, primed=kind == "option")
            if kind in ("position", "option"):
                return self.to.symbol(of, primed=kind == "option")
            return self.to.symbol(_LETTERS[kind], of)
        counter = COUNTER.fullmatch(name)
        assert counter is not None, name
        kind, coordinate, prime = counter.groups()
        if kind != "count":
            part = kind.removeprefix("legal")
            index = f"{coordinate},{part}" if part else coordinate
            return self.to.symbol(self._legal, index, primed=bool(prime))
        return self.to.symbol(self._tracks[coordinate], primed=bool(prime))

    def track(self, track: str, index: str = "") -> str:
        """Return the symbol for a track's number; with index "i", for its next digit."""
        letters = self._tracks[track.removesuffix("'")]
        return self.to.symbol(letters, index, primed=track.endswith("'"))

    def sum(self, total: Affine) -> str:
        """Return a typeset sum, counters first."""
        terms = sorted(total.terms, key=lambda term: COUNTER.fullmatch(term[0]) is None)
        return self.total([(self.name(n), c) for n, c in terms], total.constant)

    def total(self, terms: Iterable[tuple[str, int]], constant: int = 0) -> str:
        """Return the sum of integer multiples of typeset terms and a constant."""
        parts: list[str] = []
        terms = [*terms]
        for text, c in [*terms, ("", constant)] if constant or not terms else terms:
            if parts:
                parts.append(self.to.sign("-" if c < 0 else "+"))
            elif c < 0:
                parts.append(self.to.minus())
            if not text:
                parts.append(self.to.number(str(abs(c))))
            elif abs(c) == 1:
                parts.append(text)
            else:
                factor = self.to.number(str(abs(c)))
                parts.append(self.to.row([factor, self.to.sign(""), text]))
        return self.to.row(parts)

    def factor(self, total: Affine) -> str:
        """Return a typeset sum, in parentheses if it has several terms."""
        text = self.sum(total)
        is_one = len(total.terms) + bool(total.constant) <= 1
        return text if is_one else self.to.bracketed(text, "(")

    def form(self, form: Mapping[str, SumText], index: str = "") -> list[tuple[str, int]]:
        """Return the terms a·track for `total`, or of the next digits for "i"."""
        terms = []
        for track, text in form.items():
            a, letter = affine(text), self.track(track, index)
            if a.is_constant:
                terms += [(letter, a.constant)] if a.constant else []
                continue
            sign = 1 if not _is_natural(-a) else -1
            terms.append((self.to.row([self.factor(a * sign), self.to.sign(""), letter]), sign))
        return terms

    def relation(self, left: str, sign: str, right: str) -> str:
        """Return a comparison."""
        return self.to.row([left, self.to.sign(sign), right])

    def joined(self, sign: str, parts: Iterable[str]) -> str:
        """Join parts by a sign or a word."""
        return self.to.row([part for one in parts for part in (sign, one)][1:])

    def zero(self, total: Affine) -> str:
        """Return the equation "sum = 0", with negative terms moved to the right."""
        plus, minus = (Affine.total({n: c for n, c in (total * s).terms if c > 0}) for s in (1, -1))
        if not plus.terms:
            plus, minus, total = minus, plus, -total
        return self.relation(self.sum(plus), "==", self.sum(minus - total.constant))

    def inequalities(self, sums: Iterable[tuple[Affine, bool]]) -> Conjunction:
        """Return few inequalities that say: each sum is at least 0 (True) or at most −1."""
        bounds: dict[tuple[tuple[str, int], ...], tuple[list[Affine], list[Affine]]] = {}
        for total, holds in sums:
            counters = [(n, c) for n, c in total.terms if COUNTER.fullmatch(n)] or [*total.terms]
            rest = total - Affine.total(dict(counters))
            # The first coefficient of a form is positive.
            is_turned = counters[0][1] < 0
            form = tuple((n, -c if is_turned else c) for n, c in counters)
            least, most = bounds.setdefault(form, ([], []))
            # c + rest >= 0, or c + rest <= -1; with the sign changed, c is replaced by -c.
            if holds != is_turned:
                self._keep(least, -rest if holds else rest + 1, 1)
            else:
                self._keep(most, rest if holds else -rest - 1, -1)
        return [self._interval(form, *both) for form, both in bounds.items()]

    def _keep(self, kept: list[Affine], bound: Affine, sign: int) -> None:
        """Add a lower bound, or an upper one (sign −1); drop bounds that others imply."""
        if not any(self._is_natural((other - bound) * sign) for other in kept):
            kept[:] = [other for other in kept if not self._is_natural((bound - other) * sign)]
            kept.append(bound)

    def _is_natural(self, total: Affine) -> bool:
        """Whether a sum of parameters is not negative, by at most one condition."""
        return any(map(_is_natural, (total, *(total - c for c in self.assumptions))))

    def _interval(
        self, form: Sequence[tuple[str, int]], least: Sequence[Affine], most: Sequence[Affine]
    ) -> str:
        middle = self.total([(self.name(n), c) for n, c in form])
        if len(least) == 1 and least == most:
            return self.relation(middle, "==", self.sum(least[0]))
        left, right = (
            self.to.function(name, [*map(self.sum, bounds)]) if len(bounds) > 1 else "".join(map(self.sum, bounds))
            for name, bounds in (("max", least), ("min", most))
        )  # fmt: skip
        if not most:
            return self.relation(middle, ">=", left)
        below = [left, self.to.sign("<=")] if least else []
        return self.to.row([*below, middle, self.to.sign("<="), right])


class Case(Symbols):
    """A case of a certificate, with formulas in a notation."""

    def __init__(self, number: int, written: FamilyText, notation: MathNotation) -> None:
        rules = describe(written.ruleset, written.games)
        exponent = exponents([parse_nodes(written.relation.formula), *rules.heights.values()])
        self.number, self.coordinates = number, rules.coordinates
        self.text = case = written.cases[number - 1]
        self.is_grundy = written.relation.kind == "grundy"
        values = {name: affine(text) for name, text in case.parameters.items()}
        names = {n for value in values.values() for n in value.names}
        conditions = [*map(affine, case.conditions)]
        super().__init__(notation, self.coordinates, values, names, conditions, "".join(exponent))
        self.shifts = {name: affine(case.shifts.get(name, {})) for name in self.coordinates}
        self.parameters = [
            self.relation(self.name(n), "==", self.sum(v))
            for n, v in values.items()
            if v != Affine.of(n)
        ]
        trivial = {Affine.of(n) for value in values.values() for n in value.names}
        self.conditions = self.inequalities((c, True) for c in conditions if c not in trivial)
        #: The bounds of coordinates in the theorem's domain.
        self.limits = [
            self.relation(self.coordinate(y), "<=", notation.number(str(most)))
            for y, most in (case.largest or {}).items()
        ]
        self.heights = [*map(self._height, case.heights)]
        #: The conditions under which a word represents a position.
        self.least = [
            *(
                self.relation(self.track(x), ">=", self.sum(self.shifts[x]))
                for x in self.coordinates
            ),
            *(self._is_legal(y, y) for y in case.heights),
        ]
        #: The tracks whose numbers may be negative.
        self.signed = [self.track(x) for x in self.coordinates if not _is_natural(self.shifts[x])]

    def coordinate(self, name: str) -> str:
        """Return the symbol for a coordinate, or for a quotient by its number."""
        return self.name(f"position({name})") if name.isdigit() else self.to.name(name, "")

    @property
    def tracks(self) -> Iterator[str]:
        """The definitions of tracks, and of the counters of legality."""
        for x in self.coordinates:
            terms = ((self.name(n), c) for n, c in self.shifts[x].terms)
            shifted = self.total([(self.coordinate(x), 1), *terms], self.shifts[x].constant)
            yield self.relation(self.track(x), "==", shifted)
        for y, height in self.text.heights.items() if self.text.obligations else ():
            for i, part in enumerate(height.parts):
                form = {**part.terms, y: {n: -c for n, c in part.divisor.items()}}
                yield self.relation(self.name(legal(y, i)), "==", self.total(self.form(form)))

    @property
    def claimed(self) -> str:
        """The claimed formula, in terms of tracks."""
        case = self.text
        constant, offset = affine(case.constant), affine(case.offset)
        parts = [self.track(x) for x in self.coordinates if x in case.shifts]
        if constant != ZERO:
            inner = self.sum(constant)
            parts.append(self.to.bracketed(inner, "(") if constant.terms else inner)
        left = self.joined(self.to.sign("^"), parts)
        if not self.is_grundy:
            return self.relation(left, "==", self.to.number("0"))
        if offset == ZERO:
            return left
        return self.relation(self.to.bracketed(left, "("), "-", self.factor(offset))

    def _height(self, y: str) -> str:
        """Return y ≤ ⌊…⌋, and the equivalent condition on counters if there are any."""
        height = self.text.heights[y]
        quotients = [*map(self._quotient, height.parts)]
        if height.function == "sum":
            largest = self.joined(self.to.sign("+"), quotients)
        else:
            several = len(quotients) > 1
            largest = self.to.function(height.function, quotients) if several else quotients[0]
        is_legal = self.relation(self.coordinate(y), "<=", largest)
        return (
            self.relation(is_legal, "iff", self._is_legal(y, y))
            if self.text.obligations
            else is_legal
        )

    def _quotient(self, part: QuotientOfHeight) -> str:
        constant, divisor = affine(part.constant), affine(part.divisor)
        terms = []
        for x, text in part.terms.items():
            if (a := affine(text)) != ZERO:
                of = [] if a == number(1) else [self.factor(a), self.to.sign("")]
                terms.append((self.to.row([*of, self.coordinate(x)]), 1))
        terms += [(self.name(n), c) for n, c in constant.terms]
        above = self.total(terms, constant.constant)
        return above if divisor == number(1) else self.to.floor(above, self.sum(divisor))

    def _is_legal(self, y: str, track: str) -> str:
        """Return the condition on counters that a track is at most the height."""
        height = self.text.heights[y]
        bounds = [
            self.relation(self.name(legal(track, i)), ">=", self.sum(self._legal_from(y, part)))
            for i, part in enumerate(height.parts)
        ]
        return self._joined(height.function == "min", bounds)

    def _joined(self, is_all: bool, conditions: Sequence[str]) -> str:
        return self.joined(self.to.words(" and " if is_all else " or "), conditions)

    def _legal_from(self, y: str, part: QuotientOfHeight) -> Affine:
        total = -affine(part.constant) - affine(part.divisor) * self.shifts[y]
        for x, text in part.terms.items():
            total += affine(text) * self.shifts[x]
        return total

    # The proof of a formula by cases.

    def quotients(self, written: FormulaText) -> Iterator[str]:
        """Yield the definitions of the numbers that occur in options."""
        for place, q in enumerate(written.quotients, start=1):
            dividend, divisor = (self.sum(affine(text)) for text in (q.dividend, q.divisor))
            value = dividend if affine(q.divisor) == number(1) else self.to.floor(dividend, divisor)
            yield self.relation(self.name(f"number({place})"), "==", value)

    def options(self, written: FormulaText) -> Iterator[list[str]]:
        """Yield the options in the proof, each as the coordinates that a move changes."""
        for candidate in written.options:
            yield [
                self.relation(self.name(f"option({x})"), "==", self.sum(affine(text)))
                for x, text in candidate.changed.items()
            ]

    def products(self, written: FormulaText) -> list[tuple[str, str]]:
        """Return the bounds of the products with a number d: if d ≥ 1, and if d ≤ −1."""
        bounds = list[tuple[str, str]]()
        for factor in map(self.name, written.factors):
            product = self.to.row([factor, self.to.sign(""), self.to.symbol("d")])
            negative = self.to.row([self.to.minus(), factor])
            low = self.relation(product, ">=", factor)
            bounds.append((low, self.relation(product, "<=", negative)))
        return bounds

    def floors(self, written: FormulaText) -> Iterator[str]:
        """Yield the definitions of the quotients in the formula."""
        for place, part in enumerate(written.floors):
            yield self.relation(self.coordinate(str(place)), "==", self._quotient(part))

    def lemmas(self, written: FormulaText) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield the lemmas on products: the kind, the moves, and the numbers d."""
        for name, sums in written.lemmas.items():
            kind, *moved = name.split("-")
            if sums:
                moves = [*map(self.coordinate, moved)]
                yield kind, moves, [self.sum(affine(text)) for text in sums]

    # The proof of an obligation on words of digits.

    def size(self, written: ObligationText) -> tuple[int, int]:
        """Return the number of locations that have states, and the number of states."""
        states = [len(location.states) for location in written.locations if location.states]
        return len(states), sum(states)

    def goal(self, written: ObligationText) -> list[str]:
        """Return the conditions under which the primed tracks are an option."""
        if written.kind == "value":
            return [self.relation(self.track("value"), ">=", self.sum(affine(self.text.offset)))]
        moves = {m.move: m for m in written.locations if m.move is not None}
        conditions: dict[str, None] = {}
        for move, location in moves.items():
            below = [self.relation(self.track(f"{move}'"), ">=", self.sum(self.shifts[move]))]
            for y in (y for y in location.orders if y != move):
                track, height = option(y), self.text.heights[y]
                below.append(self._is_legal(y, track))
                fallen = [
                    self.relation(
                        self.name(legal(track, i)),
                        "<=",
                        self.sum(self._legal_from(y, part) + affine(part.divisor) - 1),
                    )
                    for i, part in enumerate(height.parts)
                ]
                lower = self.relation(self.track(track), "<", self.track(y))
                is_largest = self._joined(height.function == "max", fallen)
                below.append(self.relation(lower, "⇒", is_largest))
            conditions |= dict.fromkeys(below)
        return list(conditions)

    def counters(self, written: ObligationText) -> Iterator[tuple[list[str], str, str, str]]:
        """Yield the moves, the meaning, the first value and the step of each counter.

        The counters of an option may differ between moves.
        """
        forms: dict[str, list[tuple[dict[str, SumText], dict[str, None]]]] = {}
        for location in written.locations:
            for name, form in location.counters.items():
                several = forms.setdefault(name, [])
                moves = next((moves for other, moves in several if other == form), None)
                if moves is None:
                    several.append((form, moves := {}))
                if location.move is not None:
                    moves[location.move] = None
        for name, several in forms.items():
            symbol, counter = self.name(name), COUNTER.fullmatch(name)
            doubled = self.to.row([self.to.number("2"), self.to.sign(""), symbol])
            for form, moves in several:
                if counter is None or counter[1] != "count":
                    meaning = self.relation(symbol, "==", self.total(self.form(form)))
                elif counter[2] in SPECIAL:
                    meaning = self.relation(symbol, "==", self._special(counter[2]))
                else:
                    meaning = symbol
                digits = self.form(form, "i")
                yield (
                    [*map(self.coordinate, moves)] if len(several) > 1 else [],
                    meaning,
                    self.relation(symbol, "←", self.total((text, -c) for text, c in digits)),
                    self.relation(symbol, "←", self.total([(doubled, 1), *digits])),
                )

    def switches(self, written: ObligationText) -> list[str]:
        """Return the changes of counters before the last t digits."""
        changes = dict[str, None]()
        for name in (name for location in written.locations for name in location.counters):
            high, _ = self._limit(name).split_power()
            if high != ZERO:
                less = self.total(
                    [(self.name(name), 1), *((self.name(n), -c) for n, c in high.terms)],
                    -high.constant,
                )
                changes[self.relation(self.name(name), "←", less)] = None
        return [*changes]

    def _limit(self, name: str) -> Affine:
        """Return the least final value of a counter."""
        counter = COUNTER.fullmatch(name)
        assert counter is not None, name
        kind, track, _ = counter.groups()
        if kind != "count":
            part = int(kind.removeprefix("legal") or 1) - 1
            return self._legal_from(track, self.text.heights[track].parts[part])
        if track in self.shifts:
            return self.shifts[track]
        return affine(self.text.constant if track == "constant" else self.text.offset)

    def _special(self, track: str) -> str:
        """Return the number on a track that is not a coordinate."""
        if track == "constant":
            return self.sum(affine(self.text.constant))
        if track == "value":
            return self.joined(self.to.sign("^"), map(self.track, self.text.shifts))
        offset = affine(self.text.offset)
        terms = [(self.to.name("g", ""), 1), *((self.name(n), c) for n, c in offset.terms)]
        return self.total(terms, offset.constant)

    def never(self, written: ObligationText) -> list[tuple[list[int], list[Conjunction]]]:
        """Return the conditions for being out of reach, each with its locations."""
        alike: dict[str, tuple[list[int], list[Conjunction]]] = {}
        for place, location in enumerate(written.locations):
            if location.never:
                alternatives = [
                    self.inequalities((affine(text), True) for text in conjunction)
                    for conjunction in location.never
                ]
                alike.setdefault(repr(alternatives), ([], alternatives))[0].append(place)
        return [*alike.values()]

    def knows(self, written: LocationText) -> list[str]:
        """Return the comparisons of numbers that hold for the digits read so far."""
        orders = [
            self.relation(self.track(f"{x}'"), "==" if order == "equal" else "<", self.track(x))
            for x, order in written.orders.items()
        ]
        zero = self.to.number("0")
        return orders + [self.relation(self.track(x), "==", zero) for x in sorted(written.zero)]

    def facts(self, written: LocationText) -> list[str]:
        """Return the equations and parities that hold in all states of a location."""
        facts = [self.zero(affine(text)) for text in written.equalities]
        for counter, remainder in written.parities.items():
            parts = [self.name(counter), self.to.sign("≡"), self.to.number(str(remainder))]
            facts.append(self.to.row([*parts, self.to.modulo(self.to.number("2"))]))
        return facts

    def states(self, written: LocationText, chosen: Iterable[str]) -> list[Conjunction]:
        """Return a set of states of a location as a short disjunction."""
        predicates = [*map(affine, written.predicates)]
        return [
            self.inequalities(
                (p, digit == "1")
                for p, digit in zip(predicates, pattern, strict=True)
                if digit != "*"
            )
            for pattern in digit_patterns([*chosen])
        ]

    def strategy(self, written: LocationText) -> tuple[list[list[Conjunction]], list[str], Rows]:
        """Return the classes of states, the tracks of the position, and the answers."""
        answers = [
            tuple(next(a for a in step.answers if state in a.states) for step in written.strategy)
            for state in range(len(written.states))
        ]
        by_answers: dict[tuple[int, ...], tuple[Any, list[str]]] = {}
        for state, given in zip(written.states, answers, strict=True):
            by_answers.setdefault(tuple(map(id, given)), (given, []))[1].append(state)
        rows = [
            (
                "".join(map(str, step.digits.values())),
                [
                    (self.to.row([*map(self.track, a.digits)]), "".join(map(str, a.digits.values())), a.to)
                    for a in (given[n] for given, _ in by_answers.values())
                ],
            )
            for n, step in enumerate(written.strategy)
        ]  # fmt: skip
        classes = [self.states(written, states) for _, states in by_answers.values()]
        return classes, [*map(self.track, written.strategy[0].digits)], rows


@dataclass
class FamilyProof:
    """A certificate on a family of games, with the results that rest on it."""

    path: str
    #: The claims of the ledger that rest on it; empty if only a found statement does.
    claims: list[LedgerClaim] = field(default_factory=list)
    #: The evidence of the first verdict.
    evidence: Mapping[str, Any] = field(default_factory=dict)
    #: The certificate that the statement is false with the next larger bound, if any.
    beyond: str | None = None

    @property
    def stem(self) -> str:
        """The common stem of its files' names."""
        return Path(self.path).stem

    @property
    def page(self) -> str:
        """The address of its page, relative to the run's page."""
        return f"{FOLDER}/{self.stem}.html"


def family_proofs(
    ledger: Ledger, statements: Sequence[FoundStatement] = ()
) -> dict[str, FamilyProof]:
    """Return the certificates of families whose files exist, by path."""
    proofs: dict[str, FamilyProof] = {}
    known = {claim.id: claim for claim in ledger.claims}
    for verdict in ledger.verdicts:
        path = verdict.certificate
        # A claim that follows from others has a certificate on integers, not on a family.
        has_page = verdict.for_all is not None and "follows_from" not in verdict.evidence
        if has_page and path is not None and Path(path).is_file():
            proof = proofs.setdefault(path, FamilyProof(path, evidence=verdict.evidence))
            proof.claims.append(known[verdict.claim])
            every = verdict.false_everywhere
            if every is not None and every.certificate and Path(every.certificate).is_file():
                proof.beyond = every.certificate
    for statement in statements:
        if statement.is_proved_for_all:
            # The others prove that a bound is sharp, or are on integers and have no pages.
            path, *others = statement.conclusion.certificates
            if Path(path).is_file():
                proof = proofs.setdefault(path, FamilyProof(path))
                for other in others:
                    if Path(other).is_file() and is_family(other):
                        proof.beyond = other
    return proofs


def write_family_pages(
    ledger: Ledger, folder: Path, statements: Sequence[FoundStatement] = ()
) -> int:
    """Write a page and a LaTeX document for each proof of a family.

    Return the number of proofs. Pages of other certificates are removed from the folder `FOLDER`. Raises `ChocoError` if a
    certificate cannot be read, or is not the expected proof.
    """
    proofs = family_proofs(ledger, statements)
    page = environment().get_template("family.html.j2")
    paper = papers().get_template("family.tex.j2")
    kept = set()
    for proof in proofs.values():
        for template, notation, kind in ((page, MathML(), "html"), (paper, LaTeX(), "tex")):
            name = f"{proof.stem}.{kind}"
            content = template.render(proof=proof, ledger=ledger, **_theorem(proof, notation))
            write_text(folder / FOLDER / name, content)
            kept.add(name)
    for old in (folder / FOLDER).glob("family-*"):
        if old.name not in kept:
            old.unlink()
    return len(proofs)


def _theorem(proof: FamilyProof, notation: MathNotation) -> dict[str, Any]:
    """Return the theorem of a certificate and its proof, for a template."""
    written = read_family(Path(proof.path))
    if written.verdict != "proved":
        raise StoreError(f"{proof.path}: this certificate is a refutation, not a proof")
    rules = describe(written.ruleset, written.games)
    _, most = split_passes(read(written.ruleset, games=written.games))
    false_with = []
    if proof.beyond is not None:
        refuted = read_family(Path(proof.beyond))
        same = ("ruleset", "games", "condition", "relation")
        if refuted.verdict != "refuted" or any(
            getattr(written, of) != getattr(refuted, of) for of in same
        ):
            raise StoreError(f"{proof.beyond}: it does not refute a larger bound of {proof.path}")
        false_with = [*where_phrases(refuted.where, notation)]

    def names(coordinates: Iterable[str]) -> list[str]:
        return [notation.name(x, "") for x in coordinates]

    # Lowered coordinates, grouped by the coordinates that depend on them and by clipping.
    moves: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for lowered, falling, clips in rules.moves:
        if falling:
            moves.setdefault((falling, clips), []).append(lowered)
    numbers = range(1, len(written.cases) + 1)
    cases = [Case(number, written, notation) for number in numbers]
    sizes = [
        (case.number, obligation, *case.size(obligation))
        for case in cases
        for obligation in case.text.obligations
    ]
    return {
        "written": written,
        "theorem": [*written.statement((*rules.coordinates, *rules.passes)).phrases(notation)],
        "passes": names(rules.passes),
        "most_passes": None if most is None else typeset(most, notation),
        "without_passes": None
        if written.without_passes is None
        else typeset(parse(written.without_passes), notation),
        "false_with": false_with,
        "limited": names(rules.heights),
        "lowered": names(lowered for lowered, _, _ in rules.moves),
        "moves": [(names(low), names(falling), clips) for (falling, clips), low in moves.items()],
        "amounts": [*_amounts(rules, notation)],
        "cases": cases,
        "sizes": sizes,
        "is_grundy": written.relation.kind == "grundy",
        "is_of_words": any(case.obligations for case in written.cases),
        "is_by_cases": any(case.formula is not None for case in written.cases),
    }


def _amounts(
    rules: ParametricRules, notation: MathNotation
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the coordinates with limited amounts, and these amounts."""

    def formulas(nodes: Iterable[Node]) -> list[str]:
        return [typeset(parse(render(node)), notation) for node in nodes]

    for x in rules.coordinates:
        listed, most = rules.listed.get(x, ()), [rules.most[x]] if x in rules.most else []
        if listed or most:
            yield notation.name(x, ""), formulas(listed), formulas(most)
