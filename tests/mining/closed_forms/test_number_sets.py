"""Sets of numbers are said by residues or by forms; others, and short periods that a later number breaks, by nothing."""

from __future__ import annotations

import numpy as np
import pytest

from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.closed_forms.learnt_formulas import mine_formulas
from choco_pipeline.mining.closed_forms.value_sets import conditions_on
from choco_pipeline.tables.computing import table

NUMBERS = np.arange(128)


@pytest.mark.parametrize(
    "truth",
    [
        "a%7 == 0 or a%7 == 2",
        "a%5 == 2",
        "(a+1) & a == 0",
        "a >= 1 and a & (a-1) == 0",
        "a%9%2 == 0 and a%9 < 8",
        "a%30 < 10",
        "a%20%3 == 1 and a%20 >= 7",
    ],
)
def test_sets_with_a_form(truth) -> None:
    inside = np.broadcast_to(parse(truth).evaluate({"a": NUMBERS}), NUMBERS.shape)
    first = next(conditions_on("a", inside))
    far = np.arange(1 << 12)
    assert (parse(first).evaluate({"a": far}) == parse(truth).evaluate({"a": far})).all()


def test_sets_without_a_form() -> None:
    inside = NUMBERS % 7 == 0
    inside[100] = True
    random = np.random.default_rng(0).random(128) < 0.5
    residues = np.isin(NUMBERS % 30, [0, 1, 3, 4, 9, 12, 13, 20, 21, 28])
    for one in (inside, random, NUMBERS >= 0, NUMBERS < 0, residues):
        assert list(conditions_on("a", one)) == []


def test_a_set_that_the_second_half_refutes_is_not_said() -> None:
    """Restricted Nim in which 1 or 2 may be taken: every third number, until one cell is another one."""
    game = parse_ruleset("game(subtraction)")
    data = table(game, 255, "p-positions")
    (right,) = mine_formulas(game, 255, data)
    assert [line.formula for line in right.formulas] == ["a%7 == 0 or a%7 == 2"]
    data["p_position"].values[200] = 1 - data["p_position"].values[200]
    assert all("%7" not in str(one.formulas) for one in mine_formulas(game, 255, data))
