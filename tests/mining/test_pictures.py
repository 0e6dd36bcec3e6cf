"""Plane pictures of P-positions, cell by cell against the definition; linear equations over GF(2), against all assignments."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.mining.pictures import solve, stacks
from choco_pipeline.tables.computing import grundy_table, p_table
from tests.effort import examples
from tests.rulesets import solid_bars, strip_bars

three = st.one_of(strip_bars, solid_bars(), st.just(Nim(3)))


@settings(max_examples=examples(25))
@given(three, st.integers(0, 6), st.booleans(), st.booleans())
def test_three_coordinates(base, bound, passes, grundy):
    game = WithPass(base) if passes else base
    data = (grundy_table if grundy else p_table)(game, bound)
    cuts = list(stacks(game, bound, data))
    assert 1 <= len(cuts) <= 3
    for cut in cuts:
        assert [stack.passes for stack in cut] == ([0, 1] if passes else [None])
        for stack in cut:
            order = [stack.axes.index(name) for name in base.coordinates]
            for cell in np.ndindex(stack.cells.shape):
                position = tuple(cell[axis] for axis in order)
                legal = base.is_position(position)
                assert stack.legal[cell] == legal, (stack.text, position)
                whole = position if stack.passes is None else (*position, stack.passes)
                assert stack.cells[cell] == (legal and game.is_p_position(whole)), whole


@pytest.mark.parametrize("passes", [0, 1])
def test_a_step_bar_is_cut_with_its_strip(passes):
    base = StepBar(3, 1)
    game = WithPass(base) if passes else base
    whole = WithPass(StripBar(3, 1)) if passes else StripBar(3, 1)
    for cut in stacks(game, 7, grundy_table(game, 7)):
        for stack in cut:
            assert stack.ruleset == whole.notation
            order = [stack.axes.index(name) for name in "xyz"]
            for cell in np.ndindex(stack.cells.shape):
                position = tuple(cell[axis] for axis in order)
                if whole.is_position((*position, 0)[: 3 + passes]):
                    left = (stack.passes,) if passes else ()
                    assert stack.cells[cell] == whole.is_p_position((*position, *left))


@pytest.mark.parametrize("passes", [0, 1])
def test_four_heaps_are_bars(passes):
    game = WithPass(Nim(4)) if passes else Nim(4)
    found = [stack for cut in stacks(game, 4, p_table(game, 4)) for stack in cut]
    seen = set()
    for stack in found:
        seen.add((stack.numbers, stack.wider, stack.passes))
        for place in np.ndindex(stack.cells.shape):
            *numbers, i, j = (index + 1 for index in place)
            m, n = numbers if stack.numbers == 2 else (numbers[0], numbers[0] + stack.wider)
            legal = i <= m and j <= n
            assert stack.legal[place] == legal
            heaps = RectangularBar(m, n).whole(i, j) if legal else ()
            left = (stack.passes,) if passes else ()
            assert stack.cells[place] == (legal and game.is_p_position((*heaps, *left)))
    layers = [0, 1] if passes else [None]
    assert seen == {(1, d, p) for d in range(5) for p in layers} | {(2, 0, p) for p in layers}


def test_a_rectangular_bar_is_followed_down():
    game = RectangularBar(4, 6)
    sizes = {s.ruleset: s.cells.shape for (s,) in stacks(game, 5, p_table(game))}
    squares = {
        f"rectangular-bar(m=m, n=m{more})": wider for wider, more in enumerate(("", "+1", "+2"))
    }
    assert sizes == {name: (6 - d, 6 - d, 6) for name, d in squares.items()} | {
        "rectangular-bar(m=m, n=n)": (6, 6, 6, 6)
    }


def test_other_games_have_no_pictures():
    assert not list(stacks(Nim(2), 5, p_table(Nim(2), 5)))
    assert not list(stacks(StepBar(2), 5, p_table(StepBar(2), 5)))
    solid = SolidBar("(x+z)//2")
    axes = [cut[0].axes for cut in stacks(solid, 9, p_table(solid, 9))]
    assert axes == [("z", "x", "y"), ("y", "x", "z")]  # x and z are alike


@st.composite
def systems(draw):
    unknowns, equations = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    bits = st.lists(st.booleans(), min_size=unknowns, max_size=unknowns)
    rows = draw(st.lists(bits, min_size=equations, max_size=equations))
    values = draw(st.lists(st.booleans(), min_size=equations, max_size=equations))
    return np.array(rows, bool), np.array(values, bool)


@given(systems(), st.data())
def test_all_solutions(system, data):
    rows, values = system
    unknowns = rows.shape[1]
    every = {
        bits
        for bits in product((False, True), repeat=unknowns)
        if all(
            sum(r and b for r, b in zip(row, bits, strict=True)) % 2 == v
            for row, v in zip(rows, values, strict=True)
        )
    }
    found = solve(rows, values)
    if found is None:
        assert not every
        return
    combined = {
        tuple(map(bool, np.bitwise_xor.reduce([found.one, *found.nullspace[list(chosen)]])))
        for chosen in product((False, True), repeat=len(found.nullspace))
    }
    assert combined == every
    assert len(every) == 2 ** (unknowns - found.rank)
    assert found.equations == len(
        {(*map(bool, r), bool(v)) for r, v in zip(rows, values, strict=True)}
        - {(False,) * (unknowns + 1)}
    )
    costs = np.array(data.draw(st.lists(st.integers(1, 9), min_size=unknowns, max_size=unknowns)))
    best = found.sparsest(costs)
    assert tuple(map(bool, best)) in every
    assert best @ costs == min(np.array(bits) @ costs for bits in every)


def test_a_large_nullspace_still_gives_a_solution_that_no_single_change_makes_cheaper():
    rng = np.random.default_rng(5)
    rows = rng.random((8, 40)) < 0.5
    values = rng.random(8) < 0.5
    found = solve(rows, values)
    assert found is not None
    assert len(found.nullspace) > 12
    best = found.sparsest(np.ones(40, np.int64))
    assert np.array_equal((rows @ best.astype(int)) % 2 == 1, values)
    assert best.sum() <= found.one.sum()
    assert all((best ^ change).sum() >= best.sum() for change in found.nullspace)
