"""What an obligation's control is made of: tracks and counters by name, locations, steps between them, and goals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from choco_pipeline.proof.uniform.families.affine import Affine, number

TARGET, CONSTANT = "target", "constant"
Order = Literal["equal", "less"]
Digits = Mapping[str, int]
_COUNTER = re.compile(r"(count|legal\d*)\((\w+)('?)\)")
#: Σ a·track.
TrackForm = Mapping[str, Affine]


def option(coordinate: str) -> str:
    """Return the track of an option's coordinate."""
    return f"{coordinate}'"


def count(track: str) -> str:
    """Return the name of the counter of one track."""
    return f"count({track})"


def legal(track: str, part: int = 0) -> str:
    """Return the name of the counter that decides whether a coordinate is at most a part of its height."""
    return f"legal{part + 1 if part else ''}({track})"


VALUE = count("value")


@dataclass(frozen=True)
class CounterName:
    """What the name of a counter says."""

    #: "count", "legal", or for another part of a height "legal2", "legal3", …
    kind: str
    #: Or another track that is counted.
    coordinate: str
    #: Whether it counts for the option, not for the position.
    is_of_option: bool

    @property
    def of_position(self) -> str:
        """The name of the counter that counts the same for the position."""
        return f"{self.kind}({self.coordinate})"

    @classmethod
    @cache  # obligations ask for the same few names at each of their steps
    def read(cls, name: str) -> CounterName | None:
        """Return what a name says; None for that of a parameter.

        Examples
        --------
        >>> CounterName.read(legal(option("y")))
        CounterName(kind='legal', coordinate='y', is_of_option=True)
        """
        named = _COUNTER.fullmatch(name)
        return None if named is None else cls(named[1], named[2], named[3] != "")


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

    @property
    def name(self) -> str:
        """The location in words, unique in its obligation."""
        if self.start:
            return "start"
        parts = ["differs" if self.settled else "agrees"]
        parts += [f"lower {self.move}"] if self.move else []
        parts += [f"{option(n)} {order}" for n, order in self.orders]
        parts += [f"{track} zero" for track in sorted(self.zero)]
        return ", ".join(parts)


@dataclass(frozen=True)
class ControlStep:
    """The digits that somebody else chooses, and the answers to them: digits of the option and where they lead."""

    digits: Digits
    answers: tuple[tuple[Digits, ControlLocation], ...]


#: At least one of these sums is not negative.
Clause = tuple[Affine, ...]


@dataclass(frozen=True)
class Goal:
    """An implication at the end of a word: all of the hypotheses imply all conclusions; None means never."""

    hypotheses: tuple[Clause, ...]
    conclusions: tuple[Clause, ...] | None


TRIVIAL = Goal(((number(-1),),), ())
