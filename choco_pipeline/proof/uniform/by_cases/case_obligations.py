"""The obligations of a Grundy formula by cases, as sentences on integers in which a product of names is a name.

No digits are read, and no invariant is needed: a position, an option and a value are named integers. A move is split into
parts, by which of the coordinates that may fall do. The value of a position has a name of its own; the formula defines it by
inequalities (`case_formula`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, factors_of, product
from choco_pipeline.proof.uniform.families.case_formula import VALUE
from choco_pipeline.proof.uniform.families.linear_forms import Place
from choco_pipeline.proof.uniform.places import CaseGame, leaves_remainder, variable
from choco_pipeline.proof.uniform.sentences import all_of, any_of, at_least_0, negation

#: The name of a smaller value that some option must have; no parameter has it.
TARGET = "target()"

#: The coordinates that a part of a move changes: the lowered one, then those that fall.
MovePart = tuple[str, ...]
#: Sums for the coordinates of a `MovePart`: an option that may have the value `TARGET`.
Changes = Mapping[str, Affine]


@dataclass(frozen=True)
class NamedQuotient:
    """A name for ⌊dividend/divisor⌋, if the divisor is at least 1."""

    name: str
    dividend: Affine
    divisor: Affine


@dataclass(frozen=True)
class CaseObligations(CaseGame):
    """A case of a family whose Grundy numbers are stated as a formula by cases.

    Raises `FamilyError` also if products of several parameters would be needed.
    """

    @cached_property
    def parts(self) -> tuple[MovePart, ...]:
        """All moves, in their parts."""
        return tuple(
            (lowered, *fallen)
            for lowered, others, clips in self.moves
            for size in range(len(others) + 1 if clips else 1)
            for fallen in combinations(others, size)
        )

    @cached_property
    def position(self) -> Place:
        """A position, by names."""
        return {x: Affine.of(variable(x)) for x in self.coordinates}

    def option(self, part: MovePart) -> Place:
        """Return an option, by names for the coordinates that are changed."""
        return {**self.position, **{x: Affine.of(f"option({x})") for x in part}}

    def has_value(self, place: Place, value: Affine) -> str:
        """Return the condition that the formula has a value at a place."""
        return any_of(
            all_of([*(leaves_remainder(*r) for r in choice.at(place)), all_of(map(at_least_0, sums))])
            for choice in self.case.choices
            for sums in choice.equal(place, value)
        )  # fmt: skip

    def _has_option(self, option: Place, part: MovePart, value: Affine) -> list[str]:
        """Return the conditions that a part of a move leads to an option with a value."""
        sums = self.option_sums(self.position, option, part)
        return [*map(at_least_0, sums), self.has_value(option, value)]

    def bodies(self) -> Iterator[tuple[str, str]]:
        """Yield `value` and `exclusion` as sentences that no position may satisfy."""
        value = Affine.of(VALUE)
        yield "value", all_of([*self._known, at_least_0(-value - 1)])
        for part in self.parts:
            same = self._has_option(self.option(part), part, value)
            yield "-".join(["exclusion", *part]), all_of([*self._known, *same])

    @cached_property
    def _known(self) -> list[str]:
        """The sentences that the names are a position and its value."""
        sums = self.position_sums(self.position)
        return [*map(at_least_0, sums), self.has_value(self.position, Affine.of(VALUE))]

    def option_body(self, options: Sequence[Changes], quotients: Sequence[NamedQuotient]) -> str:
        """Return the sentence that at some position none of these options has a smaller natural number as its value."""
        value, target = Affine.of(VALUE), Affine.of(TARGET)
        sentences = [*self._known, at_least_0(target), at_least_0(value - target - 1)]
        for quotient in quotients:
            rest = quotient.dividend - product(quotient.divisor, Affine.of(quotient.name))
            inside = [at_least_0(rest), at_least_0(quotient.divisor - 1 - rest)]
            sentences.append(any_of([at_least_0(-quotient.divisor), all_of(inside)]))
        for changes in options:
            option = {**self.position, **changes}
            sentences.append(negation(all_of(self._has_option(option, tuple(changes), target))))
        return all_of(sentences)

    @cached_property
    def factor(self) -> str | None:
        """The parameter that is multiplied with other names; None if there is none."""
        sums = [self.room(self.position, y, self.position[y]) for y in self.case.heights]
        sums += chain.from_iterable(
            chain.from_iterable(choice.equal(self.position, ZERO)) for choice in self.case.choices
        )
        products = [{*factors_of(n)} for s in sums for n, _ in s.terms if len(factors_of(n)) > 1]
        common = set.intersection(*products) & {*self.case.names} if products else set()
        if products and len(common) != 1:
            raise FamilyError(
                "several parameters are multiplied with coordinates, where one can be"
            )
        return next(iter(common), None)
