"""Playing by automata: at small positions it is playing by definition, at large ones by arithmetic."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import CutGame
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import RulesetError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games import guess
from choco_pipeline.proof.games.answers import play
from choco_pipeline.proof.games.certificate import CertificateError
from choco_pipeline.proof.games.prover import Proof, prove
from tests.effort import examples

GAMES = [
    ("strip-bar(k=4, s=2)", "p", 8),
    ("solid-bar(f=(x+z)//3)", "p", 7),
    ("step-bar(k=1)", "grundy", 12),
    ("with-pass(strip-bar(k=2, s=1), passes=1)", "p", 5),
    ("sum(with-pass(step-bar(k=1), passes=1), nim(1))", "p", 4),
]


@cache
def certificate(notation: str, relation) -> Proof:
    proof = prove(parse_ruleset(notation), relation)
    assert proof.status == "proved", proof.why
    return proof


@pytest.mark.parametrize(
    ("notation", "relation", "bound"),
    [*GAMES[::2], *(pytest.param(*game, marks=pytest.mark.full) for game in GAMES[1::2])],
)
def test_all_small_positions_are_played_by_definition(notation, relation, bound):
    game = parse_ruleset(notation)
    for position in game.positions(bound):
        found = play(certificate(notation, relation), position)
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
        ([["x"], ["y"], ["z"]], {"y": "z//2", "x": "z//3"}, True, 8),
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
    for position in game.positions(9):
        least = {}
        for option in game.options(position):
            if game.grundy(option) == 0:
                changed = [i for i in range(3) if option[i] != position[i]]
                kind = (changed[-1], len(changed))
                least[kind] = min(
                    option, least.get(kind, option), key=lambda o, i=changed[-1]: o[i]
                )
        found = play(certificate("strip-bar(k=4, s=2)", "p"), position)
        assert set(found.winning) == set(least.values()), position


LARGE = st.integers(0, 10**120)


@settings(max_examples=examples(30), deadline=None)
@given(LARGE, LARGE, LARGE)
def test_hundred_digits_of_a_bar_with_a_formula(x, y, z):
    """triangular, Thm 7.3: for k=3, x⊕y⊕z=0 exactly at the P-positions."""
    y = min(y, (x + z) // 3)
    found = play(certificate("solid-bar(f=(x+z)//3)", "p"), (x, y, z))
    assert found.outcome == ("P" if x ^ y ^ z == 0 else "N")
    assert bool(found.winning) == (found.outcome == "N")
    for u, v, w in found.winning:
        assert u ^ v ^ w == 0
        cut_x = u < x and w == z and v == min(y, (u + z) // 3)
        cut_z = w < z and u == x and v == min(y, (x + w) // 3)
        assert cut_x or cut_z or (v < y and (u, w) == (x, z))


def test_a_p_position_of_hundred_digits_has_no_winning_option():
    x, y = 2**340 + 3**200, 3**190
    found = play(certificate("solid-bar(f=(x+z)//3)", "p"), (x, y, x ^ y))
    assert (found.outcome, found.grundy, found.winning) == ("P", 0, ())


@pytest.mark.full
def test_the_grundy_number_of_a_large_position_is_confirmed_by_its_options():
    known = certificate("step-bar(k=1)", "grundy")
    y, z = 3**180, 3**190
    found = play(known, (y, z))
    assert found.winning
    assert all(play(known, option).grundy == 0 for option in found.winning)
    assert all(play(known, (y - i, z)).grundy != found.grundy for i in range(1, 20))
    assert all(play(known, (y, w)).grundy != found.grundy for w in range(z - 20, z))


def test_a_pass_that_wins_is_found_at_any_size():
    name = "with-pass(strip-bar(k=2, s=1), passes=1)"
    known = certificate(name, "p")
    without = certificate("strip-bar(k=2, s=1)", "p")
    y, z = 3**100, 3**120
    value = next(
        iter(play(without, (4 * z, y, z)).winning)
    )  # the strip is cut to the bar's Grundy number
    assert play(without, value).outcome == "P"
    found = play(known, (*value, 1))
    assert found.outcome == "N"
    assert (*value, 0) in found.winning


def test_a_wrong_certificate_contradicts_itself():
    known = certificate("strip-bar(k=4, s=2)", "p")
    (right,) = known.automata
    nothing = Automaton(right.tracks, np.zeros((1, 8), np.int32), np.zeros(1, np.bool_))
    everything = Automaton(right.tracks, np.zeros((1, 8), np.int32), np.ones(1, np.bool_))
    with pytest.raises(
        CertificateError, match="the outcome N and no winning option at \\(1, 0, 0\\)"
    ):
        play(replace(known, automata=(nothing,)), (1, 0, 0))
    with pytest.raises(
        CertificateError, match=r"the option \(0, 0, 0\) in the relation at \(1, 0, 0\)"
    ):
        play(replace(known, automata=(everything,)), (1, 0, 0))


def test_what_is_no_position_is_not_played():
    with pytest.raises(RulesetError, match="y = 5 is above its height at z = 1"):
        play(certificate("strip-bar(k=4, s=2)", "p"), (0, 5, 1))
