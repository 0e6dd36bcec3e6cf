"""Relations that are wrong for every member of a family with powers of 2 in it, and neighbours that are right for some."""

import random

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform import FamilyError
from choco_pipeline.proof.uniform.failure import failures
from choco_pipeline.proof.uniform.families.family import POWER, Family
from choco_pipeline.proof.uniform.family_certificate import write
from tests.checker.families.mutations import changed, of_sums, of_texts, plus
from tests.checker.families.program import check_family, families
from tests.proof.uniform.judged import certificate_of, proved_once

SUM, NIM = "solid-bar(f=(x+z)//k)", "x ^ y ^ z == 0"
STRIP, SHIFTED = "strip-bar(k=k, s=s)", "(x+s) ^ y ^ (z+s) == 0"
#: The bound of solid2022, Conjecture 1, plus 1: k = P·(2m+1) for the largest power P of 2 that divides k.
BEYOND = "(((k & -k) - 1)*k + (k & -k))//2"


def box(bound):
    return f"x <= {bound} and z <= {bound}"


CONJECTURE = (SUM, "k % 2 == 0", NIM, box(BEYOND))
SHARP = (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) <= s", SHIFTED, "")
EVERY = [
    CONJECTURE,
    SHARP,
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} + 2")),
    (SUM, "k % 2 == 0 and k >= 5", NIM, box(BEYOND)),
    (SUM, "k % 2 == 0", NIM, box("((k & -k)*k)//2")),
]


def named(asked):
    return dict(zip(("ruleset", "condition", "p_positions", "where"), asked, strict=True))


@pytest.mark.parametrize(
    "asked", [*EVERY[:2], *(pytest.param(asked, marks=pytest.mark.full) for asked in EVERY[2:])]
)
def test_a_relation_is_refuted_for_every_member(asked, tmp_path):
    _, members, relation, _ = asked
    found = proved_once(**named(asked))
    assert (found.status, found.engines) == ("refuted", ("z3", "cvc5"))
    assert found.failures
    checked = check_family(write(found, tmp_path).as_posix(), 60.0)
    assert (checked["status"], checked["every_member"]) == ("refuted", True), checked["why"]
    said, chance = parse(relation), random.Random(2)
    condition = parse(members)
    seen = 0
    for failure in found.failures:
        for _ in range(60):
            own = {n: chance.randrange(1, 12) for n in failure.case.names}
            own |= {POWER: 1 << chance.randrange(4)}
            given = {name: value.value(own) for name, value in failure.case.parameters.items()}
            if not condition.value(given):
                continue
            seen += 1
            position = tuple(value.value(own) for value in failure.position.values())
            game = found.family.description.member(given)
            assert game.rules.why_not(position) is None
            places = (position, *game.options(position))
            related = [said.value({**given, **game.rules.named(q)}) for q in places]
            assert not any(related)
    assert seen > 20


#: True for some members, or not proved by this means.
NOT_FOR_ALL = [
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} - 1")),
    (SUM, "k % 2 == 0", NIM, box("((k & -k) - 1)*k//2")),
    (SUM, "k >= 1", NIM, box(BEYOND)),  # right for k = 3
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} + 1") + f" and z >= {BEYOND}"),  # options leave it
    (SUM, "k % 2 == 0", NIM, box(f"{BEYOND} + 1") + " and x + y >= z - 1"),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) <= s + 1", SHIFTED, ""),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) <= 2*s", SHIFTED, ""),
    (STRIP, "k % 2 == 0 and s >= 1 and k*(s & -s) > s", SHIFTED, ""),
]


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(one, marks=[] if n % 3 == 2 else [pytest.mark.full])
        for n, one in enumerate(NOT_FOR_ALL)
    ],
)
def test_what_is_right_for_some_is_not_refuted_for_all(asked):
    assert proved_once(**named(asked)).failures == ()


@pytest.mark.parametrize(
    ("members", "where", "why"),
    [
        ("k % 2 == 0 and a == (a & -a)", "x <= (k & -k)", "of one alone"),
        ("(k & -k) % 4 == 0", "", "remainder modulo"),
        ("k*(s & -s) <= s", "x <= k", "a parameter is 0"),  # and the relation is right then
        ("k % 2 == 0", "x <= (k | 6)", "not linear"),
        ("k % 2 == 0", "x*(k & -k) <= y*x", "multiplies coordinates"),
    ],
)
def test_other_powers_are_refused(members, where, why):
    family = Family.read(SUM, members, NIM, "p-positions", where)
    with pytest.raises(FamilyError, match=why):
        failures(family, list(family.cases()), Clock(20))


