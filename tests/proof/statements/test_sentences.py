"""Drawn statements of the whole language, and places of a game, decided for all positions, against the definition."""

from __future__ import annotations

import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.statements.tree import PPosition, ValueSet, is_of_one_game, text_of
from tests.checker.certificates import claim_on, game_text, verdict_on
from tests.formula.drawn import unhurried
from tests.proof.statements.decided_games import proved
from tests.statements.drawn import GAMES, PRINTED, K, statements
from tests.statements.test_judge import by_definition

PROVED = {
    "nim(2)": "grundy",
    "step-bar(k=1, s=0)": "grundy",
    "with-pass(nim(2), passes=1)": "p",
    "solid-bar(f=(x+z)//3)": "p",
}


def decided(text, statement):
    document = {"id": "drawn", "ruleset": text, "statement": f"let k = {K}: {statement}"}
    claim = Claim.from_json(document | {"printed": [list(row) for row in PRINTED]})
    return decide(claim, {}, proved(text, PROVED[text]), "here", 5.0).verdict


@given(data=st.data(), text=st.sampled_from(sorted(PROVED)))
@unhurried
def test_a_proof_or_a_refutation_is_right_by_definition(data, text):
    game = GAMES[text]
    drawn = (data.draw(statements(game)) for _ in range(10))
    said = next(filter(is_of_one_game, drawn), PPosition())
    note(text_of(said))
    verdict = decided(text, text_of(said))
    event(type(verdict).__name__)
    heaps, bound = len(game.base.coordinates), 4 if len(game.coordinates) == 2 else K
    wrong = by_definition(said, game, bound)
    match verdict:
        case Undecided():
            pass
        case Refuted(counterexample) if isinstance(said, ValueSet):
            if said.relation == "<=":
                assert bool(wrong) == (max(counterexample.position[:heaps]) <= bound)
        case Refuted(counterexample) if wrong == [()]:  # it speaks of no position
            assert max(counterexample.position[:heaps]) == 0
        case Refuted(counterexample):
            at = counterexample.position
            assert at == wrong[0] if wrong else max(at[:heaps]) > bound
        case _:
            assert isinstance(verdict, Proved | Vacuous)
            assert wrong == [] or (isinstance(said, ValueSet) and said.relation != "<=")


@pytest.mark.parametrize(
    "statement",
    [
        "not (3//a) in printed",
        "not (0//0) in printed",
        "P => every n in sample 0..2: n >= 0",
        "P => every n in 0..size: n <= size",
        "P => every n in 0..size: n >= 0",
        "P(a, a-1)",
        "P[nim(2)](a, a)",
        "count(n in 0..a: n >= 0) >= a",
        "count(n in 0..9: n >= 0) >= 9",
        "count(option: P') >= 1",
    ],
)
def test_what_has_no_value_or_no_sentence_is_not_decided(statement):
    assert isinstance(decided("nim(2)", statement), Undecided)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("{a: (a, a, a, a) in printed} <= {v: v == 1}", Vacuous),
        ("{a: (a, a, a, a) in printed} == {v: v == 1}", Refuted),
        ("G != 0 => some option: G' == 0", Proved),
        ("P => no option: P'", Proved),
        ("P(a, a)", Proved),
        ("a > 0 => P(a-1, b)", Refuted),
        ("{a: a > 0 and P(a-1, b)} <= {v: v > 0}", Proved),
        ("{a: P(a-1, b)} <= {v: v > 0}", Undecided),
        ("every n in 0..a: n <= b => P", Refuted),
        ("count(n in 0..a: n >= 0) >= 1", Proved),
        ("count(n in 0..a: n >= 0) >= 2", Refuted),
        ("P => count(n in 0..a, m in 0..n: n <= b and m >= a) == 1", Proved),
        ("P and a > 0 => not count(n in 0..a: n <= b) == 1", Proved),
        ("P and a > 0 => count(n in 0..a: n <= b) != 1", Proved),
        ("count(n in 0..a: n > 0 and n < 3) <= 2", Proved),
        ("count(n in 0..a: n > 0 and n < 3) < 2", Refuted),
        ("a > 1 => count(n in 0..a: n > 0 and n < 3) > 1", Proved),
        ("a > 1 => count(n in 0..a: n > 0 and n < 3) > 2", Refuted),
        ("a > 1 => 2 == count(n in 0..a: n > 0 and n < 3)", Proved),
    ],
)
def test_statements_beyond_the_shapes_that_the_catalogue_has(statement, verdict):
    assert isinstance(decided("nim(2)", statement), verdict)


BAR, WITH_PASS = "step-bar(k=2, s=1)", "with-pass(step-bar(k=2, s=1), passes=1)"


@pytest.mark.parametrize(
    ("text", "statement", "verdict"),
    [
        (BAR, "z >= 2 => G(0, z-2) == z-2", Proved),
        (BAR, "G(0, z-2) == z-2", Undecided),
        (BAR, "z >= 1 and G(0, z-1) != 3 => z != 4", Proved),
        (BAR, "G(0, z-1) != 3 and z >= 1 => z != 4", Undecided),
        (BAR, "P(y, z) <=> P", Proved),
        (BAR, "P(y)", Undecided),
        (BAR, "{z: G(0, z-1) == 3} <= {v: v == 4}", Undecided),
        (BAR, "{y: P(z, z)} <= {v: v >= 0}", Undecided),
        (BAR, "for n in 0..z: G(0, n) == n", Undecided),
        (BAR, "every option: G(y', z') == G'", Undecided),
        (WITH_PASS, "p == 0 => G(y, z, 0) == G", Proved),
        (WITH_PASS, "p == 0 and y > 0 => G(y-1, z, 1) != G(y, z, 1)", Proved),
        (WITH_PASS, "G(y, z, 2) == 0", Undecided),
        (WITH_PASS, "G(y, z, p-1) == 0", Undecided),
        (WITH_PASS, "G(y, z, z) == 0", Undecided),
    ],
)
def test_a_premise_is_asked_first_and_passes_are_places(text, statement, verdict, tmp_path):
    claim = Claim.from_json({"id": "drawn", "ruleset": text, "statement": statement})
    assert isinstance(decide(claim, {}, proved(text, "grundy"), "here").verdict, verdict)
    document = claim_on(game_text(text, "grundy", tmp_path), statement)
    assert (verdict_on(document, tmp_path)[0] == "proved") == (verdict is Proved)
