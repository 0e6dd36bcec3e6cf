"""Heights ⌊x/k⌋ + ⌊z/k⌋: the P-positions up to a bound, which depends on the remainder of k modulo 4."""

import json
from copy import deepcopy

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family_certificate import document
from tests.proof.uniform.by_definition import grundy_numbers
from tests.proof.uniform.judged import prove_family

SUM = "solid-bar(f=x//k+z//k)"
SLOW = pytest.mark.slow


def shifted(number):
    return f"(x+{number}) ^ y ^ (z+{number}) == 0"


def below(bound):
    return f"x < {bound} and z < {bound}"


TRUE = [
    (SUM, "k % 4 == 2", below("k+2"), shifted(0)),
    (SUM, "k % 4 == 2", below("4*k"), shifted(2)),
    (SUM, "k % 4 == 3", below("2*k"), shifted(1)),
    (SUM, "k % 4 == 1", below("2*k+3"), "(x-1) ^ y ^ (z-1) == 0"),
    (SUM, "k % 4 == 0", below("4*k"), shifted(0)),
    (SUM, "k % 4 == 0", below("8*k"), shifted(0)),
    ("solid-bar(f=x//k+z//k+1)", "k % 4 == 0", below("2*k"), shifted(0)),
]

FALSE = [
    # A wrong constant.
    (SUM, "k % 4 == 2", below("k+3"), shifted(0)),
    (SUM, "k % 4 == 3", below("2*k+1"), shifted(1)),
    (SUM, "k % 4 == 1", below("2*k+4"), "(x-1) ^ y ^ (z-1) == 0"),
    (SUM, "k % 4 == 0", below("8*k+1"), shifted(0)),
    (SUM, "k % 4 == 0", below("4*k"), shifted(1)),
    # A wrong parity.
    (SUM, "k % 4 == 2", below("4*k"), shifted(0)),
    (SUM, "k % 2 == 0", below("4*k"), shifted(0)),
    (SUM, "k % 2 == 1", below("2*k"), shifted(1)),
    # A wrong height.
    ("solid-bar(f=(x+z)//k)", "k % 4 == 0", below("4*k"), shifted(0)),
    ("solid-bar(f=x//k+z//(2*k))", "k % 4 == 2", below("4*k"), shifted(2)),
    ("solid-bar(f=x//k+z//k+2)", "k % 4 == 0", below("2*k"), shifted(1)),
    # A bound that is none.
    (SUM, "k % 16 == 0", "x >= 0", shifted(1)),
]


@pytest.mark.parametrize(
    ("ruleset", "condition", "where", "relation"),
    [*TRUE[:5], *(pytest.param(*case, marks=SLOW) for case in TRUE[5:])],
)
def test_a_sum_of_quotients_is_proved_by_both_solvers(ruleset, condition, where, relation):
    found = prove_family(ruleset, condition, p_positions=relation, where=where)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why


@pytest.mark.parametrize(("ruleset", "condition", "where", "relation"), FALSE)
def test_false_neighbours_are_refuted(ruleset, condition, where, relation):
    found = prove_family(ruleset, condition, p_positions=relation, where=where)
    assert found.status == "refuted"


@pytest.mark.parametrize(
    ("ruleset", "condition", "where", "relation"), [*FALSE[:3], *FALSE[4:8], FALSE[9]]
)
@pytest.mark.usefixtures("untried")
def test_the_checker_refuses_false_neighbours(
    ruleset, condition, where, relation, verdict, monkeypatch
):
    """Also where it looks at no small member: the texts alone refuse them."""
    monkeypatch.setattr("tests.proof.uniform.judged.check_family", lambda *_: _undecided())
    proof = prove_family(ruleset, condition, p_positions=relation, where=where)
    monkeypatch.setattr("families.wrong_position", lambda *_: None)
    assert verdict(json.loads(json.dumps(document(proof))))["status"] == "undecided"


def _undecided():
    return {"status": "undecided", "why": "", "engines": [], "every_member": False}


