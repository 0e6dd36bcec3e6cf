"""The cells of a claim: each of its verdicts with the evidence and the counterexample, and how they are laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from choco_pipeline.claims.conclusions.claim_row import ClaimRow
from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    VerdictKind,
    place_text,
    verdict_detail,
)
from choco_pipeline.commands import command
from choco_pipeline.drawing import draw_svg
from choco_pipeline.errors import RulesetError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.report.claims.evidence_rows import EvidenceValue, evidence_rows

#: A table of the ledger.
Table = Mapping[str, Any]

#: Two parameters with at least this many cells are laid out as a grid.
GRID_CELLS = 9


@dataclass(frozen=True)
class Cell:
    """One verdict and its evidence."""

    #: Id of the evidence on the page.
    anchor: str
    #: The parameters, and the bound if that alone tells it from another cell; "" for the only cell of a claim
    #: without parameters.
    label: str
    #: The verdict's name in the ledger, its sign, and what the cell says.
    verdict: VerdictKind
    symbol: str
    words: str
    #: The verdict as in the ledger.
    document: ClaimVerdict
    #: What was looked at; "" and None for a claim over several tables or none.
    ruleset: str
    table: str | None
    #: What refutes the claim; None if nothing does.
    counterexample: Shown | None
    #: Pairs of a label and what stands behind it.
    evidence: list[tuple[str, EvidenceValue]]
    #: Pairs of a purpose and a command.
    commands: list[tuple[str, str]]

    @property
    def said(self) -> str:
        """The verdict in one line, without the word that its sign says already."""
        document = self.document
        return (
            document.text if document.for_all is not None else verdict_detail(document.as_verdict)
        )

    @property
    def is_plain(self) -> bool:
        """Whether one line of a table says all of it."""
        return (
            self.counterexample is None
            and not self.document.is_by_proof
            and all(isinstance(value, int | str) for _, value in self.evidence)
        )


@dataclass(frozen=True)
class Grid:
    """The cells of a claim with two parameters, one down and one across."""

    down: str
    across: str
    columns: list[int]
    rows: list[tuple[int, list[Cell | None]]]


def cell_of(
    anchor: str,
    label: str,
    verdict: ClaimVerdict,
    tables: Mapping[str, Table],
    row: ClaimRow,
    *,
    drawn: bool,
) -> Cell:
    """Return a verdict as it is shown."""
    symbol, words = SIGNS[verdict.verdict]
    if verdict.verdict == "holds-to-bound":
        words = f"to {verdict.bound:,}"
    if verdict.verdict == "exhausted":
        words = "all cases"
    table = tables.get(verdict.table or "")
    ruleset = table["ruleset"] if table else ""
    refutes = verdict.counterexample
    return Cell(
        anchor,
        label,
        verdict.verdict,
        symbol,
        words,
        verdict,
        ruleset,
        verdict.table,
        shown(refutes, ruleset, drawn=drawn) if refutes else None,
        list(evidence_rows(verdict.evidence)),
        _commands(verdict, ruleset, row),
    )


def labels(verdicts: Sequence[ClaimVerdict]) -> list[str]:
    """Return the parameters of each verdict, with the bound or a word where they alone do not tell two apart."""
    names = [
        "all at once" if verdict.for_all is not None else assigned(verdict.parameters)
        for verdict in verdicts
    ]
    times = Counter(names)
    return [
        name if times[name] == 1 else ", ".join(filter(None, (name, _kind_of_check(verdict))))
        for name, verdict in zip(names, verdicts, strict=True)
    ]


def _kind_of_check(verdict: ClaimVerdict) -> str:
    if verdict.is_by_proof:
        every = verdict.false_everywhere is not None
        return "by a proof for every member" if every else "by proof"
    return "" if verdict.bound is None else f"bound {verdict.bound}"


def grid_of(cells: Sequence[Cell]) -> Grid | None:
    """Lay cells out by two integer parameters, unless there are few, or two cells in one place."""
    cells = [cell for cell in cells if cell.document.for_all is None]
    names = {tuple(cell.document.parameters) for cell in cells}
    if len(cells) < GRID_CELLS or len(names) != 1 or len(next(iter(names))) != 2:
        return None
    down, across = next(iter(names))
    places = {
        (cell.document.parameters[down], cell.document.parameters[across]): cell for cell in cells
    }
    if len(places) < len(cells):
        return None
    columns = sorted({b for _, b in places})
    rows = [(a, [places.get((a, b)) for b in columns]) for a in sorted({a for a, _ in places})]
    # A grid that is mostly empty reads worse than a list.
    if len(rows) * len(columns) > 3 * len(cells):
        return None
    return Grid(down, across, columns, rows)


def _commands(verdict: ClaimVerdict, ruleset: str, row: ClaimRow) -> list[tuple[str, str]]:
    commands = []
    if verdict.command is not None:
        follows = "follows_from" in verdict.evidence
        return [("repeats the proof", row.command if follows else verdict.command)]
    check = row.check
    refutes = verdict.counterexample
    if ruleset and refutes and refutes.position is not None:
        commands.append(("shows the position", command("value", ruleset, *refutes.position)))
    if verdict.is_by_proof and verdict.is_proved:
        certificate = verdict.certificate
        if certificate is None:  # of a statement on integers: the command that decides it again
            return [("repeats the proof", check)]
        rests_on = command("prove", "--check", certificate)
        return [("checks what it rests on", rests_on), ("repeats the proof", f"{check} --proofs")]
    # The shape of an uncut rectangular bar is its own bound; across tables there is no single one.
    bound = f"--bound {verdict.bound}" if ruleset and verdict.bound else ""
    given = [f"{name}={value}" for name, value in verdict.parameters.items()]
    return [*commands, ("repeats the check", " ".join([check, *given, bound]).strip())]


@dataclass(frozen=True)
class Shown:
    """A counterexample."""

    #: Its coordinates, or the integers, by name; "" where the claim is not about single positions.
    place: str
    #: What is the case there, and what the claim says instead.
    found: str
    claimed: str
    #: The winning move in words; "" where there is none, or none is wanted.
    option: str
    #: What shows that it is so, or that there is no winning move; "" where that is not known.
    because: str
    #: The position drawn; empty for integers, and where drawings are not wanted.
    picture: Markup


def shown(refutes: Counterexample, ruleset: str, *, drawn: bool) -> Shown:
    """Return a counterexample as it is shown.

    A statement on integers has no game.
    """
    position, option = refutes.position, refutes.option
    picture = (
        _drawn(ruleset, position, option)
        if drawn and ruleset and position is not None
        else Markup()
    )
    return Shown(
        "" if position is None else place_text(refutes.coordinates, position),
        refutes.found,
        refutes.claimed,
        _move(refutes.coordinates, position, option) if position and option else "",
        refutes.reason or "",
        picture,
    )


def _drawn(ruleset: str, position: Sequence[int], option: Sequence[int] | None) -> Markup:
    try:
        return Markup(draw_svg(parse_ruleset(ruleset), position, option))
    except RulesetError:  # a height table that is not at hand here: the numbers are shown
        return Markup()


def _move(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str:
    """Return which coordinates a move changes.

    Examples
    --------
    >>> _move(["y", "z"], [2, 5], [1, 3])
    'y from 2 to 1, z from 5 to 3'
    """
    return ", ".join(
        f"{name} from {old} to {new}"
        for name, old, new in zip(names, before, after, strict=True)
        if old != new
    )
