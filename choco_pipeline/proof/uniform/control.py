"""Obligations of a family as a finite control that reads digits, with counters.

A word gives the digits of all numbers at once, the most significant first, after one sign digit each (two's complement). The
tracks are the coordinates of a position, shifted as the relation shifts them, so that nim-sums are taken digit by digit; those
coordinates of an option that a move changes, with a prime; `TARGET`, the nim-sum that is wanted of an option; and `CONSTANT`.
After any number of digits a *counter* of a linear form has its value on the numbers read so far, so it goes from c to
2c + (the form of the digits), and the sign digits give it minus the form of these.

A `ControlLocation` is all else that must be kept: how numbers compare so far. At a location a word may end, and then must keep the
`Goal`: if all of the hypotheses hold, all of the conclusions do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from operator import xor
from typing import Literal

from choco_pipeline.proof.uniform.affine import ZERO, Affine, number
from choco_pipeline.proof.uniform.family import Family, FamilyCase, natural_multiples
from choco_pipeline.proof.uniform.sentences import is_possible

TARGET, CONSTANT = "target", "constant"
Order = Literal["equal", "less"]
Phase = Literal["upper", "switch", "lower"]
Digits = Mapping[str, int]
#: Σ a·track.
TrackForm = Mapping[str, Affine]


def option(coordinate: str) -> str:
    """Return the track of an option's coordinate."""
    return f"{coordinate}'"


def count(track: str) -> str:
    """Return the name of the counter of one track."""
    return f"count({track})"


def legal(track: str, part: int = 0) -> str:
    """Return the counter that compares a coordinate with a part of its height."""
    return f"legal{part + 1 if part else ''}({track})"


VALUE = count("value")


@dataclass(frozen=True, order=True)
class ControlLocation:
    """What is kept of the digits read so far, apart from counters."""

    #: Whether the sign digits are still to be read.
    start: bool
    #: Whether the position's nim-sum differs from the target so far; always so in obligations without a target.
    settled: bool
    #: The coordinate that the move lowers; empty as long as it is not chosen.
    move: str
    #: For each coordinate that the move changes, how the option's digits compare with the position's.
    orders: tuple[tuple[str, Order], ...]
    #: Watched tracks that had only digits 0.
    zero: frozenset[str]
    #: With a power 2**t: before the last t digits of all numbers, just before the first of them, or among them. Without such a
    #: power every location is of the last kind, and a word may end anywhere.
    phase: Phase = "lower"

    @property
    def name(self) -> str:
        """The location in words, unique in its obligation."""
        if self.start:
            return "start"
        parts = ["differs" if self.settled else "agrees"]
        parts += [f"lower {self.move}"] if self.move else []
        parts += [f"{option(n)} {order}" for n, order in self.orders]
        parts += [f"{track} zero" for track in sorted(self.zero)]
        parts += [self.phase] if self.phase != "lower" else []
        return ", ".join(parts)


@dataclass(frozen=True)
class ControlStep:
    """The opponent's digits, and the answers: an option's digits, and the end."""

    digits: Digits
    answers: tuple[tuple[Digits, ControlLocation], ...]


#: At least one of these sums is not negative.
Clause = tuple[Affine, ...]


@dataclass(frozen=True)
class Goal:
    """An implication at the end of a word; no conclusions (None) means never."""

    hypotheses: tuple[Clause, ...]
    conclusions: tuple[Clause, ...] | None


TRIVIAL = Goal(((number(-1),),), ())


Kind = Literal["value", "exclusion", "option"]


