"""Checks of square bars: generations of a cellular automaton, and sections of the Sierpiński octahedron."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar
from choco_pipeline.claims.checks.bars import (
    _first_loose_vertex,
    centres,
    generation_of,
    section_of,
)
from choco_pipeline.claims.checks.check import check_claim, check_standing
from choco_pipeline.claims.kinds import Cellular, Sections
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
)
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.tables.computing import p_table
from tests.claims import oracle
from tests.claims.oracle_of_integers import centres_of, outcome_of_sections
from tests.definition import is_p_bar

TERMS = [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [2, 1, 1]]  # patterns, Theorem 5.4
START = [[1, 1, 1, 1]]


def find(m, **check):
    """Return the finding on a check of the bar with m rows and m columns."""
    claim = Claim.from_json({"id": "drawn", "ruleset": "rectangular-bar(m=m, n=m)", "check": check})
    bar = RectangularBar(m, m)
    return check_claim(claim, {"m": m}, bar, m, p_table(bar))


def verdict_on(m, terms=TERMS, **more):
    """Return the verdict on the P-positions of a bar as the generation m of an automaton."""
    check = {"kind": "cellular", "terms": terms, "start": START, "modulo": 2, "generation": "m"}
    return find(m, **check | more).verdict


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(-2, 2), st.integers(-2, 2)).map(list),
        min_size=1,
        max_size=4,
    ),
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(-2, 3), st.integers(-2, 3), st.integers(0, 4)).map(
            list
        ),
        min_size=1,
        max_size=3,
        unique_by=lambda cell: tuple(cell[:3]),
    ),
    st.integers(2, 5),
    st.integers(-1, 7),
)
def test_generations(terms, start, modulo, generation):
    check = Cellular.model_validate(
        {"kind": "cellular", "terms": terms, "start": start, "modulo": modulo, "generation": "0"}
    )
    grid, (low_i, low_j) = generation_of(check, generation)
    found = {
        (i + low_i, j + low_j): int(grid[i, j])
        for i in range(grid.shape[0])
        for j in range(grid.shape[1])
        if grid[i, j]
    }
    assert found == oracle.generation_by_definition(check, generation)


def test_a_cell_outside_of_the_bar_refutes():
    verdict = verdict_on(1, start=[[1, 1, 1, 1], [1, 5, 5, 1]])
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position is None
    assert "outside of the bar" in verdict.counterexample.found


@pytest.mark.parametrize(
    ("modulo", "start", "expected"),
    [
        # Four times 2^62 is 2 modulo 2^63-1, and 0 in 64 bits.
        ((1 << 63) - 1, 1 << 62, None),
        (2**200, 1, None),
        (3, 1 + 3 * 10**30, Exhausted(4)),
    ],
)
def test_sums_that_leave_64_bits_are_refused(modulo, start, expected):
    terms = [[1, i, j] for i in (0, 1) for j in (0, 1)] * 4
    verdict = verdict_on(2, terms, start=[[1, 1, 1, start]], modulo=modulo)
    assert verdict == expected or (expected is None and isinstance(verdict, Undecided))


@pytest.mark.parametrize(
    "more", [{"start": [[1, 1, 1, 1], [1, 10**9, 10**9, 1]]}, {"generation": "1 << 4000"}]
)
def test_an_automaton_without_end_is_refused(more):
    assert isinstance(verdict_on(2, **more), Undecided)


def test_the_automaton_of_the_paper_and_one_term_less():
    for m in range(1, 24):
        assert verdict_on(m) == Exhausted(m * m)
    wrong = verdict_on(3, TERMS[:-1])
    assert isinstance(wrong, Refuted)
    assert wrong.counterexample.position == (1, 1, 1, 1)
    assert wrong.counterexample.found == "P-position"


Point = tuple[Fraction, Fraction, Fraction]


def lies_in(point, order):
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


def point_of(u, v, height, scale):
    """Return the point with x+y = u, x−y = v and this height, all in units of 1/scale."""
    return (u + v) / 2 / scale, (u - v) / 2 / scale, height / scale


def compare(m, level, order, halves=False):
    """Return the finding on the P-positions of a bar as a section of an octahedron."""
    return find(m, kind="octahedron", level=level, order=order, halves=halves)


@given(st.data(), st.integers(0, 3), st.booleans())
def test_a_section_holds_exactly_the_points_of_the_octahedron(data, order, halves):
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
    # The octahedron is a union of closed squares: it has no points outside of them.
    around = np.pad(section.squares, 2)[i + 1 : i + 3, j + 1 : j + 3]
    corner = point_of(Fraction(2 * i - side), Fraction(2 * j - side), height, scale)
    assert lies_in(corner, order) == bool(around.any())
    assert section.loose is None


@pytest.mark.parametrize("order", range(4))
def test_vertices_are_counted(order):
    centres = centres_of(order)
    assert len(centres) == 6**order
    for level in range(1, 2 ** (order + 1)):
        section = section_of(order, level)
        height = 2**order - level
        assert section.squares.sum() == sum(z == height for _, _, z in centres)
        assert section.vertices == sum(abs(z - height) == 1 for _, _, z in centres)


def test_a_vertex_outside_of_the_squares_is_noticed():
    squares = np.array([[True, False, False], [False, False, False], [False, False, True]])
    corners = [(-3, -3), (-1, -1), (3, 1)]
    u, v = np.array(corners).T
    assert _first_loose_vertex(squares, u, v) is None
    u, v = np.array([*corners, (1, -1), (3, -3)]).T
    assert _first_loose_vertex(squares, u, v) == (1, -1)


@given(st.integers(1, 16), st.integers(0, 40))
def test_greater_orders_have_the_same_section(level, more):
    order = (level - 1).bit_length()
    least = section_of(order, level).squares
    assert (section_of(order + more, level).squares == least).all()
    assert (section_of(order + 1, 2 * level).squares == least.repeat(2, 0).repeat(2, 1)).all()


@given(st.integers(1, 9), st.integers(1, 15), st.integers(0, 3), st.booleans())
def test_bars_are_compared_with_sections_cell_by_cell(m, level, order, halves):
    finding = compare(m, str(level), str(order), halves)
    scale = 2 ** (order + halves)
    if level >= 2 * scale:
        assert isinstance(finding.verdict, Undecided)
        assert f"of the octahedron of order {order}" in finding.verdict.why
        return
    squares = oracle.section(order, level, halves)
    size = max(a for a, _ in squares)
    wrong = []
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            # In units of which the section's side has m·size: a cell has side size, a square has side m.
            rows, columns = (
                [a for a in range(1, size + 1) if (a - 1) * m < n * size and a * m > (n - 1) * size]
                for n in (i, j)
            )
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
def test_what_is_no_section(level, order, halves):
    with pytest.raises(LimitError, match=f"order {order:,}|level "):
        section_of(order, level, halves=halves)


def test_a_bar_that_is_no_square_is_not_compared():
    check = {"kind": "octahedron", "level": "2", "order": "1"}
    claim = Claim.from_json({"id": "drawn", "ruleset": "rectangular-bar(m=2, n=3)", "check": check})
    game = RectangularBar(2, 3)
    assert isinstance(check_claim(claim, {}, game, 3, p_table(game)).verdict, Undecided)


def claim(**check):
    return Claim.from_json({"id": "drawn", "check": {"kind": "sections", "bound": 3, **check}})


def find_sections(**check):
    return check_standing(claim(**check)).verdict


@st.composite
def cases(draw):
    """Draw what is said of some squares; the other section need not exist."""
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["where"] = draw(
            st.sampled_from(["i <= m", "i > j", "i == j", "i+j <= 2**n", "j > m//2"])
        )
    if draw(st.booleans()):
        order = draw(st.sampled_from(["n", "n+1", "2"]))
        level = draw(st.sampled_from(["m", "2*m", "m-1", "2**(n+1)-m", "3"]))
        row, column = draw(
            st.sampled_from(
                [("i", "j"), ("j", "i"), ("(i+1)//2", "(j+1)//2"), ("i-1", "j"), ("m+1-i", "j")]
            )
        )
        return found | {"like": [order, level, row, column]}
    return found | {"empty": True}


@given(
    st.lists(cases(), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(["m", "2*m", "2**(n+1)-m"]),
)
def test_statements_are_judged_as_by_their_octahedra(said, halves, level):
    drawn = claim(
        all={"n": "0..N", "m": "1..2**n"}, order="n", level=level, halves=halves, cases=said
    )
    verdict = check_standing(drawn).verdict
    assert isinstance(drawn.check, Sections)
    try:
        expected = outcome_of_sections(drawn.check, 3)
    except IndexError:
        assert isinstance(
            verdict, Refuted | Undecided
        )  # refuted before it comes to what is no section
        return
    assert isinstance(verdict, Refuted) == expected.is_false
    if isinstance(verdict, Refuted):
        assert verdict.counterexample.position == expected.least
    elif expected.is_empty:
        assert isinstance(verdict, Undecided)
    else:
        assert isinstance(verdict, HoldsToBound)


@pytest.mark.parametrize("order", range(5))
def test_the_octahedra_are_all_different(order):
    assert len(centres(order)) == 6**order
    assert isinstance(find_sections(all={"n": order}, order="n", pieces="6**n"), HoldsToBound)
    assert isinstance(find_sections(all={"n": order}, order="n", pieces="6**n+1"), Refuted)


def test_what_is_said_of_no_square_is_not_checked():
    verdict = find_sections(
        all={"m": "1..4"}, order="2", level="m", cases=[{"where": "i > 9", "empty": True}]
    )
    assert verdict == Undecided("no section up to N = 3 belongs to the statement")
    verdict = find_sections(
        all={"m": "1..4"},
        order="2",
        level="m",
        cases=[{"where": "i == j", "like": ["2", "m", "j", "i"]}],
    )
    assert verdict == HoldsToBound(1 + 2 + 3 + 4, 3, unit="square")


def test_a_section_that_does_not_exist():
    none = find_sections(all={"m": "0..4"}, order="2", level="m", cases=[{"empty": True}])
    too_large = find_sections(all={"m": 20}, order="m", pieces="6**m")
    assert isinstance(none, Undecided)
    assert isinstance(too_large, Undecided)


def test_one_choice_of_integers():
    drawn = claim(
        all={"n": "1..N", "m": "1..2**n"},
        order="n",
        level="m",
        cases=[{"like": ["n", "2**n", "i", "j"]}],
    )
    (trial,) = trials(drawn, {"n": 2, "m": 4})
    assert trial.finding.verdict == HoldsToBound(16, 3, unit="square")
    with pytest.raises(ConfigError, match="no parameter 'x'"):
        list(trials(drawn, {"x": 2}))


@pytest.mark.parametrize(
    "check",
    [
        {"order": "2"},
        {"order": "2", "level": "m", "pieces": "1"},
        {"order": "2", "cases": [{"empty": True}]},
        {"order": "2", "level": "m", "cases": [{}]},
        {"order": "2", "level": "m", "cases": [{"empty": True, "like": ["1", "1", "i", "j"]}]},
        {"order": "2", "pieces": "36", "let": {"m": "2"}},
        {"order": "2", "pieces": "36", "let": {"i": "2"}},
    ],
)
def test_what_says_nothing_is_a_mistake(check):
    assert list(claim(all={"m": "1..2"}, **check).check.mistakes(()))
