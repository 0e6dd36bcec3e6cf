"""Statements on options against the definition, position by position and option by option."""

from __future__ import annotations

from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import CutGame, RectangularBar, StepBar, StripBar
from choco_pipeline.claims.checks import evaluation
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.checks.options import Box
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    Finding,
    HoldsToBound,
    Undecided,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.rules import Move, Rules
from choco_pipeline.statements import tree
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity, variable_of
from tests.claims.claims import claim_on
from tests.effort import examples
from tests.own_games import OwnGame, own_games

MORE = [
    ("nim(3)", 4),
    ("step-bar(k=1, s=1)", 6),
    ("solid-bar(f=(x+z)//2)", 5),
    ("game(wythoff)", 6),
    ("sum(solid-bar(f=(x+z)//2), step-bar(k=1, s=1))", 2),
    ("sum(with-pass(nim(1), passes=2), step-bar(k=1))", 3),
    ("with-pass(sum(with-pass(strip-bar(k=2)), nim(1)), passes=2)", 2),
    ("with-pass(with-pass(solid-bar(f=x//2+z)), passes=1)", 3),
    ("sum(rectangular-bar(m=2, n=3), nim(1))", 3),
]


def find(game, bound, statement):
    # A table of the P-positions of one heap is a single cell, on which nothing is checked.
    quantity: Quantity = "p-positions" if variable_of(game, "p-positions").dims else "grundy"
    return check_claim(claim_on(game, statement), {}, game, bound, table(game, bound, quantity))


BESIDE = [
    "some option by {z}: {y}' == {y} and {y} > 0",
    "no option by {z}: {y}' < {y} and {z}' == 0",
    "every option by {z}: {y}' == {y} => {z}' > 0",
    "every option by {z}: {y}' < {y} => {z}' > 0",
    "{y} > 1 => every option: {z}' + {y}' > 0 or {y} < {z}",
]


@pytest.mark.parametrize(("notation", "bound"), MORE)
@pytest.mark.parametrize("shape", BESIDE)
def test_all_options_at_once_are_the_options_of_each(notation, bound, shape):
    game = parse_ruleset(notation)
    first, last = game.coordinates[0], game.coordinates[-1]
    for y, z in ((game.coordinates[1 % len(game.coordinates)], first), (last, first)):
        statement = shape.format(y=y, z=z)
        claim = Claim.from_json({"id": "drawn", "ruleset": notation, "statement": statement})
        found = []
        for many in (1, 10**9):
            with mock.patch.object(evaluation, "MANY", many):
                found.append(check_claim(claim, {}, game, bound, table(game, bound, "grundy")))
        assert found[0] == found[1]


@settings(max_examples=examples(200), deadline=None)
@given(st.data(), own_games())
def test_options_of_every_kind_of_move(data, game):
    bound = data.draw(st.integers(0, {1: 12, 2: 6, 3: 4}.get(len(game.coordinates), 3)))
    box, names = Box.of(game, bound), list(game.coordinates)
    positions = [p for p in product(*map(range, box.legal.shape)) if game.is_position(p)]
    assert list(map(tuple, np.argwhere(box.legal).tolist())) == positions
    listed = [row for _, at in box.positions for row in zip(*at.values(), strict=True)]
    assert listed == positions
    # Few positions are wanted, so that it matters which ones a move reaches.
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    wanted = box.legal & (random.random(box.legal.shape) < data.draw(st.sampled_from([0.05, 0.3])))
    for by in ([], names[:1], names[-2:]):
        found = box.with_option(wanted, by)
        for position in positions:
            moves = [m for m in game.rules.moves if not by or set(m.lowers) <= set(by)]
            options = [q for move in moves for q in game.rules.options_by(move, position)]
            assert found[position] == any(wanted[option] for option in options)


def test_a_limited_amount_is_taken_from_few_coordinates_only():
    names = tuple("abcdefg")
    game = OwnGame(Rules(names, {}, (Move(names, at_most=parse("2")),)))
    box = Box.of(game, 1)
    with pytest.raises(LimitError, match=r"from each of 7 coordinates.* at most 6"):
        box.with_option(box.legal)


def test_conditions_are_evaluated_at_positions_only():
    game = StepBar(k=2)
    # It has no value just above the bar.
    above = "6 // (z//2 - y + 1) >= 0 => every option: 6 // (z'//2 - y' + 1) >= 0"
    assert find(game, 9, above).verdict == HoldsToBound(30, 9)
    verdict = find(game, 9, "6 // z >= 0 => no option: z' < 0").verdict
    assert isinstance(verdict, Undecided)
    assert "division by zero" in verdict.why


def test_largest_amounts_need_values_only_where_play_goes_on():
    moves = [{"lower": ["a"], "at_most": "a//b"}, {"lower": ["b"]}]
    game = CutGame(["a", "b"], moves, ends="b == 0")
    box = Box.of(game, 4)
    wanted = box.legal.copy()
    wanted[1:] = False
    found = np.argwhere(box.with_option(wanted, ["a"]))
    assert found.tolist() == [[1, 1], [2, 1], [3, 1], [4, 1]]


def test_a_box_that_is_too_large_is_made_smaller_and_said_to_be(monkeypatch):
    monkeypatch.setattr("choco_pipeline.claims.checks.check.MOST_CELLS", 7 * 7 * 4)
    game = StripBar(k=2)
    finding = find(game, 20, "y == 0 => every option: y' == 0")
    assert finding.verdict == HoldsToBound(49, 6)
    assert finding.evidence == {"bound": 6}
    wrong = find(game, 20, "y == 1 => every option: y' == 1")
    assert wrong.evidence == {"failures": 35, "bound": 6}

    square = RectangularBar(5, 5)
    whole = find(square, 2, "a >= 0 => no option: a' < 0")
    assert whole == Finding(Exhausted(225), {})

    tall = StepBar(k=1, s=999)
    verdict = find(tall, 2, "y == 0 => no option: y' == 1").verdict
    assert isinstance(verdict, Undecided)


def test_a_cell_outside_of_a_box_is_no_option():
    """The cell (0, 4) would be (1, 0), an option, if only its flat index counted."""
    judge = evaluation.Evaluation(evaluation.Board(parse_ruleset("nim(2)")), 3, {})
    cell = tree.IsOption((tree.Expression(parse("a-1")), tree.Expression(parse("b+3"))))
    assert not judge.holds(cell, judge.start({"a": np.array([1]), "b": np.array([1])})).any()


def test_an_earlier_result_is_used_for_the_same_question_only():
    box = Box.of(parse_ruleset("solid-bar(f=(x+z)//2)"), 5)
    every, falling, staying = (
        box.with_option(box.legal, ("x",), falls) for falls in (None, True, False)
    )
    assert np.array_equal(every, falling | staying)
    assert not np.array_equal(falling, staying)
    assert not np.array_equal(every, box.with_option(box.legal, ("x", "y", "z")))
