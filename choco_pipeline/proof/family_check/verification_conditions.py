"""The verification conditions of a case, written anew: words of digits, counters, and the invariant of a certificate.

What is certain of a word is `StatedLocation.key`. Which tracks had digits 0 only is not: a certificate may have several locations with
the same key, of which one invariant has to hold; for the prover's answers, that of the location that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from choco_pipeline.proof.family_check.document import AnswerText, StepText
from choco_pipeline.proof.family_check.stated_family import (
    ONE,
    ZERO,
    Numbers,
    StatedHeight,
    StatedNimSum,
)
from choco_pipeline.proof.family_check.sums import IntegerSum, conjunction, disjunction
from choco_pipeline.proof.proof_errors import UndecidedError

Digits = dict[str, int]
Orders = tuple[tuple[str, str], ...]
Key = tuple[bool, str | None, Orders]
CONSTANT, TARGET, VALUE = "constant", "target", "value"


@dataclass(frozen=True)
class StatedGame:
    """A family's game and relation on one case."""

    #: Their names.
    coordinates: tuple[str, ...]
    #: The coordinates that moves lower, and whether others then fall.
    clips: Mapping[str, bool]
    #: What is claimed: the heights, the relation, and whether that is of Grundy numbers.
    heights: Mapping[str, StatedHeight]
    relation: StatedNimSum
    is_grundy: bool
    #: The tracks that may be negative.
    negative: frozenset[str]

    def __post_init__(self) -> None:
        """Refuse coordinates with the names of other tracks."""
        if {CONSTANT, TARGET, VALUE} & set(self.coordinates):
            raise UndecidedError("a coordinate is called as a number that is none")

    def shift(self, x: str) -> IntegerSum:
        """Return the shift of a coordinate."""
        return self.relation.shifts.get(x, ZERO)

    def least(self, y: str) -> IntegerSum:
        """Return the λ of a coordinate with a largest value."""
        height = self.heights[y]
        least = ZERO - height.divisor * self.shift(y) - height.constant
        for x, a in height.terms.items():
            least += a * self.shift(x)
        return least

    def changed(self, lowered: str) -> tuple[str, ...]:
        """Return the coordinates that may be others after a move, the lowered one first."""
        falling = (y for y, height in self.heights.items() if height.terms.get(lowered, ZERO))
        return (lowered, *sorted(falling))


@dataclass(frozen=True)
class StatedLocation:
    """A location of a certificate; sums are in its counters and in the names of the case."""

    is_start: bool
    key: Key
    never: tuple[tuple[IntegerSum, ...], ...]
    equalities: tuple[IntegerSum, ...]
    parities: tuple[tuple[str, int], ...]
    predicates: tuple[IntegerSum, ...]
    states: tuple[str, ...]
    strategy: tuple[StepText, ...]

    def is_never(self, values: Numbers) -> str:
        """Return the condition that one of `never` holds, where the counters have these values."""
        return _never(self.never, values)

    def facts(self, values: Numbers) -> str:
        """Return the equalities and parities."""
        parities = (
            f"(= (mod {IntegerSum.name(n).put(values).text} 2) {r})" for n, r in self.parities
        )
        return conjunction([*(e.put(values).is_zero for e in self.equalities), *parities])

    def state(self, number: int, values: Numbers) -> str:
        """Return what one of the states says."""
        holds = [p.put(values).is_natural for p in self.predicates]
        bits = zip(holds, self.states[number], strict=True)
        return conjunction(text if bit == "1" else f"(not {text})" for text, bit in bits)

    def invariant(self, values: Numbers) -> str:
        """Return the invariant."""
        states = disjunction(self.state(i, values) for i in range(len(self.states)))
        return disjunction([self.is_never(values), conjunction([self.facts(values), states])])


def _never(conjunctions: Sequence[Sequence[IntegerSum]], values: Numbers) -> str:
    return disjunction(conjunction(s.put(values).is_natural for s in c) for c in conjunctions)


