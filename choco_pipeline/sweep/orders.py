"""The work orders of a run: what is checked and mined on which tables, proved, decided, and asked of height functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder, TableCheck
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.documents.record import write_record_if_changed
from choco_pipeline.mining.mine_order import MineOrder, TableSearch
from choco_pipeline.proof.checker import checker_version
from choco_pipeline.proof.proof_orders import DecisionOrder, ProofOrder, StatementProofOrder
from choco_pipeline.provenance import (
    CLAIM_CODE,
    FINDING_CODE,
    MINING_CODE,
    PROOF_CODE,
    code_digest,
    digest,
)
from choco_pipeline.stages import (
    CHECK,
    CHECK_STATEMENTS,
    MINE,
    MINE_HEIGHTS,
    PROVE,
    PROVE_STATEMENTS,
    Work,
)
from choco_pipeline.sweep.config import HeightBox
from choco_pipeline.sweep.expand import Planned
from choco_pipeline.sweep.paths import Paths
from choco_pipeline.sweep.proofs import STATEMENT_PARTS, Proofs, StatementPart, in_parts
from choco_pipeline.tables.specs.spec import FORMAT

#: What is asked of the height functions of a box, each by a work order.
ASKED_OF_HEIGHTS = ("grundy", "p-positions", "counts")


class AskedOfHeights(TypedDict):
    """What is asked of all height functions of a box."""

    asked: str
    side: int
    height: int


#: By the name of the shard.
Checks = Mapping[str, list[TableCheck]]
Searches = Mapping[str, list[TableSearch]]


def table_orders(
    tables: Sequence[Planned], catalogue: Catalogue, shard_of: Mapping[str, str]
) -> tuple[Checks, Searches]:
    """Return, by shard, which claims are checked on which table with which parameters, and what is mined."""
    checks: dict[str, list[TableCheck]] = defaultdict(list)
    searches: dict[str, list[TableSearch]] = defaultdict(list)
    largest: dict[str, int] = {}
    for planned in tables:
        ruleset = planned.spec.ruleset
        largest[ruleset] = max(planned.spec.bound, largest.get(ruleset, 0))
    decided: set[tuple[str, str, tuple[int, ...]]] = set()
    for planned in tables:
        table_id, ruleset = planned.spec.table_id, planned.spec.ruleset
        for claim, parameters in catalogue.fitting(ruleset, planned.spec.quantity):
            if (
                not claim.check.reads_tables
            ):  # the definition decides, so the largest table stands for all
                case = (claim.id, ruleset, tuple(parameters.values()))
                if planned.spec.bound < largest[ruleset] or case in decided:
                    continue
                decided.add(case)
            if planned.claims is None or claim.id in planned.claims:
                checks[shard_of[table_id]].append(
                    TableCheck(claim=claim.id, table=table_id, parameters=parameters)
                )
        if planned.mine:
            searches[shard_of[table_id]].append(
                TableSearch(table=table_id, what=tuple(planned.mine))
            )
    return checks, searches


def standing_parts(catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the statements that need no table, by the name of the part of them that one job checks."""
    ids = [claim.id for claim in catalogue.claims.values() if claim.pattern is None]
    return in_parts(ids, CHECK_STATEMENTS, STATEMENT_PARTS)


def height_parts(box: HeightBox | None) -> dict[str, AskedOfHeights]:
    """Return what is asked of all height functions of a box, by the name of the part that one job answers."""
    if box is None:
        return {}
    asked: list[AskedOfHeights] = [
        {"asked": what, "side": box.side, "height": box.height} for what in ASKED_OF_HEIGHTS
    ]
    return {digest({MINE_HEIGHTS.name: part}): part for part in asked}


def write_orders(
    paths: Paths,
    catalogue: Catalogue,
    checks: Checks,
    searches: Searches,
    standing: Mapping[str, list[str]],
    parts: Mapping[str, Proofs],
    decided: Mapping[str, StatementPart],
    heights: Mapping[str, AskedOfHeights],
) -> None:
    """Write the work orders of a run, each only if its content is new, and remove those that are no longer wanted."""

    def to_decide(work: Work, ids: Iterable[str]) -> Mapping[str, Any]:
        order = DecisionOrder(
            work=work.name,
            format=FORMAT,
            code=code_digest(PROOF_CODE),
            checker=checker_version(),
            certificates=paths.certificates.as_posix(),
            claims={i: catalogue.claims[i].as_json() for i in sorted(ids)},
        )
        return dict(order)

    def to_check(work: Work, ids: Iterable[str]) -> StatementOrder:
        return StatementOrder(
            work=work.name,
            format=FORMAT,
            code=code_digest(CLAIM_CODE),
            earlier=paths.verdicts.as_posix(),
            claims={i: catalogue.claims[i].as_json() for i in sorted(ids)},
        )

    documents: dict[Work, dict[str, Mapping[str, Any]]] = {
        CHECK: {
            shard: CheckOrder(
                **dict(to_check(CHECK, {check.claim for check in asked})),
                manifest=paths.manifest(shard),
                checks=tuple(asked),
            ).model_dump(mode="json")
            for shard, asked in checks.items()
        },
        MINE: {
            shard: MineOrder(
                work=MINE.name,
                format=FORMAT,
                code=code_digest(MINING_CODE),
                manifest=paths.manifest(shard),
                searches=tuple(asked),
            ).model_dump(mode="json")
            for shard, asked in searches.items()
        },
        CHECK_STATEMENTS: {
            part: to_check(CHECK_STATEMENTS, ids).model_dump() for part, ids in standing.items()
        },
        PROVE: {
            part: ProofOrder(
                **to_decide(PROVE, {claim.claim for proof in chosen for claim in proof.claims}),
                proofs=tuple(chosen),
            ).model_dump()
            for part, chosen in parts.items()
        },
        PROVE_STATEMENTS: {
            part: StatementProofOrder(
                **to_decide(PROVE_STATEMENTS, order.claims),
                seconds=order.seconds,
                memory=order.memory,
                games=order.games,
            ).model_dump()
            for part, order in decided.items()
        },
        MINE_HEIGHTS: {
            part: {
                "work": MINE_HEIGHTS.name,
                "format": FORMAT,
                **asked,
                "code": code_digest(FINDING_CODE),
            }
            for part, asked in heights.items()
        },
    }
    for work, orders in documents.items():
        for old in paths.order(work, "any").parent.glob("*.json"):
            if old.stem not in orders:
                old.unlink()
        for name, document in orders.items():
            write_record_if_changed(paths.order(work, name), document)
