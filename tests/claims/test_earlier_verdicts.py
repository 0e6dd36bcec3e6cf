"""Verdicts of earlier runs: taken for the same claim on the same cells by the same code, and for nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choco_pipeline.claims import task
from choco_pipeline.claims.task import check_shard, check_standing_statements
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.sweep.damage import damaged
from tests.claims.test_task import STATEMENTS, order_in

#: A claim on tables of which a related game decides, too.
RELATED = {
    "id": "related",
    "ruleset": "solid-bar(f=(x+z)//k)",
    "statement": "P <=> P[solid-bar(f=(x+z)//k)](x, y, z)",
}


class Results:
    """An order on the tables of a shard, done as often as a test wants, with the verdicts of all runs beside it."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.earlier = folder / "verdicts"
        self.write(**order_in(folder))
        self.checked: list[str] = []
        for name in ("pass_of_claim", "check_standing"):
            monkeypatch.setattr(task, name, self._counting(getattr(task, name)))

    def _counting(self, original):
        def check(claim, *others):
            self.checked.append(claim.id)
            return original(claim, *others)

        return check

    def write(self, **order):
        """Replace the order."""
        self.order = {**order, "earlier": str(self.earlier)}

    def change(self, **changed):
        """Change the order."""
        self.write(**{**self.order, **changed})

    def carried_out(self):
        """Return the verdicts, and which claims were checked for them."""
        self.checked.clear()
        work = check_shard if "checks" in self.order else check_standing_statements
        outcome = json.loads(json.dumps(work(self.order, lambda *_, **__: None)))
        return outcome["verdicts"], list(self.checked)

    def records(self):
        """Return the records of verdicts."""
        return sorted(self.earlier.rglob("*.json"))


@pytest.fixture
def results(tmp_path, monkeypatch):
    return Results(tmp_path, monkeypatch)


def test_a_changed_claim_is_checked_again_and_no_other(results):
    results.carried_out()
    claims, name = results.order["claims"], "triangular-thm-7.3"
    changed = {**claims[name], "statement": "P <=> x ^ (y+1) ^ z == 0"}
    results.change(claims={**claims, name: changed})
    assert set(results.carried_out()[1]) == {name}


@pytest.mark.parametrize("what", ["code", "libraries", "parameters"])
def test_other_code_libraries_or_parameters_check_all_of_it_again(results, monkeypatch, what):
    _, checked = results.carried_out()
    match what:
        case "code":
            results.change(code="1")
        case "libraries":
            monkeypatch.setattr(task, "library_versions", lambda: {"numba": "another"})
        case _:
            checks = results.order["checks"]
            results.change(checks=[c | {"parameters": c["parameters"] | {"n": 1}} for c in checks])
    assert sorted(results.carried_out()[1]) == sorted(checked)


@pytest.mark.parametrize("key", ["digest", "bound", "identity", "ruleset", "quantity"])
def test_another_table_is_checked_again(results, key):
    results.carried_out()
    manifest = Path(results.order["manifest"])
    built = read_record(manifest)
    table = results.order["checks"][0]["table"]
    of_table = [c["claim"] for c in results.order["checks"] if c["table"] == table]
    (record,) = [path for path in results.records() if path.stem == table]
    known = read_record(record)
    assert known["about"][key] == built["tables"][table][key]
    # As if it had been checked when the table was another one.
    write_record(record, {**known, "about": {**known["about"], key: "another"}})
    assert results.carried_out()[1] == of_table


def test_a_damaged_record_is_found_and_made_anew(results):
    first, checked = results.carried_out()
    before = {path: path.read_text() for path in results.records()}
    for path, text in before.items():
        path.write_text(text.replace('"seconds": 0', '"seconds": 9'))
    assert [path for path, _ in damaged(results.records())] == list(before)
    again, checked_again = results.carried_out()
    assert checked_again == checked
    assert [{**v, "seconds": 0} for v in again] == [{**v, "seconds": 0} for v in first]
    assert not list(damaged(results.records()))
    for path in before:
        path.write_bytes(b"\xff{")
    assert results.carried_out()[1] == checked


def test_a_verdict_is_taken_for_what_it_says_it_is_on(results):
    first, _ = results.carried_out()
    swapped = []
    for path in results.records():
        known = read_record(path)
        keys = list(known["verdicts"])
        others = [known["verdicts"][key] for key in keys[1:] + keys[:1]]
        swapped += [one["claim"] for one in others if len(keys) > 1]
        write_record(path, {**known, "verdicts": dict(zip(keys, others, strict=True))})
    again, checked = results.carried_out()
    assert sorted(checked) == sorted(swapped)
    assert [{**v, "seconds": 0} for v in again] == [{**v, "seconds": 0} for v in first]


def test_what_also_follows_from_another_game_is_not_kept(results):
    order = results.order
    table = next(c for c in order["checks"] if c["claim"] == "triangular-thm-7.3")
    check = {"claim": "related", "table": table["table"], "parameters": {"k": 3}}
    results.change(claims={"related": RELATED}, checks=[check])
    assert results.carried_out()[1] == ["related"]
    assert results.carried_out()[1] == ["related"]


def test_statements_without_tables_are_decided_once_unless_nothing_was_decided(results):
    results.write(code="0", claims=STATEMENTS)
    first, checked = results.carried_out()
    assert checked == list(STATEMENTS)
    again, checked = results.carried_out()
    assert checked == ["no-value"]
    assert again[:-1] == first[:-1]
    results.change(code="1")
    assert results.carried_out()[1] == list(STATEMENTS)
