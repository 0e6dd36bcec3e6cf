"""Linear rules: planted ones come back, the printed ones come out of the tables, random pictures have none."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted
from choco_pipeline.mining.cellular import find_rule, mine_cellular
from choco_pipeline.mining.pictures import Stack
from choco_pipeline.tables.computing import grundy_table, p_table
from tests.claims.written import claim_from
from tests.effort import examples


def pictures(cells, closed=True, legal=None):
    legal = np.ones_like(cells) if legal is None else legal
    return Stack("planted", ("n", "i", "j"), (0, 0, 0), None, cells, legal, closed)


def grown(terms, seeds, shape, outside=0):
    """Return the cells that a rule makes of seeds, one by one; `outside` more cells are computed around."""
    cells = {}
    pictures_, rows, columns = shape
    for n in range(pictures_):
        for i in range(-outside, rows + outside):
            for j in range(-outside, columns + outside):
                around = sum(cells.get((n - dn, i - di, j - dj), 0) for dn, di, dj in terms)
                if (around + ((n, i, j) in seeds)) % 2:
                    cells[n, i, j] = 1
    filled = np.zeros(shape, bool)
    for cell in cells:
        if all(0 <= c < length for c, length in zip(cell, shape, strict=True)):
            filled[cell] = True
    return filled, len(cells) == filled.sum()


def holds(rule, stack):
    """Whether the pictures are what the rule's terms make of its exceptions, computed cell by cell."""
    assert rule.exceptions is not None
    said, _ = grown([term[1:] for term in rule.terms], set(rule.exceptions), stack.cells.shape, 8)
    return np.array_equal(said, stack.cells)


def spreads(terms):
    """Whether a rule makes cells live in both directions of the plane, so that many neighbourhoods are seen."""
    now = [(i, j) for n, i, j in terms if n == 1]
    return any(
        (b[0] - a[0]) * (c[1] - a[1]) != (c[0] - a[0]) * (b[1] - a[1])
        for a, b, c in combinations(now, 3)
    )


steps = st.tuples(st.integers(1, 2), st.integers(-1, 1), st.integers(-1, 1))
rules = st.sets(steps, min_size=3, max_size=5).filter(spreads)


@settings(max_examples=examples(15))
@given(
    rules,
    st.sets(
        st.tuples(st.just(0), st.integers(17, 19), st.integers(17, 19)), min_size=1, max_size=3
    ),
)
def test_planted_rules_come_back(terms, seeds):
    cells, inside = grown(terms, seeds, (14, 36, 36))
    stack = pictures(cells)
    assert inside
    rule = find_rule(stack)
    assert rule is not None
    assert rule.where == "everywhere"
    assert holds(rule, stack)
    assert len(rule.terms) <= len(terms)


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32), st.floats(0.02, 0.98), st.booleans(), st.integers(8, 20))
def test_random_pictures_have_no_rule(seed, density, closed, side):
    rng = np.random.default_rng(seed)
    cells = rng.random((side, side, side)) < density
    assert find_rule(pictures(cells, closed)) is None


def test_a_cell_that_stays_is_too_little():
    cells = np.zeros((40, 12, 12), bool)
    cells[:, 5, 6] = True
    assert find_rule(pictures(cells)) is None


def test_what_lies_beyond_the_table_is_not_known():
    terms = [(1, -1, 0), (1, 0, -1), (1, 0, 0)]
    cells, _ = grown(terms, {(0, 23, 21), (0, 30, 26), (0, 25, 32)}, (20, 34, 34))
    rule = find_rule(pictures(cells[:, :24, :24], closed=False))
    assert rule is not None
    assert rule.where == "everywhere"
    assert {term[1:] for term in rule.terms} == set(terms)


def test_what_a_pass_adds_may_follow_from_the_game_without():
    game = WithPass(Nim(3))
    data = p_table(game, 30)
    drawn = np.random.default_rng(8).integers(0, 30, (31, 31))
    data["p_c"].values[:] = [drawn, drawn + 2]
    found = mine_cellular(game, 30, data)
    with_pass = [f for f in found if f.passes == 1 and f.axes[0] == "c"]
    assert [f.terms for f in with_pass] == [((1, 2, 0, 0),)]
    assert all(f.nothing for f in found if f.passes == 0)


