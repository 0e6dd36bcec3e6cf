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
    Verdict,
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
def test_round_trip_through_json(verdict: Verdict) -> None:
    document = verdict_document(verdict)
    assert VerdictRecord.model_validate(document).as_verdict == verdict
    assert document["text"] == verdict_text(verdict)


@given(numbers, numbers, st.none() | st.just("every member up to 5 occurs"))
def test_what_holds_to_a_bound_is_never_called_true(
    count: int, bound: int, sense: str | None
) -> None:
    text = verdict_text(HoldsToBound(count, bound, sense))
    assert "true" not in text
    assert "proved" not in text
    assert f"bound {bound:,}" in text
    assert f"{count:,} position" in text or "the only position" in text


def test_texts() -> None:
    found = Counterexample(
        "Grundy number 4 (N-position)", "P-position", (3, 0, 5), ("x", "y", "z"), (3, 0, 3)
    )
    assert verdict_text(Refuted(found, 9)) == (
        "refuted at (x, y, z) = (3, 0, 5): Grundy number 4 (N-position), claimed: P-position"
    )
    assert (
        verdict_text(Refuted(Counterexample("976 positions", "977"), 9))
        == "refuted: 976 positions, claimed: 977"
    )
    assert (
        verdict_text(HoldsToBound(1_234_567, 512))
        == "holds for all 1,234,567 positions up to bound 512"
    )
    assert (
        verdict_text(Exhausted(3_234)) == "true: a finite statement, checked on all 3,234 positions"
    )
    assert verdict_text(Undecided("too few tables")) == "undecided: too few tables"
    assert verdict_text(Proved("certificate 7")) == "proved for all positions: certificate 7"
    assert verdict_text(Proved("this", "integer")) == "proved for all integers: this"
    assert (
        verdict_text(Proved("c", reach=20))
        == "proved for all positions with coordinates up to 20: c"
    )
    assert verdict_text(Proved("c", printed=15)) == "proved for the 15 printed numbers: c"
    assert verdict_text(Vacuous("x < x")) == "vacuous: x < x"


def test_the_keys_that_reports_read() -> None:
    document = verdict_document(
        Refuted(
            Counterexample(
                "N-position",
                "P-position",
                (1, 2),
                ("y", "z"),
                (0, 0),
                "its option (0, 0) is a P-position",
            ),
            5,
        )
    )
    assert document["verdict"] == "refuted"
    assert document["counterexample"] == {
        "position": [1, 2],
        "coordinates": ["y", "z"],
        "found": "N-position",
        "claimed": "P-position",
        "option": [0, 0],
        "reason": "its option (0, 0) is a P-position",
    }
    assert set(document) == {
        "verdict",
        "positions",
        "unit",
        "bound",
        "reach",
        "printed",
        "counterexample",
        "why",
        "text",
    }


def test_an_unknown_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="Input should be 'proved'"):
        VerdictRecord.model_validate({"verdict": "maybe", "text": "maybe"})
