"""A claim: its rulesets, the names in its formulas, and its summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, TypeVar

from choco_pipeline.claims import kinds
from choco_pipeline.claims.kinds import Parts, parts_of, recognise
from choco_pipeline.claims.language.claims_file import (
    AS_IN_FILES,
    Entry,
    LedgerClaim,
    Paper,
    Sample,
    Statement,
)
from choco_pipeline.commands import command
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula import Formula, FormulaError, Range, parse
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Notation, coordinates_of, match, read, sample_of
from choco_pipeline.statements import tree
from choco_pipeline.statements.parse import Names, parse_proposition
from choco_pipeline.tables.spec import Quantity

_Shape = TypeVar("_Shape")

#: The prefix of the ids of claims that the program found.
FOUND = "found-"
#: Patterns of rulesets whose shape limits every coordinate: a table holds all positions.
RECTANGULAR = {("rectangular-bar",), ("with-pass", "rectangular-bar")}
#: Coordinates of a rectangular bar: the poisoned cell, and the heaps. A statement on uncut bars uses only the former.
_CELL, _HEAPS = re.compile(r"\b[ij]\b"), re.compile(r"\b[abcd]\b")
#: Largest number of cases of one ruleset. Each case has its own verdict, which costs as much as a claim.
MOST_CASES = 100
#: Largest number of evaluations of `when` for one ruleset, of 1 to 10 µs each.
MOST_TRIED = 100_000


class Determined(NamedTuple):
    """The formula that a claim gives for P-positions or for Grundy numbers."""

    quantity: Quantity
    formula: Formula
    #: A condition on the positions; None for all positions.
    where: Formula | None


@dataclass(frozen=True)
class Claim:
    """A claim and, in a catalogue, the paper that it comes from."""

    #: The parts that decide the verdict; an `Entry` in a catalogue.
    statement: Statement
    #: None for a claim from a work order.
    paper: Paper | None = None
    #: Descriptions of games, used instead of game files; None to use the files.
    games: Mapping[str, Any] | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """The claim's name in configurations and reports."""
        return self.statement.id

    @property
    def sample(self) -> Sample | None:
        """The default tables of a claim in a file, if it has any."""
        return self.statement.sample if isinstance(self.statement, Entry) else None

    @property
    def is_found(self) -> bool:
        """Whether the program found it; claims in files must not have this prefix."""
        return self.id.startswith(FOUND)

    @cached_property
    def proposition(self) -> tree.Proposition:
        """The parsed statement.

        Raises `FormulaError` with the place of a mistake.
        """
        names = {*self.parameters, *self.statement.every} | (set() if self.pattern else {"N"})
        known = Names(self.coordinates, frozenset(names))
        return parse_proposition(self.statement.statement or "", known)

    @cached_property
    def parts(self) -> Parts:
        """The leading definitions of the statement, its limit on the size, and the rest."""
        return parts_of(self.proposition, self.coordinates)

    @property
    def is_about_outcomes(self) -> bool:
        """Whether it is about P-positions or Grundy numbers, and not about moves alone."""
        return self.statement.check is not None or any(
            isinstance(part, tree.PPosition | tree.Grundy) for part in tree.walk(self.proposition)
        )

    @property
    def refers_to_other_games(self) -> bool:
        """Whether the statement refers to positions of another game."""
        return self.statement.check is None and any(
            isinstance(part, tree.Place) and part.game is not None
            for part in tree.walk(self.proposition)
        )

    @property
    def is_decidable(self) -> bool:
        """Whether it has a form that the automata of a game can decide."""
        if self.pattern is None or self.statement.check is not None or self.is_of_whole_bars:
            return False
        is_of_numbers = self.check.kind in (kinds.PrintedNumbers.kind, kinds.Count.kind)
        return is_of_numbers or tree.is_of_one_game(self.parts.rest)

    @cached_property
    def check(self) -> kinds.Check:
        """The shape of the statement, or the plug-in."""
        if self.statement.check is not None:
            return self.statement.check
        parts, printed = self.parts, self.statement.printed
        shape = recognise(parts.rest, self.coordinates, printed) if self.coordinates else None
        is_in_use = not kinds.OWN_NAMES.isdisjoint(parts.let)
        if shape is None or (is_in_use and shape.kind in kinds.OWN_NAMES_OF):
            return kinds.Evaluated(parts.rest, printed, self.statement.bound or 0)
        return shape

    @property
    def outcomes(self) -> kinds.PPositions | None:
        """The claim as a formula for P-positions, or None."""
        return self._in_shape(kinds.PPositions)

    @property
    def numbers(self) -> kinds.GrundyNumbers | None:
        """The claim as a formula for Grundy numbers, or None."""
        return self._in_shape(kinds.GrundyNumbers)

    @property
    def value_set(self) -> kinds.Values | None:
        """The claim as a set of values at P-positions, or None."""
        return self._in_shape(kinds.Values)

    @property
    def related(self) -> kinds.Related | None:
        """The claim as a relation to another game, or None."""
        return self._in_shape(kinds.Related)

    @property
    def counts(self) -> kinds.Counts | None:
        """The claim as a comparison of numbers of P-positions, or None."""
        return self._in_shape(kinds.Counts)

    def _in_shape(self, shape: type[_Shape]) -> _Shape | None:
        own: object = self.check
        return own if isinstance(own, shape) else None

    @property
    def on_options(self) -> tree.OnOptions | None:
        """The claim as a condition on all, some or no options, or None."""
        if self.pattern is None or self.statement.check is not None:
            return None
        return tree.on_options(self.parts.rest, self.coordinates)

    @property
    def determined(self) -> Determined | None:
        """The formula for exactly the P-positions, or for the Grundy numbers, if any."""
        match self.check:
            case kinds.PPositions(formula, "exactly", where):
                return Determined("p-positions", formula, where)
            case kinds.GrundyNumbers(equals, where):
                return Determined("grundy", equals, where)
            case _:
                return None

    @property
    def is_about_integers(self) -> bool:
        """Whether it is a statement about integers, without a game."""
        return self.pattern is None and self.statement.check is None

    @property
    def integers(self) -> Mapping[str, Range]:
        """The outer variables of a statement about integers, with their ranges."""
        if self.statement.check is not None:
            return self.statement.check.integers
        if self.pattern is not None:
            return {}
        return {one.name: one.span for one in tree.integers_in_front(self.proposition)[0]}

    @property
    def is_finite(self) -> bool:
        """Whether it is a statement about finitely many integers, the same for every `N`."""
        return self.is_about_integers and not (
            tree.samples(self.proposition) or tree.uses_bound(self.proposition)
        )

    @property
    def summary(self) -> str:
        """The claim in one line of mathematical signs."""
        if self.statement.check is not None:
            return self.statement.check.summary()
        return tree.math_of(self.proposition, MathNotation())

    @property
    def without_reach(self) -> Claim:
        """The same claim without its limit on the size of positions."""
        parts = self.parts
        listed = ", ".join(f"{name} = {value}" for name, value in parts.let.items())
        text = (f"let {listed}: " if listed else "") + tree.text_of(parts.rest)
        return replace(self, statement=self.statement.model_copy(update={"statement": text}))

    @cached_property
    def let(self) -> Mapping[str, Formula]:
        """Definitions of names by formulas in the parameters."""
        return {} if self.statement.check is not None else self.parts.let

    @property
    def reach(self) -> Formula | None:
        """The largest coordinate of its positions, except passes; None for any."""
        match self.statement.check:
            case None:
                return self.parts.reach
            case kinds.Listing(up_to=most):
                return parse(str(most))
            case _:
                return None

    @cached_property
    def pattern(self) -> Notation | None:
        """The ruleset with names for integers; None for a statement on integers."""
        ruleset = self.statement.ruleset
        return None if ruleset is None else read(ruleset, games=self.games)

    @property
    def shape(self) -> tuple[str, ...]:
        """The names of the rulesets in the pattern, outermost first."""
        return () if self.pattern is None else names_of(self.pattern)

    @property
    def parameters(self) -> frozenset[str]:
        """The names in the ruleset."""
        return frozenset() if self.pattern is None else frozenset(self.pattern.names)

    @property
    def is_of_whole_bars(self) -> bool:
        """Whether it is about uncut rectangular bars, by the poisoned cell (i, j)."""
        return self.is_of_cells and self.check.of_whole_bars

    @property
    def is_of_cells(self) -> bool:
        """Whether it uses the cell (i, j) of an uncut rectangular bar."""
        text, plug_in = self.statement.statement or "", self.statement.check
        has_cell = bool(_CELL.search(text)) and not _HEAPS.search(text)
        is_whole = has_cell if plug_in is None else plug_in.of_whole_bars
        return is_whole and self.shape in RECTANGULAR

    @property
    def is_over_tables(self) -> bool:
        """Whether it compares tables: one table alone does not decide it."""
        return self.check.over_tables

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates that its formulas may use; p is the number of passes left."""
        if self.pattern is None:
            return ()
        names = coordinates_of(self.pattern, self.games)
        return ("i", "j", *names[4:]) if self.is_of_cells else names

    @property
    def documents(self) -> Mapping[str, Any]:
        """The descriptions of the games that its ruleset names."""
        return {} if self.pattern is None else sample_of(self.pattern, self.games).documents

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities of suitable tables; empty for a statement on integers."""
        if self.pattern is None:
            return ()
        suitable = self.check.quantities(self.is_of_whole_bars)
        if self.shape in RECTANGULAR and not self.is_of_whole_bars:
            return tuple(q for q in suitable if q == "grundy")  # p-positions: uncut bars only
        return suitable

    def match(self, ruleset: str) -> dict[str, int] | None:
        """Return the parameters for which the pattern is this ruleset, or None."""
        if self.pattern is None:
            return None
        parameters = match(self.pattern, read(ruleset))
        return parameters if parameters is not None and self.is_about(parameters) else None

    def is_about(self, parameters: Mapping[str, int]) -> bool:
        """Whether the claim is about these parameters of its pattern."""
        return bool(self.cases(parameters))

    def is_for_all(self, parameters: Mapping[str, int]) -> bool:
        """Whether the parameters satisfy `for_all`."""
        condition = self.statement.for_all
        if condition is None:
            return False
        spans = {} if condition.names <= parameters.keys() else self.statement.some
        try:
            return any(condition.value(known) for known in assignments(spans, dict(parameters)))
        except FormulaError:
            return False

    @property
    def is_for_all_only(self) -> bool:
        """Whether all parameters of the claim satisfy `for_all`."""
        statement = self.statement
        if statement.for_all is None or statement.for_all != statement.when:
            return False
        return not statement.some or not statement.for_all.names <= self.parameters

    def domain(self, beyond: int = 0) -> str:
        """Return the condition on positions, or ""; `beyond` is added to the reach."""
        given, reach, parts = self.determined, self.reach, list[str]()
        if reach is not None:
            bound = f"{reach.text} + {beyond}" if beyond else reach.text
            parts += [f"{x} <= {bound}" for x in self.coordinates if x != "p"]
        if given is not None and given.where is not None:
            parts.append(f"({given.where})" if given.where.junction == "or" else given.where.text)
        return " and ".join(parts)

    @property
    def command_for_all(self) -> str:
        """The command that decides it for all parameters at once."""
        statement = self.statement
        if statement.follows_from is not None:
            return command("claims", "check", self.id)
        assert statement.ruleset is not None
        assert statement.for_all is not None
        text = tree.text_of(self.proposition)
        return command("prove", statement.ruleset, text, "--for", statement.for_all.text)

    def cases(self, parameters: Mapping[str, int]) -> list[dict[str, int]]:
        """Return the parameters with each choice of `every` that satisfies `when`.

        Each case has its own verdict; the claim holds for the parameters if it holds in all cases. Raises `ConfigError` if
        `when` has no value, or there are more than `MOST_CASES` cases or `MOST_TRIED` choices.
        """
        cases = []
        attempts = count(1)
        for known in assignments(self.statement.every, dict(parameters)):
            if self._holds_when(known, attempts):
                cases.append(known)
            if len(cases) > MOST_CASES or next(attempts) > MOST_TRIED:
                raise self._too_many(parameters, len(cases))
        return cases

    def environment(self, parameters: Mapping[str, int]) -> dict[str, int]:
        """Return a case, as `cases` returns it, with the names that `let` defines.

        Parameters outside the claim's domain are accepted, to test whether a theorem holds beyond it. Raises
        `ConfigError` if an integer of `every` is missing; `FormulaError` if a `let` has no value.
        """
        if missing := [name for name in self.statement.every if name not in parameters]:
            raise ConfigError(
                f"claim {self.id}: {_given(parameters)}: a value is needed for {', '.join(missing)}"
            )
        known = dict(parameters)
        for name, formula in self.let.items():
            known[name] = int(formula.value(known))
        return known

    def _holds_when(self, known: dict[str, int], attempts: Iterator[int]) -> bool:
        """Whether a choice of `some` satisfies `when`; `attempts` counts choices."""
        when = self.statement.when
        try:
            for chosen in assignments(self.statement.some, known):
                if when is None or when.value(chosen):
                    return True
                if next(attempts) > MOST_TRIED:
                    raise self._too_many(known, 0)
        except FormulaError as error:
            if self.is_found:
                return False  # a found condition excludes undefined values, as v2(s) for s = 0
            raise ConfigError(f"claim {self.id}: when: {error}, for {_given(known)}") from error
        return False

    def _too_many(self, parameters: Mapping[str, int], fitting: int) -> ConfigError:
        names, what = [*self.statement.every], f"{MOST_CASES} choices"
        if fitting <= MOST_CASES:
            names += self.statement.some
            what = f"{MOST_TRIED:,} choices to try"
        of = f"{what} of {', '.join(names)} for {_given(parameters)}"
        return ConfigError(f"claim {self.id}: more than {of}: smaller ranges are needed")

    def as_json(self) -> dict[str, Any]:
        """Return the parts that decide the verdict as plain data."""
        return self.statement.model_dump(mode="json", include=set(Statement.model_fields))

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Claim:
        """Return the claim from the result of `as_json`."""
        return cls(Statement.model_validate(document))

    def as_ledger(self) -> LedgerClaim:
        """Return the claim in the form of ledgers and reports."""
        if self.paper is None or not isinstance(self.statement, Entry):
            raise ValueError(f"{self.id} was read from an order, which does not name its source")
        return LedgerClaim(
            id=self.id,
            paper=self.paper,
            **{key: getattr(self.statement, key) for key in AS_IN_FILES},
            contradicts=tuple(self.statement.contradicts),
            kind=self.check.kind,
            formula=self.summary,
            formal=self.as_json(),
        )


def names_of(notation: Notation) -> tuple[str, ...]:
    """Return the names of the rulesets in a notation, outermost first."""
    inner = (names_of(value) for _, value in notation.arguments if isinstance(value, Notation))
    return (notation.name, *(name for names in inner for name in names))


def assignments(spans: Mapping[str, Range], known: dict[str, int]) -> Iterator[dict[str, int]]:
    """Yield `known` with every choice of further integers; the first varies slowest."""
    if not spans:
        yield dict(known)
        return
    name, span = next(iter(spans.items()))
    rest = {other: spans[other] for other in list(spans)[1:]}
    for value in span.values(known):
        yield from assignments(rest, {**known, name: value})


def _given(parameters: Mapping[str, int]) -> str:
    return assigned(parameters) or "no parameters"
