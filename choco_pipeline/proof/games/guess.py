"""Guesses of the automata of a game's relation, from small tables to large ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.algebra import MOST_STATES
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.automata.residuals import (
    Graph,
    Learned,
    Member,
    Points,
    agrees,
    learn,
    wrong_points,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.proof.games.membership import Relation, deepest, members

#: Tables that guesses are made from, by their binary digits.
DEPTHS = (9, 11, 13, 14, 15)
#: Digits that tell residuals apart: from so many on, as long as the window has so many points.
NARROWEST = 3
WINDOW_POINTS = 1 << 14
MOST_RESIDUALS = 3000
#: Points of each kind at which a guess must be right before it is worth a proof.
SAMPLES = 20_000
#: Grundy numbers that are looked at where a guess is wrong.
MOST_VALUES = 1 << 17


@dataclass(frozen=True)
class SearchSize:
    """Limits of a search for a proof, the same on all machines."""

    #: Binary digits of the tables that guesses are made from.
    digits: int = DEPTHS[-1]
    #: Residuals of a guess, which are the states of its automaton.
    residuals: int = MOST_RESIDUALS
    #: States of our engine's automata.
    states: int = MOST_STATES


class Guesser:
    """Guesses of one game's relation; a table serves all numbers of passes."""

    def __init__(
        self,
        ruleset: Ruleset,
        relation: Relation,
        clock: Clock = FOREVER,
        size: SearchSize | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.relation = relation
        self.size = size or SearchSize()
        self._clock = clock
        self._members: dict[int, tuple[Member, ...]] = {}
        self._refuted: dict[int, dict[tuple[int, ...], bool]] = {}

    def attempts(self, passes: int) -> Iterator[Learned]:
        """Yield guesses of a relation: an automaton, or the growth of residuals.

        Depths grow, and windows at each of them; a refuted guess (`refute`) is first refined. Automata that are wrong at a sample
        of their table, or where an earlier guess was refuted, are left out. The attempts end early with more residuals than the
        size allows, because deeper tables and wider windows have more. Raises `LimitError` if no table is small enough;
        `UndecidedError` if the time is over.
        """
        tracks = relation_tracks(self.ruleset, self.relation)
        most = deepest(self.ruleset, self.relation, self.size.digits)
        if most == 0:
            raise LimitError(f"{self.ruleset.notation}: no table is small enough to guess from")
        known = self._refuted.setdefault(passes, {})
        for depth in sorted({min(depth, most) for depth in DEPTHS}):
            member = self._member(passes, depth)
            for window in _windows(member, len(tracks), depth):
                again = True
                while again:
                    learned = self._learned(member, tracks, depth, window, known)
                    again = False
                    if learned.automaton is None:
                        yield learned
                        if learned.growth[-1] > self.size.residuals:
                            return
                    elif _is_right(learned.automaton, known) and agrees(
                        learned.automaton, member, tracks, depth, SAMPLES, seed=0
                    ):
                        before = len(known)
                        yield learned
                        again = len(known) > before

    def refute(self, passes: int, guess: Automaton, position: Position, largest: int) -> None:
        """Record a wrong point of the last guess, near a position; later guesses are right there.

        The guess contradicts the definition at the position, legal or not, without passes. Grundy numbers are compared up to the
        largest, none above `MOST_VALUES`. Nothing is recorded if the position's table is too large.
        """
        depth = max(1, *(c.bit_length() for c in position))
        if deepest(self.ruleset, self.relation, depth) < depth:
            return
        member = self._member(passes, max(depth, *self._members))
        base = self.ruleset.base
        near = {position, *(base.options(position) if base.is_position(position) else ())}
        tracks = relation_tracks(self.ruleset, self.relation)
        for here in sorted(near, key=lambda place: (max(place), place)):
            points = np.array([here], np.int64)
            if self.relation == "grundy":
                values = np.arange(min(largest, MOST_VALUES) + 1)
                points = np.column_stack([np.repeat(points, len(values), axis=0), values])
            wrong = wrong_points(guess, member, tracks, points)
            if len(wrong):
                self._refuted[passes][tuple(wrong[0].tolist())] = bool(member(wrong[:1])[0])
                return

    def _learned(
        self,
        member: Member,
        tracks: tuple[str, ...],
        depth: int,
        window: int,
        refuted: Mapping[tuple[int, ...], bool],
    ) -> Learned:
        """Return a guess, refined by counterexamples as far as this depth leaves digits for it.

        Only the highest digits of a counterexample distinguish residuals, as few as necessary (Rivest and Schapire), because each
        costs a digit of the words that can be read.
        """
        learned = learn(member, tracks, depth, window, self.size.residuals)
        for digits in range(window + 1, depth):
            if learned.automaton is None or _is_right(learned.automaton, refuted):
                break
            beyond = {_highest(point, digits) for point in refuted}
            finer = learn(member, tracks, depth, window, self.size.residuals, sorted(beyond))
            if finer.automaton is None:
                break
            learned = finer
        return learned

    def _member(self, passes: int, depth: int) -> Member:
        if depth not in self._members:
            self._clock.require()
            positions = members(self.ruleset, self.relation, depth)
            self._members[depth] = tuple(map(self._limited, positions))
        return self._members[depth][passes]

    def _limited(self, member: Member) -> Member:
        """Return a membership with the time limit of the search."""
        asked = member.function if isinstance(member, Graph) else member

        def limited(points: Points) -> NDArray[Any]:
            self._clock.require()
            return asked(points)

        return replace(member, function=limited) if isinstance(member, Graph) else limited


def relation_tracks(ruleset: Ruleset, relation: Relation) -> tuple[str, ...]:
    """Return the tracks of a game's relation, in the order of its arguments."""
    coordinates = len(ruleset.base.coordinates)
    return tuple(str(i) for i in range(coordinates + (relation == "grundy")))


def _windows(member: Member, dimensions: int, depth: int) -> range:
    """Return the windows to try: they leave a digit to be read, and hold at most `WINDOW_POINTS` points."""
    free = max(1, dimensions - isinstance(member, Graph))
    widest = min(depth - 1, (WINDOW_POINTS.bit_length() - 1) // free)
    return range(min(NARROWEST, widest), widest + 1)


def _highest(point: tuple[int, ...], digits: int) -> tuple[int, ...]:
    """Return the highest digits of a point."""
    dropped = max(0, max(point).bit_length() - digits)
    return tuple(c >> dropped for c in point)


def _is_right(automaton: Automaton, points: Mapping[tuple[int, ...], bool]) -> bool:
    """Check an automaton at points, given whether each is a member."""
    return all(
        automaton.accepts({str(i): c for i, c in enumerate(point)}) == belongs
        for point, belongs in points.items()
    )
