"""Proofs of games: membership by tables, guesses, decisions, and contradictions, against the definition."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StepBar, StripBar, WithPass, parse_ruleset
from choco_pipeline.automata.algebra import complement, conjunction, disjunction, exists
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import DisagreementError, HeightError
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.games import guess as guessing
from choco_pipeline.proof.games import prover as search
from choco_pipeline.proof.games.guess import members
from choco_pipeline.proof.games.prover import RelationError, check_relation, contradiction, prove
from choco_pipeline.proof.proof_errors import UndecidedError
from tests.effort import examples
from tests.own_games import own_games
from tests.rulesets import rulesets

LEGAL_3 = linear({"0": -1, "1": 3, "2": -1}, 0, "<=")
LEGAL_5 = linear({"0": -1, "1": 5, "2": -1}, 0, "<=")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("nim(1)", (2,)),
        ("nim(3)", (2,)),
        ("with-pass(nim(2), passes=1)", (2, 6)),
        ("strip-bar(k=4, s=2)", (17,)),
        ("with-pass(strip-bar(k=4, s=2), passes=1)", (17, 23)),
        ("with-pass(strip-bar(k=2, s=1), passes=2)", (8, 12, 8)),
        pytest.param(
            "with-pass(strip-bar(k=16, s=15), passes=1)", (103, 106), marks=pytest.mark.full
        ),
        ("solid-bar(f=(x+z)//3)", (3,)),
        ("solid-bar(f=(x+z)//5)", (11,)),
        ("rectangular-bar(m=5, n=7)", (6,)),
        ("sum(step-bar(k=2), nim(1))", None),
    ],
)
def test_p_positions_are_proved_and_are_the_definitions(text, states):
    game = parse_ruleset(text)
    proof = prove(game)
    assert proof.status == "proved"
    assert proof.states == (states or proof.states)
    for position in game.positions(6):
        assert proof.holds(position) == game.is_p_position(position), position


@pytest.mark.parametrize(
    "text", ["step-bar(k=4, s=2)", "step-bar(k=1)", "with-pass(step-bar(k=2, s=1))", "nim(1)"]
)
def test_grundy_numbers_are_proved_and_are_the_definitions(text):
    """Of k=1, s=0 they are the four conjectures of step2015 together."""
    game = parse_ruleset(text)
    proof = prove(game, "grundy")
    assert proof.status == "proved"
    for position in game.positions(9):
        assert proof.number(position) == game.grundy(position)
        assert proof.accepts(position, game.grundy(position))


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (
            SolidBar("(x+z)//2"),
            r"^R0 does not close: \d{4} residuals of words to \d digits, and growing$",
        ),
        (WithPass(Nim(3)), r"^R1 does not close: "),  # but its game without the pass is proved
        (SolidBar("x*z"), "multiplies two coordinates"),
        (SolidBar(np.zeros((30, 30), int)), "array"),
    ],
)
def test_what_is_not_automatic_or_not_definable_is_undecided(game, why):
    proof = prove(game)
    assert proof.status == "undecided"
    assert "\n" not in proof.why
    assert re.search(why, proof.why)
    assert proof.states == ((2,) if isinstance(game, WithPass) else ())


def test_a_height_that_falls_behind_all_tables_is_found_out():
    game = SolidBar("5 - max(0, min(x-9000, 1))")
    with pytest.raises(HeightError, match="the height falls at x = 0, x' = 9001, y = 5,"):
        prove(game)
    assert game.f(9000, 0) > game.f(9001, 0)


def test_a_printed_theorem_and_a_printed_conjecture():
    """triangular, Thm 7.3 holds for k=3; x⊕y⊕z=0 fails for k=5, and so does solid2022, Conj 2."""
    nim_sum = nim_sum_is_zero("0", "1", "2")
    proof = check_relation(SolidBar("(x+z)//3"), [conjunction(nim_sum, LEGAL_3)])
    assert (proof.status, proof.states) == ("proved", (3,))
    five = SolidBar("(x+z)//5")
    for claimed in (nim_sum, shifted(1)):
        proof = check_relation(five, [conjunction(claimed, LEGAL_5)])
        assert proof.status == "refuted"
        assert proof.why.startswith("the relation holds ")
    corner = linear({"0": 1, "1": 1, "2": 1}, 0, "==")
    claimed = conjunction(disjunction(shifted(-1), corner), LEGAL_5)  # triangular, Conj 8.1
    assert check_relation(five, [claimed]).status == "proved"


def shifted(by):
    """Return (x+by) ⊕ y ⊕ (z+by) = 0 in natural numbers."""
    x, z = linear({"0": 1, "x": -1}, by, "=="), linear({"2": 1, "z": -1}, by, "==")
    return exists(conjunction(conjunction(x, z), nim_sum_is_zero("x", "1", "z")), "x", "z")


def test_the_largest_relation_of_illegal_positions_is_refuted():
    game = StripBar(4, 2)
    (right,) = prove(game).automata
    everywhere = disjunction(right, linear({"1": 4, "2": -1}, -2, ">"))
    proof = check_relation(game, [everywhere])
    assert proof.status == "refuted"
    assert "which is no position: y = " in proof.why


@pytest.mark.parametrize("relation", ["p", "grundy"])
def test_every_single_change_of_a_proved_automaton_is_refuted(relation):
    game = WithPass(StepBar(2)) if relation == "p" else StepBar(2)
    proof = prove(game, relation)
    assert proof.status == "proved"
    for passes, automaton in enumerate(proof.automata):
        for changed in changes(automaton):
            automata = [*proof.automata]
            automata[passes] = changed
            found = check_relation(game, automata, relation)
            assert found.status == "refuted", changed.as_json()


def changes(automaton):
    """Yield the automata with one target changed, or one state's acceptance, that read zeros as they should."""
    for state in range(automaton.states):
        flags = automaton.accepting.copy()
        flags[state] ^= True
        if (flags[automaton.delta[:, 0]] == flags).all():
            yield Automaton(automaton.tracks, automaton.delta, flags)
        for symbol in range(automaton.delta.shape[1]):
            for target in range(automaton.states):
                delta = automaton.delta.copy()
                delta[state, symbol] = target
                same = (automaton.accepting[delta[:, 0]] == automaton.accepting).all()
                if target != automaton.delta[state, symbol] and same:
                    yield Automaton(automaton.tracks, delta, automaton.accepting)


