"""Checks of square bars: generations of automata, and sections of octahedra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from choco_pipeline.claims.checks.evidence import (
    ClaimCase,
    Tally,
    counterexample_at,
    finding_of_tally,
)
from choco_pipeline.claims.kinds import Cellular, Octahedron, Sections
from choco_pipeline.claims.language.claim import assignments
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.games.listing import evaluate_at, holds_at
from choco_pipeline.tables.cells import Ints, Points, Truths, select

#: Largest number of cells of all generations together: some seconds of work.
MOST_CELLS = 1 << 32
#: Largest number of cells of one generation: some hundred megabytes.
MOST_CELLS_AT_ONCE = 1 << 24
#: The largest sum of terms before reduction.
LARGEST_SUM = (1 << 63) - 1


def find_generation(check: Cellular, case: ClaimCase) -> Finding:
    """Compare the P-positions of a rectangular bar with a generation.

    P-positions must be exactly the nonzero cells. A nonzero cell outside the bar counts as a failure without a place. Raises
    `LimitError` if the generation is too large or too late.
    """
    generation = int(check.generation.value(case.environment))
    grid, (low_i, low_j) = generation_of(check, generation)
    tally = Tally(case.cells)
    inside = 0
    for block in case.cells.blocks(case.block):
        i, j = block.points["i"] - low_i, block.points["j"] - low_j
        covered = (i >= 0) & (i < grid.shape[0]) & (j >= 0) & (j < grid.shape[1])
        alive = np.zeros(len(block), np.bool_)
        alive[covered] = grid[i[covered], j[covered]] != 0
        inside += int(alive.sum())
        tally.settled += len(block)
        tally.fail(select(block.points, alive != case.cells.holds_p(block.values)))
    tally.failures += int(np.count_nonzero(grid)) - inside
    if tally.failures and tally.least is None:
        outside = Counterexample(
            "the automaton has a cell outside of the bar that is not 0", "none"
        )
        return finding_of_tally(case, tally, counterexample=outside)
    return finding_of_tally(case, tally)


def generation_of(check: Cellular, generation: int) -> tuple[Ints, tuple[int, int]]:
    """Return the cells of a generation, and (i, j) of the first one.

    The cells are an int64 array [n_i, n_j] of values modulo `check.modulo`; all other cells are 0. Raises `LimitError` if there
    are too many cells, or a sum may exceed 64 bits.
    """
    if len(check.terms) * (check.modulo - 1) > LARGEST_SUM:
        raise LimitError(
            f"sums of {len(check.terms):,} terms modulo {check.modulo:,} exceed 64 bits"
        )
    first, last = min(n for n, *_ in check.start), max(n for n, *_ in check.start)
    steps = max(generation - first, 0)
    start, moves = np.array(check.start, object)[:, 1:3], np.array(check.terms, object)[:, 1:]
    low = start.min(axis=0) + steps * np.minimum(moves.min(axis=0), 0)
    high = start.max(axis=0) + steps * np.maximum(moves.max(axis=0), 0)
    rows, columns = (high - low + 1).tolist()
    if rows * columns > min(MOST_CELLS_AT_ONCE, MOST_CELLS // (steps + 1)):
        raise LimitError(
            f"the automaton needs {rows:,} × {columns:,} cells for each of {steps + 1:,} generations:"
            f" at most {MOST_CELLS_AT_ONCE:,} for one and {MOST_CELLS:,} for all are computed"
        )
    low_i, low_j = low.tolist()
    nothing = np.zeros((rows, columns), np.int64)
    order = max(dn for dn, _, _ in check.terms)
    recent: dict[int, Ints] = {}
    for n in range(first, generation + 1):
        grid = nothing.copy()
        for at, i, j, value in check.start:
            if at == n:
                grid[i - low_i, j - low_j] = value % check.modulo
        for dn, di, dj in check.terms if n > last else ():
            before = recent.get(n - dn, nothing)
            to_i, to_j = (
                slice(max(di, 0), rows + min(di, 0)),
                slice(max(dj, 0), columns + min(dj, 0)),
            )
            of_i, of_j = (
                slice(max(-di, 0), rows - max(di, 0)),
                slice(max(-dj, 0), columns - max(dj, 0)),
            )
            if abs(di) < rows and abs(dj) < columns:
                grid[to_i, to_j] += before[of_i, of_j]
        recent[n] = grid % check.modulo
        recent.pop(n - order, None)
    return recent.get(generation, nothing), (low_i, low_j)


#: The largest order; each costs one step.
MOST_ORDER = 4096
#: The largest side of a section, in squares: some seconds of work.
MOST_SIDE = 1 << 11


@dataclass(frozen=True)
class Section:
    """A horizontal section of the Sierpiński octahedron Sₙ: squares and points.

    S_0 is the octahedron with vertices ±e along the axes; S_n is six copies of S_{n-1} at half the size, with centres ±e/2
    (patterns, Definition 5.1). Here all lengths are multiplied by 2^n, so that the 6^n small octahedra have radius 1 and
    integer centres; if a section lies between two layers of centres, they are doubled again. The squares are turned by 45° against
    the axes x and y. With u = x+y and v = x−y, each square has sides of length 2 along u and v. All squares lie in the square
    |u|, |v| ≤ side, and square (i, j) has its centre at u = 2i−side−1, v = 2j−side−1.
    """

    #: [side, side], whether the square (i, j), each counted from 1, is in the section.
    squares: Truths
    #: Number of small octahedra that the plane meets in a vertex only.
    vertices: int
    #: One of these vertices, as (u, v), that lies in no closed square; None if there is none.
    loose: tuple[int, int] | None


def section_of(order: int, level: int, halves: bool = False) -> Section:
    """Return the section of S_order at height 1 − level/2^order.

    With `halves` the height is 1 − level/2^(order+1). Only copies that the plane meets are visited, from the whole down to the
    small octahedra. The heights of all centres have the same parity, so a plane at an integer level meets a small octahedron in
    its middle square or in a vertex. Half-way between two levels it meets octahedra above and below in squares of half the
    size. Raises `LimitError` if the plane does not meet the inside of S_order, or if order or level is too large.
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
    return Section(squares, corners[0].size, _first_loose_vertex(squares, *corners))


