"""Sets of states as few conjunctions, by merging those that differ in one predicate: Quine's and McCluskey's method.

The conjunctions that no merging makes larger are its prime implicants; of these, larger ones first, those are taken that
cover a state which none before covers. So the conjunctions say together exactly that one of the states holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

#: The digits of a state; None where it may be either.
Cube = tuple[bool | None, ...]


def cubes(states: Sequence[str]) -> list[Cube]:
    """Return conjunctions that together are a set of states, given by its digits.

    Examples
    --------
    >>> cubes(["110", "111", "001"])
    [(False, False, True), (True, True, None)]
    """
    todo: set[Cube] = {tuple(bit == "1" for bit in state) for state in states}
    primes: set[Cube] = set()
    while todo:
        merged, used = set(), set()
        for a, b in combinations(sorted(todo, key=repr), 2):
            differ = [i for i, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
            if len(differ) == 1 and a[differ[0]] is not None and b[differ[0]] is not None:
                merged.add((*a[: differ[0]], None, *a[differ[0] + 1 :]))
                used |= {a, b}
        primes |= todo - used
        todo = merged
    left = {tuple(bit == "1" for bit in state) for state in states}
    found: list[Cube] = []
    for cube in sorted(primes, key=lambda cube: (-cube.count(None), repr(cube))):
        covered = {s for s in left if all(c in (None, bit) for c, bit in zip(cube, s, strict=True))}
        if covered:
            found.append(cube)
            left -= covered
    return sorted(found, key=repr)
