"""The ledger of a run: every verdict, the claims over several tables, and the rules that comparing tables gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from choco_pipeline.claims.catalogue import load_catalogue
from choco_pipeline.claims.ledger import check_across
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.mining.rules import shift_rules
from choco_pipeline.provenance import versions
from choco_pipeline.sweep.plan import Paths


def write_ledger(plan_file: str, out_file: str, report: Callable[..., None]) -> dict[str, Any]:
    """Gather what a run has found into one document.

    Parameters
    ----------
    plan_file
        The run's plan; its verdicts and findings must be there.
    out_file
        Receives the ledger, whole or not at all.
    report
        Called as ``report("report", documents=1)``.

    Returns
    -------
    dict
        Numbers of verdicts, findings and rules.
    """
    plan = read_json(Path(plan_file))
    paths = Paths(Path(plan_file).parent.parent, plan["run"])
    entries: dict[str, Any] = {}
    stamped: dict[str, Any] = {}
    for shard in plan["shards"]:
        manifest = read_json(paths.manifest(shard))
        entries |= manifest["tables"]
        stamped = manifest["versions"]
    tables = [{**table, **entries[table["id"]]} for table in plan["tables"]]
    verdicts = [
        verdict for document in _results(plan, paths, "checks") for verdict in document["verdicts"]
    ]
    findings = [
        finding for document in _results(plan, paths, "mines") for finding in document["findings"]
    ]
    catalogue = load_catalogue([Path(name) for name in plan["claims_files"]])
    across = check_across(catalogue, verdicts)
    # What one table says of a claim over several is only a number, and has been compared by now.
    verdicts = [v for v in verdicts if not catalogue.claims[v["claim"]].is_over_tables] + across
    used = {verdict["claim"] for verdict in verdicts}
    ledger = {
        "format": plan["format"],
        "run": plan["run"],
        "title": plan["title"],
        "config": plan["config"],
        "command": f"./choco run {plan['config']}",
        "versions": {**versions(), "tables built by": stamped.get("commit", "unknown")},
        "seconds": {
            "tables": round(
                sum(entry["seconds"] + entry["seconds_to_store"] for entry in tables), 2
            ),
            "checks": round(sum(verdict["seconds"] for verdict in verdicts), 2),
            "mining": round(sum(finding["seconds"] for finding in findings), 2),
        },
        "claims": [claim.as_ledger() for claim in catalogue.claims.values() if claim.id in used],
        "verdicts": verdicts,
        "tables": tables,
        "findings": findings,
        "rules": shift_rules(plan["tables"], findings),
    }
    write_json(Path(out_file), ledger)
    report("report", documents=1)
    return {"verdicts": len(verdicts), "findings": len(findings), "rules": len(ledger["rules"])}


def _results(plan: dict[str, Any], paths: Paths, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the result documents of the shards that had a work order of this kind."""
    shard_of = {table["id"]: table["shard"] for table in plan["tables"]}
    shards: dict[str, list[str]] = defaultdict(list)
    for order in plan[kind]:
        shards[shard_of[order["table"]]].append(order["table"])
    folder = {"checks": "verdicts", "mines": "mining"}[kind]
    for shard in shards:
        yield read_json(paths.results / plan["run"] / folder / f"{shard}.json")
