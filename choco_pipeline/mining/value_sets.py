"""Which values a nim-sum takes over the P-positions, how that set grows with the bound, and whether it has a known form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import parse
from choco_pipeline.mining.p_positions import PPositions

#: At most this many values are listed.
MOST_LISTED = 64
#: Larger than any coordinate.
NEVER = np.iinfo(np.int64).max
#: A form is not believed on fewer members than this.
FEWEST = 4


def value_set(parts: Iterable[PPositions], bound: int, expression: str) -> dict[str, Any]:
    """Return the values of `expression` over the P-positions, at growing bounds, and the form that they suggest.

    Parameters
    ----------
    parts
        The P-positions; those with a coordinate above `bound` are left out.
    bound
        The table's bound; sets are also taken at bound/2, /4, … down to 16 or so.
    expression
        An integer formula in the coordinates whose values are not negative.

    Returns
    -------
    dict
        Plain data: ``expression``, ``growth`` (for each bound: positions, count, largest, the first values) and ``form``.
    """
    formula = parse(expression)
    positions = np.zeros(bound + 1, np.int64)  # by their size
    appears: NDArray[np.int64] = np.zeros(
        0, np.int64
    )  # for each value, the size at which it first occurs
    for part in parts:
        inside = part.size <= bound
        if not inside.any():
            continue
        used = {name: part.coordinates[name][inside] for name in formula.names}
        size = part.size[inside]
        values = np.broadcast_to(formula.evaluate(used), size.shape)
        more = int(values.max()) + 1 - appears.size
        if more > 0:
            appears = np.concatenate([appears, np.full(more, NEVER)])
        np.minimum.at(appears, values, size)
        positions += np.bincount(size, minlength=bound + 1)
    growth = []
    sets: list[list[int]] = []
    for step in _bounds(bound):
        seen = [int(v) for v in np.nonzero(appears <= step)[0]]
        sets.append(seen)
        growth.append(
            {
                "bound": step,
                "positions": int(positions[: step + 1].sum()),
                "count": len(seen),
                "largest": max(seen, default=None),
                "values": seen[:MOST_LISTED],
            }
        )
    form = recognise(sets[-1], [frontier(seen) for seen in sets])
    return {"kind": "value-sets", "expression": expression, "growth": growth, "form": form}


def recognise(values: list[int], frontiers: list[int]) -> dict[str, Any]:
    """Return the form that a set of values seems to have: a suggestion for a claim, not a claim.

    Examples
    --------
    >>> recognise([0, 1, 2, 6, 14, 30], [2, 2])["text"]
    '{2^n − 2 : 1 ≤ n ≤ 5} ∪ {1}'
    >>> recognise([0], [0])["text"]
    '{0}'
    """
    powers: list[int] = []
    while (1 << (len(powers) + 1)) - 2 in values:
        powers.append((1 << (len(powers) + 1)) - 2)
    extras = sorted(set(values) - set(powers))
    if values == [0]:
        return {"name": "zero", "text": "{0}"}
    if len(powers) >= FEWEST and len(extras) <= 2:
        more = f" ∪ {{{', '.join(map(str, extras))}}}" if extras else ""
        return {
            "name": "two-powers-minus-two",
            "text": f"{{2^n − 2 : 1 ≤ n ≤ {len(powers)}}}{more}",
            "extras": extras,
        }
    last = frontiers[-1] if frontiers else -1
    if last >= 2 * FEWEST and all(
        a < b for a, b in zip(frontiers[-3:], frontiers[-2:], strict=False)
    ):
        more = f", and {len(values) - last - 1:,} larger values" if len(values) > last + 1 else ""
        return {"name": "all-up-to", "text": f"every n from 0 to {last:,}{more}", "frontier": last}
    shown = ", ".join(map(str, values[:MOST_LISTED])) + (", …" if len(values) > MOST_LISTED else "")
    return {"name": "list", "text": f"{{{shown}}}"}


def frontier(values: list[int]) -> int:
    """Return the largest F such that all of 0, …, F are among `values`; -1 if 0 is not."""
    members = set(values)
    last = -1
    while last + 1 in members:
        last += 1
    return last


def _bounds(bound: int) -> list[int]:
    """Return growing bounds that end with `bound`."""
    steps = [bound]
    while steps[-1] // 2 >= 16 and len(steps) < 6:
        steps.append(steps[-1] // 2)
    return steps[::-1]
