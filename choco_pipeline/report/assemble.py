"""Documents of a report for programs, and the numbers on its first page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST, tally
from choco_pipeline.claims.conclusions.rows import engines_text
from choco_pipeline.report.claim_views import ClaimView, claim_views
from choco_pipeline.sweep.ledger import Ledger

COLUMNS = [
    "claim",
    "paper",
    "number",
    "status",
    "ruleset",
    "parameters",
    "table",
    "bound",
    "verdict",
    "reach",
    "printed",
    "engines",
    "no_answer",
    "positions",
    "counterexample",
    "found",
    "claimed",
    "why",
    "text",
    "seconds",
]
ROW_COLUMNS = [
    "claim",
    "paper",
    "number",
    "status",
    "verdict",
    "text",
    "checks",
    "counts",
    "parameters",
    "proved_for",
    "for_all",
    "follows_from",
    "engines",
    "bound",
    "positions",
    "seconds",
    "decided",
    "command",
    "words",
]

#: Number of named parts of each stage: those that took longest.
MOST_NAMED = 3


def summary(ledger: Ledger, views: Sequence[ClaimView]) -> Mapping[str, Any]:
    """Return the numbers of a run: claims, checks, tables, positions, times."""
    claims = {
        "conjectures": [view for view in views if view.is_open],
        "question": [view for view in views if view.claim.status == "question"],
        "others": [view for view in views if view.is_asserted and not view.is_open],
        "ours": [view for view in views if view.claim.status == "ours"],
    }
    return {
        "claims": {
            group: {
                "number": len(chosen),
                "verdicts": tally((view.verdict for view in chosen), STRONGEST_FIRST),
            }
            for group, chosen in claims.items()
        },
        "checks": sum(view.row.checks for view in views),
        "tables": len(ledger.tables),
        "positions": sum(table["positions"] for table in ledger.tables),
        "bytes": sum(table["bytes"] for table in ledger.tables),
        "seconds": ledger.seconds,
    }


def report_json(ledger: Ledger) -> Mapping[str, object]:
    """Return the report for programs: the summary and the whole ledger."""
    return {**ledger.document(), "summary": summary(ledger, claim_views(ledger))}


def verdict_frame(ledger: Ledger) -> pd.DataFrame:
    """Return one row for each verdict, with the columns `COLUMNS`.

    Positions and parameters are JSON.
    """
    claims = {claim.id: claim for claim in ledger.claims}
    rulesets = {table["id"]: table["ruleset"] for table in ledger.tables}
    rows = []
    for verdict in ledger.verdicts:
        claim, refutes = claims[verdict.claim], verdict.counterexample
        position = refutes and refutes.position
        silent = verdict.no_answer if verdict.is_proved else {}
        parameters = verdict.parameters if verdict.for_all is None else verdict.for_all.model_dump()
        rows.append(
            {
                **{name: value for name, value in verdict if name in COLUMNS},
                "paper": claim.paper.key,
                "number": claim.number,
                "status": claim.status,
                "ruleset": rulesets.get(verdict.table or "", claim.ruleset),
                "parameters": json.dumps(parameters),
                "engines": " ".join(verdict.engines if verdict.is_proved else ()),
                "no_answer": json.dumps(silent) if silent else None,
                "counterexample": None if position is None else json.dumps(position),
                "found": refutes and refutes.found,
                "claimed": refutes and refutes.claimed,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def row_frame(ledger: Ledger) -> pd.DataFrame:
    """Return one row for each claim, with the columns `ROW_COLUMNS`.

    Counts, bounds and the deciding counterexample are JSON.
    """
    claims = {claim.id: claim for claim in ledger.claims}
    rows = []
    for row in ledger.rows:
        claim = claims[row.claim]
        document = row.model_dump()
        of_claim = {name: getattr(claim, name) for name in ("number", "status", "words")}
        packed = {
            name: None if document[name] is None else json.dumps(document[name])
            for name in ("counts", "bound", "decided")
        }
        packed["engines"] = engines_text(row.engines)
        rows.append({**document, **of_claim, **packed, "paper": claim.paper.key})
    return pd.DataFrame(rows, columns=ROW_COLUMNS)


@dataclass(frozen=True)
class RunTime:
    """The duration of a stage, or of a part of it."""

    what: str
    seconds: float
    #: Share of the longest stage.
    percent: float
    is_stage: bool


def run_times(ledger: Ledger) -> list[RunTime]:
    """Return the stages of a run, each followed by its longest parts."""
    claims = {claim.id: f"{claim.paper.key}, {claim.number}" for claim in ledger.claims}
    rulesets = {table["id"]: str(table["ruleset"]) for table in ledger.tables}
    parts: Mapping[str, Counter[str]] = {name: Counter() for name in ledger.seconds}
    for stage, what, seconds in (
        *(("tables", t["ruleset"], t["seconds"] + t["seconds_to_store"]) for t in ledger.tables),
        *(("checks", claims[v.claim], v.seconds) for v in ledger.verdicts),
        *(("mining", rulesets[f.table], f.seconds) for f in ledger.findings),
        *(("proofs", p.ruleset, p.seconds) for p in ledger.proofs),
    ):
        parts[stage][what] += seconds
    longest = max(ledger.seconds.values(), default=0)
    if not longest:
        return []

    def time(what: str, seconds: float, *, is_stage: bool) -> RunTime:
        return RunTime(what, seconds, round(100 * seconds / longest, 1), is_stage)

    times = []
    for stage, seconds in ledger.seconds.items():
        times.append(time(stage, seconds, is_stage=True))
        for what, part in parts[stage].most_common(MOST_NAMED):
            if part > 0:
                times.append(time(what, part, is_stage=False))
    return times
