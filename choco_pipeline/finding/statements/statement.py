"""A statement that the machine found: what it says, of which games, on what evidence, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ConfigDict, SkipValidation, TypeAdapter, ValidationError

from choco_pipeline.claims.conclusions.conclusion import Conclusion, Outcome
from choco_pipeline.claims.language.claim import FOUND, Claim
from choco_pipeline.finding.statements.entries import (
    Document,
    checks_of,
    claim_of_entry,
    in_language,
    joined,
)
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.statement_line import (
    Kind,
    StatementError,
    StatementLine,
    nodes_in,
    parsed,
)
from choco_pipeline.games.notation import Notation, build, read
from choco_pipeline.provenance import digest
from choco_pipeline.shown import ShownInNotebook

#: What the evidence of a kind of statement counts, where that is not positions.
UNITS: Mapping[str, str] = {"heights": "height function", "count": "equation", "law": "game"}
#: Bound of the tables on which `choco claims check` tries a found statement.
SAMPLE_BOUND = 64
#: What a document says of a statement beside its own keys.
DERIVED = ("id", "text", "size")


@dataclass(frozen=True)
class Evidence:
    """On what a statement was found, or on what else it then held."""

    positions: int
    what: str
    tables: int = 1


@dataclass(frozen=True)
class Tried:
    """How many candidates a search looked at, and which."""

    candidates: int
    what: str
    tables: int = 1


UNDECIDED = Conclusion("undecided", "not checked yet")


#: Where statements were compared to see that one follows from others: at all positions of the games that are named, by automata, or
#: at sampled ones, or not at positions, where the same is written.
ComparedOn = Literal["all positions", "sampled positions", "what is written"]
#: The same in words, behind what follows.
WHERE_COMPARED: Mapping[ComparedOn, str] = {
    "all positions": "as automata decide for all positions of the games named",
    "sampled positions": "as far as sampled positions tell",
    "what is written": "as both are written",
}


#: What claims of the catalogue say, compared with a statement.
KnownAs = Literal["the same", "more", "of fewer games"]
#: What a statement then does, in words before their names.
COMPARED: Mapping[KnownAs, str] = {
    "the same": "restates",
    "more": "follows from",
    "of fewer games": "extends",
}


@dataclass(frozen=True)
class Implied:
    """What else was found, and follows from a statement, and from others perhaps."""

    #: It, as a sentence.
    text: str
    #: Where it was compared with these.
    compared_on: ComparedOn = "sampled positions"


@dataclass(frozen=True)
class FoundStatement(ShownInNotebook):
    """One found statement."""

    #: What it is about.
    kind: Kind
    #: A game's notation, or that of a family, in which names stand for integers.
    ruleset: str
    #: One plain sentence; it does not tell the parameters of which it speaks: `when` does.
    said: str
    #: The cells it was found on, and others on which it was then right.
    found_on: Evidence
    held_on: Evidence
    #: What the search that found it looked at.
    tried: Tried
    #: A condition on the parameters, empty for all of them.
    when: str = ""
    #: For each parameter of the family, the values that it was seen for.
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    #: The choices of these values that it was seen for, in the order of `parameters`; empty for all of them.
    seen: tuple[tuple[int, ...], ...] = ()
    #: The formal part of an entry below ``claims:`` that says the same, which `choco_pipeline.claims` can check; None where
    #: there is none. Its id, its words and the condition on the parameters are the statement's own.
    claim: Mapping[str, Any] | None = None
    #: What it says, as formulas.
    formulas: tuple[StatementLine, ...] = ()
    #: Positions at which the formulas are wrong.
    exceptions: tuple[tuple[int, ...], ...] = ()
    #: What the verdicts on it come to.
    conclusion: Conclusion = UNDECIDED
    #: Ids of the catalogue's claims that it is compared with.
    known: tuple[str, ...] = ()
    #: What these say: the same as it does, more of its games, so that it follows from them, or that of fewer games, to which it adds others.
    known_as: KnownAs = "the same"
    #: Where it was seen that it follows from these.
    known_on: ComparedOn = "sampled positions"
    #: Ids of the found statements that settle all positions of its game.
    follows_from: tuple[str, ...] = ()
    #: Where it was seen that they do.
    follows_on: ComparedOn = "sampled positions"
    #: What else was found, and is no statement of its own.
    implies: tuple[Implied, ...] = ()
    #: Plain data for a drawing: ``{"kind": "p-pattern" | "sequence" | …, …}``.
    picture: Mapping[str, Any] | None = None
    #: Whether the sentence names its game, at its beginning: a notation keeps its small letter there.
    names_game: bool = False
    #: The finding that it repeats, while statements are judged; a document does not hold it.
    source: SkipValidation[Mined | None] = field(default=None, compare=False)

    __pydantic_config__ = ConfigDict(extra="forbid")

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise StatementError(
                f"kind {self.kind!r} of a found statement: one of {', '.join(get_args(Kind))} is needed"
            )
        if not self.said.strip():
            raise StatementError(f"a found statement on {self.ruleset} has no text")
        if self.when:
            object.__setattr__(self, "when", parsed(self.when).text)
        loose = self.pattern.names - self.parameters.keys()
        if loose:
            raise StatementError(
                f"a found statement on {self.ruleset} says no values for {', '.join(sorted(loose))}"
            )
        if self.verdict == "unchecked" and self.claim is not None:
            raise StatementError(f"a found statement on {self.ruleset} has a claim: it is checked")

    @cached_property
    def pattern(self) -> Notation:
        """The ruleset, in which names stand for integers."""
        return read(self.ruleset)

    @property
    def compared(self) -> str:
        """How it compares with the claims in `known`, in words before their names."""
        return COMPARED[self.known_as]

    @property
    def where_compared(self) -> str:
        """Where it was compared with them, in words."""
        return WHERE_COMPARED[self.known_on]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that say together what it says: one, but for Grundy numbers, where each case is one.

        None where the claim language cannot say it.
        """
        return self._read[0]

    @property
    def mistake(self) -> str:
        """Why the entry that it comes to is no claim; empty if it is one, or if there is none."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[tuple[Claim, ...], str]:
        try:
            return tuple(map(claim_of_entry, self._entries)), ""
        except StatementError as error:
            return (), str(error)

    @property
    def points(self) -> list[dict[str, int]]:
        """The choices of parameters that it was seen for."""
        seen = self.seen or product(*self.parameters.values())
        return [dict(zip(self.parameters, choice, strict=True)) for choice in seen]

    @property
    def text(self) -> str:
        """One plain sentence, with the condition on the parameters."""
        return f"for {self.when}: {self.said}" if self.when else self.said

    @property
    def verdict(self) -> Outcome:
        """What the verdicts on it come to, in a word."""
        return self.conclusion.verdict

    @property
    def latex(self) -> str:
        """Its formulas in LaTeX, one below the other."""
        text: str = import_module("choco_pipeline.notebook").latex(self)
        return text

    @cached_property
    def id(self) -> str:
        """``found-`` and a hash of what it says: the same for the same statement on other evidence or in other words."""
        formal = [asdict(line) for line in self.formulas]
        content = [self.kind, self.ruleset, self.when, formal or self.said, sorted(self.exceptions)]
        return FOUND + digest(content)[:12]

    @cached_property
    def size(self) -> int:
        """Number of nodes of its formulas, conditions among them; of words where it has no formulas."""
        texts = [text for line in self.formulas for text in (line.formula, line.where) if text]
        nodes = sum(nodes_in(text) for text in texts)
        return (nodes or len(self.said.split())) + (nodes_in(self.when) if self.when else 0)

    @property
    def is_proved_for_all(self) -> bool:
        """Whether it is on a family, and proved for all parameters that satisfy its condition."""
        return bool(self.pattern.names) and self.verdict == "proved"

    def with_conclusion(self, conclusion: Conclusion) -> FoundStatement:
        """Return this statement with what the verdicts on it come to."""
        return replace(self, conclusion=conclusion)

    def with_entry(self) -> FoundStatement:
        """Return this statement with its entry of a claims file, whole, if one entry can say it."""
        return replace(self, claim=self._entries[0]) if len(self._entries) == 1 else self

    @cached_property
    def _entries(self) -> Sequence[Document]:
        """The entries of a claims file that say together what it says."""
        parts: Sequence[Mapping[str, Any]]
        if self.claim is not None:
            parts = [self.claim]
        else:
            parts = [{"check": check} for check in checks_of(self.kind, self.formulas, self._but)]
        several = len(parts) > 1
        ids = [f"{self.id}-{i}" if several else self.id for i in range(1, len(parts) + 1)]
        return [self._entry(part, claim_id) for part, claim_id in zip(parts, ids, strict=True)]

    def _entry(self, given: Mapping[str, Any], claim_id: str) -> Document:
        entry: Document = {"ruleset": self.ruleset, **given}
        entry |= joined("when", *dict.fromkeys([self.when, given.get("when", "")]))
        entry |= {
            "id": claim_id,
            "number": "found",
            "status": "found",
            "words": self.text[:2000],
        }
        if self.pattern.names and "sample" not in entry:
            spans = {name: f"{min(v)}..{max(v)}" for name, v in self.parameters.items()}
            entry["sample"] = {"parameters": spans, "bound": SAMPLE_BOUND}
        return in_language(entry)

    @property
    def _but(self) -> str:
        """The condition that a position is none of the exceptions; empty if there are none."""
        if not self.exceptions:
            return ""
        parameters = {name: values[0] for name, values in self.parameters.items()}
        names = build(self.pattern, parameters, Path()).coordinates
        places = [
            " and ".join(f"{name} == {value}" for name, value in zip(names, position, strict=True))
            for position in self.exceptions
        ]
        return f"not ({' or '.join(f'({place})' for place in places)})"

    def as_json(self) -> dict[str, Any]:
        """Return the statement as plain data, as ``found.json`` holds it."""
        written: dict[str, Any] = _adapter().dump_python(self, mode="json", exclude={"source"})
        return {name: getattr(self, name) for name in DERIVED} | written

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> FoundStatement:
        """Return the statement that `as_json` wrote.

        Raises `StatementError` if a key is missing or unknown, or its id, size or text is not that of what it says;
        `FormulaError` or `NotationError` if a formula or the ruleset cannot be read.
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


@cache
def _adapter() -> TypeAdapter[FoundStatement]:
    return TypeAdapter(FoundStatement)
