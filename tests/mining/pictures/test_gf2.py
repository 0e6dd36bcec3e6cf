"""Linear equations over GF(2), against all assignments of few unknowns."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.mining.pictures.gf2 import solve


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
