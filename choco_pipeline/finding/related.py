"""Relations between the outcomes or Grundy numbers of games and neighbours.

A neighbour has fewer passes, smaller parameters, or lower heights. The Grundy numbers of a game may be a function of those of the
neighbour at the same positions, or at shifted ones. This function is tabulated, and then its formula is looked up. If a coordinate is a
free heap, it is compared at P-positions, because there it is the Grundy number of the rest. Without a free heap, outcomes are compared.
A relation found in small tables must hold in larger ones. The shift may depend on the parameters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.conditions import Domain, TestedCondition, tested_condition
from choco_pipeline.finding.laws import determined, shapes_of
from choco_pipeline.finding.lines import implied
from choco_pipeline.finding.scope import Parameters
from choco_pipeline.finding.statement import FoundStatement, Mined, Proposals
from choco_pipeline.finding.tables import MemberTable, TableFamily
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Node, with_operands
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import Notation, build, read, with_arguments
from choco_pipeline.mining.table_findings import Evidence, Tried
from choco_pipeline.tables.cells import Cells, Ints, Truths
from choco_pipeline.tables.computing import cells_of
from choco_pipeline.tables.spec import Quantity, variable_of

#: Differences of parameters.
STEPS = (1, 2, 4)
#: Largest shift of positions along each coordinate; along x and z if heights differ by 1.
MOST_MOVED, MOST_MOVED_ALONG = 2, 8


@dataclass(frozen=True)
class Neighbours:
    """A game and a neighbour, as notations in the same parameters."""

    #: Both games.
    own: str
    other: str
    #: The difference of passes left.
    fewer: int = 0
    #: The parameter that is smaller in the neighbour; empty for none.
    name: str = ""
    #: The largest shifts along x and z, and along other coordinates.
    along: int = 0
    up: int = 0


def neighbours(pattern: Notation) -> Iterator[Neighbours]:
    """Yield the neighbours of the games of a family.

    Examples
    --------
    >>> from choco_pipeline.games.notation import read
    >>> [pair.own for pair in neighbours(read("solid-bar(f=(x+z)//3)"))]
    ['solid-bar(f=(x+z)//3+1)']
    """
    text = pattern.text
    if pattern.name == "with-pass":
        (_, game), (_, passes) = pattern.arguments
        assert isinstance(game, Notation)
        assert isinstance(passes, Formula)
        yield Neighbours(text, text, fewer=1)
        if not passes.names:
            more = f"with-pass({game.text}, passes={max(2, int(passes.value({})))})"
            yield Neighbours(more, more, fewer=2)
    for name in sorted(pattern.names):
        for step in STEPS:
            other = _less(pattern, name, step).text
            yield Neighbours(text, other, name=name, along=MOST_MOVED, up=MOST_MOVED)
    if pattern.name == "solid-bar":
        ((_, height),) = pattern.arguments
        if isinstance(height, Formula) and height.text not in pattern.names:
            higher = f"solid-bar(f={parse(f'({height.text})+1').text})"
            yield Neighbours(higher, text, along=MOST_MOVED_ALONG, up=1)


def _less(pattern: Notation, name: str, step: int) -> Notation:
    """Return a notation with `name - step` for `name`."""

    def smaller(node: Node) -> Node:
        if node == Name(name):
            return Binary("-", node, Integer(step))
        return with_operands(node, smaller)

    return with_arguments(pattern, smaller)


#: Functions of a Grundy number g, the shortest first; the last one exchanges 2i−1 and 2i for i ≥ 1, and leaves 0.
FUNCTIONS = (
    "g",
    *(f"g{sign}{n}" for n in (1, 2, 3, 4) for sign in "+-"),
    *(f"g ^ {n}" for n in (1, 2, 3)),
    "max(((g+1) ^ 1)-1, 0)",
)
#: Fewest values, or P-positions, for a relation.
FEWEST_VALUES = 6


@dataclass(frozen=True)
class ValueTable:
    """The Grundy numbers of a game, or the free heaps of its P-positions."""

    #: The coordinates, passes first.
    dims: tuple[str, ...]
    #: A number for each position, −1 elsewhere.
    values: Ints
    #: The coordinates whose largest value depends on the others.
    limited: frozenset[str]

    @property
    def legal(self) -> Truths:
        """The cells that are positions."""
        return self.values >= 0

    @classmethod
    def of(cls, game: Ruleset, bound: int, quantity: Quantity) -> ValueTable:
        """Compute a table: Grundy numbers, if there is no free heap."""
        variable = variable_of(game, quantity)
        if variable.stored is None or variable.stored != game.base.rules.free or not variable.dims:
            variable = variable_of(game, "grundy")
        named: Quantity = "grundy" if variable.name == "grundy" else "p-positions"
        values = cells_of(game, bound, named).astype(np.int64)
        return cls(variable.dims, values, frozenset(game.base.rules.limits))

    def corner(self, bound: int) -> ValueTable:
        """Return the part up to a bound."""
        whole = ("p", *self.limited)
        part = tuple(slice(None if name in whole else bound + 1) for name in self.dims)
        return replace(self, values=self.values[part])


def named_function(numbers: Ints, images: Ints) -> str | None:
    """Return the first of `FUNCTIONS` that maps numbers to images, or None.

    Examples
    --------
    >>> g = np.arange(8)
    >>> named_function(g, np.array([0, 2, 1, 4, 3, 6, 5, 8])), named_function(g, g ^ 1), named_function(g // 2, g)
    ('max(((g+1) ^ 1)-1, 0)', 'g ^ 1', None)
    """
    step = int(images.max(initial=0)) + 1
    known, function = np.divmod(np.unique(numbers * step + images), step)
    if known.size < FEWEST_VALUES or (np.diff(known) == 0).any():
        return None
    for text in FUNCTIONS:
        if np.array_equal(parse(text).evaluate({"g": known}), function):
            return text
    return None


#: Fewest tables in which a relation must hold.
FEWEST_TABLES = 3
#: Bounds of tables, by number of coordinates: of those in which relations are found, and of those in which they must hold.
SMALL, LARGE = {1: 30, 2: 24, 3: 9}, {1: 90, 2: 60, 3: 20}
#: Margin beyond these bounds for shifted positions.
FURTHER = 8
TRIED = "the same position and near ones, of games with fewer passes, smaller parameters, and lower heights"


@dataclass(frozen=True)
class _Relation:
    #: The games.
    pair: Neighbours
    #: The function of the Grundy number or free heap; empty for P-positions.
    function: str
    #: The shift of positions along each dimension, a formula in the parameters.
    moved: tuple[tuple[str, str], ...]


def relations(
    mined: Sequence[Mined], families: Sequence[TableFamily] = ()
) -> list[Callable[[], Proposals]]:
    """Return searches for relations of the searched games to their neighbours.

    `mined` and `families` only name the games: small tables of these are computed. Each family has a search of its own, except that
    all families with passes share one. The effect of two passes is the same in all games, so it is stated for one family.
    """
    games: dict[tuple[str, bool], dict[str, Mapping[str, int]]] = defaultdict(dict)
    for result in mined:
        games[result.family, result.quantity == "grundy"][result.ruleset] = result.parameters
    for family in families:
        is_grundy = family.members[0].table().variable.name == "grundy"
        for member in family.members:
            game = build(read(family.ruleset), dict(member.parameters), Path())
            games[family.ruleset, is_grundy][game.notation] = member.parameters
    with_passes: list[_RelationSearch] = []
    searches = []
    for (ruleset, is_grundy), members in sorted(games.items(), key=lambda family: -len(family[1])):
        tables = [MemberTable(parameters, _never) for parameters in members.values()]
        quantity: Quantity = "grundy" if is_grundy else "p-positions"
        search = _RelationSearch(TableFamily.of(ruleset, tables), quantity, next(iter(members)))
        if read(ruleset).name == "with-pass":
            with_passes.append(search)
        else:
            searches.append(search.run)

    def of_games_with_passes() -> Proposals:
        results: list[Proposals] = []
        for search in with_passes:
            is_stated = any(proposals.statements for proposals in results)
            results.append(search.run(most=1 if is_stated else 2))
        return Proposals.merged(results)

    return [of_games_with_passes, *searches]


def _never() -> Cells:
    raise AssertionError("tables are computed where they are compared")


class _RelationSearch:
    """The search for relations of one family, without its stored tables.

    Relations that held-out games confirm are `stated`; those with too few games are `doubtful`.
    """

    def __init__(self, family: TableFamily, quantity: Quantity, game: str) -> None:
        """Prepare the search; `game` is one of the family."""
        ruleset = parse_ruleset(game)
        variable, rules = variable_of(ruleset, quantity), ruleset.base.rules
        self.family, self.quantity = family, quantity
        self.coordinates, self.is_face = ruleset.coordinates, rules.face is not None
        self.free = rules.free if variable.stored == rules.free and variable.dims else None
        # the coordinates along which positions may be shifted
        self._dims = tuple(name for name in ruleset.base.coordinates if name != self.free)
        self.size = len(self._dims)
        self.stated: list[FoundStatement] = []
        self.doubtful: list[FoundStatement] = []
        self._tables: dict[tuple[str, tuple[tuple[str, int], ...], int], ValueTable | None] = {}

    def run(self, most: int = 0) -> Proposals:
        """Return relations, except those whose games all have one to a nearer neighbour."""
        if self.size not in SMALL or self.is_face:
            return Proposals()
        known: dict[str, set[int]] = defaultdict(set)
        for pair in neighbours(read(self.family.ruleset)):
            if pair.fewer > most:
                continue
            outcomes = [(relation, self._holding(relation)) for relation in self._candidates(pair)]
            for relation, positions in sorted(outcomes, key=lambda outcome: -len(outcome[1])):
                key = pair.name or f"{pair}"
                if not positions.keys() <= known[key]:
                    known[key] |= positions.keys()
                    self._state(relation, positions)
        return Proposals(self.stated, self.doubtful)

    def _candidates(self, pair: Neighbours) -> Iterator[_Relation]:
        points = self.family.points
        numbers = {i: self._in_small_tables(pair, points[i]) for i in self.family.searched}
        fewest = FEWEST_TABLES if self.family.names else 1
        ways = Counter(
            (function, moved)
            for some in numbers.values()
            for function, several in some.items()
            for moved in several
        )
        for (function, moved), number in ways.items():
            if number >= fewest:
                yield _Relation(
                    pair, function, tuple(zip(self._dims, map(str, moved), strict=True))
                )
        for function in dict.fromkeys(function for function, _ in ways):
            least = {
                i: min(some[function], key=lambda moved: (sum(moved), moved))
                for i, some in numbers.items()
                if function in some
            }
            if len(least) >= FEWEST_TABLES:
                these = [points[i] for i in least]
                shapes = shapes_of(self.family.names, these)
                columns = zip(*least.values(), strict=True)
                fitting = [next(determined(these, column, shapes), None) for column in columns]
                texts = [one.text for one in fitting if one is not None]
                if len(texts) == len(fitting) and not all(text.isdigit() for text in texts):
                    yield _Relation(pair, function, tuple(zip(self._dims, texts, strict=True)))

    def _in_small_tables(
        self, pair: Neighbours, point: Parameters
    ) -> dict[str, list[tuple[int, ...]]]:
        numbers: dict[str, list[tuple[int, ...]]] = defaultdict(list)
        own = self._table(pair.own, point, SMALL[self.size])
        other = self._table(pair.other, point)
        if own is not None and other is not None:
            spans = [range((pair.along if d in ("x", "z") else pair.up) + 1) for d in self._dims]
            for moved in product(*spans):
                by = dict(zip(self._dims, moved, strict=True))
                function = self._function(pair, own, other, by)
                if function is not None:
                    numbers[function].append(moved)
        return numbers

    def _holding(self, relation: _Relation) -> dict[int, int]:
        """Return the number of positions for each game whose larger table confirms it."""
        positions: dict[int, int] = {}
        for i, point in enumerate(self.family.points):
            try:
                moved = {name: int(parse(text).value(point)) for name, text in relation.moved}
            except FormulaError:  # the shift has no value, such as v2(0)
                continue
            own = self._table(relation.pair.own, point, LARGE[self.size])
            other = self._table(relation.pair.other, point, moved=max(moved.values()))
            if own is None or other is None or min(moved.values()) < 0:
                continue
            if self._function(relation.pair, own, other, moved) == relation.function:
                positions[i] = int(own.legal.sum())
        return positions

    def _table(
        self, notation: str, point: Parameters, corner: int | None = None, moved: int = 0
    ) -> ValueTable | None:
        """Return a game's table with room for a shift, or None without a game."""
        bound = LARGE[self.size] + FURTHER * max(1, -(-moved // FURTHER))
        key = notation, tuple(sorted(point.items())), bound
        if key not in self._tables:
            self._tables[key] = None
            with suppress(ChocoError):  # no such game, or its heights end earlier
                game = build(read(notation), dict(point), Path())
                self._tables[key] = ValueTable.of(game, bound, self.quantity)
        whole = self._tables[key]
        return whole if corner is None or whole is None else whole.corner(corner)

    def _function(
        self, pair: Neighbours, own: ValueTable, other: ValueTable, moved: Mapping[str, int]
    ) -> str | None:
        """Return the function that relates two tables; None if there is none."""
        here = np.nonzero(own.legal)
        if pair.fewer:
            here = tuple(axis[here[0] >= pair.fewer] for axis in here)
        by = [-pair.fewer if name == "p" else moved[name] for name in own.dims]
        there = tuple(axis + n for axis, n in zip(here, by, strict=True))
        if any(axis.max(initial=0) >= n for axis, n in zip(there, other.values.shape, strict=True)):
            return None
        values, related = own.values[here], other.values[there]
        if related.min(initial=0) < 0:
            return None
        if self.free is not None:
            return named_function(values, related)
        if self.quantity == "grundy":
            return named_function(related, values)
        same = np.array_equal(values == 0, related == 0)
        return "" if same and np.count_nonzero(values == 0) >= FEWEST_VALUES else None

    def _state(self, relation: _Relation, positions: Mapping[int, int]) -> None:
        family, pair = self.family, relation.pair
        holds = [i in positions for i in range(len(family.points))]
        tested: TestedCondition | None = TestedCondition(Domain("", 1), (0,), ())
        if family.names:
            tested = tested_condition(family, holds)
        if tested is None or any(
            tested.domain.holds(family.points[i]) != holds[i] for i in tested.held_out
        ):
            return
        at = self._at(relation)
        there = f"[{pair.other}]({', '.join(at.get(name, name) for name in self.coordinates)})"
        if self.free is None and self.quantity == "grundy":
            line = f"G == {parse(relation.function).rename_all({'g': f'G{there}'})}"
        else:
            line = f"P <=> P{there}"
        tried = Tried(tested.domain.tried * len(FUNCTIONS), TRIED, len(family.points))
        line = implied(f"p >= {pair.fewer}" if pair.fewer else "", line)
        statement = tested.statement(family, "related", line, positions, tried, pair.own)
        if family.names:
            is_enough = tested.is_enough(family, sum(holds))
            (self.stated if is_enough else self.doubtful).append(statement)
            return
        small, large = SMALL[self.size], LARGE[self.size]
        own = self._table(pair.own, family.points[0], small)
        found_on = Evidence(
            0 if own is None else int(own.legal.sum()), f"all positions to bound {small}"
        )
        held_on = Evidence(positions[0], f"all positions to bound {large}")
        self.stated.append(replace(statement, found_on=found_on, held_on=held_on, seen=()))

    def _at(self, relation: _Relation) -> dict[str, str]:
        moved = {
            name: parse(f"{name}+{text}" if text.isdigit() else f"{name}+({text})").text
            for name, text in relation.moved
            if text != "0"
        }
        if relation.pair.fewer:
            moved["p"] = f"p-{relation.pair.fewer}"
        if self.free is not None and relation.function != "g":
            moved[self.free] = parse(relation.function).rename({"g": self.free}).text
        return moved
