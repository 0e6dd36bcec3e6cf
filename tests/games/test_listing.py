"""Games with every kind of rule: listed options and tables, by definition."""

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import CutGame, DisjunctiveSum, Nim, WithPass
from choco_pipeline.claims.checks.evaluation import Board
from choco_pipeline.errors import LimitError, RulesetError
from choco_pipeline.games.listing import MOST_CHOICES, results_of
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from tests.effort import examples

#: Formulas in coordinates A and B, of which a game has one or more, and in chosen numbers.
TAKEN = ["i", "j", "i*i", "2*i", "i+1", "A//2", "i*B", "1", "2", "A-A//2"]
WHERE = ["i <= 3", "i%2 == 1", "i <= A//2+1", "i != 2", "i+B > 2"]
WHEN = ["A > 1", "A+B != 3", "B%2 == 0"]
LEGAL = ["A != B+1", "A != 2", "A+B < 9", "A >= 1"]
HEIGHTS = ["A+1", "B//2+1", "A+B", "max(A, B)", "3", "A"]
BOUNDS = {1: 12, 2: 6, 3: 3}


@st.composite
def games(draw, *, splits=None):
    """Draw a game on up to three coordinates; heights may depend on each other."""
    names = ["a", "b", "c"][: draw(st.integers(1, 3))]

    def of(texts, others=names):
        text = draw(st.sampled_from(texts))
        return text.replace("A", draw(st.sampled_from(others))).replace("B", others[-1])

    is_split = draw(st.booleans()) if splits is None else splits
    is_misere = not is_split and draw(st.integers(0, 3)) == 0
    moves: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        lower = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            move: dict[str, Any] = {
                "lower": lower,
                "by": draw(st.sampled_from(["any", "same", [1, 2]])),
            }
        elif kind == 1:
            vector = st.lists(st.integers(0, 3), min_size=len(lower), max_size=len(lower))
            move = {
                "lower": lower,
                "by": draw(st.lists(vector.filter(any), min_size=1, max_size=2)),
            }
        elif kind == 2 or not is_split:
            taken = {name: of(TAKEN) for name in lower}
            move = {"lower": taken}
            if any("i" in formula for formula in taken.values()) and draw(st.booleans()):
                move["where"] = of(WHERE)
        elif draw(st.booleans()):
            move = {"lower": lower[:1], "by": [1, 2], "split": lower[0]}
        else:
            where = draw(st.sampled_from(["u != w", "u > 0 and w > 0", "u == 1"]))
            move = {"split": {lower[0]: ["u", "w"]}, "where": where}
        if draw(st.integers(0, 3)) == 0:
            move["when"] = of(WHEN)
        moves.append(move | {"clip": draw(st.sampled_from([True, True, False]))})
    heights = {}
    for name in names if len(names) > 1 and draw(st.booleans()) else ():
        if draw(st.booleans()):
            heights[name] = of(HEIGHTS, [other for other in names if other != name])
    return CutGame(
        names,
        moves,
        heights,
        of(WHEN) if draw(st.integers(0, 4)) == 0 else None,
        of(LEGAL) if draw(st.integers(0, 2)) == 0 else None,
        "misere" if is_misere else "normal",
    )


def compare(game, bound):
    """Compare tables of a game with its definition."""
    positions = list(game.positions(bound))
    assert count_positions(game, bound) == len(positions)
    if not game.rules.misere:
        numbers = table(game, bound, "grundy")["grundy"]
        for at in product(*(range(most + 1) for most in game.limits(bound))):
            cell = int(numbers.sel(dict(zip(game.coordinates, at, strict=True))))
            assert cell == (game.grundy(at) if game.is_position(at) else -1), at
    cells = Cells.of(game, bound, table(game, bound, "p-positions"))
    found = {
        at
        for points in cells.p_positions()
        for at in zip(*(points[name].tolist() for name in game.coordinates), strict=True)
    }
    most = game.limits(bound)
    found = {at for at in found if all(n <= m for n, m in zip(at, most, strict=True))}
    assert found == {at for at in positions if game.is_p_position(at)}


