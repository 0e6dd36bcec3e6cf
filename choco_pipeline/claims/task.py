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
from choco_pipeline.games import parse_ruleset
from choco_pipeline.provenance import digest, library_versions
from choco_pipeline.stages import Stage
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.store import StoredCells, TableEntry, store_of

FORMAT = 1


@dataclass
class EarlierVerdicts:
    """The verdicts on one table, or on one statement that needs none: a record of its own in the folder of all runs.

    A verdict is valid for the same checking code and libraries, the same deciding parts of the claim, the same parameters and the
    same cells; the name of its file does not matter. Two kinds are not kept: undecided ones, because time or memory may have been
    short, and those that depend on another game, whose description is no part of the claim.
    """

    #: The record; None to keep none.
    path: Path | None
    #: What the verdicts follow from, beside claims and parameters.
    about: Mapping[str, Any]
    _known: dict[str, Any] = field(default_factory=dict)
    _is_new: bool = False

    def __post_init__(self) -> None:
        """Read the record, if there is one and it is about this."""
        if self.path is None:
            return
        try:
            record = read_record(self.path)
            if record["about"] == self.about:
                self._known = dict(record["verdicts"])
        except (ChocoError, KeyError, TypeError, ValueError):
            pass  # no such file, or nothing that can be read: it is made anew

    @classmethod
    def on_table(
        cls, folder: str | None, code: str, table: str, entry: TableEntry
    ) -> EarlierVerdicts:
        """Return the verdicts on a table, in the folder of those of all runs, None to keep none; its entry's digest is one of all its cells."""
        path = None if folder is None else Path(folder) / f"{table}.json"
        of_table = {
            "ruleset": entry["ruleset"],
            "identity": entry["identity"],
            "bound": entry["bound"],
            "quantity": entry["quantity"],
            "digest": entry["digest"],
        }
        return cls(path, {**_about(code), "table": table, **of_table})

    @classmethod
    def of_statement(cls, folder: str | None, code: str, claim: Claim) -> EarlierVerdicts:
        """Return the verdict on a statement that needs no table, as `on_table`."""
        name = f"{_key(claim, {})}.json"
        path = None if folder is None else Path(folder) / "statements" / name
        return cls(path, {**_about(code), "table": None})

    def find(self, claim: Claim, parameters: Mapping[str, int]) -> ClaimVerdict | None:
        """Return the earlier verdict on a claim; None if there is none."""
        try:
            verdict = ClaimVerdict.model_validate(self._known[_key(claim, parameters)])
        except (KeyError, ValidationError):
            return None
        is_on_this = (verdict.claim, verdict.table, dict(verdict.parameters)) == (
            claim.id,
            self.about["table"],
            dict(parameters),
        )
        return verdict if is_on_this else None

    def add(self, claim: Claim, verdict: ClaimVerdict) -> None:
        """Add a verdict, if it can be used again."""
        # One table gives only a number for a claim that compares several, which stays undecided until then.
        is_decided = verdict.verdict != "undecided" or claim.is_over_tables
        if is_decided and not claim.speaks_of_other_games:
            self._known[_key(claim, verdict.parameters)] = verdict.document()
            self._is_new = True

    def keep(self) -> None:
        """Write the record, if anything was added."""
        if self.path is not None and self._is_new:
            write_record(self.path, {"about": dict(self.about), "verdicts": self._known})


def _about(code: str) -> dict[str, object]:
    return {"format": FORMAT, "code": code, "libraries": library_versions()}


def _key(claim: Claim, parameters: Mapping[str, int]) -> str:
    return digest([claim.as_json(), dict(parameters)])


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
