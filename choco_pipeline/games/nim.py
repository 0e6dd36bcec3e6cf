"""Nim, the game that a bar without clipping is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from choco_pipeline.errors import RulesetError
from choco_pipeline.games.ruleset import Position, Ruleset, require_bound, require_count

#: Heaps are named a, b, c, …; p is kept for passes.
HEAP_NAMES = ascii_lowercase[: ascii_lowercase.index("p")]


def heap_options(heaps: Position) -> Iterator[Position]:
    """Yield every tuple of heaps that taking stones from one of them leaves."""
    for i, heap in enumerate(heaps):
        for smaller in range(heap):
            yield (*heaps[:i], smaller, *heaps[i + 1 :])


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

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The heaps a, b, c, …."""
        return tuple(HEAP_NAMES[: self.heaps])

    @property
    def notation(self) -> str:
        """``nim(3)``."""
        return f"nim({self.heaps})"

    def limits(self, bound: int | None) -> tuple[int, ...]:
        """Return `bound` for every heap."""
        return (require_bound(self.notation, bound),) * self.heaps

    def is_position(self, position: Sequence[int]) -> bool:
        """Whether there are as many heaps as there should be; any sizes will do."""
        return len(position) == self.heaps

    def options(self, position: Position) -> Iterator[Position]:
        """Yield every position that reduces one heap."""
        return heap_options(position)
