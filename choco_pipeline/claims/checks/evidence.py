"""Evidence for verdicts: passes, counts of failures, counterexamples."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from choco_pipeline.claims.kinds import GrundyNumbers, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    Verdict,
)
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.tables.cells import BLOCK, CellBlock, Cells, Ints, Points, Truths, select
from choco_pipeline.tables.computing import WINDOW_BYTES, WORKER_BYTES, cost_of, grundy_table

_Result = TypeVar("_Result")

#: A generator that reads a table part by part, yields after each part, and returns a result. Several passes take turns: a part
#: that one of them has read is still cached for the next. Results do not depend on other passes.
Pass: TypeAlias = Generator[None, None, _Result]


def alone(reader: Pass[_Result]) -> _Result:
    """Run one pass over a table, and return its result."""
    return next(result for _, result, _ in side_by_side([reader]))


def side_by_side(passes: Sequence[Pass[_Result]]) -> Iterator[tuple[int, _Result, float]]:
    """Run passes over one table in turns; yield each result when it is ready.

    With each result come the index of its pass and its time in seconds. The first pass to use a part is charged for reading it.
    """
    seconds = dict.fromkeys(range(len(passes)), 0.0)
    while seconds:
        for i in list(seconds):
            start = time.perf_counter()
            try:
                next(passes[i])
            except StopIteration as end:
                yield i, end.value, seconds.pop(i) + time.perf_counter() - start
            else:
                seconds[i] += time.perf_counter() - start


@dataclass(frozen=True)
class ClaimCase:
    """A claim with its parameters, and the table it is checked on."""

    #: The claim, and its parameters as `Claim.match` returns them.
    claim: Claim
    parameters: Mapping[str, int]
    cells: Cells
    #: Cells compared together; no finding depends on it.
    block: int = BLOCK
    #: Whether a counterexample explains its outcome by options; this may cost more than the check.
    explains: bool = True

    @cached_property
    def environment(self) -> dict[str, int]:
        """The values of all names except coordinates."""
        return self.claim.environment(self.parameters)

    @property
    def bound(self) -> int:
        """Bound of the table."""
        return self.cells.bound

    @cached_property
    def reach(self) -> int | None:
        """The largest coordinate that the statement is about; None for any."""
        reach = self.claim.reach
        return None if reach is None else int(reach.value(self.environment))

    @property
    def is_complete(self) -> bool:
        """Whether the table holds every case of the statement."""
        return self.cells.is_whole or (self.reach is not None and self.bound >= self.reach)

    def nothing(self, what: str) -> Verdict:
        """Return the verdict if nothing satisfies the premise; `what` names positions."""
        if self.is_complete:
            return Vacuous(f"no {what} satisfies its premise")
        return Undecided(f"no {what} up to bound {self.bound:,} satisfies its premise")

    def agreement(self, settled: int) -> Verdict:
        """Return the verdict if all `settled` positions of this table agree."""
        return Exhausted(settled) if self.is_complete else HoldsToBound(settled, self.bound)


_LARGEST = np.iinfo(np.int64).max


@dataclass
class Tally:
    """The counts of a check, and its least failures."""

    cells: Cells
    #: The largest coordinate, except passes, of positions in the statement; None for any.
    reach: int | None = None
    #: Numbers of compared positions, of those that satisfy the premise of an implication, and of contradictions.
    settled: int = 0
    met: int = 0
    failures: int = 0
    #: The least failure: by its largest coordinate, except passes, then lexicographically.
    least: Position | None = None
    #: The least position beyond the reach at which the statement would be false.
    beyond: Position | None = None
    #: Whether no position beyond the bound was compared, even if the table has a coordinate without a limit.
    is_bounded: bool = False

    def meet(self, points: Points, truths: Truths) -> None:
        """Count the points within the bound that satisfy the premise of an implication."""
        inside = truths
        if self.reach is not None:
            inside = inside & (self.cells.sizes(points) <= self.reach)
        if self.cells.free is not None:
            inside = inside & (points[self.cells.free] <= self.cells.bound)
        self.met += int(np.count_nonzero(inside))

    def settle(self, points: Points) -> None:
        """Count positions that have been compared."""
        inside = self.cells.within_reach(points, self.reach)
        self.settled += next(iter(inside.values())).size

    def settle_columns(self, columns: CellBlock) -> None:
        """Count the positions of columns that have been compared."""
        if self.reach is not None:
            heaps = [values for name, values in columns.points.items() if name != "p"]
            columns = columns.chosen(np.logical_and.reduce([v <= self.reach for v in heaps]))
        assert columns.tops is not None
        tops = columns.tops if self.reach is None else columns.tops.clip(max=self.reach)
        self.settled += int((tops + 1).sum())

    def fail(self, points: Points) -> None:
        """Record points that contradict the claim, within its reach or beyond."""
        sizes = self.cells.sizes(points)
        inside = np.ones(sizes.size, np.bool_) if self.reach is None else sizes <= self.reach
        self.failures += int(inside.sum())
        self.least = self._least(select(points, inside), sizes[inside], self.least)
        self.beyond = self._least(select(points, ~inside), sizes[~inside], self.beyond)

    def may_be_less(self, size: int, start: Position, known: Position | None) -> bool:
        """Whether a position of this size, at or after `start`, may precede `known`."""
        return known is None or (size, start) <= (self.cells.size(known), known)

    def take_least(self, other: Tally) -> None:
        """Merge the least positions of another tally of the same table."""
        self.least = self._lesser(self.least, other.least)
        self.beyond = self._lesser(self.beyond, other.beyond)

    def _lesser(self, *positions: Position | None) -> Position | None:
        known = (position for position in positions if position is not None)
        return min(known, key=lambda position: (self.cells.size(position), position), default=None)

    def _least(self, points: Points, sizes: Ints, known: Position | None) -> Position | None:
        """Return the least of the points and `known`.

        Sizes are compared first, because most blocks have no point that is small enough.
        """
        size = int(sizes.min(initial=_LARGEST))
        if not sizes.size or (known is not None and self.cells.size(known) < size):
            return known
        rows = self.cells.positions(select(points, sizes == size))
        return self._lesser(known, tuple(rows[np.lexsort(rows.T[::-1])[0]].tolist()))


#: Largest number of positions below a counterexample for which the definition is used.
MOST_BELOW = 200
#: Limits of a table of the box below a counterexample.
MOST_SECONDS = 1.0
MOST_BYTES = WORKER_BYTES + WINDOW_BYTES


@dataclass(frozen=True)
class _KnownPosition:
    """A legal position, with values from the table, the definition or a small table.

    A value that would take too long is None.
    """

    case: ClaimCase
    position: Position

    @property
    def game(self) -> Ruleset:
        return self.case.cells.game

    @cached_property
    def options(self) -> list[tuple[Position, ...]]:
        """The results of its moves: single positions, or pairs played as a sum."""
        return list(self.game.results(self.position))

    @cached_property
    def winning(self) -> tuple[Position, ...] | None:
        """The first known P-position among the options."""

        def is_won(option: Sequence[Position]) -> bool | None:
            return self.is_p_position(option[0]) if len(option) == 1 else self.total(option) == 0

        return next(filter(is_won, self.options), None)

    def total(self, option: Sequence[Position]) -> int | None:
        """Return the Grundy number of an option; None if it is not known."""
        numbers = [number for number in map(self.grundy, option) if number is not None]
        return reduce(xor, numbers) if len(numbers) == len(option) else None

    def grundy(self, position: Position) -> int | None:
        source = self._source(position, of_numbers=True)
        return None if source is None else source.grundy(position)

    def is_p_position(self, position: Position) -> bool | None:
        source = self._source(position, of_numbers=False)
        return None if source is None else source.is_p_position(position)

    def _source(self, position: Position, *, of_numbers: bool) -> Cells | Ruleset | None:
        cells = self.case.cells
        if cells.covers(position) and (not of_numbers or cells.variable.name == "grundy"):
            return cells
        return self.game if math.prod(c + 1 for c in position) <= MOST_BELOW else self._numbers

    @cached_property
    def _numbers(self) -> Cells | None:
        """A table of Grundy numbers up to the position, if it costs little."""
        if self.game.rules.misere:
            return None
        bound = bound_of(self.game, self.position)
        cost = cost_of(self.game, bound, "grundy")
        if cost.seconds > MOST_SECONDS or cost.memory > MOST_BYTES:
            return None
        return Cells.of(self.game, bound, grundy_table(self.game, bound))


def counterexample_at(case: ClaimCase, position: Position) -> Counterexample:
    """Return the counterexample to a claim at a position."""
    named = case.environment | case.cells.named(position)
    match case.claim.check:
        case GrundyNumbers(equals):
            return counterexample_to_number(case, position, int(equals.value(named)))
        case Values(of, values):
            actual = f"the P-position has the value {of.value(named)}"
            claimed = f"a value v with {math_text(values)}"
            return counterexample_to_outcome(case, position, actual, claimed)
        case _:
            return counterexample_to_outcome(case, position)


def finding_of_tally(
    case: ClaimCase,
    tally: Tally,
    evidence: Mapping[str, Any] = MappingProxyType({}),
    counterexample: Counterexample | None = None,
) -> Finding:
    """Return the finding of a complete tally.

    By default the counterexample is `counterexample_at` the least failure.
    """
    evidence = {**evidence, **_about_the_reach(case, tally)}
    if tally.failures:
        if counterexample is None:
            assert tally.least is not None
            counterexample = counterexample_at(case, tally.least)
        refuted = Refuted(counterexample, tally.settled)
        return Finding(refuted, {**evidence, "failures": tally.failures})
    if not tally.settled:
        return Finding(case.nothing("position"))
    return Finding(case.agreement(tally.settled), evidence)


def _about_the_reach(case: ClaimCase, tally: Tally) -> Mapping[str, Any]:
    """Return the evidence from positions beyond the statement's own bound."""
    if case.reach is None or case.bound <= case.reach:
        return {}
    if tally.beyond is None:
        return {"reach": case.reach, "true_up_to": case.bound, "best_possible": False}
    true_up_to = case.cells.size(tally.beyond if tally.least is None else tally.least) - 1
    return {
        "reach": case.reach,
        "true_up_to": true_up_to,
        "best_possible": true_up_to == case.reach,
        "false_at": list(tally.beyond),
    }


