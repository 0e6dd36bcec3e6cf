"""Trial of a statement on tables of members of a family.

A trial can refute a statement about a game or a family. It proves nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, islice, product
from math import inf, prod
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Finding, Refuted
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Compare, Integer, Node, names_of, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.family_statement import FamilyStatement
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import build, coordinates_of, read
from choco_pipeline.proof.clock import Clock
from choco_pipeline.tables.computing import cells_of, computation_of, table
from choco_pipeline.tables.spec import variable_of

RelationKind = Literal["p-positions", "grundy"]
#: Limit of tried parameter tuples, because few of them may satisfy the condition.
MOST_LOOKED_AT = 20_000
#: Numbers of members with small parameters, with parameters near constants, and with random parameters up to `LARGEST`.
FIRST, SINGLED_OUT, DRAWN, LARGEST = 12, 100, 8, 60
#: Limit of CPU seconds for a trial.
SECONDS = 2.0
#: The first bound of tables, and the number of bounds. Each bound is twice the previous one.
LEAST_BOUND, DOUBLED = 2, 14
#: The largest bound is this multiple of (the largest parameter or constant + `MORE`). It is larger with a condition on positions,
#: because a statement may be false only near the edge of the condition. A single game has no largest bound.
MULTIPLE, MULTIPLE_INSIDE, MORE = 4, 8, 8
#: Limits of cells and bytes of a table, and estimated seconds per cell for the formulas.
MOST_CELLS, MOST_BYTES, SECONDS_PER_CELL = 16_000_000, 1 << 30, 5e-8
#: A condition that is always true.
ALWAYS = "0 == 0"


@dataclass(frozen=True)
class Refutation:
    """A member of the family, and its least position that contradicts the formula."""

    parameters: Mapping[str, int]
    position: tuple[int, ...]
    claimed: int | bool
    value: int

    @property
    def text(self) -> str:
        """The counterexample in words."""
        at = f"for {assigned(self.parameters)}, " if self.parameters else ""
        if isinstance(self.claimed, bool):
            words = ("an N-position", "a P-position")
            return f"{at}{self.position} is {words[self.value == 0]}, not {words[self.claimed]}"
        return f"{at}{self.position} has the Grundy number {self.value}, not {self.claimed}"


@dataclass(frozen=True)
class Statement:
    """A formula for P-positions or Grundy numbers of a game or family."""

    #: The notation, with parameters.
    ruleset: str
    #: The condition on parameters; "" for one game.
    condition: str
    #: The formula of the P-positions or of the Grundy numbers.
    relation: str
    kind: RelationKind
    #: The condition on positions; "" for all positions.
    where: str

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters, sorted."""
        return tuple(sorted(read(self.ruleset).names | self._condition.names))

    @cached_property
    def _condition(self) -> Formula:
        return parse(self.condition or ALWAYS)

    @property
    def statement(self) -> FamilyStatement:
        """The statement with its domain."""
        return FamilyStatement(
            ruleset=self.ruleset,
            parameters=self.parameters,
            condition=self.condition,
            coordinates=coordinates_of(read(self.ruleset)),
            where=self.where,
            kind=self.kind,
            relation=self.relation,
        )

    def mistake(self, coordinates: Collection[str]) -> str | None:
        """Return an error message for the formulas and coordinates, if any."""
        stated, inside = parse(self.relation), parse(self.where or ALWAYS)
        if not self._condition.is_truth:
            return f"--for {self.condition}: a condition is needed, this is an integer"
        if stated.is_truth != (self.kind == "p-positions"):
            needed = "a condition" if self.kind == "p-positions" else "an integer"
            return f"{self.relation}: {needed} is needed"
        if not inside.is_truth:
            return f"{self.where}: a condition is needed, this is an integer"
        if clash := sorted({*self.parameters} & {*coordinates}):
            return f"{clash[0]!r} is a coordinate, and cannot be a parameter"
        for formula in (stated, inside):
            if unknown := sorted(formula.names - {*self.parameters, *coordinates}):
                return f"{formula.text}: unknown name {unknown[0]!r}"
        if any(formula.functions for formula in (self._condition, stated, inside)):
            return "look-up functions are not allowed here"
        return None

    def members(self) -> Iterator[dict[str, int]]:
        """Yield distinct parameters: small ones, some near constants, random ones."""
        chance = random.Random(0)
        drawn = (
            {name: chance.randint(0, LARGEST) for name in self.parameters}
            for _ in range(MOST_LOOKED_AT // 10)
        )
        every = chain(
            islice(small_values(self.parameters, self._is_member), FIRST),
            islice(filter(self._is_member, self._near_constants()), SINGLED_OUT),
            islice(filter(self._is_member, drawn), DRAWN),
        )
        known = set[tuple[int, ...]]()
        for values in every:
            numbers = tuple(values.values())
            if numbers not in known:
                known.add(numbers)
                yield values

    def refutation(self, seconds: float = SECONDS) -> tuple[Refutation | None, int]:
        """Return a least counterexample, if any, and the number of members with a table.

        All members are compared at a small bound before the bound is doubled.
        """
        games = list(self._games())
        tabled, clock = set[int](), None
        for bound in (LEAST_BOUND << doubled for doubled in range(DOUBLED)):
            for number, (values, game) in enumerate(games):
                if clock is not None and clock.left <= 0:
                    return None, len(tabled)
                if bound > self._largest_bound(values) or not _is_worth(game, bound, clock):
                    continue
                try:
                    wrong = disagreement(self, game, values, bound)
                    # a table can contain positions beyond its bound, so lesser counterexamples may be outside of it
                    if wrong is not None and max(wrong.position) > bound:
                        wrong = disagreement(self, game, values, max(wrong.position))
                except ChocoError:  # a table that is too large, or a formula without a value
                    continue
                clock = clock or Clock(seconds)  # the first table has loaded its kernel
                tabled.add(number)
                if wrong is not None:
                    return wrong, len(tabled)
        return None, len(tabled)

    def _games(self) -> Iterator[tuple[dict[str, int], Ruleset]]:
        notation = read(self.ruleset)
        for values in self.members():
            try:
                game = build(notation, values, Path.cwd())
                if self.names_in(game) is not None:
                    yield values, game
            except ChocoError:
                continue

    def names_in(self, game: Ruleset) -> tuple[str, ...] | None:
        """Return coordinate names for which the formulas are valid, or None."""
        face = game.rules.face
        ways = [game.coordinates, *([] if face is None else [tuple(face.sizes)])]
        return next((names for names in ways if self.mistake(names) is None), None)

    @cached_property
    def _constants(self) -> set[int]:
        """The integers in the ruleset and in the conditions on positions."""
        of_positions = _integers(parse_nodes(text) for text in (self.relation, self.where) if text)
        return of_positions | {int(digits) for digits in re.findall(r"[0-9]+", self.ruleset)}

    def _largest_bound(self, values: Mapping[str, int]) -> float:
        multiple = MULTIPLE_INSIDE if self.where else MULTIPLE
        return multiple * (max(*values.values(), *self._constants, 0) + MORE) if values else inf

    def _is_member(self, values: Mapping[str, int]) -> bool:
        return is_true(self._condition, values)

    def _near_constants(self) -> Iterator[dict[str, int]]:
        """Yield parameters near constants, first those compared with the parameter."""
        condition = [parse_nodes(self.condition)] if self.condition else []
        compared = [part for node in condition for part in walk(node) if isinstance(part, Compare)]
        ranked = []
        for name in self.parameters:
            own = _integers(part for part in compared if name in names_of(part))
            ranks: dict[int, int] = {}
            for constant in self._constants | _integers(condition):
                for value in (constant - 1, constant, constant + 1):
                    rank = 2 * (constant not in own) + (value != constant)
                    ranks[value] = min(rank, ranks.get(value, rank))
            natural = [(rank, -value) for value, rank in ranks.items() if value >= 0]
            ranked.append(sorted(natural))
        first = islice(product(*ranked), MOST_LOOKED_AT)
        for chosen in sorted(first, key=lambda chosen: sum(rank for rank, _ in chosen)):
            yield {n: -value for n, (_, value) in zip(self.parameters, chosen, strict=True)}


def _integers(nodes: Iterable[Node]) -> set[int]:
    return {part.value for node in nodes for part in walk(node) if isinstance(part, Integer)}


def is_true(condition: Formula, values: Mapping[str, int]) -> bool:
    """Whether a condition is true; False if it is undefined."""
    try:
        return bool(condition.value(values))
    except FormulaError:
        return False


def small_values(
    names: Sequence[str], holds: Callable[[Mapping[str, int]], bool], most: int = MOST_LOOKED_AT
) -> Iterator[dict[str, int]]:
    """Yield natural numbers that satisfy a condition, by sum; try `most` tuples."""
    every = (values for total in count() for values in _with_sum(total, len(names)))
    for values in islice(every, most if names else 1):
        given = dict(zip(names, values, strict=True))
        if holds(given):
            yield given


def _with_sum(total: int, length: int) -> Iterator[tuple[int, ...]]:
    if length < 2:
        yield (total,) * length
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _with_sum(total - first, length - 1))


