"""``choco check`` and ``claims``: check, list, show and write claims."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from choco_pipeline.api.check import (
    CHECK_SECONDS,
    CLAIMS,
    PROOF_SECONDS,
    Trials,
    certificate_trials,
    claim_of,
    deciding_trials,
    statement_trials,
    trials_for_all_integers,
    trials_for_all_parameters,
)
from choco_pipeline.api.progress import Bars, bars, waiting
from choco_pipeline.api.terminal import emit, in_time, note
from choco_pipeline.claims.conclusions.conclusion import ClaimRow, Outcome
from choco_pipeline.claims.conclusions.rows import engines_text, rows
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.claims_file import Entry, Paper, Status
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    Proved,
    Refuted,
    VerdictKind,
    domain_text,
)
from choco_pipeline.claims.quick_trial import ProcessorTime, Trial, trials
from choco_pipeline.cli.output import SETTINGS, Json, wrapped
from choco_pipeline.commands import CHOCO, DEFAULT_CONFIG, command
from choco_pipeline.documents.files import write_text
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import FormulaError, Range, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.description import inside
from choco_pipeline.games.pictures import draw_text
from choco_pipeline.report.claims import formal_lines
from choco_pipeline.shipped import project_file
from choco_pipeline.statements.tree import text_of
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import PROJECT, RESULTS

app = typer.Typer(**SETTINGS)
claims_app = typer.Typer(no_args_is_help=True, **SETTINGS)
app.add_typer(claims_app, name="claims")
TEMPLATE = Path(__file__).parent / "claims_template.yaml"
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file",
        help="A claims file (repeatable); all in config/claims/ by default.",
        metavar="FILE",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Use the claims files of a configuration, and the results of its last run;"
        " config/config.yaml's last run by default.",
        metavar="CONFIG",
    ),
]
#: The result of a claim that no run has checked.
UNKNOWN = "–"
#: Positions with larger coordinates are not drawn.
LARGEST_DRAWN = 60
#: ``NAME=VALUE``; ``==`` and ``=>`` belong to statements.
VALUE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(?![=>])(.*)", re.DOTALL)
#: The verdict on several cases is the first verdict here that occurs.
WEAKEST_FIRST: tuple[VerdictKind, ...] = (
    "refuted",
    "undecided",
    "holds-to-bound",
    "exhausted",
    "proved",
    "vacuous",
)
HOLDS = ("holds-to-bound", "exhausted", "proved")


def read_words(words: Sequence[str]) -> tuple[list[str], dict[str, int | Range]]:
    """Split words into texts and pairs ``NAME=VALUE``."""
    ids: list[str] = []
    given: dict[str, int | Range] = {}
    for word in words:
        parts = VALUE.fullmatch(word)
        if parts is None:
            ids.append(word)
            continue
        name, text = parts.groups()
        try:
            value = parse_range(text.strip(), names=())
            last = int(value.last.value({}))
        except FormulaError as error:
            raise ConfigError(f"{word}: {error}") from error
        if not value.values({}):
            raise ConfigError(f"{word}: the range is empty")
        given[name] = last if value.first == value.last else value
    return list(dict.fromkeys(ids)), given


@app.command(context_settings={"ignore_unknown_options": True})
def check(
    words: Annotated[
        list[str],
        typer.Argument(
            help="A ruleset and a statement, 'solid-bar(f=(x+z)//k)' 'P <=> x ^ y ^ z == 0', and values for the names in"
            " the ruleset, k=1..9. A statement about integers has no ruleset.",
            metavar="[RULESET] STATEMENT [NAME=VALUE…]",
        ),
    ],
    bound: Annotated[
        int | None, typer.Option(help="Bound of the tables; for integers, the value of N.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Search for proofs for all positions instead.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="With --prove: limit of CPU seconds for each game.")
    ] = PROOF_SECONDS,
    json: Json = False,
) -> int:
    """Check a statement about a game, and show the least counterexample.

    The exit code is 0 if it holds up to the bound or is proved, 1 if it is refuted, undecided or vacuous, and 2 for a mistake
    in the input.
    """
    texts, given = read_words(words)
    # Unknown options arrive here, because a statement may begin with a minus sign.
    for text in (text for text in texts if text.startswith("--")):
        raise ChocoError(f"check: unknown option {text}; `choco check --help` lists all")
    if len(texts) not in (1, 2):
        raise ChocoError(
            "check: a game and a statement are needed, such as 'nim(2)' 'P <=> a == b'"
        )
    game = texts[0] if len(texts) == 2 else None
    claim = claim_of(game, texts[-1])
    with waiting("proving" if prove else "checking"):
        trials = list(statement_trials(claim, given, bound, seconds, prove=prove))
    verdict = next(kind for kind in WEAKEST_FIRST if any(t.verdict == kind for t in trials))
    if json:
        cases = [_case(claim, trial) for trial in trials]
        decisive = next(case for case in cases if case["verdict"] == verdict)
        statement = {"statement": text_of(claim.proposition), "game": claim.statement.ruleset}
        emit({**decisive, **statement, "cases": cases})
    else:
        print(wrapped(claim.summary))
        for trial in trials:
            label = f"{assigned(trial.parameters)}: " if trial.parameters else ""
            print(wrapped(f"{label}{trial.text}", "  ", "    "))
        refutations = ((t.finding.verdict, t.ruleset) for t in trials)
        print_first(
            pictures(one.counterexample, game)
            for one, game in refutations
            if isinstance(one, Refuted)
        )
    return 0 if verdict in HOLDS else 1


def _case(claim: Claim, trial: Trial) -> dict[str, Any]:
    engines = trial.finding.evidence.get("engines", [] if trial.bound is not None else ["own"])
    return {
        **trial_document(trial, trial_verdict(claim, trial)),
        "domain": _domain(claim, trial),
        "engines": list(engines) if trial.verdict == "proved" else [],
    }


def _domain(claim: Claim, trial: Trial) -> str:
    """Return the positions or integers of a verdict in words."""
    verdict = trial.finding.verdict
    match trial.verdict:
        case "proved" if isinstance(verdict, Proved):
            return domain_text(verdict.unit, verdict.reach, None)
        case "exhausted":
            return "every case of the statement"
        case _ if trial.bound is None and claim.pattern is None:
            return "integers"
        case _ if trial.bound is None or claim.shape in RECTANGULAR:
            return "the positions of the game"
        case _:
            return f"{'integers' if trial.ruleset is None else 'coordinates'} up to {trial.bound:,}"


def trial_verdict(claim: Claim, trial: Trial, *, is_by_proof: bool = False) -> ClaimVerdict:
    """Return the verdict of a trial; its `table` is the ruleset."""
    of_trial: dict[str, Any] = {"table": trial.ruleset, "bound": trial.bound}
    if is_by_proof:
        of_trial["certificate"] = None
    if trial.for_all is not None:
        of_trial["for_all"] = trial.for_all
    return ClaimVerdict.of(claim.id, trial.parameters, trial.finding, trial.seconds, **of_trial)


def trial_document(trial: Trial, verdict: ClaimVerdict) -> Mapping[str, object]:
    """Return a trial and its verdict as plain data."""
    document = verdict.document()
    for key in ("claim", "table", "certificate"):
        document.pop(key, None)
    return {**document, "ruleset": trial.ruleset, "quantity": trial.quantity}


# ---- Counterexamples.


def explain(counterexample: Counterexample, ruleset: str | None) -> Iterator[str]:
    """Yield lines with a description and a drawing of a counterexample."""
    position = counterexample.position
    if position is None:
        yield f"found {counterexample.found}; claimed {counterexample.claimed}"
        return
    names = counterexample.coordinates
    place = assigned(dict(zip(names, position, strict=False)))
    where = f"{ruleset}, " if ruleset else ""
    claimed = f"claimed: {counterexample.claimed}"
    yield wrapped(f"{where}{place}: {counterexample.found}; {claimed}")
    if ruleset is not None and counterexample.reason:
        yield wrapped(counterexample.reason)
    yield from pictures(counterexample, ruleset)


def pictures(counterexample: Counterexample, ruleset: str | None) -> Iterator[str]:
    """Yield lines with drawings of a counterexample and its winning option."""
    position, option = counterexample.position, counterexample.option
    if ruleset is None or position is None:
        return
    yield from _drawn(ruleset, position)
    if option is not None:
        yield f"the winning option ({', '.join(map(str, option))}), a P-position:"
        yield from _drawn(ruleset, option)
    yield f"to see it: {command('value', ruleset, *position)}"


def _drawn(ruleset: str, position: Sequence[int]) -> Iterator[str]:
    if max(position) > LARGEST_DRAWN:
        return
    try:
        yield f"\n{draw_text(parse_ruleset(ruleset), position)}\n"
    except RulesetError:  # a printed position may be illegal
        return


def print_first(explanations: Iterable[Iterator[str]]) -> None:
    """Print the lines of the first explanation, if there is one."""
    for lines in explanations:
        print("".join(f"\n{line}" for line in lines).replace("\n\n\n", "\n\n"))
        return


# ---- ``choco claims``.


@dataclass(frozen=True)
class ClaimSource:
    """The claims of a command, with the ledger of the last run if there is one."""

    catalogue: Catalogue
    #: The configuration of the run.
    config: Path
    #: The ledger of the configuration's last run, if any.
    ledger: Ledger | None
    #: The claims files from the command line; empty for the default files.
    files: Sequence[Path]
    #: The claims files of the configuration.
    files_of_run: Sequence[Path]
    #: The last run's row on each claim, its verdicts, and the games of its tables. Claims that have changed since then are left out.
    rows: Mapping[str, ClaimRow]
    verdicts: Mapping[str, list[ClaimVerdict]]
    rulesets: Mapping[str | None, str]

    def command(self, *words: object) -> str:
        """Return a ``choco claims`` command that reads the same claims."""
        files = [word for file in self.files for word in ("--file", file)]
        return command("claims", *words, *files, config=self.config.as_posix())

    def is_in_run(self, claim: Claim) -> bool:
        """Whether the configuration has the claim with the same statement."""
        known = load_catalogue(self.files_of_run).claims.get(claim.id)
        return known is not None and known.as_json() == claim.as_json()


def open_source(files: list[Path] | None, config: Path | None) -> ClaimSource:
    """Read claims files and the ledger of the last run.

    The default files are those of `config`, or all of config/claims without it.
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
    catalogue = load_catalogue(chosen)
    rows, verdicts, rulesets = dict[str, ClaimRow](), defaultdict[str, list[ClaimVerdict]](list), {}
    if ledger is not None:
        formal = {claim.id: dumps(claim.as_json()) for claim in catalogue}
        changed = {c.id for c in ledger.claims if dumps(c.formal) != formal.get(c.id)}
        rows = {row.claim: row for row in ledger.rows if row.claim not in changed}
        rulesets = {table["id"]: table["ruleset"] for table in ledger.tables}
        for verdict in ledger.verdicts:
            if verdict.claim not in changed:
                verdicts[verdict.claim].append(verdict)
    return ClaimSource(catalogue, of, ledger, files or (), of_run, rows, verdicts, rulesets)


