"""Outcomes, winning moves and counts by automata, against the definition and by arithmetic."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import CutGame, parse_ruleset
from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import LimitError, RulesetError
from choco_pipeline.formula import parse
from choco_pipeline.mining import recurrences
from choco_pipeline.proof.games import answers as module
from choco_pipeline.proof.games import guess
from choco_pipeline.proof.games.answers import counts, described_counts, play
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.proof_errors import CertificateError
from choco_pipeline.tables.computing import grundy_table
from tests.automata.drawn import automata
from tests.effort import examples
from tests.proof.statements.decided_games import proved

GAMES = [
    ("strip-bar(k=4, s=2)", "p", 6),
    ("solid-bar(f=(x+z)//3)", "p", 7),
    ("step-bar(k=1)", "grundy", 9),
    ("with-pass(strip-bar(k=2, s=1), passes=1)", "p", 5),
    ("sum(with-pass(step-bar(k=1), passes=1), nim(1))", "p", 3),
]


@pytest.mark.parametrize(
    ("notation", "relation", "bound"),
    [*GAMES[::2], *(pytest.param(*game, marks=pytest.mark.full) for game in GAMES[1::2])],
)
def test_all_small_positions_are_played_by_definition(notation, relation, bound):
    game = parse_ruleset(notation)
    for position in game.positions(bound):
        found = play(proved(notation, relation), position)
        number = game.grundy(position)
        assert found.outcome == ("N" if number else "P"), position
        assert found.grundy == (number if relation == "grundy" or number == 0 else None), position
        wins = {option for option in game.options(position) if game.grundy(option) == 0}
        assert set(found.winning) <= wins, position
        assert bool(found.winning) == bool(wins), position


@pytest.mark.parametrize(
    ("moves", "heights", "clip", "bound"),
    [
        ([["y"], ["z"], ["y", "z"]], {"y": "z//2"}, False, 14),
        ([["y"], ["z"]], {"y": "(z+1)//2"}, False, 14),
        ([["x"], ["y"], ["z"]], {"y": "z//2", "x": "z//3"}, True, 6),
    ],
)
def test_games_of_ones_own_are_played_by_definition(moves, heights, bound, clip, monkeypatch):
    monkeypatch.setattr(guess, "DEPTHS", (5, 6, 7))  # small tables are enough, and quick
    kinds = [{"lower": lower, "by": "same", "clip": clip} for lower in moves]
    game = CutGame(sorted({name for lower in moves for name in lower}), kinds, heights)
    proof = prove(game)
    assert proof.status == "proved", proof.why
    for position in game.positions(bound):
        found = play(proof, position)
        wins = {option for option in game.options(position) if game.grundy(option) == 0}
        assert found.outcome == ("N" if wins else "P"), position
        assert set(found.winning) <= wins, position


def test_each_kind_of_move_that_wins_is_there_with_what_leaves_least():
    # Two moves of one kind cut the same coordinate; of a strip bar only the cuts of z can change y as well.
    game = parse_ruleset("strip-bar(k=4, s=2)")
    for position in game.positions(6):
        least = {}
        for option in game.options(position):
            if game.grundy(option) == 0:
                changed = [i for i in range(3) if option[i] != position[i]]
                kind = (changed[-1], len(changed))
                least[kind] = min(
                    option, least.get(kind, option), key=lambda o, i=changed[-1]: o[i]
                )
        found = play(proved("strip-bar(k=4, s=2)", "p"), position)
        assert set(found.winning) == set(least.values()), position


LARGE = st.integers(0, 10**120)


@settings(max_examples=examples(30), deadline=None)
@given(LARGE, LARGE, LARGE)
def test_hundred_digits_of_a_bar_with_a_formula(x, y, z):
    """triangular, Thm 7.3: for k=3, x⊕y⊕z=0 exactly at the P-positions."""
    y = min(y, (x + z) // 3)
    found = play(proved("solid-bar(f=(x+z)//3)", "p"), (x, y, z))
    assert found.outcome == ("P" if x ^ y ^ z == 0 else "N")
    assert bool(found.winning) == (found.outcome == "N")
    for u, v, w in found.winning:
        assert u ^ v ^ w == 0
        cut_x = u < x and w == z and v == min(y, (u + z) // 3)
        cut_z = w < z and u == x and v == min(y, (x + w) // 3)
        assert cut_x or cut_z or (v < y and (u, w) == (x, z))


def test_a_p_position_of_hundred_digits_has_no_winning_option():
    x, y = 2**340 + 3**200, 3**190
    found = play(proved("solid-bar(f=(x+z)//3)", "p"), (x, y, x ^ y))
    assert (found.outcome, found.grundy, found.winning) == ("P", 0, ())


@pytest.mark.full
def test_the_grundy_number_of_a_large_position_is_confirmed_by_its_options():
    known = proved("step-bar(k=1)", "grundy")
    y, z = 3**180, 3**190
    found = play(known, (y, z))
    assert found.winning
    assert all(play(known, option).grundy == 0 for option in found.winning)
    assert all(play(known, (y - i, z)).grundy != found.grundy for i in range(1, 20))
    assert all(play(known, (y, w)).grundy != found.grundy for w in range(z - 20, z))


def test_a_pass_that_wins_is_found_at_any_size():
    name = "with-pass(strip-bar(k=2, s=1), passes=1)"
    without = proved("strip-bar(k=2, s=1)", "p")
    y, z = 3**100, 3**120
    # The strip is cut to the bar's Grundy number.
    value = next(iter(play(without, (4 * z, y, z)).winning))
    assert play(without, value).outcome == "P"
    found = play(proved(name, "p"), (*value, 1))
    assert found.outcome == "N"
    assert (*value, 0) in found.winning


def test_a_wrong_certificate_contradicts_itself():
    known = proved("strip-bar(k=4, s=2)", "p")
    (right,) = known.automata
    for accepts in (False, True):  # nothing, and everything
        wrong = Automaton(right.tracks, np.zeros((1, 8), np.int32), np.array([accepts]))
        with pytest.raises(CertificateError, match=r"at \(1, 0, 0\)"):
            play(replace(known, automata=(wrong,)), (1, 0, 0))


def test_what_is_no_position_is_not_played():
    with pytest.raises(RulesetError, match="y = 5 is above its height at z = 1"):
        play(proved("strip-bar(k=4, s=2)", "p"), (0, 5, 1))


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
def test_drawn_automata(a):
    found = counts(a)
    assert [in_box(a, 1 << n) for n in range(5)] == list(islice(module.numbers_below(a), 5))
    far = list(islice(module.numbers_below(a), 40))
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
    size, found = len(rows), 0
    for i in range(size):
        first, *others = sorted(rows, key=lambda row: row[i] == 0) or [[0] * size]
        if first[i]:
            rows = [
                [first[i] * y - row[i] * x for x, y in zip(first, row, strict=True)]
                for row in others
            ]
            found += 1
    return found


@pytest.mark.parametrize(
    "text",
    [
        "nim(2)",
        "with-pass(nim(2), passes=1)",
        "step-bar(k=2, s=1)",
        "solid-bar(f=(x+z)//3)",
        "solid-bar(f=(x+z)//5)",
        "with-pass(strip-bar(k=4, s=2), passes=1)",
    ],
)
def test_p_positions_of_games(text):
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


def test_grundy_numbers_of_a_step_bar():
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


def test_roots_that_are_no_integers_and_roots_that_are_double():
    no_pairs = Automaton(
        ("a",), np.array([[0, 1], [0, 2], [2, 2]], np.int32), np.array([True, True, False])
    )
    found = counts(no_pairs)  # no two digits 1 in a row: Fibonacci numbers
    assert (found.first[:6], found.closed) == ((1, 2, 3, 5, 8, 13), None)
    one = Automaton(
        ("a",), np.array([[0, 1], [1, 2], [2, 2]], np.int32), np.array([False, True, False])
    )
    assert counts(one).closed == "n"


def test_limits(monkeypatch):
    monkeypatch.setattr(module, "MOST_STATES", 2)
    with pytest.raises(LimitError, match="of 3 states: at most 2"):
        counts(proved("solid-bar(f=(x+z)//3)").automata[0])
    assert described_counts(proved("solid-bar(f=(x+z)//3)")) == ()


def test_a_recurrence_that_is_only_right_modulo_the_prime_is_refused(monkeypatch):
    monkeypatch.setattr(recurrences, "PRIME", 7)
    with pytest.raises(LimitError, match="too large coefficients"):
        counts(linear({"y": 1, "z": -1}, 0, "<="))
