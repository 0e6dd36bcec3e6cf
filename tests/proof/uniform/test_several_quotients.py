"""Families whose heights are the least or the largest of several quotients."""

from copy import deepcopy

import pytest

from choco_pipeline.proof.proof_errors import FamilyError
from tests.proof.uniform.judged import certificate_of, prove_family, proved_once

LARGEST, LEAST = "solid-bar(f=max(x, z)//k)", "solid-bar(f=min(x, z)//k)"
P, GRUNDY = {"p_positions": "x ^ y ^ z == 0"}, {"grundy": "x ^ y ^ z"}
EVEN = "k % 2 == 0"


@pytest.mark.parametrize(
    ("ruleset", "relation"),
    [
        (LEAST, P),
        (LARGEST, P),
        pytest.param(LEAST, GRUNDY, marks=pytest.mark.full),
        pytest.param(LARGEST, GRUNDY, marks=pytest.mark.full),
        pytest.param("solid-bar(f=min(x//k, z//2))", P, marks=pytest.mark.full),
    ],
)
def test_even_divisors_are_proved(ruleset, relation):
    found = proved_once(ruleset, EVEN, **relation)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [
        (LEAST, "k % 2 == 1", P),
        (LARGEST, "k % 2 == 1", P),
        (LARGEST, "k >= 1", GRUNDY),
        ("solid-bar(f=max(x, z)//k+1)", EVEN, P),
        ("solid-bar(f=min(x, z)//k+1)", EVEN, P),
        (LARGEST, EVEN, {"p_positions": "(x+1) ^ y ^ (z+1) == 0"}),
        (LARGEST, EVEN, {"grundy": "(x ^ y ^ z) + 1"}),
    ],
)
def test_false_neighbours_are_refuted(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation).status == "refuted"


def test_a_part_that_may_be_negative_is_not_proved():
    """The height max(x - k, z) is one for every k."""
    found = prove_family("solid-bar(f=max(x-k, z)//2)", "k >= 0", **P)
    assert found.status in ("undecided", "refuted")


@pytest.mark.parametrize("height", ["max(min(x, z), x//2)//k", "max(x//2, z)//k"])
def test_other_forms_are_refused(height):
    with pytest.raises(FamilyError, match="height"):
        prove_family(f"solid-bar(f={height})", EVEN, **P)


@pytest.fixture(scope="module")
def certificates():
    return {ruleset: certificate_of(ruleset, EVEN, **P) for ruleset in (LEAST, LARGEST)}


@pytest.mark.full
def test_the_hints_of_one_prove_nothing_of_the_other(certificates, verdict):
    for ruleset, other in ((LEAST, LARGEST), (LARGEST, LEAST)):
        assert verdict(certificates[ruleset])["status"] == "proved"
        assert verdict(certificates[ruleset] | {"ruleset": other})["status"] == "undecided"
        forged = deepcopy(certificates[ruleset]) | {"ruleset": other}
        for case in forged["cases"]:
            case["heights"]["y"]["function"] = "max" if other == LARGEST else "min"
        assert verdict(forged)["status"] == "undecided"


@pytest.mark.parametrize(
    "forge",
    [
        lambda height: height["parts"].pop(),
        lambda height: height["parts"].reverse(),
        lambda height: height.update(function="min"),
        lambda height: height["parts"][0]["terms"].update(x={"1": 2}),
        lambda height: height["parts"][1]["divisor"].update({"1": 1}),
    ],
)
def test_forged_heights_are_refused(forge, certificates, verdict):
    certificate = deepcopy(certificates[LARGEST])
    forge(certificate["cases"][0]["heights"]["y"])
    assert verdict(certificate)["status"] in ("undecided", "no certificate")


@pytest.mark.full
def test_games_whose_parts_may_be_negative_are_not_left_out(certificates, verdict):
    """For k > 2 a part is negative at x = 0, and the height is not: such a game is in no case."""
    ruleset = "solid-bar(f=max(x+min(0, 2-k), z)//k)"
    assert verdict(certificates[LARGEST] | {"ruleset": ruleset})["status"] == "undecided"
    alone = {"ruleset": ruleset, "for": "k == 2"}
    assert verdict(certificates[LARGEST] | alone)["status"] == "proved"


@pytest.mark.full
@pytest.mark.parametrize(
    ("condition", "same"),
    [
        ("k & 3 == 1", "k % 4 == 1"),
        ("k & 5 == 5 and k & 2 == 0", "k % 8 == 5"),
        ("abs(k % 4 - 2) == 1 and k % 4 < 2", "k % 4 == 1"),
    ],
)
def test_masks_and_absolute_values_in_conditions(condition, same):
    relation = {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}
    for stated in (condition, same):
        found = proved_once("solid-bar(f=(x+z)//k)", stated, **relation)
        assert found.status == "proved", found.why


@pytest.mark.parametrize("condition", ["k & 3 == 3", "k & 2 == 0", "abs(k % 4 - 2) == 1"])
def test_false_masks_are_refuted(condition):
    relation = {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}
    assert prove_family("solid-bar(f=(x+z)//k)", condition, **relation).status == "refuted"


def test_parameters_of_a_mask_must_be_in_a_case(verdict):
    """All small members are right, and no case has the large ones."""
    relation = {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}
    certificate = certificate_of("solid-bar(f=(x+z)//k)", "k % 4 == 1", **relation)
    same = certificate | {"for": "k & 3 == 1 or k >= 10**6 and k & 7 == 5"}
    assert verdict(same)["status"] == "proved"
    more = certificate | {"for": "k & 3 == 1 or k >= 10**6 and k & 7 == 3"}
    assert verdict(more)["status"] == "undecided"
