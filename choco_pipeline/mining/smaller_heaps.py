"""Search for laws of one heap: Grundy numbers that repeat, or that equal those of smaller heaps.

The Grundy numbers of a subtraction game with finitely many amounts repeat, and as far as is known those of octal games. In Maximum
Nim, where at most ⌊n/k⌋ may be taken of n, G(n) = G(n - ⌊n/k⌋ - 1) unless k divides n. A law is learnt on the first half of a
table, and the other half must agree.

Sources: R. K. Guy and C. A. B. Smith, The G-values of various games, Proceedings of the Cambridge Philosophical Society 52 (1956),
514-526; L. Levine, Fractal sequences and restricted Nim, Ars Combinatoria 80 (2006).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.table_findings import Evidence, StatementFinding, Tried

#: Fewest terms of a table that is searched, repetitions of a period in the first half, and terms and values of another law.
FEWEST, REPETITIONS, FEWEST_TERMS, FEWEST_VALUES = 32, 2, 12, 4
#: Divisors k in the places of smaller heaps.
DIVISORS = range(2, 7)
TRIED = "periods, and places n//k + c and n - n//k - c for residues of n modulo k"

Ints = NDArray[np.int64]


def mine_smaller_heaps(game: Ruleset, bound: int, data: xr.Dataset) -> list[StatementFinding]:
    """Return a period of a table of one heap, or laws that refer to smaller heaps."""
    if game.passes or len(game.coordinates) != 1 or "grundy" not in data:
        return []
    values = data["grundy"].values.astype(np.int64).ravel()
    (name,) = game.coordinates
    tried = Tried(candidates=values.size // 4 + 2 * len(DIVISORS) * 9, what=TRIED)
    half = values.size // 2
    laws = [*_periods(name, values)] or [*_places(name, values)] if half >= FEWEST // 2 else []
    found_on = Evidence(half, f"heaps below {half}")
    held_on = Evidence(values.size - half, f"the others, to {bound}")
    lines = ((law, law, found_on, held_on) for law in laws)
    return StatementFinding.of_lines("smaller-heaps", tried, lines)


def _periods(name: str, values: Ints) -> Iterator[str]:
    """Yield the shortest period of the first half, if the whole table has it."""
    half = values[: values.size // 2]
    for length in range(1, half.size // (REPETITIONS + 1) + 1):
        wrong = np.flatnonzero(half[length:] != half[:-length])
        first = int(wrong[-1]) + 1 if wrong.size else 0
        if half.size - first < (REPETITIONS + 1) * length:
            continue
        if (values[first + length :] == values[first:-length]).all():
            law = f"G({name}+{length}) == G"
            yield f"{name} >= {first} => {law}" if first else law
            return


def _places(name: str, values: Ints) -> Iterator[str]:
    """Yield the law G(n) = G(smaller heap) that covers the most heaps, and a formula for the others if there is one."""
    heaps = np.arange(values.size)
    laws: list[tuple[int, int, str, NDArray[np.bool_]]] = []
    for k in DIVISORS:
        classes = [heaps % k == r for r in range(k)]
        for place in _other_places(name, k):
            there = parse(place).evaluate({name: heaps})
            inside = (there >= 0) & (there < heaps)
            agrees = values[np.where(inside, there, 0)] == values
            right = [r for r, in_class in enumerate(classes) if (agrees & inside)[in_class].all()]
            for condition in _conditions(name, k, right):
                where = np.asarray(parse(condition).evaluate({name: heaps}), np.bool_)
                if _is_informative(values, where):
                    law = f"{condition} => G == G({place})"
                    laws.append((-int(where.sum()), len(law), law, where))
    if laws:
        *_, law, where = min(laws, key=lambda one: one[:3])
        yield law
        rest = next(
            (f"{name}//{k}" for k in (1, *DIVISORS) if (values == heaps // k)[~where].all()), None
        )
        if rest is not None and _is_informative(values, ~where):
            premise, _ = law.split(" => ")
            yield f"not {premise} => G == {rest}".replace("//1", "")


def _other_places(name: str, k: int) -> Iterator[str]:
    for c in (-1, 0, 1):
        yield f"{name}//{k}{c:+}" if c else f"{name}//{k}"
    for c in (0, 1, 2):
        yield f"{name} - {name}//{k} - {c}" if c else f"{name} - {name}//{k}"


def _conditions(name: str, k: int, right: list[int]) -> Iterator[str]:
    """Yield conditions for all residue classes except one, and for each single class."""
    if len(right) == k - 1 and k > 2:
        (other,) = {*range(k)} - {*right}
        yield f"{name} % {k} != {other}"
    yield from (f"{name} % {k} == {r}" for r in right)


def _is_informative(values: Ints, where: NDArray[np.bool_]) -> bool:
    """Whether the first half has enough terms with different values."""
    half = values[: values.size // 2][where[: values.size // 2]]
    return half.size >= FEWEST_TERMS and np.unique(half).size >= FEWEST_VALUES
