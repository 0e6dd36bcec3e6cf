"""Found statements, and the search results and documents that contain them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from markupsafe import Markup
from pydantic import (
    ConfigDict,
    PlainSerializer,
    PlainValidator,
    SkipValidation,
    TypeAdapter,
    ValidationError,
)

from choco_pipeline.claims.conclusions.conclusion import SIGNS, Conclusion, Outcome
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import FOUND, Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.lines import formulas_of, nodes_in
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.formula.written.math_text import MathNotation, typeset
from choco_pipeline.formula.written.mathml import MathML
from choco_pipeline.games.notation import Notation, read
from choco_pipeline.mining.table_findings import Evidence, Finding, StatementFinding, Tried
from choco_pipeline.provenance import canonical_json, digest
from choco_pipeline.stages import KILLED
from choco_pipeline.statements.tree import Junction, conjuncts, math_of, text_of


@dataclass(frozen=True)
class Mined:
    """A search result and its table."""

    #: The table: game, quantity and bound.
    ruleset: str
    quantity: str
    bound: int
    #: The family of the game, and the values of its parameters.
    family: str
    parameters: Mapping[str, int]
    #: The search result.
    finding: Finding

    @property
    def search(self) -> tuple[str, str]:
        """The family and the name of the search."""
        finding = self.finding
        name = finding.search if isinstance(finding, StatementFinding) else finding.kind
        return self.family, name


#: The unit of the evidence of a search, if it is not positions.
UNITS: Mapping[str, str] = {"heights": "height function", "count": "equation", "states": "game"}
#: Bound of the tables on which `choco claims check` tries a found statement.
SAMPLE_BOUND = 64
#: Derived keys of a statement in a document.
DERIVED = ("id", "text", "size", "kind", "claim")


class StatementError(ChocoError):
    """Invalid data of a found statement."""


UNDECIDED = Conclusion("undecided", "not checked yet")


#: Where an implication was checked: at all positions of the named games, by automata; at sampled positions; or in the texts.
ComparedOn = Literal["all positions", "sampled positions", "what is written"]
#: The same in words, after the implied statement.
WHERE_COMPARED: Mapping[ComparedOn, str] = {
    "all positions": "compared by automata at all positions of the named games",
    "sampled positions": "compared at sampled positions",
    "what is written": "compared by their texts",
}


#: The relation of claims of the catalogue to a statement.
KnownAs = Literal["the same", "more", "of fewer games"]
#: The relation of the statement to them, in words before their names.
COMPARED: Mapping[KnownAs, str] = {
    "the same": "restates",
    "more": "follows from",
    "of fewer games": "extends",
}


@dataclass(frozen=True)
class Implied:
    """A statement that follows from another one, and perhaps from further ones."""

    #: The statement as a sentence.
    text: str
    #: Where the implication was checked.
    compared_on: ComparedOn = "sampled positions"


@dataclass(frozen=True)
class FoundStatement:
    """One found statement: a line of the language, a plug-in, or words.

    Equal statements on other evidence have the same `id`.
    """

    #: The search that proposed it, such as ``formulas``.
    search: str
    #: The notation of a game, or of a family, in which names stand for integers.
    ruleset: str
    #: The positions that the search used, and others on which the statement then held.
    found_on: Evidence
    held_on: Evidence
    #: The candidates of the search.
    tried: Tried
    #: A line of the statement language about the ruleset; empty if the language cannot express it.
    statement: str = ""
    #: A plug-in of the claims instead of a line.
    check: Mapping[str, Any] | None = None
    #: Further integers of the statement, each with its range.
    every: Mapping[str, str] = field(default_factory=dict)
    #: A sentence, if neither a line nor a plug-in can express it.
    words: str = ""
    #: A condition on the parameters; empty for all of them.
    when: str = ""
    #: For each parameter of the family, the values for which it was seen.
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    #: The combinations of these values for which it was seen, in the order of `parameters`; empty for all of them.
    seen: tuple[tuple[int, ...], ...] = ()
    #: The verdict.
    conclusion: Conclusion = UNDECIDED
    #: Ids of the catalogue's claims that imply it, and their relation to it.
    known: tuple[str, ...] = ()
    known_as: KnownAs = "the same"
    #: Where this implication was checked.
    known_on: ComparedOn = "sampled positions"
    #: Ids of found statements that determine all positions of its game, and where this was checked.
    follows_from: tuple[str, ...] = ()
    follows_on: ComparedOn = "sampled positions"
    #: Other search results that follow from it.
    implies: tuple[Implied, ...] = ()
    #: Plain data for a drawing: ``{"kind": "p-pattern" | "sequence" | …, …}``.
    picture: Mapping[str, Any] | None = None
    #: The search result of one table that it repeats; used to judge it, and in no document.
    source: SkipValidation[Mined | None] = field(default=None, compare=False)

    __pydantic_config__ = ConfigDict(extra="forbid")

    def __post_init__(self) -> None:
        if (bool(self.statement) + bool(self.words) + (self.check is not None)) != 1:
            raise StatementError(
                f"a found statement on {self.ruleset}: one of statement, check and words is needed"
            )
        if self.when:
            object.__setattr__(self, "when", parse(self.when).text)
        loose = self.pattern.names - self.parameters.keys()
        if loose:
            raise StatementError(
                f"a found statement on {self.ruleset} has no values for {', '.join(sorted(loose))}"
            )
        if self.statement and (claim := self._read[0]) is not None:
            object.__setattr__(self, "statement", text_of(claim.proposition))
        if self.verdict == "unchecked" and not self.words:
            raise StatementError(f"a found statement on {self.ruleset} has a claim: it is checked")

    @cached_property
    def pattern(self) -> Notation:
        """The ruleset, in which names stand for integers."""
        return read(self.ruleset)

    @property
    def compared(self) -> str:
        """The relation to the claims in `known`, in words before their names."""
        return COMPARED[self.known_as]

    @property
    def where_compared(self) -> str:
        """Where the claims in `known` were compared, in words."""
        return WHERE_COMPARED[self.known_on]

    @property
    def whole(self) -> Claim | None:
        """The statement as one claim; None if it is words or invalid."""
        claim = self._read[0]
        if claim is None:
            return None
        return replace(claim, statement=claim.statement.model_copy(update={"id": self.id}))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The equivalent claims: one for each case of a formula; none for words."""
        claim = self.whole
        if claim is None:
            return ()
        if self.statement and claim.determined is None and not claim.is_of_whole_bars:
            proposition = claim.proposition
            if isinstance(proposition, Junction) and proposition.word == "and":
                lines = (
                    {"statement": text_of(part), "id": f"{self.id}-{i}"}
                    for i, part in enumerate(proposition.operands, start=1)
                )
                parts = tuple(
                    replace(claim, statement=claim.statement.model_copy(update=line))
                    for line in lines
                )
                if all(part.determined is not None for part in parts):
                    return parts
        return (claim,)

    @property
    def mistake(self) -> str:
        """Why it is not a valid claim; empty for valid claims and for words."""
        return self._read[1]

    @property
    def _read(self) -> tuple[Claim | None, str]:
        if self.words:
            return None, ""
        return _claim(
            self.ruleset,
            self.statement,
            canonical_json(self.check),
            canonical_json(dict(self.every)),
            self.when,
        )

    @property
    def claim(self) -> dict[str, Any] | None:
        """The entry of a claims file; None for words."""
        if self.words:
            return None
        formal: dict[str, Any] = {"statement": self.statement} if self.statement else {}
        formal |= {"check": dict(self.check)} if self.check is not None else {}
        formal |= {"every": dict(self.every)} if self.every else {}
        formal |= {"when": self.when} if self.when else {}
        entry = {"ruleset": self.ruleset, **formal, "id": self.id}
        entry |= {"number": "found", "status": "found", "words": self.text[:2000]}
        if self.pattern.names:
            spans = {name: f"{min(v)}..{max(v)}" for name, v in self.parameters.items()}
            entry["sample"] = {"parameters": spans, "bound": SAMPLE_BOUND}
        return entry

    @property
    def kind(self) -> str:
        """The kind of its claim, such as ``p-positions``; its search for words."""
        return self.claims[0].check.kind if self.claims else self.search

    @property
    def points(self) -> list[dict[str, int]]:
        """The combinations of parameters for which it was seen."""
        seen = self.seen or product(*self.parameters.values())
        return [dict(zip(self.parameters, choice, strict=True)) for choice in seen]

    @property
    def text(self) -> str:
        """The statement in one line, with its game and the condition on the parameters."""
        when = f", for {self.when}" if self.when else ""
        line = self.statement or self.words
        if self.check is not None:
            claim = self.whole
            line = claim.summary if claim else str(dict(self.check))
        return f"{self.ruleset}{when}: {line}"

    @property
    def verdict(self) -> Outcome:
        """The verdict of its conclusion."""
        return self.conclusion.verdict

    def formulas(self, notation: MathNotation) -> list[str]:
        """Return its formulas in a notation, without their bound; none for words."""
        claim = self.whole if self.statement else None
        parts = conjuncts(claim.without_reach.proposition) if claim else []
        return [math_of(part, notation) for part in parts]

    def limits(self, notation: MathNotation) -> tuple[str, str]:
        """Return the condition on parameters and the largest coordinate, or ""."""
        when = typeset(parse(self.when), notation) if self.when else ""
        reach = self.claims[0].reach if self.claims else None
        return when, "" if reach is None else typeset(reach, notation)

    def lead(self, notation: MathNotation) -> list[Phrase]:
        """Return the beginning of its sentence: games, parameters, bound."""
        lets, game = _game(self.pattern, notation)
        phrases = [
            phrase
            for let in lets
            for phrase in (Phrase("Let "), Phrase(let, "formula"), Phrase(". "))
        ]
        phrases += [Phrase("In "), *game]
        when, limit = self.limits(notation)
        phrases += [Phrase(", for "), Phrase(when, "formula")] if when else []
        if limit:
            phrases += [Phrase(", for coordinates up to "), Phrase(limit, "formula")]
        return phrases

    @property
    def sentence(self) -> str:
        """The statement in mathematical notation as plain text, without its full stop."""
        plain = MathNotation()
        begins = "".join(phrase.text for phrase in self.lead(plain))
        formulas = "; ".join(self.formulas(plain))
        return f"{begins}, {formulas}" if formulas else self.text

    @property
    def latex(self) -> str:
        """Its formulas and conditions in LaTeX, one below the other."""
        notation = LaTeX()
        where = [rf"\text{{for }} {text}" for text in self.limits(notation) if text]
        return " \\\\\n".join([*self.formulas(notation), *where])

    def _repr_html_(self) -> str:
        """Return the statement with typeset formulas and its verdict, for notebooks."""
        notation = MathML()
        lines = [f'<math display="block">{line}</math>' for line in self.formulas(notation)]
        where = ", ".join(f"<math>{text}</math>" for text in self.limits(notation) if text)
        head = Markup("<p><b>{}</b>: {}</p>").format(SIGNS[self.verdict][1], self.text)
        conclusion = Markup("<p>{}</p>").format(self.conclusion.text)
        formulas = Markup("".join(lines) + (f"<p>{where}</p>" if where else ""))
        return head + formulas + conclusion

    @cached_property
    def id(self) -> str:
        """``found-`` and a hash of the statement, without its evidence."""
        line = "".join(self.statement.split())
        content = [self.ruleset, self.when, line, self.check, dict(self.every), self.words]
        return FOUND + digest(content)[:12]

    @cached_property
    def size(self) -> int:
        """Number of nodes of its formulas and condition; of words, their number."""
        claim = self.whole
        formulas = formulas_of(claim.proposition) if claim and self.statement else []
        nodes = sum(map(nodes_in, formulas)) or len((self.words or self.text).split())
        return nodes + (nodes_in(parse(self.when)) if self.when else 0)

    @property
    def is_proved_for_all(self) -> bool:
        """Whether it is on a family and proved for all parameters of its condition."""
        return bool(self.pattern.names) and self.verdict == "proved"

    def concluded(
        self, verdict: Outcome, text: str, certificates: tuple[str, ...] = ()
    ) -> FoundStatement:
        """Return this statement with a verdict."""
        return replace(self, conclusion=Conclusion(verdict, text, certificates))

    def as_json(self) -> dict[str, Any]:
        """Return the statement as plain data, as in ``found.json``."""
        fields: dict[str, Any] = _adapter().dump_python(self, mode="json", exclude={"source"})
        return {name: getattr(self, name) for name in DERIVED} | fields

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> FoundStatement:
        """Return the statement that `as_json` wrote.

        Raises `StatementError` if a key is missing or unknown, or if a derived key has another value than that of the statement.
        Raises `FormulaError` or `NotationError` if a formula or the ruleset cannot be read.
        """
        given = {name: document[name] for name in DERIVED if name in document}
        try:
            statement = _adapter().validate_python(
                {name: value for name, value in document.items() if name not in DERIVED}
            )
        except ValidationError as error:
            mistake = error.errors()[0]
            why = f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}"
            raise StatementError(f"{given.get('id')}: not a found statement: {why}") from error
        for name, value in given.items():
            if value != getattr(statement, name):
                raise StatementError(
                    f"{given.get('id')}: its {name} is {getattr(statement, name)}, the document says {value}"
                )
        return statement


