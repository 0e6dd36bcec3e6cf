"""Value sets: the printed ones come out, growth is exact, forms hold, and chance has none."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StripBar, WithPass, p_table, parse_ruleset
from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.value_sets import (
    ValueSet,
    _form,
    conditions,
    forms,
    frontier,
    frontier_law,
    mine_value_sets,
    nim_sum_of,
)
from choco_pipeline.tables.cells import Cells, are_positions
from choco_pipeline.tables.computing import grundy_table
from tests.rulesets import cut_games, rulesets, rulesets_with_bounds


def mined(game, bound):
    return mine_value_sets(Cells.computed(game, bound, "p-positions"))


def value_set(game, bound, expression):
    found = ValueSet(parse(expression), bound, bound)
    cells = Cells.of(game, bound, p_table(game, bound))
    for points in cells.p_positions(size=50):
        found.add(points, cells.sizes(points))
    return found


def test_printed_value_set():
    """pass2016, Examples 4.1 and 4.2: k=4, s=2, x, y, z ≤ 20; Conjecture 4.1."""
    game = WithPass(StripBar(4, 2))
    assert value_set(game, 80, nim_sum_of(game)).within(20) == [0, 1, 2, 6, 14, 30]
    found = mined(game, 128)[0]
    assert found.expression == "(x+2) ^ y ^ (z+2) ^ p"
    line = "{(x+2) ^ y ^ (z+2) ^ p: P} == {v: v == 1 or v >= 0 and (v+2) & (v+1) == 0}"
    assert found.claim == {"statement": line}


def test_printed_end_of_a_list():
    """pass2016, Example 4.5: k=4, s=6, bound 80; the printed list ends so."""
    printed = [106, 108, 112, 113, 114, 115, 116, 117, 118, 119, 120, 122, 123, 126]
    game = WithPass(StripBar(4, 6))
    values = value_set(game, 80, nim_sum_of(game)).within(80)
    assert values[-len(printed) :] == printed


def test_every_number_up_to_a_frontier():
    """pass2016, Conjecture 4.2, and more: how far."""
    (found, *_) = mined(WithPass(StripBar(6, 6)), 1023)
    assert found.form.name == "all-up-to"
    assert found.form.text.endswith(" B/4 - 1")
    assert " >= {v:" in found.claim["statement"]


@given(rulesets_with_bounds())
def test_p_positions_are_those_of_the_definition(drawn):
    game, bound = drawn
    if isinstance(game, RectangularBar) or ("a" in game.coordinates and "d" in game.coordinates):
        bound = min(bound, 3)
    for data in (p_table(game, bound), grundy_table(game, bound)):
        if "p_cell" in data:
            continue
        listed = set(_listed(game, bound, data))
        limits = game.limits(bound)
        inside = {p for p in listed if all(a <= b for a, b in zip(p, limits, strict=True))}
        assert inside == {p for p in game.positions(bound) if game.grundy(p) == 0}, str(game)


@given(rulesets_with_bounds())
def test_growth_is_exact(drawn):
    game, bound = drawn
    expression = nim_sum_of(game)
    if expression is None:
        return
    bound += 16
    found = value_set(game, bound, expression)
    listed = _listed(game, bound, p_table(game, bound))
    sizes = {p: max(p[: len(game.base.coordinates)]) for p in listed}
    for step in found.growth():
        inside = [p for p, size in sizes.items() if size <= step.bound]
        values = {_nim_sum(game, p) for p in inside}
        assert (step.count, step.positions) == (len(values), len(inside))
        assert list(step.values) == sorted(values)[:64]
    later = {_nim_sum(game, p) for p, size in sizes.items() if 9 < size <= bound}
    assert found.beyond(9) == sorted(later)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("solid-bar(f=(x+z)//5)", 30),
        ("with-pass(strip-bar(k=4, s=3), passes=1)", 24),
        ("with-pass(strip-bar(k=4, s=2), passes=1)", 40),
        ("solid-bar(f=x//2+z//2)", 30),
    ],
)
def test_forms_hold_at_every_p_position_of_the_definition(text, bound):
    game = parse_ruleset(text)
    heaps = len(game.base.coordinates)
    p = [q for q in game.positions(bound) if max(q[:heaps]) <= bound and game.is_p_position(q)]
    for one in mined(game, bound):
        condition, expression = parse(one.form.condition), parse(one.expression)
        values = {expression.value(dict(zip(game.coordinates, q, strict=True))) for q in p}
        assert all(condition.value({"v": v}) for v in values)
        assert one.growth[-1].count == len(values)
        assert one.found_on.positions + one.held_on.positions == len(p)


@pytest.mark.parametrize(("k", "zero"), [(3, "x ^ y ^ z"), (5, "(x-1) ^ y ^ (z-1)")])
def test_a_zero_sum_is_reported_alone(k, zero):
    found = mined(SolidBar(f"(x+z)//{k}"), 100)
    assert [(one.expression, one.form.name) for one in found] == [(zero, "zero")]


def test_what_holds_for_all_positions_is_not_reported():
    """A nim-sum is never negative, and y ≤ z in these bars."""
    found = mined(WithPass(StripBar(4, 2)), 128)
    conditions = {one.expression: one.form.condition for one in found}
    assert conditions["x ^ y ^ (z+2)"] == "v >= 1"
    assert "v >= 0" not in {of for expression, of in conditions.items() if "^" in expression}
    assert not any(expression.startswith("z-y") for expression in conditions)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "text",
    ["solid-bar(f=(x+z)//2)", "strip-bar(k=2, s=1)", "nim(3)", "with-pass(nim(3), passes=1)"],
)
def test_a_table_by_chance_has_no_form(text, seed):
    game, random = parse_ruleset(text), np.random.default_rng(seed)
    bound = 255
    data = p_table(game, bound)
    (name,) = data.data_vars
    cells = data[name]
    if name == "p_y":
        x, z = cells.x.values[:, None], cells.z.values
        top = (x + z) // 2
    else:
        top = np.full(cells.shape, bound)
    planted = random.integers(-1, top + 1)
    planted = np.where(cells.values < 0, planted if name == "p_y" else -1, planted)
    data = xr.Dataset({name: (cells.dims, planted.astype(np.int32))})
    (only,) = mine_value_sets(Cells.of(game, bound, data))
    assert only.nothing, only.text


@pytest.mark.parametrize(
    ("values", "name", "condition"),
    [
        ([0], "zero", "v == 0"),
        ([0, 1], "finite", "v == 0 or v == 1"),
        ([0, 2, 6, 14], "two-powers-minus-two", "v >= 0 and (v+2) & (v+1) == 0"),
        ([0, 1, 2, 6, 14, 30], "two-powers-minus-two", "v == 1 or v >= 0 and (v+2) & (v+1) == 0"),
        ([6, 14, 30, 62], "two-powers-minus-two", "v >= 6 and (v+2) & (v+1) == 0"),
        ([1, 2, 4, 8, 16], "powers", "v >= 1 and v & (v-1) == 0"),
        ([4, 5, 7, 11, 19], "powers", "v >= 4 and (v-3) & (v-4) == 0"),
        ([0, 2, 6], "finite", "v == 0 or v == 2 or v == 6"),
        ([0, 2, 6, 30, 62], "finite", "v == 0 or v == 2 or v == 6 or v == 30 or v == 62"),
    ],
)
def test_forms(values, name, condition):
    form = forms(values)[0]
    assert (form.name, form.condition) == (name, condition)
    near = range(-values[-1] - 9, values[-1] + 1)
    assert [v for v in near if parse(form.condition).value({"v": v})] == values


def test_long_sets_have_no_form():
    assert forms([]) == forms([*range(40)]) == forms([0, 1, 3, 4, 7, 8, 9, 12, 20]) == []


@given(st.sets(st.integers(-30, 30), min_size=4), st.integers(1, 6), st.integers(0, 5))
def test_conditions_hold(drawn, modulus, residue):
    values = sorted(modulus * v + residue for v in drawn)
    for condition in conditions(values):
        assert all(parse(condition).value({"v": v}) for v in values)
    if modulus > 1:
        assert f"v % {modulus} == {residue % modulus}" in conditions(values)
    assert {f"v >= {values[0]}", f"v <= {values[-1]}"} <= set(conditions(values))


@given(st.sets(st.integers(0, 30)))
def test_frontier(values):
    last = frontier(sorted(values))
    assert set(range(last + 1)) <= values
    assert last + 1 not in values


def test_frontier_laws():
    sides = [16, 32, 64, 128, 256, 512]
    assert frontier_law([(b, 3 * b // 2 + 5) for b in sides]) == "3·B/2 + 5"
    for frontiers in ([9] * 6, [*sides[:5], 511], sides[:3]):
        assert frontier_law([*zip(sides, frontiers, strict=False)]) is None


def test_games_that_the_papers_form_no_nim_sum_of():
    assert nim_sum_of(RectangularBar(3, 3)) is None
    assert nim_sum_of(Nim(3)) == "a ^ b ^ c"
    assert nim_sum_of(SolidBar("(x+z)//3")) == "x ^ y ^ z"
    assert mine_value_sets(Cells.of(RectangularBar(3, 3), 0, p_table(RectangularBar(3, 3)))) == []


def _listed(game, bound, data):
    points = Cells.of(game, bound, data).all_p_positions()
    yield from zip(*(points[name].tolist() for name in game.coordinates), strict=True)


def _nim_sum(game, position):
    add = game.base.s if isinstance(game.base, StripBar) else 0
    total = 0
    for name, value in zip(game.coordinates, position, strict=True):
        total ^= value + (add if name in "xz" else 0)
    return total


@pytest.mark.parametrize(("last", "relation"), [(8, "within"), (16, "exactly")])
def test_the_values_are_not_a_set_of_which_a_small_member_never_occurs(last, relation):
    """1, 2, 4 and 8 are all that is seen: if 16 is a power of 2 that does not occur up to bound 64, then no set of powers."""
    found = ValueSet(parse("x"), 64, 64)
    powers = np.array([1 << i for i in range(last.bit_length())])
    for size in (10, 40):
        found.add({"x": powers}, np.full(powers.size, size))
    form = _form(found, 16, np.arange(100), 1000)
    assert form is not None
    assert form.relation == relation
    assert form.condition == "v >= 1 and v & (v-1) == 0"


@given(st.one_of(rulesets(), cut_games()), st.data())
def test_positions_are_known_all_at_once(game, data):
    numbers = st.tuples(*(st.integers(0, 20) for _ in game.coordinates))
    points = data.draw(st.lists(numbers, max_size=30))
    columns = np.array(points, np.int64).reshape(-1, len(game.coordinates)).T
    found = are_positions(game, dict(zip(game.coordinates, columns, strict=True)))
    assert found.tolist() == [game.is_position(point) for point in points]
