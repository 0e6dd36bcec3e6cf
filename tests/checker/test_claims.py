"""The checker on certificates of claims on games: true ones are proved, false ones refuted with a counterexample, vacuous ones named."""

import json

import pytest

from tests.checker.certificates import checker, claim_on, game_text, verdict_on

STRIP, STEP, PASS = "strip-bar(k=2, s=0)", "step-bar(k=2, s=0)", "with-pass(nim(2), passes=1)"


TRUE, BELOW_9 = "P <=> x ^ y ^ z == 0", "P <=> x ^ y ^ z == 0 and x < 9"
LIST = [[0, 0, 0], [1, 0, 1], [2, 0, 2], [3, 1, 2]]
LISTED, ON_LIST = "P <=> (x, y, z) in printed", "size <= 3 => (P <=> (x, y, z) in printed)"
ROWS = [[0], [1], [2, 3]]
TABLE = "z <= 3 => G == printed(z, y)"

#: Statements on a game, with their verdicts.
ON_GAMES = {
    (STRIP, "p"): {
        "P <=> x ⊕ y ⊕ z == 0": "proved",
        "P <=> x ^ y ^ z == 0 and x < 10**6": "refuted",
        "x ^ y ^ z == 0 and x < 9 => P": "proved",
        "P => x ^ y ^ z == 0 and x < 9": "refuted",
        f"size <= 8 => ({BELOW_9})": "proved",
        f"size <= 8+1 => ({BELOW_9})": "refuted",
        "x ^ y ^ z < 0 => (P <=> 0 == 1)": "vacuous",
        "let q = 2-1: P <=> x ^ y ^ z < q": "proved",
        "P <=> x ^ y ^ z": "no certificate",
        "P <=> x*y == 0": "undecided",
        "P <=> x ^ y ^ z == v2(x)": "undecided",
        "x < 0 => P": "vacuous",
        "x ^ y ^ z > 0 and P => 0 == 0": "vacuous",
        "G == x ^ y ^ z": "undecided",
        "{x-z: P} <= {v: v <= 0}": "refuted",
        "{x ^ y ^ z: P} == {v: v == 0}": "proved",
        "{x ^ y ^ z: P} == {v: v == 0 or v == -5}": "refuted",
        "{x ^ y ^ z: P} >= {v: v < 1}": "refuted",
        "{x: P} == {v: v >= 0}": "proved",
        "{x: P and size <= 4} >= {v: v == 0 or v == 10**7}": "refuted",
        "x ^ y ^ z == 0 => no option: x' ^ y' ^ z' == 0": "proved",
        "x ^ y ^ z == 0 => some option: x' ^ y' ^ z' == 0": "refuted",
        "x ^ y ^ z > 0 => some option: x' ^ y' ^ z' == 0": "proved",
        "x ^ y ^ z > 0 => some option by x: x' ^ y' ^ z' == 0": "refuted",
        "x ^ y ^ z == 0 => every option: x'+y'+z' < 10**9": "refuted",
        "x ^ y ^ z == 0 => no option by q: x' ^ y' ^ z' == 0": "no certificate",
        "x+y+z == 0 => every option: x' ^ y' ^ z' == 0": "vacuous",
        "x == 0 => every option by x: x' ^ y' ^ z' == 0": "vacuous",
        "y > 5 => no option by z: y' == y and y' < 5": "proved",
        "y > 5 => no option by z: y' < y and y' < 5": "refuted",
        "count(position: P and size <= 3) == 6": "proved",
        "count(position: P and size <= 3) == 5": "refuted",
        "count(position, t in 1..1: P and size <= 3) == 6": "undecided",
        "count(position: P and size <= 3 and x ^ y ^ z > 0) == 0": "proved",
        "count(position: P and size <= 3 and x < 0) == 0": "proved",
    },
    (STEP, "grundy"): {
        "G == y ^ z": "proved",
        "G == (y ^ z) + z//1000": "refuted",
        "P <=> y == 0 and z == 0": "proved",
        "P <=> y == 0 and z <= 1": "refuted",
        "": "no certificate",
        "G(1, 2) == 3 and G(0, 9) == 9": "proved",
        "G(1, 2) == 3 and G(0, 9) == 8": "refuted",
        "G(1, 1) == 0": "undecided",
        "count(position: size <= 3 and G == 3) == 2": "proved",
    },
    (PASS, "p"): {
        "P <=> p == 1 and a ^ b == 1 and max(a, b) > 1": "refuted",
        "P <=> a == b if p == 0 else a": "no certificate",
        "p == 0 => (P <=> a == b)": "proved",
    },
    ("rectangular-bar(m=2, n=2)", "p"): {"P <=> i == j": "undecided"},
}
#: Statements with further keys.
WITH_KEYS = [
    (STRIP, "p", "P <=> x ^ y ^ z < q", {"names": {"q": 1}}, "proved"),
    (STRIP, "p", "P <=> x ^ y ^ z < x", {"names": {"x": 1}}, "no certificate"),
    (STRIP, "p", "P <=> 0 == 0", {"every": {"q": "1..3"}, "names": {"q": 4}}, "vacuous"),
    (STRIP, "p", "P <=> 0 == 0", {"when": "q > 4", "names": {"q": 4}}, "vacuous"),
    (STRIP, "p", TRUE, {"some": {"t": "0..v2(8)", "m": "t..5"}, "when": "m*2**t == 24"}, "proved"),
    (STRIP, "p", TRUE, {"some": {"t": "0..v2(8)", "m": "t..5"}, "when": "m*2**t == 7"}, "vacuous"),
    (STRIP, "p", TRUE, {"some": {"t": "0..10**12"}, "when": "t == 7"}, "undecided"),
    (STRIP, "p", TRUE, {"every": {"q": "0..10**12"}, "names": {"q": 10**12}}, "proved"),
    (STRIP, "p", TRUE, {"every": {"q": "5..1 step -1"}, "names": {"q": 4}}, "no certificate"),
    (STRIP, "p", TRUE, {"some": {"t": "5..1 step -1"}}, "no certificate"),
    (
        *(STRIP, "p", "P <=> x ^ y ^ z < q"),
        {"every": {"q": "1..3"}, "some": {"q": "1..9"}, "names": {"q": 9}},
        "no certificate",
    ),
    (STRIP, "p", LISTED, {"printed": LIST}, "refuted"),
    (STRIP, "p", ON_LIST, {"printed": LIST}, "refuted"),
    (STRIP, "p", ON_LIST, {"printed": [*LIST, [3, 0, 3], [2, 1, 3]]}, "proved"),
    (STRIP, "p", ON_LIST, {"printed": [*LIST, [0, 0, 1]]}, "refuted"),
    (
        *(PASS, "p", "size <= 1 => (P <=> (a, b, p) in printed)"),
        {"printed": [[0, 0, 0], [1, 1, 0], [0, 0, 1]]},
        "proved",
    ),
    (STEP, "grundy", TABLE, {"printed": [*ROWS, [3, 2]]}, "proved"),
    (STEP, "grundy", TABLE, {"printed": [*ROWS, [3, 1]]}, "refuted"),
    (STEP, "grundy", "z <= 0 => G == printed(z, y)", {"printed": [[0, 0]]}, "proved"),
    (STEP, "grundy", "z <= 0 => G == printed(z, y)", {"printed": [[]]}, "refuted"),
    (STEP, "grundy", "z <= 1 => G == printed(z, z)", {"printed": [[0], [1]]}, "refuted"),
]
CASES = [
    (*game, *said, {}, wanted) for game, of in ON_GAMES.items() for *said, wanted in of.items()
]


@pytest.mark.parametrize(
    ("ruleset", "relation", "statement", "more", "wanted"), [*CASES, *WITH_KEYS]
)
def test_claims_on_games(ruleset, relation, statement, more, wanted, folder):
    game = game_text(ruleset, relation, folder)
    verdict, why = verdict_on(claim_on(game, statement, **more), folder)
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
    document = claim_on(game_text("solid-bar(f=(x+z)//3)", "p", folder), "P => z ^ z == y ^ y")
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
