"""Obligations of a family, as an automaton with counters that reads digits.

A word contains the digits of all numbers in two's complement: first the sign digits, then the others, most significant first. The
tracks are the coordinates of a position, with the shifts of the relation, so that nim-sums are taken digit by digit; the coordinates
of an option that a move changes, written with a prime; `TARGET`, the required nim-sum of an option; and `CONSTANT`.

A *counter* is the value of a linear form on the digits read so far. Sign digits set it to minus the form of these digits. Further
digits change it from c to 2c + (the form of the digits).

A `ControlLocation` is the finite part of the state: the comparison of numbers so far. A word may end at any location, and must then
satisfy the `Goal`: if all hypotheses hold, all conclusions hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from operator import xor
from typing import Literal

from choco_pipeline.proof.uniform.affine import ZERO, Affine, number
from choco_pipeline.proof.uniform.family import Family, FamilyCase
from choco_pipeline.proof.uniform.sentences import is_possible, natural_powers

TARGET, CONSTANT = "target", "constant"
Order = Literal["equal", "less"]
Phase = Literal["upper", "switch", "lower"]
Digits = Mapping[str, int]
#: Σ a·track.
TrackForm = Mapping[str, Affine]


def option(coordinate: str) -> str:
    """Return the track of a coordinate of an option."""
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
    """The state after some digits, without the counters."""

    #: Whether no digits were read, not even the sign digits.
    start: bool
    #: Whether the position's nim-sum differs from the target so far; always true if the obligation has no target.
    settled: bool
    #: The coordinate that the move lowers; empty until it is chosen.
    move: str
    #: For each coordinate that the move changes: the comparison of the option's digits with the position's.
    orders: tuple[tuple[str, Order], ...]
    #: Watched tracks with only zeros so far.
    zero: frozenset[str]
    #: With a power 2**t: ``upper`` before the last t digits, ``switch`` just before the first of them, ``lower`` among them. Without a
    #: power, always ``lower``.
    phase: Phase = "lower"

    @property
    def name(self) -> str:
        """The location in words, unique within its obligation."""
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
    """Digits of the opponent, and the answers: option digits and next location."""

    digits: Digits
    answers: tuple[tuple[Digits, ControlLocation], ...]


#: The condition that at least one of these sums is natural.
Clause = tuple[Affine, ...]


@dataclass(frozen=True)
class Goal:
    """An implication at the end of a word.

    It holds if some hypothesis is false, or all conclusions are true.
    """

    hypotheses: tuple[Clause, ...]
    conclusions: tuple[Clause, ...]


#: The clause without sums, which is false.
FALSE: Clause = ()
TRIVIAL = Goal(((number(-1),),), ())


Kind = Literal["value", "exclusion", "option"]


@dataclass(frozen=True)
class FamilyObligation:
    """One obligation of a case."""

    family: Family
    case: FamilyCase
    #: ``value``: the formula is not negative at positions. ``exclusion``: no option by one kind of move has the same value as the
    #: position, or is also in the relation. ``option``: some option has the target as its nim-sum.
    kind: Kind
    #: The kinds of moves; a single one for ``exclusion``.
    moves: tuple[tuple[str, tuple[str, ...], bool], ...]
    #: Tracks for which locations record whether they are 0 so far.
    watched: frozenset[str] = frozenset()
    #: Whether to keep counters of single tracks that only express that coordinates are natural.
    singles: bool = True

    @property
    def move(self) -> str | None:
        """The coordinate that an ``exclusion`` lowers."""
        return self.moves[0][0] if self.kind == "exclusion" else None

    @property
    def name(self) -> str:
        """A short name, unique within the case."""
        return "-".join(filter(None, (self.kind, self.move)))

    @cached_property
    def position(self) -> tuple[str, ...]:
        """The tracks that the opponent chooses.

        `TARGET` is the required nim-sum; without it, this is 0. `CONSTANT` is the constant in the nim-sum.
        """
        is_grundy = self.family.kind == "grundy"
        has_constant = self.case.constant != ZERO and not (self.kind == "exclusion" and is_grundy)
        target = [TARGET] if self.kind == "option" and is_grundy else []
        return (*self.family.coordinates, *target, *([CONSTANT] if has_constant else []))

    @cached_property
    def may_be_negative(self) -> frozenset[str]:
        """The position's tracks whose sign digit may be 1."""
        least = {TARGET: self.case.offset, CONSTANT: self.case.constant}
        pairs = ((track, least.get(track, self.case.shift(track))) for track in self.position)
        return frozenset(
            track
            for track, total in pairs
            if is_possible([*self.case.conditions, *natural_powers(total), -total - 1])
        )

    # Counters.

    @cached_property
    def _limits(self) -> dict[str, tuple[Affine, Affine]]:
        """A and B for each counter, whose final value must be at least A·2**t + B."""
        case = self.case
        less = {x: -case.shift(x) for x in self.family.coordinates}
        limits = {count(x): case.shift(x) for x in self.family.coordinates}
        limits |= {count(TARGET): case.offset, VALUE: case.offset, count(CONSTANT): case.constant}
        for y, height in case.heights.items():
            for i, part in enumerate(height.parts):
                limits[legal(y, i)] = -part.room(less, less[y])
        return {counter: limit.split_power() for counter, limit in limits.items()}

    def jump(self, total: Affine) -> Affine:
        """Return the number subtracted from a sum of counters before the last t digits."""
        parts = ((self._limits[name.replace("'", "")][0], c) for name, c in total.terms)
        return sum((high * c for high, c in parts), ZERO)

    def _above(self, counter: str) -> Affine:
        """Return the counter minus its least final value."""
        return Affine.of(counter) - self._limits[counter.replace("'", "")][1]

    def counters(self, location: ControlLocation) -> dict[str, TrackForm]:
        """Return the counters at a location, as linear forms in tracks."""
        own = self.family.coordinates
        singles = [t for t in self.position if t not in own or self.keeps_single(t)]
        counters: dict[str, TrackForm] = {count(track): {track: number(1)} for track in singles}
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
        """Return counters for heights, with the option's tracks for `changed`."""
        track = {x: option(x) for x in changed}
        counters: dict[str, TrackForm] = {}
        for y in limited:
            for i, part in enumerate(self.case.heights[y].parts):
                form = {**part.split[0], y: -part.divisor}
                counters[legal(track.get(y, y), i)] = {track.get(x, x): a for x, a in form.items()}
        return counters

    def keeps_single(self, coordinate: str) -> bool:
        """Whether a counter is needed to express that a coordinate is natural."""
        shift = self.case.shift(coordinate)
        return shift != ZERO and (self.singles or coordinate in self.may_be_negative)

    def updates(
        self, source: ControlLocation, digits: Digits, target: ControlLocation
    ) -> dict[str, Affine]:
        """Return the counters after a step, in terms of those before it."""
        if target.phase == "switch":
            own = map(Affine.of, self.counters(source))
            return {name: total - self.jump(total) for total in own for name in total.names}
        updates = {}
        for counter, form in self.counters(target).items():
            added = digit_sum(form, digits)
            # until a move is chosen, the option equals the position
            before = Affine.of(counter if source.move else counter.replace("'", ""))
            updates[counter] = -added if source.start else before * 2 + added
        return updates

    # Control.

    @cached_property
    def start(self) -> ControlLocation:
        """The location before the sign digits."""
        phase: Phase = "lower" if self.family.exponent is None else "upper"
        if self.kind == "exclusion":
            move = self.moves[0]
            return ControlLocation(True, True, move[0], _equal(move), self.watched, phase)
        zero = self.watched & {*self.family.coordinates}
        return ControlLocation(True, self.kind != "option", "", (), zero, phase)

    def steps(self, here: ControlLocation) -> Iterator[ControlStep]:
        """Yield all choices of the position's digits, with the answers in order.

        Except for ``option``, nobody chooses between answers, so each answer is a separate step.
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
            # only targets below the value are required
            if here.settled or TARGET not in digits or (-more if here.start else more) >= 0:
                yield ControlStep(digits, answers)
        if here.phase == "upper" and not here.start:
            yield ControlStep({}, (({}, replace(here, phase="switch")),))

    def _choices(self, tracks: Iterable[str], *, is_sign: bool) -> Iterator[dict[str, int]]:
        negative = self.may_be_negative
        ranges = {t: (0, 1) if not is_sign or t in negative else (0,) for t in tracks}
        for values in product(*ranges.values()):
            yield dict(zip(ranges, values, strict=True))

    def nim_sum(self, digits: Digits) -> int:
        """Return the digit of the position's nim-sum, including the constant."""
        tracks = [name for name in self.family.coordinates if name in self.case.shifts]
        return reduce(xor, (digits[t] for t in tracks), digits.get(CONSTANT, 0))

    def _answers(
        self, here: ControlLocation, digits: dict[str, int]
    ) -> Iterator[tuple[Digits, ControlLocation]]:
        """Yield possible digits of the option, with the next location."""
        zero = frozenset(t for t in here.zero if not digits.get(t, 0))
        own, wanted = self.nim_sum(digits), digits.get(TARGET, 0)
        if self.kind == "value":
            yield {"value": own}, ControlLocation(False, True, "", (), zero)
            return
        if self.kind == "exclusion" and self.family.kind == "grundy":
            wanted = own
        elif self.kind == "exclusion" and own:
            return
        if not here.settled and own == wanted:
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
        """Yield option digits with the nim-sum `wanted`, fewest new changes first."""
        clips = next(move[2] for move in self.moves if move[0] == here.move)
        names = [name for name, _ in here.orders]
        changes = []
        for changed in self._choices(names, is_sign=here.start):
            if self.nim_sum({**digits, **changed}) != wanted:
                continue
            after = [
                (n, _compared(order, digits[n], changed[n], is_sign=here.start))
                for n, order in here.orders
            ]
            now = tuple((n, order) for n, order in after if order)
            new = sum(pair not in here.orders for pair in now[1:])
            if len(now) < len(after) or (new and not clips):
                continue
            option_digits = {option(n): v for n, v in changed.items()}
            every = {**digits, **option_digits}
            zero = frozenset(t for t in here.zero if not every.get(t, 0))
            there = ControlLocation(False, True, here.move, now, zero)
            changes.append(((new, [*changed.values()][::-1]), option_digits, there))
        for _, option_digits, there in sorted(changes, key=lambda change: change[0]):
            yield option_digits, there

    # Goals.

    def goal(self, here: ControlLocation) -> Goal:
        """Return the implication that must hold if the word ends at a location."""
        if here.start or here.phase == "upper":
            return TRIVIAL
        if self.kind == "value":
            return Goal(self._given, ((self._above(VALUE),),))
        orders = dict(here.orders)
        if not here.settled or (self.kind == "exclusion" and orders[here.move] == "equal"):
            return TRIVIAL
        if self.kind == "exclusion":
            return Goal((*self._given, *self._is_option(here)), (FALSE,))
        is_lowered = orders[here.move] == "less"
        return Goal(self._given, self._is_option(here) if is_lowered else (FALSE,))

    @cached_property
    def _given(self) -> tuple[Clause, ...]:
        """Hypotheses about the position, the constant and the target."""
        singles = [n for n in self.family.coordinates if self.keeps_single(n)]
        given: list[Clause] = [(self._above(count(n)),) for n in singles]
        for name, height in self.case.heights.items():
            given += _joined(height.function == "min", self._rooms(name, name))
        if CONSTANT in self.position:
            constant = self._above(count(CONSTANT))
            given += [(constant,), (-constant,)]
        if TARGET in self.position:
            given.append((self._above(count(TARGET)),))
        return tuple(given)

    def _rooms(self, name: str, track: str) -> list[Affine]:
        """Return a sum for each part of a height: natural if `name` is at most it."""
        return [self._above(legal(track, i)) for i, _ in enumerate(self.case.heights[name].parts)]

    def _is_option(self, here: ControlLocation) -> tuple[Clause, ...]:
        """Return the conditions for the changed coordinates to be an option."""
        conditions: list[Clause] = []
        if self.keeps_single(here.move):
            conditions.append((self._above(count(option(here.move))),))
        for name, order in here.orders[1:]:
            height, rooms = self.case.heights[name], self._rooms(name, option(name))
            conditions += _joined(height.function == "min", rooms)
            if order == "less":  # it was clipped to its height
                pairs = zip(rooms, height.parts, strict=True)
                is_largest = [-total + part.divisor - 1 for total, part in pairs]
                conditions += _joined(height.function == "max", is_largest)
        return tuple(conditions)

    def never_again(self, here: ControlLocation) -> list[tuple[Affine, ...]]:
        """Return conjunctions after which the hypotheses remain false forever.

        If digits add at most A to a counter, it never increases again once it is at most −A. If they add at least −B, it never decreases
        once it is at least B. So a counter that is at most −A and below the bound in a hypothesis stays below it. With 2**t, this must
        also hold after the subtraction before the last t digits.
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
                # Only the coefficient of the limited coordinate, minus the divisor, is negative.
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
    """Return the value of a linear form on digits."""
    return sum((a * digits[track] for track, a in form.items()), ZERO)


def _joined(is_all: bool, sums: list[Affine]) -> list[Clause]:
    """Return clauses: all sums are natural, or at least one is unless `is_all`."""
    return [(total,) for total in sums] if is_all else [tuple(sums)]


def _equal(move: tuple[str, tuple[str, ...], bool]) -> tuple[tuple[str, Order], ...]:
    """Return the initial comparison of the coordinates that a move changes."""
    return tuple((name, "equal") for name in (move[0], *move[1]))


def _compared(order: Order, old: int, new: int, *, is_sign: bool) -> Order | None:
    """Return the comparison after one more digit; None if the option becomes larger."""
    if order == "less":
        return "less"
    if old == new:
        return "equal"
    return "less" if (new > old) == is_sign else None
