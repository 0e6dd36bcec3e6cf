"""``choco verify``, ``repair`` and ``export`` of stored results."""

from __future__ import annotations

import json as json_format
import multiprocessing
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from choco_pipeline.api.check import load_claims
from choco_pipeline.api.lock import results_lock
from choco_pipeline.api.progress import bars
from choco_pipeline.api.terminal import emit, note
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli.output import SETTINGS, Json, wrapped
from choco_pipeline.cli.prove import checked_lines, described_lines, differences
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.files import read_json
from choco_pipeline.errors import ChocoError, ConfigError, StoreError
from choco_pipeline.finding.statement import FoundDocument, FoundStatement
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.counts import b_file
from choco_pipeline.proof.checker import FAMILIES, PROGRAM, Checked, check_family, check_files
from choco_pipeline.proof.limits import Limited, OverLimitError
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.claim_certificate import FOLDER as CLAIMS
from choco_pipeline.proof.task import PREPARED_BY
from choco_pipeline.report import exports
from choco_pipeline.report.exports import Format, What
from choco_pipeline.report.found import b_files
from choco_pipeline.report.published import Published, compare_run
from choco_pipeline.report.run_crate import FOLDER, faults_of_crate
from choco_pipeline.sweep.damage import damaged
from choco_pipeline.sweep.ledger import ledger_of, tables_of
from choco_pipeline.sweep.run_files import RESULTS, Paths, all_records, read_plan
from choco_pipeline.tables import verification
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.machine import cores

app = typer.Typer(**SETTINGS)
#: Number of parts of the certificates for each core. Each part starts the checker once, and is a step of progress.
PARTS_PER_CORE = 8
#: Memory limit in GiB for the check of a family's certificate.
MEMORY = 4
T = TypeVar("T")


@app.command()
def verify(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Manifests (….done.json); by default all below results/, all certificates, and all other documents of runs."
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Instead: compare runs with the results in config/published, digest by digest.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Chooses the random positions.")] = 0,
    seconds: Annotated[
        float, typer.Option(help="Limit of CPU seconds for each certificate.", min=0.1)
    ] = 60.0,
    json: Json = False,
) -> int:
    """Verify stored tables, certificates and documents of runs.

    Checksums of tables are compared, and sampled positions are computed by definition. checker/check.py checks certificates of games
    and claims, checker/families.py those of families. The statement of each certificate is printed. The exit code is 1 if something
    is wrong or was not checked, or if a claim or a game in a certificate differs from that of the same name in config.
    """
    if published:
        if manifests:
            raise ConfigError("verify: --published compares whole runs; no manifest is needed")
        return _verify_published(json)
    others = [] if manifests else list(all_records(RESULTS))
    unusable = {path.as_posix(): why for path, why in damaged(others)}
    crates = [] if manifests else sorted(RESULTS.glob(f"*/{FOLDER}"))
    for path, why in chain.from_iterable(map(faults_of_crate, crates)):
        unusable[path.as_posix()] = f"{path}: {why}"
    verified = partial(verification.verify_manifest, seed=seed, report=ignore)
    tables = _on_all_cores(verified, _manifests(manifests), unusable)
    certificates = [] if manifests else _check_certificates(seconds)
    wrong = [
        f"{_table_name(table)}: {table.wrong}" for _, table in tables if table.wrong is not None
    ]
    faults = [f"wrong: {why}" for why in (*unusable.values(), *wrong)]
    for certificate, outcome, unlike in certificates:
        if not json:
            lines = (wrapped(line, "  ", "    ") for line in outcome.statement)
            print(f"{outcome.answer}: {certificate}", *lines, sep="\n")
        if outcome.answer != "proved":
            faults.append(f"{outcome.answer}: {certificate}: {outcome.why}")
        faults += [f"not as in this project: {certificate}: {other}" for other in unlike]
    for fault in faults:
        note(fault)
    checked = sum(table.checked for _, table in tables)
    code = 1 if faults else 0
    if json:
        emit(
            {
                "status": "wrong" if code else "right",
                "tables": len(tables),
                "positions": checked,
                "records": [{"manifest": m.as_posix(), **asdict(table)} for m, table in tables],
                "certificates": [
                    {"certificate": path, **asdict(outcome), "differences": unlike}
                    for path, outcome, unlike in certificates
                ],
                "documents": len(others),
                "unusable": unusable,
            }
        )
        return code
    summary = f"wrong: {counted(len(wrong), 'table')}" if wrong else "nothing is wrong"
    print(
        f"{counted(len(tables), 'table')}: every checksum and digest compared, {counted(checked, 'position')} checked"
        f" against the definition; {summary}"
    )
    if certificates:
        answers = Counter(outcome.answer for _, outcome, _ in certificates)
        numbers = ", ".join(f"{number:,} {answer}" for answer, number in answers.items())
        differing = sum(bool(unlike) for _, _, unlike in certificates)
        unchecked = answers["out of time"] + answers["undecided"]
        print(
            f"{counted(len(certificates), 'certificate')}, of families by {FAMILIES.name}, others by {PROGRAM.name}:"
            f" {numbers}; not checked: {unchecked:,}; with a game or claim that differs here: {differing:,}"
        )
    if others or unusable:
        print(
            f"{counted(len(others), 'other document')} of runs; damaged, with manifests: {len(unusable):,}"
        )
    return code


