"""How the numbers of a family's proof are called and written: parameters, tracks of digits, counters, and bounds on them.

A counter of a single track is called as the track is, since it is that number as far as it has been read. So everything is
a sum of capital letters, of one letter with indices for legality, and of parameters; and what a state says of such a sum is
an interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.proof.family_document import SumText
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine
from choco_pipeline.proof.uniform.invariants.control import CounterName

#: Letters for the counters that tell whether a coordinate is legal; the first that is no name of the game's is taken.
LEGAL = "hcbw"
#: Letters for tracks that are no coordinates.
SPECIAL = {"target": "T", "constant": "C", "value": "V"}
#: Coefficients of a counter, its sign made positive, and what is asked of that sum.
Form = tuple[tuple[str, int], ...]


def affine(text: SumText) -> Affine:
    """Return a sum of a certificate."""
    return Affine.total({n: c for n, c in text.items() if n != "1"}, text.get("1", 0))


@dataclass(frozen=True)
class Bounds:
    """What is known of one sum of counters: it is at least each of the first, and at most each of the others."""

    form: Form
    least: tuple[Affine, ...] = ()
    most: tuple[Affine, ...] = ()


class Symbols:
    """The names of one case, in a notation.

    They are those of the game's coordinates, of the family's parameters and of the case's; conditions are sums of these that
    are not negative.
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
        """Return a parameter, or a counter by the name that the certificate has for it."""
        if name in self._parameters:
            return self.to.symbol(*self._parameters[name])
        counter = CounterName.read(name)
        assert counter is not None, name
        if counter.kind != "count":
            part = counter.kind.removeprefix("legal")
            index = f"{counter.coordinate},{part}" if part else counter.coordinate
            return self.to.symbol(self._legal, index, primed=counter.is_of_option)
        return self.to.symbol(self._tracks[counter.coordinate], primed=counter.is_of_option)

    def track(self, track: str) -> str:
        """Return the number that a track spells."""
        return self.to.symbol(self._tracks[track.removesuffix("'")], primed=track.endswith("'"))

    def digit(self, track: str) -> str:
        """Return the digit of a track that is read next."""
        letters = self._tracks[track.removesuffix("'")]
        return self.to.symbol(letters, "i", primed=track.endswith("'"))

    def sum(self, total: Affine) -> str:
        """Return a sum, counters first."""
        terms = sorted(total.terms, key=lambda term: CounterName.read(term[0]) is None)
        return self.total([(self.name(n), c) for n, c in terms], total.constant)

    def total(self, terms: Iterable[tuple[str, int]], constant: int = 0) -> str:
        """Return a sum of integer multiples of what is written already, and a number."""
        parts: list[str] = []
        for text, c in terms:
            parts += self._signed(c, bool(parts))
            parts.append(self._times(abs(c), text))
        if constant or not parts:
            parts += [*self._signed(constant, bool(parts)), self.to.number(str(abs(constant)))]
        return self.to.row(parts)

    def form(self, form: Mapping[str, SumText], digit: bool = False) -> list[tuple[str, int]]:
        """Return the terms Σ a·track, or those of the next digits, for `total`; a in parentheses if it is a sum."""
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
        """Return that a sum is 0, with what is subtracted on the other side."""
        plus, minus = (Affine.total({n: c for n, c in (total * s).terms if c > 0}) for s in (1, -1))
        if not plus.terms:
            plus, minus, total = minus, plus, -total
        more = Affine((), -total.constant)
        return self.relation(self.sum(plus), "==", self.sum(minus + more))

    def said(self, sums: Iterable[tuple[Affine, bool]]) -> list[str]:
        """Return as few inequalities as there need be: of each sum, whether it is at least 0 or at most −1."""
        return [self._interval(bounds) for bounds in self._bounds(sums)]

    def _bounds(self, sums: Iterable[tuple[Affine, bool]]) -> list[Bounds]:
        bounds: dict[Form, Bounds] = {}
        for total, holds in sums:
            counters = [(n, c) for n, c in total.terms if CounterName.read(n)] or list(total.terms)
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
        """Return those lower bounds (upper ones if the sign is −1) that do not follow from another one."""
        kept: list[Affine] = []
        for bound in bounds:
            if any(self._is_natural((other - bound) * sign) for other in kept):
                continue
            kept = [other for other in kept if not self._is_natural((bound - other) * sign)]
            kept.append(bound)
        return tuple(kept)

    def _is_natural(self, total: Affine) -> bool:
        """Whether a sum is seen not to be negative: parameters are natural numbers, and one condition may help."""
        return any(
            rest.constant >= 0 and all(c >= 0 for _, c in rest.terms)
            for rest in (total, *(total - condition for condition in self.conditions))
        )

    def _interval(self, bounds: Bounds) -> str:
        """Return what is known of one sum in one line."""
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

    def _times(self, c: int, text: str) -> str:
        return text if c == 1 else self.to.row([self.to.number(str(c)), self.to.sign(""), text])
