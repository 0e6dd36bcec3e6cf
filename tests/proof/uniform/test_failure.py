"""Positions at which every member of a family contradicts a relation, and boxes in which relations are right."""

from itertools import islice

import pytest

from choco_pipeline.formula import parse
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.trial import small_values
from choco_pipeline.proof.uniform.failure import FewValues, failures, inconsistencies
from choco_pipeline.proof.uniform.family import POWER, Family
from tests.proof.uniform.judged import prove_family, proved_once

SUM, MORE = "solid-bar(f=(x+z)//k)", "solid-bar(f=(x+z+k+2)//k)"
STRIP, SHIFTED = "strip-bar(k=k, s=s)", "(x+s) ^ y ^ (z+s) == 0"
NIM = "x ^ y ^ z == 0"
#: The bound of solid2022, Conjecture 1, plus 1: k = P·(2m+1) for the largest power P of 2 that divides k.
BEYOND = "(((k & -k) - 1)*k + (k & -k))//2"
FULL, SLOW = pytest.mark.full, pytest.mark.slow


def box(bound):
    return f"x <= {bound} and z <= {bound}"


#: solid2022, Conjecture 1: the members, the bound, and a position with the next larger one, for a = 0, 1, 2, 3.
BOXES = [
    pytest.param("k % 4 == 2", "k//2", ("2*m_k+1", "1", "2*m_k+2")),
    pytest.param("k % 8 == 4", "(3*k+2)//2", ("12*m_k+5", "3", "12*m_k+8"), marks=FULL),
    pytest.param("k % 16 == 8", "(7*k+6)//2", ("56*m_k+25", "7", "56*m_k+32"), marks=SLOW),
    pytest.param("k % 32 == 16", "(15*k+14)//2", ("240*m_k+113", "15", "240*m_k+128"), marks=SLOW),
]


@pytest.mark.parametrize(("members", "bound", "beyond"), BOXES)
def test_a_box_is_proved_and_the_next_larger_one_refuted_for_every_member(members, bound, beyond):
    found = prove_family(SUM, members, p_positions=NIM, where=box(bound))
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why
    larger = prove_family(SUM, members, p_positions=NIM, where=box(f"{bound} + 1"))
    assert (larger.status, larger.engines) == ("refuted", ("z3", "cvc5"))
    (failure,) = larger.failures
    assert tuple(map(str, failure.position.values())) == beyond


@pytest.mark.slow
def test_the_box_for_a_4_is_proved_and_the_next_larger_one_is_not():
    members, bound = "k % 64 == 32", "(31*k+30)//2"
    found = prove_family(SUM, members, p_positions=NIM, where=box(bound))
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why
    larger = prove_family(SUM, members, p_positions=NIM, where=box(f"{bound} + 1"))
    assert larger.status != "proved"


#: False, though by little.
FALSE = [
    ("k % 4 == 2", NIM, "x <= k//2 and z <= k//2 + 1"),
    ("k % 4 == 0", NIM, box("(3*k+2)//2 + 1")),
    ("k % 2 == 1", NIM, box("(k+1)//2")),
    ("k % 4 == 2", "(x-1) ^ y ^ (z-1) == 0", box("k + 1")),
    ("k % 4 == 2", "x ^ y ^ z == 1", box("k//2")),
    ("k % 8 == 4 or k == 102", NIM, box("(3*k+2)//2")),
    ("k % 4 == 2", NIM, "x >= 1 and x <= k//2 and z <= k//2"),  # options leave it
    ("k % 4 == 2", NIM, "x + z <= k and x == z"),
]


@pytest.mark.parametrize(("members", "relation", "where"), FALSE)
@pytest.mark.usefixtures("untried")
def test_a_false_neighbour_is_not_proved(members, relation, where):
    assert prove_family(SUM, members, p_positions=relation, where=where).status != "proved"


#: With the positions as sums, for the cases.
REFUTED = [
    (SUM, "k % 4 == 1", "(x+1) ^ y ^ (z+1) == 0", "", "(4*m_k, 2, 4*m_k+2)"),  # Conjecture 2
    (SUM, "k % 4 == 1", NIM, "", "(2*m_k, 1, 2*m_k+1)"),
    (SUM, "k % 4 == 3", "(x-1) ^ y ^ (z-1) == 0", "", "(2*m_k+1, 1, 2*m_k+2)"),
    (MORE, "k % 4 == 3", "(x+(k+3)//2) ^ y ^ (z+(k+3)//2) == 0", "", "(0, 1, 1)"),
    (MORE, "k % 4 == 1", "(x+(k+1)//2) ^ y ^ (z+(k+1)//2) == 0", "", "(0, 1, 1)"),
    (
        "solid-bar(f=(x+z+c)//k)",
        "k % 4 == 1 and c == k+2",  # an equation between parameters
        "(x+(c-1)//2) ^ y ^ (z+(c-1)//2) == 0",
        "",
        "(0, 1, 1)",
    ),
    (
        "strip-bar(k=k, s=k+2*a+1)",
        "k % 2 == 0 and 2*a+1 < k",
        "(x+k+2*a+1) ^ y ^ (z+k+2*a+1) == 0",
        "",
        "(0, 1, 1)",
    ),
    (SUM, "k % 2 == 0", NIM, box(BEYOND), None),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) <= s", SHIFTED, "", None),
    pytest.param(SUM, "k % 2 == 0", NIM, box(f"{BEYOND} + 2"), None, marks=FULL),
    pytest.param(SUM, "k % 2 == 0 and k >= 5", NIM, box(BEYOND), None, marks=FULL),
    pytest.param(SUM, "k % 2 == 0", NIM, box("((k & -k)*k)//2"), None, marks=FULL),
]


