"""Found statements as the page and the exports show them: numbered, sorted by what is known of them, and drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from choco_pipeline.claims.conclusions.conclusion import SIGNS, STRONGEST_FIRST, Outcome, tally
from choco_pipeline.claims.kinds import PPositions
from choco_pipeline.claims.language.catalogue import load_with_background
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.statement import (
    UNITS,
    WHERE_COMPARED,
    FoundStatement,
    StatementError,
)
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.combine import passes_left
from choco_pipeline.games.notation import Notation, match, read
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.report.environment import environment
from choco_pipeline.report.family_pages import FamilyProofs
from choco_pipeline.report.found_formulas import displayed, lead
from choco_pipeline.report.line_chart import Line, line_chart
from choco_pipeline.report.math.mathml import MathML, in_page
from choco_pipeline.sweep.run_ledger import Ledger
from choco_pipeline.tables.reading.finished import stored_corner
from choco_pipeline.tables.specs.schema import NONE, variable_of


@dataclass(frozen=True)
class RestatedClaim:
    """A claim that a statement restates, or follows from: what it is called, where it stands, and whether the report has it.

    Of a claim that is in neither the report nor the background theorems only the id is known.
    """

    id: str
    number: str = ""
    source: str = ""
    is_in_report: bool = False


@dataclass(frozen=True)
class KnownClaims:
    """Claims by id, and by game the ids of theorems that say of every position whether it is P."""

    claims: Mapping[str, RestatedClaim]
    theorems: Mapping[str, str]

    @classmethod
    def of(cls, ledger_claims: Iterable[LedgerClaim]) -> KnownClaims:
        """Return the claims of a ledger, and the background theorems behind them."""
        claims: dict[str, RestatedClaim] = {}
        theorems: dict[str, str] = {}
        for claim in load_with_background([]).claims.values():
            entry = claim.as_ledger()
            claims[claim.id] = RestatedClaim(claim.id, entry.number, entry.where or "")
            theorems |= _telling(entry)
        for entry in ledger_claims:
            paper = entry.paper.title
            claims[entry.id] = RestatedClaim(entry.id, entry.number, paper, is_in_report=True)
            theorems |= _telling(entry)
        return cls(claims, theorems)

    def named(self, claim_id: str) -> RestatedClaim:
        """Return what is known of a claim."""
        return self.claims.get(claim_id, RestatedClaim(claim_id))

    def telling(self, pattern: Notation) -> RestatedClaim | None:
        """Return the theorem that tells the P-positions of a game, or of all games with parameters; None if none is known."""
        theorem = self.theorems.get(pattern.text)
        return None if theorem is None else self.claims[theorem]


def _telling(claim: LedgerClaim) -> dict[str, str]:
    if claim.status != "theorem" or claim.ruleset is None or claim.kind != PPositions.kind:
        return {}
    formal = Claim.from_json(claim.formal)
    statement = formal.statement
    given = formal.determined
    if given is None or given.where is not None or formal.reach is not None:
        return {}
    if statement.when is not None or statement.every or statement.some:
        return {}
    return {read(claim.ruleset).text: claim.id}


#: What a statement's picture is called that has these tables.
KIND = "height-functions"


@dataclass(frozen=True)
class HeightTable:
    """A small table."""

    #: What it shows.
    title: str
    #: Of each column; of the first, what the rows are.
    head: tuple[str, ...]
    #: Each as long as the head.
    rows: tuple[tuple[str, ...], ...]


def tables_of(statement: FoundStatement) -> list[HeightTable]:
    """Return the tables of a statement that counts height functions; none of any other.

    Raises `StatementError` if its picture does not hold what such a one must.
    """
    shown = statement.picture
    if shown is None or shown.get("kind") != KIND:
        return []
    try:
        return [*_counts(shown["counts"]), _shifts(shown["shifts"]), *_least(shown["least"])]
    except (KeyError, TypeError, AttributeError) as error:
        raise StatementError(f"{statement.id}: not counts of height functions: {error}") from None


def _counts(counts: Mapping[str, Sequence[Mapping[str, int]]]) -> Iterator[HeightTable]:
    """Yield for each formula the numbers of functions, rows by largest argument and columns by largest height."""
    for formula, boxes in counts.items():
        sides = sorted({box["side"] for box in boxes})
        heights = sorted({box["height"] for box in boxes})
        number = {(box["side"], box["height"]): f"{box['functions']:,}" for box in boxes}
        yield HeightTable(
            f"How many monotone f from {{0..n}}² to {{0..h}} have {formula}",
            ("n \\ h", *map(str, heights)),
            tuple((str(n), *(number.get((n, h), "") for h in heights)) for n in sides),
        )


def _shifts(shifts: Sequence[Mapping[str, Any]]) -> HeightTable:
    """Return for how many functions of the box each sum is zero at the P-positions alone, or nearly."""
    return HeightTable(
        "For how many f of the box a sum is zero exactly at the P-positions, and for how many it comes closest to that",
        ("sum", "exactly", "closest"),
        tuple((shift["sum"], f"{shift['exact']:,}", f"{shift['best']:,}") for shift in shifts),
    )


def _least(least: Mapping[str, Sequence[Sequence[int]] | None]) -> Iterator[HeightTable]:
    """Yield the least function of each class as its values, rows by x and columns by z."""
    for which, heights in least.items():
        if heights is not None:
            yield HeightTable(
                f"The least f with: {which}",
                ("x \\ z", *(str(z) for z in range(len(heights[0])))),
                tuple((str(x), *map(str, row)) for x, row in enumerate(heights)),
            )


Cells = NDArray[np.integer]

#: Cells of a table along a side that are read for a picture.
SIDE_READ = 160
#: A plane of fewer cells shows nothing that is worth a picture.
FEWEST_CELLS = 4


@dataclass(frozen=True)
class Picture:
    """A plane of positions."""

    #: Rows and columns, the first row at the bottom unless `down`: 1 for P, 0 for N, -1 where there is no position.
    cells: Cells
    #: The coordinates that count rows and columns.
    row: str
    column: str
    #: Which part of the table it is.
    title: str
    #: Whether rows are counted downwards, as in a matrix.
    down: bool = False


def picture_of(entry: Mapping[str, Any], results: Path) -> Picture | None:
    """Return the picture of a table of P-positions, with all passes left.

    None if its cells hold coordinates of P-positions that no plane shows, if it is a face with passes, or if it is too small.
    Raises `StoreError` if the table cannot be read.
    """
    game = parse_ruleset(entry["ruleset"])
    passes, rules = int(game.base is not game), game.base.rules
    variable, bar, face = variable_of(game, "p-positions"), rules.bar, rules.face
    is_flat = bar is not None and bar.is_flat and variable.stored == bar.up
    if (variable.stored is not None and not is_flat) or (face is not None and passes):
        return None
    shape = entry["shape"]
    plane = [min(size, SIDE_READ) for size in shape[passes:]]
    sides = [*shape[:passes], *(1 for _ in plane[:-2]), *plane[-2:]]
    corner = stored_corner(results, entry, sides)
    cells = corner[-1] if passes else corner
    title = passes_left(len(corner) - 1) if passes else ""
    if face is not None:
        row, column = face.sizes
        name = f"R({', '.join(map(str, face.sizes.values()))})"
        return Picture(cells, row, column, name, down=True)
    dims = variable.dims[-cells.ndim :]
    if is_flat and cells.ndim == 1:
        assert bar is not None
        heights = bar.limit.height.table(cells.size)
        up = np.arange(int(heights.max()) + 1)[:SIDE_READ, None]
        return Picture(np.where(up > heights, NONE, up == cells), bar.up, dims[0], title)
    if cells.ndim < 2:
        return None
    *fixed, row, column = dims
    title = ", ".join([*([title] if title else []), *(f"{dim} = 0" for dim in fixed)])
    cells = _cropped(cells[(0,) * len(fixed)])
    return Picture(cells, row, column, title) if cells.size >= FEWEST_CELLS else None


def _cropped(cells: Cells) -> Cells:
    """Return the cells without the last rows that hold nothing: a long bar is low."""
    filled = np.nonzero((cells != NONE).any(axis=1))[0]
    return cells[: int(filled[-1]) + 1] if filled.size else cells


#: Kinds of statements for which the pattern of P-positions is drawn, and how many cells of it along a side.
PATTERNS = ("p-positions", "cellular", "blocks")
SIDE = 64
#: So many terms of a sequence are drawn, and so many listed.
TERMS, LISTED = 64, 16


def drawing(
    statement: FoundStatement, tables: Sequence[Mapping[str, Any]], results: Path
) -> Markup | None:
    """Return a statement's drawing as SVG, or None.

    Of the tables that the statement speaks of, the largest that has a plane of P-positions is drawn. Raises `StoreError` if a
    table that is drawn cannot be read.
    """
    sequence = sequence_of(statement)
    if sequence is not None:
        return _chart(sequence)
    if statement.kind not in PATTERNS:
        return None
    fitting = [table for table in tables if _speaks_of(statement, table)]
    for table in sorted(fitting, key=lambda table: -int(table["positions"])):
        if (picture := picture_of(table, results)) is not None:
            return pattern(picture, table["ruleset"])
    return None


def pattern(picture: Picture, ruleset: str) -> Markup:
    """Return P-positions as dark cells of a grid, the first row at the bottom unless the picture counts downwards."""
    cells = picture.cells[:SIDE, :SIDE]
    rows, columns = cells.shape
    path = []
    for i in range(rows):
        y = i if picture.down else rows - 1 - i
        path += [f"M{j} {y}h1v1h-1z" for j in range(columns) if cells[i, j] == 1]
    says = f"P-positions of {ruleset}: {picture.row} {'down' if picture.down else 'up'}, {picture.column} across"
    says += f", {picture.title}" if picture.title else ""
    return Markup(
        '<figure class="pattern"><svg viewBox="-0.5 -0.5 {w} {h}" role="img" aria-label="{says}">'
        '<rect width="{columns}" height="{rows}" class="frame"/><path d="{path}"/></svg>'
        "<figcaption>{says}.</figcaption></figure>"
    ).format(
        w=columns + 1,
        h=rows + 1,
        columns=columns,
        rows=rows,
        path="".join(path),
        says=says,
    )


def sequence_of(statement: FoundStatement) -> IntegerSequence | None:
    """Return the sequence that a statement is about, or None."""
    shown = statement.picture
    if shown is None or shown["kind"] != "sequence":
        return None
    try:
        return IntegerSequence.of(shown)
    except (KeyError, TypeError) as error:
        raise StatementError(f"{statement.id}: not a picture of a sequence: {error}") from None


def _chart(sequence: IntegerSequence) -> Markup:
    terms = sequence.terms[:TERMS]
    name = f"g({sequence.index})"
    chart = line_chart([Line("", list(enumerate(terms, sequence.first)))], sequence.index, name)
    listed = ", ".join(map(str, terms[:LISTED])) + (", …" if len(sequence.terms) > LISTED else "")
    return Markup("<figure>{}<figcaption>{}, {}: {}.</figcaption></figure>").format(
        chart, name, sequence.what, listed
    )


def _speaks_of(statement: FoundStatement, table: Mapping[str, Any]) -> bool:
    if table["quantity"] != "p-positions":
        return False
    values = match(statement.pattern, read(table["ruleset"]))
    return values is not None and all(
        values[name] in seen for name, seen in statement.parameters.items()
    )


#: Kinds of statements that say how the P-positions lie, and so no more than a theorem that tells which they are.
ON_P_POSITIONS = ("count", "cellular", "blocks")
#: So many new statements stand on the first page of a report.
MOST_NEWS = 8
#: So many certificates of a statement are listed; found.json has all.
MOST_CERTIFICATES = 3


@dataclass(frozen=True)
class FoundView:
    """A found statement as it is shown."""

    #: Its number in this report: Found 1.
    number: int
    #: What was found.
    statement: FoundStatement
    #: The claims that it restates, follows from or extends.
    known: tuple[RestatedClaim, ...]
    #: The theorem that tells which positions of its games are P, where the statement says how these lie; None for others.
    told_by: RestatedClaim | None
    #: The numbers and anchors of the statements that settle all positions of its game.
    follows_from: tuple[tuple[int, str], ...]
    #: A drawing, or None.
    picture: Markup | None

    @property
    def anchor(self) -> str:
        """The statement's id on the page."""
        return self.statement.id

    @property
    def verdict(self) -> Outcome:
        """What the statement comes to."""
        return self.statement.verdict

    @property
    def symbol(self) -> str:
        """The verdict's sign."""
        return SIGNS[self.verdict][0]

    @property
    def words(self) -> str:
        """The verdict in words."""
        return SIGNS[self.verdict][1]

    @property
    def in_words(self) -> str:
        """The statement as text, where no formula says it."""
        return "" if self.lines else f"{self.statement.text.rstrip('.')}."

    @property
    def certificates(self) -> tuple[Sequence[str], int]:
        """The certificates that are listed, and how many more there are."""
        paths = self.statement.conclusion.certificates
        return paths[:MOST_CERTIFICATES], max(0, len(paths) - MOST_CERTIFICATES)

    @property
    def lines(self) -> list[Markup]:
        """The formulas, each the inside of a ``math`` element."""
        return [Markup(line) for line in displayed(self.statement, MathML())]

    @property
    def lead(self) -> Markup:
        """The beginning of its sentence: of which games it speaks, for which parameters, and how far."""
        return in_page(lead(self.statement, MathML()))

    @property
    def seen_for(self) -> list[str]:
        """For which parameters it was seen."""
        parameters = self.statement.parameters.items()
        return [f"{name} = {span(values)}" for name, values in parameters if values]

    @property
    def tables(self) -> list[HeightTable]:
        """What it counts of height functions."""
        return tables_of(self.statement)

    @property
    def unit(self) -> str:
        """What its evidence counts."""
        return UNITS.get(self.statement.search, "position")


