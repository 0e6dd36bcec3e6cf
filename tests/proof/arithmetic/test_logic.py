"""Sentences as values: free variables, one form for equal relations, text."""

import pytest
from hypothesis import given

from choco_pipeline.proof.arithmetic.logic import (
    FALSE,
    TRUE,
    And,
    Bitwise,
    Exists,
    Linear,
    Member,
    NimSumZero,
    Not,
    Or,
    conjunction,
    disjunction,
    exists,
    implies,
    less,
    linear,
    negation,
    within,
    written,
)
from tests.proof.interpret import depth, sentences, truth
from tests.proof.relations import small_sets

A, B, C = (Member(name, ("x",)) for name in "ABC")


def test_the_same_linear_relation_is_the_same_value() -> None:
    assert Linear((("z", 2), ("x", 1), ("y", 3), ("z", -1), ("y", -3)), 4, "<") == Linear(
        (("x", 1), ("z", 1)), 4, "<"
    )


def test_junctions_are_flat_and_decided_by_constants() -> None:
    assert conjunction(A, conjunction(B, C), TRUE, A) == And((A, B, C))
    assert disjunction(A, disjunction(B, C), FALSE, A) == Or((A, B, C))
    assert conjunction(A) == disjunction(A) == A
    assert conjunction(A, FALSE, B) == FALSE
    assert disjunction(A, TRUE, B) == TRUE
    assert negation(negation(A)) == A


def test_exists_keeps_the_names_that_are_needed() -> None:
    assert exists(("u", "v"), less("u", "x")) == Exists(("u",), less("u", "x"))
    assert exists(("u", "v"), A) == A


@given(sentences, sentences, sentences)
def test_helpers_mean_what_they_say(p, q, r) -> None:
    values = {"x": 2, "y": 1, "z": 3}
    most = 3 + 3 * max(map(depth, (p, q, r)))
    sets = small_sets(most)

    def holds(sentence):
        return truth(sentence, values, sets, most)

    assert holds(conjunction(p, q)) == (holds(p) and holds(q))
    assert holds(disjunction(p, q)) == (holds(p) or holds(q))
    assert holds(negation(p)) == (not holds(p))
    assert holds(within(p, q)) == (holds(p) and holds(q))
    assert holds(implies(p, q, r)) == (not (holds(p) and holds(q)) or holds(r))


def test_a_condition_goes_inside_of_quantifiers_and_is_not_captured() -> None:
    some, condition = Exists(("u",), less("u", "y")), less("x", "y")
    inside = Exists(("u",), And((condition, less("u", "y"))))
    assert within(condition, disjunction(some, A)) == disjunction(inside, conjunction(condition, A))
    about_u = less("u", "x")
    assert within(about_u, some) == And((about_u, some))


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (Linear((("x", -2), ("y", 1)), -3, "<="), "- 2*x + y - 3 <= 0"),
        (Linear((), 0, "=="), "0 == 0"),
        (linear({"x": -1}, 0, ">"), "- x > 0"),
        (
            Exists(("u",), And((linear({"u": 1, "x": -2}, -3, "<="), Bitwise("&", "u", "x", "y")))),
            "exists u: (u - 2*x - 3 <= 0 and y == u & x)",
        ),
        (NimSumZero(("x", "y")), "x ^ y == 0"),
        (Not(Or((NimSumZero(("x",)), TRUE))), "not (x == 0 or true)"),
        (FALSE, "false"),
    ],
)
def test_sentences_as_text(sentence, text):
    assert written(sentence) == text
