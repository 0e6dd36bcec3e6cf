"""``choco claims list`` and ``show``: claims with the results of the last run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import ClaimRow
from choco_pipeline.claims.conclusions.rows import engines_text
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry, Paper
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.cli.checking import CLAIMS, explain
from choco_pipeline.cli.output import emit, wrapped
from choco_pipeline.commands import DEFAULT_CONFIG, command
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.description import inside
from choco_pipeline.shipped import project_file
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import PROJECT, RESULTS

#: The result of a claim that no run has checked.
UNKNOWN = "–"


@dataclass(frozen=True)
class ClaimSource:
    """The claims of a command, and the ledger of the last run if there is one."""

    catalogue: Catalogue
    #: The configuration of the run.
    config: Path
    #: The ledger of its last run, if any.
    ledger: Ledger | None
    #: The claims files given as options; empty for all, or those of the configuration.
    files: tuple[Path, ...] = ()
    #: The claims files of the configuration.
    files_of_run: tuple[Path, ...] = ()

    def command(self, *words: object) -> str:
        """Return a command ``choco claims`` that reads the same claims."""
        files = [word for file in self.files for word in ("--file", file)]
        return command("claims", *words, *files, config=self.config.as_posix())

    def is_in_run(self, claim: Claim) -> bool:
        """Whether a run of the configuration includes this very statement."""
        known = load_catalogue(self.files_of_run).claims.get(claim.id)
        return known is not None and known.as_json() == claim.as_json()

    def row(self, claim_id: str) -> ClaimRow | None:
        """Return the last run's row on a claim, if any."""
        rows = () if self.ledger is None or self._has_changed(claim_id) else self.ledger.rows
        return next((row for row in rows if row.claim == claim_id), None)

    def verdicts(self, claim_id: str) -> list[ClaimVerdict]:
        """Return the last run's verdicts on a claim."""
        if self.ledger is None or self._has_changed(claim_id):
            return []
        return [verdict for verdict in self.ledger.verdicts if verdict.claim == claim_id]

    def _has_changed(self, claim_id: str) -> bool:
        """Whether the last run has another statement with this id."""
        formal = json.dumps(self.catalogue.claims[claim_id].as_json())
        known = () if self.ledger is None else self.ledger.claims
        return any(one.id == claim_id and json.dumps(one.formal) != formal for one in known)

    def ruleset(self, verdict: ClaimVerdict) -> str | None:
        """Return the game of a verdict's table, if it has one."""
        tables = () if self.ledger is None else self.ledger.tables
        return next((t["ruleset"] for t in tables if t["id"] == verdict.table), None)


def open_source(files: list[Path], config: Path | None) -> ClaimSource:
    """Read claims files, and the last run's ledger.

    By default these are all files of the project, or those of `config`.
    """
    ledger: Ledger | None = None
    of_run: list[Path] = []
    of = config or Path(DEFAULT_CONFIG)
    if config is not None or project_file(of).is_file():
        document, _ = load_config(of)
        written = RESULTS / document.run / "ledger.json"
        ledger = Ledger.read(written) if written.is_file() else None
        for name in document.claims:
            inside(PROJECT, name)
            of_run.append(project_file(PROJECT / name))
    named = of_run if config is not None else []
    chosen = files or named or sorted(project_file(CLAIMS).glob("*.yaml"))
    if not chosen:
        raise ConfigError(
            f"no claims files: {CLAIMS} has none; --file FILE names one, `choco claims new` writes one"
        )
    return ClaimSource(load_catalogue(chosen), of, ledger, tuple(files), tuple(of_run))


def list_claims(
    source: ClaimSource, paper: str | None, status: str | None, verdict: str | None, json: bool
) -> None:
    """Print the claims with this paper, status and verdict, one on a line."""
    papers = {of.key: of for _, _, of in _entries(source.catalogue)}
    if paper is not None and paper not in papers:
        raise ConfigError(f"no claim is of a paper {paper!r}: papers are {', '.join(papers)}")
    chosen: dict[str, list[Mapping[str, Any]]] = {key: [] for key in papers}
    for claim, entry, of in _entries(source.catalogue):
        row = source.row(claim.id)
        found = row.verdict if row else None
        if paper in (None, of.key) and status in (None, entry.status) and verdict in (None, found):
            chosen[of.key].append(
                {
                    "id": claim.id,
                    "paper": of.key,
                    "number": entry.number,
                    "status": entry.status,
                    "kind": claim.check.kind,
                    "statement": claim.summary,
                    "words": entry.words,
                    "verdict": found,
                    "text": row.text if row else None,
                }
            )
    every = [line for lines in chosen.values() for line in lines]
    if json:
        emit({"run": source.ledger and source.ledger.run, "claims": every})
        return
    for key, lines in chosen.items():
        if lines:
            print(wrapped(f"{key}: {papers[key].title}, {_reference(papers[key])}", further="  "))
        for line in lines:
            name = f"{line['id']}  {line['number']} ({line['status']})"
            print(wrapped(f"{name}: {line['text'] or UNKNOWN}", "  ", "      "))
        if lines:
            print()
    print(f"{len(every)} of {len(source.catalogue.claims)} claims")


def show_claim(source: ClaimSource, claim_id: str, json: bool) -> None:
    """Print a claim with all its results."""
    claim = source.catalogue.claims.get(claim_id)
    if claim is None:
        raise ConfigError(source.catalogue.unknown(claim_id))
    verdicts = source.verdicts(claim_id)
    row = source.row(claim_id)
    if not json:
        print("\n".join(_page(source, claim, row, verdicts)))
        return
    emit(
        {
            **claim.as_ledger().model_dump(),
            "formal": dict(_formal(claim)),
            "last": row and row.model_dump(),
            "verdicts": [
                {**verdict.document(), "ruleset": source.ruleset(verdict)} for verdict in verdicts
            ],
            "commands": _commands(source, claim, verdicts),
        }
    )


