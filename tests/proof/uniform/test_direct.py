"""Relations where limited coordinates have few values, and positions at which every member contradicts a relation."""

import random
from functools import cache

import pytest

from choco_pipeline.formula import parse
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform import FamilyError
from choco_pipeline.proof.uniform.failure import failures
from choco_pipeline.proof.uniform.families.affine import number
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.places import FewValues
from choco_pipeline.proof.uniform.sentences import SOLVERS, text
from tests.proof.uniform.judged import prove_family

SUM, MORE = "solid-bar(f=(x+z)//k)", "solid-bar(f=(x+z+k+2)//k)"
STRIP = "strip-bar(k=k, s={0})"
NIM = "x ^ y ^ z == 0"


def box(bound):
    return f"x <= {bound} and z <= {bound}"


#: solid2022, Conjecture 1: the members, the bound, and a position with the next larger one, for a = 0, 1, 2.
BOXES = [
    ("k % 4 == 2", "k//2", ("2*m_k+1", "1", "2*m_k+2")),
    ("k % 8 == 4", "(3*k+2)//2", ("12*m_k+5", "3", "12*m_k+8")),
    pytest.param(
        *("k % 16 == 8", "(7*k+6)//2", ("56*m_k+25", "7", "56*m_k+32")), marks=pytest.mark.full
    ),
]
LARGEST_BOX = ("k % 32 == 16", "(15*k+14)//2", ("240*m_k+113", "15", "240*m_k+128"))


@pytest.mark.parametrize(
    ("members", "bound", "beyond"), [*BOXES, pytest.param(*LARGEST_BOX, marks=pytest.mark.slow)]
)
def test_a_box_is_proved_and_the_next_larger_one_refuted_for_every_member(members, bound, beyond):
    found = prove_family(SUM, members, p_positions=NIM, where=box(bound))
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why
    larger = prove_family(SUM, members, p_positions=NIM, where=box(f"{bound} + 1"))
    assert (larger.status, larger.engines) == ("refuted", ("z3", "cvc5"))
    (failure,) = larger.failures
    assert tuple(map(str, failure.position.values())) == beyond


@pytest.mark.parametrize(
    ("members", "relation", "where"),
    [
        ("k % 4 == 2", NIM, "x <= k//2 + 1 and z < k//2"),
        ("k % 4 == 0", NIM, box("k//2 + 1")),
        ("k % 4 == 2", "(x-1) ^ y ^ (z-1) == 0", box("k//2")),
        ("k >= 1", NIM, "x + z < k"),
    ],
)
def test_other_conditions_on_positions(members, relation, where):
    assert prove_family(SUM, members, p_positions=relation, where=where).status == "proved"


#: False, though by little.
FALSE = [
    (SUM, "k % 4 == 2", NIM, "x <= k//2 and z <= k//2 + 1"),
    (SUM, "k % 4 == 0", NIM, box("(3*k+2)//2 + 1")),
    (SUM, "k % 2 == 1", NIM, box("(k+1)//2")),
    (SUM, "k % 4 == 2", "(x-1) ^ y ^ (z-1) == 0", box("k + 1")),
    (SUM, "k % 4 == 2", "x ^ y ^ z == 1", box("k//2")),
    (SUM, "k % 8 == 4", NIM, box("(3*k+2)//2 + min(max(k-99, 0), 1)")),
    (SUM, "k % 8 == 4 or k == 102", NIM, box("(3*k+2)//2")),
    (SUM, "k % 4 == 2", NIM, "x >= 1 and x <= k//2 and z <= k//2"),  # options leave it
    (SUM, "k % 4 == 2", NIM, "x + z <= k and x == z"),
]


@pytest.mark.parametrize(("ruleset", "members", "relation", "where"), FALSE)
@pytest.mark.usefixtures("untried")
def test_a_false_neighbour_is_not_proved(ruleset, members, relation, where):
    found = prove_family(ruleset, members, p_positions=relation, where=where)
    assert found.status in ("undecided", "refuted")


REFUTED = [
    (SUM, "k % 4 == 1", "(x+1) ^ y ^ (z+1) == 0", ["(4*m_k, 2, 4*m_k+2)"]),  # Conjecture 2
    (SUM, "k % 4 == 1", NIM, ["(2*m_k, 1, 2*m_k+1)"]),
    (SUM, "k % 4 == 3", "(x-1) ^ y ^ (z-1) == 0", ["(2*m_k+1, 1, 2*m_k+2)"]),
    (MORE, "k % 4 == 3", "(x+(k+3)//2) ^ y ^ (z+(k+3)//2) == 0", ["(0, 1, 1)"]),
    (MORE, "k % 4 == 1", "(x+(k+1)//2) ^ y ^ (z+(k+1)//2) == 0", ["(0, 1, 1)"]),
    (
        "solid-bar(f=(x+z+c)//k)",
        "k % 4 == 1 and c == k+2",  # an equation between parameters
        "(x+(c-1)//2) ^ y ^ (z+(c-1)//2) == 0",
        ["(0, 1, 1)"],
    ),
    (
        STRIP.format("k+2*a+1"),
        "k % 2 == 0 and 2*a+1 < k",
        "(x+k+2*a+1) ^ y ^ (z+k+2*a+1) == 0",
        ["(0, 1, 1)"],
    ),
]


