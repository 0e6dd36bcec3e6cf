"""Checking claims on the tables of a shard: one work order, one document of verdicts."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from choco_pipeline.claims.check import check_claim
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.verdict import verdict_to_json
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.store import read_table, store_path


def check_shard(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, Any]:
    """Check claims on a shard's tables, reading each table once.

    Parameters
    ----------
    order_file
        The work order: the manifest, the claims as `Claim.as_json` wrote them, and which of them are checked on which
        table with which parameters.
    out_file
        Receives ``{"verdicts": […]}``, in the order of the checks, whole or not at all.
    report
        Called as ``report("checks", checks=1, positions=n)`` for each check.

    Returns
    -------
    dict
        Number of checks.
    """
    order = read_json(Path(order_file))
    manifest = Path(order["manifest"])
    entries = read_json(manifest)["tables"]
    claims = {claim_id: Claim.from_json(document) for claim_id, document in order["claims"].items()}
    checks_of_table: dict[str, list[int]] = defaultdict(list)
    for i, check in enumerate(order["checks"]):
        checks_of_table[check["table"]].append(i)
    verdicts: dict[int, dict[str, Any]] = {}
    for table_id, numbers in checks_of_table.items():
        entry = entries[table_id]
        data = read_table(store_path(manifest), table_id, entry)
        game, bound = parse_ruleset(entry["ruleset"]), int(entry["bound"])
        for i in numbers:
            check, start = order["checks"][i], time.perf_counter()
            finding = check_claim(claims[check["claim"]], check["parameters"], game, bound, data)
            verdicts[i] = {
                **check,
                **verdict_to_json(finding.verdict),
                "bound": bound,
                "evidence": finding.evidence,
                "seconds": round(time.perf_counter() - start, 4),
            }
            report("checks", checks=1, positions=verdicts[i]["positions"])
    write_json(
        Path(out_file),
        {"format": order["format"], "verdicts": [verdicts[i] for i in sorted(verdicts)]},
    )
    return {"checks": len(verdicts)}
