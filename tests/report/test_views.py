"""Documents for programs, and claims on pages, against the ledger."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.api.progress import FIRST_DOCUMENTS
from choco_pipeline.claims.conclusions.conclusion import OUTCOMES, SIGNS, STRONGEST_FIRST
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.report import explored_games
from choco_pipeline.report import task as report_pages
from choco_pipeline.report.claims import claim_views, evidence_rows, formal_lines, pair_views
from choco_pipeline.report.explored_games import fitting
from choco_pipeline.report.exports import csv_text
from choco_pipeline.report.task import write_pages, write_rest
from choco_pipeline.sweep.ledger import Ledger
from tests.report.documents import a_claim, a_ledger, a_row, a_verdict

#: Outcomes that one verdict alone can have.
OF_ONE = ["proved", "exhausted", "holds-to-bound", "vacuous", "undecided", "refuted"]


def unpacked(value):
    """Return the JSON value of a cell of a spreadsheet."""
    return None if pd.isna(value) else json.loads(str(value))


def test_the_documents_agree_with_the_ledger(ledger_file, ledger, tmp_path):
    said: list[dict[str, int]] = []
    html = tmp_path / "report" / "index.html"
    numbers = write_pages(str(ledger_file), str(html), lambda _stage, **n: said.append(n))
    write_rest(str(ledger_file), str(html), None, lambda _stage, **n: said.append(n))
    assert said == [{"documents": 1}] * (FIRST_DOCUMENTS - 1)  # beside the ledger
    assert numbers == {name: len(ledger[name]) for name in ("claims", "verdicts", "tables")}
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    assert {path.stem for path in html.with_name("claims").iterdir()} == claims.keys()

    frame = pd.read_csv(html.with_name("verdicts.csv"), dtype={"table": str})
    for row, verdict in zip(frame.to_dict("records"), ledger["verdicts"], strict=True):
        for key in ("claim", "verdict", "text", "positions"):
            assert row[key] == verdict[key]
        assert unpacked(row["parameters"]) == verdict["parameters"]
        shown = verdict["counterexample"] or {"position": None}
        assert unpacked(row["counterexample"]) == shown["position"]
        assert not shown["position"] or row["found"] == shown["found"]

    frame = pd.read_csv(html.with_name("ledger.csv"))
    for record, row in zip(frame.to_dict("records"), ledger["rows"], strict=True):
        claim = claims[row["claim"]]
        for key in ("claim", "verdict", "text", "checks", "positions", "seconds", "command"):
            assert record[key] == row[key]
        assert (record["number"], record["words"]) == (claim["number"], claim["words"])
        assert record["paper"] == claim["paper"]["key"]
        assert unpacked(record["counts"]) == row["counts"]
        assert unpacked(record["decided"]) == row["decided"]

    document = json.loads(html.with_name("report.json").read_text(encoding="utf-8"))
    assert {name: document[name] for name in ledger} == ledger
    summary = document["summary"]
    assert summary["tables"] == len(ledger["tables"])
    assert summary["positions"] == sum(table["positions"] for table in ledger["tables"])
    assert summary["checks"] == len(ledger["verdicts"])
    kinds = {"conjecture": "conjectures", "question": "question", "ours": "ours"}
    groups: dict[str, Counter[str]] = {kind: Counter() for kind in (*kinds.values(), "others")}
    for row in ledger["rows"]:
        groups[kinds.get(claims[row["claim"]]["status"], "others")][row["verdict"]] += 1
    assert {kind: one["verdicts"] for kind, one in summary["claims"].items()} == groups


@given(st.sampled_from(OUTCOMES), st.lists(st.sampled_from(OF_ONE), max_size=30))
def test_a_claim_is_what_its_row_says(verdict, kinds):
    verdicts = [a_verdict(kind, {"k": k}) for k, kind in enumerate(kinds)]
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [a_row(verdicts, verdict=verdict)]))
    assert view.verdict == verdict
    assert [cell.label for cell in view.cells] == [f"k = {k}" for k in range(len(kinds))]
    told = [view.decisive, *view.detailed] if view.decisive else view.detailed
    assert {cell.anchor for cell in [*told, *view.plain]} == {cell.anchor for cell in view.cells}
    assert len([*told, *view.plain]) == len(view.cells)
    assert all(cell.verdict != "refuted" for cell in view.plain)


def test_only_a_proof_is_called_one():
    named = [verdict for verdict in STRONGEST_FIRST if "proved" in SIGNS[verdict][1]]
    assert named == ["proved", "proved-for-listed"]
    assert len({symbol for symbol, _ in SIGNS.values()}) == len(OUTCOMES)


@pytest.mark.full
@given(k=st.sets(st.integers(0, 9), min_size=3), s=st.sets(st.integers(0, 9), min_size=3))
def test_two_parameters_are_laid_out_as_a_grid(k, s):
    verdicts = [a_verdict("proved", {"k": a, "s": b}) for a in k for b in s]
    (view,) = claim_views(a_ledger([a_claim()], verdicts, [a_row(verdicts)]))
    grid = view.grid
    assert grid is not None
    assert (grid.down, grid.across, grid.columns) == ("k", "s", sorted(s))
    for row, cells in grid.rows:
        for column, cell in zip(grid.columns, cells, strict=True):
            assert cell is not None
            assert cell.document.parameters == {"k": row, "s": column}


@given(
    kind=st.sampled_from(["misprint", "disagreement"]),
    right=st.sampled_from(["intended", "printed", "neither", "both", "open"]),
    refuted=st.sampled_from([0, 1]),
)
def test_a_pair_shows_which_one_stands_and_the_deciding_counterexample(kind, right, refuted):
    claims = [a_claim("one", ruleset="nim(1)"), a_claim("two", ruleset="nim(2)")]
    kinds = ["exhausted", "exhausted"]
    kinds[refuted] = "refuted"
    verdicts = [
        a_verdict(of, {}, claim=claim["id"], position=[7])
        for of, claim in zip(kinds, claims, strict=True)
    ]
    decided = {"table": None, "parameters": {}, "coordinates": ["x"], "position": [7]}
    pair = {"kind": kind, "printed": "one", "intended": "two", "right": right, "text": "A sentence."}  # fmt: skip
    pair["decided"] = decided
    ledger = a_ledger(claims, verdicts, [a_row([verdict]) for verdict in verdicts], [pair])
    views = claim_views(ledger)
    (view,) = pair_views(ledger, views)
    assert [side.view.claim.id for side in view.sides] == ["one", "two"]
    assert [side.stands for side in view.sides] == [right == "printed", right == "intended"]
    assert ("stands" in view.outcome) == (right in ("intended", "printed", "neither"))
    assert [side.formal for side in view.sides] == [
        [("ruleset", "nim(1)"), ("checked as", "P")],
        [("ruleset", "nim(2)"), ("checked as", "P")],
    ]
    assert view.cell is not None
    assert (view.cell.place, view.cell.anchor) == ("x = 7", f"{claims[refuted]['id']}-1")


def test_bounds_of_a_statement_are_told_parameter_by_parameter(monkeypatch):
    claim = a_claim(ruleset="solid-bar(f=(x+z)//k)")
    table = {"id": "t", "ruleset": "solid-bar(f=(x+z)//4)", "bound": 9, "quantity": "p-positions"}
    table |= dict.fromkeys(("positions", "bytes", "seconds", "seconds_to_store"), 9)
    table |= {"shard": "s", "digest": "d"}
    case, false_at = {"k": 4, "a": 1, "m": 0}, {"false_at": [5, 3, 8]}
    at = {"position": [1, 0, 3], "coordinates": ["x", "y", "z"]}
    verdicts = [
        a_verdict(kind, case, table="t", evidence={"reach": 7, **evidence}, **more)
        for kind, evidence, more in (
            ("exhausted", {"true_up_to": 7, "best_possible": True, **false_at}, {}),
            ("exhausted", {"true_up_to": 40, "best_possible": False}, {}),
            ("refuted", {"true_up_to": 2, "best_possible": False, **false_at}, at),
            ("holds-to-bound", {}, {}),
        )
    ]
    ledger = a_ledger([claim], verdicts, [a_row(verdicts)], tables=[table])
    (view,) = claim_views(ledger)
    assert view.plain == [view.cells[3]]
    assert all(cell.evidence == [] for cell in view.cells)
    monkeypatch.setattr(explored_games, "explored_families", lambda *_: [])
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
    assert all(p in checked_as[1] for p in ("x from 0 to N, y from 1 to x", "z from 0 to y", "y+1"))
    plug_in = {"kind": "sections", "bound": 6, "all": {"n": "1..N"}, "let": {"s": "n-1"}}
    plug_in |= {"order": "n", "pieces": "6**n"}
    claim = a_claim(ruleset=None, statement=None, check=plug_in)
    lines = dict(formal_lines(LedgerClaim.model_validate(claim)))
    expected = {"where": "s = n−1", "for all": "n from 1 to N", "N": "6", "checked as": "P"}
    assert lines == expected


def test_no_text_of_a_csv_file_is_a_formula_and_numbers_are_as_they_were():
    texts = ["=1+1", "+1", "-1", "@sum", "\tx", "\rx", "'=1", "'", "x=1", "", "–1"]
    columns = {"text": texts, "mixed": [-1, "-1", None] + [2] * 8, "number": range(-5, 6)}
    written = csv_text(pd.DataFrame(columns))
    cells = pd.read_csv(io.StringIO(written), dtype={"text": str}, keep_default_na=False)
    assert [cell.removeprefix("'") for cell in cells["text"]] == texts
    assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in cells["text"])
    assert cells["number"].tolist() == list(range(-5, 6))
    assert cells["mixed"].tolist()[:3] == ["-1", "'-1", ""]


def test_evidence_has_links_to_premises_and_their_premises():
    first = {"premises": [{"claim": "a-1", "for_all": "all k > 0", "follows_from": None}]}
    step = {"says": "A ⇒ B", "for": "p = 1", "engines": ["own", "checker"], "states": 66}
    derivation = {
        "premises": [{"claim": "b-2", "for_all": "all k > 1", "follows_from": first}],
        "lemmas": ["a free heap"],
        "hypotheses": [],
        "known": "x ⊕ y = 0",
        "steps": [step, step],
    }
    rows = dict(evidence_rows({"follows_from": derivation}))
    assert rows["follows from"] == [
        '<a href="b-2.html">b-2</a>, proved for all k &gt; 1',
        '<a href="a-1.html">a-1</a>, proved for all k &gt; 0',
    ]
    assert "where" not in rows
    assert rows["from which it follows"].rows == [["A ⇒ B (p = 1)", "ours and the checker", 66]]
    every = {"parameters": ["k"], "condition": "k%4 == 1", "where": "x <= k+1 and z <= k+1"}
    every |= {"positions": ["x = 4m"], "engines": ["z3", "cvc5"]}
    of, positions, engines = (value for _, value in evidence_rows({"every_member": every}))
    assert of == "all k with k ≡ 1 (mod 4), on positions with x, z ≤ k+1"
    assert (positions, engines) == (["x = 4m"], "z3 and cvc5")


@pytest.mark.parametrize(
    ("most", "families", "chosen"),
    [
        (34_000, [(8, 10_000), (24, 100)], {"0": [1, 4, 6], "1": [*range(24)]}),
        (34_000, [(24, 100), (8, 10_000)], {"0": [*range(24)], "1": [1, 4, 6]}),
        (5_000, [(1, 10_000), (2, 10)], {"1": [0, 1]}),  # no table of the first fits
        (41_000, [(8, 10_000), (8, 10_000)], {"0": [2, 6], "1": [2, 6]}),
    ],
)
def test_every_family_has_its_share_of_the_page_to_explore(monkeypatch, most, families, chosen):
    tables = {
        (str(i), ()): [{"n": n, "data": "x" * characters} for n in range(number)]
        for i, (number, characters) in enumerate(families)
    }
    monkeypatch.setattr(explored_games, "MOST_CHARACTERS", most)
    assert {name: [t["n"] for t in kept] for (name, _), kept in fitting(tables).items()} == chosen


def test_stages_are_as_long_as_the_ledger_says_and_their_longest_parts_are_named(ledger_file):
    ledger = Ledger.read(ledger_file)
    times = report_pages.run_times(ledger)
    assert {time.what: time.seconds for time in times if time.is_stage} == dict(ledger.seconds)
    longest = max(ledger.seconds.values())
    assert all(t.percent == pytest.approx(100 * t.seconds / longest, abs=0.06) for t in times)
    start = next(i for i, time in enumerate(times) if time.what == "checks") + 1
    named = times[start : start + report_pages.MOST_NAMED]
    assert not any(time.is_stage for time in named)
    checked: Counter[str] = Counter()
    for verdict in ledger.verdicts:
        checked[verdict.claim] += verdict.seconds
    assert named[0].seconds >= max(checked.values()) > 0
    idle = ledger.model_copy(update={"seconds": dict.fromkeys(ledger.seconds, 0.0)})
    assert report_pages.run_times(idle) == []