def _game(pattern: Notation, notation: MathNotation) -> tuple[list[str], list[Phrase]]:
    """Return the definitions of functions in a game's name, and the name."""
    arguments = dict(pattern.arguments)
    inner = [part for part in arguments.values() if isinstance(part, Notation)]
    numbers = {key: number for key, number in arguments.items() if isinstance(number, Formula)}

    def formula(key: str) -> str:
        return typeset(numbers[key], notation)

    x, y, z, f = (notation.name(letter, "") for letter in "xyzf")
    match pattern.name:
        case "solid-bar" if "f" in numbers:
            named = [notation.function("f", [x, z]), notation.sign("=="), formula("f")]
            is_any = numbers["f"].text == "f"
            lets = [] if is_any else [notation.row(named)]
            return lets, [Phrase(notation.function("CB", [f, x, y, z]), "formula")]
        case "step-bar" | "strip-bar":
            bar = notation.function("CB", [formula("s"), formula("k"), y, z])
            strip = (
                [Phrase(" with a strip "), Phrase(x, "formula")]
                if pattern.name == "strip-bar"
                else []
            )
            return [], [Phrase(bar, "formula"), *strip]
        case "rectangular-bar":
            return [], [Phrase(notation.function("C", [formula("m"), formula("n")]), "formula")]
        case "nim":
            words = {"1": " heap"}.get(numbers["heaps"].text, " heaps")
            return [], [Phrase("Nim with "), Phrase(formula("heaps"), "formula"), Phrase(words)]
        case "with-pass":
            lets, game = _game(inner[0], notation)
            joined = " and " if inner[0].name == "strip-bar" else " with "
            if numbers["passes"].text == "1":
                return lets, [*game, Phrase(f"{joined}a pass")]
            return lets, [
                *game,
                Phrase(joined),
                Phrase(formula("passes"), "formula"),
                Phrase(" passes"),
            ]
        case "sum":
            (more, first), (others, second) = (_game(part, notation) for part in inner)
            lets = list(dict.fromkeys([*more, *others]))
            return lets, [Phrase("the sum of "), *first, Phrase(" and "), *second]
        case _:
            return [], [Phrase(pattern.text)]