def _page(
    source: ClaimSource, claim: Claim, row: ClaimRow | None, verdicts: list[ClaimVerdict]
) -> Iterator[str]:
    entry, paper = claim.statement, claim.paper
    assert isinstance(entry, Entry)
    assert paper is not None
    place = f", {entry.where}" if entry.where else ""
    yield f"{claim.id}: {entry.number} ({entry.status}){place}"
    yield wrapped(f"{', '.join(paper.authors)}: {paper.title}, {_reference(paper)}")
    yield ""
    yield wrapped(entry.words)
    if entry.note:
        yield wrapped(f"Note: {entry.note}")
    yield ""
    for name, text in _formal(claim):
        yield wrapped(f"{name:9} {text}", further=" " * 10)
    yield from _relations(source.catalogue, claim)
    yield ""
    if not verdicts:
        yield f"No run of {source.config.as_posix()} has checked it."
        if not source.is_in_run(claim):
            yield "To check it in a run, name its file under `claims` in a configuration."
    else:
        yield from _last_run(source, row, verdicts)
    yield ""
    if row and row.verdict in ("proved", "proved-for-listed"):
        yield row.command
    yield from _commands(source, claim, verdicts)


def _last_run(
    source: ClaimSource, row: ClaimRow | None, verdicts: list[ClaimVerdict]
) -> Iterator[str]:
    assert source.ledger is not None
    counts = Counter(verdict.verdict for verdict in verdicts)
    counted = ", ".join(f"{count} {name}" for name, count in counts.items())
    outcome = row.text if row else counted
    yield wrapped(f"Last run, {source.ledger.run}: {outcome}", further="  ")
    if row:
        checks = "check" if len(verdicts) == 1 else "checks"
        yield wrapped(f"{len(verdicts)} {checks}: {counted}", "  ", "  ")
        engines = engines_text(row.engines)
        if engines:
            yield wrapped(f"engines that agree on what is proved: {engines}", "  ", "  ")
    refuted = [verdict for verdict in verdicts if verdict.verdict == "refuted"]
    if refuted:
        yield ""
        least = refuted[0]  # or the refutation that the claim's row names
        if row is not None and row.decided is not None:
            at = (row.decided.table, row.decided.parameters)
            least = next((v for v in refuted if (v.table, v.parameters) == at), least)
        assert least.counterexample is not None
        yield from explain(least.counterexample, source.ruleset(least))
        return
    largest = max(verdicts, key=lambda verdict: verdict.positions)
    given = f"{assigned(largest.parameters)}: " if largest.parameters else ""
    yield wrapped(f"{given}{largest.text}", "  ", "  ")


def _formal(claim: Claim) -> Iterator[tuple[str, str]]:
    statement = claim.statement
    yield "claims", claim.summary
    if statement.ruleset:
        yield "ruleset", statement.ruleset
    for quantifier, spans in (("every", statement.every), ("some", statement.some)):
        if spans:
            yield quantifier, ", ".join(f"{name} in {span}" for name, span in spans.items())
    if statement.when:
        yield "when", statement.when.text
    if statement.for_all:
        yield "for all", statement.for_all.text
    if statement.follows_from:
        lemmas = ", ".join(statement.follows_from.lemmas)
        claims = ", ".join(statement.follows_from.claims)
        yield "follows from", f"{claims}, by {lemmas}" if lemmas else claims


def _relations(catalogue: Catalogue, claim: Claim) -> Iterator[str]:
    """Yield sentences on corrections of this claim, and on contradictions."""
    entry = claim.statement
    assert isinstance(entry, Entry)
    if entry.corrects:
        yield f"It is the intended form of {entry.corrects}, which is kept as printed."
    for other in entry.contradicts:
        yield f"It cannot be true together with {other}."
    for other_claim, other_entry, _ in _entries(catalogue):
        if other_entry.corrects == claim.id:
            yield f"The intended form is {other_claim.id}: this is as printed."
        if claim.id in other_entry.contradicts and other_claim.id not in entry.contradicts:
            yield f"It cannot be true together with {other_claim.id}."


def _commands(source: ClaimSource, claim: Claim, verdicts: Sequence[ClaimVerdict]) -> list[str]:
    """Return the commands that check the claim again.

    A claim without a sample is checked on the smallest table of the last run.
    """
    entry = claim.statement
    words: list[str] = []
    run = [command("run", source.config.as_posix())] if source.is_in_run(claim) else []
    if claim.pattern is not None and isinstance(entry, Entry) and entry.sample is None:
        tables = {} if source.ledger is None else {t["id"]: t for t in source.ledger.tables}
        on_tables = [verdict for verdict in verdicts if verdict.table in tables]
        if not on_tables:
            return run
        least = min(on_tables, key=lambda verdict: int(tables[verdict.table]["bound"]))
        words = [f"{name}={value}" for name, value in least.parameters.items()]
        words += ["--bound", str(tables[least.table]["bound"])]
    return [source.command("check", claim.id, *words), *run]


def _entries(catalogue: Catalogue) -> Iterable[tuple[Claim, Entry, Paper]]:
    for claim in catalogue.claims.values():
        if isinstance(claim.statement, Entry) and claim.paper is not None:
            yield claim, claim.statement, claim.paper


def _reference(paper: Paper) -> str:
    year = "" if paper.year is None or str(paper.year) in paper.reference else f" ({paper.year})"
    return paper.reference + year
