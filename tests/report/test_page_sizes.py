"""The pages stay small, however many tables, checks and claims a run has."""

from __future__ import annotations

import pytest

from tests.report.read_pages import Site

pytestmark = pytest.mark.full


def test_two_thousand_tables_stay_below_8_megabytes(ledger):
    table = next(t for t in ledger["tables"] if t["ruleset"] == "solid-bar(f=(x+z)//5)")
    verdict = next(
        v for v in ledger["verdicts"] if v["table"] == table["id"] and v["verdict"] == "refuted"
    )
    # The same stored table under many names: pictures are read for some, evidence is shown for all.
    ledger["tables"] = [
        {**table, "parameters": {"k": k}, "sweeps": [f"sweep-{k % 40}"]} for k in range(2000)
    ]
    ledger["verdicts"] = [{**verdict, "parameters": {"k": k}} for k in range(2000)]
    ledger["findings"] = []
    ledger["claims"] = [c for c in ledger["claims"] if c["id"] == verdict["claim"]]
    ledger["rows"] = [row for row in ledger["rows"] if row["claim"] == verdict["claim"]]
    ledger["pairs"] = []
    shown = Site(ledger)
    evidence = shown.html[f"claims/{verdict['claim']}.html"]
    assert evidence.count('class="proof"') == 2000
    # Of the games, and of the few that are drawn as evidence.
    assert "".join(shown.html.values()).count('class="chocolate"') < 64 + 8
    assert sum(map(len, shown.html.values())) < 8e6


def test_the_first_page_stays_small_with_four_hundred_claims(ledger):
    """Evidence, pictures and lists are elsewhere: the first page has some twenty elements for a claim and nothing for a check."""
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
    mathematics = {
        "math",
        "mfrac",
        "mi",
        "mn",
        "mo",
        "mover",
        "mrow",
        "mspace",
        "msub",
        "msup",
        "mtext",
    }
    assert sum(n for tag, n in shown.first.tags.items() if tag not in mathematics) < 15_000


def test_six_hundred_checks_of_a_hundred_and_twenty_claims_stay_below_4_megabytes(ledger):
    claims = [{**claim, "id": f"{claim['id']}-{n}"} for n in range(9) for claim in ledger["claims"]]
    copies = [claim["id"] for claim in claims][:120]
    while len(ledger["verdicts"]) < 600:
        ledger["verdicts"] += ledger["verdicts"]
    ledger["verdicts"] = [
        {**verdict, "claim": f"{verdict['claim']}-{i % 3}"}
        for i, verdict in enumerate(ledger["verdicts"])
        if f"{verdict['claim']}-{i % 3}" in copies
    ][:600]
    rows = {row["claim"]: row for row in ledger["rows"]}
    ledger["rows"] = [{**rows[name.rpartition("-")[0]], "claim": name} for name in copies]
    ledger["claims"], ledger["pairs"] = claims[:120], []
    shown = Site(ledger)
    assert shown.html["index.html"].count('class="claim-row') == 120
    assert sum(len(text.encode()) for text in shown.html.values()) < 9e6
