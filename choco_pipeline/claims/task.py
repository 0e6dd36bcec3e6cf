"""Tasks of the stage `check`: claims on the tables of a shard, and statements without tables."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder
from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.earlier_verdicts import EarlierVerdicts
from choco_pipeline.claims.evidence.shared_pass import side_by_side
from choco_pipeline.claims.kinds import Evaluated, HeightFunctions, Sections
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Exhausted, Vacuous
from choco_pipeline.claims.standalone.standing import check_standing
from choco_pipeline.documents.record import read_record
from choco_pipeline.games import parse_ruleset
from choco_pipeline.stages import Stage
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.store import StoredCells, store_of

Outcome = dict[str, list[dict[str, Any]]]


def check_shard(order_document: Mapping[str, Any], report: Callable[..., None]) -> Outcome:
    """Check claims on the tables of a shard, all claims on a table side by side.

    Earlier verdicts are not checked again. Only some chunks of a table are in memory at a time.

    Parameters
    ----------
    order_document
        A `CheckOrder` as plain data.
    report
        Called as ``report(Stage.CHECK, checks=1, positions=n)`` for each check.

    Returns
    -------
    dict
        The verdicts, in the order of the checks.
    """
    order = CheckOrder.model_validate(order_document)
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
    return {"verdicts": [verdicts[i].document() for i in sorted(verdicts)]}


def check_standing_statements(
    order_document: Mapping[str, Any], report: Callable[..., None]
) -> Outcome:
    """Check the statements of a `StatementOrder`, which need no table, as `check_shard`.

    Verdicts have ``"table": null``; the bound is the value of `N`, or null where it is no bound because every case was checked.
    """
    order = StatementOrder.model_validate(order_document)
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
    return {"verdicts": [verdict.document() for verdict in verdicts]}