@dataclass(frozen=True)
class FoundStatements:
    """All that was found, in the order of the page."""

    #: Statements, numbered through: what no paper says, what a claim of the catalogue says, how P-positions lie that a
    #: theorem tells, what is said of all height functions of a box, and what failed on cells that it was not found on.
    new: list[FoundView]
    rediscovered: list[FoundView]
    consequences: list[FoundView]
    heights: list[FoundView]
    refuted: list[FoundView]
    #: Searches that found nothing.
    in_vain: list[Searched]
    #: ``found.json`` as it was read.
    document: FoundDocument

    @property
    def views(self) -> list[FoundView]:
        """All statements."""
        return [*self.held, *self.refuted]

    @property
    def held(self) -> list[FoundView]:
        """Those that were not refuted."""
        return [*self.new, *self.rediscovered, *self.consequences, *self.heights]

    @property
    def news(self) -> list[FoundView]:
        """Of what no paper says, the strongest: proved before not proved, at most `MOST_NEWS`."""
        ranked = sorted(self.new, key=lambda view: STRONGEST_FIRST.index(view.verdict))
        return ranked[:MOST_NEWS]

    @cached_property
    def tally(self) -> Mapping[Outcome, int]:
        """How many statements that were not refuted come to what, the strongest first."""
        return tally((view.verdict for view in self.held), STRONGEST_FIRST)


