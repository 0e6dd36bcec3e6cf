"""What engines say of claims: nothing, the same, a contradiction, or too late."""

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.verdict import Proved, Undecided
from choco_pipeline.errors import DisagreementError
from choco_pipeline.proof.arithmetic import agreement
from choco_pipeline.proof.arithmetic.engine import Decision
from choco_pipeline.proof.arithmetic.mona import mona_version
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.decided_claims import decide
from tests.claims.claims import claim_on
from tests.proof.statements.decided_games import OWN, decided, proved


@pytest.mark.parametrize(
    ("text", "check", "why"),
    [
        ("nim(2)", {"kind": "grundy", "equals": "a ^ b"}, "Grundy numbers are not proved"),
        ("nim(2)", {"kind": "p-positions", "formula": "a*b == 0"}, "multiplies two coordinates"),
        ("nim(2)", {"kind": "p-positions", "formula": "a//zero == b"}, "division by zero"),
        ("nim(2)", {"kind": "p-positions", "formula": "a >> 20 == b"}, "more than 65536 states"),
        (
            "nim(2)",
            {"kind": "listing", "of": "a", "order": ["a", "b"], "begins": [0], "up_to": 3},
            "no sentence is written for a statement of this form",
        ),
        ("rectangular-bar(m=2, n=3)", {"kind": "p-positions", "formula": "i == j"}, "no sentence"),
    ],
)
def test_what_is_not_decided(text, check, why) -> None:
    more = {} if check["kind"] == "listing" else {"let": {"zero": "0"}}
    verdict = decided(text, check=check, more=more).verdict
    assert isinstance(verdict, Undecided)
    assert why in verdict.why


def test_an_undecided_game_decides_no_claim() -> None:
    proof = prove(parse_ruleset("step-bar(k=2, s=1)"), engines=OWN, seconds=1e-9)
    claim = claim_on(proof.ruleset, kind="p-positions", formula="y == z")
    verdict = decide(claim, {}, proof, "here", OWN).verdict
    assert "no proved automata" in verdict.why


@pytest.mark.skipif(mona_version() is None, reason="MONA is not installed")
def test_both_engines_say_the_same() -> None:
    text = "with-pass(step-bar(k=2, s=1), passes=1)"
    for check in (
        {"kind": "p-positions", "formula": "(y ^ (z+1) ^ p)-1 == 0"},
        {"kind": "values", "of": "y ^ (z+1) ^ p", "values": "v >= 0", "relation": "contains-all"},
    ):
        both = decided(text, check=check, engines=["own", "mona"])
        assert both.verdict == decided(text, check=check).verdict
        assert both.evidence["engines"] == ["own", "mona"]


RIGHT = {"kind": "p-positions", "formula": "a == b"}


def test_engines_that_contradict_each_other_are_an_error(monkeypatch) -> None:
    monkeypatch.setattr(agreement, "decide_with_mona", lambda *_: Decision(False, {}, 0.0, 0))
    with pytest.raises(DisagreementError, match="True by own, False by mona"):
        decided("nim(2)", check=RIGHT, engines=["own", "mona"])


def test_an_engine_without_an_answer_is_named(monkeypatch) -> None:
    def silent(*_):
        raise UndecidedError("MONA was stopped")

    monkeypatch.setattr(agreement, "decide_with_mona", silent)
    finding = decided("nim(2)", check=RIGHT, engines=["own", "mona"])
    assert finding.verdict == Proved("here")
    assert finding.evidence["engines"] == ["own"]
    assert finding.evidence["no_answer"] == {"mona": "MONA was stopped"}
    assert decided("nim(2)", check=RIGHT, engines=["mona"]).verdict == Undecided(
        "mona: MONA was stopped"
    )


def test_time_is_kept_to() -> None:
    proof = proved("nim(2)")
    verdict = decide(claim_on(proof.ruleset, **RIGHT), {}, proof, "here", OWN, 0.0).verdict
    assert verdict == Undecided("own: the time is over")
