"""Value sets: the printed ones come out, growth is exact, and forms are recognised for what they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StripBar, WithPass, p_table
from choco_pipeline.mining.p_positions import nim_sum_of, p_positions
from choco_pipeline.mining.value_sets import frontier, recognise, value_set
from choco_pipeline.tables.compute import grundy_table
from tests.rulesets import rulesets_with_bounds


def mined(game, bound, expression=None):
    found = p_positions(game, p_table(game, bound), block=50)
    return value_set(found, bound, expression or nim_sum_of(game))


def test_printed_value_set():
    """pass2016, Examples 4.1 and 4.2: k=4, s=2, x, y, z ≤ 20."""
    found = mined(WithPass(StripBar(4, 2)), 20)
    assert found["expression"] == "(x+2) ^ y ^ (z+2) ^ p"
    assert found["growth"][-1]["values"] == [0, 1, 2, 6, 14, 30]
    assert found["form"]["text"] == "{2^n − 2 : 1 ≤ n ≤ 5} ∪ {1}"


def test_printed_end_of_a_list():
    """pass2016, Example 4.5: k=4, s=6, bound 80; the printed list ends so."""
    printed = [106, 108, 112, 113, 114, 115, 116, 117, 118, 119, 120, 122, 123, 126]
    game = WithPass(StripBar(4, 6))
    values = sorted(
        {(x + 6) ^ y ^ (z + 6) ^ p for x, y, z, p in _p_positions(game, 80) if max(x, y, z) <= 80}
    )
    assert values[-len(printed) :] == printed
    found = mined(game, 80)
    assert found["growth"][-1]["count"] == len(values)
    assert found["growth"][-1]["largest"] == 126


@given(rulesets_with_bounds())
def test_p_positions_are_those_of_the_definition(drawn):
    game, bound = drawn
    if isinstance(game, RectangularBar) or ("a" in game.coordinates and "d" in game.coordinates):
        bound = min(bound, 3)
    for data in (p_table(game, bound), grundy_table(game, bound)):
        if "p_cell" in data:
            continue
        listed = set(_listed(game, data))
        inside = {
            p for p in listed if all(a <= b for a, b in zip(p, game.limits(bound), strict=True))
        }
        assert inside == {p for p in game.positions(bound) if game.grundy(p) == 0}, str(game)


@given(rulesets_with_bounds())
def test_growth_is_exact(drawn):
    game, bound = drawn
    expression = nim_sum_of(game)
    if expression is None:
        return
    found = mined(game, bound + 16)
    for step in found["growth"]:
        inside = [
            p
            for p in _p_positions(game, bound + 16)
            if max(_without_pass(game, p)) <= step["bound"]
        ]
        values = {_nim_sum(game, p) for p in inside}
        assert (step["count"], step["positions"]) == (len(values), len(inside)), (
            f"{game} at {step['bound']}"
        )
        assert step["values"] == sorted(values)[:64]


@pytest.mark.parametrize(
    ("values", "frontiers", "name"),
    [
        ([0], [0], "zero"),
        ([0, 2, 6, 14], [0], "two-powers-minus-two"),
        ([0, 1, 2, 6, 14, 30], [2], "two-powers-minus-two"),
        ([0, 2, 6], [0], "list"),
        ([0, 1, 2, 3, 6, 7, 14], [3], "list"),
        (list(range(40)), [5, 11, 39], "all-up-to"),
        ([*range(40), 50], [5, 11, 39], "all-up-to"),
        (list(range(40)), [39, 39, 39], "list"),
        ([3], [-1], "list"),
        ([], [], "list"),
    ],
)
def test_forms(values, frontiers, name):
    assert recognise(values, frontiers)["name"] == name


@given(st.sets(st.integers(0, 30)))
def test_frontier(values):
    last = frontier(sorted(values))
    assert set(range(last + 1)) <= values
    assert last + 1 not in values


def test_games_that_the_papers_form_no_nim_sum_of():
    assert nim_sum_of(RectangularBar(3, 3)) is None
    assert nim_sum_of(Nim(3)) == "a ^ b ^ c"
    assert nim_sum_of(SolidBar("(x+z)//3")) == "x ^ y ^ z"


def _p_positions(game, bound):
    return _listed(game, p_table(game, bound))


def _listed(game, data):
    for part in p_positions(game, data, block=50):
        yield from zip(*(part.coordinates[c].tolist() for c in game.coordinates), strict=True)


def _without_pass(game, position):
    return position[:-1] if isinstance(game, WithPass) else position


def _nim_sum(game, position):
    base = game.ruleset if isinstance(game, WithPass) else game
    add = base.s if isinstance(base, StripBar) else 0
    total = position[-1] if isinstance(game, WithPass) else 0
    for name, value in zip(game.coordinates, _without_pass(game, position), strict=False):
        total ^= value + (add if name in "xz" else 0)
    return total