@dataclass(frozen=True)
class FamilyObligation:
    """One obligation of a case."""

    family: Family
    case: FamilyCase
    #: ``value``: the value of a position is not negative. ``exclusion``: no option by one kind of move has the position's
    #: value, or is in the relation with it. ``option``: some option has the target as its nim-sum.
    kind: Kind
    #: Which kind of move, for ``exclusion``: its number.
    move: int = 0
    #: Tracks for which the control keeps whether they are 0 so far.
    watched: frozenset[str] = frozenset()
    #: Whether counters of single tracks are kept that only say that coordinates are natural numbers.
    singles: bool = True

    @property
    def name(self) -> str:
        """A short name, unique in its case."""
        if self.kind == "exclusion":
            return f"exclusion-{self.moves[0][0]}"
        return self.kind

    @cached_property
    def moves(self) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
        """The kinds of move that it speaks of."""
        every = self.family.description.moves
        return (every[self.move],) if self.kind == "exclusion" else every

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The position's tracks that are coordinates."""
        return self.family.description.coordinates

    @cached_property
    def has_target(self) -> bool:
        """Whether the nim-sum that is wanted is a track; else it is 0."""
        return self.kind == "option" and self.family.kind == "grundy"

    @cached_property
    def has_constant(self) -> bool:
        """Whether the number in the nim-sum is a track."""
        if self.kind == "exclusion" and self.family.kind == "grundy":
            return False
        return self.case.constant != ZERO

    @cached_property
    def position(self) -> tuple[str, ...]:
        """The tracks that the opponent chooses."""
        return (
            *self.coordinates,
            *([TARGET] if self.has_target else []),
            *([CONSTANT] if self.has_constant else []),
        )

    @cached_property
    def may_be_negative(self) -> frozenset[str]:
        """The position's tracks whose sign digit may be 1."""
        least = {name: self.case.shift(name) for name in self.coordinates}
        least |= {TARGET: self.case.offset} if self.has_target else {}
        least |= {CONSTANT: self.case.constant} if self.has_constant else {}
        return frozenset(
            track
            for track, total in least.items()
            if is_possible([*self.case.conditions, *natural_multiples(total), -total - 1])
        )

    # Counters.

    @cached_property
    def _limits(self) -> dict[str, tuple[Affine, Affine]]:
        """A and B for each counter, which must end at A·2**t + B or more."""
        case = self.case
        less = {x: -case.shift(x) for x in self.coordinates}
        limits = {count(x): case.shift(x) for x in self.coordinates}
        limits |= {count(TARGET): case.offset, VALUE: case.offset, count(CONSTANT): case.constant}
        for y, height in case.heights.items():
            for i, part in enumerate(height.parts):
                limits[legal(y, i)] = -part.room(less, less[y])
        return {counter: limit.split_power() for counter, limit in limits.items()}

    def jump(self, total: Affine) -> Affine:
        """Return what a sum of counters loses where the last t digits begin."""
        parts = ((self._limits[name.replace("'", "")][0], c) for name, c in total.terms)
        return sum((high * c for high, c in parts), ZERO)

    def _above(self, counter: str) -> Affine:
        """Return how far a counter is above the least number that it may end at."""
        return Affine.of(counter) - self._limits[counter.replace("'", "")][1]

    def counters(self, location: ControlLocation) -> dict[str, TrackForm]:
        """Return the counters that are kept at a location, as linear forms in tracks."""
        counters: dict[str, TrackForm] = {}
        for name in self.coordinates:
            if self.keeps_single(name):
                counters[count(name)] = {name: number(1)}
        for track in self.position[len(self.coordinates) :]:
            counters[count(track)] = {track: number(1)}
        counters |= self._legal(self.case.heights, ())
        if self.kind == "value":
            counters[VALUE] = {"value": number(1)}
        if location.move:
            changed = tuple(n for n, _ in location.orders)
            if self.keeps_single(location.move):
                counters[count(option(location.move))] = {option(location.move): number(1)}
            counters |= self._legal(changed[1:], changed)
        return counters

    def _legal(self, limited: Iterable[str], changed: tuple[str, ...]) -> dict[str, TrackForm]:
        """Return the counters of the parts of heights, at a position or at an option."""
        track = {x: option(x) for x in changed}
        counters: dict[str, TrackForm] = {}
        for y in limited:
            for i, part in enumerate(self.case.heights[y].parts):
                form = {**part.split[0], y: -part.divisor}
                counters[legal(track.get(y, y), i)] = {track.get(x, x): a for x, a in form.items()}
        return counters

    def keeps_single(self, coordinate: str) -> bool:
        """Whether a counter decides that a coordinate is a natural number."""
        shift = self.case.shift(coordinate)
        return shift != ZERO and (self.singles or coordinate in self.may_be_negative)

    def updates(
        self, source: ControlLocation, digits: Digits, target: ControlLocation
    ) -> dict[str, Affine]:
        """Return the target's counters after a step, in terms of the source's."""
        if target.phase == "switch":
            own = map(Affine.of, self.counters(source))
            return {name: total - self.jump(total) for total in own for name in total.names}
        updates = {}
        for counter, form in self.counters(target).items():
            added = digit_sum(form, digits)
            # until a move is chosen the option is the position
            before = Affine.of(counter if source.move else counter.replace("'", ""))
            updates[counter] = -added if source.start else before * 2 + added
        return updates

    # Control.

    @cached_property
    def start(self) -> ControlLocation:
        """The location before the first digit."""
        phase: Phase = "lower" if self.family.exponent is None else "upper"
        if self.kind == "exclusion":
            move = self.moves[0]
            return ControlLocation(True, True, move[0], _equal(move), self.watched, phase)
        zero = self.watched & {*self.coordinates}
        return ControlLocation(True, self.kind != "option", "", (), zero, phase)

    def steps(self, here: ControlLocation) -> Iterator[ControlStep]:
        """Yield all choices of the position's digits, with answers in their order.

        Where nothing is answered (all but ``option``) every answer is possible, and each is a step of its own.
        """
        for digits in self._choices(self.position, is_sign=here.start):
            answers = tuple(
                (answer, replace(there, phase="upper") if here.phase == "upper" else there)
                for answer, there in self._answers(here, digits)
            )
            if self.kind != "option":
                yield from (
                    ControlStep({**digits, **more}, (({}, there),)) for more, there in answers
                )
                continue
            more = self.nim_sum(digits) - digits.get(TARGET, 0)
            # a target above the value is never asked for
            if here.settled or not self.has_target or (-more if here.start else more) >= 0:
                yield ControlStep(digits, answers)
        if here.phase == "upper" and not here.start:
            yield ControlStep({}, (({}, replace(here, phase="switch")),))

    def _choices(self, tracks: Iterable[str], *, is_sign: bool) -> Iterator[dict[str, int]]:
        """Yield all choices of digits on some tracks."""
        negative = self.may_be_negative
        ranges = {t: (0, 1) if not is_sign or t in negative else (0,) for t in tracks}
        for values in product(*ranges.values()):
            yield dict(zip(ranges, values, strict=True))

    def nim_sum(self, digits: Digits) -> int:
        """Return the digit of a position's nim-sum, the constant included."""
        tracks = [name for name in self.coordinates if name in self.case.shifts]
        return reduce(xor, (digits[t] for t in tracks), digits.get(CONSTANT, 0))

    def _answers(
        self, here: ControlLocation, digits: dict[str, int]
    ) -> Iterator[tuple[Digits, ControlLocation]]:
        """Yield the option's digits, and the location that they lead to."""
        zero = frozenset(t for t in here.zero if not digits.get(t, 0))
        if self.kind == "value":
            digits_of_value = {"value": self.nim_sum(digits)}
            yield digits_of_value, ControlLocation(False, True, "", (), zero)
            return
        wanted = digits[TARGET] if self.has_target else 0
        if self.kind == "exclusion" and self.family.kind == "grundy":
            wanted = self.nim_sum(digits)
        elif self.kind == "exclusion" and self.nim_sum(digits):
            return
        if not here.settled and self.nim_sum(digits) == wanted:
            yield {}, ControlLocation(False, False, "", (), zero)
            return
        if here.move:
            yield from self._changes(here, digits, wanted)
            return
        for move in sorted(self.moves, key=lambda move: len(move[1])):
            changed = {n for n in move[1] if option(n) in self.watched}
            begun = {option(n) for n in changed & here.zero}
            begun |= here.zero - {move[0], *move[1]}
            chosen = ControlLocation(here.start, True, move[0], _equal(move), frozenset(begun))
            yield from self._changes(chosen, digits, wanted)

    def _changes(
        self, here: ControlLocation, digits: dict[str, int], wanted: int
    ) -> Iterator[tuple[Digits, ControlLocation]]:
        """Yield changed digits with the wanted nim-sum, fewest changes first."""
        clips = next(move[2] for move in self.moves if move[0] == here.move)
        names = [name for name, _ in here.orders]
        changes = []
        for changed in self._choices(names, is_sign=here.start):
            if self.nim_sum({**digits, **changed}) != wanted:
                continue
            after = [
                _compared(order, digits[n], changed[n], is_sign=here.start)
                for n, order in here.orders
            ]
            if None in after or (not clips and "less" in after[1:]):
                continue
            now = tuple((n, order) for n, order in zip(names, after, strict=True) if order)
            option_digits = {option(n): v for n, v in changed.items()}
            every = {**digits, **option_digits}
            zero = frozenset(t for t in here.zero if not every.get(t, 0))
            there = ControlLocation(False, True, here.move, now, zero)
            new = sum(
                old != order for (_, old), order in zip(here.orders[1:], after[1:], strict=True)
            )
            changes.append(((new, [*changed.values()][::-1]), option_digits, there))
        for _, option_digits, there in sorted(changes, key=lambda change: change[0]):
            yield option_digits, there

    # What is asked for.

    def goal(self, here: ControlLocation) -> Goal:
        """Return the implication that must hold if the word ends here."""
        if here.start or here.phase == "upper":
            return TRIVIAL
        if self.kind == "value":
            return Goal(self._given, ((self._above(VALUE),),))
        orders = dict(here.orders)
        if not here.settled or (self.kind == "exclusion" and orders[here.move] == "equal"):
            return TRIVIAL
        if self.kind == "exclusion":
            return Goal((*self._given, *self._is_option(here)), None)
        is_lowered = orders[here.move] == "less"
        return Goal(self._given, self._is_option(here) if is_lowered else None)

    @cached_property
    def _given(self) -> tuple[Clause, ...]:
        """Hypotheses on the position, the constant and the target."""
        case = self.case
        given: list[Clause] = []
        singles = [n for n in self.coordinates if self.keeps_single(n)]
        given += [(self._above(count(n)),) for n in singles]
        for name, height in case.heights.items():
            given += _joined(height.function == "min", self._rooms(name, name))
        if self.has_constant:
            constant = self._above(count(CONSTANT))
            given += [(constant,), (-constant,)]
        if self.has_target:
            given.append((self._above(count(TARGET)),))
        return tuple(given)

    def _rooms(self, name: str, track: str) -> list[Affine]:
        """Return sums that are natural where a coordinate is at most each part."""
        return [self._above(legal(track, i)) for i, _ in enumerate(self.case.heights[name].parts)]

    def _is_option(self, here: ControlLocation) -> tuple[Clause, ...]:
        """Return the conditions that the changed coordinates make an option."""
        conditions: list[Clause] = []
        if self.keeps_single(here.move):
            conditions.append((self._above(count(option(here.move))),))
        for name, order in here.orders[1:]:
            height, rooms = self.case.heights[name], self._rooms(name, option(name))
            conditions += _joined(height.function == "min", rooms)
            if order == "less":  # it fell to its largest value
                pairs = zip(rooms, height.parts, strict=True)
                is_largest = [-total + part.divisor - 1 for total, part in pairs]
                conditions += _joined(height.function == "max", is_largest)
        return tuple(conditions)

    def never_again(self, here: ControlLocation) -> list[tuple[Affine, ...]]:
        """Return conjunctions that contradict the hypotheses after any digits.

        A counter whose digits add at most A falls from −A downwards, or stays; one whose digits add at least −B rises from B
        upwards, or stays. So below −A and below what a hypothesis asks for it never comes back. With 2**t this must also be true
        after the subtraction before the last t digits.
        """
        if here.start:
            return []
        forms = self.counters(here)
        asked = self._given + (self._is_option(here) if self.kind == "exclusion" else ())
        alternatives: list[tuple[Affine, ...]] = []
        for clause in asked:
            never: list[Affine] = []
            for atom in clause:
                ((counter, sign),) = ((n, c) for n, c in atom.terms if n in forms)
                # Only a divisor's coefficient is negative: that of the limited coordinate.
                falls = counter.startswith("legal")
                sides = {t: falls and counter.endswith(f"({t})") for t in forms[counter]}
                added = [a for t, a in forms[counter].items() if sides[t] == (sign < 0)]
                total = sum(added, Affine.of(counter)) * -sign
                jump = self.jump(Affine.of(counter)) if here.phase == "upper" else ZERO
                jumped = {counter: Affine.of(counter) - jump}
                never += [-atom.substitute(jumped) - 1, total.substitute(jumped)]
                never += [total] if jump != ZERO else []
            alternatives.append(tuple(never))
        return alternatives


def digit_sum(form: TrackForm, digits: Digits) -> Affine:
    """Return a linear form of the digits on tracks."""
    return sum((a * digits[track] for track, a in form.items()), ZERO)


def _joined(is_all: bool, sums: list[Affine]) -> list[Clause]:
    """Return the clauses that all of the sums are at least 0, or that one is."""
    return [(total,) for total in sums] if is_all else [tuple(sums)]


def _equal(move: tuple[str, tuple[str, ...], bool]) -> tuple[tuple[str, Order], ...]:
    """Return the orders of the changed coordinates before the first digit."""
    return tuple((name, "equal") for name in (move[0], *move[1]))


def _compared(order: Order, old: int, new: int, *, is_sign: bool) -> Order | None:
    """Return the order after one more digit; None if the option is larger."""
    if order == "less":
        return "less"
    if old == new:
        return "equal"
    return "less" if (new > old) == is_sign else None
