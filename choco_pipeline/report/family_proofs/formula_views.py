"""The proof of a Grundy formula by cases as mathematics: the options that are tried, and what is told of products.

Names in a certificate say what they are of: ``position(z)`` is z, ``option(z)`` is z′, ``value()`` is the number that is claimed,
``target()`` a smaller one, and ``number(2)`` the second quotient.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.proof.family_document import FormulaText, SumText
from choco_pipeline.report.family_proofs.family_symbols import Symbols, affine

#: ``position(z)``, ``number(2)``, ``target()``.
_NAMED = re.compile(r"(position|option|number|value|target)\((\w*)\)")
#: The letters of what is no coordinate; the claimed number is told from names of the game by being a capital.
_LETTERS = {"number": "q", "value": "G", "target": "g"}


@dataclass(frozen=True)
class LemmaView:
    """A condition, and the sums of which it is told what is true of their products."""

    kind: str
    moves: list[str]
    sums: list[str]


@dataclass(frozen=True)
class FormulaView:
    """Why a formula is right on one case."""

    #: What the numbers are that options are written with.
    quotients: list[str]
    #: The options that are tried, each by what a move changes.
    options: list[list[str]]
    #: What is true of a product with a sum d that is at least 1, or at most −1; empty if there are no products.
    least: str
    most: str
    #: For each condition, of which sums.
    lemmas: list[LemmaView]


def formula_view(written: FormulaText, symbols: Symbols) -> FormulaView:
    """Return what a certificate has for a formula, in the notation of its case."""
    return _Writer(symbols).view(written)


class _Writer:
    def __init__(self, symbols: Symbols) -> None:
        self.say, self.to = symbols, symbols.to

    def view(self, written: FormulaText) -> FormulaView:
        """Return all of it."""
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
            [self._changed(option.changed) for option in written.options],
            least,
            most,
            [self._lemma(name, sums) for name, sums in written.lemmas.items() if sums],
        )  # fmt: skip

    def name(self, name: str) -> str:
        """Return a name of the certificate; a product is its factors beside each other."""
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

    def _changed(self, changed: Mapping[str, SumText]) -> list[str]:
        return [
            self.say.relation(self.to.symbol(x, primed=True), "==", self._sum(text))
            for x, text in changed.items()
        ]

    def _lemma(self, name: str, sums: Sequence[SumText]) -> LemmaView:
        kind, *moved = name.split("-")
        return LemmaView(kind, [self.to.name(x, "") for x in moved], [self._sum(s) for s in sums])
