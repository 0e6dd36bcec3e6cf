"""Shifts: the printed ones come out of the machine, and mismatches are exact."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StripBar, WithPass, p_table
from choco_pipeline.mining.closed_forms.shifts import LARGEST, _mismatches, best_shifts, shift_text
from tests.effort import examples


@pytest.mark.parametrize(
    ("game", "bound", "shift"),
    [
        (SolidBar("(x+z)//3"), 40, [0, 0, 0]),  # triangular, Thm 7.3
        (SolidBar("(x+z)//7"), 40, [0, 0, 0]),
        (SolidBar("(x+z)//5"), 40, [-1, 0, -1]),  # triangular, Conj 8.1
        (SolidBar("(x+z)//9"), 40, [-1, 0, -1]),
        (StripBar(4, 2), 40, [2, 0, 2]),  # step2015, Thm 3.1
        (StripBar(6, 5), 40, [5, 0, 5]),
        (WithPass(StripBar(4)), 40, None),
        (SolidBar("(x+z)//2"), 40, None),  # triangular, Example 8.7: no formula seen
    ],
)
def test_printed_shifts(game, bound, shift):
    best = best_shifts(game, bound, p_table(game, bound)).best
    exact = [list(found.shift) for found in best if found.mismatches == 0]
    assert (shift in exact) if shift else not exact, best


def test_games_without_a_shift():
    assert best_shifts(Nim(3), 5, p_table(Nim(3), 5)) is None


@settings(max_examples=examples(40))
@given(
    st.integers(1, 7),
    st.integers(0, 9),
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.integers(0, 1),
    st.booleans(),
)
def test_mismatches_are_columns_that_the_formula_gets_wrong(k, bound, shift, passes, strip):
    a, b, c = shift
    base = StripBar(k, 2) if strip else SolidBar(f"(x+z)//{k}")
    game = WithPass(base, passes) if passes else base
    columns = {}
    for position in game.positions(bound):
        x, y, z = position[:3]
        p = position[3] if passes else 0
        column = (y, z, p) if strip else (x, z, p)
        said, found = columns.setdefault(column, (set(), set()))
        value = x if strip else y
        if ((x + a) ^ (y + b) ^ (z + c) ^ p) == 0:
            said.add(value)
        if game.grundy(position) == 0:
            found.add(value)
    data = p_table(game, bound)
    cells = data["p_x" if strip else "p_y"].values
    cells = cells if passes else cells[None]
    heights = None if strip else base.f.table(bound + 1, bound + 1)
    wrong, unmoved = _mismatches(cells, heights, [shift, (0, 0, 0)])
    assert [unmoved] == _mismatches(cells, heights, [(0, 0, 0)]), "each by itself"
    if strip:  # x may exceed the bound, so columns are compared where either lies inside
        certain = sum(said != found for said, found in columns.values())
        beyond = int((cells > bound).sum())
        assert certain <= wrong <= certain + beyond
    else:
        assert wrong == sum(said != found for said, found in columns.values())


def test_text():
    assert shift_text((0, 0, 0), with_pass=False) == "x⊕y⊕z=0"
    assert shift_text((2, 0, 2), with_pass=True) == "(x+2)⊕y⊕(z+2)⊕p=0"
    assert LARGEST >= 1000
