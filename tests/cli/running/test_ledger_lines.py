"""What is printed at the end of a run, however many claims there are and however long what is said of them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from choco_pipeline.claims.conclusions.outcomes import SIGNS
from choco_pipeline.cli.running.ledger_lines import WIDTH, count_verdicts, show_ledger
from choco_pipeline.sweep.run_ledger import Ledger
from tests.report.documents import a_claim, whole

ENGINES = ([], [{"engines": ["own", "mona", "checker"], "proofs": 2, "no_answer": {}}])
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
            "rows": [{"follows_from": "", "command": "", **row} for row in ledger["rows"]],
            "verdicts": [{**said, **verdict} for verdict in ledger["verdicts"]],
            "pairs": [{"text": "", **pair} for pair in ledger["pairs"]],
        }
    )


def printed(ledger: dict[str, Any], **console: Any) -> list[str]:
    file = io.StringIO()
    show_ledger(completed(ledger), Console(file=file, color_system=None, **console))
    return file.getvalue().splitlines()


@given(ledgers(), st.sampled_from([None, 60, 80, 120, 300]))
def test_a_line_for_each_claim_none_too_long(ledger: dict[str, Any], terminal: int | None) -> None:
    on = {} if terminal is None else {"force_terminal": True, "width": terminal}
    lines = printed(ledger, **on)
    assert all(len(line) <= min(WIDTH, terminal or WIDTH) for line in lines)
    rows = [line for line in lines if line[:3] in {f"  {sign}" for sign, _ in SIGNS.values()}]
    expected = []
    for key in dict.fromkeys(claim["paper"]["key"] for claim in ledger["claims"]):
        of_paper = [claim for claim in ledger["claims"] if claim["paper"]["key"] == key]
        expected += [c["id"] for c in of_paper if c["status"] == "conjecture"]
        expected += [c["id"] for c in of_paper if c["status"] in ("theorem", "figure")]
        expected += [c["id"] for c in of_paper if c["status"] in ("question", "ours")]
    assert [line[5:].split()[0] for line in rows] == [f"N{i}" for i in expected]
    verdict_of = {row["claim"]: row["verdict"] for row in ledger["rows"]}
    assert [line[2] for line in rows] == [SIGNS[verdict_of[i]][0] for i in expected]
    titles = {
        ("misprint", "As printed and as intended"),
        ("disagreement", "Where claims disagree"),
    }
    for kind, title in titles:
        assert (title in lines) == any(pair["kind"] == kind for pair in ledger["pairs"])


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
        assert any(line.startswith(f"{number} claim") for line in lines[-len(groups) :])
    assert groups or lines == []


@pytest.mark.parametrize(
    ("right", "said"),
    [
        (
            "intended",
            "the first is refuted at (x, y) = (4, 6) for k = 5, the second is not",
        ),
        (
            "printed",
            "the second is refuted at (x, y) = (4, 6) for k = 5, the first is not",
        ),
        ("neither", "both are refuted, the first at (x, y) = (4, 6) for k = 5"),
        ("both", "neither is refuted so far"),
        ("open", "open: one of them is unchecked, undecided or vacuous"),
    ],
)
def test_a_pair(right: str, said: str) -> None:
    claims = [
        {"id": i, "paper": {"key": i, "title": "T"}, "number": f"Conjecture {i}", "status": "lemma"}
        for i in "ab"
    ]
    decided = {"table": None, "parameters": {"k": 5}, "coordinates": ["x", "y"], "position": [4, 6]}
    pair = {"kind": "disagreement", "printed": "a", "intended": "b"}
    pairs = [{**pair, "right": right, "decided": decided}]
    row = {"verdict": "unchecked", "text": "", "checks": 0, "counts": {}, "parameters": ""}
    row |= {"bound": None, "positions": 0, "seconds": 0, "decided": None, **UNPROVED}
    rows = [{**row, "claim": i} for i in "ab"]
    lines = printed({"claims": claims, "rows": rows, "pairs": pairs, "verdicts": []})
    assert f"  a Conjecture a and b Conjecture b: {said}" in lines


def test_claims_of_one_number_are_told_apart() -> None:
    row = {"verdict": "unchecked", "text": "", "checks": 0, "counts": {}, "parameters": ""}
    row |= {"bound": None, "positions": 0, "seconds": 0, "decided": None, **UNPROVED}
    ids = ["a-prop-1-columns", "a-prop-1-rows", "a-prop-1", "a-lemma-2", "a-lemma-2-printed"]
    claims = [
        {
            "id": i,
            "paper": {"key": "a", "title": "T"},
            "number": "Lemma 2" if "lemma" in i else "Proposition 1",
            "status": "lemma",
        }
        for i in ids
    ]
    pair = {"kind": "misprint", "printed": ids[4], "intended": ids[3], "right": "open"}
    ledger = {"claims": claims, "rows": [{**row, "claim": i} for i in ids], "verdicts": []}
    lines = printed({**ledger, "pairs": [{**pair, "decided": None}]})
    assert [line[5:].split("  ")[0] for line in lines[1:6]] == [
        "Proposition 1 (columns)",
        "Proposition 1 (rows)",
        "Proposition 1",
        "Lemma 2 (intended)",
        "Lemma 2 (printed)",
    ]


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


def test_engines_are_those_that_agree_on_all_proofs() -> None:
    claim = {"id": "a-1", "paper": {"key": "a", "title": "T"}, "number": "L", "status": "lemma"}
    row = {"claim": "a-1", "verdict": "proved-for-listed", "text": "", "checks": 3, "bound": None}
    row |= {"counts": {"proved": 3}, "parameters": "k = 2, 3", "positions": 0, "seconds": 0}
    both = {"engines": ["own", "mona"], "proofs": 2, "no_answer": {}}
    alone = {"engines": ["own"], "proofs": 1, "no_answer": {"mona": "the time is over"}}
    row |= {"decided": None, "proved_for": "k = 2", "for_all": ""}
    for engines, said in (([both], "own+mona"), ([both, alone], "own")):
        ledger = {"claims": [claim], "rows": [{**row, "engines": engines}], "pairs": []}
        line = printed({**ledger, "verdicts": []})[1]
        assert line.split() == ["◧", "L", "proved", "for", "k", "=", "2", said, "0", "0", "s"]