def counterexample_to_number(case: ClaimCase, position: Position, claimed: int) -> Counterexample:
    """Return the counterexample at a position with another Grundy number."""
    names = case.cells.game.coordinates
    if not case.explains:
        return Counterexample("", "", position, names)
    known, number = _KnownPosition(case, position), case.cells.grundy(position)
    lower = [option for option in known.options if known.total(option) == claimed]
    if claimed < number and lower:
        reason = f"its option {_sum(lower[0])} has Grundy number {claimed}"
    else:
        reason = _none_of(known.options, f"has Grundy number {number}", "has another")
    option = _single(known.winning) if number else None
    found = f"Grundy number {number}"
    return Counterexample(found, f"Grundy number {claimed}", position, names, option, reason)


def counterexample_to_outcome(
    case: ClaimCase, position: Position, actual: str | None = None, claimed: str | None = None
) -> Counterexample:
    """Return the counterexample at a position with the other outcome.

    `actual` and `claimed` replace the outcomes in the text. The table must cover the position.
    """
    names = case.cells.game.coordinates
    if not case.explains:
        return Counterexample("", "", position, names)
    known, option, reason = _KnownPosition(case, position), None, None
    if known.is_p_position(position):
        outcome, other = "P-position", "N-position"
        reason = _none_of(known.options, "is a P-position", "is an N-position")
    else:
        number = None if known.game.rules.misere else known.grundy(position)
        outcome = f"Grundy number {number} (N-position)" if number is not None else "N-position"
        other, option = "P-position", known.winning
        reason = f"its option {_sum(option)} is a P-position" if option else None
    return Counterexample(
        actual or outcome, claimed or other, position, names, _single(option), reason
    )


def _single(option: tuple[Position, ...] | None) -> Position | None:
    """Return the position of an option; None for a sum of two, which has no drawing."""
    return option[0] if option is not None and len(option) == 1 else None


def _sum(option: Sequence[Position]) -> str:
    return " + ".join(map(str, option))


def bound_of(game: Ruleset, position: Position) -> int:
    """Return the least bound of a table that contains a legal position."""
    return next(
        bound
        for bound in range(max(position) + 1)
        if all(c <= most for c, most in zip(position, game.limits(bound), strict=True))
    )


def _none_of(options: Sequence[Sequence[Position]], verb: str, other: str) -> str:
    """Return "none of its options `verb`", or "its only option `other`"."""
    match options:
        case []:
            return "it has no option"
        case [only]:
            return f"its only option, {_sum(only)}, {other}"
        case _:
            return f"none of its {len(options):,} options {verb}"
