"""Numbers of members in boxes, against brute force; recurrences and closed forms, against many more terms."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import parse
from choco_pipeline.mining import recurrences
from choco_pipeline.mining.recurrences import rule_text
from choco_pipeline.proof.games import answers as module
from choco_pipeline.proof.games.answers import counts, described_counts, number_below
from choco_pipeline.tables.computing import grundy_table
from tests.automata.drawn import automata
from tests.effort import examples
from tests.proof.statements.test_decided_claims import proved


def in_box(a, side):
    grid = np.indices((side,) * len(a.tracks)).reshape(len(a.tracks), -1).T
    return int(a.contains(grid.astype(np.int64)).sum())


def by_recurrence(found, length):
    """Return the terms that the first ones and the recurrence give."""
    order = len(found.recurrence)
    terms = list(found.first[:order])
    while len(terms) < length:
        terms.append(
            sum(c * t for c, t in zip(found.recurrence, terms[-order:], strict=True))
            if order
            else 0
        )
    return terms


def by_closed_form(text, n):
    """Return a term by the closed form, or None where it is not about n."""
    formula, _, start = text.partition(" for n ≥ ")
    if start and n < int(start):
        return None
    numerator, _, whole = formula.partition("/")
    value = parse(numerator.replace("^", "**")).value({"n": n})
    assert value % int(whole or 1) == 0
    return value // int(whole or 1)


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(1, 2).flatmap(lambda n: automata(("0", "1")[:n], 9)))
def test_drawn_automata(a) -> None:
    found = counts(a)
    assert [in_box(a, 1 << n) for n in range(5)] == list(islice(module._numbers(a), 5))
    far = list(islice(module._numbers(a), 40))
    assert by_recurrence(found, 40) == far
    assert list(found.first) == far[: len(found.first)]
    if found.closed is not None:
        for n, term in enumerate(far):
            assert by_closed_form(found.closed, n) in (term, None)
        assert by_closed_form(found.closed, 39) is not None
    # there is no shorter recurrence: the first terms, shifted, are linearly independent
    order = len(found.recurrence)
    hankel = [[far[i + j] for j in range(order)] for i in range(order)]
    assert rank(hankel) == order


def rank(rows):
    """Return the rank of a matrix of integers, exactly."""
    rows, found = [list(row) for row in rows], 0
    for column in range(len(rows)):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            a, b = rows[found][column], rows[i][column]
            rows[i] = [a * y - b * x for x, y in zip(rows[found], rows[i], strict=True)]
        found += 1
    return found


GAMES = [
    "nim(2)",
    "with-pass(nim(2), passes=1)",
    "step-bar(k=2, s=1)",
    "solid-bar(f=(x+z)//3)",
    "solid-bar(f=(x+z)//5)",
]


@pytest.mark.parametrize("text", [*GAMES, "with-pass(strip-bar(k=4, s=2), passes=1)"])
def test_p_positions_of_games(text) -> None:
    game = parse_ruleset(text)
    heaps = len(game.base.coordinates)
    described = described_counts(proved(text))
    assert [(row.passes, row.value) for row in described] == [
        (p, 0) for p in range(game.passes + 1)
    ]
    most = 6 if heaps == 2 else 5
    grundy = grundy_table(game, (1 << most) - 1)
    cells = next(iter(grundy.data_vars.values())).values
    for row in described:
        numbers = (
            cells
            if game.passes == 0
            else np.moveaxis(cells, list(grundy.sizes).index("p"), 0)[row.passes]
        )
        for n in range(most + 1):
            box = numbers[tuple(slice(1 << n) for _ in range(numbers.ndim))]
            assert row.first[n] == int((box == 0).sum())


def test_grundy_numbers_of_a_step_bar() -> None:
    game = parse_ruleset("step-bar(k=1)")
    rows = described_counts(proved("step-bar(k=1)", "grundy"))
    for row in rows:
        for n in range(6):
            positions = [q for q in game.positions((1 << n) - 1) if game.grundy(q) == row.value]
            assert row.first[n] == len(positions)
    assert [row.value for row in rows] == [0, 1, 2, 3]
    assert rows[1].closed == "2^n - 1"
    assert rows[1].recurrence == "a(n+2) = 3·a(n+1) - 2·a(n)"
    assert rows[3].closed == "3 for n ≥ 3"


@pytest.mark.parametrize(
    ("a", "rule", "closed"),
    [
        (linear({"y": 1, "z": -1}, 0, "<="), "a(n+2) = 6·a(n+1) - 8·a(n)", "(2^n + 4^n)/2"),
        (linear({"y": 1, "z": -1}, 0, "=="), "a(n+1) = 2·a(n)", "2^n"),
        (linear({"y": 1}, -5, "=="), "a(n+4) = a(n+3)", "1 for n ≥ 3"),
        (linear({"y": 1}, 1, "=="), "a(n) = 0", "0"),
    ],
)
def test_text(a, rule, closed) -> None:
    found = counts(a)
    assert (rule_text(found.recurrence), found.closed) == (rule, closed)


def test_roots_that_are_no_integers_and_roots_that_are_double() -> None:
    no_pairs = Automaton(
        ("a",), np.array([[0, 1], [0, 2], [2, 2]], np.int32), np.array([True, True, False])
    )
    found = counts(no_pairs)  # no two digits 1 in a row: Fibonacci numbers
    assert (found.first[:6], found.closed) == ((1, 2, 3, 5, 8, 13), None)
    one = Automaton(
        ("a",), np.array([[0, 1], [1, 2], [2, 2]], np.int32), np.array([False, True, False])
    )
    assert counts(one).closed == "n"


def test_numbers_below() -> None:
    assert number_below(linear({"y": 1, "z": -1}, 0, "<="), 5) == 528
    assert number_below(linear({"y": 1}, -9, "<="), 4) == 10


def test_limits(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_STATES", 2)
    with pytest.raises(LimitError, match="of 3 states: at most 2"):
        counts(proved("solid-bar(f=(x+z)//3)").automata[0])
    assert described_counts(proved("solid-bar(f=(x+z)//3)")) == ()


def test_a_recurrence_that_is_only_right_modulo_the_prime_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(recurrences, "PRIME", 7)
    with pytest.raises(LimitError, match="too large coefficients"):
        counts(linear({"y": 1, "z": -1}, 0, "<="))
