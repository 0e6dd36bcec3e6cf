"""Found statements for pages and exports: numbers, order and drawings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from choco_pipeline.claims.conclusions.conclusion import SIGNS, STRONGEST_FIRST, Outcome, tally
from choco_pipeline.claims.kinds import PPositions
from choco_pipeline.claims.language.catalogue import load_with_background
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.documents.files import write_json, write_text
from choco_pipeline.finding.statement import (
    UNITS,
    WHERE_COMPARED,
    FoundDocument,
    FoundStatement,
    Searched,
    StatementError,
)
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.mining.counts import b_file
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.report.claims import claim_views, standings
from choco_pipeline.report.environment import environment, papers
from choco_pipeline.report.families import family_proofs
from choco_pipeline.report.pictures import Line, line_chart, markup
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.tables.cells import stored_corner
from choco_pipeline.tables.spec import NONE, variable_of

#: Side of the corner of a table that is read for a picture, and of a drawing, in cells.
SIDE_READ, SIDE = 160, 64
#: Fewest cells of a picture.
FEWEST_CELLS = 4
#: Kinds of statements with a drawing of P-positions.
PATTERNS = ("p-positions", "cellular", "blocks")
#: Numbers of drawn and of listed terms of a sequence.
TERMS, LISTED = 64, 16
#: Searches for properties of the set of P-positions, which follow from a theorem that determines all P-positions.
ON_P_POSITIONS = ("count", "cellular", "blocks")
#: The parts of the found statements with their headings, in the order of the page.
PARTS = {
    "new": "Not in the catalogue",
    "rediscovered": "Rediscovered",
    "consequences": "Consequences of known claims",
    "heights": "Which height functions?",
    "refuted": "Refuted on other tables",
}
#: Most new statements on the first page of a report.
MOST_NEWS = 8


class RestatedClaim(NamedTuple):
    """A claim that a statement restates, or follows from.

    Only its id is known if it is neither in the report nor a background theorem.
    """

    id: str
    number: str = ""
    source: str = ""
    is_in_report: bool = False


def known_claims(
    ledger_claims: Iterable[LedgerClaim],
) -> tuple[dict[str, RestatedClaim], dict[str, str]]:
    """Return background theorems and claims by id, and ids of theorems by game.

    These theorems determine all P-positions of their game.
    """
    background = [claim.as_ledger() for claim in load_with_background([]).claims.values()]
    known = [(one, RestatedClaim(one.id, one.number, one.where or "")) for one in background]
    known += [
        (one, RestatedClaim(one.id, one.number, one.paper.title, is_in_report=True))
        for one in ledger_claims
    ]
    theorems: dict[str, str] = {}
    for entry, _ in known:
        if entry.status == "theorem" and entry.ruleset and entry.kind == PPositions.kind:
            formal = Claim.from_json(entry.formal)
            given, statement = formal.determined, formal.statement
            is_for_all = statement.when is None and not statement.every and not statement.some
            if given and given.where is None and formal.reach is None and is_for_all:
                theorems[read(entry.ruleset).text] = entry.id
    return {claim.id: claim for _, claim in known}, theorems


class HeightTable(NamedTuple):
    """A small table; the first column has the names of the rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def _height_tables(statement: FoundStatement) -> Iterator[HeightTable]:
    """Yield the tables of a statement on numbers of height functions; else none."""
    picture = statement.picture
    if picture is None or picture.get("kind") != "height-functions":
        return
    for formula, boxes in picture["counts"].items():
        heights = sorted({box["height"] for box in boxes})
        number = {(box["side"], box["height"]): f"{box['functions']:,}" for box in boxes}
        yield HeightTable(
            f"Number of monotone f from {{0..n}}² to {{0..h}} that have {formula}",
            ("n \\ h", *map(str, heights)),
            [
                (str(n), *(number.get((n, h), "") for h in heights))
                for n in sorted({box["side"] for box in boxes})
            ],
        )
    yield HeightTable(
        "Numbers of f of the box for which a sum is zero exactly at the P-positions, and for which it comes closest to this",
        ("sum", "exactly", "closest"),
        [(sums["sum"], f"{sums['exact']:,}", f"{sums['best']:,}") for sums in picture["shifts"]],
    )
    for which, least in picture["least"].items():
        if least is not None:
            yield HeightTable(
                f"The least f with: {which}",
                ("x \\ z", *map(str, range(len(least[0])))),
                [(str(x), *map(str, row)) for x, row in enumerate(least)],
            )


@dataclass(frozen=True)
class Picture:
    """The outcomes in a plane of positions."""

    #: 1 for P, 0 for N, -1 for no position; the first row is at the bottom unless `down`.
    cells: NDArray[np.integer]
    #: The coordinates of rows and columns.
    row: str
    column: str
    #: The part of the table.
    title: str
    #: Whether rows are counted downwards, as in a matrix.
    down: bool = False


