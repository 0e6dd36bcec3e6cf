"""The numbers of P-positions on lines: Wythoff's laws are found, and none in tables without one."""

import numpy as np
import pytest

from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.counted_lines import BOUND, INSIDE, mine_counted_lines
from choco_pipeline.tables.computing.in_memory import table

WYTHOFF = "game(wythoff)"


def lines(notation, bound, data=None):
    game = parse_ruleset(notation)
    data = table(game, bound, "p-positions") if data is None else data
    return [one.claim["statement"] for one in mine_counted_lines(game, bound, data) if one.claim]


@pytest.mark.full
def test_each_difference_occurs_once_and_each_number_in_one_pair():
    """W. A. Wythoff (1907)."""
    assert lines(WYTHOFF, 64) == [
        "every n in 0..16: count(position: size <= 64 and P and a <= b and b-a == n) == 1",
        "every n in 1..16: count(position: size <= 64 and P and a < b and (a == n or b == n)) == 1",
    ]
    assert len(lines(WYTHOFF, 1000)) == 2
    assert f"0..{BOUND // INSIDE}" in lines(WYTHOFF, 1000)[0]


def test_lines_of_other_games():
    """Of two heaps only the difference 0 occurs; games with other numbers of coordinates are not searched."""
    assert lines("nim(2)", 64) == []
    nim = parse_ruleset("nim(3)")
    assert mine_counted_lines(nim, 9, table(nim, 9, "p-positions")) == []


@pytest.mark.parametrize("seed", range(5))
def test_random_tables_have_no_law(seed):
    random = np.random.default_rng(seed)
    data = table(parse_ruleset(WYTHOFF), 64, "p-positions").copy(deep=True)
    (name,) = data.data_vars
    data[name].values[...] = random.random(data[name].shape) < 1 / 64
    assert lines(WYTHOFF, 64, data) == []


def test_one_position_more_ends_both_laws():
    data = table(parse_ruleset(WYTHOFF), 64, "p-positions").copy(deep=True)
    (name,) = data.data_vars
    data[name].values[3, 4] = data[name].values[4, 3] = 1
    assert lines(WYTHOFF, 64, data) == []
