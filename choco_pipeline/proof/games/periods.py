"""Periods of games with one heap, proved by a window of repeated Grundy numbers.

Theorem. Let a game have one heap. A move takes one of finitely many amounts c ≤ k, and may split the rest in two. Its conditions
only compare the size of the heap, or of a part, with constants below T. Let G(n+p) = G(n) for all n with first ≤ n < end, and let
F = max(first, T). Then G(n+p) = G(n) for all n ≥ first if

- no move splits, and end ≥ F + k; or
- end ≥ 2F + p + k.

Proof by induction on n ≥ end. Without splits, the moves from n and n+p take the same amounts, and n-c ≥ F. With splits, the larger
part w of an option of n+p is at least F + p, so replacing w by w - p gives an option of n with the same value. Conversely, the larger
part of an option of n is at least F. A split that takes nothing has T ≥ 1, because neither of its parts is empty.

The automaton reads n from its lowest digit. Its state after d digits with the value r is the subsequence at r, r + 2^d, r + 2·2^d, ….
Each of these sequences is eventually periodic, and there are finitely many.

Cost: all values below end + p. Source: R. K. Guy and C. A. B. Smith, The G-values of various games, Proceedings of the Cambridge
Philosophical Society 52 (1956), 514-526.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.algebra import canonical
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.documents.model import Model
from choco_pipeline.errors import LimitError
from choco_pipeline.formula.exact import Place
from choco_pipeline.formula.nodes import Compare, Junction, LogicalNot, Name, Node, names_of
from choco_pipeline.games import Ruleset
from choco_pipeline.games.rules import Amounts, Move
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.guess import Relation, deepest
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.tables.computing import computation_of

Ints = NDArray[np.int64]
#: An eventually periodic sequence: its first terms, and one period. None is an undefined term.
Repeated = tuple[tuple[int | None, ...], tuple[int | None, ...]]
#: Binary digits of the tables for the search for a period.
DIGITS = (8, 10, 12, 13)
#: For amounts and constants without a bound; more than any table has.
UNBOUNDED = 1 << 62
#: Limit of states of the automaton of a sequence.
MOST_STATES = 20_000


class Period(Model):
    """G(n + length) = G(n) for all n ≥ first."""

    first: int
    length: int

    @property
    def text(self) -> str:
        """The equation as text, such as ``G(n+7) = G(n) for n ≥ 0``."""
        return f"G(n+{self.length}) = G(n) for n ≥ {self.first}"


@dataclass(frozen=True)
class Reach:
    """The numbers k and T of the theorem, and whether moves split."""

    most: int
    conditions: int
    splits: bool

    def end(self, period: Period) -> int:
        """Return the least `end` of the theorem for a period."""
        first = max(period.first, self.conditions)
        return 2 * first + period.length + self.most if self.splits else first + self.most


def reach_of(ruleset: Ruleset) -> Reach | None:
    """Return the reach of a game; None if the theorem does not cover its rules."""
    rules = ruleset.rules
    if ruleset.passes or len(rules.coordinates) != 1 or rules.limits or rules.misere:
        return None
    if rules.within is not None or rules.legal is not None or not rules.moves:
        return None
    reaches = list(map(_reach_of, rules.moves))
    reach = Reach(
        max(reach.most for reach in reaches),
        max(reach.conditions for reach in reaches),
        any(reach.splits for reach in reaches),
    )
    return reach if max(reach.most, reach.conditions) < UNBOUNDED else None


def _reach_of(move: Move) -> Reach:
    """Return the reach of a move; `UNBOUNDED` if the theorem does not cover it."""
    splits, conditions, amounts = move.split is not None, [move.unless], [UNBOUNDED]
    if move.needs or (move.at_most is not None and move.at_most.names):
        return Reach(UNBOUNDED, 0, splits)
    match move.by:
        case Amounts(chosen=chosen, taken=taken, where=where):
            if len(chosen) <= splits and not any(formula.names for formula in taken):
                amounts = [int(formula.value({})) for formula in taken] or [0]
            conditions.append(where)
        case tuple():
            amounts = list(move.by)
        case _ if move.at_most is not None:
            amounts = [int(move.at_most.value({}))]
        case _:
            pass
    bounds = [_bound(condition.root) for condition in conditions if condition is not None]
    # A split that takes nothing has the further condition that no part is empty, so T ≥ 1.
    return Reach(max(amounts), max([0 in amounts, *bounds]), splits)


def _bound(node: Node) -> int:
    """Return a bound for the constants of a condition; `UNBOUNDED` if not supported."""
    match node:
        case LogicalNot(operand):
            return _bound(operand)
        case Junction(_, operands):
            return max(map(_bound, operands))
        case Compare(_, operands):
            is_name = [isinstance(operand, Name) for operand in operands]
            constants = [one for one, name in zip(operands, is_name, strict=True) if not name]
            if not any(map(all, pairwise(is_name))) and not any(map(names_of, constants)):
                return max(0, *(Place("", {}, {}).value(constant) + 1 for constant in constants))
            return UNBOUNDED
        case _:
            return UNBOUNDED


def find_period(ruleset: Ruleset, clock: Clock) -> tuple[Period, Ints] | None:
    """Return the shortest proved period and Grundy numbers up to its end, if any.

    Raises `UndecidedError` if there is none and a move splits, because no other method decides such a game.
    """
    reach = reach_of(ruleset)
    if reach is None:
        return None
    values = np.zeros(0, np.int64)
    for digits in DIGITS:
        clock.require()
        if deepest(ruleset, "grundy", digits) < digits:
            break
        values = values_below(ruleset, 1 << digits)
        for period in _periods(values):
            if reach.end(period) + period.length <= values.size:
                return period, values[: period.first + period.length]
    if reach.splits:
        raise UndecidedError(
            f"{ruleset.notation}: the first {values.size:,} Grundy numbers have no proved period"
        )
    return None


def values_below(ruleset: Ruleset, end: int) -> Ints:
    """Return the Grundy numbers of the heaps 0 to `end - 1` of a game with one heap."""
    return computation_of(ruleset, end - 1, "grundy").cells().astype(np.int64).ravel()


def _periods(values: Ints) -> Iterator[Period]:
    """Yield for each length the period with the least `first`."""
    for length in range(1, values.size // 2 + 1):
        wrong = np.flatnonzero(values[length:] != values[:-length])
        yield Period(first=int(wrong[-1]) + 1 if wrong.size else 0, length=length)


def is_period(ruleset: Ruleset, period: Period) -> bool:
    """Whether the theorem applies to the game and proves the period.

    Raises `LimitError` if the window is too long for a table.
    """
    reach = reach_of(ruleset)
    if reach is None or period.first < 0 or period.length < 1:
        return False
    end = reach.end(period) + period.length
    if end > 1 << DIGITS[-1]:
        raise LimitError(
            f"{ruleset.notation}: a period from {period.first} of {period.length} needs {end:,} values,"
            f" at most {1 << DIGITS[-1]:,} are computed"
        )
    values = values_below(ruleset, end)[period.first :]
    return bool((values[period.length :] == values[: -period.length]).all())


def periodic_automaton(values: Ints, period: Period, relation: Relation) -> Automaton:
    """Return the automaton of the pairs (n, G(n)), or of the n with G(n) = 0.

    Parameters
    ----------
    values
        G(0), G(1), … to the end of the first period, int64.
    period
        A proved period.
    relation
        ``grundy`` or ``p``.

    Raises
    ------
    LimitError
        If the automaton has more than `MOST_STATES` states.

    Examples
    --------
    >>> automaton = periodic_automaton(np.array([0, 1, 2]), Period(first=0, length=3), "grundy")
    >>> automaton.accepts({"0": 3_000_001, "1": 1})
    True
    """
    terms = values if relation == "grundy" else np.minimum(values, 1)
    start = _reduced(tuple(terms[: period.first].tolist()), tuple(terms[period.first :].tolist()))
    states, delta, queue = {start: 0}, list[list[int]](), [start]
    for state in queue:
        row = []
        for digit_of_value in (0, 1) if relation == "grundy" else (None,):
            for digit in (0, 1):
                after = _after(state, digit, digit_of_value)
                if states.setdefault(after, len(states)) == len(queue):
                    queue.append(after)
                row.append(states[after])
        delta.append(row)
        if len(queue) > MOST_STATES:
            raise LimitError(f"a sequence with a period of {period.length} has too many states")
    accepting = [(first or repeated)[0] == 0 for first, repeated in queue]
    tracks = ("0", "1") if relation == "grundy" else ("0",)
    return canonical(Automaton(tracks, np.array(delta, np.int32), np.array(accepting, np.bool_)))


def _after(sequence: Repeated, digit: int, digit_of_value: int | None) -> Repeated:
    """Return the subsequence of indices with this lowest digit.

    If `digit_of_value` is given, terms with another lowest digit become undefined, and the others lose it.
    """
    first, repeated = sequence
    early = first[digit::2]
    start, length = digit + 2 * len(early) - len(first), len(repeated)
    late = [repeated[(start + 2 * i) % length] for i in range(length)]
    if digit_of_value is None:
        return _reduced(early, late)
    halves = (
        [None if term is None or term & 1 != digit_of_value else term >> 1 for term in part]
        for part in (early, late)
    )
    return _reduced(*halves)


def _reduced(first: Sequence[int | None], repeated: Sequence[int | None]) -> Repeated:
    """Normalise a sequence: shortest period, and fewest terms before it."""
    length = len(repeated)
    for divisor in range(1, length + 1):
        if length % divisor == 0 and repeated[divisor:] == repeated[: length - divisor]:
            length = divisor
            break
    period, before = list(repeated[:length]), list(first)
    turn = 0
    while before and before[-1] == period[turn - 1]:
        before.pop()
        turn = (turn - 1) % length
    return tuple(before), tuple(period[turn:] + period[:turn])
