"""Claims that the engine leaves undecided."""

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.decided_claims import decide
from tests.claims.claims import claim_on
from tests.proof.statements.decided_games import decided, proved


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
    proof = prove(parse_ruleset("step-bar(k=2, s=1)"), seconds=1e-9)
    claim = claim_on(proof.ruleset, kind="p-positions", formula="y == z")
    verdict = decide(claim, {}, proof, "here").verdict
    assert "no proved automata" in verdict.why


RIGHT = {"kind": "p-positions", "formula": "a == b"}


def test_time_is_kept_to() -> None:
    proof = proved("nim(2)")
    verdict = decide(claim_on(proof.ruleset, **RIGHT), {}, proof, "here", 0.0).verdict
    assert verdict == Undecided("time is up before the sentence is decided")
