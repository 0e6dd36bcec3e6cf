"""A claim: of which rulesets it speaks, which names its formulas may use, and what it says in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, assert_never

from choco_pipeline.claims.model import (
    Cellular,
    Check,
    Count,
    Counts,
    Entry,
    GrundyNumbers,
    Paper,
    PPositions,
    Statement,
    Values,
)
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.games.notation import CsvFile, Notation, build, match, read
from choco_pipeline.tables.schema import QUANTITIES, Quantity

#: Patterns of rulesets whose shape limits every coordinate: a table of them holds all positions.
RECTANGULAR = {("rectangular-bar",), ("with-pass", "rectangular-bar")}


@dataclass(frozen=True)
class Claim:
    """A claim and, in a catalogue, the paper that it comes from.

    Attributes
    ----------
    statement
        What decides the verdict; an `Entry` in a catalogue.
    paper
        None for a claim that was read from a work order.
    """

    statement: Statement
    paper: Paper | None = None

    @property
    def id(self) -> str:
        """The claim's name in configurations and reports."""
        return self.statement.id

    @property
    def check(self) -> Check:
        """What the claim says of the rulesets."""
        return self.statement.check

    @cached_property
    def pattern(self) -> Notation:
        """The ruleset, in which names stand for integers."""
        return read(self.statement.ruleset)

    @property
    def shape(self) -> tuple[str, ...]:
        """The names of the rulesets in the pattern, outermost first: all that it matches have the same."""
        return names_of(self.pattern)

    @property
    def is_of_whole_bars(self) -> bool:
        """Whether it speaks of the uncut rectangular bars, by the poisoned cell (i, j), not of what they are cut to."""
        of_cuts = isinstance(self.check, GrundyNumbers) or (
            isinstance(self.check, Count) and self.check.over == "positions"
        )
        return self.shape in RECTANGULAR and not of_cuts

    @property
    def is_over_tables(self) -> bool:
        """Whether it compares tables: one table alone does not decide it."""
        return isinstance(self.check, Counts)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates that its formulas may use; p is the number of passes left."""
        found = build(_sample(self.pattern), {}, Path()).coordinates
        return ("i", "j", *found[4:]) if self.is_of_whole_bars else found

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The kinds of tables that it can be checked on."""
        match self.check:
            case GrundyNumbers() | Count(over="positions"):
                return ("grundy",)
            case Counts() | Cellular():
                return ("p-positions",)
            case PPositions() | Values() | Count():
                return ("p-positions",) if self.is_of_whole_bars else QUANTITIES
            case _:
                assert_never(self.check)

    def match(self, ruleset: str) -> dict[str, int] | None:
        """Return the parameters with which the claim speaks of a ruleset, or None if it does not.

        Parameters
        ----------
        ruleset
            In the one notation, without parameters.
        """
        found = match(self.pattern, read(ruleset))
        return found if found is not None and self.speaks_of(found) else None

    def speaks_of(self, parameters: Mapping[str, int]) -> bool:
        """Whether parameters with which the pattern matches are among those of the claim."""
        if self.statement.when is None:
            return True
        try:
            return bool(self.statement.when.value(parameters))
        except FormulaError as error:
            given = ", ".join(f"{name} = {value}" for name, value in parameters.items())
            raise ConfigError(f"claim {self.id}: when: {error}, for {given}") from error

    def environment(self, parameters: Mapping[str, int]) -> dict[str, int]:
        """Return the parameters and what `let` makes of them.

        Raises
        ------
        FormulaError
            If a `let` has no value.
        """
        known = dict(parameters)
        for name, formula in self.statement.let.items():
            known[name] = int(formula.value(known))
        return known

    def as_json(self) -> dict[str, Any]:
        """Return what decides the verdict as plain data: equal for claims that say the same in other words."""
        return self.statement.model_dump(mode="json", include=set(Statement.model_fields))

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Claim:
        """Return the claim that `as_json` wrote."""
        return cls(Statement.model_validate(document))

    def as_ledger(self) -> dict[str, Any]:
        """Return what a report says of the claim, as plain data."""
        if self.paper is None or not isinstance(self.statement, Entry):
            raise ValueError(
                f"{self.id} was read from a work order, which does not name its source"
            )
        return {
            "id": self.id,
            "paper": self.paper.model_dump(mode="json"),
            "number": self.statement.number,
            "where": self.statement.where,
            "status": self.statement.status,
            "statement": self.statement.statement,
            "ruleset": self.statement.ruleset,
            "kind": self.check.kind,
            "formula": formula_text(self.check),
        }


def names_of(notation: Notation) -> tuple[str, ...]:
    """Return the names of the rulesets in a notation, outermost first."""
    inner = (names_of(value) for _, value in notation.arguments if isinstance(value, Notation))
    return (notation.name, *(name for names in inner for name in names))


def formula_text(check: Check) -> str:
    """Return what is claimed as one line of formulas."""
    match check:
        case PPositions():
            return f"P ⇔ {check.formula}{_where(check.where)}"
        case GrundyNumbers():
            return f"G = {check.equals}{_where(check.where)}"
        case Values():
            sign = {"exactly": "=", "contains-all": "⊇", "within": "⊆"}[check.relation]
            return (
                f"{{{check.of} : P-positions}} {sign} {{v : {check.values}}}{_where(check.where)}"
            )
        case Count():
            return f"#{{{check.over} : {check.of}}} = {check.equals}{_where(check.where)}"
        case Counts():
            return "; ".join(relation.text for relation in check.relations)
        case Cellular():
            terms = " + ".join(
                f"a[{_less('i', di)}, {_less('j', dj)}]({_less('n', dn)})"
                for dn, di, dj in check.terms
            )
            return f"a[i, j](n) = {terms} mod {check.modulo}; P ⇔ a[i, j]({check.generation}) ≠ 0"
        case _:
            assert_never(check)


def _where(where: Formula | None) -> str:
    return "" if where is None else f", where {where}"


def _less(name: str, steps: int) -> str:
    return name if steps == 0 else f"{name}-{steps}" if steps > 0 else f"{name}+{-steps}"


def _sample(pattern: Notation) -> Notation:
    """Return a ruleset that the pattern might match; its coordinates are those of all of them."""

    def sample(key: str, value: Formula | CsvFile | Notation) -> Formula | Notation:
        match value:
            case Notation():
                return _sample(value)
            case Formula() if key != "f":
                return parse("1") if value.names else value
            case _:
                return parse("0")

    return Notation(
        pattern.name, tuple((key, sample(key, value)) for key, value in pattern.arguments)
    )
