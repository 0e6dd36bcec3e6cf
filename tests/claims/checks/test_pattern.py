"""Patterns of uncut bars, which are statements with the outcomes of other bars, against the definition."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar, Ruleset, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.kinds import Evaluated
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted, Undecided, Vacuous, Verdict
from choco_pipeline.tables.computing import p_table
from tests.definition import is_p_bar


def verdict_on(game: Ruleset, statement: str) -> Verdict:
    claim = Claim.from_json({"id": "drawn", "ruleset": game.notation, "statement": statement})
    assert isinstance(claim.check, Evaluated)
    assert claim.is_of_whole_bars
    return check_claim(claim, {}, game, 9, p_table(game)).verdict


CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "i == j": lambda i, j: i == j,
    "i + j > 4": lambda i, j: i + j > 4,
    "(i*j) % 2 == 0": lambda i, j: i * j % 2 == 0,
    "i < 0": lambda i, j: False,
}
LIKE: dict[tuple[int, str, str], Callable[[int, int], tuple[int, int]]] = {
    (3, "2", "i % 3 + 1"): lambda i, j: (2, i % 3 + 1),
    (4, "i", "j"): lambda i, j: (i, j),
    (5, "j", "i"): lambda i, j: (j, i),
}


@given(
    st.integers(1, 5),
    st.lists(
        st.tuples(st.sampled_from(list(CONDITIONS)), st.sampled_from([*LIKE, "P", "not P"])),
        min_size=2,
        max_size=3,
    ),
)
def test_cells_are_compared_with_those_of_other_bars(
    m: int, drawn: list[tuple[str, tuple[int, str, str] | str]]
) -> None:
    parts = []
    for where, said in drawn:
        if isinstance(said, str):
            parts.append(f"{where} => {said}")
        else:
            side, *at = said
            bar = f"rectangular-bar(m={side}, n={side})"
            parts.append(f"{where} => (P <=> P[{bar}]({', '.join(at)}))")
    verdict = verdict_on(RectangularBar(m, m), ";\n".join(parts))

    settled, wrong, outside = 0, [], False
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            truths = []
            spoken = [said for where, said in drawn if CONDITIONS[where](i, j)]
            settled += bool(spoken)
            for said in spoken:
                if isinstance(said, str):
                    truths.append(is_p_bar(m, m, i, j) == (said == "P"))
                    continue
                a, b = LIKE[said](i, j)
                if not 1 <= min(a, b) <= max(a, b) <= said[0]:
                    outside |= all(truths)  # the first part that is false decides
                    break
                truths.append(is_p_bar(m, m, i, j) == is_p_bar(said[0], said[0], a, b))
            if not all(truths):
                wrong.append((max(i, j), i, j))
    if outside:
        assert isinstance(verdict, Undecided)
    elif wrong:
        assert isinstance(verdict, Refuted)
        assert verdict.positions == settled
        assert verdict.counterexample.position == min(wrong)[1:]
    else:
        assert verdict == Exhausted(settled) if settled else isinstance(verdict, Vacuous)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_bars_with_a_pass_are_compared_with_bars_with_a_pass(m: int) -> None:
    game = WithPass(RectangularBar(m, m), 1)
    larger = WithPass(RectangularBar(2 * m, 2 * m), 1)
    there = f"P[{larger.notation}]"
    verdict = verdict_on(
        game, f"p == 0 => (P <=> {there}(2*i, 2*j-1, p)); p > 0 => (P <=> {there}(2*i, 2*j, p))"
    )
    wrong = [
        (max(i, j), i, j, p)
        for i in range(1, m + 1)
        for j in range(1, m + 1)
        for p in (0, 1)
        if game.is_p_position((*RectangularBar(m, m).whole(i, j), p))
        != larger.is_p_position((*RectangularBar(2 * m, 2 * m).whole(2 * i, 2 * j - 1 + p), p))
    ]
    if wrong:
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position == min(wrong)[1:]
    else:
        assert verdict == Exhausted(2 * m * m)