def read_found(path: Path, ledger: Ledger, results: Path) -> FoundStatements:
    """Return what a run found; `StoreError` if the file cannot be read, is damaged or is of another version."""
    return found_of(FoundDocument.read(path), ledger, results)


def found_of(document: FoundDocument, ledger: Ledger, results: Path) -> FoundStatements:
    """Return what a document says, its statements in their order within each part."""
    statements = document.statements
    heights = [statement for statement in statements if statement.search == "heights"]
    held = [
        statement
        for statement in statements
        if statement.verdict != "refuted" and statement.search != "heights"
    ]
    known = KnownClaims.of(ledger.claims)
    told = {
        statement.id: known.telling(statement.pattern)
        for statement in held
        if statement.search in ON_P_POSITIONS
    }
    parts = (
        [statement for statement in held if not statement.known and told.get(statement.id) is None],
        [statement for statement in held if statement.known and statement.known_as != "more"],
        [
            statement
            for statement in held
            if (statement.known_as == "more" if statement.known else told.get(statement.id))
        ],
        [statement for statement in heights if statement.verdict != "refuted"],
        [statement for statement in statements if statement.verdict == "refuted"],
    )
    numbers = {
        statement.id: n
        for n, statement in enumerate((statement for part in parts for statement in part), start=1)
    }
    new, rediscovered, consequences, classified, refuted = (
        [
            FoundView(
                numbers[statement.id],
                statement,
                tuple(map(known.named, statement.known)),
                told.get(statement.id),
                tuple((numbers[name], name) for name in statement.follows_from if name in numbers),
                drawing(statement, ledger.tables, results),
            )
            for statement in part
        ]
        for part in parts
    )
    in_vain = [search for search in document.searches if search.nothing]
    return FoundStatements(new, rediscovered, consequences, classified, refuted, in_vain, document)


def found_page(found: FoundStatements, ledger: Ledger) -> str:
    """Return the page of found statements; it needs no other file, no network and no script."""
    pages = FamilyProofs.of(ledger, [view.statement for view in found.views]).pages_by_path
    template = environment().get_template("statements.html.j2")
    return template.render(
        found=found,
        ledger=ledger,
        family_pages=pages,
        signs=SIGNS,
        where_compared=WHERE_COMPARED,
    )


def span(values: Sequence[int]) -> str:
    """Return integers in their order, those in the middle of an arithmetic progression left out.

    Examples
    --------
    >>> span([2, 4, 6, 8, 10, 12]), span([1, 2, 5]), span([7])
    ('2, 4, …, 12', '1, 2, 5', '7')
    """
    several = sorted(set(values))
    steps = {b - a for a, b in pairwise(several)}
    if len(several) > 4 and len(steps) == 1:
        return f"{several[0]}, {several[1]}, …, {several[-1]}"
    return ", ".join(map(str, several))
