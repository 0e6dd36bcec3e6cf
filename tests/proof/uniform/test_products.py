"""Families with products of parameters, one of which has few values: heights ⌊(x+z)/k⌋ + c and ⌊z/k⌋ + c."""

import json
from copy import deepcopy

import pytest

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family_certificate import document
from tests.checker.families.program import families
from tests.proof.uniform.by_definition import grundy_numbers
from tests.proof.uniform.judged import prove_family

SUM, FLAT = "solid-bar(f=(x+z)//k+c)", "solid-bar(f=z//k+c)"
STEP, SQUARE = "step-bar(k=k, s=c*k)", "solid-bar(f=z//k+k)"
HALF = "c*(k+1)//2"
SUM_P = {"p_positions": f"(x+{HALF}) ^ y ^ (z+{HALF}) == 0"}
SUM_1_P = {"p_positions": f"(x+{HALF}-1) ^ y ^ (z+{HALF}-1) == 0"}
FLAT_P = {"p_positions": "(x+c*k) ^ y ^ (z+c*k) == 0"}
SQUARE_P = {"p_positions": "(x+k*k) ^ y ^ (z+k*k) == 0"}
STEP_G = {"grundy": "(y ^ (z+c*k)) - c*k"}

TRUE = [
    (SUM, "k % 4 == 3 and c <= 1", SUM_P),
    (SUM, "k % 4 == 1 and c <= 1", SUM_1_P),
    (FLAT, "k % 2 == 0 and c <= 2", FLAT_P),
    (FLAT, "k % 4 == 0 and c <= 3", FLAT_P),
    (STEP, "k % 2 == 0 and c <= 2", STEP_G),
    (SQUARE, "k == 2 or k == 4", SQUARE_P),
]

FALSE = [
    # A wrong constant.
    (SUM, "k % 4 == 3 and c <= 2", SUM_P),
    (SUM, "k % 4 == 3 and c == 2", SUM_P),
    (SUM, "k % 4 == 3 and c <= 1", SUM_1_P),
    (FLAT, "k % 4 == 2 and c <= 3", FLAT_P),
    (FLAT, "k % 2 == 0 and c <= 2", {"p_positions": "(x+c) ^ y ^ (z+c) == 0"}),
    (STEP, "k % 2 == 0 and c <= 3", STEP_G),
    (SQUARE, "k == 2 or k == 6", SQUARE_P),
    # A wrong parity.
    (SUM, "k % 4 == 1 and c <= 1", SUM_P),
    (SUM, "k % 4 == 2 and c <= 1", SUM_P),
    (FLAT, "k % 2 == 1 and c <= 1", FLAT_P),
    (SQUARE, "k == 3", SQUARE_P),
    # A wrong height.
    ("solid-bar(f=(x+z+2)//k+c)", "k % 4 == 3 and c <= 1", SUM_P),
    ("solid-bar(f=max(x, z)//k+c)", "k % 4 == 3 and c <= 1", SUM_P),
    ("solid-bar(f=z//k+2*c)", "k % 2 == 0 and c <= 2", FLAT_P),
]

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [TRUE[0], TRUE[5], *(pytest.param(*c, marks=SLOW) for c in TRUE[1:5])],
)
def test_products_are_proved_by_both_solvers(ruleset, condition, relation):
    found = prove_family(ruleset, condition, **relation)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why


@pytest.mark.parametrize(("ruleset", "condition", "relation"), FALSE)
def test_false_neighbours_are_refuted(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation).status == "refuted"


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [FALSE[10], *(pytest.param(*c, marks=SLOW) for c in (FALSE[1], *FALSE[6:8], FALSE[11]))],
)
@pytest.mark.usefixtures("untried")
def test_false_neighbours_are_not_proved_without_tables(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation, seconds=8).status == "undecided"


