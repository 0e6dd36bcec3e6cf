"""Rulesets made of rulesets: passes and disjunctive sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from choco_pipeline.errors import RulesetError
from choco_pipeline.games.ruleset import Position, Ruleset, require_count

#: Each number of passes left has tables, automata and sentences of its own. More than two left say nothing new: a pass
#: can be answered by a pass.
MOST_PASSES = 64
#: Coordinates of all parts of a sum together; an automaton can read 16.
MOST_COORDINATES = 64


@dataclass(frozen=True)
class WithPass(Ruleset):
    """A ruleset in which the players together may pass a number of times, but not from the terminal position.

    A position is one of the ruleset followed by the passes left. Source: pass2016, Def 4.2.

    Parameters
    ----------
    ruleset
        The game that is played.
    passes
        Most passes left at the start, from 1 to `MOST_PASSES`.

    Notes
    -----
    Passes are used one at a time, and with r + 2 of them left every position has the Grundy number that it has with r:
    a pass can be answered by a pass.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> game = WithPass(Nim(2))
    >>> game.is_p_position((1, 1, 1)), game.is_p_position((1, 2, 1))
    (False, True)
    """

    ruleset: Ruleset
    passes: int = 1

    def __post_init__(self) -> None:
        """Check the number of passes."""
        require_count("with-pass", "passes", self.passes, 1, MOST_PASSES)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The ruleset's, then p, the passes left."""
        return (*self.ruleset.coordinates, _fresh("p", self.ruleset.coordinates))

    @property
    def notation(self) -> str:
        """``with-pass(strip-bar(k=4, s=2), passes=1)``."""
        return f"with-pass({self.ruleset.notation}, passes={self.passes})"

    @property
    def identity(self) -> str:
        """The notation, of the ruleset's identity."""
        return f"with-pass({self.ruleset.identity}, passes={self.passes})"

    def limits(self, bound: int | None) -> tuple[int, ...]:
        """Return the ruleset's limits, then the number of passes."""
        return (*self.ruleset.limits(bound), self.passes)

    def is_position(self, position: Sequence[int]) -> bool:
        """Whether the bar is legal and no more passes are left than there were."""
        return position[-1] <= self.passes and self.ruleset.is_position(position[:-1])

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the ruleset's options with the passes kept, then the pass."""
        *bar, left = position
        base = tuple(bar)
        moves = False
        for option in self.ruleset.options(base):
            moves = True
            yield (*option, left)
        if moves and left > 0:
            yield (*base, left - 1)

    def why_not(self, position: Position) -> str:
        """Say which part is wrong."""
        if position[-1] > self.passes:
            return f"{position[-1]} passes are left of {self.passes}"
        return self.ruleset.why_not(position[:-1])


@dataclass(frozen=True)
class DisjunctiveSum(Ruleset):
    """Two games side by side: a move is a move in either of them.

    A position is one of the first followed by one of the second. Coordinates that both have are told apart by 1 and 2.

    Examples
    --------
    >>> from choco_pipeline import Nim, StepBar
    >>> game = DisjunctiveSum(Nim(1), StepBar(k=4, s=2))
    >>> game.coordinates
    ('a', 'y', 'z')
    >>> game.is_p_position((9, 2, 7))
    True
    """

    a: Ruleset
    b: Ruleset

    def __post_init__(self) -> None:
        """Check the number of coordinates."""
        found = len(self.a.coordinates) + len(self.b.coordinates)
        if found > MOST_COORDINATES:
            raise RulesetError(
                f"sum: at most {MOST_COORDINATES} coordinates are possible, found {found}"
            )

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The first game's coordinates, then the second's."""
        names = [*self.a.coordinates, *self.b.coordinates]
        shared = {name for name, times in Counter(names).items() if times > 1}
        split = len(self.a.coordinates)
        suffixed = [
            f"{name}{1 if i < split else 2}" if name in shared else name
            for i, name in enumerate(names)
        ]
        unique: list[str] = []
        for name in suffixed:
            unique.append(_fresh(name, unique))
        return tuple(unique)

    @property
    def notation(self) -> str:
        """``sum(A, B)``."""
        return f"sum({self.a.notation}, {self.b.notation})"

    @property
    def identity(self) -> str:
        """The notation, of the parts' identities."""
        return f"sum({self.a.identity}, {self.b.identity})"

    def limits(self, bound: int | None) -> tuple[int, ...]:
        """Return the limits of both parts."""
        return (*self.a.limits(bound), *self.b.limits(bound))

    def split(self, position: Sequence[int]) -> tuple[Position, Position]:
        """Return the two parts of a position."""
        middle = len(self.a.coordinates)
        return tuple(position[:middle]), tuple(position[middle:])

    def is_position(self, position: Sequence[int]) -> bool:
        """Whether both parts are positions."""
        first, second = self.split(position)
        return self.a.is_position(first) and self.b.is_position(second)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the first game's options, then the second's."""
        first, second = self.split(position)
        for option in self.a.options(first):
            yield (*option, *second)
        for option in self.b.options(second):
            yield (*first, *option)

    def why_not(self, position: Position) -> str:
        """Say which part is wrong."""
        first, second = self.split(position)
        return self.b.why_not(second) if self.a.is_position(first) else self.a.why_not(first)


def _fresh(name: str, taken: Sequence[str]) -> str:
    """Return `name`, lengthened by a digit until it is not among `taken`."""
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name}{n}"
    return candidate
