"""The checker on certificates of claims on games: true ones are proved, false ones refuted with a counterexample, vacuous ones named."""

import json
from typing import Any

import pytest

from tests.checker.certificates import checker, claim_on, game_text, verdict_on

STRIP, STEP, PASS = "strip-bar(k=2, s=0)", "step-bar(k=2, s=0)", "with-pass(nim(2), passes=1)"


P, V = {"kind": "p-positions"}, {"kind": "values"}


TRUE = P | {"formula": "x ^ y ^ z == 0"}


TABLE = {"kind": "grundy-table", "down": "z", "across": "y"}


OPTIONS = {"kind": "options", "of": "x ^ y ^ z == 0", "to": "x ^ y ^ z == 0"}


COUNT = {"kind": "count", "over": "p-positions", "of": "0 == 0", "equals": 6}


LIST = [[0, 0, 0], [1, 0, 1], [2, 0, 2], [3, 1, 2]]


ON_GAMES: list[tuple[str, str, dict[str, Any], dict[str, Any], str]] = [
    (STRIP, "p", P | {"formula": "x ⊕ y ⊕ z == 0"}, {}, "proved"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z == 0 and x < 10**6"}, {}, "refuted"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z == 0 and x < 9", "relation": "contain"}, {}, "proved"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z == 0 and x < 9", "relation": "within"}, {}, "refuted"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z == 0 and x < 9"}, {"reach": 8}, "proved"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z == 0 and x < 9"}, {"reach": "8+1"}, "refuted"),
    (STRIP, "p", P | {"formula": "0 == 1", "where": "x ^ y ^ z < 0"}, {}, "vacuous"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z < q"}, {"names": {"q": 1}}, "proved"),
    (STRIP, "p", P | {"formula": "0 == 0"}, {"every": {"q": "1..3"}, "names": {"q": 4}}, "vacuous"),
    (STRIP, "p", P | {"formula": "0 == 0"}, {"when": "q > 4", "names": {"q": 4}}, "vacuous"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z < q"}, {"let": {"q": "2-1"}}, "proved"),
    (STRIP, "p", TRUE, {"some": {"t": "0..v2(8)", "m": "t..5"}, "when": "m*2**t == 24"}, "proved"),
    (STRIP, "p", TRUE, {"some": {"t": "0..v2(8)", "m": "t..5"}, "when": "m*2**t == 7"}, "vacuous"),
    (STRIP, "p", TRUE, {"some": {"t": "0..10**12"}, "when": "t == 7"}, "undecided"),
    (STRIP, "p", TRUE, {"every": {"q": "0..10**12"}, "names": {"q": 10**12}}, "proved"),
    (STRIP, "p", TRUE, {"every": {"q": "5..1 step -1"}, "names": {"q": 4}}, "no certificate"),
    (STRIP, "p", TRUE, {"some": {"t": "5..1 step -1"}}, "no certificate"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z < x"}, {"names": {"x": 1}}, "no certificate"),
    (STRIP, "p", P | {"formula": "x ^ y ^ z"}, {}, "no certificate"),
    (STRIP, "p", P | {"formula": "x*y == 0"}, {}, "undecided"),
    (STRIP, "p", {"kind": "grundy", "equals": "x ^ y ^ z"}, {}, "undecided"),
    (STEP, "grundy", {"kind": "grundy", "equals": "y ^ z"}, {}, "proved"),
    (STEP, "grundy", {"kind": "grundy", "equals": "(y ^ z) + z//1000"}, {}, "refuted"),
    (STEP, "grundy", P | {"formula": "y == 0 and z == 0"}, {}, "proved"),
    (STEP, "grundy", P | {"formula": "y == 0 and z <= 1"}, {}, "refuted"),
    (STEP, "grundy", TABLE | {"rows": [[0], [1], [2, 3], [3, 2]]}, {}, "proved"),
    (STEP, "grundy", TABLE | {"rows": [[0], [1], [2, 3], [3, 1]]}, {}, "refuted"),
    (STEP, "grundy", TABLE | {"rows": [[0, 0]]}, {}, "proved"),
    (STEP, "grundy", TABLE | {"rows": [[]]}, {}, "refuted"),
    (STEP, "grundy", {"kind": "grundy-list", "numbers": []}, {}, "no certificate"),
    (STEP, "grundy", TABLE | {"rows": [[0], [1]], "across": "z"}, {}, "refuted"),
    (STEP, "grundy", {"kind": "grundy-list", "numbers": [[1, 2, 3], [0, 9, 9]]}, {}, "proved"),
    (STEP, "grundy", {"kind": "grundy-list", "numbers": [[1, 2, 3], [0, 9, 8]]}, {}, "refuted"),
    (STEP, "grundy", {"kind": "grundy-list", "numbers": [[1, 1, 0]]}, {}, "undecided"),
    (STRIP, "p", V | {"of": "x-z", "values": "v <= 0", "relation": "within"}, {}, "refuted"),
    (STRIP, "p", V | {"of": "x ^ y ^ z", "values": "v == 0", "relation": "exactly"}, {}, "proved"),
    (
        STRIP, "p", V | {"of": "x ^ y ^ z", "values": "v == 0 or v == -5", "relation": "exactly"},
        {}, "refuted",
    ),
    (
        STRIP, "p", V | {"of": "x ^ y ^ z", "values": "v < 1", "relation": "contains-all"}, {},
        "refuted",
    ),
    (STRIP, "p", V | {"of": "x", "values": "v >= 0", "relation": "exactly"}, {}, "proved"),
    (
        STRIP, "p", V | {"of": "x", "values": "v == 0 or v == 10**7", "relation": "contains-all"},
        {"reach": 4}, "refuted",
    ),
    (STRIP, "p", OPTIONS | {"have": "no"}, {}, "proved"),
    (STRIP, "p", OPTIONS | {"have": "some"}, {}, "refuted"),
    (STRIP, "p", OPTIONS | {"of": "x ^ y ^ z > 0", "have": "some"}, {}, "proved"),
    (STRIP, "p", OPTIONS | {"of": "x ^ y ^ z > 0", "have": "some", "by": ["x"]}, {}, "refuted"),
    (STRIP, "p", OPTIONS | {"to": "x+y+z < 10**9", "have": "every"}, {}, "refuted"),
    (STRIP, "p", OPTIONS | {"have": "no", "by": []}, {}, "proved"),
    (STRIP, "p", OPTIONS | {"have": "no", "by": ["q"]}, {}, "no certificate"),
    (
        STRIP, "p",
        OPTIONS | {"of": "y > 5", "to": "y < 5", "have": "no", "by": ["z"], "beside": "kept"}, {},
        "proved",
    ),
    (
        STRIP, "p",
        OPTIONS | {"of": "y > 5", "to": "y < 5", "have": "no", "by": ["z"], "beside": "lowered"},
        {}, "refuted",
    ),
    (STRIP, "p", {"kind": "p-list", "positions": LIST}, {"reach": 3}, "refuted"),
    (
        STRIP, "p", {"kind": "p-list", "positions": [*LIST, [3, 0, 3], [2, 1, 3]]}, {"reach": 3},
        "proved",
    ),
    (STRIP, "p", {"kind": "p-list", "positions": [*LIST, [0, 0, 1]]}, {"reach": 3}, "refuted"),
    (STRIP, "p", {"kind": "p-list", "positions": LIST}, {}, "refuted"),
    (
        STRIP, "p", {"kind": "count", "over": "p-positions", "of": "0 == 0", "equals": 6},
        {"reach": 3}, "proved",
    ),
    (
        STRIP, "p", {"kind": "count", "over": "p-positions", "of": "0 == 0", "equals": 5},
        {"reach": 3}, "refuted",
    ),
    (STEP, "grundy", {"kind": "count", "of": "grundy == 3", "equals": 2}, {"reach": 3}, "proved"),
    (PASS, "p", P | {"formula": "p == 1 and a ^ b == 1 and max(a, b) > 1"}, {}, "refuted"),
    (PASS, "p", P | {"formula": "a == b if p == 0 else a"}, {}, "no certificate"),
    (PASS, "p", P | {"formula": "a == b", "where": "p == 0"}, {}, "proved"),
    (
        PASS, "p", {"kind": "p-list", "positions": [[0, 0, 0], [1, 1, 0], [0, 0, 1]]},
        {"reach": 1}, "proved",
    ),
    (STRIP, "p", P | {"formula": "x ^ y ^ z == v2(x)"}, {}, "undecided"),
    (STRIP, "p", COUNT | {"beside": {}}, {"reach": 3}, "proved"),
    (STRIP, "p", COUNT | {"beside": {"t": "1..1"}}, {"reach": 3}, "undecided"),
    (
        STRIP, "p", P | {"formula": "x ^ y ^ z < q"},
        {"every": {"q": "1..3"}, "some": {"q": "1..9"}, "names": {"q": 9}}, "no certificate",
    ),
    (STRIP, "p", P | {"formula": "x < 0", "relation": "contain"}, {}, "vacuous"),
    (
        STRIP, "p", P | {"formula": "0 == 0", "where": "x ^ y ^ z > 0", "relation": "within"}, {},
        "vacuous",
    ),
    (STRIP, "p", OPTIONS | {"of": "x+y+z == 0", "have": "every"}, {}, "vacuous"),
    (STRIP, "p", OPTIONS | {"of": "x == 0", "have": "every", "by": ["x"]}, {}, "vacuous"),
    (STRIP, "p", COUNT | {"where": "x ^ y ^ z > 0", "equals": 0}, {"reach": 3}, "proved"),
    (STRIP, "p", COUNT | {"of": "x < 0", "equals": 0}, {"reach": 3}, "proved"),
    (STEP, "grundy", {"kind": "grundy-list", "numbers": [[0, 9, 9]]}, {"reach": 4}, "proved"),
    (STEP, "grundy", {"kind": "grundy-list", "numbers": [[0, 9, 8]]}, {"reach": 4}, "refuted"),
    ("rectangular-bar(m=2, n=2)", "p", P | {"formula": "i == j"}, {}, "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("ruleset", "relation", "check", "more", "wanted"), ON_GAMES)
def test_claims_on_games(ruleset, relation, check, more, wanted, folder):
    game = game_text(ruleset, relation, folder)
    verdict, why = verdict_on(claim_on(game, check, **more), folder)
    assert verdict == wanted, why


@pytest.mark.parametrize(
    "change",
    [
        {"game": None},
        {"game": {"file": "game.json", "sha256": "0" * 64}},
        {"game": {"ruleset": STRIP}},
        {"game": []},
        {"verdict": "exhausted"},
        {"kind": "game"},
        {"format": 2},
        {"more": 1},
        {"names": {"k": True}},
        {"names": {"k": "2"}},
        {"names": []},
        {"claim": None},
    ],
)
def test_a_malformed_claim_is_no_certificate(change, folder):
    document = claim_on(game_text(STRIP, "p", folder), TRUE)
    assert verdict_on(document, folder)[0] == "proved"
    assert verdict_on(document | change, folder)[0] == "no certificate"


def test_a_claim_rests_on_a_proved_certificate_of_its_own_game(folder):
    game = game_text(STRIP, "p", folder)
    document = claim_on(game, TRUE)
    document["claim"]["ruleset"] = "strip-bar(k=k)"
    assert verdict_on(document | {"names": {"k": 2}}, folder)[0] == "proved"
    assert verdict_on(document | {"names": {"k": 4}}, folder)[0] == "no certificate"
    wrong = json.loads(game)
    wrong["automata"][0]["accepting"] = []
    verdict, why = verdict_on(claim_on(json.dumps(wrong), TRUE), folder)
    assert (verdict, "no option" in why) == ("refuted", True)


def test_a_height_may_be_written_otherwise_in_the_claim(folder):
    document = claim_on(
        game_text("solid-bar(f=(x+z)//3)", "p", folder),
        P | {"formula": "z ^ z == y ^ y", "relation": "within"},
    )
    for height, wanted in (("+(x+z)//-k", "proved"), ("(x+z-1)//-k", "no certificate")):
        document["claim"]["ruleset"] = f"solid-bar(f={height})"
        assert verdict_on(document | {"names": {"k": -3}}, folder)[0] == wanted


def test_a_game_without_an_answer_is_not_tried_again_for_its_claims(folder, monkeypatch):
    program, tried = checker(), []
    game = game_text(STRIP, "p", folder)
    texts = [game, *(json.dumps(claim_on(game, TRUE, names={"n": n})) for n in (1, 2))]
    program.proof_in.cache_clear()

    def over(*_):
        tried.append(1)
        raise program.UndecidedError("out of time", "more than 1 seconds")

    with monkeypatch.context() as patched:
        patched.setattr(program, "decided", over)
        for text in texts:
            path = folder / "several.json"
            path.write_text(text)
            assert program.verdict_on(path, []) == ("out of time", "more than 1 seconds")
    assert len(tried) == 1
    program.proof_in.cache_clear()
