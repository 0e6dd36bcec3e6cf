"""The meaning of a statement at one position, in plain Python.

All faster checks are tested against this definition. It is slow, and treats all shapes of statements alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from choco_pipeline.errors import ChocoError, RulesetError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import Position, RectangularBar, Ruleset
from choco_pipeline.games.notation import Notation, build
from choco_pipeline.statements import tree


class UndefinedError(ChocoError):
    """A value does not exist, such as the outcome of a cell that is no position."""


@dataclass(frozen=True)
class World:
    """The game, the integers and the printed rows that a statement is about.

    Examples
    --------
    >>> from choco_pipeline.games import parse_ruleset
    >>> from choco_pipeline.statements.parse import Names, parse_proposition
    >>> game = parse_ruleset("nim(2)")
    >>> statement = parse_proposition("P <=> a ^ b == 0", Names(game.coordinates))
    >>> World(game, bound=4).holds(statement, (3, 3))
    True
    """

    #: None for a statement about integers.
    game: Ruleset | None = None
    #: The largest coordinate of the positions that `count` and quantifiers run over, where the game does not limit it.
    bound: int | None = None
    #: Integers by name: parameters, and N.
    values: Mapping[str, int] = field(default_factory=dict)
    #: The rows of the claim's printed table or list.
    printed: Sequence[Sequence[int]] = ()
    #: Whether the positions are uncut rectangular bars with the coordinates (i, j) of the poisoned cell, and passes left.
    of_whole_bars: bool = False

    def holds(self, proposition: tree.Proposition, position: Position | None = None) -> bool:
        """Whether a proposition holds: at a position, or without one if about integers.

        Raises `UndefinedError` or `FormulaError` if a term that is needed has no value.
        """
        return _Scope(self, position or (), dict(self.values)).holds(proposition)

    def positions(self) -> Iterator[Position]:
        """Yield the positions up to the bound."""
        assert self.game is not None
        for position in self.game.positions(self.bound):
            if self.heaps(self.game, self.coordinates(position)) == position:
                yield position

    def size(self, coordinates: Position) -> int:
        """Return the largest coordinate, passes left not counted."""
        assert self.game is not None
        return max(coordinates[: len(coordinates) - bool(self.game.passes)])

    def coordinates(self, position: Position) -> Position:
        """Return the coordinates of a position in the statement: (i, j) for uncut bars."""
        if not self.of_whole_bars:
            return position
        a, _, c, _, *passes = position
        return (a + 1, c + 1, *passes)

    def heaps(self, game: Ruleset, at: Position) -> Position:
        """Return the tuple with these coordinates, which need not be a position."""
        if not self.of_whole_bars or not isinstance(game.base, RectangularBar) or len(at) < 2:
            return at
        i, j, *passes = at
        return (i - 1, game.base.m - i, j - 1, game.base.n - j, *passes)


def game_of(
    notation: Notation, known: Mapping[str, int], games: Mapping[str, Any] | None
) -> Ruleset:
    """Return the game of a notation with integers for its parameters.

    Raises `UndefinedError` if there is no such game.
    """
    if missing := sorted(notation.names - known.keys()):
        raise UndefinedError(f"{notation.text}: {missing[0]} has no value")
    try:
        if games is not None:
            return build(notation, known, Path(), games)
        return _built(notation, tuple((name, known[name]) for name in sorted(notation.names)))
    except RulesetError as error:
        raise UndefinedError(str(error)) from error


@lru_cache(64)  # a game remembers its Grundy numbers
def _built(notation: Notation, values: tuple[tuple[str, int], ...]) -> Ruleset:
    return build(notation, dict(values), Path())


@dataclass(frozen=True)
class _Scope:
    """A position, and the values of the known names."""

    world: World
    #: Empty for a statement about integers.
    position: Position
    known: Mapping[str, int]
    #: The option that a quantifier has chosen; empty if there is none.
    option: Position = ()

    def holds(self, part: tree.Proposition) -> bool:
        match part:
            case tree.Expression():
                return bool(self.value(part))
            case tree.PPosition(place):
                game, position = self.place(place)
                return game.is_p_position(position)
            case tree.IsOption(at):
                return tuple(map(self.value, at)) in set(self.game.options(self.position))
            case tree.IsPrinted(row):
                return tuple(self.value(one) for one in row) in set(map(tuple, self.world.printed))
            case tree.Not(operand):
                return not self.holds(operand)
            case tree.Junction(word, operands):
                return (any if word == "or" else all)(map(self.holds, operands))
            case tree.Implies(premise, conclusion):
                return not self.holds(premise) or self.holds(conclusion)
            case tree.Equivalent(operands):
                return len({self.holds(operand) for operand in operands}) == 1
            case tree.Quantified(word, bindings, body):
                truths = [scope.holds(body) for scope in self.choices(bindings)]
                return all(truths) if word == "every" else any(truths) == (word == "some")
            case tree.Let(name, value, body):
                known = dict(self.known)
                with suppress(FormulaError, UndefinedError):  # an error only if the name is used
                    known[name] = self.value(value)
                return replace(self, known=known).holds(body)
            case tree.At(position, body):
                return self.at(tuple(map(self.value, position))).holds(body)
            case tree.ValueSet():
                return self.compares(part)

    def value(self, part: tree.Expression) -> int:
        terms = {name: self.term(term) for name, term in part.terms}
        return int(part.formula.value({**self.known, **self.named(), **terms}))

    def term(self, term: tree.Term) -> int:
        match term:
            case tree.Grundy(place):
                game, position = self.place(place)
                return game.grundy(position)
            case tree.Primed(coordinate):
                return self.game.rules.named(self.option)[coordinate]
            case tree.Printed(row, column):
                i, j, rows = self.value(row), self.value(column), self.world.printed
                if not (0 <= i < len(rows) and 0 <= j < len(rows[i])):
                    raise UndefinedError(f"printed({i}, {j}) does not exist")
                return rows[i][j]
            case tree.Count(bindings, body):
                chosen = {
                    (h.position, h.option, *sorted(h.known.items()))
                    for h in self.choices(bindings)
                    if h.holds(body)
                }
                return len(chosen)

    @property
    def game(self) -> Ruleset:
        assert self.world.game is not None
        return self.world.game

    def at(self, position: Position) -> _Scope:
        return replace(self, position=self.existing_position(self.game, position), option=())

    def existing_position(self, game: Ruleset, at: Position) -> Position:
        position = self.world.heaps(game, at)
        is_tuple = len(position) == len(game.coordinates) and min(position) >= 0
        if not is_tuple or not game.is_position(position):
            raise UndefinedError(f"{at} is no position of {game.notation}")
        return position

    def place(self, place: tree.Place) -> tuple[Ruleset, Position]:
        if place.primed:
            return self.game, self.option
        if place.at is None:
            return self.game, self.position
        game = self.game
        if place.game is not None:
            game = game_of(place.game, self.known, None)
        return game, self.existing_position(game, tuple(map(self.value, place.at)))

    def choices(self, bindings: Sequence[tree.Binding]) -> Iterator[_Scope]:
        """Yield the scope after each choice of bound variables; each option once."""
        if not bindings:
            yield self
            return
        first, *rest = bindings
        for scope in self.bound_to(first):
            yield from scope.choices(rest)

    def bound_to(self, binding: tree.Binding) -> Iterator[_Scope]:
        match binding:
            case tree.InRange(name, span, _):
                for n in span.values({**self.known, **self.named()}):
                    yield replace(self, known={**self.known, name: n})
            case tree.OfPosition():
                for position in self.world.positions():
                    yield replace(self, position=position, option=())
            case tree.OfCell(names):
                for cell in product(
                    *(range(most + 1) for most in self.game.limits(self.world.bound))
                ):
                    yield replace(self, known={**self.known, **dict(zip(names, cell, strict=True))})
            case tree.OfOption(by):
                rules = self.game.rules
                moves = [move for move in rules.moves if set(move.lowers) <= set(by)]
                some = (q for move in moves for q in rules.options_by(move, self.position))
                for option in dict.fromkeys(some if by else self.game.options(self.position)):
                    yield replace(self, option=option)

    def named(self) -> dict[str, int]:
        if not self.position:
            return {}
        at = self.world.coordinates(self.position)
        names = self.game.coordinates
        if self.world.of_whole_bars:
            names = ("i", "j", *names[4:])
        return {**dict(zip(names, at, strict=True)), tree.SIZE: self.world.size(at)}

    def compares(self, part: tree.ValueSet) -> bool:
        """Compare the values at the positions up to the bound with the members.

        Only members up to the largest absolute value count.
        """
        scopes = [
            replace(self, position=position, option=()) for position in self.world.positions()
        ]
        values = {scope.value(part.value) for scope in scopes if scope.holds(part.condition)}
        largest = max(map(abs, values), default=0)
        members = {
            v
            for v in range(-largest, largest + 1)
            if part.members.formula.value({**self.known, part.variable: v})
        }
        is_within, contains_all = values <= members, values >= members
        return {"==": is_within and contains_all, "<=": is_within, ">=": contains_all}[
            part.relation
        ]
