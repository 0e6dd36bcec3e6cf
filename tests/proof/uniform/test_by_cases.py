"""Grundy formulas by cases: quotients, remainders, least and largest values, for all parameters at once."""

import pytest
import z3

from choco_pipeline.formula import parse
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.games.ruleset import mex
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform import FamilyError, by_cases
from choco_pipeline.proof.uniform.families.affine import Affine
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.product_lemmas import (
    Products,
    TrueCounterexampleError,
    lemmas_for,
)
from choco_pipeline.proof.uniform.sentences import all_of, at_least_0, text
from tests.proof.uniform.judged import prove_family

BAR, ODD = "step-bar(k=k, s=s)", "k % 2 == 1 and s <= k"
#: Where y+z and s are both even or both odd, and elsewhere.
MORE, LESS = "(y+1)//2", "((2*k+1)*y-z-s+2*k-1)//(2*k)"
STEPS = f"z + (1-(y+z+s)%2)*({MORE}) - (y+z+s)%2*max({MORE}, {LESS})"


def proved(condition, formula, ruleset=BAR, seconds=120):
    return prove_family(ruleset, condition, grundy=formula, seconds=seconds)


@pytest.mark.parametrize(
    ("condition", "cases"),
    [
        pytest.param(ODD, 1, marks=pytest.mark.slow),  # is the first case of the next one
        pytest.param(
            "k % 2 == 1 and (s <= k or s % 2 == 1 and s < 2*k)", 2, marks=pytest.mark.full
        ),
    ],
)
def test_step_bars_with_odd_k(condition, cases):
    found = proved(condition, STEPS)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why
    assert len(found.cases) == cases  # none that is a part of another


@pytest.mark.parametrize(
    ("condition", "formula"),
    [
        ("k % 2 == 1 and s <= k+1", STEPS),
        ("k % 2 == 1 and s % 2 == 1 and s <= 2*k+1", STEPS),
        ("k % 2 == 0 and k >= 2 and s < k", STEPS),
        (ODD, STEPS + " + 1"),
        (ODD, STEPS.replace("y+z+s", "y+z+s+1")),
        (ODD, f"z + (1-(y+z+s)%2)*({MORE}) - (y+z+s)%2*({MORE})"),
        (ODD, f"z + (1-(y+z+s)%2)*({MORE}) - (y+z+s)%2*({LESS})"),
        (ODD, STEPS.replace("+2*k-1", "+2*k-2")),
        (ODD, STEPS.replace("(2*k+1)*y", "2*k*y")),
        ("k % 2 == 1 and s <= k", STEPS.replace("max", "min")),
    ],
)  # fmt: skip
def test_false_neighbours_are_never_proved(condition, formula):
    assert proved(condition, formula).status != "proved"


@pytest.mark.parametrize(
    "s",
    [
        pytest.param("s == 0", marks=pytest.mark.full),
        pytest.param("s <= k", marks=pytest.mark.slow),
    ],
)
def test_a_formula_that_is_wrong_for_large_parameters_alone_is_not_proved(s):
    """Small members, those that are drawn and those near constants are right."""
    found = proved(f"k % 2 == 1 and {s}", f"{STEPS} + max(0, k-999*999)", seconds=10)
    assert found.status == "undecided"
    assert "exclusion" in found.why or "option" in found.why or "value" in found.why


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("z + y//2 + z//2", "a sum of two quotients"),
        ("z + 2*(y//2)", "a multiple of a quotient"),
        ("z + y//(s-1)", "a divisor that is at least 1"),
        ("z + y%k", "a remainder by a positive integer"),
        ("z + y//2 + y%4%3*(z%5)%7", "choices of remainders"),
        ("z*y", "multiplies coordinates"),
        ("z + abs(y-z)", "are proved"),
    ],
)
@pytest.mark.usefixtures("untried")
def test_what_has_no_obligations_is_refused_with_the_reason(formula, why):
    """Where no table refutes it."""
    with pytest.raises(FamilyError, match=why):
        proved(ODD, formula)


@pytest.mark.full
def test_a_text_with_fewer_lemmas_than_a_solver_needs_is_asked_again_with_all(monkeypatch):
    monkeypatch.setattr(by_cases, "needed_lemmas", lambda *given: ())
    found = proved(ODD, STEPS)
    assert found.status == "proved", found.why
    assert all(found.cases[0].by_cases.lemmas.values())


def test_a_nim_sum_is_no_formula_by_cases():
    nim_sum = Family.read("step-bar(k=k, s=s)", "k % 2 == 0 and s < k", "(y ^ (z+s)) - s", "grundy")
    assert not nim_sum.is_by_cases
    assert Family.read(BAR, ODD, STEPS, "grundy").is_by_cases


def test_a_formula_on_a_part_of_the_positions_is_refused():
    with pytest.raises(FamilyError, match="Grundy numbers are not decided"):
        prove_family(BAR, ODD, grundy=STEPS, where="z <= k")


@pytest.mark.parametrize("k", [1, 3, 5, 7])
def test_the_formula_is_the_definition_of_members(k):
    formula = parse(STEPS)
    for s in [*range(k + 1), *range(k + 2, 2 * k, 2)]:
        rules = parse_ruleset(f"step-bar(k={k}, s={s})").rules
        grundy = {}
        for z in range(26):
            for y in range((z + s) // k + 1):
                grundy[y, z] = mex(grundy[option] for option in rules.options((y, z)))
                assert formula.value({"k": k, "s": s, "y": y, "z": z}) == grundy[y, z]


M, X, Y = Affine.of("m"), Affine.of("x"), Affine.of("y")
MX, MY = Affine.of("m*x"), Affine.of("m*y")
PRODUCTS = Products("m", ("x", "y"))


def asked(*sums):
    body = all_of([PRODUCTS.always(), *map(at_least_0, sums)])
    return text(["m", "x", "y", "m*x", "m*y"], [M], body)


def test_lemmas_on_products_are_found_by_counterexample():
    wrong = asked(X - Y - 1, MY - MX)  # x > y and m*x <= m*y: only for m = 0
    with pytest.raises(TrueCounterexampleError) as raised:
        lemmas_for(wrong, PRODUCTS, Clock(30))
    assert raised.value.values["m"] == 0
    found = lemmas_for(asked(X - Y - 1, MY - MX, M - 1), PRODUCTS, Clock(30))
    assert X - Y in found or Y - X in found


@pytest.mark.parametrize("total", [X, X - Y, X * 2 - Y + 1, Y * -3 + 7, X * 10**30 - Y])
def test_lemmas_are_true(total):
    """Of all small factors: solved for the products, the lemma of a sum holds."""
    (lemma,) = z3.parse_smt2_string(text(["m", "x", "y", "m*x", "m*y"], [], PRODUCTS.lemma(total)))
    for m in range(4):
        for x in range(-6, 7):
            for y in range(-6, 7):
                values = {"m": m, "x": x, "y": y, "m*x": m * x, "m*y": m * y}
                put = [(z3.Int(name), z3.IntVal(value)) for name, value in values.items()]
                assert z3.is_true(z3.simplify(z3.substitute(lemma, *put)))