@pytest.mark.parametrize(("ruleset", "members", "relation", "where", "place"), REFUTED)
def test_a_relation_is_refuted_for_every_member(ruleset, members, relation, where, place):
    """By the conditions of the checker, and by the options of members."""
    found = proved_once(ruleset, members, p_positions=relation, where=where)
    assert (found.status, found.engines) == ("refuted", ("z3", "cvc5"))
    shown = [f"({', '.join(map(str, f.position.values()))})" for f in found.failures]
    assert shown == [place] if place else shown
    said, condition, seen = parse(relation), parse(members), 0
    for failure in found.failures:
        case = failure.case

        def holds(own, case=case):
            return case.holds(own) and own.get(POWER, 1).bit_count() == 1

        for own in islice(small_values(case.names, holds), 8, 20):
            given = {name: value.value(own) for name, value in case.parameters.items()}
            assert condition.value(given)
            seen += 1
            position = tuple(value.value(own) for value in failure.position.values())
            game = found.family.description.member(given)
            assert game.rules.why_not(position) is None
            places = (position, *game.options(position))
            related = [said.value({**given, **game.rules.named(q)}) for q in places]
            assert related[0] == any(related[1:])
    assert seen >= 12


#: True for some members, or not proved by this means.
NOT_FOR_ALL = [
    (SUM, "k % 4 == 1", "(x-1) ^ y ^ (z-1) == 0", ""),
    (SUM, "k % 4 == 3", NIM, ""),
    (SUM, "k % 2 == 1", NIM, ""),  # true for each second one
    (SUM, "k % 4 == 1 and k >= 5 or k == 3", NIM, ""),
    (SUM, "k % 4 == 2", NIM, box("k//2")),
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} - 1")),
    (SUM, "k % 2 == 0", NIM, box("((k & -k) - 1)*k//2")),
    (SUM, "k >= 1", NIM, box(BEYOND)),  # right for k = 3
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} + 1") + f" and z >= {BEYOND}"),  # options leave it
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} + 1") + " and x + y >= z - 1"),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) <= s + 1", SHIFTED, ""),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) <= 2*s", SHIFTED, ""),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) > s", SHIFTED, ""),
]


@pytest.mark.parametrize(("ruleset", "members", "relation", "where"), NOT_FOR_ALL)
def test_what_is_right_for_some_is_not_refuted_for_all(ruleset, members, relation, where):
    if "&" in members + where:
        found = proved_once(ruleset, members, p_positions=relation, where=where)
        assert (found.status == "proved", found.cases, found.failures) == (False, (), ())
    else:
        family = Family.read(ruleset, members, relation, "p-positions", where)
        assert failures(family, list(family.cases()), Clock(60)) == ()


@pytest.mark.parametrize(
    ("members", "where", "why"),
    [
        ("k % 2 == 0 and a == (a & -a)", "x <= (k & -k)", "only one is supported"),
        ("(k & -k) % 4 == 0", "", "remainder modulo"),
        ("k*(s & -s) <= s", "x <= k", "a parameter is 0"),  # and the relation is right then
        ("k % 2 == 0", "x <= (k | 6)", "not linear"),
        ("k % 2 == 0", "x*(k & -k) <= y*x", "multiplies coordinates"),
        ("k % 2 == 0", "x*(k & -k) <= k", "options may violate"),
    ],
)
def test_other_powers_are_refused(members, where, why):
    family = Family.read(SUM, members, NIM, "p-positions", where)
    with pytest.raises(FamilyError, match=why):
        failures(family, list(family.cases()), Clock(20))


@pytest.mark.parametrize("relation", [NIM, "(x-1) ^ y ^ (z-1) == 0", "(x+2) ^ (y-1) ^ z == 5"])
def test_inconsistent_positions_are_those_of_the_definition(relation):
    family = Family.read(SUM, "k >= 1", relation, "p-positions", "x <= 9 and z <= 9")
    (case,), said = family.cases(), parse(relation)
    for k in (1, 2, 3, 5):
        given = dict.fromkeys(case.names, k)
        game, wrong = family.description.member({"k": k}), set()
        for x in range(10):
            for z in range(10):
                for position in ((x, y, z) for y in range((x + z) // k + 1)):
                    places = (position, *game.options(position))
                    related = [said.value({"k": k, **game.rules.named(q)}) for q in places]
                    wrong |= {position} if related[0] == any(related[1:]) else set()
        assert {*inconsistencies(FewValues(family, case), given, Clock(20))} == wrong
