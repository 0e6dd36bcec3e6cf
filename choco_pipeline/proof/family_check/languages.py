"""Whether a family's relation, with numbers for the parameters, is what a proof of that member alone has: as a set of words.

Idea: the proof of one member has an automaton that reads the coordinates from the lowest digit. What is said of the family
reads the same digits: of each shifted coordinate, of the number in the nim-sum and of each height a carry is kept, and whether
the nim-sum of the digits was right so far. Both are deterministic, so walking them together finds a word on which they differ,
a shortest one, or shows that there is none. Carries of a relation are bounded by its numbers, so there are few pairs. Nothing
here is shared with the automata that a proof is made of, but their tables.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.family_check.stated_family import StatedFamily
from choco_pipeline.proof.family_check.sums import IntegerSum, SumReader
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.proof_errors import UndecidedError

#: Seconds for the proofs of single members, for one of them and in all: most take a fraction of the first.
ONE_SECONDS, ALL_SECONDS = 1.5, 5.0
#: Pairs of states of both sides; members with small parameters have some hundreds.
MOST_PAIRS = 100_000

Position = tuple[int, ...]
Parameters = Mapping[str, int]
#: Carries of the nim-sum's terms and of the heights; None where the nim-sum was wrong at some digit.
State = tuple[tuple[int, ...], tuple[int, ...]] | None


@dataclass(frozen=True)
class Compared:
    """The members whose languages are equal, and those of which no proof was found in time."""

    languages: tuple[Parameters, ...]
    left: tuple[Parameters, ...]


def compared(
    family: StatedFamily, members: Sequence[tuple[Parameters, Ruleset]], clock: Clock
) -> Compared:
    """Compare the relation with the proofs of single members, as far as these are found.

    Raises `DisagreementError` if they differ.
    """
    relation: Relation = "grundy" if family.kind == "grundy" else "p"
    equal, left = [], []
    own = Clock(min(ALL_SECONDS, clock.left))
    for values, member in members:
        automaton = _proved(member, relation, min(ONE_SECONDS, own.left))
        try:
            if automaton is None:
                raise UndecidedError("no proof in time")
            wrong = difference(family, values, automaton)
        except ChocoError:
            left.append(values)
            continue
        if wrong is not None:
            named = assigned(values)
            raise DisagreementError(
                f"{member.notation}: at {wrong} the proof for all parameters says otherwise than that for {named}"
            )
        equal.append(values)
    return Compared(tuple(equal), tuple(left))


def _proved(member: Ruleset, relation: Relation, seconds: float) -> Automaton | None:
    if seconds <= 0 or member.passes:
        return None
    try:
        proof = prove(member, relation, seconds)
    except ChocoError:
        return None
    return proof.automata[0] if proof.status == "proved" else None


def difference(family: StatedFamily, values: Parameters, automaton: Automaton) -> Position | None:
    """Return numbers, as few digits as can be, on which a member's automaton and the family's relation differ.

    The automaton is of the positions that are P-positions, or of positions followed by their Grundy numbers. Raises
    `UndecidedError` if there are too many pairs of states.
    """
    words = _Words(family, values)
    start = (0, words.start)
    reached: dict[tuple[int, State], tuple[tuple[int, State], int] | None] = {start: None}
    todo = deque([start])
    order = [int(str(track)) for track in automaton.tracks]
    symbols = range(1 << len(order))
    while todo:
        pair = todo.popleft()
        if bool(automaton.accepting[pair[0]]) != words.accepts(pair[1]):
            return _numbers(reached, pair, order)
        for symbol in symbols:
            digits = [0] * len(order)
            for bit, place in enumerate(order):
                digits[place] = symbol >> bit & 1
            after = (int(automaton.delta[pair[0], symbol]), words.after(pair[1], digits))
            if after not in reached:
                if len(reached) >= MOST_PAIRS:
                    raise UndecidedError(f"more than {MOST_PAIRS} pairs of states")
                reached[after] = (pair, symbol)
                todo.append(after)
    return None


def _numbers(
    reached: Mapping[tuple[int, State], tuple[tuple[int, State], int] | None],
    pair: tuple[int, State],
    order: Sequence[int],
) -> Position:
    """Return the numbers that lead to a pair: the last digits that are read are the highest."""
    numbers = [0] * len(order)
    while (step := reached[pair]) is not None:
        pair, symbol = step
        for bit, place in enumerate(order):
            numbers[place] = 2 * numbers[place] + (symbol >> bit & 1)
    return tuple(numbers)


class _Words:
    """The relation with numbers for the parameters, read from the lowest digit."""

    def __init__(self, family: StatedFamily, values: Parameters) -> None:
        numbers, reader = {name: IntegerSum(value) for name, value in values.items()}, SumReader()
        game = family.nim_sum(reader, numbers)
        coordinates, self._is_grundy = family.coordinates, family.kind == "grundy"
        self._terms = [coordinates.index(x) for x in game.shifts]
        if not self._is_grundy and game.offset:
            raise UndecidedError("the relation is no nim-sum that is 0")
        carries = [*(shift.number for shift in game.shifts.values()), game.constant.number]
        if self._is_grundy:  # the value plus the offset is one more term of a nim-sum that is 0
            self._terms.append(len(coordinates))
            carries.insert(-1, -game.offset.number)
        self._heights: list[list[int]] = []
        constants = []
        for y, height in family.heights(reader, numbers).items():
            form = [0] * len(coordinates)
            for x, a in height.terms.items():
                form[coordinates.index(x)] += a.number
            form[coordinates.index(y)] -= height.divisor.number
            self._heights.append(form)
            constants.append(height.constant.number)
        self.start: State = (tuple(carries), tuple(constants))

    def after(self, state: State, digits: Sequence[int]) -> State:
        """Return what is kept after the next digits: of the coordinates, and of the value if there is one."""
        if state is None:
            return None
        carries, heights = state
        read = [*(digits[i] for i in self._terms), 0]  # the number in the nim-sum has no track
        sums = [carry + digit for carry, digit in zip(carries, read, strict=True)]
        if reduce(xor, sums) & 1:
            return None
        legal = tuple(
            (sum(a * d for a, d in zip(form, digits, strict=False)) + above) >> 1
            for form, above in zip(self._heights, heights, strict=True)
        )
        return tuple(n >> 1 for n in sums), legal

    def accepts(self, state: State) -> bool:
        """Whether the numbers are in the relation if only zeros follow: carries are then what is left of the terms."""
        return state is not None and reduce(xor, state[0]) == 0 and min(state[1], default=0) >= 0
