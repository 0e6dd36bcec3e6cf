"""A claim with its row of the ledger and the evidence behind it, as the page shows them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from choco_pipeline.claims.conclusions.claim_row import ClaimRow, Decided
from choco_pipeline.claims.conclusions.conclusion import SIGNS, Outcome, words_of
from choco_pipeline.claims.conclusions.outcomes import NOT_ASSERTED, engines_text, few_words
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.claims_file import LedgerClaim, Paper
from choco_pipeline.errors import RulesetError
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.formula.written.math_text import math_text, range_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.report.claims.verdict_cells import Cell, Grid, Table, cell_of, grid_of, labels
from choco_pipeline.sweep.run_ledger import Ledger

#: At most so many counterexamples of one claim are drawn, the least of all among them.
MOST_DRAWN = 3

Document = Mapping[str, Any]


@dataclass(frozen=True)
class ClaimView:
    """A claim and what the run says of it."""

    #: Both as in the ledger.
    claim: LedgerClaim
    row: ClaimRow
    #: The verdict's sign, and what it comes to in a few words.
    symbol: str
    words: str
    #: Pairs of a label and a formula: what was checked.
    formal: list[tuple[str, str]]
    #: One for each verdict, by their parameters.
    cells: list[Cell]
    #: The cell whose counterexample decides; None if nothing refutes the claim.
    decisive: Cell | None
    grid: Grid | None
    #: For a statement with a bound of its own, whether that is the best possible.
    reach: ReachTable | None

    @property
    def verdict(self) -> Outcome:
        """What the claim comes to, by its row of the ledger."""
        return self.row.verdict

    @property
    def is_open(self) -> bool:
        """Whether the claim is a conjecture, not a theorem or an example."""
        return self.claim.status == "conjecture"

    @property
    def is_asserted(self) -> bool:
        """Whether a paper asserts it: neither asks whether it is so, nor is it a remark of this project."""
        return self.claim.status not in NOT_ASSERTED

    @property
    def engines(self) -> str:
        """Which engines agree on its proofs, in words; "" without proofs."""
        return engines_text(self.row.engines)

    @property
    def plain(self) -> list[Cell]:
        """The cells that one line says all of, but those in the table of bounds."""
        bounds = set() if self.reach is None else {row.cell.anchor for row in self.reach.rows}
        return [cell for cell in self.cells if cell.is_plain and cell.anchor not in bounds]

    @property
    def told(self) -> list[Cell]:
        """The cells with evidence of their own, but the decisive one."""
        return [cell for cell in self.cells if not cell.is_plain and cell is not self.decisive]


def claim_views(ledger: Ledger) -> list[ClaimView]:
    """Return every claim with its verdicts, paper by paper, conjectures first, and last what no paper asserts."""
    tables = {table["id"]: table for table in ledger.tables}
    rows = {row.claim: row for row in ledger.rows}
    verdicts: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in ledger.verdicts:
        verdicts[verdict.claim].append(verdict)
    papers = list(dict.fromkeys(claim.paper.key for claim in ledger.claims))
    views = [
        _claim_view(claim, rows[claim.id], verdicts[claim.id], tables) for claim in ledger.claims
    ]
    return sorted(
        views,
        key=lambda view: (
            papers.index(view.claim.paper.key),
            not view.is_asserted,
            not view.is_open,
        ),
    )


def by_paper(views: Sequence[ClaimView]) -> list[tuple[Paper, list[ClaimView]]]:
    """Return the papers with their claims, in order."""
    papers: dict[str, list[ClaimView]] = defaultdict(list)
    for view in views:
        papers[view.claim.paper.key].append(view)
    return [(chosen[0].claim.paper, chosen) for chosen in papers.values()]


def decides(verdict: ClaimVerdict, decided: Decided | None) -> bool:
    """Whether a verdict is the one whose counterexample a row or a pair names."""
    refutes = verdict.counterexample
    return (
        decided is not None
        and refutes is not None
        and (verdict.table, verdict.parameters) == (decided.table, decided.parameters)
        and refutes.position == decided.position
    )


def _claim_view(
    claim: LedgerClaim,
    row: ClaimRow,
    verdicts: Sequence[ClaimVerdict],
    tables: Mapping[str, Table],
) -> ClaimView:
    refuting = [i for i, verdict in enumerate(verdicts) if verdict.verdict == "refuted"]
    decisive = next((i for i in refuting if decides(verdicts[i], row.decided)), None)
    if decisive is None and refuting:
        decisive = refuting[0]
    others = [i for i in refuting if i != decisive]
    drawn = {decisive, *others[: MOST_DRAWN - 1]}
    cells = [
        cell_of(f"{claim.id}-{i + 1}", label, verdict, tables, row, drawn=i in drawn)
        for i, (verdict, label) in enumerate(zip(verdicts, labels(verdicts), strict=True))
    ]
    in_order = sorted(cells, key=lambda cell: _by_parameters(cell.document))
    return ClaimView(
        claim,
        row,
        SIGNS[row.verdict][0],
        words_of(claim.status, row.verdict) if claim.status == "question" else few_words(row),
        formal_lines(claim),
        in_order,
        None if decisive is None else cells[decisive],
        grid_of(in_order),
        reach_table(in_order),
    )


def _by_parameters(verdict: ClaimVerdict) -> tuple[bool, list[int], int]:
    """Return a sorting key: for all parameters first, then by parameters and bound."""
    return (verdict.for_all is None, list(verdict.parameters.values()), verdict.bound or 0)


@dataclass(frozen=True)
class ReachRow:
    """What a table says of the printed bound."""

    #: Values of the parameters, in the order of `ReachTable.names`; where several tables have the same, the last with its bound.
    names: list[str]
    #: The bound that the statement gives for them.
    printed: int
    #: The largest bound for which it is true, or as far as the table goes.
    true: str
    #: What is the case beyond the printed bound, in words: a remark, which no paper need assert.
    beyond: str
    #: The least position at which it fails, or would if it reached so far; "" if the table has none.
    failing: str
    #: The verdict.
    cell: Cell


@dataclass(frozen=True)
class ReachTable:
    """The bounds of one claim; `coordinates` are those of the failing positions."""

    names: list[str]
    coordinates: tuple[str, ...]
    rows: list[ReachRow]


def reach_table(cells: Sequence[Cell]) -> ReachTable | None:
    """Return what the verdicts on one claim say of its bound; None if no table goes beyond it."""
    told = [cell for cell in cells if "best_possible" in cell.document.evidence]
    if not told:
        return None
    first = told[0]
    names = list(first.document.parameters)
    try:
        coordinates = parse_ruleset(first.ruleset).coordinates
    except RulesetError:  # a height table that is not at hand here
        coordinates = ()
    times = Counter(tuple(cell.document.parameters.values()) for cell in told)
    rows = [
        _row(names, cell, several=times[tuple(cell.document.parameters.values())] > 1)
        for cell in told
    ]
    return ReachTable(names, coordinates, rows)


def _row(names: Sequence[str], cell: Cell, *, several: bool) -> ReachRow:
    verdict = cell.document
    values = [str(verdict.parameters[name]) for name in names]
    if several and values and verdict.bound is not None:
        values[-1] += f" (bound {verdict.bound:,})"
    evidence, refutes = verdict.evidence, verdict.counterexample
    true_up_to = evidence["true_up_to"]
    failing = refutes.position if refutes else evidence.get("false_at")
    if refutes:
        beyond = "false before"
    else:
        beyond = "false at once" if evidence["best_possible"] else "also true"
    return ReachRow(
        values,
        evidence["reach"],
        f"{true_up_to:,}" if failing else f"{true_up_to:,} or more",
        beyond,
        f"({', '.join(map(str, failing))})" if failing else "",
        cell,
    )


def formal_lines(claim: LedgerClaim) -> list[tuple[str, str]]:
    """Return pairs of a label and a text, for a claim as the ledger holds it.

    Examples
    --------
    >>> formal = {"every": {}, "some": {}, "when": "k % 2 == 0", "for_all": None, "follows_from": None}
    >>> formal |= {"statement": "P <=> y ^ z == 0", "bound": None, "check": None}
    >>> said = {"ruleset": "step-bar(k=k)", "formula": "P ⇔ y ⊕ z = 0", "formal": formal}
    >>> formal_lines(LedgerClaim.model_construct(**said))
    [('ruleset', 'step-bar(k=k)'), ('for', 'k ≡ 0 (mod 2)'), ('checked as', 'P ⇔ y ⊕ z = 0')]
    """
    return list(_lines(claim, claim.formal))


def _lines(claim: LedgerClaim, formal: Document) -> Iterator[tuple[str, str]]:
    if claim.ruleset is not None:
        yield "ruleset", claim.ruleset
    if formal["when"]:
        yield "for", math_text(formal["when"])
    if formal["every"]:
        yield "and every", _ranges(formal["every"])
    if formal["some"]:
        yield "with some", _ranges(formal["some"])
    if formal["for_all"] and formal["for_all"] != formal["when"]:
        yield "for all at once", math_text(formal["for_all"])
    if formal["follows_from"]:
        lemmas = formal["follows_from"]["lemmas"]
        by = f", by {', '.join(lemmas)}" if lemmas else ""
        yield "follows from", f"{', '.join(formal['follows_from']['claims'])}{by}"
    plug_in = formal["check"] or {}
    if plug_in.get("let"):
        yield "where", assigned({name: math_text(text) for name, text in plug_in["let"].items()})
    if claim.ruleset is None and plug_in:
        yield "for all", _ranges(plug_in["all"])
    if "height" in plug_in:
        yield "heights up to", math_text(plug_in["height"])
    bound = formal["bound"] or plug_in.get("bound")
    if claim.ruleset is None and bound is not None:
        yield "N", f"{bound:,}"
    yield "checked as", claim.formula


def _ranges(spans: Mapping[str, str]) -> str:
    return ", ".join(range_text(name, parse_range(span)) for name, span in spans.items())
