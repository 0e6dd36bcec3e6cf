"""Verdicts on all parameters at once: what a row says of them, and what contradicts them."""

from __future__ import annotations

from typing import Any

import pytest

from choco_pipeline.claims.conclusions.conclusion import EngineAgreement
from choco_pipeline.claims.conclusions.rows import few_words, require_agreement
from choco_pipeline.claims.language.verdict import (
    AllParameters,
    ClaimVerdict,
    Counterexample,
    Finding,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
)
from choco_pipeline.errors import DisagreementError
from tests.claims.conclusions.test_rows import catalogue, claim, row
from tests.claims.language.test_mistakes import refusal

ALL = "k % 4 == 1"
P = "P <=> x ^ y ^ z == 0"
WORDS = "all k with k ≡ 1 (mod 4)"
FALSE = Refuted(Counterexample("an N-position", "a P-position", (3, 0, 0), ("x", "y", "z")), 9)


def a_claim(**more):
    said: dict[str, Any] = {"ruleset": "solid-bar(f=(x+z)//k)", "when": ALL, "for_all": ALL}
    said["statement"] = P
    return claim("a", **{**said, **more})


def document(outcome, k=None, *, table=False):
    given, finding = {} if k is None else {"k": k}, Finding(outcome)
    if table:
        return ClaimVerdict.of("a", given, finding, 1.0, table="t")
    return ClaimVerdict.of("a", given, finding, 1.0, certificate="c.json")


def for_all(outcome, where=""):
    of = AllParameters(parameters=("k",), condition="k%4 == 1", where=where)
    finding = Finding(outcome, {"engines": ["z3", "cvc5"]})
    return ClaimVerdict.of("a", {}, finding, 1.0, for_all=of, certificate="c.json")


def test_proved_for_all_names_them():
    found = row(a_claim(), for_all(Proved("f.json")), document(HoldsToBound(9, 5), 5, table=True))
    assert (found.verdict, found.proved_for, found.for_all) == ("proved", WORDS, WORDS)
    assert found.text == f"proved for {WORDS}"
    assert few_words(found) == f"proved for {WORDS}"
    agreed = EngineAgreement(engines=("z3", "cvc5"), proofs=1, no_answer={})
    assert found.engines == (agreed,)
    command = "./choco prove 'solid-bar(f=(x+z)//k)' 'P <=> x ^ y ^ z == 0' --for 'k%4 == 1'"
    assert found.command == command
    assert row(a_claim(), for_all(Proved("f.json"))).verdict == "proved"


def test_a_bound_is_in_every_line():
    bounded = for_all(Proved("f.json"), "x <= k//2 and y <= k//2 and z <= k//2")
    found = row(a_claim(statement=f"size <= k//2 => ({P})"), bounded)
    domain = f"{WORDS}, on positions with x, y, z ≤ ⌊k/2⌋"
    lines = (found.text, few_words(found), f"proved for {found.proved_for}")
    assert set(lines) == {f"proved for {domain}"}


@pytest.mark.parametrize(
    "domain",
    [
        {"when": "k % 2 == 1"},
        {"when": None},
        {"some": {"t": "0..k"}, "when": ALL},
        {"some": {"t": "0..k"}, "when": f"t == 0 and {ALL}"},
    ],
)
def test_a_claim_that_speaks_of_more_is_not_proved(domain):
    wider = a_claim(**domain)
    found = row(wider, for_all(Proved("f.json")))
    assert (found.verdict, found.proved_for) == ("proved-for-listed", WORDS)
    held = document(HoldsToBound(9, 5), 3, table=True)
    assert row(wider, for_all(Proved("f.json")), held).verdict == "holds-to-bound"
    found = row(wider, for_all(Proved("f.json")), document(Proved("c.json"), 3))
    assert found.proved_for == f"{WORDS}, and for k = 3"


def test_undecided_leaves_the_row_and_says_where_it_stood():
    open_ = for_all(Undecided("case 1 of 2"))
    held = document(HoldsToBound(9, 5), 5, table=True)
    without, found = row(a_claim(), held), row(a_claim(), held, open_)
    assert found == without.model_copy(update={"text": found.text})
    assert found.text.endswith("case 1 of 2")
    assert row(a_claim(), open_).verdict == "unchecked"
    one = document(Proved("c.json"), 5)
    assert row(a_claim(), one, open_).verdict == "proved-for-listed"


@pytest.mark.parametrize(
    "verdicts",
    [
        [for_all(Proved("f.json")), document(FALSE, 5, table=True)],
        [for_all(Proved("f.json")), document(FALSE, 5)],
        [document(FALSE, 5), document(Proved("c.json"), 5)],
        [document(FALSE, 5), document(HoldsToBound(9, 3), 5, table=True)],
    ],
)
def test_judges_that_contradict_each_other_end_the_run(verdicts):
    with pytest.raises(DisagreementError, match="a: refuted at"):
        require_agreement(catalogue(a_claim(when=None)), verdicts)


@pytest.mark.parametrize(
    "verdicts",
    [
        [for_all(Proved("f.json")), document(FALSE, 3, table=True)],
        [for_all(Undecided("")), document(FALSE, 5, table=True)],
        [document(FALSE, 5), document(Proved("c.json"), 9)],
        [document(FALSE, 5), document(HoldsToBound(9, 2), 5, table=True)],
    ],
)
def test_others_do_not(verdicts):
    require_agreement(catalogue(a_claim(when=None)), verdicts)
    assert row(a_claim(when=None), *verdicts).verdict == "refuted"


@pytest.mark.parametrize(
    ("more", "statement"),
    [
        ("", "P => x ^ y ^ z == 0"),
        ("", "x == 0 => no option: x' == 1"),
        ("", f"let h = k: {P}"),
        ("when: k % 8 == 1", P),
        ("follows_from: {claims: [drawn-0]}", f"size <= 9 => ({P})"),
    ],
)
def test_what_cannot_be_decided_for_all_is_refused(tmp_path, more, statement):
    keys = f"ruleset: solid-bar(f=(x+z)//k)\nfor_all: {ALL}\nstatement: '{statement}'\n{more}"
    found = refusal(tmp_path, keys.replace("x' ", "x'' "))
    assert any("for_all" in line or "follows_from" in line for line in found), found