@lru_cache(1 << 12)
def _claim(
    ruleset: str, statement: str, check: str, every: str, when: str
) -> tuple[Claim | None, str]:
    formal = {"id": f"{FOUND}statement", "ruleset": ruleset, "every": json.loads(every)}
    formal |= {"statement": statement} if statement else {"check": json.loads(check)}
    try:
        claim = Claim(Statement.model_validate(formal | ({"when": when} if when else {})))
        mistakes = [f"{'.'.join(map(str, at))}: {why}" for at, why in mistakes_in(claim)]
        return (None, "; ".join(mistakes)) if mistakes else (claim, "")
    except ValidationError as error:
        mistake = error.errors()[0]
        return None, f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}"
    except FormulaError as error:
        return None, f"statement: {error}"


@cache
def _adapter() -> TypeAdapter[FoundStatement]:
    return TypeAdapter(FoundStatement)


def _statement(given: object) -> FoundStatement:
    if isinstance(given, FoundStatement):
        return given
    if not isinstance(given, dict):
        raise ValueError("a found statement is needed")
    try:
        return FoundStatement.from_json(given)
    except ChocoError as error:
        raise ValueError(str(error)) from error


class Searched(RecordModel):
    """A search: name, games, number of candidates, and why it found nothing."""

    what: str
    game: str
    tried: Tried
    nothing: bool
    why: str | None = None


