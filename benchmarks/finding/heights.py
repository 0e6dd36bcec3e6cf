"""Counterexamples to statements on height functions, among all functions of small boxes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from benchmarks.finding.formulas import value
from benchmarks.finding.games import Game, monotone
from benchmarks.finding.reading import Reading


def wrong_heights(reading: Reading) -> str | None:
    """Return a height function for which a statement is wrong, or a number of functions that is wrong."""
    assert reading.picture is not None
    if "counts" in reading.picture:
        for name, boxes in reading.picture["counts"].items():
            for box in boxes:
                if box["side"] > 3 or box["side"] * box["height"] > 6:
                    continue
                every = monotone(box["side"], box["side"], box["height"])
                number = sum(has_formula(f, name.startswith("P")) for f in every)
                if number != box["functions"]:
                    return f"{name}: {number} functions of {box}"
        return None
    is_p = "==" in reading.picture["formula"]
    conditions = reading.picture["conditions"]
    for a, b, h in product(range(4), range(4), range(1, 4)):
        for f in monotone(a, b, h) if a + b + h <= 7 else ():
            meant = all(_has(one, line) for line in conditions for one in (f, f.T))
            if has_formula(f, is_p) != meant:
                return f"f = {'/'.join(''.join(map(str, row)) for row in f.tolist())}"
    return None


def has_formula(f: Any, is_p: bool) -> bool:
    """Whether the bar with these heights has P iff x⊕y⊕z = 0, or Grundy numbers x⊕y⊕z."""
    shape = (f.shape[0], int(f.max()) + 1, f.shape[1])
    x, y, z = np.ogrid[tuple(map(slice, shape))]
    legal = y <= f[:, None, :]
    game = Game("solid-bar(f=0)")
    game.limits["y"] = (f, [0, 2])
    nim_sum = x ^ y ^ z
    if is_p:
        return bool((game.p_positions(legal) == ((nim_sum == 0) & legal)).all())
    places = sorted(map(tuple, np.argwhere(legal).tolist()))
    return all(game.number(q) == nim_sum[q] for q in places)


def _has(f: Any, line: Any) -> bool:
    """Whether heights f satisfy a condition at all u < x and z."""
    u, x, z = (axis.ravel() for axis in np.indices((f.shape[0], f.shape[0], f.shape[1])))
    u, x, z = (axis[u < x] for axis in (u, x, z))
    tops = np.array([_top(f, *at) for at in zip(x.tolist(), z.tolist(), strict=True)], np.int64)
    known = {"u": u, "x": x, "z": z, "g": f[u, z], "h": f[x, z], "t": tops}
    such, where = line["such"], line["where"]
    for i in range(1, 8) if "i" in such + where.replace("min", "") else [0]:
        meant = value(where or "0 == 0", **known, i=i)
        if not np.all(~np.broadcast_to(meant, u.shape) | value(such, **known, i=i)):
            return False
    return True


def _top(f: Any, x: int, z: int) -> int:
    """Return the least nim-sum of a place before (x, z) in its row or column whose height is the nim-sum."""
    tops = [v ^ z for v in range(x) if f[v, z] == v ^ z]
    tops += [x ^ w for w in range(z) if f[x, w] == x ^ w]
    return min(tops, default=1 << 30)
