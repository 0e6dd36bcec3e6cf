"""Grundy numbers by the definition, in plain Python, for tests of families."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count, product

#: For each coordinate with a height: that height, at a position.
Heights = Mapping[str, Callable[[Mapping[str, int]], int]]


def grundy_numbers(
    coordinates: tuple[str, ...], heights: Heights, bound: int
) -> Iterator[tuple[dict[str, int], int]]:
    """Yield the positions with coordinates up to a bound, and their Grundy numbers.

    A move lowers one coordinate by any amount. Then coordinates above their heights fall to these.
    """
    numbers: dict[tuple[int, ...], int] = {}
    for position in sorted(product(range(bound + 1), repeat=len(coordinates)), key=sum):
        at = dict(zip(coordinates, position, strict=True))
        if any(at[y] > height(at) for y, height in heights.items()):
            continue
        reached = set()
        for lowered in coordinates:
            for value in range(at[lowered]):
                option = {**at, lowered: value}
                for y, height in heights.items():
                    option[y] = min(option[y], height(option))
                reached.add(numbers[tuple(option.values())])
        numbers[position] = next(n for n in count() if n not in reached)
        yield at, numbers[position]
