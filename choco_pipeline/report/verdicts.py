"""The verdict matrix and the evidence behind its cells, as the page shows them."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from choco_pipeline.drawing import draw_svg
from choco_pipeline.errors import RulesetError
from choco_pipeline.games import parse_ruleset

Document = Mapping[str, Any]

#: What a claim as a whole is called is the first of these that any of its tables gives.
WORST_FIRST = ("refuted", "undecided", "holds-to-bound", "exhausted", "proved")
#: Symbol and words of each: colour is never alone, and a bound never looks like a proof.
SIGNS = {
    "refuted": ("✗", "refuted"),
    "undecided": ("?", "undecided"),
    "holds-to-bound": ("◐", "holding to the bound"),
    "exhausted": ("●", "checked in all cases"),
    "proved": ("∎", "proved"),
}
OPEN_STATUS = ("conjecture", "question")
#: At most so many counterexamples of one claim are drawn.
MOST_DRAWN = 12
#: Two parameters with at least this many cells are laid out as a grid.
GRID_CELLS = 9

LABELS = {
    "among": "positions in the statement",
    "count": "number of values",
    "failures": "positions where it fails",
    "free": "coordinate without a bound",
    "growth": "growth with the bound",
    "missing": "members of the claimed set not found",
    "missing_count": "number of members not found",
    "p_positions": "P-positions",
    "values": "values found, smallest first",
}


@dataclass(frozen=True)
class Cell:
    """One verdict: a cell of the matrix and its evidence.

    Attributes
    ----------
    anchor
        Id of the evidence on the page.
    label
        The parameters, and the bound if that alone tells it from another cell.
    verdict, symbol, words
        The verdict's name in the ledger, its sign, and what the cell says.
    document
        The verdict as in the ledger.
    ruleset, table
        What was looked at; "" and None for a claim over several tables.
    picture, move
        The counterexample drawn, and the winning move that refutes it in words; "" if there is none.
    evidence
        Pairs of a label and a value: number, text, list, mapping, or list of mappings.
    commands
        Pairs of a purpose and a command.
    """

    anchor: str
    label: str
    verdict: str
    symbol: str
    words: str
    document: Document
    ruleset: str
    table: str | None
    picture: Markup
    move: str
    evidence: list[tuple[str, Any]]
    commands: list[tuple[str, str]]


@dataclass(frozen=True)
class Grid:
    """The cells of a claim with two parameters, one down and one across."""

    down: str
    across: str
    columns: list[int]
    rows: list[tuple[int, list[Cell | None]]]


@dataclass(frozen=True)
class ClaimView:
    """A row of the matrix: a claim, what it comes to, and its cells."""

    claim: Document
    verdict: str
    symbol: str
    words: str
    counts: list[tuple[str, str, int]]
    cells: list[Cell]
    grid: Grid | None

    @property
    def is_open(self) -> bool:
        """Whether the claim is a conjecture or a question, not a theorem or an example."""
        return self.claim["status"] in OPEN_STATUS


def claim_views(ledger: Document) -> list[ClaimView]:
    """Return every claim with its verdicts, paper by paper, conjectures before what is proved on paper."""
    tables = {table["id"]: table for table in ledger["tables"]}
    verdicts: dict[str, list[Document]] = defaultdict(list)
    for verdict in ledger["verdicts"]:
        verdicts[verdict["claim"]].append(verdict)
    papers = list(dict.fromkeys(claim["paper"]["key"] for claim in ledger["claims"]))
    views = [
        _claim_view(claim, verdicts[claim["id"]], tables, ledger) for claim in ledger["claims"]
    ]
    return sorted(
        views, key=lambda view: (papers.index(view.claim["paper"]["key"]), not view.is_open)
    )


def tally(views: Iterable[ClaimView]) -> list[tuple[str, str, int]]:
    """Return sign, words and number of claims for each verdict that occurs, worst first."""
    return _counted(Counter(view.verdict for view in views))


def _claim_view(
    claim: Document,
    verdicts: Sequence[Document],
    tables: Mapping[str, Document],
    ledger: Document,
) -> ClaimView:
    # Where tables are compared, each table only gives a number: the comparison is the verdict.
    across = [verdict for verdict in verdicts if verdict["table"] is None]
    shown = across or verdicts
    labels = _labels(shown)
    cells: list[Cell] = []
    for i, (verdict, label) in enumerate(zip(shown, labels, strict=True)):
        drawn = sum(bool(cell.picture) for cell in cells) < MOST_DRAWN
        table = tables.get(verdict["table"] or "")
        cells.append(_cell(f"{claim['id']}-{i + 1}", label, verdict, table, ledger, drawn=drawn))
    counts = Counter(cell.verdict for cell in cells)
    worst = next((verdict for verdict in WORST_FIRST if counts[verdict]), "undecided")
    symbol, words = SIGNS[worst]
    return ClaimView(claim, worst, symbol, words, _counted(counts), cells, _grid(cells))


def _counted(counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
    return [(v, SIGNS[v][1], counts[v]) for v in WORST_FIRST if counts.get(v)]


def _labels(verdicts: Sequence[Document]) -> list[str]:
    """Return the parameters of each verdict, with the bound where they alone do not tell two apart."""
    names = [
        ", ".join(f"{name} = {value}" for name, value in verdict["parameters"].items())
        for verdict in verdicts
    ]
    times = Counter(names)
    return [
        name
        if name and times[name] == 1
        else f"{name}, bound {verdict['bound']}".removeprefix(", ")
        for name, verdict in zip(names, verdicts, strict=True)
    ]


def _cell(
    anchor: str,
    label: str,
    verdict: Document,
    table: Document | None,
    ledger: Document,
    *,
    drawn: bool,
) -> Cell:
    symbol, words = SIGNS[verdict["verdict"]]
    if verdict["verdict"] == "holds-to-bound":
        words = f"to {verdict['bound']:,}"
    if verdict["verdict"] == "exhausted":
        words = "all cases"
    ruleset = table["ruleset"] if table else ""
    picture, move = _counterexample(verdict, ruleset) if drawn else (Markup(), "")
    evidence = [
        (LABELS.get(key, key.replace("_", " ")), value)
        for key, value in verdict["evidence"].items()
        if value != []
    ]
    return Cell(
        anchor,
        label,
        verdict["verdict"],
        symbol,
        words,
        verdict,
        ruleset,
        verdict["table"],
        picture,
        move,
        evidence,
        _commands(verdict, table, ledger),
    )


def _counterexample(verdict: Document, ruleset: str) -> tuple[Markup, str]:
    """Return the counterexample drawn, and its winning move in words."""
    shown = verdict["counterexample"]
    if not shown or shown["position"] is None or not ruleset:
        return Markup(), ""
    position, option = tuple(shown["position"]), shown.get("option")
    try:
        game = parse_ruleset(ruleset)
        drawing = draw_svg(game, position, tuple(option) if option else None)
    except RulesetError:  # a height table that is not at hand here: the numbers are shown
        return Markup(), ""
    changed = ", ".join(
        f"{name} from {before} to {after}"
        for name, before, after in zip(
            shown["coordinates"], position, option or position, strict=True
        )
        if before != after
    )
    return Markup(drawing), f"Winning move: {changed}." if option else ""


def _commands(verdict: Document, table: Document | None, ledger: Document) -> list[tuple[str, str]]:
    results = f"results/{ledger['run']}"
    if table is None:
        return [("repeats this", f"./choco ledger {results}/plan.json --out {results}/ledger.json")]
    shard = table["shard"]
    commands = []
    shown = verdict["counterexample"]
    if shown and shown["position"] is not None:
        position = " ".join(map(str, shown["position"]))
        commands.append(
            ("shows the position", f"./choco value {shlex.quote(table['ruleset'])} {position}")
        )
    check = f"./choco check {results}/checks/{shard}.json --out {results}/verdicts/{shard}.json"
    return [*commands, ("repeats the check", check)]


def _grid(cells: Sequence[Cell]) -> Grid | None:
    """Lay cells out by two integer parameters, unless there are few, or two cells in one place."""
    names = {tuple(cell.document["parameters"]) for cell in cells}
    if len(cells) < GRID_CELLS or len(names) != 1 or len(next(iter(names))) != 2:
        return None
    down, across = next(iter(names))
    places = {
        (cell.document["parameters"][down], cell.document["parameters"][across]): cell
        for cell in cells
    }
    if len(places) < len(cells) or not all(isinstance(v, int) for place in places for v in place):
        return None
    columns = sorted({b for _, b in places})
    rows = [(a, [places.get((a, b)) for b in columns]) for a in sorted({a for a, _ in places})]
    # A grid that is mostly empty reads worse than a list.
    if len(rows) * len(columns) > 3 * len(cells):
        return None
    return Grid(down, across, columns, rows)
