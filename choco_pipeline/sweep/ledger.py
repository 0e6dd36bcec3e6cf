"""The ledger of a run: claims, verdicts, proofs, findings and tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from choco_pipeline.claims.conclusions.conclusion import ClaimPair, ClaimRow
from choco_pipeline.claims.conclusions.rows import check_across, pairs, require_agreement, rows
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.claims.language.verdict import ClaimVerdict, Undecided, verdict_text
from choco_pipeline.commands import command
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.table_findings import Finding
from choco_pipeline.proof.records import GameProof
from choco_pipeline.provenance import versions
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths, Plan, outcomes, read_plan
from choco_pipeline.tables.cells import Cells, stored_table
from choco_pipeline.tables.shard import Journal
from choco_pipeline.tables.store import TableEntry


class Ledger(RecordModel):
    """The results of a run, as the input of reports, commands and pages."""

    #: Version of the storage format of tables and findings.
    format: int
    #: The run's name, its title, its configuration file, and the command that repeats it.
    run: str
    title: str
    config: str
    command: str
    #: Versions of the program and its libraries, and the commit that built the tables.
    versions: Mapping[str, str]
    #: The ruleset of each sweep, with its parameters.
    sweeps: Mapping[str, str] = {}
    #: Seconds of each stage, summed over the workers.
    seconds: Mapping[str, float]
    #: All claims of the run's files, and a summary of the verdicts on each.
    claims: tuple[LedgerClaim, ...]
    rows: tuple[ClaimRow, ...]
    #: Pairs of claims that disagree.
    pairs: tuple[ClaimPair, ...]
    #: Verdicts on tables, by proofs, and over several tables.
    verdicts: tuple[ClaimVerdict, ...]
    #: For each table its entry in the plan, merged with that in the manifest.
    tables: tuple[Mapping[str, Any], ...]
    proofs: tuple[GameProof, ...] = ()
    findings: tuple[Finding, ...]

    def document(self) -> dict[str, object]:
        """Return the ledger as plain data."""
        return {**self.model_dump(), "verdicts": [verdict.document() for verdict in self.verdicts]}


def ledger_of(run: str) -> Ledger:
    """Return the ledger of a run; raise `ConfigError` if there is none."""
    file = RESULTS / run / "ledger.json"
    if Path(run).name != run or not file.is_file():
        raise ConfigError(f"no run {run!r}: {file} does not exist; `choco run` writes it")
    return Ledger.read(file)


def tables_of(run: str) -> Iterator[Cells]:
    """Yield the run's tables; their cells are read on demand."""
    for entry in ledger_of(run).tables:
        game = parse_ruleset(entry["ruleset"])
        yield Cells.of(game, entry["bound"], stored_table(RESULTS, entry))


_FINDING: TypeAdapter[Finding] = TypeAdapter(Finding)


def write_ledger(
    plan_file: str, out_file: str, report: Callable[..., None], *, first: bool = False
) -> dict[str, int]:
    """Write the ledger of a run; return its numbers of entries.

    The first ledger has no searches and proofs. `report` is called as ``report(Stage.REPORT, documents=1)``.
    """
    plan, paths = read_plan(Path(plan_file)), Paths.of_plan(Path(plan_file))
    if first:
        plan["title"] += " (before searches and proofs)"
        plan["jobs"] = {**plan["jobs"], Stage.MINE: {}, Stage.PROVE: {}}
        plan["prove"] = []
    entries: dict[str, TableEntry] = {}
    built_with: dict[str, str] = {}
    for shard in plan["shards"]:
        manifest = read_record(paths.manifest(shard))
        entries |= manifest["tables"]
        Journal.of(paths.manifest(shard)).clear()
        built_with = manifest["versions"]
    tables = [{**table, **entries[table["id"]]} for table in plan["tables"]]
    catalogue = load_catalogue([Path(name) for name in plan["claims_files"]])
    proof_outcomes = list(outcomes(plan, paths, Stage.PROVE))
    verdicts = [
        _with_place(ClaimVerdict.model_validate(verdict), catalogue)
        for outcome in (*outcomes(plan, paths, Stage.CHECK), *proof_outcomes)
        for verdict in outcome["verdicts"]
    ]
    findings = list(findings_of(plan, paths))
    proved = {
        (proof.ruleset, proof.relation): proof
        for outcome in proof_outcomes
        for proof in map(GameProof.model_validate, outcome.get("proofs", ()))
    }
    proofs = [proved[order["ruleset"], order["relation"]] for order in plan["prove"]]
    require_agreement(catalogue, verdicts)
    across = check_across(catalogue, verdicts)
    # For a claim over several tables, the verdict on one table is only a number for `check_across`.
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
        versions={**versions(), "tables built by": built_with.get("commit", "unknown")},
        sweeps={name: sweep["ruleset"] for name, sweep in plan["sweeps"].items()},
        seconds={
            "tables": round(sum(stored), 2),
            "checks": round(sum(verdict.seconds for verdict in verdicts), 2),
            "mining": round(sum(finding.seconds for finding in findings), 2),
            "proofs": round(sum(proof.seconds for proof in proofs), 2),
        },
        claims=tuple(claim.as_ledger() for claim in catalogue),
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
    """Yield the findings of a run in the order of its tables."""
    by_table: dict[str, list[Finding]] = defaultdict(list)
    for outcome in outcomes(plan, paths, Stage.MINE):
        for document in outcome.get("findings", ()):
            by_table[document["table"]].append(_FINDING.validate_python(document))
    for table in plan["tables"]:
        yield from by_table.get(table["id"], ())


def _with_place(verdict: ClaimVerdict, catalogue: Catalogue) -> ClaimVerdict:
    """Return a verdict, with the location of an undefined formula in its file."""
    place = catalogue.places.get(verdict.claim, {}).get(verdict.evidence.get("key", ""))
    if place is None:
        return verdict
    located = Undecided(f"{place}: {verdict.why}")
    return verdict.model_copy(update={"why": located.why, "text": verdict_text(located)})
