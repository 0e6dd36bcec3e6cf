"""Documents on searches in tables: orders and findings.

A `ruleset` is a game, or a family of bars with the parameter m, and a `claim` is on this ruleset. A document has no key for a field
that a search does not fill, such as the text of an empty finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from choco_pipeline.documents.model import RecordModel

#: An entry of a claims file without its id; without a ruleset it is on the table's game.
ClaimContent = Mapping[str, JsonValue]
#: Most exceptions to a rule that its text lists, and that are compared with those of another game.
MOST_NAMED = 4


class TableSearch(RecordModel):
    """One table, by its id, and the names of the searches in it."""

    table: str
    what: tuple[str, ...]


class MineOrder(RecordModel):
    """Searches in tables of a shard."""

    #: Digest of the code of the searches: a change of the code makes another order.
    code: str
    #: The manifest of the shard.
    manifest: Path
    #: The searches, in the order of their findings.
    searches: tuple[TableSearch, ...]


@dataclass(frozen=True)
class Evidence:
    """The positions on which a statement was found, or then held."""

    positions: int
    what: str
    tables: int = 1


@dataclass(frozen=True)
class Tried:
    """The candidates of a search: their number and their description."""

    candidates: int
    what: str
    tables: int = 1


class SearchOutcome(RecordModel):
    """The fields that all findings have; a document has those that were given."""

    #: The fields that make up the statement, apart from its game.
    COMPARED: ClassVar[tuple[str, ...]] = ()

    #: The id of the table, in a run.
    table: str = ""
    #: The kind of the finding.
    kind: str
    #: Time of the search, in a run.
    seconds: float = 0.0
    #: The statement in words, and the positions on which it was found and then held.
    text: str = ""
    found_on: Evidence | None = None
    held_on: Evidence | None = None
    #: The same as an entry of a claims file; None if the statement language cannot express it.
    claim: ClaimContent | None = None
    #: The candidates of the search.
    tried: Tried
    #: Whether it found nothing.
    nothing: bool = False

    def equals(self, other: SearchOutcome) -> bool:
        """Whether another finding, of the same game or of another, has the same content."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.COMPARED)
        is_alike = bool(self.COMPARED) and self.kind == other.kind
        return is_alike and all(own == others for own, others in pairs)

    @model_serializer(mode="wrap")
    def _as_given(self, written: SerializerFunctionWrapHandler) -> Mapping[str, Any]:
        given = self.model_fields_set | {"kind"}
        return {name: value for name, value in written(self).items() if name in given}


@dataclass(frozen=True)
class IntegerSequence:
    """A sequence of counts of P-positions."""

    #: A ruleset, or a family of bars with the parameter m.
    game: str
    #: The positions that are counted, in words that name the index.
    what: str
    #: The name of the index; the sequence is g, as in `patterns`.
    index: str
    #: The first index.
    first: int
    terms: tuple[int, ...]
    #: The number as a term of the statement language, in the index.
    counted: str = ""

    @classmethod
    def of(cls, picture: Mapping[str, Any]) -> IntegerSequence:
        """Return the sequence in a statement's picture."""
        fields = {name: value for name, value in picture.items() if name != "kind"}
        return cls(**fields | {"terms": tuple(picture["terms"])})


@dataclass(frozen=True)
class ValueForm:
    """A form of a set of integers: a suggestion for a claim, not a claim."""

    #: ``zero``, ``finite``, ``two-powers-minus-two``, ``powers``, ``conditions``, ``all-up-to`` or ``list``.
    name: str
    #: The set in the field's notation.
    text: str
    #: A condition on v, in the formula language; empty for a list without a known form.
    condition: str = ""
    #: The relation of the values to the set of numbers v that satisfy the condition.
    relation: Literal["exactly", "within", "contains-all"] = "exactly"


class TermRelation(RecordModel):
    """A relation between terms of a sequence, and the least index where it holds."""

    formula: str
    start: int


class AtPowers(RecordModel):
    """The terms at 2^n, or the sums up to 2^n, if the relations always hold."""

    kind: Literal["terms", "sums"]
    text: str
    #: A closed form, if there is one, and the least n for which it holds.
    formula: str | None = None
    start: int = 0


class CountFinding(SearchOutcome):
    """Relations of a sequence of counts of P-positions."""

    kind: Literal["count"] = "count"
    ruleset: str
    #: The numbers, and relations between them.
    sequence: IntegerSequence | None = None
    relations: tuple[TermRelation, ...] = ()
    #: ``linear``, ``digits`` if binary digits give the terms, ``regular`` or, if only some terms have a relation,
    #: ``partly regular``.
    form: str = ""
    #: The closed form as an equation.
    closed_form: TermRelation | None = None
    #: Consequences for the terms at 2^n and the sums up to 2^n.
    follows: tuple[AtPowers, ...] = ()


