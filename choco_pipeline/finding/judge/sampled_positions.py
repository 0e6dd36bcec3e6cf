"""Positions of a game at which statements are compared: small ones, random ones, and ones near powers of 2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations, product

import numpy as np

from choco_pipeline.errors import ChocoError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.tables.reading.cells import Ints, Points, are_positions

#: Approximate number of small positions.
LEAST = 1500
#: Number of random positions with coordinates below `LARGEST`, and number of tries.
DRAWN, TRIES, LARGEST = 200, 2_000, 1 << 11
#: With more coordinates a box is too large: then all but this number of them are 0.
FEW, NONZERO = 6, 3


@lru_cache(maxsize=512)
def sampled(game: str) -> Points:
    """Return positions of a game by coordinate: a small box and some larger ones, equal in every call.

    Of an uncut rectangular bar these are the bars with one poisoned cell each, which has its names, too.
    """
    ruleset = parse_ruleset(game)
    face = ruleset.base.rules.face
    if face is not None:
        every = np.indices((ruleset.passes + 1, *face.sizes.values())).reshape(
            1 + len(face.sizes), -1
        )
        places = dict(zip(face.sizes, every[1:] + 1, strict=True))
        heaps = [*face.positions(places), *every[: bool(ruleset.passes)]]
        return places | dict(zip(ruleset.coordinates, heaps, strict=True))
    rows = [
        _legal(ruleset, np.array(list(_small(ruleset)), np.int64)),
        _legal(ruleset, _drawn(ruleset))[:DRAWN],
        _legal(ruleset, np.array(list(_near_powers(ruleset)), np.int64)),
    ]
    positions = dict.fromkeys(map(tuple, chain.from_iterable(part.tolist() for part in rows)))
    columns = np.array(list(positions), np.int64).T
    return dict(zip(ruleset.coordinates, columns, strict=True))


def _legal(ruleset: Ruleset, rows: Ints) -> Ints:
    """Return the rows that are positions."""
    rows = rows.reshape(-1, len(ruleset.coordinates))
    return rows[are_positions(ruleset, dict(zip(ruleset.coordinates, rows.T, strict=True)))]


def _small(ruleset: Ruleset) -> Iterator[tuple[int, ...]]:
    """Yield a small box; of many coordinates the part of it in which all but few are 0."""
    number = len(ruleset.base.coordinates)
    side = max(3, int(LEAST ** (1 / number)) - 1)
    spans = [range(min(side, most) + 1) for most in ruleset.limits(side)]
    if number <= FEW:
        yield from product(*spans)
        return
    for chosen in combinations(range(len(spans)), NONZERO):
        yield from product(*(span if i in chosen else (0,) for i, span in enumerate(spans)))


def _drawn(ruleset: Ruleset) -> Ints:
    """Return random places, most of them small; not all are positions."""
    random = np.random.default_rng(len(ruleset.coordinates))
    most = np.array(ruleset.limits(_largest(ruleset)))
    sizes = random.random((TRIES, 1)) * random.random((TRIES, len(most)))
    drawn: Ints = (sizes * (most + 1)).astype(np.int64)
    for column in range(len(most)):  # where P-positions may be, which are rare
        rows = slice(column, None, 1 + len(most))
        others = np.bitwise_xor.reduce(np.delete(drawn[rows], column, axis=1), axis=1)
        drawn[rows, column] = np.minimum(others, most[column])
    return drawn


def _largest(ruleset: Ruleset) -> int:
    """Return the bound of random positions; heights from a file end earlier."""
    bound = LARGEST
    while bound > 1:
        try:
            ruleset.limits(bound)
        except ChocoError:
            bound //= 2
        else:
            break
    return bound


def _near_powers(ruleset: Ruleset) -> Iterator[tuple[int, ...]]:
    """Yield places of three coordinates, the last near a power of 2, the first near that, and a small one between."""
    base, passes = ruleset.base, ruleset.passes
    left = [range(passes + 1)] if passes else []
    if len(base.coordinates) != 3:
        return
    largest = _largest(ruleset)
    for power, near in product(range(2, largest.bit_length()), range(-2, 2)):
        last = (1 << power) + near
        near_last = range(max(0, last - 2), min(last + 2, largest) + 1)
        yield from product(near_last, range(4), [last], *left)
