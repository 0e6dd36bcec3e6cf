"""A family's certificate as mathematics, in a notation.

Everything is read from the certificate: cases, counters, invariants, strategies and formulas. States of a location with the
same answers are combined, and a set of states is written as few conjunctions. A counter of a single track has the name of
the track: it is the number read so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.proof.family_document import (
    CaseText,
    FamilyText,
    FormulaText,
    LocationText,
    ObligationText,
    QuotientOfHeight,
    StepText,
    SumText,
)
from choco_pipeline.proof.uniform.affine import ZERO, Affine, number
from choco_pipeline.proof.uniform.control import legal, option
from choco_pipeline.report.digit_patterns import digit_patterns

#: Letters for the counters of legal coordinates; the first one that is not a name of the game is used.
LEGAL = "hcbw"
#: Letters for tracks that are no coordinates.
SPECIAL = {"target": "T", "constant": "C", "value": "V"}
#: The name of a counter: for another part of a height "legal2", "legal3", …; with a prime for the option.
COUNTER = re.compile(r"(count|legal\d*)\((\w+)('?)\)")
#: Terms of a sum of counters, the first one with a positive coefficient.
Form = tuple[tuple[str, int], ...]


def affine(text: SumText) -> Affine:
    """Return a sum of a certificate."""
    return Affine.total({n: c for n, c in text.items() if n != "1"}, text.get("1", 0))


@dataclass(frozen=True)
class Bounds:
    """Lower and upper bounds of one sum of counters."""

    form: Form
    least: tuple[Affine, ...] = ()
    most: tuple[Affine, ...] = ()


class Symbols:
    """The names of one case, in a notation.

    These are the names of the game's coordinates, of the family's parameters and of the case's. `conditions` are sums of
    parameters that are not negative.
    """

    def __init__(
        self,
        notation: MathNotation,
        coordinates: Sequence[str],
        family: Iterable[str],
        case: Iterable[str],
        conditions: Sequence[Affine],
    ) -> None:
        self.to, self.conditions = notation, conditions
        own = sorted(set(case))
        new = [name for name in own if name.startswith("m_")]
        self._parameters = {name: (name, "") for name in (*family, *own)}
        for name in new:
            self._parameters[name] = ("m", name.removeprefix("m_"))
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
        """Return the symbol of a parameter, or of a counter, by its certificate name."""
        if name in self._parameters:
            return self.to.symbol(*self._parameters[name])
        counter = COUNTER.fullmatch(name)
        assert counter is not None, name
        kind, coordinate, prime = counter.groups()
        if kind != "count":
            part = kind.removeprefix("legal")
            index = f"{coordinate},{part}" if part else coordinate
            return self.to.symbol(self._legal, index, primed=bool(prime))
        return self.to.symbol(self._tracks[coordinate], primed=bool(prime))

    def track(self, track: str) -> str:
        """Return the symbol of the number on a track."""
        return self.to.symbol(self._tracks[track.removesuffix("'")], primed=track.endswith("'"))

    def digit(self, track: str) -> str:
        """Return the symbol of the next digit of a track."""
        letters = self._tracks[track.removesuffix("'")]
        return self.to.symbol(letters, "i", primed=track.endswith("'"))

    def sum(self, total: Affine) -> str:
        """Return a sum, counters first."""
        terms = sorted(total.terms, key=lambda term: COUNTER.fullmatch(term[0]) is None)
        return self.total([(self.name(n), c) for n, c in terms], total.constant)

    def total(self, terms: Iterable[tuple[str, int]], constant: int = 0) -> str:
        """Return a sum of integer multiples of typeset parts, and a number."""
        parts: list[str] = []
        for text, c in terms:
            parts += self._signed(c, bool(parts))
            factor = [] if abs(c) == 1 else [self.to.number(str(abs(c))), self.to.sign("")]
            parts.append(self.to.row([*factor, text]) if factor else text)
        if constant or not parts:
            parts += [*self._signed(constant, bool(parts)), self.to.number(str(abs(constant)))]
        return self.to.row(parts)

    def form(self, form: Mapping[str, SumText], digit: bool = False) -> list[tuple[str, int]]:
        """Return the terms Σ a·track for `total`, or those of the next digits."""
        terms = []
        for track, text in form.items():
            a, letter = affine(text), self.digit(track) if digit else self.track(track)
            if a == ZERO:
                continue
            if a.is_constant:
                terms.append((letter, a.constant))
                continue
            sign = -1 if all(c <= 0 for c in (*dict(a.terms).values(), a.constant)) else 1
            size = a * sign
            factor = self.sum(size)
            is_one = len(size.terms) + bool(size.constant) == 1
            factor = factor if is_one else self.to.bracketed(factor, "(")
            terms.append((self.to.row([factor, self.to.sign(""), letter]), sign))
        return terms

    def relation(self, left: str, sign: str, right: str) -> str:
        """Return a comparison."""
        return self.to.row([left, self.to.sign(sign), right])

    def zero(self, total: Affine) -> str:
        """Return the equation "sum = 0", with negative terms moved to the right."""
        plus, minus = (Affine.total({n: c for n, c in (total * s).terms if c > 0}) for s in (1, -1))
        if not plus.terms:
            plus, minus, total = minus, plus, -total
        more = Affine((), -total.constant)
        return self.relation(self.sum(plus), "==", self.sum(minus + more))

    def inequalities(self, sums: Iterable[tuple[Affine, bool]]) -> list[str]:
        """Return few inequalities: each sum is at least 0 (True) or at most −1."""
        return [self._interval(bounds) for bounds in self._bounds(sums)]

    def _bounds(self, sums: Iterable[tuple[Affine, bool]]) -> list[Bounds]:
        bounds: dict[Form, Bounds] = {}
        for total, holds in sums:
            counters = [(n, c) for n, c in total.terms if COUNTER.fullmatch(n)] or list(total.terms)
            rest = Affine.total(
                {n: c for n, c in total.terms if (n, c) not in counters}, total.constant
            )
            is_turned = counters[0][1] < 0
            form = tuple((n, -c if is_turned else c) for n, c in counters)
            here = bounds.get(form, Bounds(form))
            # c + rest >= 0, or c + rest <= -1; turned, the same of rest - c.
            if holds != is_turned:
                bound = -rest if holds else rest + 1
                here = Bounds(form, self._kept((*here.least, bound), 1), here.most)
            else:
                bound = rest if holds else -rest - 1
                here = Bounds(form, here.least, self._kept((*here.most, bound), -1))
            bounds[form] = here
        return list(bounds.values())

    def _kept(self, bounds: tuple[Affine, ...], sign: int) -> tuple[Affine, ...]:
        """Return the strongest lower bounds, or upper ones if the sign is −1."""
        kept: list[Affine] = []
        for bound in bounds:
            if any(self._is_natural((other - bound) * sign) for other in kept):
                continue
            kept = [other for other in kept if not self._is_natural((bound - other) * sign)]
            kept.append(bound)
        return tuple(kept)

    def _is_natural(self, total: Affine) -> bool:
        """Whether a sum of parameters is not negative, with one condition at most."""
        return any(
            rest.constant >= 0 and all(c >= 0 for _, c in rest.terms)
            for rest in (total, *(total - condition for condition in self.conditions))
        )

    def _interval(self, bounds: Bounds) -> str:
        to = self.to
        middle = self.total([(self.name(n), c) for n, c in bounds.form])
        if len(bounds.least) == 1 and bounds.least == bounds.most:
            return self.relation(middle, "==", self.sum(bounds.least[0]))
        least, most = list(map(self.sum, bounds.least)), list(map(self.sum, bounds.most))
        if not most:
            right = to.function("max", least) if len(least) > 1 else least[0]
            return self.relation(middle, ">=", right)
        right = to.function("min", most) if len(most) > 1 else most[0]
        if not least:
            return self.relation(middle, "<=", right)
        left = to.function("max", least) if len(least) > 1 else least[0]
        return to.row([left, to.sign("<="), middle, to.sign("<="), right])

    def _signed(self, c: int, follows: bool) -> list[str]:
        if follows:
            return [self.to.sign("-" if c < 0 else "+")]
        return [self.to.minus()] if c < 0 else []


#: ``position(z)``, ``number(2)``, ``target()``.
_NAMED = re.compile(r"(position|option|number|value|target)\((\w*)\)")
#: Letters for other numbers. The claimed number is a capital, unlike names of the game.
_LETTERS = {"number": "q", "value": "G", "target": "g"}


@dataclass(frozen=True)
class LemmaView:
    """A kind of lemma on products, with the sums that it is about."""

    kind: str
    moves: list[str]
    sums: list[str]


@dataclass(frozen=True)
class FormulaView:
    """The proof of a formula in one case."""

    #: Definitions of the numbers in options.
    quotients: list[str]
    #: The options in the proof, each as the coordinates that a move changes.
    options: list[list[str]]
    #: Bounds of a product with a sum d that is at least 1, or at most −1; empty if there are no products.
    least: str
    most: str
    lemmas: list[LemmaView]


class _Writer:
    def __init__(self, symbols: Symbols) -> None:
        self.say, self.to = symbols, symbols.to

    def view(self, written: FormulaText) -> FormulaView:
        say, least, most = self.say, "", ""
        if written.factor is not None:
            factor = say.name(written.factor)
            product = self.to.row([factor, self.to.sign(""), self.to.symbol("d")])
            least = say.relation(product, ">=", factor)
            most = say.relation(product, "<=", self.to.row([self.to.minus(), factor]))
        return FormulaView(
            [
                say.relation(self.name(f"number({place})"), "==", self._quotient(q.dividend, q.divisor))
                for place, q in enumerate(written.quotients, start=1)
            ],
            [
                [
                    say.relation(self.to.symbol(x, primed=True), "==", self._sum(text))
                    for x, text in option.changed.items()
                ]
                for option in written.options
            ],
            least,
            most,
            [self._lemma(name, sums) for name, sums in written.lemmas.items() if sums],
        )  # fmt: skip

    def name(self, name: str) -> str:
        """Return the symbol of a certificate name; factors of a product are adjacent."""
        if "*" in name:
            factors = [self.name(factor) for factor in name.split("*")]
            return self.to.row([part for f in factors for part in (self.to.sign(""), f)][1:])
        named = _NAMED.fullmatch(name)
        if named is None:
            return self.say.name(name)
        kind, of = named.groups()
        if kind in ("position", "option"):
            return self.to.symbol(of, primed=kind == "option")
        return self.to.symbol(_LETTERS[kind], of)

    def _sum(self, text: SumText) -> str:
        total = affine(text)
        return self.say.total([(self.name(n), c) for n, c in total.terms], total.constant)

    def _quotient(self, dividend: SumText, divisor: SumText) -> str:
        if affine(divisor) == affine({"1": 1}):
            return self._sum(dividend)
        return self.to.floor(self._sum(dividend), self._sum(divisor))

    def _lemma(self, name: str, sums: Sequence[SumText]) -> LemmaView:
        kind, *moved = name.split("-")
        return LemmaView(kind, [self.to.name(x, "") for x in moved], [self._sum(s) for s in sums])


#: Inequalities that hold together, each typeset.
Conjunction = list[str]


@dataclass(frozen=True)
class CounterView:
    """A counter: meaning on the word, first value, change by a digit; its moves."""

    moves: list[str]
    means: str
    start: str
    step: str


@dataclass(frozen=True)
class NeverView:
    """Conditions from which no position returns, with their locations."""

    locations: list[int]
    alternatives: list[Conjunction]


@dataclass(frozen=True)
class StrategyView:
    """The answers at one location.

    A row has the digits of the position, and for each class of states the digits of the option and the next location.
    """

    classes: list[list[Conjunction]]
    position: list[str]
    rows: list[tuple[str, list[tuple[str, str, int]]]]


@dataclass(frozen=True)
class LocationView:
    """A location: facts about the numbers read so far, its states, its answers."""

    number: int
    is_start: bool
    is_settled: bool
    move: str
    knows: list[str]
    facts: list[str]
    states: list[Conjunction]
    strategy: StrategyView | None


@dataclass(frozen=True)
class ObligationView:
    """An obligation with its proof, and the goal at the end of a position's word."""

    kind: str
    move: str
    goal: list[str]
    counters: list[CounterView]
    never: list[NeverView]
    locations: list[LocationView]
    states: int


