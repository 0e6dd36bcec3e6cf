"""Conditions on height functions: against plain loops; what is found, what is not, and what is said of it."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.checks.height_functions import grundy_numbers
from choco_pipeline.finding.heights import (
    NO_TOP,
    SHIFTS,
    Condition,
    HeightsError,
    best_shifts,
    boxes,
    census,
    classified_all,
    classify_heights,
    family,
    having,
    held_out,
    least_of,
    search,
    up_to_exchange,
)
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.formula import parse
from choco_pipeline.games import SolidBar
from choco_pipeline.mining.height_search import EVERY, GRUNDY, P_POSITIONS, HeightClass
from choco_pipeline.sweep.run_plan import ASKED_OF_HEIGHTS
from tests.effort import examples

# Nakamura, Miyadera, Nakaya, Integers 20 (2020) #G1, in each argument.
NS = Condition(("u >> i == x >> i",), "g >> i-1 == h >> i-1")
NO_KEPT_SUM = Condition((), "g^u^x <= g or g^u^x > h")
WITHOUT_P = Condition(
    ("x^z > h",), "t <= x^z"
)  # with WITH_P right in small boxes, wrong in one of 4 by 5
BEFORE_P = Condition(("u^z > g", "x^z > h"), "t < u^z")
WITH_P = Condition(("u^z < x^z", "x^z <= h"), "u^z < g")


@st.composite
def functions(draw):
    shape, height = draw(st.tuples(*[st.integers(1, 5)] * 2)), draw(st.integers(0, 5))
    size = shape[0] * shape[1]
    f = np.array(draw(st.lists(st.integers(0, height), min_size=size, max_size=size)))
    f = np.maximum.accumulate(np.maximum.accumulate(f.reshape(shape), axis=0), axis=1)
    return f.tolist()


def has_by_definition(f, condition):
    """Return whether f has a condition, point by point."""
    where, such = [parse(part) for part in condition.where], parse(condition.such)

    def one_way(f):
        for u, x, z in product(range(len(f)), range(len(f)), range(len(f[0]))):
            if u >= x:
                continue
            tops = [f[v][z] for v in range(x) if f[v][z] == v ^ z]
            tops += [f[x][w] for w in range(z) if f[x][w] == x ^ w]
            env = {"u": u, "x": x, "z": z, "g": f[u][z], "h": f[x][z]}
            env["t"] = min(tops, default=NO_TOP)
            for i in range(1, 7):
                here = env | {"i": i}
                if all(part.value(here) for part in where) and not such.value(here):
                    return False
        return True

    return one_way(f) and one_way([list(row) for row in zip(*f, strict=True)])


@given(f=functions(), condition=st.sampled_from(family()))
def test_conditions_hold_as_they_read(f, condition):
    [found] = having(np.array([f]), [condition])
    assert found.tolist() == [has_by_definition(f, condition)], (f, condition)


@pytest.mark.parametrize(
    ("asked", "joined"),
    [
        (GRUNDY, [NS]),
        (GRUNDY, [NO_KEPT_SUM]),
        (P_POSITIONS, [WITHOUT_P, WITH_P]),
        (P_POSITIONS, [BEFORE_P, WITH_P]),
    ],
)
def test_conditions_tell_the_classes_by_their_games(asked, joined):
    """Grundy numbers by another route than the classes: the search of claims."""
    every = np.concatenate(list(HeightClass(EVERY).members(3, 3)))
    grundy = grundy_numbers(every)
    x, z, y = np.ogrid[:4, :4, :4]
    formula = x ^ y ^ z
    right = grundy == formula if asked == GRUNDY else (grundy == 0) == (formula == 0)
    inside = (right | (grundy < 0)).all(axis=(1, 2, 3))
    np.testing.assert_array_equal(np.logical_and.reduce(list(having(every, joined))), inside)


@pytest.mark.slow  # a minute; what smaller boxes tell is read back below with --all
def test_the_search_finds_the_shortest_conditions_and_nothing_else():
    short = [NS, NO_KEPT_SUM, WITHOUT_P, WITH_P, Condition((), "g == h"), Condition((), "u^z <= g")]
    found = search(HeightClass(P_POSITIONS), 3, 3, [*short, BEFORE_P])
    assert [set(joined) for joined in found.exact] == [{BEFORE_P, WITH_P}]
    assert found.looked_at == (len(short) + 1, 2)  # the other is the shorter one, with WITHOUT_P
    every = list(boxes(3, 3))
    assert found.functions == sum(map(len, every)) > 24_696
    assert found.members == sum(HeightClass(P_POSITIONS).has(box).sum() for box in every)
    assert found.held.positions > 731_808


@pytest.mark.full
def test_what_is_right_in_the_box_alone_is_not_kept():
    """In a box with heights 0 and 1 too much looks right."""
    found = search(HeightClass(P_POSITIONS), 2, 1)
    assert found.looked_at[1] > len(found.exact)
    for joined in found.exact:
        for _, batches in held_out(HeightClass(P_POSITIONS), 3, 2):
            for heights in batches:
                truths = np.logical_and.reduce(list(having(heights, joined)))
                np.testing.assert_array_equal(truths, HeightClass(P_POSITIONS).has(heights))


class Planted(HeightClass):
    """Functions that no condition tells: the sum of heights is odd, or 0."""

    def has(self, heights):
        """Return which functions are planted."""
        sums = heights.sum(axis=(1, 2))
        return (sums % 2 == 1) | (sums == 0)


def test_nothing_is_found_where_there_is_nothing():
    assert search(Planted(EVERY), 2, 2).exact == ()


def test_counts_and_least_functions():
    statement = census(2, 1)
    assert "of the 20 monotone f" in statement.text
    assert "6 have G" in statement.text
    assert "11 have P iff" in statement.text
    every = np.concatenate(list(HeightClass(EVERY).members(1, 1)))
    everyone = np.ones(len(every), np.bool_)
    assert up_to_exchange(every, everyone) == 5  # of 6: only 00/11 and 01/01 are one
    assert least_of(every, every[:, 0, 1] == 1) == [[0, 1], [0, 1]]
    assert least_of(every, ~everyone) is None


def test_best_shifts_are_those_of_the_definition():
    every = np.concatenate(list(HeightClass(EVERY).members(2, 2)))
    rows = {}
    for f in every.tolist():
        game = SolidBar(f)
        wrong = {}
        for shift in SHIFTS:
            a, b, c = shift
            wrong[shift] = sum(
                game.is_p_position(place) != (place[0] + a ^ place[1] + b ^ place[2] + c == 0)
                for place in product(range(3), repeat=3)
                if place[1] <= f[place[0]][place[2]]
            )
        best = min(SHIFTS, key=lambda shift: wrong[shift])
        for shift in SHIFTS:
            exact, closest = rows.get(shift, (0, 0))
            rows[shift] = exact + (wrong[shift] == 0), closest + (shift == best)
    found = {(row["exact"], row["best"]) for row in best_shifts(every)}
    assert found == {row for row in rows.values() if any(row)}
    assert sum(row["best"] for row in best_shifts(every)) == len(every)
    assert best_shifts(every)[0] == {"sum": "x⊕y⊕z", "exact": 43, "best": rows[0, 0, 0][1]}


@pytest.fixture(scope="module")
def classified():
    return classified_all(3, 2)


@pytest.mark.full
def test_the_stage_writes_statements_that_read_back(classified):
    steps, found, searches = [], [], []
    for asked in ASKED_OF_HEIGHTS:
        order = {"asked": asked, "side": 3, "height": 2}
        outcome = classify_heights(order, lambda *what, **n: steps.append((*what, n)))
        document = FoundDocument.of_outcome(json.loads(json.dumps(outcome)))
        found += document.statements
        searches += document.searches
    assert steps == [("mine", {"searches": 1})] * 3
    assert [one.nothing for one in searches] == [True, False]
    assert "none is right for other functions, too" in searches[0].tried.what
    assert classified == FoundDocument(statements=tuple(found), searches=tuple(searches))
    assert {one.search for one in found} == {"heights"}


P, G = "P <=> x ^ y ^ z == 0", "G == x ^ y ^ z"


def is_so(f, line):
    """Whether all positions of a bar are as a line says, by the definition of the game."""
    game, formula = SolidBar(f), parse(line.removeprefix("P <=> ").removeprefix("G == "))
    for x, z in product(range(len(f)), range(len(f[0]))):
        for y in range(f[x][z] + 1):
            said = formula.value({"x": x, "y": y, "z": z})
            number = game.grundy((x, y, z))
            if said != (number if line.startswith("G") else number == 0):
                return False
    return True


@pytest.fixture(scope="module")
def conditions_found(classified):
    found = [one for one in classified.statements if "conditions" in one.picture]
    assert found
    return found


ONCE_WRONG = (
    [[0, 0, 0, 0], [0, 1, 3, 3], [0, 3, 3, 3], [0, 3, 3, 3]],
    [[1, 1, 1], [2, 2, 2], [2, 2, 2]],
    [[1, 1], [1, 2]],
    [[1, 2, 4, 4, 4], [2, 2, 4, 4, 4], [2, 2, 4, 4, 4], [2, 3, 4, 4, 4]],
)


@pytest.mark.full
@settings(max_examples=examples(400), deadline=None)
@given(f=functions())
@example(f=ONCE_WRONG[0])
@example(f=ONCE_WRONG[1])
@example(f=ONCE_WRONG[2])
@example(f=ONCE_WRONG[3])
def test_what_is_said_of_f_is_right_by_definition_in_boxes_of_all_shapes(conditions_found, f):
    for one in conditions_found:
        conditions = [
            Condition(tuple(part["where"].split(" and ")) if part["where"] else (), part["such"])
            for part in one.picture["conditions"]
        ]
        is_right = is_so(f, one.picture["formula"])
        assert all(has_by_definition(f, part) for part in conditions) == is_right, one.text


def test_conditions_that_are_right_in_square_boxes_with_small_heights_are_wrong_in_others():
    higher, longer, smaller, _ = ONCE_WRONG
    for condition in (WITHOUT_P, Condition(("x^z <= h",), "t > x^z")):
        assert has_by_definition(higher, condition)
    assert not is_so(higher, P)
    assert has_by_definition(longer, NO_KEPT_SUM)
    assert not is_so(longer, G)
    assert not has_by_definition(smaller, NS)
    assert is_so(smaller, G)
    for condition in (NS, NO_KEPT_SUM):  # so that neither is found
        assert search(HeightClass(GRUNDY), 3, 2, [condition]).exact == ()


@pytest.mark.parametrize(("side", "height"), [(4, 3), (2, 3), (3, 0)])
def test_a_box_that_cannot_be_searched(side, height):
    with pytest.raises(HeightsError, match=f"side {side}, height {height}"):
        search(HeightClass(GRUNDY), side, height)