def picture_of(entry: Mapping[str, Any], results: Path) -> Picture | None:
    """Return the picture of a table of P-positions, with all passes left.

    Return None if the table has no plane of outcomes, has a face and passes, or is too small. Raises `StoreError` if it cannot
    be read.
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
    cells = cells[(0,) * len(fixed)]
    filled = np.flatnonzero((cells != NONE).any(axis=1))
    cells = cells[: int(filled[-1]) + 1] if filled.size else cells  # no empty rows above a low bar
    return Picture(cells, row, column, title) if cells.size >= FEWEST_CELLS else None


def drawing(
    statement: FoundStatement, tables: Sequence[Mapping[str, Any]], results: Path
) -> Markup | None:
    """Return a statement's drawing as SVG, or None.

    It shows the largest table of the statement's games that has a plane of P-positions. Raises `StoreError` if the table cannot
    be read.
    """
    if (sequence := sequence_of(statement)) is not None:
        terms = sequence.terms[:TERMS]
        name = f"g({sequence.index})"
        line = Line("", list(enumerate(terms, sequence.first)))
        listed = ", ".join(map(str, terms[:LISTED]))
        listed += ", …" if len(sequence.terms) > LISTED else ""
        return Markup("<figure>{}<figcaption>{}, {}: {}.</figcaption></figure>").format(
            line_chart([line], sequence.index, name), name, sequence.what, listed
        )
    if statement.kind not in PATTERNS:
        return None
    for table in sorted(tables, key=lambda table: -int(table["positions"])):
        if table["quantity"] == "p-positions":
            values = match(statement.pattern, read(table["ruleset"]))
            is_seen = values is not None and all(
                values[name] in seen for name, seen in statement.parameters.items()
            )
            if is_seen and (picture := picture_of(table, results)) is not None:
                return pattern(picture, table["ruleset"])
    return None


def pattern(picture: Picture, ruleset: str) -> Markup:
    """Return a picture as SVG, with P-positions as dark cells of a grid."""
    cells = picture.cells[:SIDE, :SIDE]
    rows, columns = cells.shape
    dark = [(j, i if picture.down else rows - 1 - i) for i, j in np.argwhere(cells == 1).tolist()]
    caption = f"P-positions of {ruleset}: {picture.row} {'down' if picture.down else 'up'}, {picture.column} across"
    caption += f", {picture.title}" if picture.title else ""
    return markup("pattern", rows, columns, dark, caption)


def sequence_of(statement: FoundStatement) -> IntegerSequence | None:
    """Return the sequence that a statement is about, if any."""
    picture = statement.picture
    if picture is None or picture["kind"] != "sequence":
        return None
    try:
        return IntegerSequence.of(picture)
    except (KeyError, TypeError) as error:
        raise StatementError(f"{statement.id}: not a picture of a sequence: {error}") from None


@dataclass(frozen=True)
class FoundView:
    """A found statement on a page."""

    #: Its number in this report, as in "Found 1".
    number: int
    statement: FoundStatement
    #: The claims that it restates, follows from or extends.
    known: tuple[RestatedClaim, ...]
    #: For a statement on the set of P-positions: the theorem that determines all P-positions, if known.
    theorem: RestatedClaim | None
    #: The numbers and ids of the found statements that it follows from.
    follows_from: tuple[tuple[int, str], ...]
    #: A drawing, or None.
    picture: Markup | None

    @property
    def verdict(self) -> Outcome:
        """The statement's outcome."""
        return self.statement.verdict

    @property
    def words(self) -> str:
        """The verdict in words."""
        return SIGNS[self.verdict][1]

    @property
    def in_words(self) -> str:
        """The statement as text, for a statement that no formula expresses."""
        return f"{self.statement.text.rstrip('.')}."

    @property
    def seen_for(self) -> str:
        """The values of each parameter for which it was observed."""
        parameters = self.statement.parameters.items()
        return "; ".join(f"{name} = {span(values)}" for name, values in parameters if values)

    @property
    def tables(self) -> list[HeightTable]:
        """Its tables of numbers of height functions.

        Raises `StatementError` if the numbers are damaged.
        """
        try:
            return list(_height_tables(self.statement))
        except (KeyError, TypeError, AttributeError) as error:
            why = f"{self.statement.id}: not counts of height functions: {error}"
            raise StatementError(why) from None

    @property
    def unit(self) -> str:
        """The unit of its evidence."""
        return UNITS.get(self.statement.search, "position")