def test_held_out_pictures_decide():
    cells, _ = grown([(1, 0, 0), (1, 1, 0), (1, 0, 1)], {(0, 1, 1)}, (24, 26, 26))
    assert find_rule(pictures(cells)) is not None
    cells[20, 5, 5] ^= True
    assert find_rule(pictures(cells)) is None


def verdicts(claim, wider, sides):
    said = claim_from({"id": "found", **claim})
    for m in sides:
        bar = RectangularBar(m, m + wider)
        yield check_claim(said, {"m": m}, bar, m + wider, p_table(bar)).verdict


def test_theorem_5_4_of_patterns():
    game = RectangularBar(24, 24)
    found = mine_cellular(game, 24, p_table(game))
    square = next(f for f in found if f.ruleset == "rectangular-bar(m=m, n=m)")
    assert sorted(term[1:] for term in square.terms) == sorted(
        [(1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1), (2, 1, 1)]
    )
    assert square.where == "everywhere"
    assert square.exceptions == ((1, 1, 1),)
    claim = square.claim
    assert claim["check"]["start"] == [[1, 1, 1, 1]]
    assert all(isinstance(v, Exhausted) for v in verdicts(claim, 0, range(1, 40, 3)))
    claim["check"]["terms"].pop()
    assert any(isinstance(v, Refuted) for v in verdicts(claim, 0, range(1, 8)))


def test_bars_of_all_shapes():
    """The question after Theorem 5.4 of patterns: no rule by m for C(m, m+d) alone, but one by m and n for all C(m, n)."""
    data = p_table(Nim(4), 31)
    found = {f.ruleset: f for f in mine_cellular(Nim(4), 31, data)}
    for d in (2, 4, 6, 8):
        assert found[f"rectangular-bar(m=m, n=m+{d})"].nothing
    for d in (1, 3, 5, 7):
        odd = found[f"rectangular-bar(m=m, n=m+{d})"]
        assert odd.empty
        assert all(isinstance(v, Exhausted) for v in verdicts(odd.claim, d, range(1, 9)))
    rule = found["rectangular-bar(m=m, n=n)"]
    assert rule.exceptions == ((1, 1, 1, 1),)
    terms = [tuple(term[1:]) for term in rule.terms]
    assert len(terms) == 7
    side = 20  # larger than what it was found on
    cells = {}
    for m, n, i, j in np.ndindex(side, side, side, side):
        around = sum(cells.get((m - a, n - b, i - c, j - d), 0) for a, b, c, d in terms)
        if (around + ((m, n, i, j) == (0, 0, 0, 0))) % 2:
            cells[m, n, i, j] = 1
    heaps = data["p_d"].values
    is_p = {
        (m, n, i, j)
        for m, n in np.ndindex(side, side)
        for i, j in np.ndindex(m + 1, n + 1)
        if heaps[i, m - i, j] == n - j
    }
    assert set(cells) == is_p


@pytest.mark.parametrize("game", [Nim(3), SolidBar("(x+z)//3"), StripBar(4, 2)])
def test_nim_sums_follow_a_rule_with_earlier_cells_of_the_same_picture(game):
    found = mine_cellular(game, 48, p_table(game, 48))
    assert len(found) == 1, "however the positions are cut, it is the same rule"
    assert sorted(map(sorted, (t[1:] for t in found[0].terms))) == [[0, 1, 1]] * 3
    assert found[0].where == ("everywhere" if game == Nim(3) else "inside")
    assert not found[0].exceptions or found[0].exceptions == ((0, 0, 0),)
    assert found[0].claim is None


def test_a_step_bar_s_grundy_numbers_and_games_without_a_rule():
    found = mine_cellular(StepBar(2), 48, grundy_table(StepBar(2), 48))
    assert [f.ruleset for f in found] == ["strip-bar(k=2, s=0)"]
    assert found[0].terms
    game = WithPass(Nim(3))
    plain, *with_pass = mine_cellular(game, 40, p_table(game, 40))
    assert plain.terms
    assert with_pass
    assert all(f.nothing and f.passes == 1 for f in with_pass)


def test_a_random_table_has_no_rule():
    rng = np.random.default_rng(3)
    data = p_table(StripBar(1), 40)
    data["p_x"].values[:] = np.where(data["p_x"].values >= 0, rng.integers(0, 40, (41, 41)), -1)
    found = mine_cellular(StripBar(1), 40, data)
    assert len(found) == 3
    assert all(f.nothing and f.tried.candidates > 80 for f in found)
