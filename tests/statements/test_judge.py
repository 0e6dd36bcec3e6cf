"""The judge of statements says what the definition says, with the same least counterexample."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st

from choco_pipeline.claims.checks.evaluation import Board, Evaluation
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.statements.meaning import UndefinedError, World
from choco_pipeline.statements.parse import Names, parse_proposition
from choco_pipeline.statements.tree import InRange, Quantified, ValueSet, text_of
from tests.formula.drawn import unhurried
from tests.statements.drawn import GAMES, PRINTED, K, statements

games = st.sampled_from(sorted(GAMES)).map(GAMES.__getitem__)


def counterexamples(world, said):
    """Return the counterexamples up to the bound of a world, the least first."""
    found = [world.coordinates(at) for at in world.positions() if not world.holds(said, at)]
    return sorted(found, key=lambda at: (world.size(at), at))


def by_definition(said, game, bound):
    """Return the counterexamples up to a bound, the least first; None if the statement has no meaning there."""
    try:
        return counterexamples(World(game, bound, {"k": K}, PRINTED), said)
    except (FormulaError, UndefinedError):
        return None


def judged(said, game, bound):
    try:
        return judge(said, Evaluation(Board(game), bound, {"k": K}, PRINTED)).verdict
    except FormulaError as error:
        return Undecided(str(error))


@given(data=st.data(), game=games, bound=st.integers(K, 4))
@unhurried
def test_a_verdict_is_that_of_the_definition(data, game, bound):
    bound = bound if len(game.coordinates) == 2 else K
    said = data.draw(statements(game))
    note(text_of(said))
    wrong, verdict = by_definition(said, game, bound), judged(said, game, bound)
    event(type(verdict).__name__)
    if wrong is None:
        assert isinstance(verdict, Undecided)
    elif isinstance(said, ValueSet):
        is_false, is_finite = isinstance(verdict, Refuted), Board(game).is_finite
        has_others = bool(by_definition(replace(said, relation="<="), game, bound))
        if said.relation == "<=" or (said.relation == "==" and has_others):
            assert is_false == has_others
        else:  # a member that is larger than all values refutes it, too, once all positions are known
            assert is_finite if is_false else not (is_finite and wrong)
    elif wrong:
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position in (None, wrong[0]) or is_about_integers(said)
    elif isinstance(verdict, Undecided):
        assert "satisfies its premise" in verdict.why
    else:
        assert isinstance(verdict, Exhausted | HoldsToBound | Vacuous)


def is_about_integers(said):
    """Whether its cases are the integers of a quantifier in front, not positions."""
    return isinstance(said, Quantified) and isinstance(said.bindings[0], InRange)


@pytest.mark.parametrize(
    "game", ["rectangular-bar(m=3, n=4)", "with-pass(rectangular-bar(m=2, n=3))"]
)
@pytest.mark.parametrize(
    "text",
    [
        "P <=> (i-1) ^ (j-1) ^ (3-i) ^ (4-j) == 0",
        "P => i <= 1",
        "size > 2 => not P",
        "i <= 2 and j <= 2 => (P <=> P[rectangular-bar(m=k, n=k)](i, j))",
        "i < 3 => (P <=> P[nim(2)](i, j-1))",
        "P[nim(2)](i, j-5)",
        "count(position: P and i == j) == 2",
        "{i+j: P} <= {v: 3 <= v <= 5}",
        "{i: P} <= {2}",
    ],
)
def test_uncut_bars(game, text):
    bars = parse_ruleset(game)
    passes = bars.coordinates[4:]
    said = parse_proposition(text, Names(("i", "j", *passes), frozenset({"k"})))
    board = Board(bars, of_whole_bars=True)
    verdict = judge(said, Evaluation(board, 5, {"k": K})).verdict
    try:
        wrong = counterexamples(World(bars, 5, {"k": K}, of_whole_bars=True), said)
    except UndefinedError:
        assert isinstance(verdict, Undecided)
        return
    assert isinstance(verdict, Refuted) == bool(wrong)
    if isinstance(verdict, Refuted):
        assert verdict.counterexample.position in (None, wrong[0]) or isinstance(said, ValueSet)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("let s = a // b: b > 0 and s > 0 => P", Refuted),
        ("let s = a // b: b > 0 => s >= 0", HoldsToBound),
        ("let s = a // b: b == 0 or s == 1", Refuted),
        ("let s = G(a-1, b): a > 0 => s >= 0", HoldsToBound),
        ("count(position: P) == 5", Undecided),
        ("count(position: size <= 3 and P) == 4", Exhausted),
        ("count(position: size <= 9 and P) == 10", Undecided),
        ("count(position: size <= a and P) == 1", Undecided),
        ("every n in 0..9: count(position: size <= n and P) == n + 1", Undecided),
        ("some position: size <= 4 => a > 9", Undecided),
        ("every position: size <= 4 and a < 5", Undecided),
        ("every position: size <= 4 => a < 5", Exhausted),
        ("no position: size <= 4 and a > 4", Exhausted),
        ("some cell (q, r): q > 9", Undecided),
        ("option(q, r) => q + r < a + b", HoldsToBound),
        ("every n in sample 0..2: n < 3", HoldsToBound),
        ("size < 0 => P", Undecided),
        ("every n in 0..a, position: size <= 1 => n < 3", Refuted),
        ("every n in 0..size: n < 3", Refuted),
        ("P[step-bar(k=k-2)](a, b)", Undecided),
        ("let n = a // b: b > 0 and P[step-bar(k=n)](0, b)", Undecided),
    ],
)
def test_what_a_bound_cannot_decide_is_not_decided(text, verdict):
    game = parse_ruleset("nim(2)")
    said = parse_proposition(text, Names(game.coordinates, frozenset({"k"})))
    found = judged(said, game, 4)
    assert isinstance(found, verdict), found


def test_definitions_take_no_longer_the_more_there_are():
    """What has no value in the innermost part is asked for once."""
    definitions = ", ".join(f"n{i} = {i}" for i in range(40))
    said = parse_proposition(f"let {definitions}: a // b == 0", Names(("a", "b")))
    assert isinstance(judged(said, parse_ruleset("nim(2)"), 3), Undecided)
