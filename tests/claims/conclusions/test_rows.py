"""A row for each claim, and pairs of claims: by drawn lists of verdicts, against the rule in a few words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.conclusions.rows import pairs, rows
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Proved,
    Undecided,
    Vacuous,
    Verdict,
)
from tests.claims.conclusions.made_verdicts import (
    FALSE,
    HELD,
    OTHER,
    PROVED,
    SILENT,
    TABLE_RULESET,
    a_statement,
    by_check,
    by_proof,
    catalogue,
    claim,
    refuted,
    row,
    verdict,
)
from tests.effort import examples

outcomes = st.one_of(
    st.builds(Proved, st.just("by parity")),
    st.builds(Exhausted, st.integers(0, 99)),
    st.builds(HoldsToBound, st.integers(0, 99), st.integers(1, 20), st.none()),
    st.builds(refuted, *[st.integers(0, 2)] * 3, st.integers(0, 3)),
    st.builds(Undecided, st.just("the table is too small")),
    st.builds(Vacuous, st.just("no position is one that it speaks of")),
)


drawn_verdicts = st.lists(
    st.builds(
        lambda outcome, k, s, bound: verdict("a", outcome, {"k": k, "s": s}, bound),
        outcomes,
        st.integers(1, 3),
        st.integers(0, 2),
        st.integers(1, 20),
    ),
    max_size=6,
    unique_by=lambda v: (v.bound, *v.parameters.values()),
)


@given(drawn_verdicts)
def test_a_row_is_what_its_verdicts_come_to(verdicts: list[ClaimVerdict]) -> None:
    found = row(claim("a"), *verdicts)
    names = [v.verdict for v in verdicts]
    proved = {tuple(v.parameters.items()) for v in verdicts if v.verdict == "proved"}
    settled = {
        tuple(v.parameters.items())
        for v in verdicts
        if v.verdict in ("exhausted", "holds-to-bound")
    }
    if not names:
        expected = "unchecked"
    elif "refuted" in names:
        expected = "refuted"
    elif set(names) <= {"undecided", "vacuous"}:
        expected = "undecided"
    elif settled <= proved:  # a proof outweighs a table with the same parameters
        expected = "proved-for-listed"
    else:
        expected = "holds-to-bound"  # of k and s there are infinitely many
    assert found.verdict == expected
    assert found.checks == len(names)
    assert found.counts == {name: names.count(name) for name in set(names)}
    given = {tuple(v.parameters.items()) for v in verdicts}
    largest = [
        [v.positions for v in verdicts if set(v.parameters.items()) == set(one)] for one in given
    ]
    assert found.positions == sum(map(max, largest))
    assert found.seconds == 0.5 * len(names)
    bounds = [v.bound for v in verdicts]
    assert found.bound == ((min(bounds), max(bounds)) if bounds else None)
    assert "true" not in found.text
    if found.verdict != "refuted":
        assert bool(found.proved_for) == bool(proved)
        says = found.text.startswith("proved for all positions, for ")
        assert says == bool(proved) == ("other k, s are not proved" in found.text)
    silent = [v for v in verdicts if v.verdict == "undecided"]
    if any(tuple(v.parameters.items()) not in proved for v in silent):
        assert "says nothing" in found.text
        assert "the table is too small" in found.text
    assert "\n" not in found.text


@given(drawn_verdicts)
def test_the_least_counterexample_decides(verdicts: list[ClaimVerdict]) -> None:
    found = row(claim("a"), *verdicts).decided
    least = None
    for v in verdicts:
        if v.verdict == "refuted":
            x, y, z, p = v.counterexample.position
            key = (max(x, y, z), (x, y, z, p), tuple(v.parameters.values()))
            if least is None or key < least:
                least = key
    if least is None:
        assert found is None
    else:
        assert tuple(found.position) == least[1]
        assert tuple(found.parameters.values()) == least[2]
        assert found.coordinates == ("x", "y", "z", "p")
        assert found.table.startswith("table ")


def test_every_claim_has_a_row_in_the_order_of_the_files() -> None:
    several = [claim("b"), claim("a", when="k % 2 == 0"), claim("c")]
    found = rows(catalogue(*several), [verdict("c", HoldsToBound(5, 10))])
    assert [one.claim for one in found] == ["b", "a", "c"]
    assert [one.verdict for one in found] == ["unchecked", "unchecked", "holds-to-bound"]
    assert (
        found[1].text == f"no table of this run fits: ruleset {TABLE_RULESET}, where k ≡ 0 (mod 2)"
    )
    assert found[1].model_dump() | {"claim": "", "text": "", "check": "", "command": ""} == {
        "claim": "",
        "verdict": "unchecked",
        "text": "",
        "checks": 0,
        "counts": {},
        "parameters": "",
        "proved_for": "",
        "for_all": "",
        "follows_from": "",
        "engines": (),
        "bound": None,
        "positions": 0,
        "seconds": 0,
        "decided": None,
        "check": "",
        "command": "",
    }
    assert found[0].command == found[0].check == "./choco claims check b"
    own = rows(catalogue(*several), [], "my sweep.yaml")
    assert own[0].command == "./choco claims check b --config 'my sweep.yaml'"


def test_every_case_of_some_parameters_is_not_every_case() -> None:
    verdicts = [verdict("a", Exhausted(m * m), {"m": m}, m) for m in range(1, 65)]
    found = row(claim("a", ruleset="rectangular-bar(m=m, n=m)"), *verdicts)
    assert found.verdict == "holds-to-bound"
    positions = sum(m * m for m in range(1, 65))
    assert (
        found.text
        == f"every case checked, for m = 1, …, 64 ({positions:,} positions); other m are not checked"
    )
    assert found.parameters == "m = 1, …, 64"


@pytest.mark.parametrize(("checked", "expected"), [((3, 5), "exhausted"), ((3,), "holds-to-bound")])
def test_parameters_that_the_condition_names_can_all_be_checked(
    checked: tuple[int, ...], expected: str
) -> None:
    finite = claim("a", ruleset="rectangular-bar(m=m, n=m)", when="m == 3 or m == 5")
    found = row(finite, *(verdict("a", Exhausted(m * m), {"m": m}, m) for m in checked))
    assert found.verdict == expected
    assert found.text.startswith("true") == (expected == "exhausted")


def test_without_parameters_a_table_with_every_case_outweighs_a_smaller_one() -> None:
    fixed = claim("a", ruleset="step-bar(k=2, s=0)")
    small, large = verdict("a", HoldsToBound(9, 5), bound=5), verdict("a", Exhausted(80), bound=30)
    assert row(fixed, small).verdict == "holds-to-bound"
    assert row(fixed, small, large).verdict == "exhausted"
    assert row(fixed, large, verdict("a", Undecided("too small"))).verdict == "exhausted"


@pytest.mark.parametrize(
    ("printed", "intended", "right", "text"),
    [
        (
            FALSE,
            HELD,
            "intended",
            "Claim b as intended holds as far as it was checked, Claim a as printed is refuted at"
            " (x, y, z, p) = (0, 0, 1, 0) for k = 2; s = 1.",
        ),
        (
            HELD,
            FALSE,
            "printed",
            "Claim a as printed holds as far as it was checked, Claim b as intended is refuted at"
            " (x, y, z, p) = (0, 0, 1, 0) for k = 2; s = 1.",
        ),
        (FALSE, FALSE, "neither", "Neither is right: "),
        (HELD, HELD, "both", "Not told apart so far: "),
        (FALSE, SILENT, "open", "Open: Claim a as printed is refuted"),
        (
            HELD,
            PROVED,
            "both",
            "Not told apart so far: Claim a as printed holds as far as it was checked,"
            " Claim b as intended is proved for k = 2; s = 1.",
        ),
        (None, HELD, "open", "Open: Claim a as printed is unchecked"),
    ],
)
def test_a_misprint(printed: Verdict | None, intended: Verdict, right: str, text: str) -> None:
    both = catalogue(claim("a"), claim("b", corrects="a"))
    said = [("a", printed), ("b", intended)]
    given = [verdict(of, outcome, {"k": 2, "s": 1}) for of, outcome in said if outcome]
    (found,) = pairs(both, rows(both, given))
    assert (found.kind, found.printed, found.intended) == ("misprint", "a", "b")
    assert found.right == right
    assert found.text.startswith(text)
    is_decided = FALSE in (printed, intended)
    assert (found.decided and found.decided.position) == ((0, 0, 1, 0) if is_decided else None)


def test_a_disagreement_is_told_once_and_names_the_papers() -> None:
    both = catalogue(
        claim("a", contradicts=["b", "elsewhere-1"]), claim("b", OTHER, contradicts=["a"])
    )
    given = [verdict("a", FALSE, {"k": 2, "s": 1}), verdict("b", HELD, {"k": 2, "s": 1})]
    (found,) = pairs(both, rows(both, given))
    assert (found.kind, found.printed, found.intended) == ("disagreement", "b", "a")
    assert found.right == "printed"
    assert found.text.startswith(
        "Claim b of other holds as far as it was checked, Claim a of drawn is refuted at"
    )


def test_a_statement_on_integers_is_proved_for_what_is_fixed() -> None:
    checked = by_check(HoldsToBound(90, 9, unit="case"))
    proofs = [by_proof("a", Proved("by this", "integer"), {"k": k}) for k in (1, 2)]
    found = row(a_statement(), checked, *proofs)
    assert (found.verdict, found.proved_for) == ("proved-for-listed", "k = 1, 2")
    assert found.text == (
        "proved for all integers, for k = 1, 2; other k are not proved; holds for all 90 cases up to bound 9"
    )
    unsaid = by_proof("a", Undecided("the time is over"), {"k": 3})
    assert row(a_statement(), checked, *proofs, unsaid).text == found.text
    whole = row(a_statement(), checked, by_proof("a", Proved("by this", "integer")))
    assert (whole.verdict, whole.text) == ("proved", "proved for all integers")
    silent = row(a_statement(), checked, by_proof("a", Undecided("a power")))
    assert silent.verdict == "holds-to-bound"
    assert "proved" not in silent.text


FINITE = "k == 1 or k == 2"


domains = st.sampled_from([{}, {"reach": 20}, {"printed": 15}])


proofs_of = st.builds(lambda domain: Proved("c.json", **domain), domains)


@st.composite
def judged(draw: st.DrawFn) -> tuple[Claim, list[dict[str, int]] | None, list[ClaimVerdict]]:
    """Draw a claim, the cases that it speaks of (None for infinitely many), and verdicts on some of these."""
    kind = draw(st.sampled_from(["fixed", "finite", "infinite", "integers"]))
    every: list[dict[str, int]] | None
    if kind == "fixed":
        of, every, given = claim("a", ruleset="step-bar(k=2, s=0)"), [{}], st.just({})
    elif kind == "finite":
        of = claim("a", ruleset="solid-bar(f=(x+z)//k)", when=FINITE)
        every, given = [{"k": 1}, {"k": 2}], st.builds(lambda k: {"k": k}, st.integers(1, 2))
    elif kind == "infinite":
        of, every = claim("a", ruleset="solid-bar(f=(x+z)//k)"), None
        given = st.builds(lambda k: {"k": k}, st.integers(1, 2))
    else:
        of, every = a_statement(), None
        given = st.builds(lambda k: {"k": k}, st.integers(1, 2))
    decisions = st.one_of(proofs_of, outcomes).filter(
        lambda o: not isinstance(o, HoldsToBound | Exhausted)
    )
    tables = st.builds(lambda o, p, b: verdict("a", o, p, b), outcomes, given, st.integers(1, 20))
    proofs = st.builds(lambda o, p: by_proof("a", o, p), decisions, given)
    if kind == "integers":
        tables = st.builds(by_check, outcomes)
        if draw(st.booleans()):  # every choice is decided, each once
            every = [{"k": 1}, {"k": 2}]
            found = [by_proof("a", draw(decisions), one, all_choices=True) for one in every]
            return of, every, [*found, *draw(st.lists(tables, max_size=1))]
    return of, every, draw(st.lists(tables | proofs, max_size=5))


def known(verdicts: list[ClaimVerdict], case: dict[str, int]) -> set[str]:
    return {v.verdict for v in verdicts if v.parameters == case}


@settings(max_examples=examples(200))
@given(judged())
def test_a_row_never_says_more_than_its_verdicts(
    drawn: tuple[Claim, list[dict[str, int]] | None, list[ClaimVerdict]],
) -> None:
    of, every, verdicts = drawn
    found = row(of, *verdicts)
    names = {v.verdict for v in verdicts}
    cases = [known(verdicts, case) for case in every or []]
    # A verdict on a whole statement on integers is one on every choice.
    whole = known(verdicts, {}) if not of.parameters else set()
    match found.verdict:
        case "refuted":
            assert "refuted" in names
        case "proved":
            assert "refuted" not in names
            assert "proved" in names
            assert "proved" in whole or (cases and all(c & {"proved", "vacuous"} for c in cases))
        case "proved-for-listed":
            assert "refuted" not in names
            assert "proved" in names
            for v in verdicts:
                if v.verdict in ("holds-to-bound", "exhausted") and v.parameters:
                    assert "proved" in known(verdicts, v.parameters)
        case "exhausted":
            assert "refuted" not in names
            settled = {"exhausted", "proved", "vacuous"}
            assert whole & settled or (cases and all(c & settled for c in cases))
        case "vacuous":
            assert "vacuous" in names
            assert not names & {"refuted", "proved", "exhausted", "holds-to-bound"}
            assert "vacuous" in whole or (cases and all("vacuous" in c for c in cases))
        case "holds-to-bound":
            assert "refuted" not in names
            assert names & {"holds-to-bound", "exhausted"}
        case "undecided":
            assert names <= {"undecided", "vacuous"}
        case other:
            assert (other, verdicts) == ("unchecked", [])
    # Its sentence names nothing that no verdict is of.
    proved = [v for v in verdicts if v.verdict == "proved"]
    said = [part for part in found.text.split("; ") if part.startswith("proved for ")]
    assert bool(said) <= bool(proved)
    for words, fits in (
        ("coordinates up to 20", lambda v: v.reach == 20),
        ("the 15 printed", lambda v: v.printed == 15),
        ("", lambda v: v.reach is None and v.printed is None),
    ):
        for part in said:
            narrow = [w for w in ("coordinates up to", "printed") if w in part]
            if (words in part) if words else not narrow:
                assert any(fits(v) for v in proved)
    for k in (1, 2):
        named = [part for part in said if f" {k}" in part.partition(", for ")[2]]
        assert not named or "proved" in known(verdicts, {"k": k})
