"""Verdicts on claims; "holds to a bound" never means "true"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, assert_never, get_args

from choco_pipeline.documents.model import RecordModel
from choco_pipeline.formula.written.family_statement import where_phrases
from choco_pipeline.formula.written.math_text import MathNotation, math_text
from choco_pipeline.games import Position

#: The names of the kinds of verdicts in documents.
VerdictKind = Literal["proved", "exhausted", "holds-to-bound", "refuted", "undecided", "vacuous"]
#: The largest number of characters of a reason in the one-line text.
SHORT = 60


@dataclass(frozen=True)
class Counterexample:
    """A counterexample to a claim."""

    #: The actual fact, and the claimed one.
    found: str
    claimed: str
    #: The position and the names of its coordinates; None if the claim is not about single positions.
    position: Position | None = None
    coordinates: tuple[str, ...] = ()
    #: A known P-position among the options of an N-position.
    option: Position | None = None
    #: A phrase that explains its outcome or Grundy number by its options. None if no explanation is known, or the claim is not
    #: about outcomes.
    reason: str | None = None


@dataclass(frozen=True)
class Proved:
    """It holds in all cases; `certificate` names the proof."""

    kind: ClassVar[VerdictKind] = "proved"
    #: A file; for a statement on integers, the command that decides it.
    certificate: str
    #: The kind of cases, if they are not positions.
    unit: str = "position"
    #: The largest coordinate that the statement is about, a formula for all parameters at once; None for any.
    reach: int | str | None = None
    #: The number of printed numbers, for a claim about printed numbers; None for any other claim.
    printed: int | None = None


@dataclass(frozen=True)
class Exhausted:
    """The statement is finite, and every case of it was checked."""

    kind: ClassVar[VerdictKind] = "exhausted"
    #: Number of checked positions.
    positions: int
    #: The kind of cases, if they are not positions: ``case``, ``number``, …
    unit: str = "position"


@dataclass(frozen=True)
class HoldsToBound:
    """No position of a table contradicts it; it may still be false beyond."""

    kind: ClassVar[VerdictKind] = "holds-to-bound"
    #: Number of checked positions.
    positions: int
    #: Largest value of every coordinate that the shape does not limit.
    bound: int
    #: The weaker fact that was checked, if it is not the statement itself on the positions of the table.
    sense: str | None = None
    #: The kind of cases, if they are not positions.
    unit: str = "position"


@dataclass(frozen=True)
class Refuted:
    """It is false; `counterexample` is the least one in the table."""

    kind: ClassVar[VerdictKind] = "refuted"
    counterexample: Counterexample
    positions: int


@dataclass(frozen=True)
class Undecided:
    """There is no decision; `why` is the reason."""

    kind: ClassVar[VerdictKind] = "undecided"
    why: str


@dataclass(frozen=True)
class Vacuous:
    """Nothing satisfies the conditions of the statement; `why` is the reason."""

    kind: ClassVar[VerdictKind] = "vacuous"
    why: str


Verdict = Proved | Exhausted | HoldsToBound | Refuted | Undecided | Vacuous


def verdict_text(verdict: Verdict) -> str:
    """Return the verdict in one line.

    Examples
    --------
    >>> verdict_text(HoldsToBound(1234567, 512))
    'holds for all 1,234,567 positions up to bound 512'
    >>> verdict_text(Undecided("the bound is too small"))
    'undecided: the bound is too small'
    """
    text = verdict_detail(verdict)
    match verdict:
        case Proved() | Refuted(Counterexample(_, _, tuple())):
            return f"{verdict.kind} {text}"
        case Exhausted() | HoldsToBound():
            return text
        case _:
            return f"{verdict.kind}: {text}"


def verdict_detail(verdict: Verdict) -> str:
    """Return the text of a verdict for use beside the sign of its kind.

    Examples
    --------
    >>> verdict_detail(Undecided("the bound is too small"))
    'the bound is too small'
    """
    match verdict:
        case Proved(certificate, unit, reach, printed):
            return f"for {domain_text(unit, reach, printed)}: {certificate}"
        case Exhausted(positions, unit):
            return f"true: a finite statement, checked on {_all(positions, unit)}"
        case HoldsToBound(positions, bound, None, unit):
            return f"holds for {_all(positions, unit)} up to bound {bound:,}"
        case HoldsToBound(positions, bound, sense, unit):
            return (
                f"holds up to bound {bound:,} ({counted(positions, unit)}) in this sense: {sense}"
            )
        case Refuted(Counterexample(found, claimed, None)):
            return f"{found}, claimed: {claimed}"
        case Refuted(Counterexample(found, claimed, position, coordinates, _, reason)):
            why = f"; {reason}" if reason and len(reason) <= SHORT else ""
            return f"at {place_text(coordinates, position)}: {found}, claimed: {claimed}{why}"
        case Undecided(why) | Vacuous(why):
            return why
        case _:
            assert_never(verdict)


#: Fields of verdicts that have the name `why` in a record.
_WHY: Mapping[str, str] = {"certificate": "why", "sense": "why"}
_KINDS: Mapping[VerdictKind, type[Verdict]] = {kind.kind: kind for kind in get_args(Verdict)}


class VerdictRecord(RecordModel):
    """A verdict in a document: the fields of all kinds of verdicts, and its text."""

    verdict: VerdictKind
    positions: int = 0
    unit: str = "position"
    bound: int | None = None
    reach: int | str | None = None
    printed: int | None = None
    counterexample: Counterexample | None = None
    why: str | None = None
    text: str

    @property
    def domain(self) -> str:
        """The domain of a proof in words."""
        return domain_text(self.unit, self.reach, self.printed)

    @property
    def as_verdict(self) -> Verdict:
        """The verdict as an object of its kind."""
        kind = _KINDS[self.verdict]
        return kind(**{of.name: getattr(self, _WHY.get(of.name, of.name)) for of in fields(kind)})


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """Return the fields of the `VerdictRecord` of a verdict."""
    own = {_WHY.get(of.name, of.name): getattr(verdict, of.name) for of in fields(verdict)}
    empty = {**dict.fromkeys(VerdictRecord.model_fields), "positions": 0, "unit": "position"}
    return {**empty, **own, "verdict": verdict.kind, "text": verdict_text(verdict)}


def place_text(names: Sequence[str], position: Position | None) -> str:
    """Return a position with the names of its coordinates.

    Examples
    --------
    >>> place_text(("y", "z"), (2, 5)), place_text(("x",), (7,))
    ('(y, z) = (2, 5)', 'x = 7')
    """
    values = position or ()
    if len(names) == 1:
        return f"{names[0]} = {values[0]}"
    return f"({', '.join(names)}) = ({', '.join(map(str, values))})"


def domain_text(unit: str, reach: int | str | None, printed: int | None) -> str:
    """Return the domain of a proof in words.

    Examples
    --------
    >>> domain_text("integer", None, None), domain_text("position", 20, None)
    ('all integers', 'all positions with coordinates up to 20')
    >>> domain_text("position", 20, 15)
    'the 15 printed numbers'
    """
    if printed is not None:
        return "the printed number" if printed == 1 else f"the {printed:,} printed numbers"
    if reach is None:
        return f"all {plural(unit)}"
    limit = math_text(reach) if isinstance(reach, str) else f"{reach:,}"
    return f"all {plural(unit)} with coordinates up to {limit}"


def plural(unit: str) -> str:
    """Return the plural of a kind of cases."""
    return {"octahedron": "octahedra"}.get(unit, f"{unit}s")


def counted(number: int, unit: str) -> str:
    """Return a number with the kind of cases.

    Examples
    --------
    >>> counted(1234, "position"), counted(1, "case")
    ('1,234 positions', '1 case')
    """
    return f"{number:,} {unit if number == 1 else plural(unit)}"


def _all(number: int, unit: str) -> str:
    return f"the only {unit}" if number == 1 else f"all {counted(number, unit)}"


@dataclass(frozen=True)
class Finding:
    """A verdict and its evidence, which is plain data."""

    verdict: Verdict
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def with_evidence(self, more: Mapping[str, Any]) -> Finding:
        """Return the finding with more evidence; new values replace old ones."""
        return Finding(self.verdict, {**self.evidence, **more})


class AllParameters(RecordModel):
    """A domain of parameters: all natural numbers that satisfy a condition."""

    parameters: tuple[str, ...]
    #: A formula.
    condition: str
    #: A condition on the positions; "" for all positions.
    where: str

    @property
    def text(self) -> str:
        """The domain in words.

        Examples
        --------
        >>> AllParameters(parameters=("k",), condition="k%4 == 2", where="x <= k//2 and y <= k//2").text
        'all k with k ≡ 2 (mod 4), on positions with x, y ≤ ⌊k/2⌋'
        """
        text = f"all {', '.join(self.parameters)} with {math_text(self.condition)}"
        if not self.where:
            return text
        where = "".join(phrase.text for phrase in where_phrases(self.where, MathNotation()))
        return f"{text}, on positions with {where}"


class FalseEverywhere(AllParameters):
    """A domain in which a claim is false for every choice of the parameters."""

    #: Places of contradictions, in words.
    positions: tuple[str, ...]
    #: The engines that agree on it.
    engines: tuple[str, ...] = ()
    #: The file with the certificate, if it is kept.
    certificate: str | None = None


class ClaimVerdict(VerdictRecord):
    """A verdict on a claim, with its evidence and the bound of the table."""

    #: Ids. The table is None for proofs, for statements without tables, and for claims that compare tables.
    claim: str
    table: str | None
    #: Parameters of the claim, or fixed integers of a statement without a ruleset.
    parameters: Mapping[str, int]
    #: The domain of a verdict on all parameters at once.
    for_all: AllParameters | None = None
    #: Plain data that supports it; keys depend on the kind of claim.
    evidence: Mapping[str, Any]
    #: Set only for a proof: the file, or None if it is not kept.
    certificate: str | None = None
    seconds: float
    #: The command that repeats a proof for all parameters.
    command: str | None = None

    @classmethod
    def of(
        cls,
        claim: str,
        parameters: Mapping[str, int],
        finding: Finding,
        seconds: float,
        *,
        table: str | None = None,
        bound: int | None = None,
        **by_proof: Any,
    ) -> ClaimVerdict:
        """Return the record of a finding.

        `bound`, of the table or the integers, is used if the verdict has none. `by_proof` holds the fields of proofs:
        `certificate`, `for_all`, `command`.
        """
        fields = verdict_fields(finding.verdict)
        fields["bound"] = bound if fields["bound"] is None else fields["bound"]
        fields |= {"claim": claim, "table": table, "parameters": dict(parameters)}
        return cls(**fields, evidence=finding.evidence, seconds=round(seconds, 4), **by_proof)

    def document(self) -> dict[str, Any]:
        """Return the verdict as plain data, without unset keys of proofs."""
        return self.model_dump(exclude_unset=True)

    def with_evidence(self, more: Mapping[str, Any]) -> ClaimVerdict:
        """Return the verdict with more evidence; new values replace old ones."""
        return self.model_copy(update={"evidence": {**self.evidence, **more}})

    @property
    def finding(self) -> Finding:
        """The verdict with its evidence."""
        return Finding(self.as_verdict, dict(self.evidence))

    @property
    def is_by_proof(self) -> bool:
        """Whether it is the result of a proof search."""
        return "certificate" in self.model_fields_set

    @property
    def is_proved(self) -> bool:
        """Whether the claim is proved."""
        return self.verdict == "proved"

    @property
    def false_everywhere(self) -> FalseEverywhere | None:
        """The domain in which the claim is false, at its bound or just beyond, if known."""
        every = self.evidence.get("every_member")
        return None if every is None else FalseEverywhere.model_validate(every)

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that confirmed the proof of the claim and of its game."""
        return tuple(self.evidence.get("engines", ("own",)))

    @property
    def no_answer(self) -> Mapping[str, str]:
        """The reasons why other engines gave no answer."""
        return dict(self.evidence.get("no_answer", {}))
