"""A claim with its row of the ledger and the evidence behind it, as the page shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.claims.conclusions.claim_row import ClaimRow, Decided
from choco_pipeline.claims.conclusions.conclusion import SIGNS, Outcome, words_of
from choco_pipeline.claims.conclusions.outcomes import NOT_ASSERTED, engines_text, few_words
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.ledger_claim import LedgerClaim
from choco_pipeline.report.claims.formal import formal_lines
from choco_pipeline.report.claims.reach import ReachTable, reach_table
from choco_pipeline.report.claims.verdict_cells import Cell, Grid, Table, cell_of, grid_of, labels
from choco_pipeline.sweep.run_ledger import Ledger

#: At most so many counterexamples of one claim are drawn, the least of all among them.
MOST_DRAWN = 3


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