def find_section(check: Octahedron, case: ClaimCase) -> Finding:
    """Compare the pattern of a square bar with a section of the octahedron.

    Both contain all four corners, so a similarity maps the square around one to the square around the other. Their sides give its
    scale, and eight symmetries of the square are left. A section has all of them, because S_n is symmetric in the planes x = 0,
    y = 0 and x = y. Therefore one placement suffices: cell (i, j) of the bar is square (i, j) of a section of the same side.
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
    covered, touched = _masks_of_scaled(m, section.squares)
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
        return finding_of_tally(case, tally, evidence, replace(outcome, claimed=claimed))
    if section.loose is not None:
        u, v = section.loose
        actual = f"the section has a single point outside of its squares, at x+y = {u}, x-y = {v}"
        return Finding(Refuted(Counterexample(actual, "squares"), tally.settled), evidence)
    return Finding(case.agreement(tally.settled), evidence)


def _first_loose_vertex(squares: Truths, u: Ints, v: Ints) -> tuple[int, int] | None:
    """Return the first corner (u, v) that touches no square, if any."""
    side = squares.shape[0]
    around = np.pad(squares, 1)
    a, b = (u + side) // 2, (v + side) // 2
    held = around[a, b] | around[a + 1, b] | around[a, b + 1] | around[a + 1, b + 1]
    if held.all():
        return None
    n = int(held.argmin())
    return int(u[n]), int(v[n])


def _masks_of_scaled(m: int, squares: Truths) -> tuple[Truths, Truths]:
    """Return masks of the cells of an m × m bar that scaled squares cover and touch."""
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


#: Largest number of squares, or of small octahedra, in one statement: some seconds of work.
MOST_VISITED = 1 << 24


_cached_section = lru_cache(maxsize=256)(section_of)


def find_sections(check: Sections, bound: int, fixed: Mapping[str, int]) -> Finding:
    """Judge a statement on sections for all integers in its ranges.

    `bound` is the value of `N`; names in `fixed` have one value. A counterexample is the first one in the order of the names,
    then of the rows and columns. Cases are the compared squares, or the octahedra whose pieces are counted. The evidence is the
    number of `choices` of integers. Raises `FormulaError` if a formula has no value where it is needed; `LimitError` if a section
    does not exist, or there are too many squares.
    """
    cases = choices = visited = 0

    def refuted(known: Mapping[str, int], actual: str, claimed: str) -> Finding:
        names = (*check.all, *(name for name in ("i", "j") if name in known))
        position = tuple(known[name] for name in names)
        counterexample = Counterexample(actual, claimed, position, names)
        return Finding(Refuted(counterexample, cases), {"choices": choices})

    for known in _choices(check, bound, fixed):
        choices += 1
        order = int(check.order.value(known))
        if check.pieces is not None:
            if 6 ** min(order, 16) > MOST_VISITED:
                raise LimitError(f"order {order:,}: more than {MOST_VISITED:,} small octahedra")
            cases += 1
            number, claimed = len(centres(order)), int(check.pieces.value(known))
            if number != claimed:
                return refuted(known, f"{number:,} octahedra", f"{claimed:,}")
            continue
        assert check.level is not None
        squares = _cached_section(order, int(check.level.value(known)), check.halves).squares
        visited += 1 + squares.size
        if visited > MOST_VISITED:
            raise LimitError(
                f"there are more than {MOST_VISITED:,} squares to compare: a smaller bound has fewer"
            )
        in_question, wrong = _compare_squares(check, known, squares)
        cases += in_question
        if wrong is not None:
            i, j, is_claimed = wrong
            texts = ("there is none", "there is a square")
            at = {**known, "i": i, "j": j}
            return refuted(at, texts[not is_claimed], texts[is_claimed])
    if not cases:
        return Finding(Undecided(f"no section up to N = {bound} belongs to the statement"))
    unit = "octahedron" if check.pieces is not None else "square"
    return Finding(HoldsToBound(cases, bound, unit=unit), {"choices": choices})


def centres(order: int) -> set[tuple[int, ...]]:
    """Return the centres of the small octahedra of S_order, in units of their radius."""
    centres = np.zeros((1, 3), np.int64)
    for i in range(order):
        step = np.vstack([np.eye(3, dtype=np.int64), -np.eye(3, dtype=np.int64)]) << (order - 1 - i)
        centres = (centres[:, None] + step).reshape(-1, 3)
    return {tuple(centre) for centre in centres.tolist()}


def _choices(check: Sections, bound: int, fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    for known in assignments(dict(check.all), {"N": bound}):
        if all(known[name] == value for name, value in fixed.items()):
            for name, formula in check.let.items():
                known[name] = int(formula.value(known))
            yield known


def _compare_squares(
    check: Sections, known: Mapping[str, int], squares: Truths
) -> tuple[int, tuple[int, int, bool] | None]:
    """Return the number of squares in the cases, and the first wrong one."""
    i, j = (index.ravel() + 1 for index in np.indices(squares.shape))
    there = squares.ravel()
    left = np.ones(there.size, np.bool_)
    wrong = np.zeros(there.size, np.bool_)
    in_question = 0
    for case in check.cases:
        points: Points = {"i": i, "j": j}
        mine = left.copy()
        if case.where is not None:
            mine &= holds_at(case.where.substitute(known), points)
        left &= ~mine
        if not mine.any():
            continue
        in_question += int(mine.sum())
        claimed = np.zeros(int(mine.sum()), np.bool_)
        if case.like is not None:
            order, level = (int(part.value(known)) for part in case.like[:2])
            other = _cached_section(order, level).squares
            here: Points = {"i": i[mine], "j": j[mine]}
            row, column = (evaluate_at(part.substitute(known), here) - 1 for part in case.like[2:])
            inside = (np.minimum(row, column) >= 0) & (np.maximum(row, column) < other.shape[0])
            claimed[inside] = other[row[inside], column[inside]]
        wrong[mine] = there[mine] != claimed
    if not wrong.any():
        return in_question, None
    n = int(wrong.argmax())
    return in_question, (int(i[n]), int(j[n]), not bool(there[n]))
