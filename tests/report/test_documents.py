"""report.json and verdicts.csv say what the ledger says, and a claim comes to its worst verdict."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.report.task import write_report
from choco_pipeline.report.verdicts import SIGNS, claim_views

#: From best to worst, written down apart from the code.
RANKS = {"proved": 0, "exhausted": 1, "holds-to-bound": 2, "undecided": 3, "refuted": 4}


def test_the_three_documents_agree_with_the_ledger(
    ledger_file: Path, ledger: dict[str, Any], tmp_path: Path
):
    said: list[tuple[str, dict[str, int]]] = []
    numbers = write_report(
        str(ledger_file),
        str(tmp_path / "report" / "index.html"),
        lambda stage, **n: said.append((stage, n)),
    )
    assert said == [("report", {"documents": 1})] * 3
    assert numbers == {name: len(ledger[name]) for name in ("claims", "verdicts", "tables")}
    assert sorted(p.name for p in (tmp_path / "report").iterdir()) == [
        "index.html",
        "report.json",
        "verdicts.csv",
    ]

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

    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert {name: document[name] for name in ledger if name != "claims"} == {
        name: value for name, value in ledger.items() if name != "claims"
    }
    summary = document["summary"]
    assert summary["tables"] == len(ledger["tables"])
    assert summary["positions"] == sum(table["positions"] for table in ledger["tables"])
    status = {claim["id"]: claim["status"] for claim in ledger["claims"]}
    across = {v["claim"] for v in ledger["verdicts"] if v["table"] is None}
    ranks: dict[str, list[int]] = {}
    for verdict in ledger["verdicts"]:
        if verdict["table"] is None or verdict["claim"] not in across:
            ranks.setdefault(verdict["claim"], []).append(RANKS[verdict["verdict"]])
    names = {rank: name for name, rank in RANKS.items()}
    for kind, belongs in (("conjectures", True), ("others", False)):
        chosen = [c for c in ranks if (status[c] in ("conjecture", "question")) == belongs]
        assert summary["claims"][kind]["number"] == len(chosen)
        assert summary["claims"][kind]["verdicts"] == Counter(names[max(ranks[c])] for c in chosen)


@given(kinds=st.lists(st.sampled_from(sorted(RANKS)), min_size=1, max_size=30))
def test_a_claim_is_as_good_as_its_worst_cell(kinds):
    claim = {"id": "c", "status": "conjecture", "paper": {"key": "p"}}
    verdicts = [
        {
            "claim": "c",
            "table": None,
            "parameters": {"k": k},
            "verdict": kind,
            "positions": 1,
            "bound": 9,
            "counterexample": None,
            "evidence": {},
            "text": kind,
        }
        for k, kind in enumerate(kinds)
    ]
    (view,) = claim_views({"run": "r", "claims": [claim], "verdicts": verdicts, "tables": []})
    assert RANKS[view.verdict] == max(RANKS[kind] for kind in kinds)
    assert {v: n for v, _, n in view.counts} == Counter(kinds)
    assert [cell.label for cell in view.cells] == [f"k = {k}" for k in range(len(kinds))]


def test_only_a_proof_is_called_one():
    assert [verdict for verdict, (_, words) in SIGNS.items() if "proved" in words] == ["proved"]
    assert len({symbol for symbol, _ in SIGNS.values()}) == len(SIGNS) == len(RANKS)


@given(k=st.sets(st.integers(0, 9), min_size=3), s=st.sets(st.integers(0, 9), min_size=3))
def test_two_parameters_are_laid_out_as_a_grid(k, s):
    claim = {"id": "c", "status": "theorem", "paper": {"key": "p"}}
    base = {
        "claim": "c",
        "table": None,
        "positions": 1,
        "bound": 9,
        "counterexample": None,
        "evidence": {},
        "text": "",
    }
    verdicts = [{**base, "parameters": {"k": a, "s": b}, "verdict": "proved"} for a in k for b in s]
    (view,) = claim_views({"run": "r", "claims": [claim], "verdicts": verdicts, "tables": []})
    assert view.grid is not None
    assert (view.grid.down, view.grid.across, view.grid.columns) == ("k", "s", sorted(s))
    for row, cells in view.grid.rows:
        for column, cell in zip(view.grid.columns, cells, strict=True):
            assert cell is not None
            assert cell.document["parameters"] == {"k": row, "s": column}
