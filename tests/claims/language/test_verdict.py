"""Verdicts as text and as plain data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
    VerdictRecord,
    verdict_text,
)
from tests.claims.verdict_documents import verdict_document

numbers = st.integers(0, 10**12)
positions = st.lists(numbers, min_size=3, max_size=3).map(tuple)
counterexamples = st.builds(
    Counterexample,
    st.text(),
    st.text(),
    st.none() | positions,
    st.just(("x", "y", "z")),
    st.none() | positions,
    st.none() | st.text(),
)
verdicts = st.one_of(
    st.builds(
        Proved, st.text(), st.just("integer"), st.none() | numbers, st.none() | st.integers(1)
    ),
    st.builds(Exhausted, numbers),
    st.builds(HoldsToBound, numbers, numbers, st.none() | st.text()),
    st.builds(Refuted, counterexamples, numbers),
    st.builds(Undecided, st.text()),
    st.builds(Vacuous, st.text()),
)


@given(verdicts)
def test_round_trip_through_json(verdict):
    document = verdict_document(verdict)
    assert VerdictRecord.model_validate(document).as_verdict == verdict
    assert document["text"] == verdict_text(verdict)


def test_an_unknown_verdict_is_refused():
    with pytest.raises(ValueError, match="Input should be 'proved'"):
        VerdictRecord.model_validate({"verdict": "maybe", "text": "maybe"})
