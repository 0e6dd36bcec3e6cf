"""Drawn statements of the whole language, decided for all positions, against the definition at small ones."""

from functools import cache

from hypothesis import event, given, note
from hypothesis import strategies as st

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.statements.printer import text_of
from choco_pipeline.statements.tree import ValueSet
from tests.formula.drawn import unhurried
from tests.statements.drawn import GAMES, PRINTED, K, statements
from tests.statements.test_judge import by_definition

PROVED = {
    "nim(2)": "grundy",
    "step-bar(k=1, s=0)": "grundy",
    "with-pass(nim(2), passes=1)": "p",
    "solid-bar(f=(x+z)//3)": "p",
}


@cache
def proof_of(text):
    proof = prove(GAMES[text], PROVED[text], engines=["own"])
    assert proof.status == "proved"
    return proof


@given(data=st.data(), text=st.sampled_from(sorted(PROVED)))
@unhurried
def test_a_proof_or_a_refutation_is_right_by_definition(data, text):
    game = GAMES[text]
    said = data.draw(statements(game))
    written = f"let k = {K}: {text_of(said)}"
    note(written)
    document = {"id": "drawn", "ruleset": text, "statement": written}
    claim = Claim.from_json(document | {"printed": [list(row) for row in PRINTED]})
    verdict = decide(claim, {}, proof_of(text), "here", ["own"], 5.0).verdict
    event(type(verdict).__name__)
    bound = 4 if len(game.coordinates) == 2 else K
    wrong = by_definition(said, game, bound)
    closed = bool(wrong) and len(wrong[0]) < len(game.coordinates)
    match verdict:
        case Undecided():
            pass
        case Refuted(counterexample) if isinstance(said, ValueSet):
            at = counterexample.position
            assert said.relation != "<=" or wrong or at is not None
            assert wrong is not None
        case Refuted(counterexample) if not closed:
            at, heaps = counterexample.position, len(game.base.coordinates)
            assert at == wrong[0] if wrong else max(at[:heaps]) > bound
        case Refuted():
            pass
        case _:
            assert isinstance(verdict, Proved | Vacuous)
            assert wrong == [] or (isinstance(said, ValueSet) and said.relation != "<=")
