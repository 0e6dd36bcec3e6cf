"""Tasks of the stage `check`, and the cache of verdicts across runs."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder
from choco_pipeline.claims.checks.check import check_standing, pass_of_claim
from choco_pipeline.claims.checks.evidence import side_by_side
from choco_pipeline.claims.kinds import Evaluated, HeightFunctions, Sections
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict, Exhausted, Vacuous
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.provenance import digest, library_versions
from choco_pipeline.stages import Stage
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.store import store_of

FORMAT = 1


@dataclass
class EarlierVerdicts:
    """Verdicts of earlier runs on one table, or on one statement without a table.

    They are one record in the folder of verdicts, which all runs share.

    A verdict is valid for the same checking code and libraries, the same deciding parts of the claim, the same parameters and the
    same cells. Two kinds are not kept: undecided ones, because time or memory may have been short, and those that depend on
    another game, whose description is no part of the claim.
    """

    #: The record; None to keep none.
    path: Path | None
    #: The code, the libraries and the table on which the verdicts depend.
    about: Mapping[str, Any]
    _known: dict[str, Any] = field(default_factory=dict)
    _is_new: bool = False

    def __post_init__(self) -> None:
        """Read the record, if there is one for this code and table."""
        if self.path is None:
            return
        try:
            record = read_record(self.path)
            if record["about"] == self.about:
                self._known = dict(record["verdicts"])
        except (ChocoError, KeyError, TypeError, ValueError):
            pass  # missing or damaged: a new record is written

    @classmethod
    def of(
        cls, order: StatementOrder, name: str, table: str | None, entry: Mapping[str, Any]
    ) -> EarlierVerdicts:
        """Return the verdicts in the record of this name.

        The digest in a table's entry covers all its cells.
        """
        path = None if order.earlier is None else Path(order.earlier) / f"{name}.json"
        keys = ("ruleset", "identity", "bound", "quantity", "digest")
        of_table = {key: entry[key] for key in keys if table is not None}
        about = {"format": FORMAT, "code": order.code, "libraries": library_versions()}
        return cls(path, {**about, "table": table, **of_table})

    def find(self, claim: Claim, parameters: Mapping[str, int]) -> ClaimVerdict | None:
        """Return the earlier verdict on a claim; None if there is none."""
        try:
            verdict = ClaimVerdict.model_validate(self._known[_key(claim, parameters)])
        except (KeyError, ValidationError):
            return None
        found = verdict.claim, verdict.table, dict(verdict.parameters)
        return verdict if found == (claim.id, self.about["table"], dict(parameters)) else None

    def add(self, claim: Claim, verdict: ClaimVerdict) -> None:
        """Add a verdict, if it can be used again."""
        # On a single table, a claim that compares tables is undecided, but the number in its evidence is kept.
        is_decided = verdict.verdict != "undecided" or claim.is_over_tables
        if is_decided and not claim.refers_to_other_games:
            self._known[_key(claim, verdict.parameters)] = verdict.document()
            self._is_new = True

    def keep(self) -> None:
        """Write the record, if anything was added."""
        if self.path is not None and self._is_new:
            write_record(self.path, {"about": dict(self.about), "verdicts": self._known})


def _key(claim: Claim, parameters: Mapping[str, int]) -> str:
    return digest([claim.as_json(), dict(parameters)])


Outcome = dict[str, list[dict[str, Any]]]


def check_shard(order_document: Mapping[str, Any], report: Callable[..., None]) -> Outcome:
    """Check claims on the tables of a shard; all claims share one reading of a table.

    Earlier verdicts are not checked again. Only some chunks of a table are in memory at a time. The order is a `CheckOrder` as
    plain data; ``report(Stage.CHECK, checks=1, positions=n)`` is called for each check. The verdicts have the order of the checks.
    """
    order = CheckOrder.model_validate(order_document)
    built = read_record(order.manifest)
    store, entries = store_of(order.manifest, built), built["tables"]
    checks_of_table: dict[str, list[int]] = defaultdict(list)
    for i, check in enumerate(order.checks):
        checks_of_table[check.table].append(i)
    verdicts: dict[int, ClaimVerdict] = {}

    def record(i: int, verdict: ClaimVerdict) -> None:
        verdicts[i] = verdict
        report(Stage.CHECK, checks=1, positions=verdict.positions)

    for table_id, numbers in checks_of_table.items():
        entry = entries[table_id]
        earlier = EarlierVerdicts.of(order, table_id, table_id, entry)
        todo = []
        for i in numbers:
            check = order.checks[i]
            verdict = earlier.find(order.statements[check.claim], check.parameters)
            if verdict is None:
                todo.append(i)
            else:
                record(i, verdict)
        if todo:
            cells = Cells.open(store, table_id, entry)
            checks = [order.checks[i] for i in todo]
            passes = [pass_of_claim(order.statements[c.claim], c.parameters, cells) for c in checks]
            for at, finding, seconds in side_by_side(passes):
                claim, parameters = checks[at].claim, checks[at].parameters
                verdict = ClaimVerdict.of(
                    claim, parameters, finding, seconds, table=table_id, bound=cells.bound
                )
                earlier.add(order.statements[claim], verdict)
                record(todo[at], verdict)
            earlier.keep()
    return {"verdicts": [verdicts[i].document() for i in sorted(verdicts)]}


def check_standing_statements(
    order_document: Mapping[str, Any], report: Callable[..., None]
) -> Outcome:
    """Check the statements of a `StatementOrder`, as `check_shard` checks tables.

    Verdicts have ``"table": null``; the bound is the value of `N`, or null where it is no bound because every case was checked.
    """
    order = StatementOrder.model_validate(order_document)
    verdicts = []
    for claim_id, claim in order.statements.items():
        earlier = EarlierVerdicts.of(order, f"statements/{_key(claim, {})}", None, {})
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
