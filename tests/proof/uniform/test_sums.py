"""Families of disjunctive sums: proved, refuted, forged, and compared with the definition."""

import json
from copy import deepcopy

import pytest

from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof.uniform.family_certificate import document
from tests.proof.uniform.by_definition import grundy_numbers
from tests.proof.uniform.judged import prove_family

HEAP = "sum(step-bar(k=k, s=s), nim(1))"
TWO_BARS = "sum(step-bar(k=k), step-bar(k=j))"
SAME_BARS = "sum(step-bar(k=k, s=s), step-bar(k=k, s=s))"
HEAPS = "sum(solid-bar(f=min(x, z)//k), nim(2))"
EVEN, SHORT = "k % 2 == 0", "k % 2 == 0 and s < k"

TRUE = [
    (HEAP, SHORT, {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
    (TWO_BARS, "k % 2 == 0 and j % 2 == 0", {"grundy": "y1 ^ z1 ^ y2 ^ z2"}),
    (SAME_BARS, SHORT, {"p_positions": "y1 ^ (z1+s) ^ y2 ^ (z2+s) == 0"}),
    (HEAPS, EVEN, {"grundy": "x ^ y ^ z ^ a ^ b"}),
]

FALSE = [
    # A wrong constant.
    (HEAP, "k % 2 == 0 and s <= k + 1", {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
    (HEAP, SHORT, {"p_positions": "(a+s) ^ y ^ (z+s+1) == 0"}),
    (SAME_BARS, SHORT, {"p_positions": "y1 ^ (z1+s) ^ y2 ^ (z2+s) == 1"}),
    # A wrong parity.
    (HEAP, "k % 2 == 1 and s < k", {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
    (TWO_BARS, "k % 2 == 0 and j % 2 == 1", {"grundy": "y1 ^ z1 ^ y2 ^ z2"}),
    (HEAPS, "k % 2 == 1", {"grundy": "x ^ y ^ z ^ a ^ b"}),
    # A wrong height.
    (
        "sum(solid-bar(f=(x+z)//k), nim(1))",
        "k % 4 == 3",  # its P-positions are x ^ y ^ z == 0, and its Grundy numbers no nim-sum
        {"p_positions": "x ^ y ^ z == a"},
    ),
    (
        "sum(step-bar(k=k, s=1), step-bar(k=k))",
        EVEN,
        {"p_positions": "y1 ^ (z1+1) ^ y2 ^ (z2+1) == 0"},
    ),
]


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [TRUE[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in TRUE[1:])],
)
def test_a_sum_is_proved_by_both_solvers(ruleset, condition, relation):
    found = prove_family(ruleset, condition, **relation)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why


@pytest.mark.parametrize(("ruleset", "condition", "relation"), FALSE)
def test_a_false_sum_is_refuted(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation).status == "refuted"


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [FALSE[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in FALSE[1:])],
)
@pytest.mark.usefixtures("untried")
def test_a_false_sum_is_not_proved_without_tables(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation, seconds=8).status == "undecided"


def heights_of(ruleset, k, s, j):
    return {
        HEAP: {"y": lambda at: (at["z"] + s) // k},
        TWO_BARS: {"y1": lambda at: at["z1"] // k, "y2": lambda at: at["z2"] // j},
        SAME_BARS: {y: lambda at, z=z: (at[z] + s) // k for y, z in (("y1", "z1"), ("y2", "z2"))},
        HEAPS: {"y": lambda at: min(at["x"], at["z"]) // k},
    }[ruleset]


@pytest.mark.parametrize(("ruleset", "condition", "relation"), TRUE)
def test_small_members_agree_with_the_definition(ruleset, condition, relation):
    ((kind, formula),) = relation.items()
    coordinates = {
        HEAP: ("y", "z", "a"),
        TWO_BARS: ("y1", "z1", "y2", "z2"),
        SAME_BARS: ("y1", "z1", "y2", "z2"),
        HEAPS: ("x", "y", "z", "a", "b"),
    }[ruleset]
    bound = {3: 9, 4: 6, 5: 4}[len(coordinates)]
    for k, s, j in ((2, 0, 4), (2, 1, 2), (4, 3, 2)):
        assert eval(condition, {"k": k, "s": s, "j": j})
        for at, value in grundy_numbers(coordinates, heights_of(ruleset, k, s, j), bound):
            stated = eval(formula, {**at, "s": s})
            assert stated == (value if kind == "grundy" else value == 0)


def certificate_of(ruleset, condition, relation):
    return json.loads(json.dumps(document(prove_family(ruleset, condition, **relation))))


def status_of(verdict, forged):
    """Return the status of a certificate, also of one that the checker cannot read."""
    try:
        return verdict(forged)["status"]
    except DisagreementError:
        return "contradiction"
    except ChocoError:
        return "no certificate"


@pytest.fixture(scope="module")
def heap():
    return certificate_of(*TRUE[0])


@pytest.mark.parametrize(
    "ruleset",
    [
        "sum(nim(1), step-bar(k=k, s=s))",  # the coordinates have another order, which is no error
        "strip-bar(k=k, s=s)",
        "sum(step-bar(k=k, s=s), nim(2))",
        "sum(step-bar(k=k, s=s+1), nim(1))",
        "sum(step-bar(k=k+1, s=s), nim(1))",
        "sum(solid-bar(f=(z+s)//k), nim(1))",
        "sum(step-bar(k=k, s=a), nim(1))",
        "sum(step-bar(k=k, s=s+a), nim(1))",
        "sum(step-bar(k=k, s=s))",
        "sum(step-bar(k=k, s=s), nim(1), nim(1))",
        "sum(a=step-bar(k=k, s=s), b=nim(1))",
        "sum(with-pass(step-bar(k=k, s=s)), nim(1))",
        "sum(step-bar(k=k, s=s), rectangular-bar(m=k, n=k))",
        "sum(step-bar(k=k, s=s), k)",
    ],
)
def test_another_sum_is_not_proved_by_the_same_hints(ruleset, heap, verdict):
    status = status_of(verdict, heap | {"ruleset": ruleset})
    assert (status == "proved") == (ruleset == "sum(nim(1), step-bar(k=k, s=s))")


BAR = {
    "game": "bar",
    "parameters": {"d": 2, "e": 0},
    "coordinates": ["y", "z"],
    "heights": {"y": "(z+e)//d"},
    "moves": [{"lower": ["y"]}, {"lower": ["z"]}],
}


@pytest.fixture(scope="module")
def own(heap):
    """The certificate for a bar that is a game of one's own."""
    return heap | {"ruleset": "sum(game(bar, d=k, e=s), nim(1))", "games": {"bar": BAR}}


def test_a_game_of_ones_own_in_a_sum_is_proved(own, verdict):
    found = verdict(own)
    assert found["status"] == "proved", found["why"]
    assert "y <= (z + s) // k" in found["statement"][0]


@pytest.mark.parametrize(
    "change",
    [
        {"heights": {"y": "(z+e+1)//d"}},
        {"heights": {"y": "(z+e)//2"}},
        {"heights": {"y": "(z+a)//d"}},
        {"heights": {"w": "(z+e)//d"}},
        {"parameters": {"d": 2, "e": 0, "z": 3}},
        {"parameters": {"d": 2}},
        {"coordinates": ["y", "z", "z"]},
        {"moves": [{"lower": ["y"]}, {"lower": {"z": "n+2"}}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "by": [1, 2]}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "at_most": 3}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "when": "z > 1"}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "clip": False}]},
        {"moves": [{"lower": ["y"]}]},
        {"within": "y + z < 10"},
        {"legal": "y != z"},
        {"ends": "y + z < 2"},
    ],
)
def test_another_game_of_ones_own_is_not_proved(change, own, verdict):
    forged = deepcopy(own)
    forged["games"]["bar"].update(change)
    assert status_of(verdict, forged) in ("no certificate", "undecided", "refuted")
