"""The task on real stores: a shard is built, its claims are checked, each table is read once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims import task
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict, HoldsToBound
from choco_pipeline.claims.task import check_shard, check_standing_statements
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.tables.shard import build_shard
from choco_pipeline.tables.spec import Shard, TableSpec
from tests.catalogues import catalogue_of

CATALOGUE = catalogue_of()
TABLES = [
    ("solid-bar(f=(x+z)//5)", 16),
    ("solid-bar(f=(x+z)//3)", 16),
    ("rectangular-bar(m=6, n=6)", 6),
]
#: A claim that compares tables.
COUNTS = next(claim.id for claim in CATALOGUE.claims.values() if claim.is_over_tables)


def is_chosen(claim):
    return claim.id in ("solid2022-conj-2", "triangular-thm-7.3", COUNTS, "patterns-thm-2.3")


def order_in(folder):
    """Build a shard and return an order of some claims on its tables, tables taking turns."""
    specs = [TableSpec.of(parse_ruleset(text), bound, "p-positions") for text, bound in TABLES]
    spec, manifest = folder / "shard.json", folder / "shard.done.json"
    write_record(spec, Shard("shard", tuple(specs)).as_json())
    build_shard(str(spec), str(manifest), lambda *_, **__: None)
    found = [
        [
            (claim, given)
            for claim, given in CATALOGUE.fitting(s.ruleset, s.quantity)
            if is_chosen(claim)
        ]
        for s in specs
    ]
    checks = [
        {"claim": fitting[turn][0].id, "table": s.table_id, "parameters": fitting[turn][1]}
        for turn in range(max(map(len, found)))
        for s, fitting in zip(specs, found, strict=True)
        if turn < len(fitting)
    ]
    claims = {check["claim"]: CATALOGUE.claims[str(check["claim"])].as_json() for check in checks}
    return {"manifest": str(manifest), "code": "0", "claims": claims, "checks": checks}


def test_a_shard_is_checked(tmp_path, monkeypatch):
    order = order_in(tmp_path)
    read: list[str] = []
    reported: list[dict[str, Any]] = []
    original = task.Cells.open
    monkeypatch.setattr(
        task.Cells,
        "open",
        lambda store, table, entry: (read.append(table), original(store, table, entry))[1],
    )
    done = check_shard(order, lambda stage, **numbers: reported.append({"stage": stage, **numbers}))
    checks, verdicts = order["checks"], json.loads(json.dumps(done))["verdicts"]
    assert sorted(read) == sorted({check["table"] for check in checks})
    assert [
        {key: verdict[key] for key in ("claim", "table", "parameters")} for verdict in verdicts
    ] == checks
    assert sorted(entry["positions"] for entry in reported) == sorted(
        verdict["positions"] for verdict in verdicts
    )
    assert {(entry["stage"], entry["checks"]) for entry in reported} == {("check", 1)}
    found = {(verdict["claim"], verdict["parameters"].get("k")): verdict for verdict in verdicts}
    assert found["solid2022-conj-2", 5]["verdict"] == "refuted"
    assert found["solid2022-conj-2", 5]["bound"] == 16
    assert found["solid2022-conj-2", 5]["counterexample"]["position"] == [4, 2, 6]
    assert ClaimVerdict.model_validate(found["triangular-thm-7.3", 3]).as_verdict == HoldsToBound(
        1734, 16
    )
    assert found[COUNTS, None]["evidence"] == {"p_positions": 20}
    assert found["patterns-thm-2.3", None]["verdict"] == "exhausted"
    assert all(verdict["seconds"] >= 0 for verdict in verdicts)


def test_a_damaged_table_gives_no_verdict(tmp_path):
    order = order_in(tmp_path)
    table = order["checks"][0]["table"]
    chunk = next(
        path
        for path in sorted((tmp_path / "shard.zarr" / table / "p_y" / "c").rglob("*"))
        if path.is_file()
    )
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 1
    chunk.write_bytes(bytes(content))
    with pytest.raises(StoreError, match="does not match the manifest"):
        check_shard(order, lambda *_, **__: None)


STATEMENTS = {
    name: Claim.from_json({"id": name, "statement": statement, "bound": 9}).as_json()
    for name, statement in {
        "true": "for x in 0..N, y in 0..N: x ^ y <= x+y",
        "false": "for x in 0..N, y in 0..N: x ^ y == x+y",
        "finite": "for x in 0..3: x*x <= 9",
        "no-value": "for x in 0..N: 6 // (x-3) < 7",
    }.items()
}


def test_statements_are_checked_as_they_stand():
    positions: list[int] = []
    done = check_standing_statements(
        {"code": "0", "claims": STATEMENTS},
        lambda stage, checks, **numbers: positions.append(numbers["positions"]),
    )
    verdicts = {one["claim"]: one for one in json.loads(json.dumps(done))["verdicts"]}
    assert [(name, one["verdict"], one["bound"]) for name, one in verdicts.items()] == [
        ("true", "holds-to-bound", 9),
        ("false", "refuted", 9),
        ("finite", "exhausted", None),
        ("no-value", "undecided", 9),
    ]
    assert all((v["table"], v["parameters"]) == (None, {}) for v in verdicts.values())
    assert verdicts["true"]["positions"] == 100
    assert verdicts["false"]["counterexample"]["position"] == [1, 1]
    assert positions == [verdict["positions"] for verdict in verdicts.values()]
