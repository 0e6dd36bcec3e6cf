"""Statements on height functions: against the plain definition of the games, function by function."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.checks.height_functions import find_height_functions, grundy_numbers
from choco_pipeline.claims.kinds import HeightFunctions
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import HoldsToBound, Refuted, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from tests.claims.oracle_of_integers import outcome_of_heights
from tests.definition import grundy_of_heights, monotone

# Nakamura, Miyadera, Nakaya, Integers 20 (2020) #G1: the NS property, between any two arguments.
NS = {
    "arguments": 1,
    "height": "N",
    "all": {"z": "0..N", "w": "z+1..N", "i": "1..4"},
    "where": "z >> i == w >> i",
    "such": "f(z) >> (i-1) == f(w) >> (i-1)",
    "grundy": "y ^ z",
}
SECTIONS = {
    "arguments": 2,
    "height": "N",
    "all": {"x": "0..N", "z": "0..N", "w": "z+1..N", "i": "1..4"},
    "where": "z >> i == w >> i",
    "such": "f(x*(N+1)+z) >> (i-1) == f(x*(N+1)+w) >> (i-1)"
    " and f(z*(N+1)+x) >> (i-1) == f(w*(N+1)+x) >> (i-1)",
    "grundy": "x ^ y ^ z",
}


def statement(**check):
    """Return a statement that is free of mistakes."""
    check = {"kind": "height-functions", "bound": 3, **check}
    claim = Claim.from_json({"id": "drawn", "check": check})
    assert list(mistakes_in(claim)) == []
    assert isinstance(claim.check, HeightFunctions)
    return claim.check


@pytest.mark.parametrize(("n_x", "n_z", "height"), [(1, 5, 3), (2, 3, 2), (2, 2, 4)])
def test_grundy_numbers_are_those_of_the_definition(n_x, n_z, height):
    functions = monotone(n_x, n_z, height)
    found = grundy_numbers(np.array(functions))
    assert found.shape == (len(functions), n_x, n_z, height + 1)
    for f, numbers in zip(functions, found, strict=True):
        grundy = grundy_of_heights(f)
        for x, y, z in product(range(n_x), range(height + 1), range(n_z)):
            expected = grundy(x, y, z) if y <= f[x][z] else -1
            assert numbers[x, z, y] == expected, f"f = {f} at {(x, y, z)}"


@st.composite
def statements(draw):
    """Draw a statement, most often a wrong one, and a bound."""
    arguments = draw(st.sampled_from([1, 2]))
    heights = ["f(z)", "f(w)", "f(f(z) % (N+1))"] if arguments == 1 else ["f(x*(N+1)+z)", "f(0)"]
    last = "(N+1)*(N+1)-1" if arguments == 2 else "N"
    heights.append(f"f({last})")
    first, second = draw(st.sampled_from(heights)), draw(st.sampled_from(heights))
    guarded = f"z < N and f(z+1) >= {first} or f(0) == 0"
    such = draw(
        st.sampled_from(
            [
                f"{first} >> 1 == {second} >> 1",
                f"{first} <= {second}+1",
                f"{first} != 1",
                guarded if arguments == 1 else f"{first} % 2 == 0",
                "z >= w or f(z) <= f(w)" if arguments == 1 else f"{first} >= min(x, z)",
                "z == z",
            ]
        )
    )
    names = "y ^ z" if arguments == 1 else "x ^ y ^ z"
    check = statement(
        arguments=arguments,
        height=draw(st.sampled_from(["N", "2", "1", "0"])),
        all={"x": "0..N", "z": "0..N", "w": "0..N"},
        where=draw(st.sampled_from([None, "z >> 1 == w >> 1", "z == w", "z < 0"])),
        such=such,
        grundy=draw(st.sampled_from([names, "y+z", "y", "max(y, z)"])),
        relation=draw(st.sampled_from(["exactly", "if", "only-if"])),
    )
    return check, draw(st.integers(0, 3 if arguments == 1 else 2))


@settings(deadline=None)
@given(statements(), st.sampled_from([1, 40, 1 << 20]))
def test_statements_are_checked_as_by_definition(drawn, block):
    check, bound = drawn
    try:
        expected = outcome_of_heights(check, bound)
    except FormulaError:
        with pytest.raises(FormulaError):
            find_height_functions(check, bound, block)
        return
    finding = find_height_functions(check, bound, block)
    n_x, height = 1 if check.arguments == 1 else bound + 1, int(check.height.value({"N": bound}))
    number, evidence = len(monotone(n_x, bound + 1, height)), finding.evidence
    assert evidence["functions"] == number
    match finding.verdict:
        case Refuted(_, positions):
            assert expected.is_false
            assert positions == number
        case HoldsToBound(positions, to, _, "function"):
            assert not expected.is_false
            assert (positions, to) == (number, bound)
        case Undecided():
            assert not expected.is_false
            key = {"if": "with_property", "only-if": "with_formula"}[check.relation]
            assert evidence[key] == 0
        case other:
            pytest.fail(f"{other}")


def test_the_ns_property_is_the_nim_sum_of_bars():
    """Nakamura, Miyadera, Nakaya 2020: G = y ⊕ z if and only if f has the NS property."""
    for bound in (1, 4, 7):
        finding = find_height_functions(statement(**NS), bound)
        assert isinstance(finding.verdict, HoldsToBound)
        assert finding.verdict.positions == comb(2 * bound + 1, bound)


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_the_least_function_is_the_lowest_not_the_first(block):
    check = statement(**NS | {"such": "f(N) >= 1", "relation": "if"})
    verdict = find_height_functions(check, 2, block).verdict  # (0, 0, 2) is wrong, too
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.found.startswith("f = (0, 1, 1) has the property")


@pytest.mark.parametrize(
    ("more", "bound"),
    [
        ({}, 14),
        ({"height": "63"}, 1),
        ({"all": {"z": "0..2**20", "w": "1", "i": "1"}, "where": "z >= 0"}, 1),
    ],
)
def test_boxes_too_large_are_refused(more, bound):
    with pytest.raises(LimitError):
        find_height_functions(statement(**NS | more), bound)


@pytest.mark.parametrize("more", [{"such": "f(w+1) >= 0"}, {"height": "N-3"}, {"grundy": "y//z"}])
def test_what_has_no_value_is_an_error(more):
    with pytest.raises(FormulaError):
        find_height_functions(statement(**NS | more), 2)


def test_the_ns_property_of_all_sections_is_sufficient_but_not_necessary():
    check = statement(**SECTIONS | {"height": "4", "relation": "if"})
    assert isinstance(find_height_functions(check, 2).verdict, HoldsToBound)
    verdict = find_height_functions(statement(**SECTIONS | {"height": "2"}), 1).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (1, 0, 1, 1)
