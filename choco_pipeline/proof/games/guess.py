"""Guesses of automata for a game's relation, from tables of increasing size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.algebra import MOST_STATES
from choco_pipeline.automata.residuals import Graph, Learned, Learner, Member, Points, agrees
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.tables.bounded_game import BoundedGame
from choco_pipeline.tables.computing import Computation, computation_of
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import NONE, Quantity, variable_of
from choco_pipeline.tables.table_kernels import TableKernel, grundy_kernel

Relation = Literal["p", "grundy"]
#: Maps numbers for each coordinate, arrays that broadcast against each other, to values.
Function = Callable[[Sequence[Points]], NDArray[np.integer]]
#: The table quantity of each relation.
QUANTITIES: Mapping[Relation, Quantity] = {"p": "p-positions", "grundy": "grundy"}

#: Limits of seconds and bytes for a table.
MOST_SECONDS = 10.0
MOST_MEMORY = 2 << 30


def members(ruleset: Ruleset, relation: Relation, depth: int) -> tuple[Member, ...]:
    """Return membership oracles of a game's relation for 0, 1, … passes left.

    An oracle takes points, int64 of shape (n, d), and returns bool of shape (n,). A point has the coordinates without passes, followed
    by the Grundy number for ``grundy``. If one coordinate is determined by the others, the oracle is a `Graph`, and that coordinate may
    be 2**depth or more. An oracle raises `ValueError` if any other coordinate is.

    Examples
    --------
    >>> from choco_pipeline import StripBar
    >>> (is_p,) = members(StripBar(k=4, s=2), "p", depth=4)
    >>> is_p(np.array([[9, 2, 7], [9, 2, 6]])).tolist()
    [True, False]
    """
    bound = (1 << depth) - 1
    game = BoundedGame.of(ruleset, bound)
    names = game.rules.coordinates
    stored = variable_of(ruleset, "p-positions").stored
    if relation == "p" and stored is None:
        return tuple(map(_zeros, _grundy(game, bound)))
    axis = len(names)
    if relation == "grundy":
        functions = _grundy(game, bound)
    else:
        assert stored is not None
        axis = names.index(stored)
        if stored == game.rules.free:  # at P-positions, a free heap is the rest's Grundy number
            functions = _grundy(game.without(stored), bound)
        else:
            cells = computation_of(ruleset, bound, "p-positions").cells()
            functions = [_look_up(layer, bound) for layer in (cells if game.passes else [cells])]
    ends = [size for i, size in enumerate(game.sizes.values()) if i != axis]
    return tuple(Graph(function, axis, ends) for function in functions)


def deepest(ruleset: Ruleset, relation: Relation, most: int) -> int:
    """Return the largest depth, at most `most`, with a cheap table; 0 for none."""
    memory = min(MOST_MEMORY, worker_memory(1))
    for depth in range(most, 0, -1):
        tables = _tables(ruleset, relation, (1 << depth) - 1)
        if all(one.seconds <= MOST_SECONDS and one.memory <= memory for one in tables):
            return depth
    return 0


def _tables(ruleset: Ruleset, relation: Relation, bound: int) -> list[Computation]:
    """Return the cheapest tables that determine the relation."""
    game, free = BoundedGame.of(ruleset, bound), ruleset.base.rules.free
    if relation == "p":
        if free is not None:
            game = game.without(free)
        elif variable_of(ruleset, "p-positions").stored is not None:
            return [computation_of(ruleset, bound, "p-positions")]
    return [Computation(kernel, kernel.names, 1) for kernel in _kernels(game)]


def _kernels(game: BoundedGame) -> list[TableKernel]:
    """Return kernels for all components except heaps; one for a game with passes."""
    if game.passes:
        return [grundy_kernel(game)]
    return [grundy_kernel(component) for component in game.without(*game.heaps).components]


def _grundy(game: BoundedGame, bound: int) -> list[Function]:
    """Return functions for the Grundy numbers with 0, 1, … passes left."""
    rules = game.rules
    if game.passes:
        cells = grundy_kernel(game).cells(game.names)
        return [_look_up(layer, bound) for layer in cells]
    tables = [
        ([rules.coordinates.index(name) for name in kernel.names], kernel.cells(kernel.names))
        for kernel in _kernels(game)
    ]
    heaps = [rules.coordinates.index(name) for name in game.heaps]
    largest = [game.sizes[name] - 1 if name in rules.limits else None for name in game.heaps]

    def value(columns: Sequence[Points]) -> NDArray[np.integer]:
        total: Any = 0
        is_position: Any = True
        for heap, most in zip(heaps, largest, strict=True):
            total = total ^ columns[heap]
            if most is not None:
                is_position = is_position & (columns[heap] <= most)
        for places, cells in tables:
            numbers = _look_up(cells, bound)([columns[place] for place in places])
            is_position = is_position & (numbers != NONE)
            total = total ^ numbers
        if rules.within is not None:
            known = dict(zip(rules.coordinates, columns, strict=True))
            is_position = is_position & rules.within.evaluate(known)
        return np.where(is_position, total, NONE)

    return [value]


def _look_up(cells: NDArray[np.integer], bound: int) -> Function:
    """Return a table as a function; points outside of its shape are no positions."""

    def value(columns: Sequence[Points]) -> NDArray[np.integer]:
        largest = [int(column.max(initial=0)) for column in columns]
        if max(largest, default=0) > bound:
            raise ValueError(f"a table with bound {bound} has no coordinate {max(largest)}")
        places, inside = list(columns), list[NDArray[np.bool_]]()
        for axis, size in enumerate(cells.shape):
            if largest[axis] >= size:
                inside.append(columns[axis] < size)
                places[axis] = np.minimum(columns[axis], size - 1)
        values: NDArray[np.integer] = np.asarray(cells[tuple(places)])
        return np.where(reduce(np.logical_and, inside), values, NONE) if inside else values

    return value


def _zeros(value: Function) -> Member:
    return lambda points: value([*points.T]) == 0


#: Binary digits of the tables for guesses.
DEPTHS = (9, 11, 13, 14, 15)
#: Least digits of a window, and limit of its points.
NARROWEST = 3
WINDOW_POINTS = 1 << 16
MOST_RESIDUALS = 3000
#: Numbers of samples before a proof is attempted. Few samples refute most wrong guesses.
SAMPLES = (500, 20_000)


@dataclass(frozen=True)
class SearchSize:
    """Limits of a proof search that do not depend on the machine."""

    #: Binary digits of the tables for guesses.
    digits: int = DEPTHS[-1]
    #: Residuals of a guess: the states of its automaton.
    residuals: int = MOST_RESIDUALS
    #: States of the engine's automata.
    states: int = MOST_STATES


@dataclass
class Guesser:
    """Guesses for one game's relation. A table is used for all numbers of passes."""

    ruleset: Ruleset
    relation: Relation
    clock: Clock = FOREVER
    size: SearchSize = SearchSize()
    _members: dict[int, tuple[Member, ...]] = field(default_factory=dict)

    def attempts(self, passes: int) -> Iterator[Learned]:
        """Yield guesses: an automaton, or the growth of residuals without one.

        The depth increases, and for each depth the window. Automata that are wrong at a sample of their table are skipped. The attempts
        end if there are too many residuals, because deeper tables and wider windows have more. Raises `LimitError` if no table is small
        enough; `UndecidedError` if the time is over.
        """
        tracks = relation_tracks(self.ruleset, self.relation)
        most = deepest(self.ruleset, self.relation, self.size.digits)
        if most == 0:
            raise LimitError(f"{self.ruleset.notation}: no table is small enough to guess from")
        learners: dict[int, Learner] = {}
        for depth in sorted({min(depth, most) for depth in DEPTHS}):
            member = self._member(passes, depth)
            free = max(1, len(tracks) - isinstance(member, Graph))
            # At least one digit lies outside the window.
            widest = min(depth - 1, (WINDOW_POINTS.bit_length() - 1) // free)
            for window in range(min(NARROWEST, widest), widest + 1):
                learner = learners.setdefault(window, Learner(tracks, window, self.size.residuals))
                learned = learner.learned(member, depth)
                guess = learned.automaton
                if guess is None or all(
                    agrees(guess, member, tracks, depth, number, seed=0) for number in SAMPLES
                ):
                    yield learned
                if learned.growth[-1] > self.size.residuals:
                    return

    def _member(self, passes: int, depth: int) -> Member:
        if depth not in self._members:
            self.clock.require()
            positions = members(self.ruleset, self.relation, depth)
            self._members[depth] = tuple(map(self._limited, positions))
        return self._members[depth][passes]

    def _limited(self, member: Member) -> Member:
        """Wrap a membership oracle with the time limit of the search."""
        function: Callable[[Any], NDArray[Any]] = (
            member.function if isinstance(member, Graph) else member
        )

        def limited(points: Any) -> NDArray[Any]:
            self.clock.require()
            return function(points)

        return replace(member, function=limited) if isinstance(member, Graph) else limited


def relation_tracks(ruleset: Ruleset, relation: Relation) -> tuple[str, ...]:
    """Return the tracks of a game's relation, in the order of its arguments."""
    coordinates = len(ruleset.base.coordinates)
    return tuple(str(i) for i in range(coordinates + (relation == "grundy")))
