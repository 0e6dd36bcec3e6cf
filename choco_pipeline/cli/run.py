"""``choco run`` and ``plan``: run a configuration, or estimate its cost.

The summary of a run has at most 25 lines, or with `--verbose` a paragraph for each result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from choco_pipeline.api.run import jobs_to_run, perform, plan_numbers, running_time
from choco_pipeline.api.terminal import emit, in_short, in_time
from choco_pipeline.api.workers import capacity_of
from choco_pipeline.claims.conclusions.conclusion import (
    OUTCOMES,
    SIGNS,
    STRONGEST_FIRST,
    ClaimRow,
    Outcome,
    tally,
    words_of,
)
from choco_pipeline.claims.conclusions.rows import NOT_ASSERTED, engines_text
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli import output
from choco_pipeline.cluster.cluster_file import load_cluster
from choco_pipeline.commands import DEFAULT_CONFIG, command
from choco_pipeline.finding.statement import FoundDocument, FoundStatement
from choco_pipeline.report.published import compare_run
from choco_pipeline.stages import UNITS, Stage
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import RESULTS, Paths
from choco_pipeline.tables.computing import in_bytes

app = typer.Typer(**output.SETTINGS)
#: The colour of each outcome on a terminal.
COLOURS: Mapping[Outcome, str] = {
    "refuted": "red",
    "undecided": "yellow",
    "unchecked": "bright_black",
    "vacuous": "yellow",
    "holds-to-bound": "cyan",
    "exhausted": "green",
    "proved-for-listed": "cyan",
    "proved": "green",
}
#: Statuses of open problems; these come first.
OPEN = ("conjecture", "question")
#: Most listed conjectures and questions without proofs, and most new statements of each kind.
MOST_OPEN, MOST_OF_A_KIND = 8, 3
#: With `--verbose`: most new statements of each kind, and most claims that are neither open nor refuted.
MOST_NEW, MOST_OTHERS = 8, 10
#: Indents of the first line, before the sign, and of the others.
INDENT, FURTHER = "  ", "    "


@app.command()
def run(
    config: output.ConfigFile = Path(DEFAULT_CONFIG),
    cluster: output.ClusterName = None,
    workers: output.NumberOfWorkers = None,
    scheduler: output.Scheduler = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would run.")] = False,
    json: output.Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a paragraph for each result.")
    ] = False,
) -> int:
    """Run the sweeps of a configuration, and print a summary.

    The exit code is 0 if the report is written; 1 if a job failed or Snakemake was killed; 3 if two engines, or an engine and
    a definition, contradict each other; 128 and the signal's number after Ctrl-C or SIGTERM.
    """
    where = load_cluster(cluster, workers, scheduler)
    if dry_run:
        plan, jobs, amounts = jobs_to_run(config, capacity_of(where, cluster))
        status = "would run" if jobs else "nothing to do"
        if json:
            emit({"status": status, "run": plan["run"], "jobs": jobs, "work": amounts})
        elif not jobs:
            print("nothing to do: everything is up to date")
        else:
            for rule, count in jobs.items():
                what = f", {amounts[rule]:,} {UNITS[Stage(rule)]}" if rule in amounts else ""
                print(f"{rule}: {counted(count, 'job')}{what}")
        return 0
    done = perform(config, where, cluster)
    if done.code:
        if json:
            emit({**done.document(), "claims": None, "proofs": None, "published": None})
        return done.code
    ledger = Ledger.read(done.ledger)
    statements = FoundDocument.read(Paths(RESULTS, done.plan["run"]).found).statements
    comparison = compare_run(done.plan, ledger, statements)
    if json:
        results = {**count_verdicts(ledger), "proofs": count_proofs(ledger)}
        published = comparison and asdict(comparison)
        emit({**done.document(), **results, "published": published})
    else:
        show_summary(ledger, statements, Console(), verbose=verbose)
        if comparison is not None:
            print(comparison)
        print(f"report: {done.report}")
    return done.code


@app.command()
def plan(
    config: output.ConfigFile = Path(DEFAULT_CONFIG),
    cluster: output.ClusterName = None,
    workers: output.NumberOfWorkers = None,
    scheduler: output.Scheduler = None,
    json: output.Json = False,
) -> None:
    """Estimate the tables, positions, memory, disk space and time of a run."""
    run_plan, capacity, numbers = plan_numbers(config, cluster, workers, scheduler)
    if json:
        emit(numbers)
        return
    table = Table(
        title=f"{run_plan['title']} ({run_plan['config']})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    columns = ("sweep", "tables", "positions", "claims", "disk", "memory/task", "to build")
    for column in columns:
        table.add_column(column, justify="left" if column == "sweep" else "right", overflow="fold")
    total = numbers["total"]
    for row in [*numbers["sweeps"], {**total, "sweep": "in all"}]:
        table.add_row(
            row["sweep"],
            f"{row['tables']:,}",
            in_short(row["positions"]),
            f"{row['checks']:,}",
            in_bytes(row["bytes"]),
            in_bytes(row["memory"]),
            in_time(row["seconds"]),
            end_section=row is numbers["sweeps"][-1],
        )
    console = Console()
    console.print(table)
    for big in numbers["large"]:
        console.print(
            f"{big['ruleset']}, {big['quantity']} to {big['bound']:,}: {big['blocks']:,} blocks of"
            f" {big['rows']:,} × {big['columns']:,}, each {in_bytes(big['memory'])} of memory;"
            f" {in_bytes(big['bytes'])} on disk"
        )
    if run_plan["url"] is not None:
        console.print(f"new tables are stored in {run_plan['url']}")
    reused = f" ({total['finished']:,} exist already)" if total["finished"] else ""
    searched = sum(table["is_searched"] for table in run_plan["tables"])
    searches = f", {searched:,} of them searched" if searched else ""
    proving = ""
    if run_plan["prove"]:
        most = max(proof["seconds"] for proof in run_plan["prove"])
        proving = f", {counted(len(run_plan['prove']), 'proof')} of at most {most:,} seconds each"
    console.print(
        f"{counted(total['tables'], 'table')}{reused} in {counted(len(run_plan['shards']), 'shard')}{searches}{proving}."
    )
    console.print(f"The run: {running_time(run_plan, capacity.workers)}.")
    if capacity.memory is None:
        console.print(f"Memory: {capacity.whose}.")
    else:
        console.print(f"A worker has {in_bytes(capacity.memory)} of memory ({capacity.whose}).")


# ---- The summary.


def count_verdicts(ledger: Ledger) -> dict[str, dict[Outcome, int]]:
    """Return the numbers of verdicts, worst first, on claims, questions and remarks."""
    status = {claim.id: claim.status for claim in ledger.claims}
    groups: dict[str, list[Outcome]] = {group: [] for group in ("claims", *NOT_ASSERTED)}
    for row in ledger.rows:
        of = status[row.claim]
        groups[of if of in NOT_ASSERTED else "claims"].append(row.verdict)
    return {group: tally(outcomes) for group, outcomes in groups.items() if outcomes}


def count_proofs(ledger: Ledger) -> dict[str, int]:
    """Return the numbers of proved and of undecided games."""
    counts = Counter(proof.status for proof in ledger.proofs)
    return {status: counts[status] for status in ("proved", "undecided") if counts[status]}


def show_summary(
    ledger: Ledger, statements: Sequence[FoundStatement], console: Console, *, verbose: bool = False
) -> None:
    """Print a summary of a run; long lines are cut and end with "…".

    If `verbose`, no line is cut, and further claims and the reasons of undecided ones are printed.
    """
    numbers = _numbers(ledger)
    width = min(output.WIDTH, console.width) if console.is_terminal else output.WIDTH

    def paragraph(
        text: str, first: str = "", style: str = "", end: str = "", *, is_whole: bool = False
    ) -> None:
        """Print a paragraph; `end` is never cut, `style` applies to the sign in `first`."""
        cut = 0 if verbose or is_whole else 2
        lines = wrap(
            text,
            width - len(end) - cut,
            initial_indent=first,
            subsequent_indent=FURTHER,
            break_on_hyphens=False,
        )
        if cut:
            lines = [line + " …" * (len(lines) > 1) + end for line in lines[:1]]
        if lines:
            shown = Text("\n".join(lines))
            shown.stylize(style, *((len(INDENT), len(first) - 1) if first else ()))
            console.print(shown, soft_wrap=True)

    def heading(text: str, *, is_whole: bool = False) -> None:
        paragraph(text, style="bold", is_whole=is_whole)

    def item(outcome: Outcome, text: str, end: str = "") -> None:
        paragraph(text, f"{INDENT}{SIGNS[outcome][0]} ", COLOURS[outcome], end)

    claims = {claim.id: claim for claim in ledger.claims}
    name = {claim.id: f"{claim.paper.key} {numbers[claim.id]}" for claim in ledger.claims}
    unsolved = [row for row in ledger.rows if claims[row.claim].status in OPEN]
    headline = []
    for status in OPEN:
        outcomes = Counter(
            words_of(status, row.verdict) for row in unsolved if claims[row.claim].status == status
        )
        counts = ", ".join(f"{number:,} {words}" for words, number in outcomes.most_common())
        headline += [f"{status.capitalize()}s: {counts}."] if counts else []

    def show(title: str, rows: Sequence[ClaimRow], most: int, more: str) -> None:
        if rows:
            heading(title)
        for row in rows if verbose and not more else rows[:most]:
            engines = engines_text(row.engines) if verbose else ""
            by = f"; engines: {engines}" if engines else ""
            item(row.verdict, f"{name[row.claim]}: {row.text}{by}")
        if more and len(rows) > most:
            paragraph(f"+ {len(rows) - most:,} {more}", INDENT)

    heading(" ".join(headline), is_whole=True)
    rest = [row for row in unsolved if row.verdict not in ("proved", "exhausted")]
    rest.sort(key=lambda row: (row.verdict != "refuted", row.verdict == "unchecked"))
    show("", unsolved if verbose else rest, MOST_OPEN, "" if verbose else "more")
    general = [row for row in ledger.rows if row.for_all and row.verdict == "proved"]
    also = sum(row in unsolved for row in general)
    found = count_proofs(ledger).get("proved", 0)
    number = f"{counted(len(general), 'claim')}, {also:,} of them conjectures or questions"
    text = f"Proved for all parameters: {number}; for all positions: {counted(found, 'game')}"
    if general or found:
        heading(text)
    new = [
        statement
        for statement in sorted(statements, key=lambda one: STRONGEST_FIRST.index(one.verdict))
        if not statement.known and statement.verdict != "refuted" and statement.search != "heights"
    ]
    most = MOST_NEW if verbose else MOST_OF_A_KIND
    for title, is_proved in (("New and proved", True), ("New and open", False)):
        several = [statement for statement in new if (statement.verdict == "proved") == is_proved]
        if several:
            heading(f"{title}: {len(several):,}")
        for i, statement in enumerate(several[:most], start=1):
            more = len(several) - most if i == most else 0
            end = f" (+ {more:,} more: found.html)" if more > 0 else ""
            known = f": {statement.conclusion.text}" if verbose else ""
            item(statement.verdict, f"{statement.sentence}{known}", end)
    contradictions = [pair for pair in ledger.pairs if pair.kind == "disagreement"]
    about = "; ".join(f"{name[p.intended]} and {name[p.printed]}" for p in contradictions)
    if contradictions:
        heading(f"Papers disagree: {about}")
    if verbose:
        for pair in ledger.pairs:
            paragraph(f"{claims[pair.intended].paper.key}: {pair.text}", INDENT)
        # Misprints are described by their pairs.
        misprints = {pair.printed for pair in ledger.pairs if pair.kind == "misprint"}
        others = [r for r in ledger.rows if r not in unsolved and r.claim not in misprints]
        # Claims without a fitting table come last.
        last = [outcome for outcome in OUTCOMES if outcome != "unchecked"] + ["unchecked"]
        others.sort(key=lambda row: last.index(row.verdict))
        show("Refuted", [row for row in others if row.verdict == "refuted"], 0, "")
        others = [row for row in others if row.verdict != "refuted"]
        show("Other claims", others, MOST_OTHERS, "others")
        undecided = {row.claim for row in ledger.rows if row.verdict == "undecided"}
        silent: dict[str, str] = {}
        for verdict in ledger.verdicts:
            # The claim is undecided, or one of its formulas is undefined somewhere.
            is_silent = verdict.claim in undecided or "key" in verdict.evidence
            if verdict.verdict == "undecided" and is_silent:
                silent.setdefault(verdict.claim, verdict.why or "")
        if silent:
            heading("Undecided, and why")
        for claim, why in silent.items():
            paragraph(f"{name[claim]}: {why}", INDENT)
    for group, outcomes_of in count_verdicts(ledger).items():
        by_words: Counter[str] = Counter()
        for outcome, number_of in outcomes_of.items():
            by_words[words_of(group, outcome)] += number_of
        between = "; " if group == "question" else ", "
        numbers_of = between.join(f"{number_of:,} {words}" for words, number_of in by_words.items())
        if verbose or group == "claims":
            title = NOT_ASSERTED.get(group, counted(sum(outcomes_of.values()), "claim"))
            heading(f"{title}: {numbers_of}", is_whole=True)
    if claims:
        heading(f"every claim: {command('claims', 'list', config=ledger.config)}")


def _numbers(ledger: Ledger) -> dict[str, str]:
    """Return a distinct name for each claim: its number, with more words if needed."""
    misprints = [pair for pair in ledger.pairs if pair.kind == "misprint"]
    form = {pair.printed: "printed" for pair in misprints}
    form |= {pair.intended: "intended" for pair in misprints}
    form |= {claim.id: claim.status for claim in ledger.claims if claim.status in NOT_ASSERTED}
    called: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for claim in ledger.claims:
        called[claim.paper.key, claim.number, form.get(claim.id, "")].append(claim.id)
    numbers = {}
    for (_, number, wording), ids in called.items():
        parts = [claim_id.split("-") for claim_id in ids]
        pairs = zip(min(parts), max(parts), strict=False)
        common = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
        for claim_id, words in zip(ids, parts, strict=True):
            more = [wording if wording not in number else "", " ".join(words[common:])]
            added = ", ".join(filter(None, more))
            numbers[claim_id] = f"{number} ({added})" if added else number
    return numbers
