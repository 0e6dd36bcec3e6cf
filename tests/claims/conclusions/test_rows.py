"""A row for each claim, and pairs of claims: by drawn lists of verdicts, against the rule in a few words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.conclusions.rows import pairs, rows
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry, Paper
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    Exhausted,
    Finding,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from tests.effort import examples

PAPER = Paper(key="drawn", title="On Nothing", authors=["N. N."], reference="preprint")
OTHER = Paper(key="other", title="On Less", authors=["N. N."], reference="preprint")
TABLE_RULESET = "with-pass(strip-bar(k=k, s=s), passes=1)"


def claim(claim_id, paper=PAPER, **more):
    said = {"id": claim_id, "number": f"Claim {claim_id}", "ruleset": TABLE_RULESET}
    entry = {"status": "theorem", "words": "Words.", "statement": "P <=> 0 == 0", **said, **more}
    return Claim(Entry.model_validate(entry), paper)


def catalogue(*claims):
    return Catalogue({one.id: one for one in claims})


def verdict(of, outcome, parameters=None, bound=10, **evidence):
    finding = Finding(outcome, evidence)
    found = ClaimVerdict.of(of, parameters or {}, finding, 0.5, table=f"table {bound}")
    return found.model_copy(update={"bound": bound})


def by_proof(of, outcome, parameters=None, **evidence):
    """Return a verdict that was found on what is proved of a game."""
    found = verdict(of, outcome, parameters, None, **evidence)
    return found.model_copy(update={"table": None, "certificate": "certificates/drawn.json"})


def refuted(*position):
    names = ("x", "y", "z", "p")
    return Refuted(Counterexample("P-position", "N-position", position, names), 7)


def row(of, *verdicts):
    (found,) = rows(catalogue(of), verdicts)
    return found


PROVED = Proved("certificates/drawn.json")
HELD, FALSE, SILENT = HoldsToBound(5, 10), refuted(0, 0, 1, 0), Undecided("too small")


def a_statement():
    return claim("a", ruleset=None, statement="for k in 1..9, z in 0..N: k*z >= z", bound=9)


def by_check(outcome):
    return verdict("a", outcome).model_copy(update={"table": None})


outcomes = st.one_of(
    st.builds(Proved, st.just("by parity")),
    st.builds(Exhausted, st.integers(0, 99)),
    st.builds(HoldsToBound, st.integers(0, 99), st.integers(1, 20), st.none()),
    st.builds(refuted, *[st.integers(0, 2)] * 3, st.integers(0, 3)),
    st.builds(Undecided, st.just("the table is too small")),
    st.builds(Vacuous, st.just("no position belongs to the statement")),
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
def test_a_row_is_what_its_verdicts_come_to(verdicts):
    found = row(claim("a"), *verdicts)
    names = [v.verdict for v in verdicts]

    def given_in(*kinds):
        return {tuple(v.parameters.items()) for v in verdicts if v.verdict in kinds}

    if not names:
        expected = "unchecked"
    elif "refuted" in names:
        expected = "refuted"
    elif set(names) <= {"undecided", "vacuous"}:
        expected = "undecided"
    elif given_in("exhausted", "holds-to-bound") <= given_in("proved"):
        expected = "proved-for-listed"  # a proof outweighs a table with the same parameters
    else:
        expected = "holds-to-bound"  # of k and s there are infinitely many
    assert found.verdict == expected
    assert found.checks == len(names)
    assert found.counts == {name: names.count(name) for name in set(names)}
    given = {tuple(v.parameters.items()) for v in verdicts}
    largest = [[v.positions for v in verdicts if v.parameters == dict(one)] for one in given]
    assert found.positions == sum(map(max, largest))
    bounds = [v.bound for v in verdicts]
    assert found.bound == ((min(bounds), max(bounds)) if bounds else None)
    assert "true" not in found.text
    if found.verdict != "refuted":
        assert bool(found.proved_for) == bool(given_in("proved"))
        says = found.text.startswith("proved for all positions, for ")
        assert says == bool(found.proved_for) == ("other k, s are not proved" in found.text)


@given(drawn_verdicts)
def test_the_least_counterexample_decides(verdicts):
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


@pytest.mark.parametrize(
    ("printed", "intended", "right"),
    [
        (FALSE, HELD, "intended"),
        (HELD, FALSE, "printed"),
        (FALSE, FALSE, "neither"),
        (HELD, HELD, "both"),
        (HELD, PROVED, "both"),
        (FALSE, SILENT, "open"),
        (None, HELD, "open"),
    ],
)
def test_a_misprint(printed, intended, right):
    both = catalogue(claim("a"), claim("b", corrects="a"))
    said = [("a", printed), ("b", intended)]
    given = [verdict(of, outcome, {"k": 2, "s": 1}) for of, outcome in said if outcome]
    (found,) = pairs(both, rows(both, given))
    assert (found.kind, found.printed, found.intended) == ("misprint", "a", "b")
    assert found.right == right
    is_decided = FALSE in (printed, intended)
    assert (found.decided and found.decided.position) == ((0, 0, 1, 0) if is_decided else None)


def test_a_disagreement_is_told_once_and_names_the_papers():
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


FINITE = "k == 1 or k == 2"


domains = st.sampled_from([{}, {"reach": 20}, {"printed": 15}])


proofs_of = st.builds(lambda domain: Proved("c.json", **domain), domains)


@st.composite
def judged(draw):
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


def known(verdicts, case):
    return {v.verdict for v in verdicts if v.parameters == case}


@settings(max_examples=examples(200))
@given(judged())
def test_a_row_never_says_more_than_its_verdicts(drawn):
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


def tables(*of_k):
    return [verdict("a", HoldsToBound(100, 10), {"k": k}) for k in of_k]


def proofs(*of_k):
    return [by_proof("a", PROVED, {"k": k}) for k in of_k]


NAMED = {"when": "k == 3 or k == 7"}
NO_POSITION = verdict("a", Undecided("no such position"), {"k": 15})


FALSE_FOR_6 = verdict("a", refuted(1, 0, 2, 1), {"k": 6})
LATE = by_proof("a", Undecided("the time is over"), {"k": 7})
#: There is no game with k = 0, and the condition has no value: it is not known whether there are other parameters.
NO_VALUE = {"when": "k == 3 or (k == 0 and 4//k == 1)"}


@pytest.mark.parametrize(
    ("when", "verdicts", "expected", "text"),
    [
        ({}, tables(3), "holds-to-bound", "holds for all 100 positions up to bound 10 (k = 3)"),
        ({}, tables(3, 7), "holds-to-bound", "holds up to bound 10 on 2 tables (200 positions)"),
        ({}, [NO_POSITION], "undecided", None),
        (
            {},
            [*tables(3), NO_POSITION, FALSE_FOR_6],
            "refuted",
            "refuted at (x, y, z, p) = (1, 0, 2, 1): P-position, claimed: N-position (k = 6);"
            " 1 of 3 tables refutes it; undecided on 1 of 3 tables: no such position (k = 15)",
        ),
        ({}, [*tables(3, 7, 11), *proofs(3, 7, 11)], "proved-for-listed", None),
        (
            {},
            [*tables(3, 7, 11), *proofs(3, 7)],
            "holds-to-bound",
            "proved for all positions, for k = 3, 7; other k are not proved;"
            " holds for all 100 positions up to bound 10 (k = 11)",
        ),
        (NAMED, proofs(3, 7), "proved", None),
        (NAMED, proofs(3), "proved-for-listed", None),
        (NO_VALUE, proofs(3), "proved-for-listed", None),
        (NAMED, [*proofs(3), LATE], "proved-for-listed", None),
        ({}, [*proofs(3), NO_POSITION], "proved-for-listed", None),
        ({}, [*proofs(3), verdict("a", Exhausted(50), {"k": 15})], "holds-to-bound", None),
    ],
)
def test_rows_of_a_claim_with_a_parameter(when, verdicts, expected, text):
    found = row(claim("a", ruleset="solid-bar(f=(x+z)//k)", **when), *verdicts)
    assert found.verdict == expected
    assert text in (None, found.text)


def test_a_remark_about_the_bound_of_a_statement():
    def checked(k, reach, true_up_to):
        evidence = {"reach": reach, "true_up_to": true_up_to, "best_possible": reach == true_up_to}
        return verdict("a", Exhausted(10), {"k": k, "s": 1}, 20, **evidence)

    found = row(claim("a"), checked(2, 5, 5), checked(4, 7, 20)).text
    assert re.search(
        r"remark: .* 1 of the 2 .*bound is 7.* 20, for example for k = 4; s = 1", found
    )


def test_a_table_and_a_proof_refute_together():
    parameters = {"k": 2, "s": 1}
    table, proof = (
        verdict("a", refuted(1, 0, 2, 1), parameters),
        by_proof("a", refuted(0, 0, 1, 3), parameters),
    )
    found = row(claim("a"), table, proof)
    assert found.verdict == "refuted"
    assert found.decided.position == (0, 0, 1, 3)  # passes left do not count as a size
    wrong = row(claim("a"), table, by_proof("a", PROVED, parameters))
    assert wrong.verdict == "refuted"
    assert wrong.text.endswith("one of them is wrong")


def test_an_undecided_choice_is_not_proved():
    choices = [
        by_proof("a", Proved("by this", "integer"), {"k": k}, all_choices=True) for k in (1, 2)
    ]
    found = row(a_statement(), *choices)
    assert (found.verdict, found.proved_for) == ("proved", "k = 1, 2")
    silent = by_proof("a", Undecided("the time is over"), {"k": 3}, all_choices=True)
    assert row(a_statement(), *choices, silent).verdict == "proved-for-listed"
    choices[0] = choices[0].model_copy(update={"evidence": {}})
    assert row(a_statement(), *choices).verdict == "proved-for-listed"


def test_a_proof_for_all_that_a_range_lists_is_of_these_alone():
    statement = "for k in sample 1..2, z in 0..N: k*z >= z"
    said = claim("a", ruleset=None, statement=statement, bound=9)
    choices = [
        by_proof("a", Proved("by this", "integer"), {"k": k}, all_choices=True) for k in (1, 2)
    ]
    found = row(said, by_check(HoldsToBound(20, 9, "for k in 1..2 alone", "case")), *choices)
    assert (found.verdict, found.proved_for) == ("proved-for-listed", "k = 1, 2")
    assert found.text == "proved for all integers, for k = 1, 2; other k are not proved"


def test_a_statement_of_which_nothing_is_spoken_is_vacuous():
    why = Vacuous("no integers satisfy its conditions")
    assert row(a_statement(), by_check(Undecided("none")), by_proof("a", why)).verdict == "vacuous"
    one, two = (
        by_proof("a", outcome, {"k": k})
        for outcome, k in ((why, 1), (Proved("this", "integer"), 2))
    )
    assert row(a_statement(), one).verdict == "undecided"
    one, two = (some.with_evidence({"all_choices": True}) for some in (one, two))
    assert row(a_statement(), one).verdict == "vacuous"
    found = row(a_statement(), one, two)
    assert (found.verdict, found.proved_for) == ("proved", "k = 2")
    held = by_check(HoldsToBound(90, 9, unit="case"))
    assert row(a_statement(), held, by_proof("a", why)).text.endswith("one of them is wrong")
    both = catalogue(claim("a"), claim("b", corrects="a"))
    given = [by_proof("a", why, {"k": 2, "s": 1}), by_proof("b", PROVED, {"k": 2, "s": 1})]
    assert pairs(both, rows(both, given))[0].right == "open"
