"""Integers beside a ruleset's parameters: a claim on `every` one has a verdict for each, `some` are in `when` alone."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.language.catalogue import Catalogue, mistakes_in
from choco_pipeline.claims.language.verdict import HoldsToBound, Proved, Refuted
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.decided_claims import decide
from tests.claims.claims import entry_from


def unchecked(**more):
    entry = {
        "id": "drawn",
        "ruleset": "step-bar(k=k, s=s)",
        "statement": "G == y ^ z",
        "sample": {"parameters": {"k": "2", "s": "0"}, "bound": "9"},
        **more,
    }
    return entry_from(entry)


def claim(**more):
    found = unchecked(**more)
    assert list(mistakes_in(found)) == []
    return found


#: Right for t = 2 alone: it was the first integer that fits.
FIRST_ONLY = "G == (y ^ z)+t-2"


def test_the_first_integer_that_fits_does_not_stand_for_the_others():
    found = list(trials(claim(every={"t": "2..50"}, statement=FIRST_ONLY)))
    assert [trial.parameters for trial in found] == [{"k": 2, "s": 0, "t": t} for t in range(2, 51)]
    assert isinstance(found[0].finding.verdict, HoldsToBound)
    assert all(isinstance(trial.finding.verdict, Refuted) for trial in found[1:])


@pytest.mark.full
def test_a_proof_is_of_one_of_them():
    one = claim(every={"t": "2..3"}, statement=FIRST_ONLY)
    proof = prove(parse_ruleset("step-bar(k=2, s=0)"), "grundy")
    cases = [case for _, case in Catalogue({"drawn": one}).fitting("step-bar(k=2, s=0)", "grundy")]
    assert [case["t"] for case in cases] == [2, 3]
    right, wrong = (decide(one, case, proof, "here").verdict for case in cases)
    assert isinstance(right, Proved)
    assert isinstance(wrong, Refuted)
    with pytest.raises(ConfigError, match="a value is needed for t"):
        decide(one, {"k": 2, "s": 0}, proof, "here")


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 5), st.integers(1, 3))
def test_cases_are_the_choices_that_fit(k, s, far, factor):
    text = f"k*t + m == s + {factor}*u"
    one = claim(every={"t": "-2..k", "u": f"t..t+{far}"}, some={"m": "0..u"}, when=text)
    expected = [
        {"k": k, "s": s, "t": t, "u": u}
        for t, u in product(range(-2, k + 1), range(-2, k + far + 1))
        if t <= u <= t + far and any(k * t + m == s + factor * u for m in range(u + 1))
    ]
    if len(expected) <= 100:
        assert one.cases({"k": k, "s": s}) == expected


@pytest.mark.parametrize(
    "more",
    [
        {"every": {"t": "1..10**9"}, "when": "t == s"},
        {"some": {"t": "1..10**9"}, "when": "t == s"},
        {"every": {"t": "1..1000"}, "some": {"m": "1..1000"}, "when": "t+m == s"},
        {"every": {"t": "1..10**9"}, "some": {"m": "1..0"}},
        {"every": {"t": "1..101"}},
    ],
)
def test_choices_are_not_tried_for_ever(more):
    with pytest.raises(ConfigError, match=r"more than [0-9,]+ choices"):
        claim(**more).cases({"k": 2, "s": 0})
