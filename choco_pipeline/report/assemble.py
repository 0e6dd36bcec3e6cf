"""From a ledger to the documents of a report: the page, the JSON and the CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from choco_pipeline.claims.conclusions.outcomes import (
    NOT_ASSERTED,
    SIGNS,
    engines_of,
    engines_text,
    is_proved,
)
from choco_pipeline.report.charts.figures import bokeh_script, galleries
from choco_pipeline.report.claims.pair_section import forms, pair_views
from choco_pipeline.report.claims.verdicts import ClaimView, claim_views, tally
from choco_pipeline.report.environment import environment
from choco_pipeline.report.family_proofs.family_pages import FamilyProofs
from choco_pipeline.report.findings import families
from choco_pipeline.report.found_statements.found import FoundStatements
from choco_pipeline.report.proved.proof_rows import WILD
from choco_pipeline.report.proved.proof_section import proof_section

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
    "statement",
]


def page(ledger: Mapping[str, Any], results: Path, found: FoundStatements | None = None) -> str:
    """Return the report as one HTML document that needs no other file and no network.

    Parameters
    ----------
    ledger
        As the ``ledger`` step writes it.
    results
        The folder that holds ``tables/``.
    found
        What the machine proposes, which the page then leads to.

    Raises
    ------
    StoreError
        If a table that is shown cannot be read.
    """
    views = claim_views(ledger)
    corrected = {pair["printed"] for pair in ledger["pairs"] if pair["kind"] == "misprint"}
    refuted = [view for view in views if view.verdict == "refuted" and view.is_asserted]
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            ledger=ledger,
            found=found,
            summary=summary(ledger, views),
            views=views,
            papers=_papers(views),
            facets=_facets(views),
            signs=SIGNS,
            refuted=[view for view in refuted if view.claim["id"] not in corrected],
            not_asserted=_not_asserted(views),
            misprinted=sum(view.claim["id"] in corrected for view in refuted),
            misprints=pair_views(ledger, views, "misprint"),
            disagreements=pair_views(ledger, views, "disagreement"),
            forms=forms(ledger),
            value_sets=families(ledger, "value-sets"),
            shifts=families(ledger, "shifts"),
            proofs=proof_section(ledger),
            family_pages=FamilyProofs.of(ledger).pages,
            wild=WILD,
            galleries=galleries(ledger, results),
            bokeh=bokeh_script(),
        )
    )


def summary(ledger: Mapping[str, Any], views: Sequence[ClaimView]) -> dict[str, Any]:
    """Return the numbers of a run: what was claimed, what was checked, how much was computed."""
    claims = {
        "conjectures": [view for view in views if view.is_open],
        "others": [view for view in views if view.is_asserted and not view.is_open],
        **{of: [v for v in views if v.claim["status"] == of] for of in NOT_ASSERTED},
    }
    return {
        "claims": {
            kind: {"number": len(chosen), "verdicts": {v: n for v, _, n in tally(chosen)}}
            for kind, chosen in claims.items()
        },
        "checks": sum(view.row["checks"] for view in views),
        "tables": len(ledger["tables"]),
        "positions": sum(table["positions"] for table in ledger["tables"]),
        "bytes": sum(table["bytes"] for table in ledger["tables"]),
        "seconds": ledger["seconds"],
    }


def report_json(ledger: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report for programs: the summary and the whole ledger."""
    return {**ledger, "summary": summary(ledger, claim_views(ledger))}


def verdict_frame(ledger: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row for each verdict, with the columns `COLUMNS`; positions and parameters as JSON."""
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    rulesets = {table["id"]: table["ruleset"] for table in ledger["tables"]}
    rows = []
    for verdict in ledger["verdicts"]:
        claim, shown = claims[verdict["claim"]], verdict["counterexample"] or {}
        position = shown.get("position")
        agreed, silent = engines_of(verdict) if is_proved(verdict) else ((), {})
        rows.append(
            {
                **{name: verdict[name] for name in COLUMNS if name in verdict},
                "paper": claim["paper"]["key"],
                "number": claim["number"],
                "status": claim["status"],
                "ruleset": rulesets.get(verdict["table"] or "", claim["ruleset"]),
                "parameters": json.dumps(verdict.get("for_all", verdict["parameters"])),
                "engines": " ".join(agreed),
                "no_answer": json.dumps(silent) if silent else None,
                "counterexample": None if position is None else json.dumps(position),
                "found": shown.get("found"),
                "claimed": shown.get("claimed"),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def row_frame(ledger: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row for each claim, with the columns `ROW_COLUMNS`; counts, bounds and what decides as JSON."""
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    rows = []
    for row in ledger["rows"]:
        claim = claims[row["claim"]]
        shown = {name: claim[name] for name in ("number", "status", "statement")}
        packed = {
            name: None if row[name] is None else json.dumps(row[name])
            for name in ("counts", "bound", "decided")
        }
        packed["engines"] = engines_text(row["engines"])
        rows.append({**row, **shown, **packed, "paper": claim["paper"]["key"]})
    return pd.DataFrame(rows, columns=ROW_COLUMNS)


def _not_asserted(views: Sequence[ClaimView]) -> list[tuple[str, str, list[ClaimView]]]:
    """Return what no paper asserts by status, each with a heading, as far as the run says anything of it."""
    said = [view for view in views if view.verdict not in ("unchecked", "undecided")]
    groups = [
        (status, heading, [view for view in said if view.claim["status"] == status])
        for status, heading in NOT_ASSERTED.items()
    ]
    return [group for group in groups if group[-1]]


def _papers(views: Sequence[ClaimView]) -> list[tuple[Mapping[str, Any], list[ClaimView]]]:
    """Return the papers with their claims, in order."""
    papers: dict[str, list[ClaimView]] = {}
    for view in views:
        papers.setdefault(view.claim["paper"]["key"], []).append(view)
    return [(chosen[0].claim["paper"], chosen) for chosen in papers.values()]


def _facets(views: Sequence[ClaimView]) -> dict[str, Mapping[str, int]]:
    """Return what the ledger can be filtered by: the statuses and verdicts that occur, each with its number."""
    return {
        "status": Counter(view.claim["status"] for view in views),
        "verdict": {verdict: number for verdict, _, number in tally(views)},
    }