def test_automata_that_do_not_fit_are_refused():
    nim = nim_sum_is_zero("0", "1")
    with pytest.raises(RelationError, match="for 0 to 1 passes left are needed, found 0"):
        check_relation(WithPass(Nim(2)), [nim])
    with pytest.raises(RelationError, match="has tracks 0, 1, needed are 0, 1, 2"):
        check_relation(Nim(3), [nim])
    with pytest.raises(RelationError, match="needed are 0, 1, 2"):
        check_relation(Nim(2), [nim], "grundy")


def test_an_engine_that_contradicts_the_definition_is_an_alarm(monkeypatch):
    game = Nim(2)
    right, wrong = nim_sum_is_zero("0", "1"), complement(nim_sum_is_zero("0", "1"))
    assert check_relation(game, [wrong]).status == "refuted"
    monkeypatch.setattr(search.Engine, "counterexample", lambda *_: {"a": 1, "b": 1})
    with pytest.raises(DisagreementError, match="but right by the definition"):
        check_relation(game, [right])


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        pytest.param("solid-bar(f=(x+z)//13)", "p", marks=pytest.mark.full),
        ("step-bar(k=3)", "grundy"),
    ],
)
def test_refuted_guesses_are_followed_by_the_right_one(monkeypatch, text, relation):
    """Without the look at samples, what is guessed from windows that are too narrow is found out by the proof."""
    monkeypatch.setattr(guessing, "agrees", lambda *_, **__: True)
    monkeypatch.setattr(guessing, "NARROWEST", 1)
    refuted = []
    check = search.Search.check

    def noting(search, todo, automata):
        wrong = check(search, todo, automata)
        refuted.extend([automata[-1]] if wrong else [])
        return wrong

    monkeypatch.setattr(search.Search, "check", noting)
    proof = prove(parse_ruleset(text), relation)
    assert proof.status == "proved"
    assert len({*proof.checks}) == len(proof.checks)
    assert refuted
    assert proof.automata[-1] not in refuted


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (linear({"0": 1, "1": -1}, 0, "=="), None),
        (linear({"0": 0, "1": 0}, 0, "=="), "(2) has at least 5 values: 0, 1, 2, 3, 4"),
        (
            linear({"0": 1, "1": -1}, 1, "=="),
            "(2) has the value 3, but the least that no option has is 0",
        ),
    ],
)
def test_contradictions_of_grundy_numbers(value, said):
    assert contradiction(Nim(1), "grundy", [value], 0, {"a": 2, "value'": 3}) == said


@pytest.mark.full
def test_a_guess_that_is_too_large_to_decide_is_followed_by_others(monkeypatch):
    game = WithPass(StripBar(k=12, s=8))
    proof = prove(game)
    assert (proof.status, proof.states) == ("proved", (56, 77))
    hesitated = []

    class Hesitant(Engine):
        def counterexample(self, sentence):
            guess = max(self._relations.items())[1]
            if guess not in proof.automata:
                hesitated.append(guess)
                raise UndecidedError("too large")
            return super().counterexample(sentence)

    monkeypatch.setattr(search, "Engine", Hesitant)
    assert prove(game).automata == proof.automata
    assert hesitated


def test_nothing_is_said_of_positions_by_what_is_not_proved():
    proof = prove(parse_ruleset("nim(2)"), seconds=0)
    assert proof.status == "undecided"
    with pytest.raises(UndecidedError, match=r"nim\(2\): nothing is proved"):
        proof.accepts((1, 1))


DEPTH = {1: 4, 2: 4, 3: 3, 4: 2, 5: 1}


def layers(ruleset):
    """Return the game below a pass and its numbers of passes left."""
    if isinstance(ruleset, WithPass):
        return ruleset.ruleset, range(ruleset.passes + 1)
    return ruleset, range(1)


@settings(max_examples=examples(60))
@given(st.one_of(rulesets(), own_games().filter(lambda game: len(game.coordinates) <= 4)))
@example(parse_ruleset("sum(with-pass(nim(1), passes=1), step-bar(k=2))"))
@example(parse_ruleset("with-pass(sum(nim(1), step-bar(k=2, s=1)), passes=2)"))
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


def test_a_determined_coordinate_may_exceed_the_table():
    (member,) = members(StripBar(k=4, s=2), "p", 3)
    assert member(np.array([[9, 2, 7]])).tolist() == [True]
    with pytest.raises(ValueError, match="a table with bound 7 has no coordinate 8"):
        member(np.array([[9, 2, 8]]))