@claims_app.callback()
def claims() -> None:
    """List, show and check claims of papers, or write your own."""


@claims_app.command("list")
def list_claims(
    paper: Annotated[str | None, typer.Option(help="Only claims of this paper's key.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only claims with this status.")] = None,
    verdict: Annotated[
        Outcome | None, typer.Option(help="Only claims with this verdict in the last run.")
    ] = None,
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """List claims, paper by paper, with the verdict of the last run."""
    source = open_source(file, config)
    papers = {of.key: of for _, _, of in _entries(source.catalogue)}
    if paper is not None and paper not in papers:
        raise ConfigError(f"--paper: {paper!r} has no claims; papers are {', '.join(papers)}")
    chosen: dict[str, list[Mapping[str, Any]]] = {key: [] for key in papers}
    for claim, entry, of in _entries(source.catalogue):
        row = source.rows.get(claim.id)
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
    all_lines = [line for lines in chosen.values() for line in lines]
    if json:
        emit({"run": source.ledger and source.ledger.run, "claims": all_lines})
        return
    for key, lines in chosen.items():
        if lines:
            print(wrapped(f"{key}: {papers[key].title}, {_reference(papers[key])}", further="  "))
        for line in lines:
            name = f"{line['id']}  {line['number']} ({line['status']})"
            print(wrapped(f"{name}: {line['text'] or UNKNOWN}", "  ", "      "))
        if lines:
            print()
    print(f"{len(all_lines)} of {len(source.catalogue.claims)} claims")


@claims_app.command("show")
def show_claim(
    claim_id: Annotated[str, typer.Argument(help="The claim's id.", metavar="ID")],
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Show one claim in words and formulas, with its last results."""
    source = open_source(file, config)
    claim = source.catalogue[claim_id]
    row = source.rows.get(claim_id)
    if not json:
        print("\n".join(_page(source, claim)))
        return
    emit(
        {
            **claim.as_ledger().model_dump(),
            "formal": dict(formal_lines(claim.as_ledger())),
            "last": row and row.model_dump(),
            "verdicts": [
                {**verdict.document(), "ruleset": source.rulesets.get(verdict.table)}
                for verdict in source.verdicts[claim_id]
            ],
            "commands": _commands(source, claim),
        }
    )


def _page(source: ClaimSource, claim: Claim) -> Iterator[str]:
    entry, paper, row = claim.statement, claim.paper, source.rows.get(claim.id)
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
    for name, text in formal_lines(claim.as_ledger()):
        yield wrapped(f"{name}: {text}", further="    ")
    yield from _relations(source.catalogue, claim)
    yield ""
    if source.ledger is None or not source.verdicts[claim.id]:
        yield f"No run of {source.config.as_posix()} has checked it."
        if not source.is_in_run(claim):
            yield "To check it in a run, add its file to `claims` in a configuration."
    else:
        yield from _last_run(source, source.ledger.run, claim)
    yield ""
    proof = [row.command] if row and row.verdict in ("proved", "proved-for-listed") else []
    yield from dict.fromkeys([*proof, *_commands(source, claim)])


def _last_run(source: ClaimSource, run: str, claim: Claim) -> Iterator[str]:
    row, verdicts = source.rows.get(claim.id), source.verdicts[claim.id]
    counts = Counter(verdict.verdict for verdict in verdicts)
    counted = ", ".join(f"{count} {name}" for name, count in counts.items())
    outcome = row.text if row else counted
    yield wrapped(f"Last run, {run}: {outcome}", further="  ")
    if row:
        checks = "check" if len(verdicts) == 1 else "checks"
        yield wrapped(f"{len(verdicts)} {checks}: {counted}", "  ", "  ")
        engines = engines_text(row.engines)
        if engines:
            yield wrapped(f"engines that agree on the proofs: {engines}", "  ", "  ")
    refuted = [verdict for verdict in verdicts if verdict.verdict == "refuted"]
    if refuted:
        yield ""
        least = refuted[0]  # or the refutation that the claim's row names
        if row is not None and row.decided is not None:
            at = (row.decided.table, row.decided.parameters)
            least = next((v for v in refuted if (v.table, v.parameters) == at), least)
        assert least.counterexample is not None
        yield from explain(least.counterexample, source.rulesets.get(least.table))
        return
    largest = max(verdicts, key=lambda verdict: verdict.positions)
    given = f"{assigned(largest.parameters)}: " if largest.parameters else ""
    yield wrapped(f"{given}{largest.text}", "  ", "  ")


def _relations(catalogue: Catalogue, claim: Claim) -> Iterator[str]:
    """Yield sentences on the corrections of a claim and on contradictions."""
    entry = claim.statement
    assert isinstance(entry, Entry)
    if entry.corrects:
        yield f"It is the intended form of {entry.corrects}, which is kept as printed."
    for other in entry.contradicts:
        yield f"It cannot be true together with {other}."
    for other_claim, other_entry, _ in _entries(catalogue):
        if other_entry.corrects == claim.id:
            yield f"The intended form is {other_claim.id}; this is the printed form."
        if claim.id in other_entry.contradicts and other_claim.id not in entry.contradicts:
            yield f"It cannot be true together with {other_claim.id}."


def _commands(source: ClaimSource, claim: Claim) -> list[str]:
    """Return the commands that check the claim again.

    For a claim without a sample, they use the smallest table of the last run.
    """
    entry = claim.statement
    words: list[str] = []
    run = [command("run", source.config.as_posix())] if source.is_in_run(claim) else []
    if claim.pattern is not None and isinstance(entry, Entry) and entry.sample is None:
        tables = {} if source.ledger is None else {t["id"]: t for t in source.ledger.tables}
        on_tables = [v for v in source.verdicts[claim.id] if v.table in tables]
        if not on_tables:
            return run
        least = min(on_tables, key=lambda verdict: int(tables[verdict.table]["bound"]))
        words = [f"{name}={value}" for name, value in least.parameters.items()]
        words += ["--bound", str(tables[least.table]["bound"])]
    return [source.command("check", claim.id, *words), *run]


def _entries(catalogue: Catalogue) -> Iterable[tuple[Claim, Entry, Paper]]:
    for claim in catalogue:
        if isinstance(claim.statement, Entry) and claim.paper is not None:
            yield claim, claim.statement, claim.paper


def _reference(paper: Paper) -> str:
    year = "" if paper.year is None or str(paper.year) in paper.reference else f" ({paper.year})"
    return paper.reference + year


# ---- ``choco claims check``.


@claims_app.command("check")
def check_claims(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of claims, and values for their parameters: k=3, or k=2..20 step 2.",
            metavar="ID… [NAME=VALUE…]",
        ),
    ] = None,
    bound: Annotated[
        int | None, typer.Option(min=0, help="Bound of the tables, instead of the sample's.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All claims.")] = False,
    proofs: Annotated[
        bool,
        typer.Option(
            "--proofs",
            help="Instead: check the certificates of the last run. Exit code 0 only if all of them prove their claims.",
        ),
    ] = False,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Instead: prove them. Claims with `for_all` are proved for all parameters, statements about integers for all"
            " integers, others for each game of the sample or the values. Exit code 0 only if everything is proved.",
        ),
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Limit of CPU seconds for the trials of a claim, or for a proof; beyond it the result is undecided."
            f" {CHECK_SECONDS:g} by default, {PROOF_SECONDS:g} for a proof.",
        ),
    ] = None,
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Check claims on tables or by proof; exit code 1 if one is refuted."""
    source = open_source(file, config)
    catalogue, is_by_proof = source.catalogue, proofs or prove
    if is_by_proof and (everything or bound is not None or (proofs and prove)):
        raise ConfigError(
            "--proofs and --prove cannot be combined with --all, with a bound, or with each other"
        )
    ids, given = read_words(words or [])
    if everything == bool(ids):
        raise ConfigError("name a claim, or --all; `choco claims list` shows all")
    if given and proofs:
        raise ConfigError("--proofs takes ids of claims, and nothing else")
    limit = seconds or (PROOF_SECONDS if is_by_proof else CHECK_SECONDS)

    def trials_of(claim: Claim, progress: Bars) -> Trials:
        if proofs:
            proved = [verdict for verdict in source.verdicts[claim.id] if verdict.is_proved]
            if not proved:
                raise ConfigError(f"claim {claim.id}: the last run has no proof of it")
            return (), certificate_trials(claim, proved, catalogue, limit)
        if prove:
            return deciding_trials(claim, catalogue, given, None, limit)
        by_proof: Iterable[Trial] = ()
        # Without further options, the decision for all integers or all parameters is also shown.
        if not everything and not given and bound is None:
            if claim.statement.follows_from is not None:
                by_proof = trials_for_all_parameters(claim, catalogue, limit)
            elif claim.is_about_integers and not claim.is_finite:
                by_proof = trials_for_all_integers(claim, limit)
        bar = progress.add_task(claim.id, total=None)
        clock = ProcessorTime(limit, "--seconds allows more")

        def report(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        return trials(claim, given, bound, report, clock.counted), by_proof

    chosen = [catalogue[claim_id] for claim_id in ids] or list(catalogue)
    documents: list[Mapping[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for claim in chosen:
        try:
            with bars() as progress:
                both = trials_of(claim, progress)
                documents.append(_print_trials(claim, *both, json))
        except ChocoError as error:
            if not everything and not (is_by_proof and len(chosen) > 1):
                raise
            skipped.append({"claim": claim.id, "why": str(error)})
            note(f"skipped: {error}")
    refuted = sum(bool(document["refuted"]) for document in documents)
    status, is_right = ("refuted", False) if refuted else ("not refuted", True)
    if is_by_proof:
        found = {trial["verdict"] for document in documents for trial in document["trials"]}
        is_right = bool(found) and not skipped and found <= {"proved", "exhausted"}
        status = "proved" if is_right else "not proved"
    if json:
        emit({"status": status, "claims": documents, "skipped": skipped})
    elif len(chosen) > 1 and not is_by_proof:
        print(f"{len(documents)} claims tried, {refuted} refuted, {len(skipped)} not tried")
    return 0 if is_right else 1


def _print_trials(
    claim: Claim, by_tables: Iterable[Trial], by_proof: Iterable[Trial], json: bool
) -> Mapping[str, Any]:
    """Print trials when they end, and their conclusion; return both as plain data."""
    if not json:
        print(f"{claim.id}: {claim.summary}")
    trials: list[Trial] = []
    verdicts: list[ClaimVerdict] = []
    for trial, is_by_proof in chain(((t, False) for t in by_tables), ((t, True) for t in by_proof)):
        trials.append(trial)
        verdicts.append(trial_verdict(claim, trial, is_by_proof=is_by_proof))
        if not json:
            bound = "" if trial.bound is None else f"bound {trial.bound:,}"
            label = ", ".join(filter(None, (assigned(trial.parameters), bound)))
            label = label if trial.for_all is None else trial.for_all.text
            line = f"{verdicts[-1].text} ({in_time(trial.seconds)})"
            print(wrapped(f"{label}: {line}" if label else line, "  ", "    "), flush=True)
    refuted = [
        (verdict.counterexample, trial.ruleset)
        for trial, verdict in zip(trials, verdicts, strict=True)
        if verdict.counterexample is not None
    ]
    (row,) = rows(Catalogue({claim.id: claim}), verdicts)
    if not json:
        engines = engines_text(row.engines)
        print(wrapped(f"{claim.id}: {row.text}{f'; engines: {engines}' if engines else ''}"))
        print_first(explain(*one) for one in refuted)
        print()
    return {
        "claim": claim.id,
        "verdict": row.verdict,
        "conclusion": row.text,
        "engines": [engine.model_dump() for engine in row.engines],
        "refuted": len(refuted),
        "trials": [trial_document(*trial) for trial in zip(trials, verdicts, strict=True)],
    }


# ---- ``choco claims new``.


@claims_app.command("new")
def new_claims(
    file: Annotated[
        Path | None,
        typer.Argument(help="The file to write; standard output by default.", metavar="[FILE]"),
    ] = None,
    json: Json = False,
) -> None:
    """Write a template of a claims file, with comments."""
    text = TEMPLATE.read_text(encoding="utf-8").replace("{choco}", CHOCO, 1)
    if file is not None:
        inside(PROJECT, str(file))
        if file.suffix not in (".yaml", ".yml"):
            raise ConfigError(f"{file}: the name of a claims file must end with .yaml")
        if file.exists() or file.is_symlink():
            raise ConfigError(
                f"{file}: the file exists and is not overwritten; choose another name"
            )
        write_text(file, text)
    if json:
        emit({"file": None if file is None else file.as_posix(), "text": text})
    elif file is None:
        print(text, end="")
    else:
        again = command("claims", "check", "--all", "--file", file)
        print(f"{file}: written. Now: {again}")