@pytest.mark.parametrize(("ruleset", "condition", "where", "relation"), TRUE)
def test_small_members_agree_with_the_definition(ruleset, condition, where, relation):
    more, tried = (1 if ruleset.endswith("+1)") else 0), 0
    for k in range(1, 9):
        if not eval(condition, {"k": k}):
            continue
        tried += 1
        height = {"y": lambda at, k=k: at["x"] // k + at["z"] // k + more}
        for at, value in grundy_numbers(("x", "y", "z"), height, 10):
            if eval(where, {**at, "k": k}):
                assert eval(relation, at) == (value == 0)
    assert tried == 2


@pytest.mark.parametrize(
    ("ruleset", "where", "asked", "why"),
    [
        (SUM, "", {"p_positions": shifted(0)}, "sum of quotients is decided for P-positions alone"),
        (SUM, "", {"grundy": "x ^ y ^ z"}, "sum of quotients is decided for P-positions alone"),
        (SUM, below("3*k"), {"grundy": "x ^ y ^ z"}, "Grundy numbers are not decided"),
        (SUM, "x < k", {"p_positions": shifted(0)}, "y is not bounded by 64"),
        (
            "solid-bar(f=max(x, z)//k+x//k)",
            below("k"),
            {"p_positions": shifted(0)},
            "a sum of least or largest values",
        ),
        (
            "solid-bar(f=(x//1+z//1)//k)",
            below("k"),
            {"p_positions": shifted(0)},
            "a quotient of quotients",
        ),
    ],
)
@pytest.mark.usefixtures("untried")
def test_what_is_outside_is_named(ruleset, where, asked, why):
    with pytest.raises(FamilyError, match=why):
        prove_family(ruleset, "k % 4 == 0", where=where, **asked)


@pytest.fixture(scope="module")
def certificate():
    ruleset, condition, where, relation = TRUE[0]
    proof = prove_family(ruleset, condition, p_positions=relation, where=where)
    return json.loads(json.dumps(document(proof)))


def of_height(change):
    """Return what changes the height of y in the first case."""
    return lambda document: change(document["cases"][0]["heights"]["y"])


@pytest.mark.parametrize(
    "forge",
    [
        of_height(lambda height: height.update(function="min")),
        of_height(lambda height: height.update(function="product")),
        of_height(lambda height: height["parts"].pop()),
        of_height(lambda height: height["parts"].reverse()),
        of_height(lambda height: height["parts"].append(height["parts"][0])),
        of_height(lambda height: height["parts"][0]["constant"].update({"1": 1})),
        of_height(lambda height: height["parts"][0]["divisor"].update({"1": 3})),
        lambda document: document["cases"][0]["largest"].update(y=1),
        lambda document: document["cases"][0]["largest"].update(y=-1),
        lambda document: document["cases"][0].update(largest={}),
        lambda document: document.update({"where": ""}),
        lambda document: document.update({"where": "x < 10**6*k"}),
        lambda document: document.update({"for": "k%4 == 0"}),
        lambda document: document.update({"ruleset": "solid-bar(f=(x+z)//k)"}),
        lambda document: document.update({"ruleset": "solid-bar(f=(x//1+z//1)//k)"}),
        lambda document: document.update({"ruleset": "solid-bar(f=x//k+z//k+x//k)"}),
        lambda document: document.update({"ruleset": "solid-bar(f=x//k-z//k)"}),
        lambda document: document.update({"ruleset": "solid-bar(f=max(x, z)//k+z//k)"}),
        lambda document: document.update({"ruleset": "solid-bar(f=2*(x//k))"}),
    ],
)
def test_forged_certificates_are_refused(forge, certificate, verdict, monkeypatch):
    monkeypatch.setattr("families.wrong_position", lambda *_: None)
    assert verdict(certificate)["status"] == "proved"
    forged = deepcopy(certificate)
    forge(forged)
    if forged["cases"][0]["heights"]["y"]["function"] == "product":
        with pytest.raises(ChocoError, match="product"):
            verdict(forged)
    else:
        assert verdict(forged)["status"] == "undecided"
