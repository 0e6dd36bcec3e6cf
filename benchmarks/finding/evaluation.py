"""Truth of statements at many positions at once, by the rules of the games."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.formulas import Scope, UndefinedError, UnreadError
from benchmarks.finding.games import Game
from choco_pipeline.formula.nodes import Compare, Name
from choco_pipeline.statements import tree

#: A choice of bound variables is made for at most this many positions at a time.
CHUNK = 1 << 8
#: At most this many tables are kept.
TABLES = 24
Place = tuple[Any, ...]


def game_of(ruleset: str, parameters: Mapping[str, Any]) -> str:
    """Return a ruleset with integers for its parameters.

    Examples
    --------
    >>> game_of("strip-bar(k=k, s=s-1)", {"k": 3, "s": 2})
    'strip-bar(k=3, s=2-1)'
    """
    for name, number in parameters.items():
        ruleset = re.sub(rf"\b{name}\b(?!=)", str(number), ruleset)
    return ruleset


_tables: dict[Any, tuple[dict[str, int], Any, Any]] = {}


def table(game: Game, largest: Mapping[str, int], is_p: bool, folder: Path) -> tuple[Any, Any]:
    """Return the positions of a box, or of a larger one, and their outcomes or Grundy numbers."""
    key = game.notation, is_p, folder
    known = _tables.pop(key, ({}, None, None))
    if any(known[0].get(name, -1) < most for name, most in largest.items()):
        largest = {name: max(most, known[0].get(name, 0)) for name, most in largest.items()}
        box = {name: game.side(most) for name, most in largest.items()}
        found = game.p_positions(game.box(box)) if is_p else game.numbers(box)
        known = largest, _legal(game, box), found
    if len(_tables) >= TABLES:
        del _tables[next(iter(_tables))]
    _tables[key] = known
    return known[1:]


def _legal(game: Game, box: Mapping[str, int]) -> Any:
    legal = game.box(box)
    return np.repeat(legal[..., None], game.passes + 1, axis=-1) if game.passes else legal


@dataclass
class World:
    """A game, and the box of positions that a statement is tried on.

    Positions of an uncut rectangular bar have the coordinates (i, j) of the poisoned cell.
    """

    notation: str
    coordinates: Sequence[str]
    box: Mapping[str, int]
    folder: Path = Path()
    memory: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def game(self) -> Game:
        """The game."""
        return Game(self.notation, self.folder)

    def positions(self, limit: int | None = None, only_p: bool = False) -> Place:
        """Return the positions or P-positions of the box, or those up to a limit on the size."""
        is_inside = limit is None or limit <= min(self.box.values(), default=0)
        key = only_p, None if is_inside else limit
        if key not in self.memory:
            box = {name: self.game.side(max(most, key[1] or 0)) for name, most in self.box.items()}
            if self.coordinates[:2] == ("i", "j"):
                shape = (*self.game.rules["sizes"], self.game.passes + 1)
                i, j, *left = np.nonzero(np.ones(shape[: len(self.coordinates)]))
                every = (i + 1, j + 1, *left)
            else:
                every = np.nonzero(_legal(self.game, box))
            chosen = self.look_up(self.notation, every, True)[0] if only_p else slice(None)
            self.memory[key] = tuple(axis[chosen] for axis in every)
        every = self.memory[key]
        chosen = slice(None) if limit is None else self.size(every) <= limit
        return tuple(axis[chosen] for axis in every)

    def size(self, at: Place) -> Any:
        """Return the largest coordinate, without passes."""
        return np.max(
            [axis for name, axis in zip(self.coordinates, at, strict=True) if name != "p"], axis=0
        )

    def look_up(self, notation: str, at: Place, is_p: bool) -> tuple[Any, Any]:
        """Return outcomes or Grundy numbers at some places of a game, and which of them are positions."""
        game = self.game if notation == self.notation else Game(notation, self.folder)
        m, n = game.rules.get("sizes", (0, 0))
        if m and len(at) - bool(game.passes) == 2:
            at = (at[0] - 1, m - at[0], at[1] - 1, n - at[1], *at[2:])
        if len(at) != len(game.coordinates):
            raise UnreadError(f"{len(at)} coordinates of {notation}")
        if m and not game.passes:
            exist = (np.min(at, axis=0) >= 0) & (at[0] + at[1] < m) & (at[2] + at[3] < n)
            numbers = np.bitwise_xor.reduce(at)
            return (numbers == 0 if is_p else numbers), exist
        largest = {
            name: max(int(axis.max(initial=0)), self.box.get(name, 0))
            for name, axis in zip(game.coordinates, at, strict=True)
            if name in game.names and name not in game.limits
        }
        legal, found = table(game, largest, is_p, self.folder)
        exist = np.logical_and.reduce(
            [(axis >= 0) & (axis < n) for axis, n in zip(at, legal.shape, strict=True)]
        )
        at = tuple(np.where(exist, axis, 0) for axis in at)
        return found[at], exist & legal[at]


@dataclass(frozen=True)
class Here(Scope):
    """Positions, and the values of the names that are known there."""

    world: World
    terms: Mapping[str, tree.Term] = field(default_factory=dict)

    def at(self, position: Place, length: int | None = None) -> Here:
        """Return the same at other positions."""
        names = (*self.world.coordinates, tree.SIZE)
        known = dict(zip(names, (*position, self.world.size(position)), strict=True))
        return replace(
            self, length=self.length if length is None else length, known={**self.known, **known}
        )

    @property
    def position(self) -> Place:
        """The coordinates."""
        return tuple(self.array(self.known[name]) for name in self.world.coordinates)

    def array(self, value: Any) -> Any:
        """Return a value for each position."""
        return np.broadcast_to(np.asarray(value), self.length)

    def name(self, name: str) -> Any:
        """Return the value of a name or a term."""
        return self.term(self.terms[name]) if name in self.terms else super().name(name)

    def evaluate(self, part: tree.Expression) -> Any:
        """Return the values of an expression."""
        return replace(self, terms=dict(part.terms)).value(part.formula.root)

    def holds(self, part: tree.Proposition) -> Any:
        """Return whether a proposition holds, for each position."""
        match part:
            case tree.Expression():
                return self.array(self.evaluate(part)).astype(bool)
            case tree.PPosition(place):
                return self.look_up(place, True)
            case tree.Not(operand):
                return ~self.holds(operand)
            case tree.Junction(word, operands):
                return self.junction(word, operands, Here.holds)
            case tree.Implies(premise, conclusion):
                return self.junction("or", (tree.Not(premise), conclusion), Here.holds)
            case tree.Equivalent((first, *others)):
                truth = self.holds(first)
                return np.logical_and.reduce([truth == self.holds(other) for other in others])
            case tree.Quantified(word, bindings, body):
                number = self.counted(bindings, body, word != "every")
                return number > 0 if word == "some" else number == 0
            case tree.Let(name, value, body):
                try:
                    known = {**self.known, name: self.evaluate(value)}
                except UndefinedError:
                    known = {k: v for k, v in self.known.items() if k != name}
                return replace(self, known=known).holds(body)
            case tree.At(position, body):
                return self.at(tuple(self.array(self.evaluate(one)) for one in position)).holds(
                    body
                )
            case tree.IsOption(at):
                meant = [self.array(self.evaluate(one)) for one in at]
                there, owner = self.choices(tree.OfOption())
                same = [
                    there.known[f"{name}'"] == one[owner]
                    for name, one in zip(self.world.coordinates, meant, strict=True)
                ]
                return np.bincount(owner, np.logical_and.reduce(same), self.length) > 0
            case tree.ValueSet():
                return self.once((part,), lambda outer: outer.has_values(part)) == 1
        raise UnreadError(type(part).__name__)

    def term(self, term: tree.Term) -> Any:
        """Return the values of a term."""
        match term:
            case tree.Grundy(place):
                return self.look_up(place, False)
            case tree.Primed(coordinate):
                return self.known[f"{coordinate}'"]
            case tree.Count(bindings, body):
                return self.counted(bindings, body, True)
        raise UnreadError(type(term).__name__)

    def look_up(self, place: tree.Place, is_p: bool) -> Any:
        """Return the outcomes or Grundy numbers at a place; each must be a position."""
        at, notation = self.position, self.world.notation
        if place.primed:
            at = tuple(self.known[f"{name}'"] for name in self.world.coordinates)
        elif place.at is not None:
            at = tuple(self.array(self.evaluate(one)) for one in place.at)
        if place.game is not None:
            notation = game_of(place.game.text, {n: self.name(n) for n in place.game.names})
        try:
            found, exist = self.world.look_up(notation, at, is_p)
        except ValueError as error:
            raise UndefinedError(str(error)) from error
        if not exist.all():
            first = np.flatnonzero(~exist)[0]
            raise UndefinedError(
                f"{tuple(int(axis[first]) for axis in self.position)}: no such place"
            )
        return found

    def counted(
        self, bindings: Sequence[tree.Binding], body: tree.Proposition, wanted: bool
    ) -> Any:
        """Return for how many choices a proposition is true, or false."""
        if not bindings:
            return (self.holds(body) == wanted).astype(np.int64)
        first, *rest = bindings
        if isinstance(first, tree.OfPosition):
            is_guarded = isinstance(body, tree.Implies) and not wanted
            where = body.premise if is_guarded else body if wanted else tree.TRUE
            return self.once(
                (body, *rest),
                lambda outer: outer.everywhere(where).counted(rest, body, wanted).sum(),
            )
        if self.length > CHUNK:
            parts = [
                np.arange(i, min(i + CHUNK, self.length)) for i in range(0, self.length, CHUNK)
            ]
            return np.concatenate(
                [self.only(part).counted(bindings, body, wanted) for part in parts]
            )
        there, owner = self.choices(first)
        inner = there.counted(rest, body, wanted)
        return np.bincount(owner, inner, self.length).astype(np.int64)

    def once(self, parts: Sequence[tree.Part], compute: Callable[[Here], int]) -> Any:
        """Return what is the same for all positions: computed once for each choice of other names."""
        used = set[str]().union(*map(names_in, parts)) & self.known.keys()
        names = sorted(used - {*self.world.coordinates, tree.SIZE})
        given = [self.known[name] for name in names]
        if any(isinstance(one, np.ndarray) for one in given):
            columns = [np.zeros(self.length, np.int64), *map(self.array, given)]
            rows, places = np.unique(np.stack(columns), axis=1, return_inverse=True)
        else:
            rows, places = np.array([[0], *([one] for one in given)]), np.zeros(self.length, int)
        keys = [(*map(id, parts), *row) for row in rows.T.tolist()]
        for key in keys:
            if key not in self.world.memory:
                known = dict(zip(names, key[len(parts) + 1 :], strict=True))
                self.world.memory[key] = int(compute(replace(self, length=1, known=known)))
        return np.array([self.world.memory[key] for key in keys])[places.ravel()]

    def everywhere(self, condition: tree.Proposition) -> Here:
        """Return positions of the box, or up to its limit, among them all that satisfy a condition."""
        parts = tree.conjuncts(condition)
        limits = [limit for part in parts if (limit := self.limit(part)) is not None]
        only_p = tree.PPosition() in parts
        every = self.world.positions(min(limits, default=None), only_p)
        return self.at(every, len(every[0]))

    def limit(self, part: tree.Proposition) -> int | None:
        """Return the limit in ``size <= limit``; None for other conditions."""
        match part:
            case tree.Expression(formula, ()):
                match formula.root:
                    case Compare((("<=" | "<") as sign,), (Name(tree.SIZE), most)):
                        return int(self.value(most)) - (sign == "<")
        return None

    def has_values(self, part: tree.ValueSet) -> bool:
        """Whether a set of values compares with another set; without a limit, small members must be values."""
        there = self.everywhere(part.condition)
        there = there.only(np.flatnonzero(there.holds(part.condition)))
        values = np.unique(there.array(there.evaluate(part.value)))
        largest = int(np.abs(values).max(initial=0)) + CHUNK
        small = np.arange(-largest, largest)
        if all(self.limit(one) is None for one in tree.conjuncts(part.condition)):
            small = np.arange(min(self.world.box.values()) // 2)
        are, should = (
            Scope(len(v), {**self.known, part.variable: v}).value(part.members.formula.root)
            for v in (values, small)
        )
        members = small[np.broadcast_to(should, len(small)).astype(bool)]
        is_within = part.relation == ">=" or bool(np.all(are))
        return is_within and (part.relation == "<=" or bool(np.isin(members, values).all()))

    def choices(self, binding: tree.Binding) -> tuple[Here, Any]:
        """Return every choice of a bound variable, and of which position each is."""
        match binding:
            case tree.InRange(name, span):
                ends = [self.array(self.value(one.root)) for one in (span.first, span.last)]
                step = self.array(self.value(span.step.root) if span.step else 1)
                numbers = np.maximum((ends[1] - ends[0]) // step + 1, 0)
                owner = np.repeat(np.arange(self.length), numbers)
                place = np.arange(len(owner)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
                new = {name: ends[0][owner] + place * step[owner]}
            case tree.OfCell(names):
                sides = [
                    self.world.box.get(name, max(self.world.box.values())) + 1
                    for name in self.world.coordinates
                ]
                cells = np.indices(sides).reshape(len(sides), -1)
                owner = np.repeat(np.arange(self.length), cells.shape[1])
                new = {
                    name: np.tile(axis, self.length)
                    for name, axis in zip(names, cells, strict=True)
                }
            case tree.OfOption(by):
                if self.world.coordinates[0] == "i":
                    raise UnreadError("options of uncut bars")
                positions = zip(*(axis.tolist() for axis in self.position), strict=True)
                options = [[*dict.fromkeys(self.world.game.options(q, by))] for q in positions]
                owner = np.repeat(np.arange(self.length), [*map(len, options)])
                flat = np.array([to for one in options for to in one], np.int64).reshape(
                    -1, len(self.world.coordinates)
                )
                new = {f"{name}'": flat[:, i] for i, name in enumerate(self.world.coordinates)}
            case _:
                raise UnreadError(type(binding).__name__)
        there = self.only(owner)
        return replace(there, known={**there.known, **new}), owner


def names_in(part: tree.Part) -> set[str]:
    """Return the names that a part of a statement may use."""
    match part:
        case tree.Expression():
            own = {*part.names}
        case tree.InRange():
            own = {*part.span.names}
        case tree.Primed(coordinate):
            own = {f"{coordinate}'"}
        case tree.Place() if part.game is not None:
            own = {*part.game.names}
        case _:
            own = set()
    return own.union(*map(names_in, tree.children(part)))