def _verify_published(json: bool) -> int:
    runs = sorted(path.parent.name for path in RESULTS.glob("*/ledger.json"))
    plans = {run: read_plan(Paths(RESULTS, run).plan) for run in runs}
    compared = {run: compare_run(plans[run], ledger_of(run), _statements(run)) for run in runs}
    comparisons = {run: one for run, one in compared.items() if one is not None}
    if not comparisons:
        raise ConfigError(f"verify: {RESULTS} has no finished run whose results are published")
    if json:
        emit({run: asdict(comparison) for run, comparison in comparisons.items()})
    else:
        for run, comparison in comparisons.items():
            for difference in comparison.differences:
                note(f"{run}: {difference}")
            print(f"{run}: {comparison}")
    differ = any(one.differences or not one.is_same_input for one in comparisons.values())
    return 1 if differ else 0


def _statements(run: str) -> tuple[FoundStatement, ...]:
    return FoundDocument.read(Paths(RESULTS, run).found).statements


def _check_certificates(seconds: float) -> list[tuple[str, Checked, list[str]]]:
    """Check all certificates; return path, answer and `differences` of each."""
    games: dict[str, list[Path]] = defaultdict(list)
    families: list[Path] = []
    others: dict[Path, list[str]] = {}
    claims = load_claims().claims
    for name in ("certificates", "certificates/families", "proofs", "families"):
        folder = RESULTS / name
        for path in sorted([*folder.glob("*.json"), *folder.glob(f"{CLAIMS}/*/*.json")]):
            document = _document(path)
            others[path] = differences(document, claims)
            if document.get("kind") == "family":
                families.append(path)
            else:
                game = document.get("game")
                of_game = game if isinstance(game, dict) else document
                games[str(of_game.get("ruleset"))].append(path)
    parts: list[list[Path]] = [[] for _ in range(min(len(games), PARTS_PER_CORE * cores()))]
    for paths in sorted(games.values(), key=len, reverse=True):
        min(parts, key=len).extend(paths)
    outcomes: dict[Path, Checked] = {}
    with (
        ThreadPoolExecutor(cores()) as pool,
        Limited(PREPARED_BY) as prover,
        bars() as bar,
    ):
        task = bar.add_task("certificates", total=sum(map(len, parts)) + len(families))
        answers = pool.map(lambda paths: check_files(paths, seconds), parts)
        for path in families:
            outcomes[path] = _check_family_certificate(path, seconds, prover)
            bar.advance(task)
        for paths, checked in zip(parts, answers, strict=True):
            outcomes |= dict(zip(paths, checked, strict=True))
            bar.advance(task, len(paths))
    return [(path.as_posix(), outcomes[path], others[path]) for path in sorted(outcomes)]


def _check_family_certificate(path: Path, seconds: float, prover: Limited) -> Checked:
    """Check a family's certificate; a refutation of every member counts as proved."""
    limits = {"seconds": seconds, "memory": MEMORY}
    try:
        answer = prover.call(check_family, path.as_posix(), seconds, what="the check", **limits)
    except OverLimitError as error:
        return Checked("out of time", str(error))
    except UndecidedError as error:
        return Checked("undecided", str(error))
    except ChocoError as error:
        return Checked("no certificate", str(error))
    statement = (*checked_lines(answer), *described_lines(_document(path).get("games", {})))
    is_proved = answer["status"] == "proved" or answer["every_member"]
    return Checked("proved" if is_proved else answer["status"], answer["why"], statement)


def _document(path: Path) -> dict[str, Any]:
    """Return a file's JSON object, or an empty one."""
    try:
        document = read_json(path)
    except ChocoError:
        return {}
    return document if isinstance(document, dict) else {}


def _manifests(manifests: list[Path] | None) -> list[Path]:
    """Return these manifests, or all in the results folder.

    Raises `ChocoError` if one is missing, or the folder has none.
    """
    chosen = manifests or sorted(RESULTS.glob("tables/*.done.json"))
    for missing in (path for path in chosen if not path.is_file()):
        raise ChocoError(f"{missing}: cannot be read (no such file)")
    if not chosen:
        raise ChocoError(f"no manifests in {RESULTS / 'tables'}: nothing has been built yet")
    return chosen