def disagreement(
    statement: Statement, game: Ruleset, values: Mapping[str, int], bound: int
) -> Refutation | None:
    """Return the least counterexample in the table of a bound, if any.

    Raises `FormulaError` if a formula is undefined at a position; also the errors of `cells_of`.
    """
    dims = variable_of(game, "grundy").dims
    grundy = cells_of(game, bound, "grundy").transpose([dims.index(n) for n in game.coordinates])
    names, face, first = statement.names_in(game) or (), game.rules.face, 0
    if face is not None and names != game.coordinates:
        first = 1
        whole = dict(zip(names, np.indices((*face.sizes.values(),)) + first, strict=True))
        grundy = grundy[tuple(face.positions(whole))]
    grid = np.ix_(*(np.arange(first, first + size) for size in grundy.shape))
    formula, inside = parse(statement.relation), parse(statement.where or ALWAYS)
    given: dict[str, ArrayLike] = {**values, **dict(zip(names, grid, strict=True))}
    claimed = np.broadcast_to(formula.evaluate({n: given[n] for n in formula.names}), grundy.shape)
    is_inside = inside.evaluate({n: given[n] for n in inside.names})
    is_right = claimed == (grundy == 0 if statement.kind == "p-positions" else grundy)
    wrong = np.argwhere((grundy >= 0) & is_inside & ~is_right)
    if not len(wrong):
        return None
    place = min(map(tuple, wrong.tolist()), key=lambda q: (max(q), q))
    position = tuple(coordinate + first for coordinate in place)
    return Refutation(dict(values), position, claimed[place].item(), int(grundy[place]))


def confirmed(
    claim: Claim, parameters: Mapping[str, int], game: Ruleset, wrong: Refutation
) -> Finding:
    """Confirm a refutation by a table; raise `DisagreementError` if it fails."""
    bound = max(wrong.position)
    (quantity, *_) = claim.quantities
    finding = check_claim(claim, parameters, game, bound, table(game, bound, quantity))
    if not isinstance(finding.verdict, Refuted):
        raise DisagreementError(
            f"{claim.id}: false at {wrong.position} of {game.notation} by the trial,"
            f" {type(finding.verdict).__name__} by a table"
        )
    return finding


def _is_worth(game: Ruleset, bound: int, clock: Clock | None) -> bool:
    """Whether a table has new cells and fits into the limits."""
    try:
        limits = game.limits(bound)
        cells = prod(n + 1 for n in limits)
        is_same = bound > LEAST_BOUND and limits == game.limits(bound // 2)
        if is_same or cells > MOST_CELLS:
            return False
        cost = computation_of(game, bound, "grundy")
        if cost.memory_whole > MOST_BYTES:
            return False
        seconds = cost.seconds + cells * SECONDS_PER_CELL
    except ChocoError:
        return False
    return clock is None or seconds <= clock.left
