"""From a ledger to the three documents of a report: the page, the JSON and the CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from choco_pipeline.report.figures import bokeh_script, galleries
from choco_pipeline.report.findings import families, pretty
from choco_pipeline.report.verdicts import SIGNS, ClaimView, claim_views, tally
from choco_pipeline.tables.cost import in_bytes

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
    "positions",
    "counterexample",
    "found",
    "claimed",
    "why",
    "text",
    "seconds",
]


def page(ledger: Mapping[str, Any], results: Path) -> str:
    """Return the report as one HTML document that needs no other file and no network.

    Parameters
    ----------
    ledger
        As the ``ledger`` step writes it.
    results
        The folder that holds ``tables/``.

    Raises
    ------
    StoreError
        If a table that is shown cannot be read.
    """
    environment = Environment(
        loader=PackageLoader("choco_pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": _count, "in_bytes": in_bytes, "pretty": pretty}
    views = claim_views(ledger)
    return environment.get_template("page.html.j2").render(
        ledger=ledger,
        summary=summary(ledger, views),
        views=views,
        papers=_papers(views),
        signs=SIGNS,
        refuted=[view for view in views if view.verdict == "refuted"],
        value_sets=families(ledger, "value-sets"),
        shifts=families(ledger, "shifts"),
        galleries=galleries(ledger, results),
        bokeh=bokeh_script(),
    )


def summary(ledger: Mapping[str, Any], views: Sequence[ClaimView]) -> dict[str, Any]:
    """Return the numbers of a run: what was claimed, what was checked, how much was computed."""
    claims = {
        "conjectures": [view for view in views if view.is_open],
        "others": [view for view in views if not view.is_open],
    }
    return {
        "claims": {
            kind: {"number": len(chosen), "verdicts": {v: n for v, _, n in tally(chosen)}}
            for kind, chosen in claims.items()
        },
        "checks": sum(len(view.cells) for view in views),
        "tables": len(ledger["tables"]),
        "positions": sum(table["positions"] for table in ledger["tables"]),
        "bytes": sum(table["bytes"] for table in ledger["tables"]),
        "seconds": ledger["seconds"],
    }


def report_json(ledger: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report for programs: the summary, each claim with what it comes to, and the whole ledger."""
    views = claim_views(ledger)
    outcome = {
        view.claim["id"]: {"verdict": view.verdict, "cells": {v: n for v, _, n in view.counts}}
        for view in views
    }
    claims = [{**claim, **outcome[claim["id"]]} for claim in ledger["claims"]]
    return {**ledger, "summary": summary(ledger, views), "claims": claims}


def verdict_frame(ledger: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row for each verdict, with the columns `COLUMNS`; positions and parameters as JSON."""
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    rulesets = {table["id"]: table["ruleset"] for table in ledger["tables"]}
    rows = []
    for verdict in ledger["verdicts"]:
        claim, shown = claims[verdict["claim"]], verdict["counterexample"] or {}
        position = shown.get("position")
        rows.append(
            {
                **{name: verdict[name] for name in COLUMNS if name in verdict},
                "paper": claim["paper"]["key"],
                "number": claim["number"],
                "status": claim["status"],
                "ruleset": rulesets.get(verdict["table"] or "", claim["ruleset"]),
                "parameters": json.dumps(verdict["parameters"]),
                "counterexample": None if position is None else json.dumps(position),
                "found": shown.get("found"),
                "claimed": shown.get("claimed"),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _papers(views: Sequence[ClaimView]) -> list[tuple[Mapping[str, Any], list[ClaimView]]]:
    """Return the papers with their claims, in order."""
    papers: dict[str, list[ClaimView]] = {}
    for view in views:
        papers.setdefault(view.claim["paper"]["key"], []).append(view)
    return [(chosen[0].claim["paper"], chosen) for chosen in papers.values()]


def _count(number: int, one: str, many: str = "") -> str:
    """Return ``1 table`` or ``1,234 tables``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
