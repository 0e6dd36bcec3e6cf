"""Each kind of move: the generic kernel against the definition."""

import signal

import numpy as np
import pytest

from choco_pipeline import CutGame, DisjunctiveSum, Nim, StepBar, WithPass, grundy_table
from choco_pipeline.formula import FormulaError
from choco_pipeline.kernels import generic
from choco_pipeline.tables.bounded_game import BoundedGame
from choco_pipeline.tables.computing import cost_of
from choco_pipeline.tables.table_kernels import GenericKernel
from tests.definition import grundy_by_definition

HEAPS = [{"lower": ["a"]}, {"lower": ["b"]}]
BAR = [{"lower": [name]} for name in "xyz"]
GAMES = {
    "Wythoff": (CutGame(["a", "b"], [*HEAPS, {"lower": ["a", "b"], "by": "same"}]), 12),
    "by a set": (CutGame(["a", "b"], [*HEAPS[:1], {"lower": ["b"], "by": [2, 5]}]), 12),
    "a set from both": (CutGame(["a", "b"], [{"lower": ["b", "a"], "by": [1, 3]}, *HEAPS[1:]]), 12),
    "any of three": (CutGame(["a", "b", "c"], [{"lower": ["c", "a", "b"], "by": "any"}]), 5),
    "each of three": (CutGame(["a", "b", "c"], [{"lower": ["c", "a", "b"], "by": "each"}]), 5),
    "Maximum Nim": (CutGame(["a"], [{"lower": ["a"], "at_most": "(a+1)//2"}]), 40),
    "no move": (CutGame(["a", "b"], [{"lower": ["a"], "at_most": "b-3"}]), 6),
    "any at most": (
        CutGame(["a", "b"], [{"lower": ["a", "b"], "by": "any", "at_most": "(a+b)//3"}]),
        9,
    ),
    "clipped": (CutGame(["x", "y", "z"], BAR, {"y": "z//2", "x": "z//3"}), 12),
    "not clipped": (
        CutGame(["x", "y", "z"], [{**m, "clip": False} for m in BAR], {"y": "(x+z)//2"}),
        7,
    ),
    "clipped where both are lowered": (
        CutGame(["y", "z"], [{"lower": ["y", "z"], "by": "any"}], {"y": "z//2"}),
        12,
    ),
    "not clipped where both are lowered": (
        CutGame(["y", "z"], [{"lower": ["z", "y"], "by": "each", "clip": False}], {"y": "z//2"}),
        14,
    ),
    "play ends": (CutGame(["a", "b"], HEAPS, ends="a+b <= 3 or a == b"), 9),
}
#: Games with a formula that has no value where play has ended, or where there is no position.
PARTIAL = {
    "a quotient": CutGame(
        ["a", "b"], [{"lower": ["a"], "at_most": "a//b"}, HEAPS[1]], ends="b == 0"
    ),
    "another coordinate ends it": CutGame(
        ["c", "b", "a"],
        [{"lower": ["a", "c"], "by": "any", "at_most": "a//(b-2)"}, {"lower": ["c"]}],
        ends="c == 0 or b == 2",
    ),
    "below a height": CutGame(
        ["b", "a"], [*HEAPS[:1], {"lower": ["b"], "at_most": "1 << a-b"}], {"b": "a//2"}
    ),
    "an end": CutGame(["a", "b"], HEAPS, {"b": "a//2"}, ends="7//(a-b+1) > 2"),
    "both": CutGame(
        ["c", "b", "a"],
        [*HEAPS, {"lower": ["c"], "at_most": "v2(a-b)+c//2"}],
        {"b": "(a+c)//2", "c": 4},
        ends="a <= b",
    ),
}


@pytest.mark.parametrize("passes", [0, 1, 2])
@pytest.mark.parametrize("name", GAMES)
def test_each_kind_of_move(name, passes):
    game, bound = GAMES[name]
    game = WithPass(game, passes) if passes else game
    expected = grundy_by_definition(game, bound)
    found = GenericKernel.of(BoundedGame.of(game, bound)).whole()
    np.testing.assert_array_equal(found if passes else found[0], expected)
    np.testing.assert_array_equal(grundy_table(game, bound).grundy.values, expected)


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize("bound", [0, 1, 8])
@pytest.mark.parametrize("name", PARTIAL)
def test_formulas_need_values_only_where_play_goes_on(name, bound, passes):
    game = WithPass(PARTIAL[name], passes) if passes else PARTIAL[name]
    expected = grundy_by_definition(game, bound)
    np.testing.assert_array_equal(grundy_table(game, bound).grundy.values, expected)
    assert cost_of(game, bound, "grundy").seconds > 0


def test_formulas_need_values_wherever_play_goes_on():
    game = CutGame(["a", "b"], [{"lower": ["a"], "at_most": "a//(b-40)"}], ends="a == 0")
    assert grundy_table(game, 39).grundy.sizes == {"a": 40, "b": 40}
    with pytest.raises(FormulaError, match="division by zero at column 2: a=1, b=40"):
        grundy_table(game, 40)


def test_passes_of_a_part_that_the_whole_game_passes_around():
    game = WithPass(DisjunctiveSum(WithPass(Nim(1)), StepBar(2)), 2)
    found = GenericKernel.of(BoundedGame.of(game, 5)).whole()
    np.testing.assert_array_equal(found, grundy_by_definition(game, 5))


def test_what_no_blocks_compute_stays_whole():
    game, _ = GAMES["Wythoff"]
    assert GenericKernel.of(BoundedGame.of(game, 100_000)).seconds > 1000
    assert not cost_of(game, 100_000, "grundy").large


def test_ctrl_c_is_heard_before_a_table_is_whole(monkeypatch):
    """Machine code returns after a number of options, and continues from there."""
    game, bound = GAMES["Wythoff"]
    rows = []

    def noting(*what):
        rows.append(fill_rows(*what))
        if len(rows) == 3:
            signal.raise_signal(signal.SIGINT)
        return rows[-1]

    fill_rows = generic.fill_rows
    monkeypatch.setattr(generic, "fill_rows", noting)
    monkeypatch.setattr(generic, "VISITS", 15)
    with pytest.raises(KeyboardInterrupt):
        GenericKernel.of(BoundedGame.of(game, bound)).whole()
    assert rows == sorted(set(rows)), "each goes on where the one before stopped"
    assert len(rows) == 3
    assert rows[-1] < bound
    expected = grundy_by_definition(game, bound)
    np.testing.assert_array_equal(
        GenericKernel.of(BoundedGame.of(game, bound)).whole()[0], expected
    )