@dataclass(frozen=True)
class FoundStatements:
    """All found statements, in the order of the page."""

    #: The statements of each part, numbered consecutively. Those of the last part fail on cells outside the search.
    parts: Mapping[str, list[FoundView]]
    #: Searches that found nothing.
    in_vain: list[Searched]
    #: The content of ``found.json``.
    document: FoundDocument

    @property
    def views(self) -> list[FoundView]:
        """All statements."""
        return [view for views in self.parts.values() for view in views]

    @property
    def statements(self) -> list[FoundStatement]:
        """The statements themselves."""
        return [view.statement for view in self.views]

    @property
    def held(self) -> list[FoundView]:
        """All statements that were not refuted."""
        return [view for view in self.views if view.verdict != "refuted"]

    @property
    def news(self) -> list[FoundView]:
        """The strongest new statements, at most `MOST_NEWS`, proved ones first."""
        ranked = sorted(self.parts["new"], key=lambda view: STRONGEST_FIRST.index(view.verdict))
        return ranked[:MOST_NEWS]

    @cached_property
    def tally(self) -> Mapping[Outcome, int]:
        """Numbers of statements that were not refuted, by outcome, strongest first."""
        return tally((view.verdict for view in self.held), STRONGEST_FIRST)


def found_of(document: FoundDocument, ledger: Ledger, results: Path) -> FoundStatements:
    """Return the statements of a document by part, in their order."""
    known, theorems_by_game = known_claims(ledger.claims)
    theorems = {
        statement.id: known[theorems_by_game[statement.pattern.text]]
        for statement in document.statements
        if statement.search in ON_P_POSITIONS and statement.pattern.text in theorems_by_game
    }

    def part(statement: FoundStatement) -> str:
        if statement.verdict == "refuted":
            return "refuted"
        if statement.search == "heights":
            return "heights"
        if statement.known:
            return "consequences" if statement.known_as == "more" else "rediscovered"
        return "consequences" if statement.id in theorems else "new"

    statements = sorted(document.statements, key=lambda one: [*PARTS].index(part(one)))
    numbers = {statement.id: n for n, statement in enumerate(statements, start=1)}
    parts: dict[str, list[FoundView]] = {name: [] for name in PARTS}
    for statement in statements:
        name = part(statement)
        view = FoundView(
            numbers[statement.id],
            statement,
            tuple(known.get(one, RestatedClaim(one)) for one in statement.known),
            None if name in ("heights", "refuted") else theorems.get(statement.id),
            tuple((numbers[one], one) for one in statement.follows_from if one in numbers),
            drawing(statement, ledger.tables, results),
        )
        parts[name].append(view)
    return FoundStatements(parts, [s for s in document.searches if s.nothing], document)


def found_page(found: FoundStatements, ledger: Ledger) -> str:
    """Return the page of found statements, as a self-contained file."""
    proofs = family_proofs(ledger, found.statements)
    template = environment().get_template("statements.html.j2")
    return template.render(
        found=found,
        ledger=ledger,
        family_pages={path: proof.page for path, proof in proofs.items()},
        headings=PARTS,
        where_compared=WHERE_COMPARED,
    )


def write_exports(found: FoundStatements, ledger: Ledger, folder: Path) -> None:
    """Write ``found.tex``, ``found.md``, ``found.json`` and the b-files.

    There is a b-file for each sequence. Old b-files are removed.
    """
    for name in ("found.tex", "found.md"):
        write_text(folder / name, printed(f"{name}.j2", ledger, found))
    write_json(folder / "found.json", found.document.document())
    files = b_files(found.statements)
    for name, text in files.items():
        write_text(folder / name, text)
    for old in folder.glob("b-*.txt"):
        if old.name not in files:
            old.unlink()


def b_files(statements: Iterable[FoundStatement]) -> dict[str, str]:
    """Return the texts of the b-files of all sequences, by their names."""
    sequences = {f"b-{statement.id}.txt": sequence_of(statement) for statement in statements}
    return {name: b_file(sequence) for name, sequence in sequences.items() if sequence is not None}


def printed(
    template: str, ledger: Ledger, found: FoundStatements | None, *, with_claims: bool = False
) -> str:
    """Return the document of a template, in LaTeX or Markdown.

    In LaTeX, proved statements are theorems, others conjectures. With `with_claims`, conjectures and questions of the papers come
    first, and searches without a result are left out.
    """
    sections = [] if found is None else [(PARTS[part], of) for part, of in found.parts.items()]
    documents = papers(markdown=".md." in template)
    return documents.get_template(template).render(
        title=ledger.title if with_claims else f"Found: {ledger.title}",
        run=ledger.run,
        standings=standings(claim_views(ledger)) if with_claims else None,
        sections=sections,
        in_vain=None if with_claims or found is None else found.in_vain,
    )


def span(values: Sequence[int]) -> str:
    """Return integers in ascending order; an arithmetic progression is abbreviated.

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
