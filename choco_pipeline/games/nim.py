"""Nim, the game that a bar without clipping is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase

from choco_pipeline.errors import RulesetError
from choco_pipeline.games.rules import Move, Position, Rules, with_free_heap
from choco_pipeline.games.ruleset import Ruleset, require_count

#: Heaps are named a, b, c, …; p is kept for passes.
HEAP_NAMES = ascii_lowercase[: ascii_lowercase.index("p")]


def heap_options(position: Position) -> Iterator[Position]:
    """Yield every tuple of heaps that taking stones from one of them leaves."""
    for i, heap in enumerate(position):
        for smaller in range(heap):
            yield (*position[:i], smaller, *position[i + 1 :])


def heaps(*names: str) -> Rules:
    """Return heaps of any size from one of which any number may be taken."""
    return Rules(names, {}, tuple(Move((name,)) for name in names))


@dataclass(frozen=True)
class Nim(Ruleset):
    """Nim: take any number of stones from one heap.

    Parameters
    ----------
    heaps
        Number of heaps, 1 to 15.

    Examples
    --------
    >>> Nim(3).grundy((1, 2, 3))
    0
    """

    heaps: int

    def __post_init__(self) -> None:
        """Check the number of heaps."""
        require_count("nim", "heaps", self.heaps, 1)
        if self.heaps > len(HEAP_NAMES):
            raise RulesetError(
                f"nim: at most {len(HEAP_NAMES)} heaps have names, found {self.heaps}"
            )

    @cached_property
    def rules(self) -> Rules:
        """The heaps a, b, c, …; the last one stands beside the others."""
        return with_free_heap(heaps(*HEAP_NAMES[: self.heaps]))

    @property
    def notation(self) -> str:
        """``nim(3)``."""
        return f"nim({self.heaps})"

    def options(self, position: Position) -> Iterator[Position]:
        """Yield every position that reduces one heap."""
        return heap_options(position)
