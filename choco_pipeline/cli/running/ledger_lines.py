"""The ledger at the end of a run: a row for each claim, and who is right where two of them disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from choco_pipeline.claims.conclusions.claim_row import OUTCOMES, ClaimPair, ClaimRow, Outcome
from choco_pipeline.claims.conclusions.outcomes import (
    ENGINES,
    NOT_ASSERTED,
    SIGNS,
    few_words,
)
from choco_pipeline.claims.conclusions.row_text import parameters_text, place_text
from choco_pipeline.claims.language.ledger_claim import LedgerClaim
from choco_pipeline.cli.output import in_short, in_time
from choco_pipeline.sweep.run_ledger import Ledger

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
#: No line is longer; columns are no wider than these, but for the last two, which hold numbers.
WIDTH = 120
WIDEST = (1, 32, 42, 60, 16)
GAP = "  "

Row = tuple[str, str, str, str, str, str, str]


def count_verdicts(ledger: Ledger) -> dict[str, dict[Outcome, int]]:
    """Return how many claims have each verdict, worst first: ``claims`` of the papers, and apart what they do not assert."""
    status = {claim.id: claim.status for claim in ledger.claims}
    groups: dict[str, Counter[Outcome]] = {group: Counter() for group in ("claims", *NOT_ASSERTED)}
    for row in ledger.rows:
        of = status[row.claim]
        groups[of if of in NOT_ASSERTED else "claims"][row.verdict] += 1
    return {
        group: {verdict: counts[verdict] for verdict in OUTCOMES if counts[verdict]}
        for group, counts in groups.items()
        if counts
    }


def count_proofs(ledger: Ledger) -> dict[str, int]:
    """Return how many proofs were found, and how many were looked for in vain."""
    counts = Counter(proof.status for proof in ledger.proofs)
    return {status: counts[status] for status in ("proved", "undecided") if counts[status]}


def show_ledger(ledger: Ledger, console: Console) -> None:
    """Print what a run says of each claim: in columns, with colours on a terminal, and no line is wrapped."""
    width = min(WIDTH, console.width) if console.is_terminal else WIDTH
    claims = {claim.id: claim for claim in ledger.claims}
    row_of = {row.claim: row for row in ledger.rows}
    numbers = _numbers(ledger)
    lines = {claim: _line(numbers[claim], row) for claim, row in row_of.items()}
    widths = _widths(list(lines.values()), width)
    papers: dict[str, list[str]] = {}
    for claim in claims.values():
        papers.setdefault(claim.paper.key, []).append(claim.id)
    for key, ids in papers.items():
        _print(console, f"{key}: {claims[ids[0]].paper.title}", "bold", width)
        for claim_id in sorted(ids, key=lambda one: _place(claims[one].status)):
            row = lines[claim_id]
            colour = COLOURS[row_of[claim_id].verdict]
            _print(console, _columns(row, widths), colour, width, sign=len(row[0]))
    for kind, title in (
        ("misprint", "As printed and as intended"),
        ("disagreement", "Where claims disagree"),
    ):
        chosen = [pair for pair in ledger.pairs if pair.kind == kind]
        if chosen:
            _print(console, title, "bold", width)
        for pair in chosen:
            _print(console, _pair(pair, claims), None, width)
    silent = _silent(ledger)
    if silent:
        _print(console, "What says nothing, and why", "bold", width)
    for claim_id, why in silent.items():
        _print(console, f"{GAP}{_full(claims[claim_id])}: {why}", None, width)
    proofs = count_proofs(ledger)
    if proofs:
        words = {"proved": "found", "undecided": "undecided"}
        said = ", ".join(f"{number:,} {words[status]}" for status, number in proofs.items())
        _print(console, f"Proofs for all positions: {said}", "bold", width)
    for group, counts in count_verdicts(ledger).items():
        said = ", ".join(f"{number:,} {SIGNS[verdict][1]}" for verdict, number in counts.items())
        heading = NOT_ASSERTED.get(group, _claims(sum(counts.values())))
        _print(console, f"{heading}: {said}", "bold", width)


def _place(status: str) -> int:
    """Return where claims of a status stand: conjectures first, and last what no paper asserts."""
    return 0 if status == "conjecture" else 1 if status not in NOT_ASSERTED else 2


def _silent(ledger: Ledger) -> dict[str, str]:
    """Return why a claim is undecided, or which of its formulas has no value somewhere: the first reason of each claim."""
    undecided = {row.claim for row in ledger.rows if row.verdict == "undecided"}
    found: dict[str, str] = {}
    for verdict in ledger.verdicts:
        silent = verdict.verdict == "undecided"
        if silent and (verdict.claim in undecided or "key" in verdict.evidence):
            found.setdefault(verdict.claim, verdict.why or "")
    return found


def _numbers(ledger: Ledger) -> dict[str, str]:
    """Return what each claim is called in its paper, told apart from others of that number."""
    misprints = [pair for pair in ledger.pairs if pair.kind == "misprint"]
    form = {pair.printed: "printed" for pair in misprints}
    form |= {pair.intended: "intended" for pair in misprints}
    statuses = {claim.id: claim.status for claim in ledger.claims}
    form |= {one: status for one, status in statuses.items() if status in NOT_ASSERTED}
    called: dict[tuple[str, str, str], list[str]] = {}
    for claim in ledger.claims:
        name = (claim.paper.key, claim.number, form.get(claim.id, ""))
        called.setdefault(name, []).append(claim.id)
    numbers = {}
    for (_, number, said), ids in called.items():
        parts = [claim_id.split("-") for claim_id in ids]
        common = max(
            n for n in range(len(parts[0]) + 1) if all(p[:n] == parts[0][:n] for p in parts)
        )
        for claim_id, words in zip(ids, parts, strict=True):
            more = [said, " ".join(words[common:])]
            added = ", ".join(text for text in more if text)
            numbers[claim_id] = f"{number} ({added})" if added else number
    return numbers


def _line(number: str, row: ClaimRow) -> Row:
    checked = bool(row.checks)
    return (
        SIGNS[row.verdict][0],
        number,
        _words(row),
        _how_far(row),
        _engines(row),
        in_short(row.positions) if checked else "",
        in_time(row.seconds) if checked else "",
    )


def _words(row: ClaimRow) -> str:
    counts, words = row.counts, few_words(row)
    if row.verdict == "refuted" and row.decided and row.decided.position is not None:
        words = f"refuted at {place_text(row.decided)}"
    elif row.verdict == "proved-for-listed":
        words = f"proved for {row.proved_for}"
    elif row.verdict == "holds-to-bound" and row.for_all:
        words += f", proved for {row.for_all}"
    elif row.verdict == "holds-to-bound" and counts.get("proved"):
        words += ", proved for some"
    silent = 0 if row.verdict == "undecided" else counts.get("undecided", 0)
    return f"{words}; nothing on {silent:,} of {row.checks:,}" if silent else words


def _how_far(row: ClaimRow) -> str:
    """Return parameters and bounds; of a refuted claim, those that decide."""
    if row.decided:
        return parameters_text([row.decided.parameters])
    if row.verdict == "proved-for-listed" or row.for_all:  # its words say for which parameters
        return ""
    parts = []
    if row.verdict != "proved" and row.bound and row.counts.get("holds-to-bound"):
        least, greatest = row.bound
        span = f"{least:,}" if least == greatest else f"{least:,} to {greatest:,}"
        parts.append(f"bound {span}")
    if row.parameters:
        parts.append(row.parameters)
    return "; ".join(parts)


def _engines(row: ClaimRow) -> str:
    """Return the engines that agree on all proofs; those on a proof for all parameters, which come first, apart."""
    groups = [row.engines]
    if row.for_all:
        groups = [row.engines[:1], row.engines[1:]]
        if row.verdict == "proved":
            groups.pop()
    texts = []
    for group in groups:
        agreed = [set(one.engines) for one in group]
        everywhere = set.intersection(*agreed) if agreed else set()
        texts.append("+".join(name for name in ENGINES if name in everywhere))
    return "; ".join(filter(None, texts))


def _pair(pair: ClaimPair, claims: Mapping[str, LedgerClaim]) -> str:
    printed, intended = claims[pair.printed], claims[pair.intended]
    if pair.kind == "misprint":
        names, first, second = intended.number, "the printed form", "the intended form"
    else:
        same = printed.paper.key == intended.paper.key
        names = f"{_full(printed)} and {intended.number if same else _full(intended)}"
        first, second = "the first", "the second"
    decided = pair.decided
    given = parameters_text([decided.parameters]) if decided else ""
    at = f" at {place_text(decided)}" if decided and decided.position is not None else ""
    at += f" for {given}" if given else ""
    match pair.right:
        case "intended":
            said = f"{first} is refuted{at}, {second} is not"
        case "printed":
            said = f"{second} is refuted{at}, {first} is not"
        case "neither":
            said = f"both are refuted, {first}{at}"
        case "both":
            said = "neither is refuted so far"
        case _:
            said = "open: one of them is unchecked, undecided or vacuous"
    return f"{GAP}{names}: {said}"


def _full(claim: LedgerClaim) -> str:
    return f"{claim.paper.key} {claim.number}"


def _widths(rows: Sequence[Row], width: int) -> list[int]:
    """Return the columns' widths: as wide as needed, the one on how far gives way, then the one in words."""
    needed = [max((len(row[i]) for row in rows), default=0) for i in range(7)]
    widths = [min(need, most) for need, most in zip(needed, (*WIDEST, *needed[5:]), strict=True)]
    over = sum(widths) + len(GAP) * len(widths) - width
    for i in (3, 2, 1):
        cut = max(0, min(over, widths[i] - 12))
        widths[i] -= cut
        over -= cut
    return widths


def _columns(row: Row, widths: Sequence[int]) -> str:
    left = [_cut(text, width).ljust(width) for text, width in zip(row[:5], widths[:5], strict=True)]
    right = [text.rjust(width) for text, width in zip(row[5:], widths[5:], strict=True)]
    return (GAP + GAP.join([*left, *right])).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _print(
    console: Console, text: str, style: str | None, width: int, *, sign: int | None = None
) -> None:
    """Print a line, cut to the width; with `sign`, only so many characters after the gap have the style."""
    shown = Text(_cut(text, width))
    if style is not None:
        shown.stylize(style, *((0,) if sign is None else (len(GAP), len(GAP) + sign)))
    console.print(shown, soft_wrap=True)


def _claims(number: int) -> str:
    return "1 claim" if number == 1 else f"{number:,} claims"
