"""Checking claims, on the tables of a shard or as they stand: one work order, one document of verdicts."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder
from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.evidence.shared_pass import side_by_side
from choco_pipeline.claims.kinds import HeightFunctions, IntegerStatement, Sections
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Exhausted, Vacuous
from choco_pipeline.claims.standalone.standing import check_standing
from choco_pipeline.documents.record import read_record, read_record_as, write_record
from choco_pipeline.games import parse_ruleset
from choco_pipeline.stages import Stage
from choco_pipeline.tables.reading.windows import StoredCells
from choco_pipeline.tables.storage.store import store_of


def check_shard(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Check claims on a shard's tables, all claims on a table beside each other; of a table, some chunks are in memory at a time.

    Parameters
    ----------
    order_file
        The work order, a `CheckOrder`.
    out_file
        Receives ``{"verdicts": […]}``, in the order of the checks, whole or not at all.
    report
        Called as ``report(Stage.CHECK, checks=1, positions=n)`` for each check.

    Returns
    -------
    dict
        Number of checks.
    """
    order = read_record_as(CheckOrder, Path(order_file))
    built = read_record(order.manifest)
    store, entries = store_of(order.manifest, built), built["tables"]
    checks_of_table: dict[str, list[int]] = defaultdict(list)
    for i, check in enumerate(order.checks):
        checks_of_table[check.table].append(i)
    verdicts: dict[int, ClaimVerdict] = {}
    for table_id, numbers in checks_of_table.items():
        entry = entries[table_id]
        data = StoredCells.open(store, table_id, entry)
        game, bound = parse_ruleset(entry["ruleset"]), int(entry["bound"])
        checks = [order.checks[i] for i in numbers]
        passes = [
            pass_of_claim(order.statements[c.claim], c.parameters, game, bound, data)
            for c in checks
        ]
        for at, finding, seconds in side_by_side(passes):
            i, check = numbers[at], checks[at]
            verdicts[i] = ClaimVerdict.of(
                check.claim, check.parameters, finding, seconds, table=table_id, bound=bound
            )
            report(Stage.CHECK, checks=1, positions=verdicts[i].positions)
    _write(out_file, order.format, [verdicts[i] for i in sorted(verdicts)])
    return {"checks": len(verdicts)}


def check_standing_statements(
    order_file: str, out_file: str, report: Callable[..., None]
) -> dict[str, int]:
    """Check statements that need no table.

    Parameters
    ----------
    order_file
        The work order, a `StatementOrder`.
    out_file
        Receives ``{"verdicts": […]}`` as `check_shard` writes it, with ``"table": null``, whole or not at all. The
        bound is the value of `N`, or null where it is no bound because every case was checked.
    report
        Called as ``report(Stage.CHECK, checks=1, positions=n)`` for each statement.

    Returns
    -------
    dict
        Number of checks.
    """
    order = read_record_as(StatementOrder, Path(order_file))
    verdicts = []
    for claim_id, claim in order.statements.items():
        start = time.perf_counter()
        finding = check_standing(claim)
        assert isinstance(claim.check, IntegerStatement | HeightFunctions | Sections)
        is_bound = not isinstance(finding.verdict, Exhausted | Vacuous)
        bound = claim.check.bound if is_bound else None
        seconds = time.perf_counter() - start
        verdicts.append(ClaimVerdict.of(claim_id, {}, finding, seconds, bound=bound))
        report(Stage.CHECK, checks=1, positions=verdicts[-1].positions)
    _write(out_file, order.format, verdicts)
    return {"checks": len(verdicts)}


def _write(out_file: str, of_format: int, verdicts: Sequence[ClaimVerdict]) -> None:
    documents = [verdict.document() for verdict in verdicts]
    write_record(Path(out_file), {"format": of_format, "verdicts": documents})
