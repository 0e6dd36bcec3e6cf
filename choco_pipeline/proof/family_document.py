"""Schema of certificates of families. The checker has its own reader."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from choco_pipeline.documents.files import read_json
from choco_pipeline.documents.yaml_file import Content
from choco_pipeline.formula.written.family_statement import FamilyStatement

MOST_BYTES = 1 << 25
KIND = "family"
SumText = dict[str, int]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerText(_Part):
    """The prover's answer at some states."""

    states: list[int]
    digits: dict[str, int]
    move: str | None
    to: int


class StepText(_Part):
    """The opponent's digits, with the prover's answers."""

    digits: dict[str, int]
    answers: list[AnswerText]


class LocationText(_Part):
    """A location of the control automaton, with its invariant."""

    start: bool
    settled: bool
    upper: bool = False
    move: str | None
    orders: dict[str, Literal["equal", "less"]]
    zero: list[str]
    counters: dict[str, dict[str, SumText]] = {}
    never: list[list[SumText]] = []
    equalities: list[SumText] = []
    parities: dict[str, Literal[0, 1]] = {}
    predicates: list[SumText] = []
    states: list[str]
    strategy: list[StepText] = []


class ObligationText(_Part):
    """An obligation and the control that discharges it."""

    kind: Literal["value", "exclusion", "option"]
    move: str | None
    locations: list[LocationText] = Field(min_length=1, max_length=2000)


class QuotientOfHeight(_Part):
    """(Σ terms + constant) // divisor."""

    terms: dict[str, SumText]
    constant: SumText
    divisor: SumText


class HeightText(_Part):
    """A height function: one quotient, or the minimum, maximum or sum of several."""

    function: Literal["min", "max", "sum"]
    parts: list[QuotientOfHeight] = Field(min_length=1, max_length=8)


class DigitsText(_Part):
    """A coordinate with its shift: high·base + low, where the base is a power of 2."""

    high: SumText
    low: SumText


class QuotientText(_Part):
    """⌊dividend/divisor⌋. Lemmas name it by its number: ``number(1)`` is the first."""

    dividend: SumText
    divisor: SumText


class OptionText(_Part):
    """A candidate option: the coordinates that a move changes, and their new values."""

    move: str
    fallen: list[str]
    changed: dict[str, SumText]


class FormulaText(_Part):
    """Hints for a proof by cases: candidate options, and lemmas about products."""

    factors: list[str]
    floors: list[QuotientOfHeight] = Field(max_length=8)
    quotients: list[QuotientText] = Field(max_length=64)
    options: list[OptionText] = Field(max_length=200)
    lemmas: dict[str, Annotated[list[SumText], Field(max_length=1000)]]


class CaseText(_Part):
    """A case of the parameters."""

    parameters: dict[str, SumText]
    conditions: list[SumText]
    heights: dict[str, HeightText]
    shifts: dict[str, SumText]
    constant: SumText
    offset: SumText
    largest: dict[str, int] | None = None
    position: dict[str, SumText] | None = None
    digits: dict[str, DigitsText] | None = None
    obligations: list[ObligationText] = Field(default=[], max_length=64)
    formula: FormulaText | None = None


class RelationText(_Part):
    """The claimed formula for every member."""

    kind: Literal["p-positions", "grundy"]
    formula: str


class FamilyText(_Part):
    """The certificate of a family."""

    kind: Literal["family"]
    format: Literal[2]
    ruleset: str
    games: dict[str, object] = {}
    parameters: list[str] = Field(min_length=1, max_length=8)
    condition: str = Field(alias="for")
    where: str = ""
    relation: RelationText
    #: The relation of the game without passes, if the game has passes.
    without_passes: str | None = None
    verdict: Literal["proved", "refuted"] = "proved"
    cases: list[CaseText] = Field(min_length=1, max_length=200)

    def statement(self, coordinates: tuple[str, ...]) -> FamilyStatement:
        """Return the proved or refuted statement."""
        return FamilyStatement(
            ruleset=self.ruleset,
            parameters=tuple(self.parameters),
            condition=self.condition,
            coordinates=coordinates,
            where=self.where,
            kind=self.relation.kind,
            relation=self.relation.formula,
        )


def is_family(path: str) -> bool:
    """Whether a file is a JSON document with the kind ``family``."""
    document: Any = read_json(Path(path), MOST_BYTES)
    return isinstance(document, dict) and document.get("kind") == KIND


def read_family(path: Path) -> FamilyText:
    """Read a certificate; raise `ChocoError` if the file contains none."""
    return Content(path.as_posix(), read_json(path, MOST_BYTES)).load(FamilyText)
