"""Statements about other places of a game, by both engines, against the definition."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.formula import parse
from choco_pipeline.proof.statements.decided_claims import decide
from tests.checker.certificates import claim_on, game_text, verdict_on
from tests.claims.written import claim_from
from tests.effort import examples
from tests.proof.statements.decided_games import proved

GAMES = {"step-bar(k=2, s=1)": ("y", "z"), "nim(2)": ("a", "b")}
BOUND = 9


@cache
def grundy(text, position):
    return parse_ruleset(text).grundy(position)


def box_says(text, premise, place, conclusion):
    """Return the verdict for the positions of a box."""
    game = parse_ruleset(text)
    off_board, wrong, speaks = False, False, False
    for position in game.positions(BOUND):
        named = dict(zip(game.coordinates, position, strict=True))
        if not parse(premise).value(named):
            continue
        speaks = True
        there = tuple(parse(part).value(named) for part in place)
        if min(there) < 0 or not game.is_position(there):
            off_board = True
        else:
            wrong |= not conclusion(named, grundy(text, there))
    return "undecided" if off_board else "refuted" if wrong else "proved" if speaks else "vacuous"


@st.composite
def statements(draw):
    text = draw(st.sampled_from(list(GAMES)))
    names = GAMES[text]
    offsets = st.sampled_from(["", "+1", "-1", "+2"])
    shifted = st.builds("{}{}".format, st.sampled_from(names), offsets)
    place = draw(
        st.tuples(shifted | st.just("0"), shifted | st.sampled_from(["1", f"2*{names[1]}"]))
    )
    premise = draw(
        st.sampled_from(
            [
                "0 == 0",
                f"{names[0]} > 0",
                f"{names[1]} >= 3",
                f"{names[0]} >= 1 and {names[1]} >= 2",
            ]
        )
    )
    equals = draw(
        st.sampled_from([f"{names[0]} ^ {names[1]}", "1", f"({names[0]}+1) ^ {names[1]}"])
    )
    sign = draw(st.sampled_from(["==", "!=", "<="]))
    return text, premise, place, equals, sign, draw(st.booleans())


@settings(max_examples=examples(80), deadline=None)
@given(statements())
def test_drawn_places(tmp_path_factory, drawn):
    text, premise, place, equals, sign, of_outcomes = drawn
    at = ", ".join(place)
    compared = parse(f"({equals}) {sign} v")
    if of_outcomes:
        statement = f"{premise} => (P({at}) <=> {equals} {sign} 0)"
    else:
        statement = f"{premise} => {equals} {sign} G({at})"

    def conclusion(named, number):
        if of_outcomes:
            return (number == 0) == compared.value({**named, "v": 0})
        return compared.value({**named, "v": number})

    expected = box_says(text, premise, place, conclusion)
    claim = claim_from({"id": "drawn", "ruleset": text, "statement": statement})
    verdict = decide(claim, {}, proved(text, "grundy"), "here").verdict
    kinds = {Proved: "proved", Refuted: "refuted", Undecided: "undecided", Vacuous: "vacuous"}
    found = kinds[type(verdict)]
    if expected in ("proved", "vacuous"):
        assert found == expected or (found in ("refuted", "undecided") and expected == "proved")
    else:
        assert found == expected or (expected, found) == ("refuted", "undecided")
    folder = tmp_path_factory.getbasetemp()
    document = claim_on(game_text(text, "grundy", folder), statement)
    assert verdict_on(document, folder)[0] == found


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