@pytest.mark.parametrize(("ruleset", "condition", "relation"), TRUE[:6])
def test_small_members_agree_with_the_definition(ruleset, condition, relation):
    heights = {
        SUM: lambda at, k, c: (at["x"] + at["z"]) // k + c,
        FLAT: lambda at, k, c: at["z"] // k + c,
        STEP: lambda at, k, c: (at["z"] + c * k) // k,
        SQUARE: lambda at, k, c: at["z"] // k + k,
    }
    ((kind, formula),) = relation.items()
    coordinates, bound = (("y", "z"), 14) if ruleset == STEP else (("x", "y", "z"), 9)
    tried = 0
    for k, c in [(k, c) for k in range(1, 6) for c in range(4)]:
        if not eval(condition, {"k": k, "c": c}) or (ruleset == SQUARE and c):
            continue
        tried += 1
        height = {"y": lambda at, k=k, c=c: heights[ruleset](at, k, c)}
        for at, value in grundy_numbers(coordinates, height, bound):
            stated = eval(formula, {**at, "k": k, "c": c})
            assert stated == (value if kind == "grundy" else value == 0)
    assert tried >= 2


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation", "why"),
    [
        (SUM, "k % 4 == 3", SUM_P, r"multiplies parameters.*at most 16 values"),
        (SUM, "k % 4 == 3 and c <= 16", SUM_P, r"multiplies parameters.*at most 16 values"),
        (SQUARE, "k % 2 == 0", SQUARE_P, r"multiplies parameters.*at most 16 values"),
        (
            "solid-bar(f=(x+z)//(a*b))",
            "a*b % 4 == 3",
            {"p_positions": "x ^ y ^ z == 0"},
            r"multiplies parameters.*at most 16 values",
        ),
    ],
)
@pytest.mark.usefixtures("untried")
def test_a_product_that_is_outside_is_named(ruleset, condition, relation, why):
    with pytest.raises(FamilyError, match=why):
        prove_family(ruleset, condition, **relation)


@pytest.fixture(scope="module")
def certificate():
    return json.loads(json.dumps(document(prove_family(*TRUE[0][:2], **SUM_P))))


def of_case(number, key, value):
    """Return what changes the entry of a case; the cases are c = 0 and c = 1."""
    return lambda document: document["cases"][number].update({key: value})


@pytest.mark.parametrize(
    "forge",
    [
        lambda document: document.update({"for": "k%4 == 3 and c <= 2"}),
        lambda document: document.update({"for": "k%4 == 3"}),
        lambda document: document.update({"for": "k%2 == 1 and c <= 1"}),
        lambda document: document["cases"].pop(),
        lambda document: document["cases"].reverse() or document["cases"].pop(),
        of_case(1, "parameters", {"c": {"1": 0}, "k": {"m_k": 4, "1": 3}}),
        of_case(1, "parameters", {"c": {"1": 2}, "k": {"m_k": 4, "1": 3}}),
        of_case(1, "parameters", {"c": {"1": -1}, "k": {"m_k": 4, "1": 3}}),
        of_case(1, "parameters", {"c": {"m_k": 1}, "k": {"m_k": 4, "1": 3}}),
        of_case(1, "parameters", {"c": {"m_k*m_k": 1}, "k": {"m_k": 4, "1": 3}}),
        of_case(1, "parameters", {"c": {"1": 1}, "k": {"1": 3}}),
        of_case(1, "conditions", [{"m_k": 1, "1": -1}]),
        of_case(1, "conditions", [{"m_k*m_k": 1, "1": -1}]),
        of_case(1, "conditions", [{"m_k*m_k": 1, "m_k": -1}]),  # it holds, and no solver knows it
        of_case(1, "conditions", [{"m_k*m_c": 1}]),
    ],
)
def test_forged_cases_are_refused(forge, certificate, verdict, monkeypatch):
    monkeypatch.setattr(families, "wrong_position", lambda *_: None)
    monkeypatch.setattr(families, "prove_alone", lambda *_: None)
    assert verdict(certificate)["status"] == "proved"
    forged = deepcopy(certificate)
    forge(forged)
    assert verdict(forged)["status"] == "undecided"
