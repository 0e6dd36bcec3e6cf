"""Membership in relations, read from tables, against the definition of the games."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import DisjunctiveSum, Nim, SolidBar, StepBar, StripBar, WithPass, parse_ruleset
from choco_pipeline.automata.residuals import Graph
from choco_pipeline.errors import LimitError
from choco_pipeline.proof.games.guess import deepest, members
from tests.effort import examples
from tests.own_games import own_games
from tests.rulesets import rulesets

DEPTH = {1: 4, 2: 4, 3: 3, 4: 2, 5: 1}


def layers(ruleset):
    """Return the game below a pass and its numbers of passes left."""
    if isinstance(ruleset, WithPass):
        return ruleset.ruleset, range(ruleset.passes + 1)
    return ruleset, range(1)


@settings(max_examples=examples(60))
@given(st.one_of(rulesets(), own_games().filter(lambda game: len(game.coordinates) <= 4)))
def test_members_are_the_definitions(ruleset):
    base, passes_left = layers(ruleset)
    dimensions = len(base.coordinates)
    depth = DEPTH[dimensions]
    points = np.array(list(product(range(1 << depth), repeat=dimensions)), np.int64)
    p, grundy = members(ruleset, "p", depth), members(ruleset, "grundy", depth)
    assert len(p) == len(grundy) == len(passes_left)
    for left in passes_left:
        here = [(*point, left)[: len(ruleset.coordinates)] for point in points.tolist()]
        values = [ruleset.grundy(q) if ruleset.is_position(q) else None for q in here]
        assert p[left](points).tolist() == [value == 0 for value in values]
        for offset in (0, 1, 7):
            tried = [offset if value is None else value ^ offset for value in values]
            found = grundy[left](np.column_stack([points, tried]))
            assert found.tolist() == [offset == 0 and value is not None for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "sum(with-pass(nim(1), passes=1), step-bar(k=2))",
        "with-pass(sum(nim(1), step-bar(k=2, s=1)), passes=2)",
    ],
)
def test_passes_inside_and_around_sums(text):
    ruleset = parse_ruleset(text)
    points = np.array(list(product(range(4), repeat=len(layers(ruleset)[0].coordinates))), np.int64)
    for left, member in enumerate(members(ruleset, "p", 2)):
        here = [(*point, left)[: len(ruleset.coordinates)] for point in points.tolist()]
        assert member(points).tolist() == [
            ruleset.is_position(q) and ruleset.is_p_position(q) for q in here
        ]


@pytest.mark.parametrize(
    ("ruleset", "determined"),
    [(StripBar(4, 2), 0), (SolidBar("(x+z)//3"), 1), (StepBar(2), 0), (Nim(3), 2)],
)
def test_columns_make_graphs(ruleset, determined):
    (member,) = members(ruleset, "p", 6)
    assert isinstance(member, Graph)
    assert member.determined == determined


def test_a_determined_coordinate_may_exceed_the_table():
    (member,) = members(StripBar(k=4, s=2), "p", 3)
    assert member(np.array([[9, 2, 7]])).tolist() == [True]
    with pytest.raises(ValueError, match="a table to 7 is asked about 8"):
        member(np.array([[9, 2, 8]]))


def test_tables_that_are_too_large_are_refused_before_they_are_computed():
    bar = SolidBar("(x+z)//3")
    with pytest.raises(LimitError, match="its grundy table to 14 binary digits takes"):
        members(bar, "grundy", 14)
    most = deepest(bar, "grundy", 14)
    assert 6 <= most < 14
    assert deepest(bar, "p", 8) == 8
    assert deepest(WithPass(Nim(5)), "p", 9) < 9  # which no kernel computes


def test_sums_need_the_tables_of_their_parts_only():
    # the table of the sum has 2**36 cells, those of its parts 2**18
    game = DisjunctiveSum(StepBar(2), StepBar(4))
    (member,) = members(game, "p", 9)
    a, b = StepBar(2).grundy((3, 200)), StepBar(4).grundy((5, 100))
    assert member(np.array([[3, 200, 5, 100]])).tolist() == [a == b]
