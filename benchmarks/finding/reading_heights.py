"""Statements on height functions read back: which of all of a small box have a formula, and which the conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from benchmarks.finding.formulas import value
from benchmarks.finding.games import Game, monotone


def wrong_heights(document: Mapping[str, Any]) -> str | None:
    """Return a height function of a small box, not square ones and higher ones among them, of which a statement is wrong."""
    text = document["text"]
    counted = re.fullmatch(
        r"Of the ([\d,]+) monotone f from \{0\.\.(\d+)\}² to \{0\.\.(\d+)\}, ([\d,]+) have G = x⊕y⊕z"
        r" \(([\d,]+) up to exchanging x and z\), and ([\d,]+) have P iff x⊕y⊕z = 0 \(([\d,]+)\)\.",
        text,
    )
    if counted:
        every, side, height, *told = (int(one.replace(",", "")) for one in counted.groups())
        return _wrong_census([every, *told], side, height)
    question = document["formulas"][0]
    is_p = question["label"].startswith("P")
    for a, b in product(range(4), repeat=2):
        for h in range(1, 4):
            if a + b + h > 7:
                continue
            for f in monotone(a, b, h):
                if has_formula(f, is_p) != _has_conditions(f, document["formulas"][1:]):
                    named = re.search(r"\{0\.\.(\d+)\}, a ≤ b ≤ (\d+)", text)
                    inside = named and h <= int(named[1]) and max(a, b) <= int(named[2])
                    rows = "/".join("".join(map(str, row)) for row in f.tolist())
                    return f"f = {rows}{'' if inside else ', beyond the box that is named'}"
    return None


def _wrong_census(told: list[int], side: int, height: int) -> str | None:
    every = list(monotone(side, side, height))
    found = [len(every)]
    for is_p in (False, True):
        members = [f for f in every if has_formula(f, is_p)]
        classes = {min(f.tobytes(), f.T.copy().tobytes()) for f in members}
        found += [len(members), len(classes)]
    return None if found == told else f"counted {found}, said {told}"


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


def _has_conditions(f: Any, lines: Any) -> bool:
    return all(_has(f, line) and _has(f.T, line) for line in lines)


def _has(f: Any, line: Mapping[str, str]) -> bool:
    u, x, z = (axis.ravel() for axis in np.indices((f.shape[0], f.shape[0], f.shape[1])))
    before = u < x
    u, x, z = u[before], x[before], z[before]
    known = {"u": u, "x": x, "z": z, "g": f[u, z], "h": f[x, z]}
    texts = line["formula"] + " " + line["where"]
    if re.search(r"\bt\b", texts):
        known["t"] = np.array([_top(f, *at) for at in zip(x.tolist(), z.tolist(), strict=True)])
    for i in range(1, 8) if re.search(r"\bi\b", texts) else [0]:
        meant = value(line["where"], **known, i=i) if line["where"] else True
        if not np.all(~np.broadcast_to(meant, u.shape) | value(line["formula"], **known, i=i)):
            return False
    return True


def _top(f: Any, x: int, z: int) -> int:
    """Return the least nim-sum of a place before (x, z) in its row or column whose height is the nim-sum."""
    tops = [v ^ z for v in range(x) if f[v, z] == v ^ z]
    tops += [x ^ w for w in range(z) if f[x, w] == x ^ w]
    return min(tops, default=1 << 30)