def not_reported(statement: FoundStatement, why: str) -> Searched:
    """Return a search that found nothing, for a statement that is not reported."""
    return Searched(
        what=statement.text, game=statement.ruleset, tried=statement.tried, nothing=True, why=why
    )


class Proposals(NamedTuple):
    """The result of a search."""

    #: Statements that hold on held-out data; those that fail there have the verdict "refuted".
    statements: Sequence[FoundStatement] = ()
    #: Statements for which there are too few tables to exclude chance.
    doubtful: Sequence[FoundStatement] = ()
    #: The searches, with the reason for those that found nothing.
    searches: Sequence[Searched] = ()

    @classmethod
    def merged(cls, parts: Iterable[Proposals]) -> Proposals:
        """Return the proposals of several searches, in their order."""
        several = list(parts)
        return cls(
            [statement for part in several for statement in part.statements],
            [statement for part in several for statement in part.doubtful],
            [search for part in several for search in part.searches],
        )


class FoundDocument(RecordModel):
    """Statements, best first, and all searches."""

    format: Literal[2] = 2
    statements: tuple[
        Annotated[
            FoundStatement, PlainValidator(_statement), PlainSerializer(FoundStatement.as_json)
        ],
        ...,
    ]
    searches: tuple[Searched, ...]
    #: Whether a deciding process was killed from outside. The key, `KILLED`, is written only then.
    killed: bool = False

    @classmethod
    def of_outcome(cls, outcome: Mapping[str, Any]) -> FoundDocument:
        """Return the statements and searches in the result of a job."""
        return cls.model_validate({key: outcome[key] for key in ("statements", "searches")})

    @classmethod
    def merged(cls, parts: Iterable[FoundDocument], *, killed: bool = False) -> FoundDocument:
        """Merge several documents."""
        several = list(parts)
        return cls(
            statements=tuple(statement for part in several for statement in part.statements),
            searches=tuple(search for part in several for search in part.searches),
            killed=killed,
        )

    def write(self, path: Path) -> None:
        """Write it atomically."""
        write_record(path, self.document())

    def document(self) -> dict[str, Any]:
        """Return it as plain data."""
        return self.model_dump(mode="json", exclude=None if self.killed else {KILLED})

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of statements and searches."""
        return {"statements": len(self.statements), "searches": len(self.searches)}
