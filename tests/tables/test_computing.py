"""Tables in memory: the numbers of the definition, in the promised shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import (
    Nim,
    RectangularBar,
    SolidBar,
    StripBar,
    WithPass,
    grundy_table,
    p_table,
    parse_ruleset,
)
from choco_pipeline.errors import HeightError, LimitError, RulesetError
from choco_pipeline.tables.bounded_game import count_positions, estimated_positions
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import cost_of, table
from choco_pipeline.tables.spec import NONE, variable_of
from tests.definition import grundy_by_definition
from tests.effort import examples
from tests.own_games import own_games_with_bounds
from tests.rulesets import rulesets_with_bounds

games_with_bounds = st.one_of(rulesets_with_bounds(), own_games_with_bounds())


@given(games_with_bounds)
def test_grundy_tables_are_the_definition(drawn):
    game, bound = drawn
    found = grundy_table(game, bound)
    np.testing.assert_array_equal(
        found.grundy.values, grundy_by_definition(game, bound), err_msg=f"{game}, bound {bound}"
    )
    assert found.grundy.dims == variable_of(game, "grundy").dims
    assert np.issubdtype(found.grundy.dtype, np.signedinteger)
    lookup = Cells.of(game, bound, found)
    for position in game.positions(min(bound, 3)):
        assert lookup.grundy(position) == game.grundy(position), f"{game}: {position}"


@given(games_with_bounds)
def test_p_tables_are_the_grundy_tables_zeros(drawn):
    game, bound = drawn
    p_positions, grundy = p_table(game, bound), grundy_table(game, bound)
    (variable,) = p_positions.data_vars
    assert np.issubdtype(p_positions[variable].dtype, np.signedinteger)
    by_grundy, by_column = Cells.of(game, bound, grundy), Cells.of(game, bound, p_positions)
    covered = [position for position in game.positions(bound) if by_column.covers(position)]
    for position in covered:
        is_p = by_grundy.grundy(position) == 0
        assert by_column.is_p_position(position) == is_p, f"{game}: {position}"
    base, passes = game.base, game.passes
    if isinstance(base, RectangularBar):
        assert len(covered) == (passes + 1) * base.m * base.n, "the whole bars"
    else:
        assert covered == list(game.positions(bound))


@given(games_with_bounds)
def test_positions_are_counted(drawn):
    game, bound = drawn
    positions = sum(1 for _ in game.positions(bound))
    assert count_positions(game, bound) == estimated_positions(game, bound) == positions
    assert int((grundy_table(game, bound).grundy != NONE).sum()) == positions


@given(st.integers(1, 5), st.integers(0, 7), st.integers(0, 2), st.integers(0, 30))
def test_the_x_of_a_strip_bar_may_exceed_the_bound(k, s, passes, bound):
    bar = WithPass(StripBar(k, s), passes) if passes else StripBar(k, s)
    found = p_table(bar, bound).p_x
    y, z = np.indices(found.shape[-2:])
    inside = y <= (z + s) // k
    assert bool((found.values[..., inside] >= 0).all())
    assert bool((found.values[..., ~inside] == NONE).all())
    larger = p_table(bar, bound + 3).p_x.values[..., : found.sizes["y"], : bound + 1]
    np.testing.assert_array_equal(np.where(inside, larger, NONE), found.values)


def test_printed_counts():
    """triangular, Example 8.3."""
    g = grundy_table(SolidBar("(x+z)//3"), 20).grundy
    x, y, z = np.indices(g.shape)
    legal = (g.values >= 0) & (y <= 20)
    same = g.values == (x ^ y ^ z)
    assert (int((legal & same).sum()), int((legal & ~same).sum())) == (977, 2257)


def test_printed_p_position_counts_of_square_bars():
    """patterns, Lemma 4.1: g(1) = 1, g(2m) = 4 g(m), g(2m+1) = g(m) + g(m+1)."""
    g = [0, 1]
    for m in range(2, 40):
        g.append(4 * g[m // 2] if m % 2 == 0 else g[m // 2] + g[m // 2 + 1])
    assert [int(p_table(RectangularBar(m, m)).p_cell.sum()) for m in range(1, 40)] == g[1:]


def test_a_known_disagreement_of_nim_with_a_pass():
    """With a pass left (1, 1, 1) is P, and (1, 2, 3) is not."""
    table = p_table(WithPass(Nim(3)), 3).p_c
    assert int(table.sel(p=0, a=1, b=2)) == 3
    assert int(table.sel(p=1, a=1, b=2)) != 3
    assert WithPass(Nim(3)).grundy((1, 2, int(table.sel(p=1, a=1, b=2)), 1)) == 0


@pytest.mark.parametrize(
    ("ruleset", "bound", "error"),
    [
        ("step-bar(k=2)", None, RulesetError),
        ("step-bar(k=2)", -1, RulesetError),
        ("with-pass(nim(4))", 2000, LimitError),
        ("solid-bar(f=min(x, 100)+min(0, 60-x))", 200, HeightError),
    ],
)
def test_refused(ruleset, bound, error):
    with pytest.raises(error):
        grundy_table(parse_ruleset(ruleset), bound)


@settings(max_examples=examples(20))
@given(st.integers(1, 6), st.integers(0, 20), st.integers(0, 2))
def test_a_smaller_bound_is_a_part_of_a_larger_one(k, bound, passes):
    game = WithPass(SolidBar(f"(x+z)//{k}"), passes) if passes else SolidBar(f"(x+z)//{k}")
    for quantity in ("grundy", "p-positions"):
        small, large = (
            next(iter(table(game, b, quantity).data_vars.values())) for b in (bound, bound + 5)
        )
        part = large.isel({dim: slice(0, n) for dim, n in small.sizes.items()})
        np.testing.assert_array_equal(part.values, small.values)


def test_a_table_that_no_float_can_count_is_refused():
    text = "nim(1)"
    for _ in range(18):
        text = f"sum({text}, nim(3))"
    for quantity in ("grundy", "p-positions"):
        with pytest.raises(LimitError, match="bound 1000000000"):
            cost_of(parse_ruleset(text), 10**9, quantity)