@settings(max_examples=examples(60), deadline=None)
@given(games())
def test_options_of_many_positions_are_those_of_each(game):
    positions = list(game.positions(BOUNDS[len(game.coordinates)] // 2 + 1))
    columns = np.array(positions, np.int64).reshape(-1, len(game.coordinates)).T
    points = dict(zip(game.coordinates, columns, strict=True))
    found = defaultdict(set)
    for move in game.rules.moves if positions else ():
        for rows, parts in results_of(game.rules, move, points):
            ends = [
                zip(*(part[name].tolist() for name in game.coordinates), strict=True)
                for part in parts
            ]
            for row, result in zip(rows.tolist(), zip(*ends, strict=True), strict=True):
                found[positions[row]].add(result)
    for position in positions:
        results = set(game.results(position))
        assert found[position] == results
        for part in (part for result in results for part in result):
            assert game.check(part) == part < position
            assert all(n <= m for n, m in zip(part, position, strict=True))


@settings(max_examples=examples(60), deadline=None)
@given(games())
def test_tables_are_those_of_the_definition(game):
    compare(game, BOUNDS[len(game.coordinates)])


@settings(max_examples=examples(25), deadline=None)
@given(games(splits=False), st.integers(1, 2))
def test_with_passes(game, passes):
    compare(WithPass(game, passes), BOUNDS[len(game.coordinates)] // 2 + 1)


@settings(max_examples=examples(25), deadline=None)
@given(games().filter(lambda game: not game.rules.misere and len(game.coordinates) < 3))
def test_in_sums(game):
    compare(DisjunctiveSum(game, Nim(1)), 4)
    compare(DisjunctiveSum(game, game), 4 if len(game.coordinates) == 1 else 2)


KAYLES = CutGame(["a"], [{"lower": ["a"], "by": [1, 2], "split": "a"}])
DAWSON = CutGame(
    ["a"],
    [
        {
            "lower": {"a": "n"},
            "split": {"a": ["u", "w"]},
            "where": "n == 3 or (n == 2 and u*w == 0) or (n == 1 and u+w == 0)",
        }
    ],
)
SQUARES = CutGame(["a"], [{"lower": {"a": "n*n"}}])


@pytest.mark.parametrize(
    ("game", "printed"),
    [
        # R. K. Guy, C. A. B. Smith, The G-values of various games (1956).
        (KAYLES, [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7]),
        (DAWSON, [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5]),
        # OEIS A014586.
        (SQUARES, [0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0]),
    ],
)
def test_printed_numbers(game, printed):
    assert table(game, len(printed) - 1, "grundy")["grundy"].values.tolist() == printed


def test_euclid():
    """N exactly if the larger number is at least φ times the smaller, but not equal."""
    moves = [{"lower": {"a": "n*b"}}, {"lower": {"b": "n*a"}}]
    game = CutGame(["a", "b"], moves, legal="a >= 1 and b >= 1")
    for a, b in product(range(1, 20), repeat=2):
        larger, smaller = max(a, b), min(a, b)
        is_p = larger == smaller or larger * larger < larger * smaller + smaller * smaller
        assert game.is_p_position((a, b)) == is_p


def test_misere_nim():
    game = CutGame(["a", "b"], [{"lower": ["a"]}, {"lower": ["b"]}], play="misere")
    for a, b in product(range(9), repeat=2):
        assert game.is_p_position((a, b)) == (a == b if max(a, b) > 1 else (a + b) % 2 == 1)
    with pytest.raises(RulesetError, match="misère play has outcomes"):
        game.grundy((1, 2))
    with pytest.raises(RulesetError, match="misère"):
        table(game, 5, "grundy")
    with pytest.raises(RulesetError, match="played misère"):
        DisjunctiveSum(game, Nim(1))


def test_heights_that_depend_on_each_other_fall_together():
    """Every coordinate has a height, but the second game is infinite."""
    moves = [{"lower": [name]} for name in "abc"]
    game = CutGame(list("abc"), moves, heights={"a": "b+1", "b": "c+1", "c": "a+1"})
    assert game.rules.fallen({"a": 0, "b": 9, "c": 9}) == {"a": 0, "b": 2, "c": 1}
    assert game.limits(5) == (5, 5, 5)
    compare(game, 4)
    game = CutGame(list("abc"), moves, heights={"a": "b+c", "b": "a+c", "c": "a+b"})
    assert not Cells.of(game, 8, table(game, 8, "grundy")).is_whole
    assert not Board(game).is_finite
    with pytest.raises(RulesetError, match="bound"):
        game.limits()


def test_a_split_leaves_two_positions():
    assert ((2,), (2,)) in KAYLES.results((5,))
    with pytest.raises(RulesetError, match="splits a and leaves two positions"):
        list(KAYLES.options((5,)))
    with pytest.raises(RulesetError, match="share no passes"):
        WithPass(KAYLES)


def test_too_many_choices_are_refused_before_they_are_tried():
    game = CutGame(["a", "b"], [{"lower": {"a": "i+j", "b": "j*h"}}])
    side = round(MOST_CHOICES ** (1 / 3)) + 1
    with pytest.raises(LimitError, match="choices of amounts"):
        table(game, side, "p-positions")
