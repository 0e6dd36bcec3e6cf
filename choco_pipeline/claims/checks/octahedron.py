"""Check of a square bar against a section of the Sierpiński octahedron.

S_0 is the octahedron with vertices ±e along the axes; S_n is six copies of S_{n-1} at half the size, with centres ±e/2
(patterns, Definition 5.1). Here all lengths are multiplied by 2^n, so that the 6^n small octahedra have radius 1 and
integer centres, and by 2 more where a section lies between two layers of centres.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from choco_pipeline.claims.evidence.explain import concluded, counterexample_at
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Octahedron
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Refuted, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.tables.cells import Ints, Truths, select

#: The largest order; each costs one step.
MOST_ORDER = 4096
#: The largest side of a section, in squares: some seconds of work.
MOST_SIDE = 1 << 11


@dataclass(frozen=True)
class Section:
    """A horizontal section of S_n: squares and single points.

    The squares are turned by 45° against the axes x and y. With u = x+y and v = x−y, each square has sides along u and v, of
    length 2, and all lie in the square |u|, |v| ≤ side: square (i, j) has its centre at u = 2i−side−1, v = 2j−side−1.
    """

    #: [side, side], whether the square (i, j), each counted from 1, is in the section.
    squares: Truths
    #: Number of small octahedra that the plane meets in a vertex only.
    vertices: int
    #: One of these vertices, as (u, v), that lies in no closed square; None if there is none.
    loose: tuple[int, int] | None


def section_of(order: int, level: int, halves: bool = False) -> Section:
    """Return the section of S_order at height 1 − level/2^order.

    With `halves` the height is 1 − level/2^(order+1). Only copies that the plane meets are followed, from the whole down to the
    small octahedra. The heights of centres have one parity, so an integer level meets a small octahedron in its middle square or
    in a vertex. Half-way between two levels it meets those above and below in squares of half the size. Raises `LimitError` if
    the plane does not meet the inside of S_order, or if order or level is too large.
    """
    if not 0 <= order <= MOST_ORDER:
        raise LimitError(f"order {order:,}: from 0 to {MOST_ORDER:,} is possible")
    if halves and level % 2 == 0:
        return section_of(order, level // 2)
    radius = 2 if halves else 1  # of a small octahedron
    whole = radius << order
    if not 0 < level < 2 * whole:
        raise LimitError(
            f"level {_short(level)} of the octahedron of order {order:,}: from 1 to 2^{order + radius}-1 is possible"
        )
    height = whole - level
    half = whole // 2
    while half >= radius and abs(height) > half:  # only the topmost copy, or the lowest, is met
        height -= half if height > 0 else -half
        whole, half = half, half // 2
    side = whole - abs(height)
    if side > MOST_SIDE:
        raise LimitError(
            f"level {_short(level)}: a section of {_short(side)} × {_short(side)} squares, at most"
            f" {MOST_SIDE:,} × {MOST_SIDE:,} are possible"
        )
    x, y, h = (np.array([start]) for start in (0, 0, height))
    while half >= radius:
        steps = half * np.array(
            [[0, 0, -1], [0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
        )
        x, y, h = (np.add.outer(steps[:, axis], c).ravel() for axis, c in enumerate((x, y, h)))
        met = np.abs(h) <= half
        x, y, h = x[met], y[met], h[met]
        half //= 2
    in_square = np.abs(h) < radius
    squares = np.zeros((side, side), np.bool_)
    u, v = (x + y)[in_square], (x - y)[in_square]
    squares[(u + side - 1) // 2, (v + side - 1) // 2] = True
    corners = (x[~in_square] + y[~in_square], x[~in_square] - y[~in_square])
    return Section(squares, corners[0].size, _loose(squares, *corners))


def find_section(check: Octahedron, case: ClaimCase) -> Finding:
    """Compare the pattern of a square bar with a section of the octahedron.

    Both have all four corners, so a similarity takes the square around one to the square around the other: their sides give its
    scale, and eight symmetries of the square are left. A section has them all, because S_n is symmetric in the planes x = 0,
    y = 0 and x = y. Therefore one placement decides: cell (i, j) of a bar is the square (i, j) of a section of the same side.
    A section of another side is scaled, and compared as a set of points. Raises `LimitError` if there is no such section, or it
    is too large; `FormulaError` if level or order has no value.
    """
    face = case.cells.game.base.rules.face
    assert face is not None  # claims of this kind are on rectangular bars
    m, n = face.sizes.values()
    if m != n:
        return Finding(Undecided(f"sections are square, the bar is {m} × {n}"))
    order, level = (int(f.value(case.environment)) for f in (check.order, check.level))
    section = section_of(order, level, check.halves)
    evidence = {
        "order": order,
        "squares": int(section.squares.sum()),
        "vertices": section.vertices,
    }
    covered, touched = _scaled_to(m, section.squares)
    tally = Tally(case.cells)
    for block in case.cells.blocks(case.block):
        at = block.points["i"] - 1, block.points["j"] - 1
        is_p = case.cells.holds_p(block.values)
        tally.settle(block.points)
        tally.fail(select(block.points, np.where(is_p, ~covered[at], touched[at])))
    if tally.least is not None:
        outcome = counterexample_at(case, tally.least)
        place = tally.least[0], tally.least[2]
        share = "in" if covered[place] else "partly in" if touched[place] else "not in"
        claimed = f"its cell is {share} the section of order {order:,}"
        return concluded(case, tally, evidence, replace(outcome, claimed=claimed))
    if section.loose is not None:
        u, v = section.loose
        actual = f"the section has a single point outside of its squares, at x+y = {u}, x-y = {v}"
        return Finding(Refuted(Counterexample(actual, "squares"), tally.settled), evidence)
    return Finding(case.agreement(tally.settled), evidence)


def _loose(squares: Truths, u: Ints, v: Ints) -> tuple[int, int] | None:
    """Return the first of some grid corners that touches no square, if any."""
    side = squares.shape[0]
    around = np.pad(squares, 1)
    a, b = (u + side) // 2, (v + side) // 2
    held = around[a, b] | around[a + 1, b] | around[a, b + 1] | around[a + 1, b + 1]
    if held.all():
        return None
    n = int(held.argmin())
    return int(u[n]), int(v[n])


def _scaled_to(m: int, squares: Truths) -> tuple[Truths, Truths]:
    """Return the cells of an m × m bar that scaled squares cover, and touch."""
    side = squares.shape[0]
    inside = np.pad(
        squares.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))
    )  # squares before each corner
    cell = np.arange(m)
    first, end = cell * side // m, -(-(cell + 1) * side // m)  # of the squares that overlap it
    rows = inside[end] - inside[first]
    overlapping = rows[:, end] - rows[:, first]
    return overlapping == np.multiply.outer(end - first, end - first), overlapping > 0


def _short(number: int) -> str:
    return f"{number:,}" if number.bit_length() <= 64 else f"of {number.bit_length():,} bits"
