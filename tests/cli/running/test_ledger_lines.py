"""What is printed at the end of a run, however many claims there are and however long what is said of them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from choco_pipeline.claims.conclusions.conclusion import (
    OUTCOMES,
    SIGNS,
    Conclusion,
    EngineAgreement,
    Outcome,
)
from choco_pipeline.claims.conclusions.rows import engines_text
from choco_pipeline.cli.output import WIDTH
from choco_pipeline.cli.running.ledger_lines import (
    MOST_NEW,
    MOST_OPEN,
    MOST_OTHERS,
    OPEN,
    count_verdicts,
    show_results,
    show_summary,
)
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.mining.table_findings import Evidence, Tried
from choco_pipeline.sweep.ledger import Ledger
from tests.report.documents import a_claim, whole

ENGINES = ([], [{"engines": ["own", "checker"], "proofs": 2, "no_answer": {}}])
UNPROVED: dict[str, Any] = {"proved_for": "", "for_all": "", "engines": []}
long_words = st.text("abc ⊕=,", max_size=200)


@st.composite
def ledgers(draw: st.DrawFn) -> dict[str, Any]:
    """Draw as much of a ledger as is printed."""
    claims, rows, verdicts = [], [], []
    for i in range(draw(st.integers(0, 12))):
        key = draw(st.sampled_from(["first", "second"]))
        status = draw(st.sampled_from(["theorem", "conjecture", "question", "figure", "ours"]))
        paper = {"key": key, "title": draw(long_words) or "T"}
        claims.append({"id": f"{i}", "paper": paper, "number": f"N{i} {draw(long_words)}"})
        claims[-1]["status"] = status
        verdict = draw(st.sampled_from(list(SIGNS)))
        place = {"coordinates": ["x", "y"], "position": [draw(st.integers(0, 10**6)), 0]}
        decided = {"table": None, "parameters": {"k": 5}, **place}
        rows.append(
            {
                "claim": f"{i}",
                "verdict": verdict,
                "text": draw(long_words),
                "checks": 0 if verdict == "unchecked" else 3,
                "counts": {} if verdict == "unchecked" else {verdict: 2, "undecided": 1},
                "parameters": draw(long_words),
                "proved_for": draw(long_words),
                "for_all": draw(st.just("") | long_words),
                "engines": draw(st.sampled_from(ENGINES)),
                "bound": draw(st.none() | st.just([4, 10**9])),
                "positions": draw(st.integers(0, 10**15)),
                "seconds": draw(st.floats(0, 10**5)),
                "decided": decided if verdict == "refuted" else None,
            }
        )
        if verdict == "undecided":
            verdicts.append({"claim": f"{i}", "verdict": verdict, "why": draw(long_words)})
            verdicts[-1]["evidence"] = {}
    some = st.sampled_from([claim["id"] for claim in claims]) if claims else st.nothing()
    pair = st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["misprint", "disagreement"]),
            "printed": some,
            "intended": some,
            "right": st.sampled_from(["intended", "printed", "neither", "both", "open"]),
            "decided": st.sampled_from([row["decided"] for row in rows] or [None]),
        }
    )
    pairs = draw(st.lists(pair, max_size=3)) if claims else []
    return {"claims": claims, "rows": rows, "pairs": pairs, "verdicts": verdicts}


def completed(ledger: dict[str, Any]) -> Ledger:
    """Return a ledger with what is printed of it, and the rest of claims, rows and verdicts."""
    plain, said = a_claim(), {"table": None, "parameters": {}, "text": "", "seconds": 0}
    papers = [{**plain["paper"], **claim["paper"]} for claim in ledger["claims"]]
    return whole(
        {
            "claims": [
                {**plain, **claim, "paper": paper}
                for claim, paper in zip(ledger["claims"], papers, strict=True)
            ],
            "rows": [
                {"follows_from": "", "check": "", "command": "", **row} for row in ledger["rows"]
            ],
            "verdicts": [{**said, **verdict} for verdict in ledger["verdicts"]],
            "pairs": [{"text": "", **pair} for pair in ledger["pairs"]],
        }
    )


def printed(
    ledger: dict[str, Any], found: Sequence[FoundStatement] = (), **console: Any
) -> list[str]:
    file = io.StringIO()
    whole_ledger = completed(ledger).model_copy(update={"config": "my sweep.yaml"})
    show_results(whole_ledger, found, Console(file=file, color_system=None, **console))
    return file.getvalue().splitlines()


def summary(
    ledger: dict[str, Any], found: Sequence[FoundStatement] = (), **console: Any
) -> list[str]:
    file = io.StringIO()
    show_summary(completed(ledger), found, Console(file=file, color_system=None, **console))
    return file.getvalue().splitlines()


def letters(text: str) -> str:
    """Return a text without the places where it may be broken into lines."""
    return "".join(text.split())


def told(ledger: dict[str, Any], lines: list[str]) -> list[str]:
    """Return the ids of the claims that have a paragraph, in their order: each begins with a sign and a number of its own."""
    keys = {f"{claim['paper']['key']} N{claim['id']}": claim["id"] for claim in ledger["claims"]}
    signs = {f"  {sign}" for sign, _ in SIGNS.values()}
    starts = [" ".join(line[3:].split()[:2]) for line in lines if line[:3] in signs]
    return [keys[start.rstrip(":")] for start in starts]


@given(ledgers(), st.sampled_from([None, 60, 80, 120, 300]))
def test_all_is_told_most_important_first_and_nothing_is_cut(
    ledger: dict[str, Any], terminal: int | None
) -> None:
    on = {} if terminal is None else {"force_terminal": True, "width": terminal}
    lines = printed(ledger, **on)
    assert all(len(line) <= min(WIDTH, terminal or WIDTH) for line in lines)
    row_of = {row["claim"]: row for row in ledger["rows"]}
    misprinted = {pair["printed"] for pair in ledger["pairs"] if pair["kind"] == "misprint"}
    is_open = [one["id"] for one in ledger["claims"] if one["status"] in OPEN]
    others = [
        one["id"]
        for one in ledger["claims"]
        if one["id"] not in is_open and one["id"] not in misprinted
    ]
    refuted = [one for one in others if row_of[one]["verdict"] == "refuted"]
    rest = [one for one in others if one not in refuted]
    rest.sort(key=lambda one: OUTCOMES.index(row_of[one]["verdict"]))
    rest.sort(key=lambda one: row_of[one]["verdict"] == "unchecked")
    expected = [*is_open, *refuted, *rest[:MOST_OTHERS]]
    assert told(ledger, lines) == expected
    said = letters("\n".join(lines))
    for one in expected:
        engines = engines_text([EngineAgreement.model_validate(e) for e in row_of[one]["engines"]])
        words = f"{row_of[one]['text']}{f'; engines: {engines}' if engines else ''}"
        assert letters(f": {words}") in said
    hidden = len(rest) - MOST_OTHERS
    every = letters(f"and {hidden} others; ./choco claims list --config 'my sweep.yaml' names all")
    assert (every in said) == (hidden > 0)
    titles = {("misprint", "As printed and as intended"), ("disagreement", "Where claims disagree")}
    for kind, title in titles:
        assert (title in lines) == any(pair["kind"] == kind for pair in ledger["pairs"])


def statement(outcome: Outcome, number: int, known: tuple[str, ...] = ()) -> FoundStatement:
    said = f"the Grundy number of {number} is right"
    conclusion = Conclusion(outcome, f"what is known of {number}")
    return FoundStatement(
        search="formulas",
        ruleset="nim(2)",
        words=said,
        found_on=Evidence(1, "a"),
        held_on=Evidence(1, "b"),
        tried=Tried(1, "c"),
        conclusion=conclusion,
        known=known,
    )


def test_what_is_new_is_told_the_strongest_first() -> None:
    found = [statement(outcome, n) for n, outcome in enumerate(OUTCOMES)]
    found.append(statement("proved", 100, ("a-thm-1",)))
    lines = printed({"claims": [], "rows": [], "pairs": [], "verdicts": []}, found)
    assert lines[0] == "New statements"
    told = [line for line in lines[1:] if line[:2] == "  " and line[2] != " "]
    right = [one for one in found[:-1] if one.verdict != "refuted"]
    assert len(told) == len(right) <= MOST_NEW
    assert told[0] == f"  ∎ {right[-1].text}: {right[-1].conclusion.text}"
    assert not any("100" in line or "refuted" in line for line in lines)
    many = [statement("holds-to-bound", n) for n in range(MOST_NEW + 3)]
    lines = printed({"claims": [], "rows": [], "pairs": [], "verdicts": []}, many)
    assert lines[-1] == "  and 3 more, on the report's page of found statements"


@given(ledgers(), st.integers(0, 12), st.sampled_from([None, 60, 80, 300]))
def test_a_summary_is_short(ledger: dict[str, Any], new: int, terminal: int | None) -> None:
    on = {} if terminal is None else {"force_terminal": True, "width": terminal}
    found = [statement(OUTCOMES[n % len(OUTCOMES)], n) for n in range(new)]
    lines = summary(ledger, found, **on)
    assert len(lines) <= 22 or terminal == 60
    assert all(len(line) <= min(WIDTH, terminal or WIDTH) for line in lines)
    is_open = [one["id"] for one in ledger["claims"] if one["status"] in OPEN]
    verdicts = {row["claim"]: row["verdict"] for row in ledger["rows"]}
    rest = [one for one in is_open if verdicts[one] not in ("proved", "exhausted")]
    shown = [line for line in lines if line.split()[1:2] and line.split()[1] in ("first", "second")]
    assert len(shown) == min(len(rest), MOST_OPEN)
    assert (f"  + {len(rest) - MOST_OPEN} more" in lines) == (len(rest) > MOST_OPEN)
    refuted = sum(verdicts[one] == "refuted" for one in rest)
    assert all(line.startswith("  ✗") for line in shown[:refuted])


def test_a_summary_counts_and_names_what_matters() -> None:
    def row(number: int, status: str, verdict: str, for_all: str = "") -> tuple[Any, Any]:
        paper = {"key": "a", "title": "T"}
        claim = {"id": f"a-{number}", "paper": paper, "number": f"N{number}", "status": status}
        said = {"claim": claim["id"], "verdict": verdict, "text": "word " * 40, "checks": 1}
        said |= {"counts": {verdict: 1}, "parameters": "", "bound": None, "positions": 0}
        return claim, said | {"seconds": 0, "decided": None, **UNPROVED, "for_all": for_all}

    rows = [
        row(1, "conjecture", "proved", "all k"),
        row(2, "conjecture", "holds-to-bound"),
        row(3, "conjecture", "refuted"),
        row(4, "question", "proved", "all k"),
        row(5, "theorem", "proved", "all k"),
        row(6, "theorem", "refuted"),
    ]
    pair = {"kind": "disagreement", "printed": "a-6", "intended": "a-5", "right": "intended"}
    claims, said = (list(part) for part in zip(*rows, strict=True))
    ledger = {"claims": claims, "rows": said, "verdicts": [], "pairs": [pair | {"decided": None}]}
    found = [statement("proved", n) for n in range(5)] + [statement("holds-to-bound", 9)]
    lines = summary(ledger, found)
    conjectures, questions = lines[0].split(". ")
    assert conjectures.startswith("Conjectures: 1 proved, 1 holding to the bound, 1 refuted")
    assert questions == "Questions: 1 yes, in our formal reading."
    assert [line[:7] for line in lines[1:3]] == ["  ✗ a N", "  ◐ a N"]
    assert all(line.endswith(" …") for line in lines[1:3])
    assert lines[3] == (
        "Proved for all parameters: 3 claims, 2 of them conjectures or questions;"
        " for all positions: 0 games"
    )
    assert lines[4] == "New and proved: 5"
    assert lines[7].endswith(" (+ 2 more: found.html)")
    assert lines[8] == "New and open: 1"
    assert lines[10] == "Papers disagree: a N5 and a N6"
    assert lines[-1] == "every claim: ./choco claims list --config c.yaml"


@given(ledgers())
def test_the_last_line_counts(ledger: dict[str, Any]) -> None:
    groups = count_verdicts(completed(ledger))
    status = {claim["id"]: claim["status"] for claim in ledger["claims"]}
    assert sum(sum(counts.values()) for counts in groups.values()) == len(ledger["claims"])
    for group, counts in groups.items():
        of = {group} if group in ("question", "ours") else {"theorem", "conjecture", "figure"}
        for verdict, number in counts.items():
            rows = [row for row in ledger["rows"] if row["verdict"] == verdict]
            assert number == sum(status[row["claim"]] in of for row in rows)
    lines = printed(ledger)
    if "claims" in groups:
        number = sum(groups["claims"].values())
        assert any(line.startswith(f"{number} claim") for line in lines)
    assert groups or lines == []


@pytest.mark.parametrize(
    ("verdict", "evidence", "is_named"),
    [("undecided", {}, True), ("exhausted", {}, False), ("exhausted", {"key": "let.t"}, True)],
)
def test_why_nothing_is_said(verdict: str, evidence: dict[str, Any], is_named: bool) -> None:
    paper = {"key": "a", "title": "T"}
    claim = {"id": "a-1", "paper": paper, "number": "Lemma 1", "status": "lemma"}
    counts = {"undecided": 1} | ({} if verdict == "undecided" else {verdict: 1})
    row = {"claim": "a-1", "verdict": verdict, "text": "", "checks": 2, "counts": counts}
    row |= {"parameters": "", "bound": None, "positions": 0, "seconds": 0, "decided": None}
    row |= UNPROVED
    silent = {"claim": "a-1", "verdict": "undecided", "why": "claims.yaml:8:9: let.t"}
    verdicts = [{**silent, "evidence": evidence}]
    lines = printed({"claims": [claim], "rows": [row], "pairs": [], "verdicts": verdicts})
    assert ("  a Lemma 1: claims.yaml:8:9: let.t" in lines) == is_named
