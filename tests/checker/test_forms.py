"""Certificates with values of other types or other meaning: refused, or decided as the printed statement says."""

import copy
import json
from typing import Any

import pytest

from choco_pipeline import CutGame
from choco_pipeline.proof.games.certificate import write_certificate
from choco_pipeline.proof.games.prover import prove
from tests.checker.certificates import answer_on, claim_on, game_text, integers, verdict_on

NIM, STEP = ("nim(2)", "p"), ("step-bar(k=2, s=0)", "grundy")
PASS = ("with-pass(nim(2), passes=1)", "p")
#: A game described with every key that a description may have.
DESCRIBED: dict[str, Any] = {
    "parameters": {"k": 2},
    "coordinates": ["y", "z"],
    "heights": {"y": "z//k"},
    "moves": [{"lower": ["y"], "at_most": "y*k"}, {"lower": ["z"], "by": "any", "clip": False}],
    "ends": "y + z == 0",
}
#: A statement of each shape: its game, its text and its further keys.
CLAIMS: dict[str, tuple[tuple[str, str], str, dict[str, Any]]] = {
    "p-positions": (
        NIM,
        "let m = q+1: size <= 8 and a < 9 => (P <=> a == b)",
        {"every": {"q": "1..3"}, "some": {"t": "0..2"}, "when": "t == q", "names": {"q": 2}},
    ),
    "grundy": (STEP, "y < 5 => (G == y ^ z)", {}),
    "values": (NIM, "{a-b: P and a < 8} == {v: v == 0}", {}),
    "options": (STEP, "y ^ z == 0 => no option by z: y' == y and y' ^ z' == 0", {}),
    "table": (STEP, "z <= 2 => G == printed(z, y)", {"printed": [[0], [1], [2, 3]]}),
    "numbers": (STEP, "G(1, 2) == 3 and G(0, 9) == 9", {}),
    "list": (
        NIM,
        "size <= 1 and a < 8 => (P <=> (a, b) in printed)",
        {"printed": [[0, 0], [1, 1]]},
    ),
    "count": (PASS, "count(position: P and size <= 2 and b < 9 and p == 0) == 3", {}),
}
SAID = "d <= x and (d % 2 == 0 or d % 2 == 1) and (x % 2 == 0 <=> x ^ 1 > x)"
DIFFERENCE = "for k in 1..9, x in 0..N, y in 0..x step 2: let d = x-y: {} => {}"
INTEGERS = {
    "integers": DIFFERENCE.format("d >= 0 and k > 0", SAID),
    "count of integers": "for k in 1..9, x in 2..N: count(y in 0..x: let u = y+1: u < 10) >= 3",
}
OTHER_VALUES: list[Any] = [
    *(0, 1, 2.5, True, False, None, "1", "x", "false"), *([], ["a"], [[0]], {}, {"a": 1}),
]  # fmt: skip


def certificate(kind, folder):
    """Return a certificate of a game, of a statement about one, or about integers."""
    if kind in CLAIMS:
        game, statement, more = CLAIMS[kind]
        return claim_on(game_text(*game, folder), statement, **copy.deepcopy(more))
    if kind in INTEGERS:
        return integers(INTEGERS[kind], k=7)
    if kind == "described":
        proof = prove(CutGame(**DESCRIBED, name="bar"))
        return json.loads(write_certificate(proof, folder).read_text()) | {"obligations": []}
    game = {"grundy game": STEP, "passes": PASS}.get(kind, NIM)
    return json.loads(game_text(*game, folder))


def places(value, place=()):
    """Yield the places of all values in a document; of lists those of the first two."""
    yield place
    parts = value.items() if isinstance(value, dict) else ()
    parts = enumerate(value[:2]) if isinstance(value, list) else parts
    for key, part in parts:
        yield from places(part, (*place, key))


def changed(document, place, value):
    """Return a document with another value in a place."""
    if not place:
        return value
    found = copy.copy(document)
    found[place[0]] = changed(document[place[0]], place[1:], value)
    return found