def _on_all_cores(
    work: Callable[[str], list[T]], manifests: Sequence[Path], unusable: dict[str, str]
) -> list[tuple[Path, T]]:
    """Run `work` on each manifest; return its results for the tables, in order.

    The messages of failures are added to `unusable`.
    """
    processes = min(len(manifests), cores())
    # Processes are spawned, because this one has threads, which a fork would not copy.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    tables: list[tuple[Path, T]] = []
    with pool, bars() as bar:
        task = bar.add_task("shards", total=len(manifests))
        futures = {pool.submit(work, str(path)): path for path in manifests}
        try:
            for _ in as_completed(futures):
                bar.advance(task)
            for future, manifest in futures.items():
                try:
                    tables += [(manifest, table) for table in future.result()]
                except ChocoError as error:
                    unusable[manifest.as_posix()] = str(error)
        except BrokenProcessPool:
            raise StoreError(
                "a process that reads tables was killed; possibly there is too little memory"
            ) from None
    return tables


def _table_name(table: verification.VerifiedTable | verification.RepairedTable) -> str:
    return f"{table.ruleset}, bound {table.bound}, {table.quantity}"


@app.command()
def repair(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(help="Manifests (….done.json); all below results/ by default."),
    ] = None,
    json: Json = False,
) -> int:
    """Find damaged chunks in stored tables, and rebuild them.

    The exit code is 0 if nothing is damaged any more, and 1 if something could not be repaired.
    """
    chosen = _manifests(manifests)
    unusable: dict[str, str] = {}
    with results_lock(RESULTS):
        tables = _on_all_cores(verification.repair_manifest, chosen, unusable)
    damaged = [(manifest, table) for manifest, table in tables if table.damaged or table.why]
    for _, table in damaged:
        for fault in table.damaged:
            note(f"{'damaged' if table.why else 'repaired'}: {_table_name(table)}: {fault}")
        if table.why:
            note(f"not repaired: {_table_name(table)}: {table.why}")
    for why in unusable.values():
        note(f"not repaired: {why}")
    failed = sum(table.why is not None for _, table in damaged) + len(unusable)
    if json:
        status = "damaged" if failed else "repaired" if damaged else "right"
        records = [{"manifest": m.as_posix(), **asdict(table)} for m, table in damaged]
        emit({"status": status, "tables": len(tables), "records": records, "unusable": unusable})
    elif damaged or unusable:
        print(
            f"{counted(len(tables), 'table')}: {len(damaged):,} damaged, {len(damaged) + len(unusable) - failed:,} of them repaired;"
            f" unusable manifests: {len(unusable):,}"
        )
    else:
        print(f"{counted(len(tables), 'table')}: nothing is damaged")
    return 1 if failed else 0


@app.command()
def export(
    run: Annotated[str, typer.Argument(help="The run's name.")],
    what: Annotated[
        What, typer.Option(help="The part to export; digests are those of config/published.")
    ],
    as_: Annotated[Format, typer.Option("--as", help="The format.")] = "csv",
    game: Annotated[
        str | None,
        typer.Option(help="P-positions of this game only.", metavar="RULESET"),
    ] = None,
    bound: Annotated[
        int | None, typer.Option(min=0, help="P-positions with coordinates up to this only.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file; standard output by default.", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """Export a run's P-positions, found statements or claims."""
    if (as_ == "parquet" or json) and out is None:
        raise ConfigError(f"export: {'--json' if json else '--as parquet'} needs --out FILE")
    content = _content(run, what, as_, game, bound)
    if out is None:
        sys.stdout.write(content.decode())
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    if json:
        emit({"run": run, "what": what, "as": as_, "file": out.as_posix(), "bytes": len(content)})
    else:
        note(out.as_posix())


def _content(run: str, what: What, as_: Format, game: str | None, bound: int | None) -> bytes:
    ledger = ledger_of(run)
    match what:
        case "claims":
            return exports.frame_bytes(exports.row_frame(ledger), as_)
        case "statements":
            if as_ == "bfile":
                return "\n".join(b_files(_statements(run)).values()).encode()
            return exports.frame_bytes(exports.statement_rows(_statements(run)), as_)
        case "digests":
            if as_ != "json":
                raise ConfigError("--what digests: --as json is needed")
            plan = read_plan(Paths(RESULTS, run).plan)
            digests = Published.of_run(plan, ledger, _statements(run)).model_dump()
            return (json_format.dumps(digests, indent=0, ensure_ascii=False) + "\n").encode()
        case "p-positions":
            tables = _tables(run, game, bound)
            if as_ != "bfile":
                return exports.frame_bytes(exports.position_rows(tables), as_)
            if len(tables) != 1:
                raise ConfigError("--as bfile: P-positions need --game with a game of the run")
            return b_file(exports.p_position_counts(tables[0])).encode()


def _tables(run: str, game: str | None, bound: int | None) -> list[Cells]:
    """Return the largest table of each game, or of `game`, within a bound."""
    identity = None if game is None else parse_ruleset(game).identity
    largest: dict[str, Cells] = {}
    for cells in tables_of(run):
        known = largest.get(cells.game.identity)
        if identity in (None, cells.game.identity) and (known is None or known.bound < cells.bound):
            largest[cells.game.identity] = cells
    if not largest:
        raise ConfigError(f"run {run!r} has no table{'' if game is None else f' of {game}'}")
    return [cells if bound is None else cells.corner(bound) for cells in largest.values()]