@pytest.mark.parametrize(("ruleset", "members", "relation", "places"), REFUTED)
def test_a_relation_is_refuted_for_every_member(ruleset, members, relation, places):
    found = prove_family(ruleset, members, p_positions=relation)
    assert (found.status, found.engines) == ("refuted", ("z3", "cvc5"))
    shown = [f"({', '.join(map(str, f.position.values()))})" for f in found.failures]
    assert shown == places
    said = parse(relation)
    for failure in found.failures:
        for m in (0, 1, 2, 7, 40):
            own = dict.fromkeys(failure.case.names, 0) | {"m_k": m + 1, "m_c": 2 * m + 3}
            given = {name: value.value(own) for name, value in failure.case.parameters.items()}
            position = tuple(value.value(own) for value in failure.position.values())
            game = found.family.description.member(given)
            assert game.rules.why_not(position) is None
            related = [
                said.value({**given, **game.rules.named(q)})
                for q in (position, *game.options(position))
            ]
            assert related[0] == any(related[1:])


@pytest.mark.parametrize(
    ("members", "relation", "where"),
    [
        ("k % 4 == 1", "(x-1) ^ y ^ (z-1) == 0", ""),
        ("k % 4 == 3", NIM, ""),
        ("k % 2 == 1", NIM, ""),  # true for each second one
        ("k % 4 == 1 and k >= 5 or k == 3", NIM, ""),
        ("k % 4 == 2", NIM, box("k//2")),
    ],
)
def test_what_is_true_for_some_is_not_refuted_for_all(members, relation, where):
    family = Family.read(SUM, members, relation, "p-positions", where)
    assert failures(family, list(family.cases()), Clock(60)) == ()


@cache
def member(parameters):
    return Family.read(SUM, "k >= 1", NIM, "p-positions").description.member(dict(parameters))


@pytest.mark.parametrize("members", ["k % 4 == 1", "k % 4 == 2", "k % 4 == 3"])
@pytest.mark.parametrize("relation", [NIM, "(x-1) ^ y ^ (z-1) == 0", "(x+2) ^ (y-1) ^ z == 5"])
def test_sentences_say_what_the_definition_says(members, relation):
    family = Family.read(SUM, members, relation, "p-positions")
    (case,) = family.cases()
    direct, said, chance = FewValues(family, case), parse(relation), random.Random(1)
    for _ in range(40):
        (k,) = (value.value({"m_k": chance.randrange(3)}) for value in case.parameters.values())
        m = case.parameters["k"]
        x, z = chance.randrange(24), chance.randrange(24)
        place = (x, chance.randrange((x + z) // k + 1) if chance.random() < 0.9 else 9, z)
        at = dict(zip("xyz", map(number, place), strict=True))
        sentence = f"(and (= |m_k| {(k - m.constant) // m.terms[0][1]}) {{}})"
        game = member((("k", k),))
        is_one = game.rules.why_not(place) is None
        expected = {direct.is_inside(at): is_one}
        if is_one:
            related = [
                said.value({"k": k, **dict(zip("xyz", q, strict=True))})
                for q in (place, *game.options(place))
            ]
            expected |= {direct.is_related(at): related[0]}
            expected |= {direct.has_related_option(at): any(related[1:])}
            expected |= {direct.is_inconsistent(at): related[0] == any(related[1:])}
        for shown, truth in expected.items():
            answer = SOLVERS["z3"](text(["m_k"], [], sentence.format(shown)), 1000)
            assert answer == ("sat" if truth else "unsat"), (k, place, shown)


@pytest.mark.parametrize(
    ("relation", "where", "why"),
    [
        ({"p_positions": NIM}, "x <= k", "not bounded"),
        ({"p_positions": NIM}, "x <= k or z <= k", "joined by `and`"),
        ({"p_positions": NIM}, "x <= k*k", "multiplies parameters"),
        ({"p_positions": NIM}, "k*x <= 3", "multiplies parameters"),
        ({"p_positions": NIM}, "x + 1", "a condition is needed"),
        ({"p_positions": "x ^ z == 0"}, box("k"), "every coordinate"),
        ({"grundy": "x ^ y ^ z"}, box("k//2"), "Grundy"),
    ],
)
@pytest.mark.usefixtures("untried")
def test_what_has_no_sentences_is_refused(relation, where, why):
    with pytest.raises(FamilyError, match=why):
        prove_family(SUM, "k % 4 == 2", **relation, where=where)
