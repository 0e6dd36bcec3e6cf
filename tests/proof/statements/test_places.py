"""Statements about other places of a game, by both engines, against the definition."""

import pytest

from choco_pipeline.claims.language.verdict import Proved, Undecided
from choco_pipeline.proof.statements.decided_claims import decide
from tests.checker.certificates import claim_on, game_text, verdict_on
from tests.claims.written import claim_from
from tests.proof.statements.decided_games import proved

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
    claim = claim_from({"id": "drawn", "ruleset": text, "statement": statement})
    assert isinstance(decide(claim, {}, proved(text, "grundy"), "here").verdict, verdict)
    document = claim_on(game_text(text, "grundy", tmp_path), statement)
    assert (verdict_on(document, tmp_path)[0] == "proved") == (verdict is Proved)
