"""The ledger of a run: every claim and its verdicts, and the claims over several tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import TypeAdapter

from choco_pipeline.claims.conclusions.comparisons import check_across
from choco_pipeline.claims.conclusions.rows import pairs, require_agreement, rows
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Undecided, verdict_text
from choco_pipeline.commands import command
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.mining.table_findings import Finding
from choco_pipeline.proof.records import GameProof
from choco_pipeline.provenance import versions
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.paths import Paths
from choco_pipeline.sweep.plan_document import Plan, outcomes, read_plan
from choco_pipeline.sweep.run_ledger import Ledger
from choco_pipeline.tables.storage.journal import forget
from choco_pipeline.tables.storage.store import BuiltTable

_FINDING: TypeAdapter[Finding] = TypeAdapter(Finding)


def write_ledger(plan_file: str, out_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Gather what a run has found, the verdicts and findings of a plan, into one document, whole or not at all; return the numbers of each.

    The report is called as ``report(Stage.REPORT, documents=1)``.
    """
    return _write(read_plan(Path(plan_file)), plan_file, out_file, report)


def write_first_ledger(
    plan_file: str, out_file: str, report: Callable[..., None]
) -> dict[str, int]:
    """Gather what tables say of claims: as `write_ledger` does for a plan that looks for nothing in them, and for no proofs."""
    plan = read_plan(Path(plan_file))
    before: Plan = {
        **plan,
        "title": f"{plan['title']} (before searches and proofs)",
        "jobs": {**plan["jobs"], Stage.MINE: {}, Stage.PROVE: {}},
        "prove": [],
    }
    return _write(before, plan_file, out_file, report)


def _write(
    plan: Plan, plan_file: str, out_file: str, report: Callable[..., None]
) -> dict[str, int]:
    paths = Paths.of_plan(Path(plan_file))
    entries: dict[str, BuiltTable] = {}
    stamped: dict[str, str] = {}
    for shard in plan["shards"]:
        manifest = read_record(paths.manifest(shard))
        entries |= manifest["tables"]
        forget(paths.manifest(shard))
        stamped = manifest["versions"]
    tables = [{**table, **entries[table["id"]]} for table in plan["tables"]]
    catalogue = load_catalogue([Path(name) for name in plan["claims_files"]])
    verdicts = [
        _with_place(ClaimVerdict.model_validate(verdict), catalogue)
        for stage in (Stage.CHECK, Stage.PROVE)
        for outcome in outcomes(plan, paths, stage)
        for verdict in outcome["verdicts"]
    ]
    findings = list(findings_of(plan, paths))
    proved = {
        (proof.ruleset, proof.relation): proof
        for outcome in outcomes(plan, paths, Stage.PROVE)
        for proof in map(GameProof.model_validate, outcome.get("proofs", ()))
    }
    proofs = [proved[order["ruleset"], order["relation"]] for order in plan["prove"]]
    require_agreement(catalogue, verdicts)
    across = check_across(catalogue, verdicts)
    # What one table says of a claim over several is only a number, and has been compared by now.
    verdicts = [v for v in verdicts if not catalogue.claims[v.claim].is_over_tables] + across
    claim_rows = rows(catalogue, verdicts, plan["config"])
    built = [entries[table["id"]] for table in plan["tables"]]
    stored = [table["seconds"] + table["seconds_to_store"] for table in built]
    ledger = Ledger(
        format=plan["format"],
        run=plan["run"],
        title=plan["title"],
        config=plan["config"],
        command=command("run", plan["config"]),
        versions={**versions(), "tables built by": stamped.get("commit", "unknown")},
        seconds={
            "tables": round(sum(stored), 2),
            "checks": round(sum(verdict.seconds for verdict in verdicts), 2),
            "mining": round(sum(finding.seconds for finding in findings), 2),
            "proofs": round(sum(proof.seconds for proof in proofs), 2),
        },
        claims=tuple(claim.as_ledger() for claim in catalogue.claims.values()),
        rows=claim_rows,
        pairs=pairs(catalogue, claim_rows),
        verdicts=tuple(verdicts),
        tables=tuple(tables),
        proofs=tuple(proofs),
        findings=tuple(findings),
    )
    write_record(Path(out_file), ledger.document())
    report(Stage.REPORT, documents=1)
    counted = ("claims", "verdicts", "proofs", "findings")
    return {name: len(getattr(ledger, name)) for name in counted}


def findings_of(plan: Plan, paths: Paths) -> Iterator[Finding]:
    """Yield the findings of a run in the order of its tables, or raise `StoreError` as `outcomes`."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for outcome in outcomes(plan, paths, Stage.MINE):
        for document in outcome.get("findings", ()):
            found[document["table"]].append(_FINDING.validate_python(document))
    for table in plan["tables"]:
        yield from found.get(table["id"], ())


def _with_place(verdict: ClaimVerdict, catalogue: Catalogue) -> ClaimVerdict:
    """Return a verdict that says in which file, line and column the formula stands that has no value."""
    place = catalogue.places.get(verdict.claim, {}).get(verdict.evidence.get("key", ""))
    if place is None:
        return verdict
    located = Undecided(f"{place}: {verdict.why}")
    return verdict.model_copy(update={"why": located.why, "text": verdict_text(located)})
