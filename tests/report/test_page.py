"""The pages of a report: links, escaping, evidence and size."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from choco_pipeline.claims.language.verdict import Proved
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.pictures import draw_svg
from choco_pipeline.report.claims import MOST_DRAWN
from choco_pipeline.report.exports import row_frame, verdict_frame
from choco_pipeline.report.task import write_pages
from tests.claims.verdict_documents import verdict_document
from tests.report.documents import whole
from tests.report.read_pages import Site, as_shown
from tests.report.small_run import HOSTILE

DOWNLOADS = {"ledger.csv", "verdicts.csv", "report.json", "report.tex"}


#: What lies elsewhere: the papers, by DOI or on arXiv.
PAPERS = ("https://doi.org/", "https://arxiv.org/abs/")


@pytest.fixture(scope="module")
def site(finished):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.parents[2])
        return Site(read_record(finished))


@pytest.fixture(scope="module")
def documents(site):
    return {name: site[name] for name in site.html}


@pytest.fixture(scope="module")
def document(documents):
    return documents["index.html"]


@pytest.fixture(scope="module")
def html(site):
    return "".join(site.html.values())


def test_every_link_leads_to_a_place_on_a_page_or_to_a_paper(site, documents):
    away, explored = set(), set()
    for name, one in documents.items():
        for link in one.links:
            if link.startswith(PAPERS):
                away.add(link)
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(Path(name).parent / path) if path else name
            assert target in documents or target in DOWNLOADS, f"{name}: {link}"
            if target == "explore.html" and anchor:
                explored.add(unquote(anchor).partition("@")[0])
                continue
            assert not anchor or anchor in documents[target].ids, f"{name}: {link}"
    assert "solid-bar(f=(x+z)//1)" in explored
    for game in explored:
        assert f'"ruleset":{json.dumps(game)}' in site.html["explore.html"], "a game that is there"
    assert "https://arxiv.org/abs/2205.11884" in away


def test_elements_nest_ids_are_unique_and_nothing_is_fetched(site, documents):
    for name, one in documents.items():
        assert one.open == [], name
        assert [id for id, times in Counter(one.ids).items() if times > 1] == [], name
        assert [address for address in one.addresses if not address.startswith("data:")] == []
        assert "default-src 'none'" in site.html[name]
        for style in re.findall(r"<style>(.*?)</style>", site.html[name], re.DOTALL):
            assert "@import" not in style
            assert all(url == '"data:' for url in re.findall(r"url\((.{6})", style))


def test_texts_of_a_run_never_become_markup(site, documents, html):
    assert "alert('claim')" in site.text("claims/own-false.html", "claim-own-false")
    assert "alert('claim')" in site.text("index.html", "standing-own-false")
    assert HOSTILE not in html
    assert "<i>hostile</i>" not in html
    assert "<claims>" not in html
    scripts = [script for one in documents.values() for script in one.scripts]
    assert not any("alert(" in script for script in scripts if not script.startswith("/*!"))


def test_each_claim_has_a_row_that_leads_to_its_evidence(site, document, ledger):
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    assert {row["verdict"] for row in ledger["rows"]} >= {"refuted", "unchecked", "exhausted"}
    assert len(ledger["rows"]) == len(claims)
    for row in ledger["rows"]:
        claim = claims[row["claim"]]
        said = " ".join(document.text[f"row-{row['claim']}"].split())
        assert claim["number"] in said
        assert as_shown(claim["words"]) in said
        assert as_shown(row["text"])[1:] in said
        assert as_shown(row["parameters"]) in said
        assert row["command"] in said
        assert f"{row['positions']:,}" in said or not row["checks"]
        assert f"claims/{row['claim']}.html" in document.links
        evidence = site.text(f"claims/{row['claim']}.html", f"claim-{row['claim']}")
        assert claim["formula"] in evidence
        assert not claim["ruleset"] or claim["ruleset"] in evidence


def test_printed_and_intended_forms_stand_side_by_side(site, ledger):
    document = site["pairs.html"]
    anchors = [f"pair-{pair['printed']}-{pair['intended']}" for pair in ledger["pairs"]]
    misprints = {
        anchor: pair["right"] not in ("both", "open")
        for anchor, pair in zip(anchors, ledger["pairs"], strict=True)
        if pair["kind"] == "misprint"
    }
    assert misprints["pair-own-printed-own-intended"]
    order = [misprints[name] for name in document.ids if name in misprints]
    assert order == sorted(misprints.values(), reverse=True)
    assert len(set(order)) == 2
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    for anchor, pair in zip(anchors, ledger["pairs"], strict=True):
        said = " ".join(document.text[anchor].split())
        for side in ("printed", "intended"):
            assert as_shown(claims[pair[side]]["words"]) in said
            assert f"../pairs.html#{anchor}" in site.claim(pair[side]).links
        assert as_shown(pair["text"]) in said
        if pair["decided"] and pair["decided"]["position"] is not None:
            numbers = ", ".join(map(str, pair["decided"]["position"]))
            assert re.search(rf" = \(?{re.escape(numbers)}\)? found", said), said


def test_each_verdict_has_evidence(site, documents, ledger):
    numbers: Counter[str] = Counter()
    for verdict in ledger["verdicts"]:
        numbers[verdict["claim"]] += 1
        anchor = f"{verdict['claim']}-{numbers[verdict['claim']]}"
        document = documents[f"claims/{verdict['claim']}.html"]
        evidence = " ".join(document.text[anchor].split())
        whole = " ".join(document.text[f"claim-{verdict['claim']}"].split())
        reaches = "best_possible" in verdict["evidence"]
        assert verdict["text"].removeprefix(verdict["verdict"]).lstrip(": ") in whole or reaches
        for name, value in verdict["parameters"].items():
            assert reaches or f"{name} = {value}" in whole
        assert f"{verdict['positions']:,}" in evidence
        if verdict["table"]:
            assert verdict["table"] in evidence
            assert f"../tables.html#table-{verdict['table']}" in document.links
        shown = verdict["counterexample"]
        if shown:
            assert shown["found"] in evidence
            assert shown["claimed"] in evidence
            assert not shown["reason"] or shown["reason"] in evidence
        if reaches:
            assert f"{verdict['evidence']['reach']:,}" in evidence


def test_counterexamples_are_drawn_with_the_move_that_wins(html, ledger):
    refuted = [v for v in ledger["verdicts"] if v["claim"] == "solid2022-conj-2"]
    assert [v["verdict"] for v in refuted].count("refuted") >= 3
    tables = {table["id"]: table for table in ledger["tables"]}
    (row,) = (row for row in ledger["rows"] if row["claim"] == "solid2022-conj-2")
    drawn = 0
    for verdict in refuted:
        shown = verdict["counterexample"]
        game = parse_ruleset(tables[verdict["table"]]["ruleset"])
        option = tuple(shown["option"]) if shown["option"] else None
        # Once in the evidence, and once more where it tells printed and intended apart.
        times = html.count(draw_svg(game, shown["position"], option))
        is_least = verdict["parameters"] == row["decided"]["parameters"]
        assert times == 2 if is_least else times <= 1
        drawn += times > 0
        assert (
            f"./choco value &#39;{game.notation}&#39; {' '.join(map(str, shown['position']))}"
            in html
        )
    assert drawn == min(MOST_DRAWN, len(refuted))


def test_a_run_without_claims_or_findings_has_a_report(ledger):
    for name in ("claims", "verdicts", "rows", "pairs", "findings"):
        ledger[name] = []
    shown = Site(ledger)
    assert "No claim was checked" in shown.first.text["ledger"]
    assert {"pairs.html", "findings.html"}.isdisjoint(shown.html)
    assert {link for link in shown.first.links if link[:1] != "#"} <= {*shown.html, *DOWNLOADS}


def test_a_table_that_cannot_be_read_is_named(ledger_file, tmp_path):
    copy = tmp_path / "results" / "small" / "ledger.json"
    copy.parent.mkdir(parents=True)
    copy.write_text(ledger_file.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(StoreError, match=r"tables/[0-9a-f]{16}\.done\.json: cannot be read"):
        write_pages(str(copy), str(tmp_path / "index.html"), lambda _stage, **_numbers: None)
    assert not (tmp_path / "index.html").exists()


@pytest.mark.full
def test_a_proof_for_some_parameters_and_a_question_read_as_such_everywhere(ledger):
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    rows = {row["claim"]: row for row in ledger["rows"]}
    row = rows["solid2022-thm-2"]
    alone = {"engines": ["own"], "proofs": 1, "no_answer": {"checker": "the time is over"}}
    row |= {"verdict": "proved-for-listed", "proved_for": "k = 3", "engines": [alone]}
    proof = {"claim": row["claim"], "table": None, "parameters": {"k": 3}, "seconds": 0.1}
    proof |= {**verdict_document(Proved("c.json")), "certificate": "c.json"}
    proof |= {"evidence": {"engines": ["own"], "no_answer": alone["no_answer"]}}
    ledger["verdicts"].append(proof)
    misprints = {pair["printed"] for pair in ledger["pairs"] if pair["kind"] == "misprint"}
    asked, ours = [
        name
        for name, row in rows.items()
        if row["verdict"] == "refuted" and name not in misprints and claims[name]["status"] != "question"
    ][:2]  # fmt: skip
    claims[asked]["status"], claims[ours]["status"] = "question", "ours"

    shown = Site(ledger)
    said = shown.text("index.html", "row-solid2022-thm-2")
    assert "◧" in said
    assert "∎" not in said
    assert "ours alone (the checker: the time is over)" in said
    assert "◧ 1" in shown.text("index.html", "summary")
    evidence = shown.text("claims/solid2022-thm-2.html", "claim-solid2022-thm-2")
    assert "./choco prove --check c.json" in evidence
    frame = row_frame(whole(ledger)).set_index("claim").loc["solid2022-thm-2"]
    assert (frame["verdict"], frame["proved_for"]) == ("proved-for-listed", "k = 3")
    last = verdict_frame(whole(ledger)).iloc[-1]
    assert (last["verdict"], last["engines"]) == ("proved", "own")
    assert json.loads(last["no_answer"]) == alone["no_answer"]

    standing = shown.text("index.html", f"standing-{asked}")
    assert as_shown(claims[asked]["words"]) in standing
    assert "✗ no, in our formal reading: refuted at" in standing
    assert as_shown(claims[ours]["words"]) in shown.text("index.html", "ours")
    refuted = shown.first.text.get("refuted", "")
    assert not any(as_shown(rows[name]["text"]) in refuted for name in (asked, ours))


@pytest.mark.full
def test_the_first_page_stays_small_with_four_hundred_claims(ledger):
    copies = range(400 // len(ledger["claims"]) + 1)
    rows = {row["claim"]: row for row in ledger["rows"]}
    ledger["rows"] = [
        {**rows[c["id"]], "claim": f"{c['id']}-{n}"} for n in copies for c in ledger["claims"]
    ][:400]
    ledger["claims"] = [{**c, "id": f"{c['id']}-{n}"} for n in copies for c in ledger["claims"]][
        :400
    ]
    ledger["pairs"] = []
    ledger["verdicts"] = [{**v, "claim": f"{v['claim']}-0"} for v in ledger["verdicts"]] * 3
    shown = Site(ledger)
    assert len(shown.html["index.html"].encode()) < 1.3e6
    elements = sum(n for tag, n in shown.first.tags.items() if not tag.startswith("m"))
    assert elements < 15_000, "without mathematics"
