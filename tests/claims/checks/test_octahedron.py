"""Sections of the Sierpiński octahedron against a membership test by exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar
from choco_pipeline.claims.checks.bars import _loose, section_of
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import Exhausted, Finding, Refuted, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.tables.computing import p_table
from tests.claims.oracle_of_integers import centres_of
from tests.claims.written import claim_from
from tests.definition import is_p_bar

Point = tuple[Fraction, Fraction, Fraction]


def lies_in(point: Point, order: int) -> bool:
    """Whether a point is in S_order: in the octahedron and, for a greater order, in one of six copies of half the size."""
    if sum(map(abs, point)) > 1:
        return False
    if order == 0:
        return True
    for axis in range(3):
        for sign in (1, -1):
            x, y, z = (2 * c - (sign if a == axis else 0) for a, c in enumerate(point))
            if lies_in((x, y, z), order - 1):
                return True
    return False


def point_of(u: Fraction, v: Fraction, height: Fraction, scale: int) -> Point:
    """Return the point with x+y = u, x−y = v and this height, all in units of 1/scale."""
    return (u + v) / 2 / scale, (u - v) / 2 / scale, height / scale


def find(m: int, level: str, order: str, halves: bool = False) -> Finding:
    check = {"kind": "octahedron", "level": level, "order": order, "halves": halves}
    claim = claim_from({"id": "drawn", "ruleset": "rectangular-bar(m=m, n=m)", "check": check})
    game = RectangularBar(m, m)
    return check_claim(claim, {"m": m}, game, m, p_table(game))


@given(st.data(), st.integers(0, 3), st.booleans())
def test_a_section_holds_exactly_the_points_of_the_octahedron(
    data: st.DataObject, order: int, halves: bool
) -> None:
    scale = 2**order * (2 if halves else 1)
    level = data.draw(st.integers(1, 2 * scale - 1).filter(lambda n: n % 2 or not halves))
    section = section_of(order, level, halves)
    side = section.squares.shape[0]
    assert side == scale - abs(scale - level)
    height = Fraction(scale - level)
    i, j = data.draw(st.integers(-1, side)), data.draw(st.integers(-1, side))
    inside = 0 <= min(i, j) <= max(i, j) < side and bool(section.squares[i, j])
    for across, along in [("1", "1"), ("1/3", "5/3"), ("9/5", "1/7")]:
        u, v = 2 * i - side + Fraction(across), 2 * j - side + Fraction(along)
        assert lies_in(point_of(u, v, height, scale), order) == inside
    # A corner of the grid is in the octahedron exactly if it is in a closed square: no single points.
    around = np.pad(section.squares, 2)[i + 1 : i + 3, j + 1 : j + 3]
    corner = point_of(Fraction(2 * i - side), Fraction(2 * j - side), height, scale)
    assert lies_in(corner, order) == bool(around.any())
    assert section.loose is None


@pytest.mark.parametrize("order", range(4))
def test_vertices_are_counted(order: int) -> None:
    centres = centres_of(order)
    assert len(centres) == 6**order
    for level in range(1, 2 ** (order + 1)):
        section = section_of(order, level)
        height = 2**order - level
        assert section.squares.sum() == sum(z == height for _, _, z in centres)
        assert section.vertices == sum(abs(z - height) == 1 for _, _, z in centres)


def test_a_vertex_outside_of_the_squares_is_noticed() -> None:
    squares = np.array([[True, False, False], [False, False, False], [False, False, True]])
    corners = [(-3, -3), (-1, -1), (3, 1)]
    u, v = np.array(corners).T
    assert _loose(squares, u, v) is None
    u, v = np.array([*corners, (1, -1), (3, -3)]).T
    assert _loose(squares, u, v) == (1, -1)


@given(st.integers(1, 16), st.integers(0, 40))
def test_greater_orders_have_the_same_section(level: int, more: int) -> None:
    order = (level - 1).bit_length()
    least = section_of(order, level).squares
    assert (section_of(order + more, level).squares == least).all()
    assert (section_of(order + 1, 2 * level).squares == least.repeat(2, 0).repeat(2, 1)).all()


@cache
def squares_by_definition(order: int, scale: int, level: int) -> set[tuple[int, int]]:
    """Return the squares of the section at height 1 − level/scale, from 0, by one point in each."""
    size = scale - abs(scale - level)
    return {
        (a, b)
        for a in range(size)
        for b in range(size)
        for u, v in [(Fraction(2 * a - size) + Fraction(1, 3), Fraction(2 * b - size + 1))]
        if lies_in(point_of(u, v, Fraction(scale - level), scale), order)
    }


@given(st.integers(1, 9), st.integers(1, 15), st.integers(0, 3), st.booleans())
def test_bars_are_compared_with_sections_as_sets_of_points(
    m: int, level: int, order: int, halves: bool
) -> None:
    finding = find(m, str(level), str(order), halves)
    scale = 2 ** (order + halves)
    if level >= 2 * scale:
        assert isinstance(finding.verdict, Undecided)
        assert f"of the octahedron of order {order}" in finding.verdict.why
        return
    size = scale - abs(scale - level)
    squares = squares_by_definition(order, scale, level)
    wrong = []
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            # In units of which the section's side has m·size: a cell has side size, a square has side m.
            rows = [a for a in range(size) if a * m < i * size and (a + 1) * m > (i - 1) * size]
            columns = [b for b in range(size) if b * m < j * size and (b + 1) * m > (j - 1) * size]
            if {(a, b) in squares for a in rows for b in columns} != {is_p_bar(m, m, i, j)}:
                wrong.append(RectangularBar(m, m).whole(i, j))
    if wrong:
        assert isinstance(finding.verdict, Refuted)
        least = min(wrong, key=lambda at: (max(at), at))
        assert finding.verdict.counterexample.position == least
        assert finding.evidence["failures"] == len(wrong)
    else:
        assert finding.verdict == Exhausted(m * m)


@pytest.mark.parametrize(
    ("level", "order", "halves"),
    [
        *((0, 3, False), (16, 3, False), (-2, 3, False), (1, -1, False), (1, 5000, False)),
        *((2**12, 12, False), (2**100, 100, False), (17, 2, True)),
    ],
)
def test_what_is_no_section(level: int, order: int, halves: bool) -> None:
    with pytest.raises(LimitError, match=f"order {order:,}|level "):
        section_of(order, level, halves=halves)


def test_a_bar_that_is_no_square_is_not_compared() -> None:
    check = {"kind": "octahedron", "level": "2", "order": "1"}
    claim = claim_from({"id": "drawn", "ruleset": "rectangular-bar(m=2, n=3)", "check": check})
    game = RectangularBar(2, 3)
    assert isinstance(check_claim(claim, {}, game, 3, p_table(game)).verdict, Undecided)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8, 12, 17])
def test_the_sections_of_the_paper(m: int) -> None:
    order = (m - 1).bit_length()
    for level, n, halves in [("m", order, False), ("2*m", order + 1, False), ("m", m, False)]:
        finding = find(m, level, str(n), halves)
        assert finding.verdict == Exhausted(m * m)
    assert find(m, "m", str(order), True).verdict == Exhausted(m * m)
    if m % 2 == 1 and m > 1:
        assert isinstance(find(m, "m", str(order - 1)).verdict, Refuted)
