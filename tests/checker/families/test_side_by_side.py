"""The check of certificates of disjunctive sums, and of families whose members are all large."""

import pytest

from choco_pipeline.errors import ChocoError

BAR = {
    "game": "bar",
    "parameters": {"d": 2},
    "coordinates": ["y", "z"],
    "heights": {"y": "z//d"},
    "moves": [{"lower": ["y"]}, {"lower": ["z"]}],
}


def height(terms, divisor):
    part = {"terms": {x: {"1": 1} for x in terms}, "constant": {}, "divisor": divisor}
    return {"y": {"function": "min", "parts": [part]}}


def certificate(ruleset, where, relation, parameters, conditions, heights):
    """A certificate in which the limited coordinate y is 0."""
    case = {"parameters": {p: {f"m_{p}": 1} for p in parameters}, "conditions": conditions}
    case |= {"heights": heights, "shifts": {}, "constant": {}, "offset": {}, "largest": {"y": 0}}
    document = {"kind": "family", "format": 2, "ruleset": ruleset, "where": where, "cases": [case]}
    relation = {"kind": "p-positions", "formula": relation}
    return document | {"parameters": parameters, "relation": relation, "for": "k >= 1"}


def beside_bar(other, where="z < k", relation="y ^ z == 0"):
    ruleset, heights = f"sum(game(bar, d=k), {other})", height("z", {"m_k": 1})
    document = certificate(ruleset, where, relation, ["k"], [{"m_k": 1, "1": -1}], heights)
    return document | {"games": {"bar": BAR}}


def test_a_height_has_no_name_of_the_family(verdict):
    """A game of one's own knows its own parameters alone, also in a sum."""
    document = beside_bar("nim(1)", "z < k and a < k", "y ^ z ^ a == 0")
    assert verdict(document)["status"] == "proved"
    document["games"] = {"bar": BAR | {"heights": {"y": "z//k"}}}
    with pytest.raises(ChocoError, match="no meaning in a height"):
        verdict(document)


def test_nim_without_heaps_is_no_game(verdict):
    with pytest.raises(ChocoError, match="1 to 15 heaps"):
        verdict(beside_bar("nim(0)"))


def test_large_members_of_products_are_found(verdict):
    """z3 does not know products of names; without conditions that have one, it finds members."""
    conditions = [{"m_j*m_k": 1, "1": -1}, {"m_j": 1, "1": -100_001}, {"m_k": 1, "1": -1}]
    document = certificate(
        "solid-bar(f=(x+z)//(j*k))", "x + z < j", "x ^ y ^ z == 0", ["j", "k"],
        conditions, height("xz", {"m_j*m_k": 1}),
    )  # fmt: skip
    document["for"] = "j > 100000 and k >= 1"
    found = verdict(document)
    assert (found["status"], found["why"].partition(" ")[0]) == ("undecided", "case-1/largest-y")
