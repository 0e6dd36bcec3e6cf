"""A row for each claim, and pairs of claims: by drawn lists of verdicts, against the rule in a few words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.catalogue import Catalogue
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.model import Entry, Paper
from choco_pipeline.claims.pairs import pairs
from choco_pipeline.claims.row_text import parameters_text
from choco_pipeline.claims.rows import rows
from choco_pipeline.claims.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Verdict,
    verdict_to_json,
)

PAPER = Paper(key="drawn", title="On Nothing", authors=["N. N."], reference="preprint")
OTHER = Paper(key="other", title="On Less", authors=["N. N."], reference="preprint")
TABLE_RULESET = "with-pass(strip-bar(k=k, s=s), passes=1)"


def claim(claim_id: str, paper: Paper = PAPER, **more: Any) -> Claim:
    said = {
        "number": f"Claim {claim_id}",
        "status": "theorem",
        "statement": "Words.",
        "ruleset": TABLE_RULESET,
        "check": {"kind": "p-positions", "formula": "x ^ y ^ z == 0"},
    }
    return Claim(Entry.model_validate({"id": claim_id, **said, **more}), paper)


def catalogue(*claims: Claim) -> Catalogue:
    return Catalogue({one.id: one for one in claims})


def verdict(
    of: str,
    outcome: Verdict,
    parameters: dict[str, int] | None = None,
    bound: int | None = 10,
    **evidence: Any,
) -> dict[str, Any]:
    return {
        "claim": of,
        "table": f"table {bound}",
        "parameters": parameters or {},
        **verdict_to_json(outcome),
        "bound": bound,
        "evidence": evidence,
        "seconds": 0.5,
    }


def by_proof(of: str, outcome: Verdict, parameters: dict[str, int] | None = None) -> dict[str, Any]:
    """Return a verdict that was found on what is proved of a game."""
    found = {**verdict(of, outcome, parameters, None), "table": None}
    return found | {"certificate": "certificates/drawn.json"}


def refuted(*position: int) -> Refuted:
    names = ("x", "y", "z", "p")
    return Refuted(Counterexample("P-position", "N-position", position, names), 7)


def row(of: Claim, *verdicts: dict[str, Any]) -> dict[str, Any]:
    (found,) = rows(catalogue(of), verdicts)
    return found


outcomes = st.one_of(
    st.builds(Proved, st.just("by parity")),
    st.builds(Exhausted, st.integers(0, 99)),
    st.builds(HoldsToBound, st.integers(0, 99), st.integers(1, 20), st.none()),
    st.builds(refuted, *[st.integers(0, 2)] * 3, st.integers(0, 3)),
    st.builds(Undecided, st.just("the table is too small")),
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
    unique_by=lambda v: (v["bound"], *v["parameters"].values()),
)


@given(drawn_verdicts)
def test_a_row_is_what_its_verdicts_come_to(verdicts: list[dict[str, Any]]) -> None:
    found = row(claim("a"), *verdicts)
    names = [v["verdict"] for v in verdicts]
    if not names:
        expected = "unchecked"
    elif "refuted" in names:
        expected = "refuted"
    elif set(names) == {"undecided"}:
        expected = "undecided"
    elif set(names) == {"proved"}:
        expected = "proved"
    else:
        expected = "holds-to-bound"  # of k and s there are infinitely many
    # A proof outweighs a table with the same parameters.
    proved = {tuple(v["parameters"].items()) for v in verdicts if v["verdict"] == "proved"}
    if expected == "holds-to-bound" and found["verdict"] == "proved":
        assert proved == {tuple(v["parameters"].items()) for v in verdicts}
    else:
        assert found["verdict"] == expected
    assert found["checks"] == len(names)
    assert found["counts"] == {name: names.count(name) for name in set(names)}
    given = {tuple(v["parameters"].items()) for v in verdicts}
    largest = [
        [v["positions"] for v in verdicts if set(v["parameters"].items()) == set(one)]
        for one in given
    ]
    assert found["positions"] == sum(map(max, largest))
    assert found["seconds"] == 0.5 * len(names)
    bounds = [v["bound"] for v in verdicts]
    assert found["bound"] == ([min(bounds), max(bounds)] if bounds else None)
    if found["verdict"] != "proved":
        assert "true" not in found["text"]
        assert "proved" not in found["text"] or proved
        starts = found["text"].startswith("proved for all positions, for ")
        assert starts == bool(found["verdict"] == "holds-to-bound" and proved)
    else:
        assert found["text"].startswith("proved for all positions, for ")
        assert found["text"].endswith("; other k, s are not proved")
    silent = [v for v in verdicts if v["verdict"] == "undecided"]
    if any(tuple(v["parameters"].items()) not in proved for v in silent):
        assert "says nothing" in found["text"]
        assert "the table is too small" in found["text"]
    assert "\n" not in found["text"]


@given(drawn_verdicts)
def test_the_least_counterexample_decides(verdicts: list[dict[str, Any]]) -> None:
    found = row(claim("a"), *verdicts)["decided"]
    least = None
    for v in verdicts:
        if v["verdict"] == "refuted":
            x, y, z, p = v["counterexample"]["position"]
            key = (max(x, y, z), (x, y, z, p), tuple(v["parameters"].values()))
            if least is None or key < least:
                least = key
    if least is None:
        assert found is None
    else:
        assert tuple(found["position"]) == least[1]
        assert tuple(found["parameters"].values()) == least[2]
        assert found["coordinates"] == ["x", "y", "z", "p"]
        assert found["table"].startswith("table ")


def test_every_claim_has_a_row_in_the_order_of_the_files() -> None:
    several = [claim("b"), claim("a", when="k % 2 == 0"), claim("c")]
    found = rows(catalogue(*several), [verdict("c", HoldsToBound(5, 10))])
    assert [one["claim"] for one in found] == ["b", "a", "c"]
    assert [one["verdict"] for one in found] == ["unchecked", "unchecked", "holds-to-bound"]
    assert found[1]["text"] == f"no table of this run fits: ruleset {TABLE_RULESET}, where k%2 == 0"
    assert found[1] | {"claim": "", "text": "", "command": ""} == {
        "claim": "",
        "verdict": "unchecked",
        "text": "",
        "checks": 0,
        "counts": {},
        "parameters": "",
        "bound": None,
        "positions": 0,
        "seconds": 0,
        "decided": None,
        "command": "",
    }
    assert found[0]["command"] == "./choco claims check b"


def test_every_case_of_some_parameters_is_not_every_case() -> None:
    verdicts = [verdict("a", Exhausted(m * m), {"m": m}, m) for m in range(1, 65)]
    found = row(claim("a", ruleset="rectangular-bar(m=m, n=m)"), *verdicts)
    assert found["verdict"] == "holds-to-bound"
    positions = sum(m * m for m in range(1, 65))
    assert (
        found["text"]
        == f"every case for m = 1, …, 64 ({positions:,} positions); other parameters are not checked"
    )
    assert found["parameters"] == "m = 1, …, 64"


@pytest.mark.parametrize(("checked", "expected"), [((3, 5), "exhausted"), ((3,), "holds-to-bound")])
def test_parameters_that_the_condition_names_can_all_be_checked(
    checked: tuple[int, ...], expected: str
) -> None:
    finite = claim("a", ruleset="rectangular-bar(m=m, n=m)", when="m == 3 or m == 5")
    found = row(finite, *(verdict("a", Exhausted(m * m), {"m": m}, m) for m in checked))
    assert found["verdict"] == expected
    assert found["text"].startswith("true") == (expected == "exhausted")


def test_without_parameters_a_table_with_every_case_outweighs_a_smaller_one() -> None:
    fixed = claim("a", ruleset="step-bar(k=2, s=0)")
    small, large = verdict("a", HoldsToBound(9, 5), bound=5), verdict("a", Exhausted(80), bound=30)
    assert row(fixed, small)["verdict"] == "holds-to-bound"
    assert row(fixed, small, large)["verdict"] == "exhausted"
    assert row(fixed, large, verdict("a", Undecided("too small")))["verdict"] == "exhausted"


def test_texts() -> None:
    def text(*verdicts: dict[str, Any]) -> str:
        return str(row(claim("a"), *verdicts)["text"])

    held = verdict("a", HoldsToBound(1200, 40), {"k": 2, "s": 1}, 40)
    more = verdict("a", HoldsToBound(300, 20), {"k": 4, "s": 1}, 20)
    false = verdict("a", refuted(1, 0, 2, 1), {"k": 6, "s": 1})
    silent = verdict("a", Undecided("no such position"), {"k": 8, "s": 1})
    assert text(held) == "holds for all 1,200 positions up to bound 40 (k = 2; s = 1)"
    assert text(held, more) == "holds up to bounds from 20 to 40 on 2 tables (1,500 positions)"
    assert (
        text(held, silent, false)
        == "refuted at (x, y, z, p) = (1, 0, 2, 1): P-position, claimed: N-position (k = 6; s = 1);"
        " 1 of 3 tables refutes it; says nothing on 1 of 3 tables: no such position (k = 8; s = 1)"
    )
    assert text(silent) == "says nothing: no such position (k = 8; s = 1)"
    nested = verdict("a", HoldsToBound(300, 20), {"k": 2, "s": 1}, 20)
    # Both tables are of one game: the larger holds the positions of the smaller.
    assert text(held, nested) == "holds up to bounds from 20 to 40 on 2 tables (1,200 positions)"
    in_a_sense = verdict("a", HoldsToBound(5, 20, "every member up to 6 occurs"), {"k": 2, "s": 2})
    assert text(held, in_a_sense).endswith("; in this sense: every member up to 6 occurs")


def test_of_several_senses_the_least_is_shown() -> None:
    """pass2016, Conjecture 4.2: for one s every number up to 8, for another only those up to 3."""

    def filled(s: int, bound: int, frontier: int) -> dict[str, Any]:
        sense = f"every member up to {frontier} occurs"
        growth = [{"bound": bound, "frontier": frontier}]
        return verdict("a", HoldsToBound(5, bound, sense), {"s": s}, bound, growth=growth)

    found = row(claim("a"), filled(2, 40, 8), filled(4, 20, 1), filled(4, 40, 3), filled(6, 40, 5))
    assert found["text"].endswith(
        "; in this sense: for the least (s = 4): every member up to 3 occurs"
    )


PROVED = Proved("certificates/drawn.json")


def test_a_proof_is_for_the_parameters_that_it_names() -> None:
    one, fixed = (
        claim("a", ruleset="solid-bar(f=(x+z)//k)"),
        claim("a", ruleset="step-bar(k=2, s=0)"),
    )

    def text(of: Claim, *verdicts: dict[str, Any]) -> tuple[str, str]:
        found = row(of, *verdicts)
        return found["verdict"], found["text"]

    tables = [verdict("a", HoldsToBound(100, 10), {"k": k}) for k in (3, 7, 11)]
    proofs = [by_proof("a", PROVED, {"k": k}) for k in (3, 7, 11)]
    assert text(one, *tables, *proofs) == (
        "proved",
        "proved for all positions, for k = 3, 7, 11; other k are not proved",
    )
    assert text(one, *tables, *proofs[:2]) == (
        "holds-to-bound",
        "proved for all positions, for k = 3, 7; holds up to bound 10 on 1 table (100 positions)",
    )
    assert text(fixed, verdict("a", HoldsToBound(9, 5)), by_proof("a", PROVED)) == (
        "proved",
        "proved for all positions",
    )
    named = claim("a", ruleset="solid-bar(f=(x+z)//k)", when="k == 3 or k == 7")
    assert text(named, *proofs[:2]) == ("proved", "proved for all positions, for k = 3, 7")
    assert text(named, *proofs[:1])[1].endswith("for k = 3; other k are not proved")
    silent = verdict("a", Undecided("no such position"), {"k": 15})
    assert text(one, proofs[0], silent) == (
        "holds-to-bound",
        "proved for all positions, for k = 3;"
        " says nothing on the only table: no such position (k = 15)",
    )
    whole = verdict("a", Exhausted(50), {"k": 15})
    assert text(one, proofs[0], whole) == (
        "holds-to-bound",
        "proved for all positions, for k = 3; every case for k = 15 (50 positions);"
        " other parameters are not checked",
    )


def test_pairs_of_parameters_are_named_where_they_are_no_product() -> None:
    proofs = [
        by_proof("a", PROVED, {"k": k, "s": s}) for k in (4, 6, 8, 10) for s in range(2, k, 2)
    ]
    found = row(claim("a"), *proofs[:3])
    assert (
        found["text"]
        == "proved for all positions, for (k, s) = (4, 2), (6, 2), (6, 4); other k, s are not proved"
    )
    many = row(claim("a"), *proofs)["text"]
    assert "(8, 2), (8, 4), (8, 6), …, (10, 8) (10 of them); other" in many


def test_what_the_prover_cannot_decide_says_nothing_against_a_table() -> None:
    held = verdict("a", HoldsToBound(9, 10), {"k": 2, "s": 1})
    silent = by_proof("a", Undecided("not linear"), {"k": 2, "s": 1})
    assert row(claim("a"), held, silent) == row(claim("a"), held)
    alone = row(claim("a"), silent, silent | {"parameters": {"k": 3, "s": 1}})
    assert alone["verdict"] == "undecided"
    assert alone["text"] == "says nothing on 2 proofs: not linear (k = 2; s = 1)"


def test_a_table_and_a_proof_refute_together() -> None:
    parameters = {"k": 2, "s": 1}
    held = verdict("a", HoldsToBound(9, 10), {"k": 3, "s": 1})
    table, proof = (
        verdict("a", refuted(1, 0, 2, 1), parameters),
        by_proof("a", refuted(1, 0, 2, 1), parameters),
    )
    found = row(claim("a"), held, table, proof)
    assert found["verdict"] == "refuted"
    assert found["decided"]["table"] == "table 10"
    assert found["text"].endswith("; 1 of 2 tables and the only proof refute it")
    # passes left do not count as a size, whoever found the position
    found = row(claim("a"), by_proof("a", refuted(0, 0, 1, 3), parameters), table)
    assert found["decided"]["position"] == [0, 0, 1, 3]
    wrong = row(claim("a"), table, by_proof("a", PROVED, parameters))
    assert wrong["verdict"] == "refuted"
    assert wrong["text"].endswith("; and yet proved for k = 2; s = 1: one of them is wrong")


@pytest.mark.parametrize(
    ("true_up_to", "expected"),
    [
        ((5, 7), "the printed bound is the best possible for each of the 2 parameters checked"),
        (
            (5, 20),
            "the printed bound is the best possible for 1 of the 2 parameters checked,"
            " not for all: for k = 4; s = 1, 7 is printed, true up to 20",
        ),
        (
            (9, 20),
            "the printed bound is not the best possible for each of the 2 parameters checked:"
            " for k = 2; s = 1, 5 is printed, true up to 9",
        ),
    ],
)
def test_whether_a_printed_bound_is_the_best_possible(
    true_up_to: tuple[int, int], expected: str
) -> None:
    verdicts = [
        verdict(
            "a",
            Exhausted(10),
            {"k": k, "s": 1},
            20,
            reach=reach,
            true_up_to=true,
            best_possible=reach == true,
        )
        for k, reach, true in zip((2, 4), (5, 7), true_up_to, strict=True)
    ]
    assert row(claim("a"), *verdicts)["text"].endswith(f"; {expected}")
    verdicts.append(verdict("a", Exhausted(10), {"k": 6, "s": 1}, 9))
    expected = expected.replace("parameters checked", "parameters with a table beyond it")
    assert row(claim("a"), *verdicts)["text"].endswith(f"; {expected}")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([4], "k = 4"),
        ([1, 2, 3], "k = 1, 2, 3"),
        ([0, 1, 2, 3], "k = 0, …, 3"),
        ([2, 6, 10, 14], "k = 2, 6, …, 14"),
        ([1, 2, 4, 8, 16], "k = 1, 2, 4, 8, 16"),
        ([1, 2, 4, 8, 16, 32], "k = 1, 2, 4, …, 32 (6 values)"),
    ],
)
def test_parameters_in_short(values: list[int], expected: str) -> None:
    assert parameters_text([{"k": k} for k in [*reversed(values), values[0]]]) == expected


HELD, FALSE, SILENT = HoldsToBound(5, 10), refuted(0, 0, 1, 0), Undecided("too small")


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
        (None, HELD, "open", "Open: Claim a as printed is unchecked"),
    ],
)
def test_a_misprint(printed: Verdict | None, intended: Verdict, right: str, text: str) -> None:
    both = catalogue(claim("a"), claim("b", corrects="a"))
    said = [("a", printed), ("b", intended)]
    given = [verdict(of, outcome, {"k": 2, "s": 1}) for of, outcome in said if outcome]
    (found,) = pairs(both, rows(both, given))
    assert (found["kind"], found["printed"], found["intended"]) == ("misprint", "a", "b")
    assert found["right"] == right
    assert found["text"].startswith(text)
    is_decided = FALSE in (printed, intended)
    assert (found["decided"] or {}).get("position") == ([0, 0, 1, 0] if is_decided else None)


def test_a_disagreement_is_told_once_and_names_the_papers() -> None:
    both = catalogue(
        claim("a", contradicts=["b", "elsewhere-1"]), claim("b", OTHER, contradicts=["a"])
    )
    given = [verdict("a", FALSE, {"k": 2, "s": 1}), verdict("b", HELD, {"k": 2, "s": 1})]
    (found,) = pairs(both, rows(both, given))
    assert (found["kind"], found["printed"], found["intended"]) == ("disagreement", "b", "a")
    assert found["right"] == "printed"
    assert found["text"].startswith(
        "Claim b of other holds as far as it was checked, Claim a of drawn is refuted at"
    )


def a_statement() -> Claim:
    check = {"kind": "integers", "bound": 9, "all": {"k": "1..9", "z": "0..N"}, "holds": "k*z >= z"}
    return claim("a", ruleset=None, check=check)


def by_check(outcome: Verdict) -> dict[str, Any]:
    return {**verdict("a", outcome), "table": None}


def test_a_statement_on_integers_is_proved_for_what_is_fixed() -> None:
    checked = by_check(HoldsToBound(90, 9, unit="case"))
    proofs = [by_proof("a", Proved("by this", "integer"), {"k": k}) for k in (1, 2)]
    found = row(a_statement(), checked, *proofs)
    assert (found["verdict"], found["parameters"]) == ("proved", "k = 1, 2")
    assert found["text"] == (
        "proved for all integers, for k = 1, 2; other k are not proved; holds for all 90 cases up to bound 9"
    )
    unsaid = by_proof("a", Undecided("the time is over"), {"k": 3})
    assert row(a_statement(), checked, *proofs, unsaid)["text"] == found["text"]
    whole = row(a_statement(), checked, by_proof("a", Proved("by this", "integer")))
    assert (whole["verdict"], whole["text"]) == ("proved", "proved for all integers")
    silent = row(a_statement(), checked, by_proof("a", Undecided("a power")))
    assert silent["verdict"] == "holds-to-bound"
    assert "proved" not in silent["text"]


def test_a_statement_that_a_check_refutes_is_not_proved() -> None:
    wrong = Refuted(Counterexample("this", "that", (2, 5), ("k", "z")), 90)
    proof = by_proof("a", Proved("by this", "integer"), {"k": 1})
    found = row(a_statement(), by_check(wrong), proof)
    assert found["verdict"] == "refuted"
    assert "the only check refutes it" in found["text"]
    later = by_proof("a", wrong, {"k": 2})
    found = row(a_statement(), by_check(wrong), later, by_proof("a", wrong, {"k": 3}))
    assert "the only check and all 2 proofs refute it" in found["text"]
    found = row(a_statement(), by_check(HoldsToBound(90, 9, unit="case")), proof, later)
    assert (found["verdict"], found["decided"]["position"]) == ("refuted", [2, 5])
