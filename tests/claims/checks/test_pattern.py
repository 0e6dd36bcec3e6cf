"""Patterns against the definition of the game, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar, Ruleset, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted, Undecided, Vacuous
from choco_pipeline.tables.computing.in_memory import p_table


def find(game: Ruleset, *cases: dict[str, Any], block: int = 1 << 18) -> Finding:
    check = {"kind": "pattern", "cases": list(cases)}
    claim = Claim.from_json({"id": "drawn", "ruleset": game.notation, "check": check})
    return check_claim(claim, {}, game, 9, p_table(game), block)


def is_p(m: int, i: int, j: int) -> bool:
    bar = RectangularBar(m, m)
    return bar.is_p_position(bar.whole(i, j))


CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "i == j": lambda i, j: i == j,
    "i + j > 4": lambda i, j: i + j > 4,
    "(i*j) % 2 == 0": lambda i, j: i * j % 2 == 0,
    "i < 0": lambda i, j: False,
}
LIKE: dict[tuple[str, ...], Callable[[int, int], tuple[int, int, int]]] = {
    ("3", "2", "i % 3 + 1"): lambda i, j: (3, 2, i % 3 + 1),
    ("j", "j", "1"): lambda i, j: (j, j, 1),
    ("i+j", "i", "j"): lambda i, j: (i + j, i, j),
    ("4", "i", "j"): lambda i, j: (4, i, j),
    ("i", "i", "j"): lambda i, j: (i, i, j),
}


@given(
    st.integers(1, 5),
    st.lists(
        st.tuples(
            st.none() | st.sampled_from(list(CONDITIONS)), st.sampled_from([*LIKE, "P", "N"])
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([1, 4, 1 << 18]),
)
def test_cells_are_compared_with_the_first_case_that_speaks_of_them(
    m: int, drawn: list[tuple[str | None, Any]], block: int
) -> None:
    cases = []
    for where, said in drawn:
        what = {"outcome": said} if isinstance(said, str) else {"like": list(said)}
        cases.append({**what, **({} if where is None else {"where": where})})
    found = find(RectangularBar(m, m), *cases, block=block)

    settled, wrong, outside = 0, [], False
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            said = next((s for w, s in drawn if w is None or CONDITIONS[w](i, j)), None)
            if said is None:
                continue
            settled += 1
            if isinstance(said, str):
                claimed = said == "P"
            else:
                side, a, b = LIKE[said](i, j)
                if not 1 <= min(a, b) <= max(a, b) <= side:
                    outside = True
                    continue
                claimed = is_p(side, a, b)
            if claimed != is_p(m, i, j):
                wrong.append(RectangularBar(m, m).whole(i, j))
    if outside:
        assert isinstance(found.verdict, Undecided)
        assert "which has none" in found.verdict.why
    elif wrong:
        assert isinstance(found.verdict, Refuted)
        least = min(wrong, key=lambda at: (max(at), at))
        assert found.verdict.counterexample.position == least
        assert found.verdict.positions == settled
        assert found.evidence == {"failures": len(wrong)}
    elif settled:
        assert found == Finding(Exhausted(settled))
    else:
        assert found == Finding(Vacuous("no position is one that it speaks of"))


def test_a_refutation_says_which_cell_was_meant() -> None:
    verdict = find(RectangularBar(3, 3), {"like": ["2", "1", "1"]}).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (0, 2, 1, 1)
    assert verdict.counterexample.found == "Grundy number 2 (N-position)"
    assert verdict.counterexample.claimed == "P-position, as cell (1, 1) of the 2 × 2 bar"
    assert verdict.counterexample.option == (0, 0, 1, 1)
    plain = find(RectangularBar(3, 3), {"outcome": "P"}).verdict
    assert isinstance(plain, Refuted)
    assert plain.counterexample.claimed == "P-position"


@pytest.mark.parametrize(
    ("like", "why"),
    [
        (["3", "i", "j-1"], r"cell \(1, 1\) is to be like cell \(1, 0\) of the 3 × 3 bar"),
        (["2", "i", "j"], r"cell \(1, 3\) is to be like cell \(1, 3\) of the 2 × 2 bar"),
        (["0", "i", "j"], r"cell \(1, 1\) is to be like cell \(1, 1\) of the 0 × 0 bar"),
    ],
)
def test_a_cell_that_no_bar_has(like: list[str], why: str) -> None:
    verdict = find(RectangularBar(3, 3), {"like": like}).verdict
    assert isinstance(verdict, Undecided)
    assert re.match(why, verdict.why)


@pytest.mark.full
def test_bars_that_are_too_large_or_too_many() -> None:
    large = find(RectangularBar(2, 2), {"like": ["10**6", "i", "j"]}).verdict
    assert isinstance(large, Undecided)
    assert "bars of side 1,000,000 are needed" in large.why
    many = find(RectangularBar(16, 16), {"like": ["90+i*j", "i", "j"]}).verdict
    assert isinstance(many, Undecided)
    assert "their sides' cubes may sum to" in many.why


def test_formulas_of_other_cases_need_no_value() -> None:
    later, first = {"like": ["3", "3//(i-1)", "j"]}, {"where": "1//i == 1", "outcome": "P"}
    game = RectangularBar(3, 3)
    assert not isinstance(find(game, {"where": "i > 1", **later}, first).verdict, Undecided)
    assert isinstance(find(game, later).verdict, Undecided)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_bars_with_a_pass_are_like_bars_with_a_pass(m: int) -> None:
    game = WithPass(RectangularBar(m, m), 1)
    cells = 2 * m * m
    assert find(game, {"like": [str(m), "j", "i"]}).verdict == Exhausted(cells)
    two_i = f"2*{m}", "2*i"
    without: dict[str, Any] = {"where": "p == 0", "like": [*two_i, "2*j-1"]}
    cases = [without, {"like": [*two_i, "2*j"]}]
    larger = WithPass(RectangularBar(2 * m, 2 * m), 1)
    wrong = [
        (*base, p)
        for i in range(1, m + 1)
        for j in range(1, m + 1)
        for p in (0, 1)
        for base in [RectangularBar(m, m).whole(i, j)]
        if game.is_p_position((*base, p))
        != larger.is_p_position((*RectangularBar(2 * m, 2 * m).whole(2 * i, 2 * j - 1 + p), p))
    ]
    verdict = find(game, *cases).verdict
    if wrong:
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position == min(wrong, key=lambda at: (max(at[:4]), at))
    else:
        assert verdict == Exhausted(cells)
