"""Guessing the automata of a game's relation: from small tables to large ones, each looked at before a proof."""

from __future__ import annotations

from collections.abc import Iterator

from choco_pipeline.automata.residuals import Graph, Learned, Member, agrees, learn
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.proof.members import Relation, deepest, members
from choco_pipeline.tables.schema import unwrap

#: Tables that guesses are made from, by their binary digits.
DEPTHS = (9, 11, 13)
#: Digits that tell residuals apart: from so many on, as long as the window has so many points.
NARROWEST = 3
WINDOW_POINTS = 1 << 14
MOST_RESIDUALS = 3000
#: Points of each kind at which a guess must be right before it is worth a proof.
SAMPLES = 20_000


class Guesser:
    """Guesses of one game's relation, whose tables are computed once for all numbers of passes.

    Parameters
    ----------
    ruleset, relation
        As for `members`.
    """

    def __init__(self, ruleset: Ruleset, relation: Relation) -> None:
        self.ruleset = ruleset
        self.relation = relation
        self._members: dict[int, tuple[Member, ...]] = {}

    def attempts(self, passes: int) -> Iterator[Learned]:
        """Yield what is learned of the relation for `passes` passes left, an automaton or how residuals kept growing.

        Depths grow, and windows at each of them. Automata that are wrong at a sample of their table are left out. It
        ends early with more than `MOST_RESIDUALS` residuals, for deeper tables and wider windows only have more of them.

        Raises
        ------
        LimitError
            If no table is small enough.
        """
        tracks = relation_tracks(self.ruleset, self.relation)
        most = deepest(self.ruleset, self.relation, DEPTHS[-1])
        if most == 0:
            raise LimitError(f"{self.ruleset.notation}: no table is small enough to guess from")
        for depth in sorted({min(depth, most) for depth in DEPTHS}):
            if depth not in self._members:
                self._members[depth] = members(self.ruleset, self.relation, depth)
            member = self._members[depth][passes]
            for window in _windows(member, len(tracks), depth):
                learned = learn(member, tracks, depth, window, MOST_RESIDUALS)
                if learned.automaton is None:
                    yield learned
                    if learned.growth[-1] > MOST_RESIDUALS:
                        return
                elif agrees(learned.automaton, member, tracks, depth, SAMPLES, seed=0):
                    yield learned


def relation_tracks(ruleset: Ruleset, relation: Relation) -> tuple[str, ...]:
    """Return the tracks of a game's relation, in the order of its arguments."""
    coordinates = len(unwrap(ruleset)[0].coordinates)
    return tuple(str(i) for i in range(coordinates + (relation == "grundy")))


def _windows(member: Member, dimensions: int, depth: int) -> range:
    """Return the windows to try: they leave a digit to be read, and hold at most `WINDOW_POINTS` points."""
    free = max(1, dimensions - isinstance(member, Graph))
    widest = min(depth - 1, (WINDOW_POINTS.bit_length() - 1) // free)
    return range(min(NARROWEST, widest), widest + 1)
