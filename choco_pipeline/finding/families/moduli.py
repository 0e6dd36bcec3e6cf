"""Moduli that depend on parameters: the nim-sums at the P-positions of a family are multiples of 2^v₂(k), say.

Of one game few nim-sums may be seen besides 0, and all kinds of moduli divide those: so a modulus is looked for that divides
the nim-sums of all games, and not of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np

from choco_pipeline.finding.families.combinations import linear, two_part
from choco_pipeline.finding.families.domains import TRIED
from choco_pipeline.finding.families.table_family import TableFamily
from choco_pipeline.finding.families.tested_condition import TestedCondition, tested_condition
from choco_pipeline.finding.families.wording import listed, values_of
from choco_pipeline.finding.statements import value_statements
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.value_forms import within
from choco_pipeline.tables.reading.cells import BLOCK

#: Multiples of terms in a parameter that are moduli.
MULTIPLES = (1, 2, 4)
#: A modulus must divide the nim-sums of so many games of which it excludes some,
FEWEST_TABLES = 3
#: and of so many of them there must be another nim-sum than 0.
FEWEST_TOLD = 2


@dataclass(frozen=True)
class FamilyModuli:
    """The moduli of one family: which divide the nim-sums at the P-positions of which games."""

    family: TableFamily

    @property
    def of(self) -> str:
        """The nim-sum of the coordinates."""
        return " ^ ".join(self.family.coordinates)

    @cached_property
    def divisors(self) -> tuple[tuple[int, int], ...]:
        """For each table the greatest common divisor of the nim-sums at its P-positions, and the number of these."""
        formula = parse(self.of)
        found = []
        for member in self.family.members:
            divisor = positions = 0
            for points in member.table().p_positions(BLOCK):
                values = np.asarray(formula.evaluate(points), np.int64)
                divisor = gcd(divisor, int(np.gcd.reduce(values, initial=0)))
                positions += values.size
            found.append((divisor, positions))
        return tuple(found)

    def statements(self) -> tuple[list[FoundStatement], list[FoundStatement]]:
        """Return what the modulus that divides most says, and what too few tables tell of it."""
        best: tuple[tuple[int, int], str, list[bool]] | None = None
        for modulus in self._moduli():
            formula = parse(modulus)
            numbers = [int(formula.value(point)) for point in self.family.points]
            divides = [
                number > 1 and not divisor % number
                for number, (divisor, _) in zip(numbers, self.divisors, strict=True)
            ]
            told = sum(
                is_so and divisor > 0
                for is_so, (divisor, _) in zip(divides, self.divisors, strict=True)
            )
            size = sum(n.bit_length() for n, is_so in zip(numbers, divides, strict=True) if is_so)
            if sum(divides) >= FEWEST_TABLES and told >= FEWEST_TOLD:
                key = sum(divides), size
                best = max(best or (key, modulus, divides), (key, modulus, divides))
        tested = None if best is None else tested_condition(self.family, best[2])
        if best is None or tested is None:
            return [], []
        points, (_, modulus, divides) = self.family.points, best
        if any(tested.domain.holds(points[i]) != divides[i] for i in tested.held_out):
            return [], []
        statement = self._statement(modulus, divides, tested)
        is_enough = tested.is_enough(self.family, sum(divides))
        return ([statement], []) if is_enough else ([], [statement])

    def _moduli(self) -> Iterator[str]:
        for name in self.family.names:
            for term in (two_part(name), linear(name)):
                yield from (f"{n}*{term.text}" if n > 1 else str(term.text) for n in MULTIPLES)

    def _statement(
        self, modulus: str, divides: list[bool], tested: TestedCondition
    ) -> FoundStatement:
        family = self.family
        condition = parse(f"v % ({modulus}) == 0").text
        seen = [point for point, is_so in zip(family.points, divides, strict=True) if is_so]
        check = {"kind": "values", "of": self.of, "values": condition, "relation": "within"}
        begins = value_statements.BEGINS.format(game=family.ruleset)
        return FoundStatement(
            kind="values",
            ruleset=family.ruleset,
            said=f"{begins}, {within(condition).says_of(self.of)}",
            found_on=self._evidence([i for i in tested.learnt if divides[i]], "searched"),
            held_on=self._evidence([i for i in tested.held_out if divides[i]], "held-out"),
            tried=Tried(
                tested.domain.tried * len(list(self._moduli())),
                f"moduli: parameters and the powers of 2 in them, times 1, 2 and 4; conditions: {TRIED}",
                len(tested.learnt),
            ),
            when=tested.domain.text,
            parameters=values_of(seen, family.names),
            seen=tuple(tuple(point[name] for name in family.names) for point in seen),
            claim={"ruleset": family.ruleset, "check": check},
            formulas=tuple(value_statements.lines(self.of, "within", condition)),
        )

    def _evidence(self, places: list[int], kind: str) -> Evidence:
        which = listed([self.family.points[i] for i in places])
        positions = sum(self.divisors[i][1] for i in places)
        return Evidence(positions, f"{len(places)} {kind} tables, {which}", len(places))
