"""What a row says in words of all verdicts on its claim: for which parameters, how far, and what contradicts what."""

from __future__ import annotations

import pytest

from choco_pipeline.claims.conclusions.rows import pairs, rows
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from tests.claims.conclusions.made_verdicts import (
    FALSE,
    OTHER,
    PROVED,
    a_statement,
    by_check,
    by_proof,
    catalogue,
    claim,
    refuted,
    row,
    verdict,
)


def tables(*of_k: int) -> list[ClaimVerdict]:
    return [verdict("a", HoldsToBound(100, 10), {"k": k}) for k in of_k]


def proofs(*of_k: int) -> list[ClaimVerdict]:
    return [by_proof("a", PROVED, {"k": k}) for k in of_k]


NAMED = {"when": "k == 3 or k == 7"}
SILENT = verdict("a", Undecided("no such position"), {"k": 15})


@pytest.mark.parametrize(
    ("when", "verdicts", "expected", "text"),
    [
        ({}, tables(3), "holds-to-bound", "holds for all 100 positions up to bound 10 (k = 3)"),
        ({}, tables(3, 7), "holds-to-bound", "holds up to bound 10 on 2 tables (200 positions)"),
        ({}, [SILENT], "undecided", "says nothing: no such position (k = 15)"),
        (
            {},
            [*tables(3), SILENT, verdict("a", refuted(1, 0, 2, 1), {"k": 6})],
            "refuted",
            "refuted at (x, y, z, p) = (1, 0, 2, 1): P-position, claimed: N-position (k = 6);"
            " 1 of 3 tables refutes it; says nothing on 1 of 3 tables: no such position (k = 15)",
        ),
        (
            {},
            [*tables(3, 7, 11), *proofs(3, 7, 11)],
            "proved-for-listed",
            "proved for all positions, for k = 3, 7, 11; other k are not proved",
        ),
        (
            {},
            [*tables(3, 7, 11), *proofs(3, 7)],
            "holds-to-bound",
            "proved for all positions, for k = 3, 7; other k are not proved;"
            " holds for all 100 positions up to bound 10 (k = 11)",
        ),
        (
            NAMED,
            proofs(3, 7),
            "proved",
            "proved for all positions, for k = 3, 7; it speaks of no others",
        ),
        (NAMED, proofs(3), "proved-for-listed", None),
        # There is no game with k = 0, and the condition has no value: it is not known whether there are other parameters.
        ({"when": "k == 3 or (k == 0 and 4//k == 1)"}, proofs(3), "proved-for-listed", None),
        (
            NAMED,
            [*proofs(3), by_proof("a", Undecided("the time is over"), {"k": 7})],
            "proved-for-listed",
            None,
        ),
        ({}, [*proofs(3), SILENT], "proved-for-listed", None),
        ({}, [*proofs(3), verdict("a", Exhausted(50), {"k": 15})], "holds-to-bound", None),
    ],
)
def test_rows_of_a_claim_with_a_parameter(
    when: dict[str, str], verdicts: list[ClaimVerdict], expected: str, text: str | None
) -> None:
    found = row(claim("a", ruleset="solid-bar(f=(x+z)//k)", **when), *verdicts)
    assert found.verdict == expected
    assert text in (None, found.text)


def test_a_remark_about_the_bound_of_a_statement() -> None:
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
        for k, reach, true in ((2, 5, 5), (4, 7, 20))
    ]
    verdicts.append(verdict("a", Exhausted(10), {"k": 6, "s": 1}, 9))
    assert row(claim("a"), *verdicts).text.endswith(
        "; remark: false just beyond its bound for 1 of the 2 parameters with a table beyond it; its bound is 7,"
        " and it is also true for all positions of our table, up to 20, for example for k = 4; s = 1"
    )


def test_what_the_prover_cannot_decide_says_nothing_against_a_table() -> None:
    held = verdict("a", HoldsToBound(9, 10), {"k": 2, "s": 1})
    silent = by_proof("a", Undecided("not linear"), {"k": 2, "s": 1})
    assert row(claim("a"), held, silent) == row(claim("a"), held)
    alone = row(claim("a"), silent, silent.model_copy(update={"parameters": {"k": 3, "s": 1}}))
    assert alone.verdict == "undecided"
    assert alone.text == "says nothing on 2 proofs: not linear (k = 2; s = 1)"


def test_a_table_and_a_proof_refute_together() -> None:
    parameters = {"k": 2, "s": 1}
    held = verdict("a", HoldsToBound(9, 10), {"k": 3, "s": 1})
    table, proof = (
        verdict("a", refuted(1, 0, 2, 1), parameters),
        by_proof("a", refuted(1, 0, 2, 1), parameters),
    )
    found = row(claim("a"), held, table, proof)
    assert found.verdict == "refuted"
    assert found.decided.table == "table 10"
    assert found.text.endswith("; 1 of 2 tables and the only proof refute it")
    # passes left do not count as a size, whoever found the position
    found = row(claim("a"), by_proof("a", refuted(0, 0, 1, 3), parameters), table)
    assert found.decided.position == (0, 0, 1, 3)
    wrong = row(claim("a"), table, by_proof("a", PROVED, parameters))
    assert wrong.verdict == "refuted"
    assert wrong.text.endswith("; and yet proved for k = 2; s = 1: one of them is wrong")


