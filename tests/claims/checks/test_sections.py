"""Statements on sections of Sierpiński octahedra: checked, and compared with all small octahedra one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks.bars import centres
from choco_pipeline.claims.checks.check import check_standing
from choco_pipeline.claims.kinds import Sections
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import HoldsToBound, Refuted, Undecided, Verdict
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ConfigError
from tests.claims.oracle_of_integers import outcome_of_sections
from tests.claims.written import claim_from


def claim(**check: Any) -> Claim:
    return claim_from({"id": "drawn", "check": {"kind": "sections", "bound": 3, **check}})


def find(**check: Any) -> Verdict:
    return check_standing(claim(**check)).verdict


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """Draw what is said of some squares; the other section need not exist."""
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["where"] = draw(
            st.sampled_from(["i <= m", "i > j", "i == j", "i+j <= 2**n", "j > m//2"])
        )
    if draw(st.booleans()):
        order = draw(st.sampled_from(["n", "n+1", "2"]))
        level = draw(st.sampled_from(["m", "2*m", "m-1", "2**(n+1)-m", "3"]))
        row, column = draw(
            st.sampled_from(
                [("i", "j"), ("j", "i"), ("(i+1)//2", "(j+1)//2"), ("i-1", "j"), ("m+1-i", "j")]
            )
        )
        return found | {"like": [order, level, row, column]}
    return found | {"empty": True}


@given(
    st.lists(cases(), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(["m", "2*m", "2**(n+1)-m"]),
)
def test_statements_are_judged_as_by_their_octahedra(
    said: list[dict[str, Any]], halves: bool, level: str
) -> None:
    drawn = claim(
        all={"n": "0..N", "m": "1..2**n"}, order="n", level=level, halves=halves, cases=said
    )
    verdict = check_standing(drawn).verdict
    assert isinstance(drawn.check, Sections)
    try:
        expected = outcome_of_sections(drawn.check, 3)
    except IndexError:
        assert isinstance(
            verdict, Refuted | Undecided
        )  # refuted before it comes to what is no section
        return
    assert isinstance(verdict, Refuted) == expected.is_false
    if isinstance(verdict, Refuted):
        assert verdict.counterexample.position == expected.least
    elif expected.is_empty:
        assert isinstance(verdict, Undecided)
    else:
        assert isinstance(verdict, HoldsToBound)


@pytest.mark.parametrize("order", range(5))
def test_the_octahedra_are_all_different(order: int) -> None:
    assert len(centres(order)) == 6**order
    assert isinstance(find(all={"n": order}, order="n", pieces="6**n"), HoldsToBound)
    assert isinstance(find(all={"n": order}, order="n", pieces="6**n+1"), Refuted)


def test_what_is_said_of_no_square_is_not_checked() -> None:
    verdict = find(
        all={"m": "1..4"}, order="2", level="m", cases=[{"where": "i > 9", "empty": True}]
    )
    assert verdict == Undecided("no section up to N = 3 belongs to the statement")
    verdict = find(
        all={"m": "1..4"},
        order="2",
        level="m",
        cases=[{"where": "i == j", "like": ["2", "m", "j", "i"]}],
    )
    assert verdict == HoldsToBound(1 + 2 + 3 + 4, 3, unit="square")


def test_a_section_that_does_not_exist() -> None:
    none = find(all={"m": "0..4"}, order="2", level="m", cases=[{"empty": True}])
    too_large = find(all={"m": 20}, order="m", pieces="6**m")
    assert isinstance(none, Undecided)
    assert isinstance(too_large, Undecided)


def test_one_choice_of_integers() -> None:
    drawn = claim(
        all={"n": "1..N", "m": "1..2**n"},
        order="n",
        level="m",
        cases=[{"like": ["n", "2**n", "i", "j"]}],
    )
    (trial,) = trials(drawn, {"n": 2, "m": 4})
    assert trial.finding.verdict == HoldsToBound(16, 3, unit="square")
    with pytest.raises(ConfigError, match="no parameter 'x'"):
        list(trials(drawn, {"x": 2}))


@pytest.mark.parametrize(
    "check",
    [
        {"order": "2"},
        {"order": "2", "level": "m", "pieces": "1"},
        {"order": "2", "cases": [{"empty": True}]},
        {"order": "2", "level": "m", "cases": [{}]},
        {"order": "2", "level": "m", "cases": [{"empty": True, "like": ["1", "1", "i", "j"]}]},
        {"order": "2", "pieces": "36", "let": {"m": "2"}},
        {"order": "2", "pieces": "36", "let": {"i": "2"}},
    ],
)
def test_what_says_nothing_is_a_mistake(check: dict[str, Any]) -> None:
    assert list(claim(all={"m": "1..2"}, **check).check.mistakes(()))
