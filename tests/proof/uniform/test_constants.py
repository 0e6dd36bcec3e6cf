"""Conditions with constants up to 1,000, and with several alternatives."""

import pytest

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.family import Family
from tests.proof.uniform.by_definition import grundy_numbers
from tests.proof.uniform.judged import prove_family

SUM, STEP = "solid-bar(f=(x+z)//k)", "step-bar(k=k, s=s)"
P, GRUNDY = {"p_positions": "x ^ y ^ z == 0"}, {"grundy": "(y ^ (z+s)) - s"}

TRUE = [
    (SUM, "k % 4 == 3 and (k % 97 == 3 or k % 101 == 3)", P),
    (SUM, "k % 997 == 3 and k % 4 == 3", P),
    (SUM, "k % 1000 == 3", P),
    (SUM, "k & 1000 == 968 and k & 7 == 3", P),
    (SUM, "k % 4 == 3 and 900 < k and abs(k - 1000) >= 50", P),
    (STEP, "k % 2 == 0 and s < k and s % 1000 == 500", GRUNDY),  # no member has a sum below 1,002
]

FALSE = [
    (SUM, "k % 4 == 3 and k % 97 == 3 or k % 101 == 5", P),
    (SUM, "k % 97 == 3 and k % 4 == 1", P),
    (SUM, "k % 1000 == 3 or k == 6", P),
    (SUM, "k & 1000 == 968 and k & 7 == 1", P),
    ("solid-bar(f=(x+z+3)//k)", "k % 97 == 3 and k % 4 == 3", P),
    (STEP, "k % 2 == 1 and s < k and s % 1000 == 500", GRUNDY),
]
#: Each takes from 5 to 60 seconds.
MARKED = [
    pytest.param(*TRUE[0], marks=pytest.mark.full),
    *(pytest.param(*case, marks=pytest.mark.slow) for case in TRUE[1:]),
]


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    MARKED,
)
def test_large_constants_are_proved_by_both_solvers(ruleset, condition, relation):
    found = prove_family(ruleset, condition, **relation)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why


@pytest.mark.parametrize(("ruleset", "condition", "relation"), FALSE)
def test_false_neighbours_are_refuted(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation).status == "refuted"


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "condition", "relation"), [FALSE[0], FALSE[4]])
@pytest.mark.usefixtures("untried")
def test_false_neighbours_are_not_proved_without_tables(ruleset, condition, relation):
    assert prove_family(ruleset, condition, **relation, seconds=8).status == "undecided"


@pytest.mark.parametrize(("ruleset", "condition", "relation"), MARKED)
def test_the_cases_are_the_parameters_with_the_condition(ruleset, condition, relation):
    ((kind, formula),) = relation.items()
    family = Family.read(ruleset, condition, formula, kind.replace("_", "-"))
    found = set()
    for case in family.cases():
        for m in range(5000 if ruleset == SUM else 700):
            for given in [{"m_k": m}] if ruleset == SUM else [{"m_k": m, "m_s": n} for n in (0, 1)]:
                if case.holds(given):
                    found.add(tuple(case.parameters[n].value(given) for n in family.parameters))
    most = 5000 if ruleset == SUM else 1200
    every = [(k,) for k in range(1, most)] if ruleset == SUM else []
    every += [(k, s) for k in range(1, most) for s in (0, 499, 500, 501)] if ruleset == STEP else []
    holding = {v for v in every if eval(condition, dict(zip(("k", "s"), v, strict=False)))}
    assert holding == {v for v in found if v in set(every)}
    assert holding


def test_a_member_agrees_with_the_definition():
    for at, value in grundy_numbers(("x", "y", "z"), {"y": lambda a: (a["x"] + a["z"]) // 3}, 9):
        assert (at["x"] ^ at["y"] ^ at["z"] == 0) == (value == 0)


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("k % 1031 == 3 and k % 4 == 3", "residues modulo 1031: at most 1024"),
        ("k % 4 == 3 and k % 97 != 5", "more than 64 cases"),
        ("k & j == 3", "k & j: & of a parameter needs a natural number"),
    ],
)
@pytest.mark.usefixtures("untried")
def test_a_condition_that_is_outside_is_named(condition, why):
    with pytest.raises(FamilyError, match=why):
        prove_family(SUM, condition, **P)
