"""Checking claims, on the tables of a shard or as they stand: one work order, one document of verdicts."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder
from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.earlier_verdicts import EarlierVerdicts
from choco_pipeline.claims.evidence.shared_pass import side_by_side
from choco_pipeline.claims.kinds import Evaluated, HeightFunctions, Sections
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Exhausted, Vacuous
from choco_pipeline.claims.standalone.standing import check_standing
from choco_pipeline.documents.record import read_record, read_record_as, write_record
from choco_pipeline.games import parse_ruleset
from choco_pipeline.stages import Stage
from choco_pipeline.tables.reading.cells import Cells
from choco_pipeline.tables.storage.store import store_of
from choco_pipeline.tables.storage.stored import StoredCells


def check_shard(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Check claims on the tables of a shard, all claims on a table side by side.

    Earlier verdicts are not checked again. The order is a `CheckOrder`, the result ``{"verdicts": […]}`` in the order of the
    checks, written as a whole or not at all. Only some chunks of a table are in memory at a time. Returned is the number of checks.
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
        game, bound = parse_ruleset(entry["ruleset"]), int(entry["bound"])
        earlier = EarlierVerdicts.on_table(order.earlier, order.code, table_id, entry)
        todo = []
        for i in numbers:
            check = order.checks[i]
            verdict = earlier.find(order.statements[check.claim], check.parameters)
            if verdict is None:
                todo.append(i)
            else:
                verdicts[i] = verdict
                report(Stage.CHECK, checks=1, positions=verdict.positions)
        if todo:
            cells = Cells.of(game, bound, StoredCells.open(store, table_id, entry))
            passes = [
                pass_of_claim(order.statements[c.claim], c.parameters, cells)
                for c in (order.checks[i] for i in todo)
            ]
            for at, finding, seconds in side_by_side(passes):
                check = order.checks[todo[at]]
                verdict = ClaimVerdict.of(
                    check.claim, check.parameters, finding, seconds, table=table_id, bound=bound
                )
                earlier.add(order.statements[check.claim], verdict)
                verdicts[todo[at]] = verdict
                report(Stage.CHECK, checks=1, positions=verdict.positions)
            earlier.keep()
    _write(out_file, order.format, [verdicts[i] for i in sorted(verdicts)])
    return {"checks": len(verdicts)}


def check_standing_statements(
    order_file: str, out_file: str, report: Callable[..., None]
) -> dict[str, int]:
    """Check the statements of a `StatementOrder`, which need no table.

    Verdicts have ``"table": null``; the bound is the value of `N`, or null where it is no bound because every case was checked.
    """
    order = read_record_as(StatementOrder, Path(order_file))
    verdicts = []
    for claim_id, claim in order.statements.items():
        earlier = EarlierVerdicts.of_statement(order.earlier, order.code, claim)
        verdict = earlier.find(claim, {})
        if verdict is None:
            start = time.perf_counter()
            finding = check_standing(claim)
            assert isinstance(claim.check, Evaluated | HeightFunctions | Sections)
            is_bound = not isinstance(finding.verdict, Exhausted | Vacuous)
            bound = claim.check.bound if is_bound else None
            seconds = time.perf_counter() - start
            verdict = ClaimVerdict.of(claim_id, {}, finding, seconds, bound=bound)
            earlier.add(claim, verdict)
            earlier.keep()
        verdicts.append(verdict)
        report(Stage.CHECK, checks=1, positions=verdict.positions)
    _write(out_file, order.format, verdicts)
    return {"checks": len(verdicts)}


def _write(out_file: str, of_format: int, verdicts: Sequence[ClaimVerdict]) -> None:
    documents = [verdict.document() for verdict in verdicts]
    write_record(Path(out_file), {"format": of_format, "verdicts": documents})
