"""The dated page: its numbers are those of the ledgers, and what it says has changed has."""

from datetime import date
from pathlib import Path

import pytest

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.cli.kept.export import write_results
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.report.results_page import changes, proofs, results_page, sweeps
from choco_pipeline.tables.computing.in_memory import table
from tests.report.documents import a_verdict, whole
from tests.report.proof_entries import solid


def ledger_of(*verdicts):
    return whole({"verdicts": verdicts})


def at(bound, kind, k=3, **more):
    return {
        **a_verdict(kind, {"k": k}, table="t"),
        "bound": bound,
        "text": f"{kind} {bound}",
        **more,
    }


def test_what_has_changed():
    base = ledger_of(
        at(9, "holds-to-bound"),
        at(20, "holds-to-bound"),
        at(20, "holds-to-bound", k=4),
        at(20, "holds-to-bound", k=5),
        at(20, "undecided", k=6),
        at(None, "proved", k=5, certificate="file"),
        at(None, "exhausted", k=8, table=None),
    )
    ledger = ledger_of(
        at(99, "refuted"),
        at(99, "holds-to-bound", k=4),
        at(20, "holds-to-bound", k=5),
        at(99, "holds-to-bound", k=6),
        at(99, "holds-to-bound", k=7),
        at(None, "proved", k=3, certificate="file"),
        at(None, "refuted", k=8, table=None),
    )
    found = changes(ledger, base)
    assert (found["same"], found["further"], found["new"]) == (2, 1, 1)
    assert [
        (one["parameters"], one["before"].text, one["after"].text) for one in found["changed"]
    ] == [
        ("k = 3", "holds-to-bound 20", "refuted 99"),
        ("k = 6", "undecided 20", "holds-to-bound 99"),
    ]


def test_the_page_of_a_real_run(ledger):
    """Its base is the same run with each claim checked on tables of a fifth of the bound."""
    smaller = {**ledger, "run": "smaller", "verdicts": []}
    tables = {one["id"]: one for one in ledger["tables"]}
    catalogue = load_catalogue([Path("claims/solid2022.yaml")])
    expected = []
    for verdict in ledger["verdicts"]:
        claim = catalogue.claims.get(verdict["claim"])
        if claim is None or verdict["table"] is None or "certificate" in verdict:
            continue
        entry = tables[verdict["table"]]
        game, bound = parse_ruleset(entry["ruleset"]), entry["bound"] // 5
        data = table(game, bound, entry["quantity"])
        before = check_claim(claim, verdict["parameters"], game, bound, data).verdict
        said = {"Refuted": "refuted", "HoldsToBound": "holds-to-bound"}.get(type(before).__name__)
        if said is None:
            continue
        smaller["verdicts"].append(
            {**verdict, "verdict": said, "bound": bound, "text": f"at {bound}"}
        )
        if said != verdict["verdict"]:
            expected.append((verdict["claim"], verdict["parameters"]))
    page = results_page(whole(ledger), whole(smaller), date(2026, 1, 31))
    assert expected
    rows = [line for line in page.splitlines() if " at 9 |" in line or " at 4 |" in line]
    assert len(rows) == len(expected)
    for claim, parameters in expected:
        given = "; ".join(f"{name} = {value}" for name, value in parameters.items())
        assert any(line.startswith(f"| {claim} | {given} |") for line in rows)
    total = sweeps(whole(ledger))[-1]
    assert total["positions"] == sum(one["positions"] for one in ledger["tables"])
    assert f"| in all | {len(ledger['tables'])} |" in page
    assert f"{total['positions']:,}" in page
    assert page.startswith("# Small & <i>hostile</i>, 2026-01-31\n")
    checks = [v["seconds"] for v in ledger["verdicts"] if v["table"] is not None]
    assert f"{len(checks):,} checks on tables in {sum(checks):.1f} s, mining in" in page
    assert "Against the run" not in results_page(whole(ledger), None, date(2026, 1, 31))
    for line in page.splitlines():
        assert not line.startswith("|") or line.replace("\\|", "").count("|") in (4, 7, 9)


def test_what_was_proved(ledger):
    entries = [
        solid(1, states=(5,)),
        {**solid(3, states=(3, 17)), "engines": ["own"]},
        solid(2, status="undecided", states=()),
        solid(4, status="undecided", states=(), relation="grundy"),
    ]
    proved, nothing = proofs(whole({"proofs": entries}))
    assert proved == {
        "sweep": "some-games",
        "of": "P-positions",
        "games": 3,
        "proved": 2,
        "checked": 1,
        "states": [3, 17],
        "seconds": 3.75,
    }
    assert (nothing["of"], nothing["proved"], nothing["states"]) == ("Grundy numbers", 0, None)
    page = results_page(whole({**ledger, "proofs": entries}), None, date(2026, 1, 31)).splitlines()
    assert "| some-games | P-positions | 3 | 2 | 1 | 3–17 | 3.8 s |" in page
    assert "| some-games | Grundy numbers | 1 | 0 | 0 |  | 1.2 s |" in page
    assert "- `solid-bar(f=(x+z)//4)`: why <undecided>" in page
    assert not any(
        "Proofs" in line
        for line in results_page(
            whole({**ledger, "proofs": []}), None, date(2026, 1, 31)
        ).splitlines()
    )


def test_the_command_writes_it_and_names_a_run_that_is_not_there(ledger, capsys):
    write_results("small", "small", json=False)
    file = capsys.readouterr().err.strip()
    assert file == f"docs/results/{date.today().isoformat()}-small.md"
    assert "None has another one." in Path(file).read_text(encoding="utf-8")
    for run in ("large", "../small"):
        with pytest.raises(ConfigError, match="no run"):
            write_results(run, None, json=False)
