"""Lemmas on products, which Grundy formulas by cases need."""

import pytest
import z3

from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform import by_cases
from choco_pipeline.proof.uniform.affine import Affine
from choco_pipeline.proof.uniform.product_lemmas import (
    Products,
    TrueCounterexampleError,
    lemmas_for,
)
from choco_pipeline.proof.uniform.sentences import all_of, at_least_0, text
from tests.proof.uniform.judged import is_true, prove_family
from tests.proof.uniform.test_families import ODD, STEP, STEPS


@pytest.mark.full
def test_a_text_with_fewer_lemmas_than_a_solver_needs_is_asked_again_with_all(monkeypatch):
    monkeypatch.setattr(by_cases, "needed_lemmas", lambda *given: ())
    found = prove_family(STEP, ODD, grundy=STEPS)
    assert found.status == "proved", found.why
    assert all(found.cases[0].by_cases.lemmas.values())


@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_formula_is_the_definition_of_members(k):
    for s in [*range(k + 1), *range(k + 2, 2 * k, 2)]:
        given = {"k": k, "s": s}
        assert is_true({"grundy": STEPS}, given, parse_ruleset(STEP, given))


M, X, Y = Affine.of("m"), Affine.of("x"), Affine.of("y")
MX, MY = Affine.of("m*x"), Affine.of("m*y")
PRODUCTS = Products({"m": ("x", "y")})


def asked(*sums):
    body = all_of([PRODUCTS.always(), *map(at_least_0, sums)])
    return text([M], body)


def test_lemmas_on_products_are_found_by_counterexample():
    wrong = asked(X - Y - 1, MY - MX)  # x > y and m*x <= m*y: only for m = 0
    with pytest.raises(TrueCounterexampleError) as raised:
        lemmas_for(wrong, PRODUCTS, (), Clock(30))
    assert raised.value.values["m"] == 0
    found = lemmas_for(asked(X - Y - 1, MY - MX, M - 1), PRODUCTS, (), Clock(30))
    assert X - Y in found or Y - X in found


@pytest.mark.parametrize("total", [X, X - Y, X * 2 - Y + 1, Y * -3 + 7, X * 10**30 - Y])
def test_lemmas_are_true(total):
    """Of all small factors: solved for the products, the lemma of a sum holds."""
    (lemma,) = z3.parse_smt2_string(text([], PRODUCTS.lemma(total)))
    for m in range(3):
        for x in range(-4, 5):
            for y in range(-4, 5):
                values = {"m": m, "x": x, "y": y, "m*x": m * x, "m*y": m * y}
                put = [(z3.Int(name), z3.IntVal(value)) for name, value in values.items()]
                assert z3.is_true(z3.simplify(z3.substitute(lemma, *put)))