@dataclass(frozen=True)
class CaseView:
    """A case of the family; `limits` bound the coordinates of the theorem."""

    number: int
    parameters: list[str]
    conditions: list[str]
    tracks: list[str]
    limits: list[str]
    relation: str
    heights: list[str]
    least: list[str]
    signed: list[str]
    formula: FormulaView | None
    obligations: list[ObligationView]


def case_views(
    written: FamilyText, coordinates: Sequence[str], notation: MathNotation
) -> list[CaseView]:
    """Return the cases of a certificate."""
    return [
        _Case(written, case, coordinates, notation).view(number)
        for number, case in enumerate(written.cases, start=1)
    ]


class _Case:
    def __init__(
        self,
        written: FamilyText,
        case: CaseText,
        coordinates: Sequence[str],
        notation: MathNotation,
    ) -> None:
        self.case, self.coordinates, self.to = case, coordinates, notation
        self.is_grundy = written.relation.kind == "grundy"
        values = {name: affine(text) for name, text in case.parameters.items()}
        names = {n for value in values.values() for n in value.names}
        self.values, self.conditions = values, [affine(text) for text in case.conditions]
        self.symbols = Symbols(notation, coordinates, values, names, self.conditions)
        self.shifts = {name: affine(case.shifts.get(name, {})) for name in coordinates}

    def view(self, number: int) -> CaseView:
        say, case = self.symbols, self.case
        trivial = {Affine.of(n) for value in self.values.values() for n in value.names}
        return CaseView(
            number,
            [
                say.relation(say.name(n), "==", say.sum(v))
                for n, v in self.values.items()
                if v != Affine.of(n)
            ],
            say.inequalities((c, True) for c in self.conditions if c not in trivial),
            [
                *(say.relation(say.track(x), "==", self._shifted(x)) for x in self.coordinates),
                *(legal for y in case.heights if case.obligations for legal in self._legal(y)),
            ],
            [
                say.relation(self.to.name(y, ""), "<=", self.to.number(str(most)))
                for y, most in (case.largest or {}).items()
            ],
            self._relation(),
            [self._height(y) for y in case.heights],
            self._given(),
            [say.track(x) for x in self.coordinates if not self._is_natural(self.shifts[x])],
            None if case.formula is None else _Writer(say).view(case.formula),
            [self._obligation(o) for o in case.obligations],
        )

    def _is_natural(self, total: Affine) -> bool:
        return total.constant >= 0 and all(c >= 0 for _, c in total.terms)

    def _shifted(self, x: str) -> str:
        shift, say = self.shifts[x], self.symbols
        terms = [(self.to.name(x, ""), 1), *((say.name(n), c) for n, c in shift.terms)]
        return say.total(terms, shift.constant)

    def _relation(self) -> str:
        say = self.symbols
        parts: list[str] = []
        for x in self.coordinates:
            if x in self.case.shifts:
                parts += [self.to.sign("^")] if parts else []
                parts.append(say.track(x))
        constant, offset = affine(self.case.constant), affine(self.case.offset)
        if constant != ZERO:
            inner = say.sum(constant)
            parts += [self.to.sign("^"), self.to.bracketed(inner, "(") if constant.terms else inner]
        left = self.to.row(parts)
        if not self.is_grundy:
            return say.relation(left, "==", self.to.number("0"))
        if offset == ZERO:
            return left
        inner = say.sum(offset)
        several = len(offset.terms) + bool(offset.constant) > 1
        taken = self.to.bracketed(inner, "(") if several else inner
        return self.to.row([self.to.bracketed(left, "("), self.to.sign("-"), taken])

    def _height(self, y: str) -> str:
        """Return y ≤ ⌊…⌋, with the equivalent condition on counters, if there are any."""
        height, say = self.case.heights[y], self.symbols
        quotients = list(map(self._quotient, height.parts))
        if height.function == "sum":
            signs = [self.to.sign("+")] * len(quotients)
            largest = self.to.row(
                [p for pair in zip(signs, quotients, strict=True) for p in pair][1:]
            )
        else:
            several = len(quotients) > 1
            largest = self.to.function(height.function, quotients) if several else quotients[0]
        is_legal = say.relation(self.to.name(y, ""), "<=", largest)
        if not self.case.obligations:
            return is_legal
        return self.to.row([is_legal, self.to.sign("iff"), self._is_legal(y, y)])

    def _quotient(self, part: QuotientOfHeight) -> str:
        say, constant, divisor = self.symbols, affine(part.constant), affine(part.divisor)
        terms = [
            (self.to.row([factor, self.to.sign(""), self.to.name(x, "")]) if factor else self.to.name(x, ""), 1)
            for x, text in part.terms.items()
            for factor in (self._factor(affine(text)),)
            if affine(text) != ZERO
        ]  # fmt: skip
        above = say.total([*terms, *((say.name(n), c) for n, c in constant.terms)], constant.constant)  # fmt: skip
        return above if divisor == number(1) else self.to.floor(above, say.sum(divisor))

    def _legal(self, y: str) -> Iterator[str]:
        """Yield the definitions of the counters of a largest value."""
        say = self.symbols
        for i, part in enumerate(self.case.heights[y].parts):
            form = {**part.terms, y: {n: -c for n, c in part.divisor.items()}}
            yield say.relation(say.name(legal(y, i)), "==", say.total(say.form(form)))

    def _is_legal(self, y: str, track: str) -> str:
        """Return the condition on counters under which a track is at most the height."""
        say, height = self.symbols, self.case.heights[y]
        bounds = [
            say.relation(say.name(legal(track, i)), ">=", say.sum(self._legal_from(y, part)))
            for i, part in enumerate(height.parts)
        ]
        return self._joined(height.function == "min", bounds)

    def _joined(self, is_all: bool, conditions: Sequence[str]) -> str:
        word = self.to.words(" and " if is_all else " or ")
        return self.to.row([part for c in conditions for part in (word, c)][1:])

    def _factor(self, a: Affine) -> str:
        if a == number(1):
            return ""
        text = self.symbols.sum(a)
        return self.to.bracketed(text, "(") if len(a.terms) + bool(a.constant) > 1 else text

    def _legal_from(self, y: str, part: QuotientOfHeight) -> Affine:
        total = -affine(part.constant) - affine(part.divisor) * self.shifts[y]
        for x, text in part.terms.items():
            total += affine(text) * self.shifts[x]
        return total

    def _given(self) -> list[str]:
        """Return the conditions under which a word is that of a position."""
        say = self.symbols
        conditions = [say.relation(say.track(x), ">=", say.sum(self.shifts[x])) for x in self.coordinates]  # fmt: skip
        return conditions + [self._is_legal(y, y) for y in self.case.heights]

    def _obligation(self, written: ObligationText) -> ObligationView:
        never: dict[str, NeverView] = {}
        for place, location in enumerate(written.locations):
            if location.never:
                alternatives = [
                    self.symbols.inequalities((affine(text), True) for text in conjunction)
                    for conjunction in location.never
                ]
                view = never.setdefault(repr(alternatives), NeverView([], alternatives))
                view.locations.append(place)
        return ObligationView(
            written.kind,
            "" if written.move is None else self.to.name(written.move, ""),
            self._goal(written),
            list(self._counters(written)),
            list(never.values()),
            [
                self._location(n, location)
                for n, location in enumerate(written.locations)
                if location.states
            ],
            sum(len(location.states) for location in written.locations),
        )

    def _goal(self, written: ObligationText) -> list[str]:
        """Return the conditions under which the second tracks are an option of a move."""
        say, offset = self.symbols, affine(self.case.offset)
        if written.kind == "value":
            return [say.relation(say.track("value"), ">=", say.sum(offset))]
        moves = {m.move: m for m in written.locations if m.move is not None}
        conditions: dict[str, None] = {}
        for move, location in moves.items():
            below = [say.relation(say.track(f"{move}'"), ">=", say.sum(self.shifts[move]))]
            for y in (y for y in location.orders if y != move):
                track, height = option(y), self.case.heights[y]
                below.append(self._is_legal(y, track))
                fallen = [
                    say.relation(
                        say.name(legal(track, i)),
                        "<=",
                        say.sum(self._legal_from(y, part) + affine(part.divisor) - 1),
                    )
                    for i, part in enumerate(height.parts)
                ]
                lower = say.relation(say.track(track), "<", say.track(y))
                is_largest = self._joined(height.function == "max", fallen)
                below.append(self.to.row([lower, self.to.sign("⇒"), is_largest]))
            conditions |= dict.fromkeys(below)
        return list(conditions)

    def _counters(self, written: ObligationText) -> Iterator[CounterView]:
        """Yield the counters; those of an option differ between moves."""
        forms: dict[str, list[tuple[dict[str, SumText], list[str]]]] = {}
        for location in written.locations:
            for name, form in location.counters.items():
                several = forms.setdefault(name, [])
                moves = next((moves for other, moves in several if other == form), None)
                if moves is None:
                    moves = []
                    several.append((form, moves))
                if location.move is not None and location.move not in moves:
                    moves.append(location.move)
        for name, several in forms.items():
            for form, moves in several:
                named = [self.to.name(x, "") for x in moves] if len(several) > 1 else []
                yield self._counter(name, form, named)

    def _counter(self, name: str, form: Mapping[str, SumText], moves: list[str]) -> CounterView:
        say = self.symbols
        whole, digits = say.form(form), say.form(form, digit=True)
        symbol = say.name(name)
        counter = COUNTER.fullmatch(name)
        if counter is None or counter[1] != "count":
            meaning = say.relation(symbol, "==", say.total(whole))
        elif counter[2] in SPECIAL:
            meaning = say.relation(symbol, "==", self._special(counter[2]))
        else:
            meaning = symbol
        doubled = self.to.row([self.to.number("2"), self.to.sign(""), symbol])
        return CounterView(
            moves,
            meaning,
            say.relation(symbol, "←", say.total([(text, -c) for text, c in digits])),
            say.relation(symbol, "←", say.total([(doubled, 1), *digits])),
        )

    def _special(self, track: str) -> str:
        """Return the number on a track that is not a coordinate."""
        say, to = self.symbols, self.to
        if track == "constant":
            return say.sum(affine(self.case.constant))
        if track == "value":
            parts: list[str] = []
            for x in self.case.shifts:
                parts += [*([to.sign("^")] if parts else []), say.track(x)]
            return to.row(parts)
        offset = affine(self.case.offset)
        return say.total([(to.name("g", ""), 1), *((say.name(n), c) for n, c in offset.terms)], offset.constant)  # fmt: skip

    def _location(self, place: int, written: LocationText) -> LocationView:
        say, zero = self.symbols, self.to.number("0")
        knows = [
            say.relation(say.track(f"{x}'"), "==" if order == "equal" else "<", say.track(x))
            for x, order in written.orders.items()
        ]
        knows += [say.relation(say.track(x), "==", zero) for x in sorted(written.zero)]
        facts = [say.zero(affine(text)) for text in written.equalities]
        for counter, remainder in written.parities.items():
            parts = [say.name(counter), self.to.sign("≡"), self.to.number(str(remainder))]
            facts.append(self.to.row([*parts, self.to.modulo(self.to.number("2"))]))
        predicates = [affine(text) for text in written.predicates]
        everything = range(len(written.states))
        return LocationView(
            place,
            written.start,
            written.settled,
            "" if written.move is None else self.to.name(written.move, ""),
            knows,
            facts,
            self._states(predicates, written.states, everything),
            self._strategy(written, predicates) if written.strategy else None,
        )

    def _states(
        self, predicates: Sequence[Affine], states: Sequence[str], chosen: Iterable[int]
    ) -> list[Conjunction]:
        return [
            self.symbols.inequalities(
                (p, digit == "1")
                for p, digit in zip(predicates, pattern, strict=True)
                if digit != "*"
            )
            for pattern in digit_patterns([states[i] for i in chosen])
        ]

    def _strategy(self, written: LocationText, predicates: Sequence[Affine]) -> StrategyView:
        answers = [
            tuple(
                next(i for i, a in enumerate(step.answers) if state in a.states)
                for step in written.strategy
            )
            for state in range(len(written.states))
        ]
        classes = list(dict.fromkeys(answers))
        members = [
            [s for s, answer in enumerate(answers) if answer == shared] for shared in classes
        ]
        tracks = list(written.strategy[0].digits)
        rows = [
            (
                "".join(str(step.digits[t]) for t in tracks),
                [self._answer(step, shared[n]) for shared in classes],
            )
            for n, step in enumerate(written.strategy)
        ]
        named = [self._states(predicates, written.states, states) for states in members]
        return StrategyView(named, [self.symbols.track(t) for t in tracks], rows)

    def _answer(self, step: StepText, index: int) -> tuple[str, str, int]:
        """Return an answer: names and digits of the option's tracks, next location."""
        answer = step.answers[index]
        names = self.to.row([self.symbols.track(t) for t in answer.digits])
        return names, "".join(map(str, answer.digits.values())), answer.to
