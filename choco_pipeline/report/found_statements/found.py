"""What the machine found, as the page and the exports show it: numbered, and set apart from what was known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from markupsafe import Markup, escape

from choco_pipeline.claims.conclusions.conclusion import SIGNS, STRONGEST_FIRST, Outcome, tally
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.statement import UNITS, WHERE_COMPARED, FoundStatement
from choco_pipeline.report.environment import environment
from choco_pipeline.report.family_proofs.family_pages import FamilyProofs
from choco_pipeline.report.found_statements.found_formulas import displayed, lead
from choco_pipeline.report.found_statements.found_pictures import drawing
from choco_pipeline.report.found_statements.height_tables import HeightTable, tables_of
from choco_pipeline.report.found_statements.known_claims import KnownClaims, RestatedClaim
from choco_pipeline.report.math.mathml import MathML
from choco_pipeline.sweep.run_ledger import Ledger

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
        parts = (
            Markup("<math>{}</math>").format(Markup(phrase.text))
            if phrase.kind == "formula"
            else escape(phrase.text)
            for phrase in lead(self.statement, MathML())
        )
        return Markup("").join(parts)

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
