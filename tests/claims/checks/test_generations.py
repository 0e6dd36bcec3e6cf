"""Generations of a cellular automaton against a dictionary of cells, and against the bars they should be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar
from choco_pipeline.claims.checks.bars import generation_of
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.kinds import Cellular
from choco_pipeline.claims.language.verdict import Exhausted, Refuted, Undecided, Verdict
from choco_pipeline.tables.computing import p_table
from tests.claims.oracle import generation_by_definition
from tests.claims.written import claim_from

TERMS = [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [2, 1, 1]]  # patterns, Theorem 5.4
START = [[1, 1, 1, 1]]


def verdict_on(m: int, terms: list[list[int]], start: list[list[int]] = START) -> Verdict:
    check = {"kind": "cellular", "terms": terms, "start": start, "modulo": 2, "generation": "m"}
    claim = claim_from({"id": "drawn", "ruleset": "rectangular-bar(m=m, n=m)", "check": check})
    game = RectangularBar(m, m)
    return check_claim(claim, {"m": m}, game, m, p_table(game)).verdict


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
def test_generations(
    terms: list[list[int]], start: list[list[int]], modulo: int, generation: int
) -> None:
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
    assert found == generation_by_definition(check, generation)


def test_a_cell_outside_of_the_bar_refutes() -> None:
    verdict = verdict_on(1, TERMS, [[1, 1, 1, 1], [1, 5, 5, 1]])
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
def test_sums_that_leave_64_bits_are_refused(
    modulo: int, start: int, expected: Verdict | None
) -> None:
    terms = [[1, i, j] for i in (0, 1) for j in (0, 1)] * 4
    check = {"kind": "cellular", "terms": terms, "start": [[1, 1, 1, start]], "generation": "m"}
    document = {"id": "drawn", "ruleset": "rectangular-bar(m=m, n=m)"}
    claim = claim_from({**document, "check": check | {"modulo": modulo}})
    game = RectangularBar(2, 2)
    verdict = check_claim(claim, {"m": 2}, game, 2, p_table(game)).verdict
    assert verdict == expected or (expected is None and isinstance(verdict, Undecided))


@pytest.mark.parametrize(
    ("start", "generation"), [([[1, 1, 1, 1], [1, 10**9, 10**9, 1]], "m"), (START, "1 << 4000")]
)
def test_an_automaton_without_end_is_refused(start: list[list[int]], generation: str) -> None:
    check = {"kind": "cellular", "terms": TERMS, "start": start, "modulo": 2}
    document = {"id": "drawn", "ruleset": "rectangular-bar(m=m, n=m)"}
    claim = claim_from({**document, "check": {**check, "generation": generation}})
    game = RectangularBar(2, 2)
    assert isinstance(check_claim(claim, {"m": 2}, game, 2, p_table(game)).verdict, Undecided)


def test_the_automaton_of_the_paper_and_one_term_less() -> None:
    for m in range(1, 24):
        assert verdict_on(m, TERMS) == Exhausted(m * m)
    wrong = verdict_on(3, TERMS[:-1])
    assert isinstance(wrong, Refuted)
    assert wrong.counterexample.position == (1, 1, 1, 1)
    assert wrong.counterexample.found == "P-position"
