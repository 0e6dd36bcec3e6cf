"""Combinations of terms: exact, written so that the formula language gives the same values, none where numbers have none."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.finding.laws import (
    CONSTANT,
    FEWEST,
    FEWEST_HELD_OUT,
    Combination,
    Term,
    determined,
    laws,
    laws_of_states,
    linear,
    product_of,
    shapes_of,
    two_part,
)
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.prover import prove
from tests.effort import examples

K, Q = linear("k"), two_part("k")
SHAPE = (product_of(K, Q), K, Q, CONSTANT)


@given(st.lists(st.integers(-6, 6), min_size=4, max_size=4), st.integers(1, 4))
def test_planted_coefficients_come_back(factors, below):
    planted = Combination(SHAPE, tuple(Fraction(f, below) for f in factors))
    points = [{"k": below * k} for k in range(1, 20)]
    numbers = [planted.value(point) for point in points]
    if any(number.denominator != 1 for number in numbers):
        return
    (found,) = determined(points, list(map(int, numbers)), [SHAPE])
    assert found == planted
    later = {"k": below * 1000}
    assert parse(found.text).value(later) == planted.value(later)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (lambda k, s: 7, "7"),
        (lambda k, s: -s, "-s"),
        (lambda k, s: k + s - 1, "k+s-1"),
        (lambda k, s: s // 2 + 3, "s//2+3"),
        (lambda k, s: s % 2, "s%2"),
        (lambda k, s: 2 * (s % 2) - 1, "2*(s%2)-1"),
        (lambda k, s: k * s, "k*s"),
        (lambda k, s: k * (s & -s), "k*2**v2(s)"),
        (lambda k, s: 2 * (k & -k) - s, "-s+2*2**v2(k)"),
    ],
)
def test_expressions_in_two_parameters(rule, text):
    points = [{"k": k, "s": s} for k in range(1, 6) for s in range(1, 9)]
    shapes = shapes_of(["k", "s"], points)
    found = next(determined(points, [rule(p["k"], p["s"]) for p in points], shapes))
    assert found.text == text
    assert all(parse(text).value(p) == rule(p["k"], p["s"]) for p in points)


def test_random_numbers_are_no_combination():
    points = [{"k": k, "s": s} for k in range(1, 6) for s in range(1, 5)]
    shapes = shapes_of(["k", "s"], points)
    for seed in range(50):
        random = Random(seed)
        numbers = [random.randint(-9, 9) for _ in points]
        assert list(determined(points, numbers, shapes)) == [], f"seed {seed}"


def test_as_many_points_as_terms_prove_nothing():
    points = [{"k": 3}, {"k": 5}]
    assert list(determined(points, [4, 9], [(K, CONSTANT)])) == []
    assert len(list(determined([*points, {"k": 7}], [4, 9, 14], [(K, CONSTANT)]))) == 1


def test_minus_a_remainder_is_not_the_remainder_of_minus():
    terms = (Term("(s mod 2)", "s%2"), Term("⌊s/2⌋", "s//2"), CONSTANT)
    for factors in ((-1, 0, 1), (0, -1, 0), (-1, -1, 3), (2, -3, 0)):
        found = Combination(terms, tuple(map(Fraction, factors)))
        assert found.text is not None
        for s in range(9):
            assert parse(found.text).value({"s": s}) == found.value({"s": s})


@given(
    st.sampled_from([1, 2, 4, 8]),
    st.data(),
    st.integers(-5, 5),
    st.integers(-20, 20),
    st.integers(1, 4),
)
def test_a_linear_law_on_a_residue_class_is_found(modulus, data, a, b, below):
    residue = data.draw(st.integers(0, modulus - 1))
    members = [k for k in range(1, 20 * modulus) if k % modulus == residue]
    values = {k: a * (k - residue) // modulus * below + b for k in members}
    (law,) = laws(values, "k")
    assert (law.modulus, law.residue) == (modulus, residue)
    assert law.exceptions == ()
    assert [*law.fitted, *law.held_out] == members
    assert all(law.value(k) == values[k] for k in members)
    # also where nothing was known
    later = residue + 1000 * modulus
    assert law.value(later) == a * (later - residue) // modulus * below + b


@pytest.mark.parametrize(
    ("rule", "formula"),
    [
        (lambda k: 3 * k + (k - 1).bit_length() + 5, "3k+⌈log₂ k⌉+5"),
        (lambda k: k - 2 * (k.bit_length() - 1), "k−2·⌊log₂ k⌋"),
        (lambda k: 2 * k + 3 * (k & -k) - 1, "2k+3·2^v₂(k)−1"),
        (lambda k: 7, "7"),
        (lambda k: 0, "0"),
        (lambda k: 12 - k, "−k+12"),
    ],
)
def test_logarithms_and_powers_of_2_are_found_where_no_line_fits(rule, formula):
    (law,) = laws({k: rule(k) for k in range(1, 40)}, "k")
    assert law.formula == formula
    assert law.where == "every k"
    assert all(law.value(k) == rule(k) for k in range(1, 200))


def test_few_small_exceptions_are_told():
    values = {k: 2 * k + 1 for k in range(1, 30)} | {1: 100, 2: 50}
    (law,) = laws(values, "k")
    assert law.exceptions == (1, 2)
    assert law.where == "k ≥ 3"
    eighths = {8 * i: 2 * i + 1 for i in range(1, 20)} | {8: 100, 16: 50, 24: 1}
    assert laws(eighths, "k") == [], "three are too many"


def test_one_wrong_number_far_out_refutes_a_law():
    values = {k: 2 * k + 1 for k in range(1, 30)}
    values[29] += 1
    assert all(29 % law.modulus != law.residue for law in laws(values, "k"))


def test_a_law_needs_points_that_it_was_not_fitted_on():
    assert laws({k: k for k in range(1, FEWEST)}, "k") == []
    (law,) = laws({k: k for k in range(1, FEWEST + 1)}, "k")
    assert len(law.held_out) == FEWEST_HELD_OUT


@pytest.mark.full
def test_random_numbers_have_no_law():
    for seed in range(examples(100)):
        random = Random(seed)
        assert laws({k: random.randint(1, 40) for k in range(1, 64)}, "k") == [], f"seed {seed}"
    assert laws({}, "k") == []


@pytest.mark.parametrize(("first", "formula"), [(3, "(k+3)/2"), (1, "(3k+7)/2")])
@pytest.mark.full
def test_triangular_bars_have_the_laws_that_the_report_states(first, formula):
    states = {}
    for k in range(first, first + 28, 4):
        proof = prove(parse_ruleset(f"solid-bar(f=(x+z)//{k})"))
        (states[k],) = proof.states
    (law,) = laws(states, "k")
    assert law.formula == formula
    assert law.where == f"k ≡ {first} mod 4"


FAMILY = "solid-bar(f=(x+z)//k)"


def test_laws_of_a_runs_proofs_are_those_of_families_with_one_parameter():
    def proof(ruleset, states, status="proved"):
        return {"ruleset": ruleset, "relation": "p", "status": status, "states": states}

    triangles = {f"solid-bar(f=(x+z)//{k})": k for k in range(3, 64, 4)}
    pairs = {f"strip-bar(k={k}, s={s})": (k, s) for k in range(1, 8) for s in range(k)}
    proofs = [proof(game, [(k + 3) // 2]) for game, k in triangles.items()]
    proofs += [proof(game, [k + s]) for game, (k, s) in pairs.items()]
    proofs += [proof("nim(3)", [2]), proof("solid-bar(f=(x+z)//2)", [9], "undecided")]
    families = dict.fromkeys(triangles, FAMILY) | dict.fromkeys(pairs, "strip-bar(k=k, s=s)")
    (law,) = laws_of_states(proofs, families | {"solid-bar(f=(x+z)//2)": FAMILY})
    assert (
        law.text == f"{FAMILY}, for k%4 == 3: states of the automaton of the P-positions = (k+3)/2"
    )
    assert law.verdict == "unchecked"
    with_pass = [proof(f"with-pass({g}, passes=1)", [k, 2 * k]) for g, k in triangles.items()]
    family = f"with-pass({FAMILY}, passes=1)"
    found = laws_of_states(with_pass, {one["ruleset"]: family for one in with_pass})
    assert [one.text.partition("automaton ")[2] for one in found] == [
        "of the P-positions with 0 passes left = k",
        "of the P-positions with 1 pass left = 2k",
    ]
