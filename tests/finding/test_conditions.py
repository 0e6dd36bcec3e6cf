"""Conditions on parameters: planted ones come back and are right beyond, random assignments have none."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.finding.conditions import domain, is_chance, is_overfitted
from choco_pipeline.formula import parse
from tests.effort import examples

ONE = [{"k": k} for k in range(1, 33)]
TWO = [{"k": k, "s": s} for k in range(1, 9) for s in range(21)]
GAMES = [{"k": k, "s": s} for k in range(2, 17, 2) for s in range(k)]


def split(points):
    places = [sum(point.values()) % 3 == 2 for point in points]
    return (
        [point for point, out in zip(points, places, strict=True) if not out],
        [point for point, out in zip(points, places, strict=True) if out],
    )


@pytest.mark.parametrize(
    ("points", "planted", "found"),
    [
        (ONE, "k % 4 == 3", "k%4 == 3"),
        (ONE, "k % 8 == 1 or k % 8 == 6", "k%8 == 1 or k%8 == 6"),
        (ONE, "k == 2**v2(k)", "k == 2**v2(k)"),
        (ONE, "k % 2 == 1 and k > 1", "k > 1 and k%2 == 1"),
        (TWO, "k % 2 == 0", "k%2 == 0"),
        (TWO, "s < k", "k > s"),
        # pass2016, Conj 4.1, where s = 0 is a statement of its own; not 2**v2(s) > 1 in other words
        (GAMES, "s % 2 == 0 and s > 0", "s > 0 and s%2 == 0"),
        # step2015, Thm 3.2: s = k·2^t + m·2^(t+1), 0 ≤ m < k/2, or s < k, for even k
        (
            TWO,
            "k % 2 == 0 and (s < k or s < k*2**v2(s))",
            "k%2 == 0 and (s == 0 or s < k*2**v2(s))",
        ),
        (
            TWO,
            "k % 2 == 1 and (s < k or s % 2 == 1 and s < 2*k)",
            "k%2 == 1 and (k > s or s%2 == 1 and s < 2*k)",
        ),
        # ⌊max(x, z)/k⌋ + c: the shifted nim-sum is 0 at the P-positions for these c and even k
        (
            TWO,
            "s == 0 or s < 2**v2(s)*2**v2(k)",
            "s == 0 or s < 2**v2(k)*2**v2(s)",
        ),
    ],
)
def test_planted_conditions(points, planted, found):
    searched, held_out = split(points)
    truths = [bool(parse(planted).value(point)) for point in points]
    learnt = domain(searched, [bool(parse(planted).value(p)) for p in searched], points)
    assert learnt.text == found
    assert all(learnt.holds(p) == parse(planted).value(p) for p in held_out)
    assert not is_chance(learnt, len(points), sum(truths))


def test_what_holds_everywhere_or_nowhere():
    assert domain(ONE, [True] * len(ONE)).text == ""
    assert domain(ONE, [False] * len(ONE)) is None


def test_a_condition_has_a_value_at_the_other_points_too():
    searched = [point for point in TWO if point["s"]]
    truths = [point["s"] < point["k"] * (point["s"] & -point["s"]) for point in searched]
    assert "s == 0" not in domain(searched, truths).text
    found = domain(searched, truths, TWO)
    assert all(isinstance(found.holds(point), bool) for point in TWO)


def found_by_chance(points, seed, share):
    random = Random(seed)
    chosen = {id(point): random.random() < share for point in points}
    searched, held_out = split(points)
    found = domain(searched, [chosen[id(point)] for point in searched], points)
    return (
        found is not None
        and not is_chance(found, len(points), sum(chosen.values()))
        and all(found.holds(point) == chosen[id(point)] for point in held_out)
    )


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_random_assignments_have_no_condition(share):
    few = [{"k": k, "s": s} for k in range(1, 6) for s in range(4)]
    for seed in range(8):
        for points in (ONE, few):
            assert not found_by_chance(points, seed, share), f"seed {seed}, {len(points)} points"


@settings(max_examples=examples(20))
@given(st.integers(4, 12), st.data())
def test_a_condition_is_right_where_it_was_looked_for(size, data):
    points = [{"k": k, "s": s} for k in range(1, size) for s in range(3)]
    truths = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    found = domain(points, truths)
    if found is not None:
        assert [found.holds(point) for point in points] == truths


def test_few_points_fit_by_chance():
    points = [{"k": k} for k in range(1, 7)]
    found = domain(points, [k == 5 for k in range(1, 7)])
    assert found is not None
    assert is_chance(found, 6, 1)


@pytest.mark.parametrize(
    ("condition", "overfitted"),
    [
        ("c <= 2 or c%8 == 7", True),
        ("c == 3 or c%8 == 7", True),
        ("c <= 7 or c%8 == 0", True),
        ("c <= 2 or c%8 == 3", True),
        ("c <= 2 or c%4 == 3", False),
        ("c == 0 or c > 2", False),
        ("c%2 == 0 and (c == 2 or c > 3)", True),
        ("c%2 == 0", False),
        ("", False),
    ],
)
def test_a_part_of_a_condition_is_not_there_for_two_points(condition, overfitted):
    assert is_overfitted(condition, [{"c": c} for c in range(13)]) == overfitted