@pytest.mark.parametrize("kind", ["game", "grundy game", "passes", "described", *CLAIMS, *INTEGERS])
def test_a_value_of_another_type_is_refused_or_changes_nothing(kind, folder):
    document = certificate(kind, folder)
    before = answer_on(document, folder)
    assert before[0][0] == "proved"
    for place in places(document):
        old = document
        for key in place:
            old = old[key]
        for value in [*OTHER_VALUES, [old], {"x": old}]:
            if type(value) is type(old):
                continue
            after = answer_on(changed(document, place, value), folder)
            if after[0][0] == "no certificate" or after == before:
                continue
            # A formula may be an integer, conditions may be none, and a key may be null: the statement then differs.
            assert value is None or {type(value), type(old)} in ({int, str}, {list, str}), place
            assert after[1] != before[1] or after[0][0] == "vacuous", (place, value, after)


@pytest.mark.parametrize("kind", ["game", "described", *CLAIMS, *INTEGERS])
def test_unknown_and_missing_keys_are_refused_or_the_statement_says_so(kind, folder):
    document = certificate(kind, folder)
    before = answer_on(document, folder)
    for place in places(document):
        old = document
        for key in place:
            old = old[key]
        if not isinstance(old, dict) or place == ("versions",):
            continue
        mutants = [{**old, "More": 1}, *({k: v for k, v in old.items() if k != key} for key in old)]
        for mutant in mutants:
            after = answer_on(changed(document, place, mutant), folder)
            if after[0][0] == "proved" and after != before:
                assert "More" not in mutant
                assert after[1] != before[1], (place, mutant, after)
            assert after[0][0] == "no certificate" or "More" not in mutant, (place, mutant)


def test_a_coordinate_is_not_taken_for_a_track_of_the_checker(folder):
    """With a coordinate 1, which was a track of the quotient b//3, this proved that P is a == b; (1, 0) has no option."""
    document = json.loads(game_text("nim(2)", "p", folder))
    moves = [{"lower": [1], "at_most": "b//3"}, {"lower": ["b"]}]
    for coordinate in (1, -1, "1", True):
        game = {"game": "odd", "coordinates": [coordinate, "b"], "moves": moves}
        odd = {"ruleset": "game(odd)", "coordinates": [coordinate, "b"], "games": {"odd": game}}
        assert verdict_on(document | odd, folder)[0] == "no certificate"


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("p-positions", "let m = q+1: size <= 8 and a < 9 and P => a == b"),
        ("p-positions", "let m = q+1: size <= 8 and a < 8 => (P <=> a == b)"),
        ("p-positions", "let m = q+1: size <= 8 and a < 9 => (P <=> b == a)"),
        ("grundy", "y < 4 => (G == y ^ z)"),
        ("values", "{a-b: P and a < 8} <= {v: v < 1}"),
        ("options", "y ^ z == 0 => no option by z: y' == y and z' ^ y' == 0"),
        ("options", "y ^ z == 0 => no option by y, z: y' ^ z' == 0"),
        ("options", "y ^ z == 0 => no option by z: y' ^ z' == 0"),
        ("table", "z <= 1 => G == printed(z, y)"),
        ("count", "count(position: P and size <= 2 and b < 9 and p == 0 and a == a) == 3"),
        ("integers", INTEGERS["integers"].replace("0..N, y in 0..x step 2", "0..5, y in 0..x")),
        ("integers", 21),
        ("integers", DIFFERENCE.format("d > 5", SAID)),
        ("integers", DIFFERENCE.format("d >= 0 and k > 0", "(0 == 0 <=> 1 == 1)")),
        ("count of integers", "for k in 1..9, x in 2..N: count(y in 0..x: y < 10) >= 2"),
    ],
)
def test_another_statement_is_printed_as_another(kind, change, folder):
    document = certificate(kind, folder)
    (verdict, _), before = answer_on(document, folder)
    assert verdict == "proved"
    key = "bound" if isinstance(change, int) else "statement"
    document["claim"] |= {key: change, "id": "step2015-conj-4.1"}
    (verdict, _), after = answer_on(document, folder)
    assert verdict == "proved"
    assert after != before
    assert "step2015" not in " ".join(after)