class PictureFinding(SearchOutcome):
    """A rule on pictures of P-positions, and the names of their coordinates."""

    ruleset: str
    axes: tuple[str, ...]
    passes: int | None


class CellularFinding(PictureFinding):
    """A rule that determines a picture of P-positions by those before it."""

    COMPARED = ("axes", "terms", "inside", "start")

    kind: Literal["cellular"] = "cellular"
    #: The terms of the rule: [dn, di, dj].
    terms: tuple[tuple[int, ...], ...] = ()
    #: Whether it holds only where all its cells are positions, or at every cell of the plane.
    inside: bool = False
    #: The first picture number from which it holds, and the cells where it fails, unless there are too many.
    begins: int = 0
    exceptions: tuple[tuple[int, ...], ...] | None = None

    @property
    def start(self) -> tuple[tuple[int, ...], ...] | int:
        """The first exceptions, or the first number from which the rule holds."""
        return self.begins if self.exceptions is None else self.exceptions[:MOST_NAMED]


class HalfRelation(RecordModel):
    """A cell with residues [r, p, q] mod 2 as a sum of cells at half the place."""

    residue: tuple[int, ...]
    terms: tuple[tuple[int, ...], ...]


class CopiedPicture(RecordModel):
    """A smaller picture in a larger one: formulas in s and 2^e."""

    size: str
    row: str
    column: str


class BlocksFinding(PictureFinding):
    """Relations of pictures to smaller ones, or copies that make them up."""

    COMPARED = ("axes", "relations", "copies", "begins")

    kind: Literal["blocks"] = "blocks"
    #: A relation for each residue, whether all residues have one, and the first picture number from which they hold.
    relations: tuple[HalfRelation, ...] = ()
    complete: bool = False
    begins: int = 0
    #: The copies that make up a picture.
    copies: tuple[CopiedPicture, ...] = ()


class FormulaLine(RecordModel):
    """A formula, and the condition under which it holds; empty for all positions."""

    formula: str
    where: str


class FormulasFinding(SearchOutcome):
    """Formulas for the P-positions or Grundy numbers of a table."""

    kind: Literal["formulas"] = "formulas"
    #: ``P iff`` or ``G =``.
    label: str = ""
    #: The formulas, and the positions at which they are wrong.
    formulas: tuple[FormulaLine, ...] = ()
    exceptions: tuple[tuple[int, ...], ...] = ()
    #: Number of names, numbers and operators.
    size: int = 0


class GrowthStep(RecordModel):
    """The values at P-positions up to a bound: number, largest, first ones."""

    bound: int
    positions: int
    count: int
    largest: int | None
    values: tuple[int, ...]


class ValueSetFinding(SearchOutcome):
    """The values of an expression at the P-positions."""

    kind: Literal["value-sets"] = "value-sets"
    expression: str
    #: The values at growing bounds.
    growth: tuple[GrowthStep, ...]
    #: The form of the set.
    form: ValueForm


class StatementFinding(SearchOutcome):
    """A line of the statement language that a search proposes."""

    kind: Literal["statements"] = "statements"
    #: The name of the search in a sweep's ``mine:``.
    search: str

    @classmethod
    def of_lines(
        cls, search: str, tried: Tried, lines: Iterable[tuple[str, str, Evidence, Evidence]]
    ) -> list[StatementFinding]:
        """Return a finding for each text and line, or a single empty one."""
        return [
            cls(
                search=search,
                text=text,
                claim={"statement": line},
                found_on=found_on,
                held_on=held_on,
                tried=tried,
            )
            for text, line, found_on, held_on in lines
        ] or [cls(search=search, nothing=True, tried=tried)]


Finding = Annotated[
    CountFinding
    | CellularFinding
    | BlocksFinding
    | FormulasFinding
    | ValueSetFinding
    | StatementFinding,
    Field(discriminator="kind"),
]


def is_complete_formula(finding: Finding) -> bool:
    """Whether a finding has formulas for all positions, without exceptions."""
    if not isinstance(finding, FormulasFinding) or finding.exceptions:
        return False
    # Several formulas are the cases of one search, and cover all positions.
    return len(finding.formulas) > 1 or any(not line.where for line in finding.formulas)
