"""The end of a run, on the terminal: a summary of at most 25 lines, or with `--verbose` a paragraph for each result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from choco_pipeline.claims.conclusions.conclusion import (
    ANSWERS,
    OUTCOMES,
    SIGNS,
    STRONGEST_FIRST,
    Outcome,
    tally,
    words_of,
)
from choco_pipeline.claims.conclusions.rows import NOT_ASSERTED, engines_text
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli.output import WIDTH
from choco_pipeline.commands import command
from choco_pipeline.finding.formulas import in_text
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.sweep.ledger import Ledger

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
#: What a paper leaves open: these come first.
OPEN = ("conjecture", "question")
#: With `--verbose`: new statements, and claims that are neither open nor refuted.
MOST_NEW, MOST_OTHERS = 8, 10
#: In a summary: conjectures and questions that are not proved, and new statements of each kind.
MOST_OPEN, MOST_OF_A_KIND = 8, 3
#: A claim's or a statement's further lines stand below its words, behind the sign.
INDENT, FURTHER = "  ", "    "


def count_verdicts(ledger: Ledger) -> dict[str, dict[Outcome, int]]:
    """Return how many claims have each verdict, worst first: ``claims`` of the papers, and apart what they do not assert."""
    status = {claim.id: claim.status for claim in ledger.claims}
    groups: dict[str, list[Outcome]] = {group: [] for group in ("claims", *NOT_ASSERTED)}
    for row in ledger.rows:
        of = status[row.claim]
        groups[of if of in NOT_ASSERTED else "claims"].append(row.verdict)
    return {group: tally(outcomes) for group, outcomes in groups.items() if outcomes}


def count_proofs(ledger: Ledger) -> dict[str, int]:
    """Return how many proofs were found, and how many were looked for in vain."""
    counts = Counter(proof.status for proof in ledger.proofs)
    return {status: counts[status] for status in ("proved", "undecided") if counts[status]}


def show_summary(ledger: Ledger, statements: Sequence[FoundStatement], console: Console) -> None:
    """Print a summary of a run, one line for each result; a line that is too long ends with "…"."""
    lines, numbers = _Lines(console, shortened=True), _numbers(ledger)
    claims = {claim.id: claim for claim in ledger.claims}
    name = {claim.id: f"{claim.paper.key} {numbers[claim.id]}" for claim in ledger.claims}
    asked = [row for row in ledger.rows if claims[row.claim].status in OPEN]
    headline = []
    for status in OPEN:
        outcomes = Counter(
            words_of(status, row.verdict) for row in asked if claims[row.claim].status == status
        )
        counts = ", ".join(f"{number:,} {words}" for words, number in outcomes.most_common())
        headline += [f"{status.capitalize()}s: {counts}."] if counts else []
    lines.heading(" ".join(headline), bool(headline), is_whole=True)
    rest = [row for row in asked if row.verdict not in ("proved", "exhausted")]
    rest.sort(key=lambda row: (row.verdict != "refuted", row.verdict == "unchecked"))
    for row in rest[:MOST_OPEN]:
        lines.item(row.verdict, f"{name[row.claim]}: {row.text}")
    if len(rest) > MOST_OPEN:
        lines.line(f"+ {len(rest) - MOST_OPEN:,} more")
    general = [row for row in ledger.rows if row.for_all and row.verdict == "proved"]
    also = sum(row in asked for row in general)
    found = count_proofs(ledger).get("proved", 0)
    number = f"{counted(len(general), 'claim')}, {also:,} of them conjectures or questions"
    text = f"Proved for all parameters: {number}; for all positions: {counted(found, 'game')}"
    lines.heading(text, bool(general or found))
    new = _new_statements(statements)
    proved = [statement for statement in new if statement.verdict == "proved"]
    unproved = [statement for statement in new if statement.verdict != "proved"]
    for title, several in (("New and proved", proved), ("New and open", unproved)):
        more = len(several) - MOST_OF_A_KIND
        lines.heading(f"{title}: {len(several):,}", bool(several))
        for i, statement in enumerate(several[:MOST_OF_A_KIND]):
            end = f" (+ {more:,} more: found.html)" if i == MOST_OF_A_KIND - 1 and more > 0 else ""
            lines.item(statement.verdict, in_text(statement), end)
    contradictions = [pair for pair in ledger.pairs if pair.kind == "disagreement"]
    about = "; ".join(f"{name[p.intended]} and {name[p.printed]}" for p in contradictions)
    lines.heading(f"Papers disagree: {about}", bool(contradictions))
    for text in _claims_counted(ledger, ("claims",)):
        lines.heading(text, True, is_whole=True)
    if claims:
        lines.heading(f"every claim: {command('claims', 'list', config=ledger.config)}", True)


def show_results(ledger: Ledger, statements: Sequence[FoundStatement], console: Console) -> None:
    """Print all results of a run, most important first, wrapped to the width of the terminal; nothing is cut."""
    lines = _Lines(console)
    claims = {claim.id: claim for claim in ledger.claims}
    row_of = {row.claim: row for row in ledger.rows}
    numbers = _numbers(ledger)
    is_open = {name: claim.status in OPEN for name, claim in claims.items()}
    # Of a misprint the pair says more.
    told = {pair.printed for pair in ledger.pairs if pair.kind == "misprint"}
    false = [
        name
        for name in claims
        if row_of[name].verdict == "refuted" and not is_open[name] and name not in told
    ]
    rest = [name for name in claims if not is_open[name] and name not in {*false, *told}]
    # What no table of the run fits is named last: it is no news.
    rest.sort(
        key=lambda name: (
            row_of[name].verdict == "unchecked",
            OUTCOMES.index(row_of[name].verdict),
        )
    )

    def show(title: str, chosen: Sequence[str], more: str = "") -> None:
        lines.heading(title, bool(chosen))
        for name in chosen:
            row = row_of[name]
            called = f"{claims[name].paper.key} {numbers[name]}"
            engines = engines_text(row.engines)
            by = f"; engines: {engines}" if engines else ""
            is_answer = claims[name].status == "question" and row.verdict in ANSWERS
            answer = f"{ANSWERS[row.verdict]}: " if is_answer else ""
            lines.item(row.verdict, f"{called}: {answer}{row.text}{by}")
        lines.line(more)

    show("Conjectures and questions", [name for name in claims if is_open[name]])
    _show_new(statements, lines)
    show("Refuted, beside these" if any(is_open.values()) else "Refuted", false)
    for kind, title in (
        ("misprint", "As printed and as intended"),
        ("disagreement", "Where claims disagree"),
    ):
        chosen = [pair for pair in ledger.pairs if pair.kind == kind]
        lines.heading(title, bool(chosen))
        for pair in chosen:
            lines.line(f"{claims[pair.intended].paper.key}: {pair.text}")
    left = len(rest) - MOST_OTHERS
    more = f"and {left:,} others; {command('claims', 'list', config=ledger.config)} names all"
    show("Other claims", rest[:MOST_OTHERS], more if left > 0 else "")
    silent = _silent(ledger)
    lines.heading("What says nothing, and why", bool(silent))
    for claim_id, why in silent.items():
        lines.line(f"{claims[claim_id].paper.key} {claims[claim_id].number}: {why}")
    words = {"proved": "found", "undecided": "undecided"}
    text = ", ".join(f"{number:,} {words[s]}" for s, number in count_proofs(ledger).items())
    lines.heading(f"Proofs for all positions: {text}", bool(text))
    for text in _claims_counted(ledger, ("claims", *NOT_ASSERTED)):
        lines.heading(text, True)


class _Lines:
    """Paragraphs as wide as a terminal, or `WIDTH`, with indented further lines; `shortened`, their first lines alone."""

    def __init__(self, console: Console, *, shortened: bool = False) -> None:
        self._console, self._shortened = console, shortened
        self._width = min(WIDTH, console.width) if console.is_terminal else WIDTH

    def heading(self, text: str, is_there: bool, *, is_whole: bool = False) -> None:
        """Print a heading if there is anything below it; `is_whole`, never shortened."""
        if is_there:
            self._print(self._wrapped(text, "", is_whole=is_whole), "bold")

    def item(self, outcome: Outcome, text: str, end: str = "") -> None:
        """Print a paragraph that begins with the sign of an outcome, in its colour; `end` is never cut."""
        sign = SIGNS[outcome][0]
        lines = self._wrapped(text, f"{INDENT}{sign} ", end)
        self._print(lines, COLOURS[outcome], slice(len(INDENT), len(INDENT) + len(sign)))

    def line(self, text: str) -> None:
        """Print a paragraph below a heading; nothing for no text."""
        self._print(self._wrapped(text, INDENT), None)

    def _wrapped(
        self, text: str, first: str, end: str = "", *, is_whole: bool = False
    ) -> list[str]:
        shortened = self._shortened and not is_whole
        lines = wrap(
            text,
            self._width - len(end) - 2 * shortened,
            initial_indent=first,
            subsequent_indent=FURTHER,
            break_on_hyphens=False,
        )
        if not shortened:
            return lines
        return [line + " …" * (len(lines) > 1) + end for line in lines[:1]]

    def _print(self, lines: Sequence[str], style: str | None, part: slice | None = None) -> None:
        shown = Text("\n".join(lines))
        if style is not None:
            shown.stylize(style, *((part.start, part.stop) if part else ()))
        if lines:
            self._console.print(shown, soft_wrap=True)


def _show_new(statements: Sequence[FoundStatement], lines: _Lines) -> None:
    """Print new statements, the strongest verdicts first."""
    new = _new_statements(statements)
    lines.heading("New statements", bool(new))
    for statement in new[:MOST_NEW]:
        lines.item(statement.verdict, f"{in_text(statement)}: {statement.conclusion.text}")
    if len(new) > MOST_NEW:
        lines.line(f"and {len(new) - MOST_NEW:,} more, on the report's page of found statements")


def _new_statements(statements: Sequence[FoundStatement]) -> list[FoundStatement]:
    """Return the statements that no claim of the catalogue implies and that are not refuted, the strongest first."""
    return [
        statement
        for statement in sorted(
            statements, key=lambda statement: STRONGEST_FIRST.index(statement.verdict)
        )
        if not statement.known and statement.verdict != "refuted" and statement.search != "heights"
    ]


def _claims_counted(ledger: Ledger, groups: Collection[str]) -> Iterator[str]:
    """Yield the outcomes of each group of claims."""
    for group, counts in count_verdicts(ledger).items():
        if group not in groups:
            continue
        by_words: Counter[str] = Counter()
        for verdict, number in counts.items():
            by_words[words_of(group, verdict)] += number
        between = "; " if group == "question" else ", "
        proofs_counted = between.join(f"{number:,} {words}" for words, number in by_words.items())
        heading = NOT_ASSERTED.get(group, counted(sum(counts.values()), "claim"))
        yield f"{heading}: {proofs_counted}"


def _silent(ledger: Ledger) -> dict[str, str]:
    """Return why a claim is undecided, or which of its formulas has no value somewhere: the first reason of each claim."""
    undecided = {row.claim for row in ledger.rows if row.verdict == "undecided"}
    reasons: dict[str, str] = {}
    for verdict in ledger.verdicts:
        silent = verdict.verdict == "undecided"
        if silent and (verdict.claim in undecided or "key" in verdict.evidence):
            reasons.setdefault(verdict.claim, verdict.why or "")
    return reasons


def _numbers(ledger: Ledger) -> dict[str, str]:
    """Return what each claim is called in its paper, told apart from others of that number."""
    misprints = [pair for pair in ledger.pairs if pair.kind == "misprint"]
    form = {pair.printed: "printed" for pair in misprints}
    form |= {pair.intended: "intended" for pair in misprints}
    statuses = {claim.id: claim.status for claim in ledger.claims}
    form |= {claim: status for claim, status in statuses.items() if status in NOT_ASSERTED}
    called: dict[tuple[str, str, str], list[str]] = {}
    for claim in ledger.claims:
        name = (claim.paper.key, claim.number, form.get(claim.id, ""))
        called.setdefault(name, []).append(claim.id)
    numbers = {}
    for (_, number, wording), ids in called.items():
        parts = [claim_id.split("-") for claim_id in ids]
        common = max(
            n for n in range(len(parts[0]) + 1) if all(p[:n] == parts[0][:n] for p in parts)
        )
        for claim_id, words in zip(ids, parts, strict=True):
            more = [wording if wording not in number else "", " ".join(words[common:])]
            added = ", ".join(text for text in more if text)
            numbers[claim_id] = f"{number} ({added})" if added else number
    return numbers
