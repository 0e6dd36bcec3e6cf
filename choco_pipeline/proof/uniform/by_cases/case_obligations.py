"""The obligations of a Grundy formula by cases, as sentences on integers in which a product of names is a name.

No digits are read, and no invariant is needed: a position, an option and a value are named integers. A move is looked at in
parts: which of the coordinates that may fall do. The value of a position has a name of its own, of which the formula says
what it is by inequalities (`case_formula`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.direct import leaves_remainder, variable
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, factors_of, product
from choco_pipeline.proof.uniform.families.case_formula import Place, value_at
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.families.linear_forms import LinearForm
from choco_pipeline.proof.uniform.sentences import all_of, any_of, at_least_0, negation

#: What texts call the value of a position, and a smaller one that some option must have; no parameter has such a name.
VALUE, TARGET = "value()", "target()"


@dataclass(frozen=True)
class MovePart:
    """A move with the coordinates that fall then, of those that may."""

    lowered: str
    fallen: tuple[str, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """The coordinates that an option has other numbers of."""
        return (self.lowered, *self.fallen)

    @property
    def name(self) -> str:
        """As texts are called."""
        return "-".join(self.changed)


@dataclass(frozen=True)
class SoughtOption:
    """A part of a move, and sums for what it changes: an option that may have the value `TARGET`."""

    part: MovePart
    changed: Mapping[str, Affine]


@dataclass(frozen=True)
class NamedQuotient:
    """A name for ⌊dividend/divisor⌋, wherever the divisor is at least 1."""

    name: str
    dividend: Affine
    divisor: Affine


@dataclass(frozen=True)
class CaseObligations:
    """A case of a family that says of Grundy numbers that they are a formula by cases.

    Raises `FamilyError` if a largest value depends on a coordinate that has one, or products of several parameters would be
    needed.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        """Refuse what has no such obligations."""
        limited = self.case.heights.keys()
        if any(height.only.terms.keys() & limited for height in self.case.heights.values()):
            raise FamilyError("a height that depends on a limited coordinate")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Their names."""
        return self.family.description.coordinates

    @cached_property
    def parts(self) -> tuple[MovePart, ...]:
        """All moves, in their parts."""
        return tuple(
            MovePart(lowered, fallen)
            for lowered, others, clips in self.family.description.moves
            for size in range(len(others) + 1 if clips else 1)
            for fallen in combinations(others, size)
        )

    @cached_property
    def position(self) -> Place:
        """A position, by names."""
        return {x: Affine.of(variable(x)) for x in self.coordinates}

    @cached_property
    def given(self) -> tuple[Affine, ...]:
        """Sums that are not negative at a position."""
        natural = self.position.values()
        return (*natural, *(self.room(y, self.position) for y in self.case.heights))

    def room(self, y: str, place: Place) -> Affine:
        """Return what is not negative exactly if a coordinate is at most its largest value."""
        height = self.case.heights[y].only
        largest = value_at(LinearForm(height.terms, height.constant), place)
        return largest - product(height.divisor, place[y])

    def option_place(self, part: MovePart, changed: Mapping[str, Affine] | None = None) -> Place:
        """Return an option, by sums for what is changed, or by names."""
        names = {x: Affine.of(f"option({x})") for x in part.changed}
        return {**self.position, **(names if changed is None else changed)}

    def is_option(self, part: MovePart, option: Place) -> tuple[Affine, ...]:
        """Return the sums that are not negative where this part of a move leads to an option."""
        sums = [option[x] for x in part.changed]
        sums += [self.position[x] - option[x] - 1 for x in part.changed]
        others = next(o for x, o, _ in self.family.description.moves if x == part.lowered)
        for y in others:
            room = self.room(y, option)
            sums.append(room)
            if y in part.fallen:
                sums.append(self.case.heights[y].only.divisor - 1 - room)
        return tuple(sums)

    def has_value(self, place: Place, value: Affine) -> str:
        """Return that the formula has a value at a place."""
        return any_of(
            all_of([*(leaves_remainder(*r) for r in choice.at(place)), all_of(map(at_least_0, sums))])
            for choice in self.case.choices
            for sums in choice.equal(place, value)
        )  # fmt: skip

    def bodies(self) -> Iterator[tuple[str, str]]:
        """Yield `value` and `exclusion` as sentences that no position may satisfy."""
        value = Affine.of(VALUE)
        known = [*map(at_least_0, self.given), self.has_value(self.position, value)]
        yield "value", all_of([*known, at_least_0(-value - 1)])
        for part in self.parts:
            option = self.option_place(part)
            is_option = map(at_least_0, self.is_option(part, option))
            same = self.has_value(option, value)
            yield f"exclusion-{part.name}", all_of([*known, *is_option, same])

    def option_body(
        self, options: Sequence[SoughtOption], quotients: Sequence[NamedQuotient]
    ) -> str:
        """Return that at some position none of these options has a smaller value that is not negative."""
        value, target = Affine.of(VALUE), Affine.of(TARGET)
        sentences = [*map(at_least_0, self.given), self.has_value(self.position, value)]
        sentences += [at_least_0(target), at_least_0(value - target - 1)]
        for quotient in quotients:
            rest = quotient.dividend - product(quotient.divisor, Affine.of(quotient.name))
            inside = [at_least_0(rest), at_least_0(quotient.divisor - 1 - rest)]
            sentences.append(any_of([at_least_0(-quotient.divisor), all_of(inside)]))
        for sought in options:
            option = self.option_place(sought.part, sought.changed)
            is_option = map(at_least_0, self.is_option(sought.part, option))
            sentences.append(negation(all_of([*is_option, self.has_value(option, target)])))
        return all_of(sentences)

    @cached_property
    def factor(self) -> str | None:
        """The parameter that is multiplied with other names; None if there is none."""
        sums = [self.room(y, self.position) for y in self.case.heights]
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
