"""report.json and the CSV files say what the ledger says, and a claim is what its row says."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.conclusions.conclusion import OUTCOMES, SIGNS
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.cli.progress import FIRST_DOCUMENTS
from choco_pipeline.report import pages as report_pages
from choco_pipeline.report.claims import claim_views, formal_lines, pair_views
from choco_pipeline.report.exports import csv_text
from choco_pipeline.report.task import write_report
from tests.report.documents import a_claim, a_ledger, a_row, a_verdict

VERDICTS = [
    "proved",
    "exhausted",
    "holds-to-bound",
    "vacuous",
    "undecided",
    "refuted",
    "proved-for-listed",
    "unchecked",
]
#: Outcomes that one verdict alone can have.
OF_ONE = VERDICTS[:6]


def test_the_three_documents_agree_with_the_ledger(
    ledger_file: Path, ledger: dict[str, Any], tmp_path: Path
):
    said: list[tuple[str, dict[str, int]]] = []
    numbers = write_report(
        str(ledger_file),
        str(tmp_path / "report" / "index.html"),
        lambda stage, **n: said.append((stage, n)),
    )
    assert said == [("report", {"documents": 1})] * (FIRST_DOCUMENTS - 1)  # beside the ledger
    assert numbers == {name: len(ledger[name]) for name in ("claims", "verdicts", "tables")}
    assert sorted(p.name for p in (tmp_path / "report").iterdir()) == [
        "claims",
        "explore.html",
        "findings.html",
        "index.html",
        "ledger.csv",
        "pairs.html",
        "report.json",
        "report.tex",
        "tables.html",
        "verdicts.csv",
    ]
    written = {path.stem for path in (tmp_path / "report" / "claims").iterdir()}
    assert written == {claim["id"] for claim in ledger["claims"]}

    frame = pd.read_csv(tmp_path / "report" / "verdicts.csv", dtype={"table": str})
    assert len(frame) == len(ledger["verdicts"])
    for row, verdict in zip(frame.to_dict("records"), ledger["verdicts"], strict=True):
        assert (row["claim"], row["verdict"], row["text"]) == (
            verdict["claim"],
            verdict["verdict"],
            verdict["text"],
        )
        assert json.loads(str(row["parameters"])) == verdict["parameters"]
        assert row["positions"] == verdict["positions"]
        shown = verdict["counterexample"]
        if shown and shown["position"]:
            assert json.loads(str(row["counterexample"])) == shown["position"]
            assert row["found"] == shown["found"]
        else:
            assert pd.isna(row["counterexample"])

    frame = pd.read_csv(tmp_path / "report" / "ledger.csv")
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    assert list(frame["claim"]) == [row["claim"] for row in ledger["rows"]]
    for record, row in zip(frame.to_dict("records"), ledger["rows"], strict=True):
        claim = claims[row["claim"]]
        for key in ("verdict", "text", "checks", "positions", "seconds", "command"):
            assert record[key] == row[key]
        assert (record["paper"], record["number"], record["words"]) == (
            claim["paper"]["key"],
            claim["number"],
            claim["words"],
        )
        assert json.loads(str(record["counts"])) == row["counts"]
        if row["decided"] is None:
            assert pd.isna(record["decided"])
        else:
            assert json.loads(str(record["decided"])) == row["decided"]

    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert {name: document[name] for name in ledger} == ledger
    summary = document["summary"]
    assert summary["tables"] == len(ledger["tables"])
    assert summary["positions"] == sum(table["positions"] for table in ledger["tables"])
    assert summary["checks"] == len(ledger["verdicts"])
    kinds = {"conjecture": "conjectures", "question": "question", "ours": "ours"}
    for kind in (*kinds.values(), "others"):
        chosen = [
            row["verdict"]
            for row in ledger["rows"]
            if kinds.get(claims[row["claim"]]["status"], "others") == kind
        ]
        assert summary["claims"][kind]["number"] == len(chosen)
        assert summary["claims"][kind]["verdicts"] == Counter(chosen)


@given(st.sampled_from(VERDICTS), st.lists(st.sampled_from(OF_ONE), max_size=30))
def test_a_claim_is_what_its_row_says(verdict, kinds):
    verdicts = [a_verdict(kind, {"k": k}) for k, kind in enumerate(kinds)]
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [a_row(verdicts, verdict=verdict)]))
    assert view.verdict == verdict
    assert view.symbol == SIGNS[verdict][0]
    assert view.row.counts == Counter(kinds)
    assert [cell.label for cell in view.cells] == [f"k = {k}" for k in range(len(kinds))]
    told = [view.decisive, *view.detailed] if view.decisive else view.detailed
    assert sorted(cell.anchor for cell in [*told, *view.plain]) == sorted(
        cell.anchor for cell in view.cells
    )
    assert all(cell.verdict != "refuted" for cell in view.plain)


@pytest.mark.parametrize(
    ("evidence", "is_plain"),
    [
        ({}, True),
        ({"order": 3, "free": "x"}, True),
        ({"values": [1]}, False),
        ({"p": {"1": 2}}, False),
    ],
)
def test_numbers_and_words_need_no_evidence_of_their_own(evidence, is_plain):
    verdicts = [a_verdict("exhausted", {}, evidence=evidence)]
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [a_row(verdicts)]))
    assert view.cells[0].is_plain == is_plain
    assert len(view.plain) == is_plain


def test_the_deciding_counterexample_is_the_one_that_the_row_names():
    verdicts = [a_verdict("refuted", {"k": k}, position=[9 - k]) for k in range(8)]
    row = a_row(verdicts, decided=5)
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [row]))
    assert view.decisive is view.cells[5]
    assert view.cells[5] not in view.detailed
    row["decided"] = None
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [row]))
    assert view.decisive is view.cells[0]


def test_only_a_proof_is_called_one():
    named = {verdict: words for verdict, (_, words) in SIGNS.items() if "proved" in words}
    assert named == {"proved": "proved", "proved-for-listed": "proved for listed parameters"}
    assert tuple(SIGNS) == OUTCOMES
    assert len({symbol for symbol, _ in SIGNS.values()}) == len(SIGNS)


@pytest.mark.full
@given(k=st.sets(st.integers(0, 9), min_size=3), s=st.sets(st.integers(0, 9), min_size=3))
def test_two_parameters_are_laid_out_as_a_grid(k, s):
    verdicts = [a_verdict("proved", {"k": a, "s": b}) for a in k for b in s]
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [a_row(verdicts)]))
    assert view.grid is not None
    assert (view.grid.down, view.grid.across, view.grid.columns) == ("k", "s", sorted(s))
    for row, cells in view.grid.rows:
        for column, cell in zip(view.grid.columns, cells, strict=True):
            assert cell is not None
            assert cell.document.parameters == {"k": row, "s": column}


@given(
    kind=st.sampled_from(["misprint", "disagreement"]),
    right=st.sampled_from(["intended", "printed", "neither", "both", "open"]),
    refuted=st.sampled_from([0, 1]),
)
def test_a_pair_shows_who_stands_and_what_decides(kind, right, refuted):
    claims = [
        a_claim("one", number="Theorem 1"),
        a_claim("two", number="Theorem 2", ruleset="nim(2)"),
    ]
    verdicts = [
        a_verdict("refuted" if i == refuted else "exhausted", {}, claim=claim["id"], position=[7])
        for i, claim in enumerate(claims)
    ]
    rows = [a_row([verdict]) for verdict in verdicts]
    pair = {
        "kind": kind,
        "printed": "one",
        "intended": "two",
        "right": right,
        "text": "A sentence.",
    }
    pair["decided"] = {"table": None, "parameters": {}, "coordinates": ["x"], "position": [7]}
    ledger = a_ledger(claims, verdicts, rows, [pair])
    views = claim_views(ledger)
    other = {"misprint": "disagreement", "disagreement": "misprint"}[kind]
    assert pair_views(ledger, views, other) == []
    (view,) = pair_views(ledger, views, kind)
    assert [side.view.claim.id for side in view.sides] == ["one", "two"]
    assert [side.stands for side in view.sides] == [right == "printed", right == "intended"]
    assert ("stands" in view.outcome) == (right in ("intended", "printed", "neither"))
    assert [side.formal for side in view.sides] == [
        [("ruleset", "nim(1)"), ("checked as", "P")],
        [("ruleset", "nim(2)"), ("checked as", "P")],
    ]
    assert view.cell is not None
    assert view.cell.place == "x = 7"
    assert view.cell.anchor == f"{claims[refuted]['id']}-1"


def test_bounds_of_a_statement_are_told_parameter_by_parameter(monkeypatch):
    claim = a_claim(ruleset="solid-bar(f=(x+z)//k)")
    table = {"id": "t", "ruleset": "solid-bar(f=(x+z)//4)", "bound": 9, "quantity": "p-positions"}
    table |= {"positions": 9, "bytes": 9, "seconds": 1, "shard": "s", "digest": "d"}
    table |= {"seconds_to_store": 1}
    evidence = {"reach": 7, "true_up_to": 7, "best_possible": True, "false_at": [5, 3, 8]}
    beyond = {"reach": 7, "true_up_to": 40, "best_possible": False}
    less = {"reach": 7, "true_up_to": 2, "best_possible": False, "false_at": [5, 3, 8]}
    case = {"k": 4, "a": 1, "m": 0}
    at = {"position": [1, 0, 3], "coordinates": ["x", "y", "z"]}
    verdicts = [
        a_verdict("exhausted", case, table="t", evidence=evidence),
        a_verdict("exhausted", case, table="t", evidence=beyond),
        a_verdict("refuted", case, table="t", evidence=less, **at),
        a_verdict("holds-to-bound", case, table="t"),
    ]
    ledger = a_ledger([claim], verdicts, [a_row(verdicts)], tables=[table])
    (view,) = claim_views(ledger)
    assert view.reach is not None
    assert (view.reach.names, view.reach.coordinates) == (["k", "a", "m"], ("x", "y", "z"))
    assert view.plain == [view.cells[3]]
    assert all(cell.evidence == [] for cell in view.cells)
    monkeypatch.setattr(report_pages, "explored_families", lambda *_: [])
    page = dict(report_pages.pages(ledger, Path(), Path()))["claims/c.html"]
    rows = re.findall(r"<tr.*</tr>", page[page.index("The bound of") :])
    shown = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows[1:4]]
    case_text = ["4", "1", "0 (bound 9)"]  # the bound distinguishes tables of one game
    assert [one[:7] for one in shown] == [
        [*case_text, "7", "7", "false at once", "(5, 3, 8)"],
        [*case_text, "7", "40 or more", "also true", "none in the table"],
        [*case_text, "7", "2", "false before", "(1, 0, 3)"],
    ]


def test_a_statement_on_integers_is_told_whole():
    text = "for x in 0..N, y in 1..x: count(z in 0..y: z <= x) == y + 1"
    claim = a_claim(ruleset=None, statement=text, bound=64)
    claim["formula"] = Claim.from_json(claim["formal"]).summary
    bound, checked_as = formal_lines(LedgerClaim.model_validate(claim))
    assert bound == ("N", "64")
    for part in ("x from 0 to N, y from 1 to x", "z from 0 to y", "y+1"):
        assert part in checked_as[1]
    plug_in = {
        "kind": "sections",
        "bound": 6,
        "all": {"n": "1..N"},
        "let": {"s": "n-1"},
        "order": "n",
        "pieces": "6**n",
    }
    claim = a_claim(ruleset=None, statement=None, check=plug_in)
    assert list(formal_lines(LedgerClaim.model_validate(claim))) == [
        ("where", "s = n−1"),
        ("for all", "n from 1 to N"),
        ("N", "6"),
        ("checked as", "P"),
    ]


def test_no_text_of_a_csv_file_is_a_formula_and_numbers_are_as_they_were():
    texts = ["=1+1", "+1", "-1", "@sum", "\tx", "\rx", "'=1", "'", "x=1", "", "–1"]
    frame = pd.DataFrame(
        {"text": texts, "mixed": [-1, "-1", None] + [2] * 8, "number": range(-5, 6)}
    )
    written = csv_text(frame)
    cells = pd.read_csv(io.StringIO(written), dtype={"text": str}, keep_default_na=False)
    assert [cell.removeprefix("'") for cell in cells["text"]] == texts
    assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in cells["text"])
    assert cells["number"].tolist() == list(range(-5, 6))
    assert cells["mixed"].tolist()[:3] == ["-1", "'-1", ""]


@pytest.mark.parametrize(
    ("counts", "bound", "words"),
    [
        ({"holds-to-bound": 3}, [9, 9], "holds to 9"),
        ({"holds-to-bound": 2, "exhausted": 1}, [9, 1600], "holds to the bounds"),
        ({"holds-to-bound": 1}, [1600, 1600], "holds to 1,600"),
        ({"exhausted": 3}, [9, 9], "holds where checked"),
    ],
)
def test_a_bound_never_reads_as_truth(counts, bound, words):
    row = {**a_row([], verdict="holds-to-bound"), "counts": counts, "bound": bound}
    (view,) = claim_views(a_ledger([a_claim()], [], [row]))
    assert view.words == words