def test_a_statement_that_a_check_refutes_is_not_proved() -> None:
    wrong = Refuted(Counterexample("this", "that", (2, 5), ("k", "z")), 90)
    proof = by_proof("a", Proved("by this", "integer"), {"k": 1})
    found = row(a_statement(), by_check(wrong), proof)
    assert found.verdict == "refuted"
    assert "the only check refutes it" in found.text
    later = by_proof("a", wrong, {"k": 2})
    found = row(a_statement(), by_check(wrong), later, by_proof("a", wrong, {"k": 3}))
    assert "the only check and all 2 proofs refute it" in found.text
    found = row(a_statement(), by_check(HoldsToBound(90, 9, unit="case")), proof, later)
    assert (found.verdict, found.decided.position) == ("refuted", (2, 5))


def test_an_undecided_choice_is_not_proved() -> None:
    choices = [
        by_proof("a", Proved("by this", "integer"), {"k": k}, all_choices=True) for k in (1, 2)
    ]
    found = row(a_statement(), *choices)
    assert (found.verdict, found.proved_for) == ("proved", "k = 1, 2")
    assert found.text == "proved for all integers, for k = 1, 2; it speaks of no others"
    silent = by_proof("a", Undecided("the time is over"), {"k": 3}, all_choices=True)
    assert row(a_statement(), *choices, silent).verdict == "proved-for-listed"
    choices[0] = choices[0].model_copy(update={"evidence": {}})
    assert row(a_statement(), *choices).verdict == "proved-for-listed"


def test_a_proof_for_all_that_a_range_lists_is_of_these_alone() -> None:
    check = {"kind": "integers", "bound": 9, "all": {"k": "1..2", "z": "0..N"}, "listed": ["k"]}
    said = claim("a", ruleset=None, check={**check, "holds": "k*z >= z"})
    choices = [
        by_proof("a", Proved("by this", "integer"), {"k": k}, all_choices=True) for k in (1, 2)
    ]
    found = row(said, by_check(HoldsToBound(20, 9, "for k in 1..2 alone", "case")), *choices)
    assert (found.verdict, found.proved_for) == ("proved-for-listed", "k = 1, 2")
    assert found.text == "proved for all integers, for k = 1, 2; other k are not proved"


def test_a_conjecture_is_never_proved_without_saying_for_what() -> None:
    conjecture = claim("b", OTHER, status="conjecture", contradicts=["a"])
    both = catalogue(claim("a"), conjecture)
    given = [verdict("a", FALSE, {"k": 2, "s": 1})]
    given += [by_proof("b", PROVED, {"k": k, "s": 1}) for k in (2, 4)]
    (found,) = pairs(both, rows(both, given))
    assert found.right == "intended"
    assert found.text.startswith("Claim b of other is proved for k = 2, 4; s = 1, Claim a")


def test_a_statement_of_which_nothing_is_spoken_is_vacuous() -> None:
    why = Vacuous("no integers satisfy its conditions")
    checked = by_check(Undecided("no integers up to N = 9 are ones that it speaks of"))
    found = row(a_statement(), checked, by_proof("a", why))
    assert (found.verdict, found.text) == ("vacuous", f"vacuous: {why.why}")
    some = [by_proof("a", why, {"k": 1}), by_proof("a", Proved("this", "integer"), {"k": 2})]
    assert row(a_statement(), *some[:1]).verdict == "undecided"
    some = [one.with_evidence({"all_choices": True}) for one in some]
    assert row(a_statement(), *some[:1]).verdict == "vacuous"
    found = row(a_statement(), *some)
    assert (found.verdict, found.proved_for) == ("proved", "k = 2")
    assert "vacuous, for k = 1" in found.text
    held = by_check(HoldsToBound(90, 9, unit="case"))
    assert row(a_statement(), held, by_proof("a", why)).text.endswith("one of them is wrong")
    both = catalogue(claim("a"), claim("b", corrects="a"))
    given = [by_proof("a", why, {"k": 2, "s": 1}), by_proof("b", PROVED, {"k": 2, "s": 1})]
    assert pairs(both, rows(both, given))[0].right == "open"


def test_engines_that_agree_on_some_proofs_alone_are_told_apart() -> None:
    both = {"engines": ["own", "checker"], "no_answer": {}}
    alone = {"engines": ["own"], "no_answer": {"checker": "the time is over"}}
    proofs = [
        by_proof("a", PROVED, {"k": k, "s": 1}, **said)
        for k, said in ((2, both), (4, alone), (6, both))
    ]
    (found,) = rows(catalogue(claim("a")), proofs)
    assert [one.model_dump() for one in found.engines] == [
        {"engines": ("own", "checker"), "proofs": 2, "no_answer": {}},
        {"engines": ("own",), "proofs": 1, "no_answer": {"checker": "the time is over"}},
    ]
    assert found.command == "./choco claims check a --proofs"