def test_parts_of_one_coordinate_are_not_taken_for_those_of_another():
    one, power = families.ONE, families.named(POWER)
    height = families.Height((families.Quotient({"x": one}, families.ZERO, one),))
    relation = families.NimSum({"x": families.ZERO, "y": families.ZERO})
    rules = families.Game(["x", "y"], {"x": True}, {"y": height}, relation, False, frozenset())
    parts = {"x": (families.ZERO, one), "y": (one, families.ZERO)}
    assert families.PowerPlace(rules, [], power, {"x": one, "y": power}, parts).parts
    with pytest.raises(families.UndecidedError, match="the same sum"):
        families.PowerPlace(rules, [], power, {"x": power, "y": power}, parts)


def test_that_no_member_is_wrong_is_not_called_a_proof():
    found = proved_once(**named(NOT_FOR_ALL[0]))
    assert (found.status, found.cases) == ("undecided", ())
    assert "powers of 2" in found.why


def of_case(document):
    for c, case in enumerate(document["cases"]):
        for key in ("parameters", "position", "digits", "heights", "shifts"):
            yield from of_sums(document, ("cases", c, key), key)
        for i, condition in enumerate(case["conditions"]):
            if not any("*" in name for name in condition):
                path = ("cases", c, "conditions", i)  # by 1 it says the same of an odd number
                yield "a stronger condition", changed(document, path, plus("1", -2))
        yield "no digits", changed(document, ("cases", c, "digits"), lambda _: None)
        cases = [case for n, case in enumerate(document["cases"]) if n != c]
        if cases:
            yield "one case less", {**document, "cases": cases}


@pytest.fixture(params=[CONJECTURE, SHARP])
def document(request):
    return certificate_of(**named(request.param))


@pytest.mark.full
def test_a_changed_case_is_refused_by_the_conditions_alone(document, verdict, monkeypatch):
    monkeypatch.setattr(families, "require_failure", lambda *_: None)
    assert verdict(document)["every_member"]
    for what, other in of_case(document):
        assert not verdict(other)["every_member"], what


def renamed(part, old, new):
    """Return a part of a certificate with a name of its sums spelt otherwise."""
    if isinstance(part, list):
        return [renamed(p, old, new) for p in part]
    if not isinstance(part, dict):
        return part
    words = {key: "*".join(sorted(new if n == old else n for n in key.split("*"))) for key in part}
    return {words[key]: renamed(value, old, new) for key, value in part.items()}


@pytest.mark.parametrize(("name", "passes"), [("m_t", True), ("n_s", False), ("p_2", False)])
def test_a_case_in_which_parameters_depend_on_each_other_covers_nothing(
    name, passes, verdict, monkeypatch
):
    document = certificate_of(**named(SHARP))
    monkeypatch.setattr(families, "require_failure", lambda *_: None)
    odd, even = document["cases"]
    assert "m_k" in even["parameters"]["k"]
    found = verdict({**document, "cases": [odd, renamed(even, "m_k", name)]})
    assert found["every_member"] == passes
    assert passes or "a name in common" in found["why"]


def test_a_quotient_in_a_divisor_may_be_negative(verdict):
    """Who supposes that max(k-3000, -5000) is natural looks at large k alone: for k from 100 to 2999 it is Theorem 3.1."""
    document = certificate_of(**named(SHARP))
    odd = {**document["cases"][0], "conditions": []}
    right = "100 <= k and k <= 2999 and s < k"
    condition = f"k % 2 == 0 and s % 2 == 1 and (s & -s) == 1 and (k <= s or {right})"
    written = "strip-bar(k=3000 + max(k-3000, -5000), s=s)"
    found = verdict({**document, "ruleset": written, "for": condition, "cases": [odd]})
    assert (found["status"], found["every_member"]) == ("undecided", False)
    assert "position" in found["why"]


@pytest.mark.parametrize("more", ["x >= 1", "z >= x", f"z >= {BEYOND}"])
def test_options_that_leave_a_condition_on_positions_are_no_witnesses(more, verdict):
    document = certificate_of(**named(CONJECTURE))
    found = verdict({**document, "where": f"{document['where']} and {more}"})
    assert (found["status"], found["every_member"]) == ("undecided", False)
    assert "nothing is stated" in found["why"]


@pytest.mark.full
def test_another_statement_is_refused_or_wrong_for_every_member(document, verdict):
    """What passes is shown by the definition's options for the first members, too."""
    passed = 0
    texts = [
        (what, other)
        for what, other in of_texts(document)
        if all(other["cases"][n] == case for n, case in enumerate(document["cases"]))
    ]
    for what, other in random.Random(3).sample(texts, 25):
        try:
            found = verdict(other)
        except ChocoError:
            continue
        assert found["status"] != "proved", what
        passed += found["every_member"]
    assert passed < 5