@dataclass(frozen=True)
class StatedObligation:
    """One obligation on a case."""

    #: The case.
    game: StatedGame
    #: ``value``, ``exclusion`` or ``option``.
    kind: str
    #: The coordinate that is lowered; of an exclusion.
    move: str | None

    @cached_property
    def tracks(self) -> tuple[str, ...]:
        """The tracks of a position, whose digits somebody else chooses."""
        tracks = list(self.game.coordinates)
        if self.game.relation.constant and not (self.kind == "exclusion" and self.game.is_grundy):
            tracks.append(CONSTANT)
        if self.kind == "option" and self.game.is_grundy:
            tracks.append(TARGET)
        return tuple(tracks)

    def counters(self, move: str | None) -> dict[str, dict[str, IntegerSum]]:
        """Return the counters with their forms, where a move has been chosen or none."""
        game = self.game
        counters = {f"count({x})": {x: ONE} for x in game.coordinates if game.shift(x)}
        more = [t for t in (CONSTANT, TARGET) if t in self.tracks]
        more += [VALUE] if self.kind == "value" else []
        counters |= {f"count({t})": {t: ONE} for t in more}
        counters |= {f"legal({y})": self._legal(y, ()) for y in game.heights}
        if move is not None:
            changed = game.changed(move)
            counters |= {f"count({x}')": {f"{x}'": ONE} for x in changed if game.shift(x)}
            counters |= {f"legal({y}')": self._legal(y, changed) for y in changed[1:]}
        return counters

    def _legal(self, y: str, changed: Sequence[str]) -> dict[str, IntegerSum]:
        height = self.game.heights[y]
        forms = {**height.terms, y: ZERO - height.divisor}
        return {f"{x}'" if x in changed else x: a for x, a in forms.items()}

    def after(self, here: Key | None, there: Key, digits: Digits) -> dict[str, IntegerSum]:
        """Return the counters after a step, by their names, in what they were before it; from the start for no `here`."""
        counters = {}
        old = self.counters(here[1]) if here else {}
        for name, form in self.counters(there[1]).items():
            read = IntegerSum()
            for track, a in form.items():
                read += a.times(digits[track])
            if here is None:
                counters[name] = ZERO - read
                continue
            # An option that is chosen now was the position until now.
            before = name if name in old else name.replace("'", "")
            counters[name] = IntegerSum.name(before).times(2) + read
        return counters

    @cached_property
    def given(self) -> str:
        """The condition on a whole word that it is of a position, and of what is asked."""
        game, least = self.game, {}
        for x in game.coordinates:
            if game.shift(x):
                least[f"count({x})"] = game.shift(x)
        least |= {f"legal({y})": game.least(y) for y in game.heights}
        if TARGET in self.tracks:
            least[f"count({TARGET})"] = ZERO - game.relation.offset
        conditions = [(IntegerSum.name(name) - bound).is_natural for name, bound in least.items()]
        if CONSTANT in self.tracks:
            conditions.append(
                (IntegerSum.name(f"count({CONSTANT})") - game.relation.constant).is_zero
            )
        return conjunction(conditions)

    def goal(self, key: Key) -> str:
        """Return what has to hold if a word ends here."""
        is_settled, move, orders = key
        if self.kind == "value":
            value = IntegerSum.name(f"count({VALUE})") + self.game.relation.offset
            return f"(=> {self.given} {value.is_natural})"
        if not is_settled:
            return "true"
        assert move is not None
        option = self._is_option(move, dict(orders))
        both = f"(and {self.given} {option})"
        return f"(not {both})" if self.kind == "exclusion" else f"(=> {self.given} {option})"

    def _is_option(self, move: str, orders: Mapping[str, str]) -> str:
        """Return the condition that the move is made, and leads to an option."""
        if orders[move] == "equal":
            return "false"
        game, conditions = self.game, []
        if game.shift(move):
            conditions.append((IntegerSum.name(f"count({move}')") - game.shift(move)).is_natural)
        for y in game.changed(move)[1:]:
            above = IntegerSum.name(f"legal({y}')") - game.least(y)
            conditions.append(above.is_natural)
            if orders[y] == "less":
                conditions.append((game.heights[y].divisor - ONE - above).is_natural)
        return conjunction(conditions)

    def digits(self, tracks: Sequence[str], is_sign: bool) -> Iterator[Digits]:
        """Yield all choices of digits on tracks."""
        may = self.game.negative
        ranges = [(0, 1) if not is_sign or t.rstrip("'") in may else (0,) for t in tracks]
        yield from (dict(zip(tracks, chosen, strict=True)) for chosen in product(*ranges))

    def nim_sum(self, digits: Digits, changed: Sequence[str] = ()) -> int:
        """Return the nim-sum of a position's digits, or of an option's if some coordinates are changed."""
        total = digits.get(CONSTANT, 0)
        for x in self.game.relation.shifts:
            total ^= digits[f"{x}'" if x in changed else x]
        return total

    def lowered(self, move: str, orders: Orders, digits: Digits, is_sign: bool) -> Orders | None:
        """Return the orders after a step; None if the option's digits are not allowed."""
        lowered = []
        for x, order in orders:
            own, other = digits[x], digits[f"{x}'"]
            if order == "equal" and own != other:
                if (other < own) == is_sign or not (x == move or self.game.clips[move]):
                    return None
                order = "less"
            lowered.append((x, order))
        return tuple(lowered)

    @property
    def start(self) -> Key:
        """What is certain before anything is read."""
        if self.move is None:
            return (self.kind != "option", None, ())
        return (True, self.move, self.equal(self.move))

    def equal(self, move: str) -> Orders:
        """Return the orders of a move of which nothing has been read."""
        return tuple((x, "equal") for x in self.game.changed(move))


