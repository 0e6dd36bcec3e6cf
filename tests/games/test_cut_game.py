"""Games of one's own in Python: options are compared with their definition."""

import json
import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import CutGame, DisjunctiveSum, Game, Nim, WithPass, parse_ruleset
from choco_pipeline.errors import RulesetError
from tests.rulesets import cut_games

HEAPS = [{"lower": ["a"]}, {"lower": ["b"]}]
WYTHOFF = [*HEAPS, {"lower": ["a", "b"], "by": "same"}]

moves_of_a_bar = st.lists(
    st.builds(
        lambda lower, by, at_most, clip: {
            "lower": lower,
            "by": by,
            **({} if at_most is None else {"at_most": at_most}),
            "clip": clip,
        },
        st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
        st.one_of(
            st.sampled_from(["any", "each", "same"]), st.lists(st.integers(1, 4), min_size=1)
        ),
        st.sampled_from([None, 2, "(a+1)//2", "b", "c-1"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)


def options_as_the_keys_say(moves, height, ends, position):
    """Return the options of a game on a, b, c with c ≤ height(a, b)."""
    if ends(*position):
        return set()
    found = set()
    for move in moves:
        chosen = ["abc".index(name) for name in move["lower"]]
        for after in product(*(range(value + 1) for value in position)):
            taken = [before - now for before, now in zip(position, after, strict=True)]
            amounts = [taken[i] for i in chosen]
            others_stay = all(taken[i] == 0 for i in range(3) if i not in chosen)
            by = move["by"]
            fits = (
                {
                    "any": any(amounts),
                    "each": all(amounts),
                    "same": amounts[0] > 0 and len(set(amounts)) == 1,
                }[by]
                if isinstance(by, str)
                else len(set(amounts)) == 1 and amounts[0] in by
            )
            most = move.get("at_most")
            if most is not None:
                a, b, c = position
                largest = {2: 2, "(a+1)//2": (a + 1) // 2, "b": b, "c-1": c - 1}[most]
                fits = fits and max(amounts) <= largest
            x, y, z = after
            if others_stay and fits and (z <= height(x, y) or move["clip"]):
                found.add((x, y, min(z, height(x, y))))
    return found


@given(moves_of_a_bar, st.integers(1, 4), st.sampled_from([None, "a+b <= 1", "b == c"]))
def test_options_are_what_the_keys_say(moves, k, ends):
    game = CutGame(
        ["a", "b", "c"], moves, heights={"c": "(a+b)//k"}, parameters={"k": k}, ends=ends
    )

    def ended(a, b, c):
        return {None: False, "a+b <= 1": a + b <= 1, "b == c": b == c}[ends]

    for a, b, c in product(range(5), repeat=3):
        assert game.is_position((a, b, c)) == (c <= (a + b) // k)
        if game.is_position((a, b, c)):
            expected = options_as_the_keys_say(moves, lambda x, y: (x + y) // k, ended, (a, b, c))
            assert set(game.options((a, b, c))) == expected, (a, b, c)


def test_names_and_identities():
    game = CutGame(["a", "b"], WYTHOFF, name="wythoff")
    assert str(game) == "game(wythoff)"
    other = CutGame(("a", "b"), tuple(WYTHOFF), name="another", parameters={"k": 3})
    assert str(other) == "game(another, k=3)"
    assert other.identity == game.identity != CutGame(["a", "b"], HEAPS).identity
    assert other != game == CutGame(["a", "b"], WYTHOFF, name="wythoff")
    unnamed = CutGame(["a", "b"], WYTHOFF)
    assert str(unnamed) != str(CutGame(["a", "b"], HEAPS))
    assert Game is CutGame


def test_documents_write_the_game_and_two_of_one_name_have_no_sum():
    game = CutGame(["a", "b"], WYTHOFF, heights={"b": "2*a+k"}, parameters={"k": 3}, name="tall")
    for made in (game, WithPass(game), DisjunctiveSum(Nim(1), WithPass(game, 2))):
        read = parse_ruleset(made.notation, games=made.documents)
        assert read == made
        assert read.identity == made.identity
        assert read.rules == made.rules
    assert game.documents.keys() == {"tall"}
    assert game.files == Nim(2).files == frozenset()
    assert Nim(2).documents == {}
    wythoff, heaps = (CutGame(["a", "b"], moves, name="one") for moves in (WYTHOFF, HEAPS))
    assert DisjunctiveSum(wythoff, wythoff).documents == wythoff.documents
    with pytest.raises(RulesetError, match="two different games are called one"):
        DisjunctiveSum(WithPass(wythoff), heaps)


@given(cut_games(), st.integers(0, 2))
def test_games_that_are_drawn(game, passes):
    game = WithPass(game, passes) if passes else game
    rules = game.rules
    for position in game.positions(4):
        values, options = rules.named(position), list(game.options(position))
        for option in options:
            assert game.check(option) == option < position
            assert all(u <= v for u, v in zip(option, position, strict=True))
        assert len(options) <= rules.most_options(position)
        for move in rules.moves:
            assert len(list(move.amounts(values))) == move.number_of_amounts(values)
        assert set(rules.options(position)) == set(options)
    documents = json.loads(json.dumps(game.documents))
    assert parse_ruleset(game.notation, games=documents).identity == game.identity
    assert pickle.loads(pickle.dumps(game)) == game


@pytest.mark.parametrize(
    ("moves", "free"),
    [
        ([{"lower": ["a"]}, {"lower": ["b"], "clip": False}], "b"),
        ([{"lower": ["a"]}, {"lower": ["b"], "by": "same"}], "b"),
        ([{"lower": ["a"], "by": [1]}, {"lower": ["b"], "by": "each"}], "b"),
        ([{"lower": ["a"]}, {"lower": ["b"], "by": [1]}], "a"),
        ([{"lower": ["a"], "at_most": 3}, {"lower": ["b"], "at_most": "b"}], None),
        ([{"lower": ["a", "b"], "by": "any"}], None),
    ],
)
def test_a_free_heap_is_seen_however_it_is_written(moves, free):
    assert CutGame(["a", "b"], moves).rules.free == free


def test_play_ends_for_passes_too():
    game = WithPass(CutGame(["a"], [{"lower": ["a"]}], ends="a == 3"))
    assert list(game.options((3, 1))) == []
    assert set(game.options((2, 1))) == {(0, 1), (1, 1), (2, 0)}
