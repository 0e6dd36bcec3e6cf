"""Moduli in parameters, such as 2^v₂(k), that divide a family's nim-sums.

The P-positions of a single game may have few nim-sums other than 0, and many moduli divide these. So the search looks for a modulus
that divides the nim-sums of all games of the family.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd

import numpy as np

from choco_pipeline.finding.conditions import TRIED, TestedCondition, tested_condition
from choco_pipeline.finding.laws import linear, two_part
from choco_pipeline.finding.statement import FoundStatement, Proposals
from choco_pipeline.finding.tables import TableFamily
from choco_pipeline.formula import parse
from choco_pipeline.games.listing import evaluate_at
from choco_pipeline.mining.table_findings import Tried
from choco_pipeline.tables.cells import Cells

#: Factors of terms in a parameter that are tried as moduli.
MULTIPLES = (1, 2, 4)
#: Fewest games in which a modulus divides all nim-sums that occur, and excludes others.
FEWEST_TABLES = 3
#: Fewest of these games with a nim-sum other than 0. Every modulus divides 0, so the other games are no evidence.
FEWEST_NONZERO = 2


@dataclass(frozen=True)
class FamilyModuli:
    """The moduli that divide the nim-sums at the P-positions of a family's games."""

    family: TableFamily

    @property
    def of(self) -> str:
        """The nim-sum of the coordinates."""
        return " ^ ".join(self.family.coordinates)

    @cached_property
    def divisors(self) -> tuple[tuple[int, int], ...]:
        """For each table, the gcd of nim-sums at P, and the number of positions.

        If the gcd is 1 in a corner, no modulus except 1 divides the nim-sums, and the rest is not read.
        """
        in_corners = [self._divisor(member.corner) for member in self.family.members]
        pairs = zip(in_corners, self.family.members, strict=True)
        return tuple(
            found if found[0] == 1 else self._divisor(member.table()) for found, member in pairs
        )

    def _divisor(self, cells: Cells) -> tuple[int, int]:
        formula = parse(self.of)
        divisor = positions = 0
        for points in cells.p_positions():
            values = evaluate_at(formula, points)
            positions += values.size
            divisor = gcd(divisor, int(np.gcd.reduce(values, initial=0)))
            if divisor == 1:
                break
        return divisor, positions

    def proposals(self) -> Proposals:
        """Return the statements of the best moduli.

        Several moduli may be equal in all tables, such as k and 2^v₂(k). Trials on further games distinguish them.
        """
        sure: list[FoundStatement] = []
        doubtful: list[FoundStatement] = []
        scored = [(self._score(modulus), modulus) for modulus in self._moduli()]
        best = max((score for score, _ in scored if score), default=None)
        # tables whose nim-sums are all 0 agree with any condition
        pairs = zip(self.family.members, self.divisors, strict=True)
        members = tuple(member for member, (divisor, _) in pairs if divisor)
        with_evidence = FamilyModuli(replace(self.family, members=members))
        for modulus in [modulus for score, modulus in scored if score and score == best]:
            for moduli in (self, with_evidence):
                divides, points = moduli._divides(modulus), moduli.family.points
                tested = tested_condition(moduli.family, divides)
                if tested is not None and all(
                    tested.domain.holds(points[i]) == divides[i] for i in tested.held_out
                ):
                    statement = moduli._statement(modulus, divides, tested)
                    is_sure = tested.is_enough(moduli.family, sum(divides))
                    (sure if is_sure else doubtful).append(statement)
                    break
        return Proposals(sure, doubtful)

    def _numbers(self, modulus: str) -> list[int]:
        formula = parse(modulus)
        return [int(formula.value(point)) for point in self.family.points]

    def _divides(self, modulus: str) -> list[bool]:
        """Return for each table if a modulus divides the nim-sums; 1 only if all are 0."""
        pairs = zip(self._numbers(modulus), self.divisors, strict=True)
        return [
            number > 0 and not divisor % number and (number > 1 or not divisor)
            for number, (divisor, _) in pairs
        ]

    def _score(self, modulus: str) -> tuple[int, int] | None:
        """Return a sort key: number of divided tables with nonzero nim-sums, and size."""
        divides = self._divides(modulus)
        nonzero = [i for i, is_so in enumerate(divides) if is_so and self.divisors[i][0]]
        if sum(divides) < FEWEST_TABLES or len(nonzero) < FEWEST_NONZERO:
            return None
        numbers = self._numbers(modulus)
        return len(nonzero), sum(numbers[i].bit_length() for i in nonzero)

    def _moduli(self) -> Iterator[str]:
        for name in self.family.names:
            for term in (two_part(name), linear(name)):
                if any(term.value(point) is None for point in self.family.points):
                    continue  # v₂(0) has no value
                yield from (f"{n}*{term.text}" if n > 1 else term.text for n in MULTIPLES)

    def _statement(
        self, modulus: str, divides: list[bool], tested: TestedCondition
    ) -> FoundStatement:
        family = self.family
        numbers = {n for n, is_so in zip(self._numbers(modulus), divides, strict=True) if is_so}
        shortest = str(*numbers) if len(numbers) == 1 else modulus
        condition = parse(f"v % ({shortest}) == 0").text
        positions = {i: self.divisors[i][1] for i, is_so in enumerate(divides) if is_so}
        tried = Tried(
            tested.domain.tried * len(list(self._moduli())),
            f"moduli: parameters and the powers of 2 in them, times 1, 2 and 4; conditions: {TRIED}",
            len(tested.learnt),
        )
        line = f"{{{self.of}: P}} <= {{v: {condition}}}"
        return tested.statement(family, "moduli", line, positions, tried)