@dataclass(frozen=True)
class StatedInvariant:
    """An obligation with what a certificate has for it; `conditions` are what makes that a proof."""

    obligation: StatedObligation
    locations: tuple[StatedLocation, ...]

    def conditions(self) -> Iterator[tuple[str, str]]:
        """Yield names and texts: what must not be satisfiable where the case's conditions hold."""
        start = self.locations[0]
        # Whatever else is said of it, even that 1 = 0, would be supposed of every word.
        bare = StatedLocation(True, self.obligation.start, (), (), (), (), ("",), start.strategy)
        if start != bare:
            raise UndecidedError("the first location is not the start")
        is_option = self.obligation.kind == "option"
        if is_option:
            yield from self._never_ends()
        for number, here in enumerate(self.locations):
            if here.is_start != (number == 0):
                raise UndecidedError("there are two starts")
            yield f"step-{number}", self._answers(here) if is_option else self._steps(here)
            if not here.is_start:
                goal = self.obligation.goal(here.key)
                yield f"goal-{number}", f"(and {self._before(here)} (not {goal}))"

    def _before(self, here: StatedLocation) -> str:
        """Return what is known at a location; of options without `never`, whose words are of no position (`_never_ends`)."""
        if self.obligation.kind != "option":
            return here.invariant({})
        states = disjunction(here.state(i, {}) for i in range(len(here.states)))
        return conjunction([here.facts({}), states, f"(not {here.is_never({})})"])

    def _steps(self, here: StatedLocation) -> str:
        """Return that some step leads from the invariant to where it does not hold: all digits are somebody else's."""
        obligation, move = self.obligation, self.obligation.move
        changed = obligation.game.changed(move) if move else ()
        tracks = (*obligation.tracks, *(f"{x}'" for x in changed))
        wrong = []
        for digits in obligation.digits(tracks, here.is_start):
            orders: Orders | None = ()
            if move:
                sums = obligation.nim_sum(digits), obligation.nim_sum(digits, changed)
                if sums[0] != sums[1] or (not obligation.game.is_grundy and sums[0]):
                    continue
                orders = obligation.lowered(move, here.key[2], digits, here.is_start)
            if orders is None:
                continue
            there = (True, move, orders)
            read = digits | {VALUE: obligation.nim_sum(digits)}
            values = obligation.after(None if here.is_start else here.key, there, read)
            next_ones = [other for other in self.locations[1:] if other.key == there]
            wrong.append(f"(not {disjunction(o.invariant(values) for o in next_ones)})")
        return f"(and {self._before(here)} {disjunction(wrong)})"

    def _never_ends(self) -> Iterator[tuple[str, str]]:
        """Yield that some `never` of an option obligation ends, or is of positions: whatever digits follow, by anybody.

        It speaks of the position alone, so that it does not matter what the prover answers, or whether he can.
        """
        obligation = self.obligation
        own = obligation.counters(None)
        key: Key = (False, None, ())
        by_text = {here.is_never({}): here.never for here in self.locations if here.never}
        for number, never in enumerate(by_text.values()):
            used = {name for c in never for s in c for name in s.multiples if "(" in name}
            if not used <= own.keys():
                raise UndecidedError("what never becomes a position speaks of an option")
            ends = [
                f"(not {_never(never, obligation.after(key, key, digits))})"
                for digits in obligation.digits(obligation.tracks, False)
            ]
            yield (
                f"never-{number}",
                f"(and {_never(never, {})} (or {obligation.given} {disjunction(ends)}))",
            )

    def _answers(self, here: StatedLocation) -> str:
        """Return that after some digits of somebody else the strategy leads to where the invariant does not hold."""
        obligation, wrong = self.obligation, []
        written: dict[frozenset[tuple[str, int]], list[AnswerText]] = {}
        for step in here.strategy:
            read = frozenset(step.digits.items())
            if read in written:
                raise UndecidedError("a strategy has two answers to the same digits")
            written[read] = step.answers
        for digits in obligation.digits(obligation.tracks, here.is_start):
            target = digits.get(TARGET, 0)
            differs = obligation.nim_sum(digits) != target
            is_larger = obligation.game.is_grundy and bool(target) != here.is_start
            if not here.key[0] and differs and is_larger:
                continue  # Nobody asks for a target above the value.
            unanswered = set(range(len(here.states)))
            for answer in written.get(frozenset(digits.items()), ()):
                numbers = set(answer.states)
                if not numbers <= unanswered:
                    raise UndecidedError("a strategy has two answers, or answers for no state")
                unanswered -= numbers
                there, values = self._answered(here, digits, differs, answer)
                states = disjunction(here.state(i, {}) for i in sorted(numbers))
                wrong.append(f"(and {states} (not {there.invariant(values)}))")
            wrong += [here.state(i, {}) for i in sorted(unanswered)]
        return f"(and {self._before(here)} {disjunction(wrong)})"

    def _answered(
        self, here: StatedLocation, digits: Digits, differs: bool, answer: AnswerText
    ) -> tuple[StatedLocation, dict[str, IntegerSum]]:
        """Return where an answer leads, and the counters there; or refuse an answer that is none."""
        obligation, chosen = self.obligation, answer.digits
        is_settled, move, orders = here.key
        there: Key = (False, None, ())
        if is_settled or differs:
            if not is_settled:
                move = answer.move
                if move is None or move not in obligation.game.clips:
                    raise UndecidedError("a strategy makes a move that there is not")
                orders = obligation.equal(move)
            assert move is not None
            changed = obligation.game.changed(move)
            tracks = [f"{x}'" for x in changed]
            if chosen.keys() != set(tracks) or (is_settled and answer.move not in (None, move)):
                raise UndecidedError(
                    "an answer has other digits or another move than are asked for"
                )
            if chosen not in obligation.digits(tracks, here.is_start):
                raise UndecidedError("an answer has a digit that no option has")
            digits = digits | chosen
            after = obligation.lowered(move, orders, digits, here.is_start)
            if after is None or obligation.nim_sum(digits, changed) != digits.get(TARGET, 0):
                raise UndecidedError(
                    "an answer is larger than the position, or has another nim-sum"
                )
            there = (True, move, after)
        elif chosen or answer.move is not None:
            raise UndecidedError("an answer before the nim-sum differs")
        location = self.locations[answer.to]
        if location.is_start or location.key != there:
            raise UndecidedError("an answer leads to another location than it says")
        return location, obligation.after(None if here.is_start else here.key, there, digits)
