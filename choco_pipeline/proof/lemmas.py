"""Lemmas that claims may follow by, and their games; docs/lemmas.md has proofs.

A lemma concludes formulas for a family of games from formulas for other games. It looks at rules only, and refuses games that
it does not apply to.

It may need that no position with options has the Grundy number 0, which is true exactly if every position with options
has an option without options. Here the position without options is the one where all coordinates are 0. Solvers decide that
every position with a coordinate that is not 0 has a move to it. A move that lowers a coordinate to 0 leads there if every
other coordinate is 0 already, or may fall by this move and has the largest value 0 where all coordinates are 0. That a
coordinate which is not 0 is legal is weakened to: its largest value is at least 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Literal

import numpy as np

from choco_pipeline.claims.language.claims_file import LemmaName
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, nodes
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Notation
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import LemmaError, UndecidedError
from choco_pipeline.proof.uniform import sentences as smt
from choco_pipeline.proof.uniform.affine import Affine, factors_of, number, variable
from choco_pipeline.proof.uniform.family import Family, FamilyCase
from choco_pipeline.proof.uniform.parametric_rules import describe
from choco_pipeline.tables.computing import grundy_table

#: A kind of move: the coordinate that it lowers, by any amount; which coordinates may then fall; and whether they may.
MoveKind = tuple[str, tuple[str, ...], bool]


@dataclass(frozen=True)
class FamilyGame:
    """A family of games by its rules, with passes for all of it."""

    #: Without the passes left.
    coordinates: tuple[str, ...]
    #: For each coordinate with a largest value: that value, in coordinates and parameters.
    heights: Mapping[str, nodes.Node]
    #: Its kinds of moves.
    moves: frozenset[MoveKind]
    #: Most passes left, for the players together, but none from a position without options.
    passes: int = 0

    @classmethod
    def read(cls, notation: Notation) -> FamilyGame:
        """Return the games that a notation with parameters writes.

        Raises `LemmaError` if their number of passes is a parameter; `FamilyError` if a rule is of a kind that has no
        obligations for all parameters. Passes in a part of a sum are one.
        """
        base, passes = without_passes(notation)
        described = describe(base.text)
        if described.is_limited:
            raise LemmaError(
                f"{base.text}: a move takes only some amounts; lemmas are on games without limits"
            )
        return cls(described.coordinates, described.heights, frozenset(described.moves), passes)

    @property
    def parts(self) -> tuple[FamilyGame, ...]:
        """The games side by side in it, of which no height depends on another."""
        groups: list[set[str]] = []
        for name in self.coordinates:
            height = self.heights.get(name)
            group = {name} | (
                set() if height is None else {*nodes.names_of(height)} & {*self.coordinates}
            )
            for other in [other for other in groups if other & group]:
                groups.remove(other)
                group |= other
            groups.append(group)
        ordered = sorted(groups, key=lambda group: min(map(self.coordinates.index, group)))
        return tuple(map(self._only, ordered))

    def others(self, part: FamilyGame) -> FamilyGame:
        """Return the game without a part."""
        return self._only(n for n in self.coordinates if n not in part.coordinates)

    @property
    def is_heap(self) -> bool:
        """Whether it is one coordinate without a height, lowered by any amount."""
        if len(self.coordinates) != 1:
            return False
        moves = [(lowered, falling) for lowered, falling, _ in self.moves]
        return not self.heights and moves == [(name, ()) for name in self.coordinates]

    def parameters_of(self, other: FamilyGame) -> Mapping[str, nodes.Node] | None:
        """Return the substitution that makes another family's rules these, if any.

        Coordinates stand for each other in their order.
        """
        if (len(self.coordinates), self.passes) != (len(other.coordinates), other.passes):
            return None
        names = dict(zip(other.coordinates, self.coordinates, strict=True))
        renamed = {old: nodes.Name(new) for old, new in names.items()}
        moves = {(names[m], tuple(names[n] for n in falling), c) for m, falling, c in other.moves}
        heights = {
            names[n]: nodes.substitute(height, renamed) for n, height in other.heights.items()
        }
        if moves != self.moves or heights.keys() != self.heights.keys():
            return None
        values: dict[str, nodes.Node] = {}
        fixed = frozenset(self.coordinates)
        same = (_matched(heights[n], height, fixed, values) for n, height in self.heights.items())
        return values if all(same) else None

    def _only(self, names: Iterable[str]) -> FamilyGame:
        chosen = {*names}
        kept = tuple(name for name in self.coordinates if name in chosen)
        heights = {name: height for name, height in self.heights.items() if name in kept}
        return FamilyGame(
            kept, heights, frozenset(m for m in self.moves if m[0] in kept), self.passes
        )


def without_passes(notation: Notation) -> tuple[Notation, int]:
    """Return a game without passes for all of it, and their number."""
    if notation.name != "with-pass":
        return notation, 0
    given = dict(notation.arguments)
    game, passes = given["game"], given["passes"]
    assert isinstance(game, Notation)
    assert isinstance(passes, Formula)
    if passes.names or game.name == "with-pass":
        raise LemmaError(f"{notation.text}: one number of passes, written out, is what lemmas know")
    return game, int(passes.value({}))


def _matched(
    wanted: nodes.Node, given: nodes.Node, fixed: frozenset[str], values: dict[str, nodes.Node]
) -> bool:
    """Whether a formula is another one after substitution; extend `values`."""
    if isinstance(wanted, nodes.Name) and wanted.name not in fixed:
        stands = isinstance(given, nodes.Integer) or (
            isinstance(given, nodes.Name) and given.name not in fixed
        )
        return stands and values.setdefault(wanted.name, given) == given
    some, others = nodes.children(wanted), nodes.children(given)
    if type(wanted) is not type(given) or len(some) != len(others):
        return False
    alike = all(_matched(a, b, fixed, values) for a, b in zip(some, others, strict=True))
    if isinstance(wanted, nodes.Integer | nodes.Name):
        return wanted == given
    kinds = ("operator", "operators", "function")
    return alike and all(getattr(wanted, key, None) == getattr(given, key, None) for key in kinds)


#: The bound of the members' tables.
BOUND = 16


def require_only_the_end(part: FamilyGame, family: Family, clock: Clock) -> str:
    """Return the evidence, in words, that no position with options has the value 0.

    `part` is one of the games side by side in the family's, whose relation does not matter. Raises `LemmaError` if a
    position with options has the value 0, or if it is not known that none has.
    """
    looked_at = 0
    for values in family.members():
        clock.require()
        looked_at += _require_of_member(part, family, values)
    cases = 0
    try:
        for cases, case in enumerate(family.cases(), start=1):
            smt.require_unsat(f"only the end has value 0, case {cases}", _text(part, case), clock)
    except UndecidedError as error:
        raise LemmaError(f"it is not known that only the end has value 0: {error}") from error
    if not cases or not looked_at:
        raise LemmaError(f"no member with {math_text(family.condition)}")
    return (
        f"no position ({', '.join(part.coordinates)}) with options has the value 0, for all {math_text(family.condition)}:"
        f" by z3 and cvc5 in {cases} case{'' if cases == 1 else 's'}, and in {looked_at} members by definition"
    )


def _require_of_member(part: FamilyGame, family: Family, values: dict[str, int]) -> bool:
    """Check a member, if there is one; `LemmaError` at options with value 0."""
    try:
        game = family.description.member(values)
        grundy = grundy_table(game, BOUND).grundy.transpose(*game.coordinates).to_numpy()
    except ChocoError:
        return False
    of_part = tuple(slice(None) if n in part.coordinates else 0 for n in game.coordinates)
    for place in np.argwhere(grundy[of_part] == 0).tolist():
        at = dict(zip(part.coordinates, place, strict=True))
        position = tuple(at.get(name, 0) for name in game.coordinates)
        if next(game.options(position), None) is not None:
            shown = f"({', '.join(part.coordinates)}) = ({', '.join(map(str, place))})"
            raise LemmaError(f"{shown} has options and the value 0, for {assigned(values)}")
    return True


def _text(part: FamilyGame, case: FamilyCase) -> str:
    """Return SMT-LIB 2: some nonzero position has no move to zero."""
    place = {x: Affine.of(variable(x)) for x in part.coordinates}
    natural = map(smt.at_least_0, [*map(Affine.of, case.names), *place.values()])
    body = [*natural, smt.any_of(smt.at_least_0(value - 1) for value in place.values())]
    for y in part.heights:
        room = case.heights[y].only.room(place, number(1))
        body.append(smt.any_of([smt.is_0(place[y]), smt.at_least_0(room)]))
    for lowered, others, clips in part.moves:
        stuck = [smt.is_0(place[lowered])]
        for x in part.coordinates:
            stays = [smt.at_least_0(place[x] - 1)]
            if clips and x in others:  # and is not clipped to 0
                height = case.heights[x].only
                stays.append(smt.at_least_0(height.split[1] - height.divisor))
            stuck += [smt.all_of(stays)] if x != lowered else []
        body.append(smt.any_of(stuck))
    names = smt.names_in(" ".join(map(smt.at_least_0, case.conditions)) + smt.all_of(body))
    for name in sorted(names):
        if len(factors := factors_of(name)) > 1:
            body.append(f"(= |{name}| (* {' '.join(f'|{factor}|' for factor in factors)}))")
    return smt.text(case.conditions, smt.all_of(body), logic="ALL")


@dataclass(frozen=True)
class PositionFormulas:
    """Formulas for the positions of a family of games."""

    #: Whether the formulas are Grundy numbers, or conditions that hold at P-positions.
    kind: Literal["grundy", "p-positions"]
    #: The formula for 0, 1, … passes left, in coordinates and parameters.
    by_passes: tuple[nodes.Node, ...]
    #: Conditions on the coordinates of every position, beside that Grundy numbers are natural numbers.
    facts: tuple[nodes.Node, ...] = ()

    @property
    def outcomes(self) -> tuple[nodes.Node, ...]:
        """The conditions that hold at P-positions, by the passes left."""
        if self.kind == "p-positions":
            return self.by_passes
        return tuple(equal(value, ZERO) for value in self.by_passes)

    @property
    def values(self) -> tuple[nodes.Node, ...]:
        """Grundy numbers by passes left; `LemmaError` if they are not known."""
        if self.kind != "grundy":
            raise LemmaError("Grundy numbers are needed, P-positions are known")
        return self.by_passes


ZERO, ONE = nodes.Integer(0), nodes.Integer(1)


def equal(left: nodes.Node, right: nodes.Node) -> nodes.Node:
    """Return the condition that two integers are equal."""
    return nodes.Compare(("==",), (left, right))


def junction(operator: Literal["and", "or"], *parts: nodes.Node) -> nodes.Node:
    """Return the conjunction or the disjunction of several conditions."""
    flat: list[nodes.Node] = []
    for part in parts:
        same = isinstance(part, nodes.Junction) and part.operator == operator
        flat += part.operands if same and isinstance(part, nodes.Junction) else [part]
    return flat[0] if len(flat) == 1 else nodes.Junction(operator, tuple(flat))


#: Games of which formulas must be known, and the formulas that then follow from these.
Needed = tuple[tuple[FamilyGame, ...], Callable[[Sequence[PositionFormulas]], PositionFormulas]]


@dataclass(frozen=True)
class Lemma:
    """A lemma on games in general."""

    #: Its name in sentences.
    title: str
    #: What it needs to conclude for a game; raises `LemmaError` if it does not apply.
    needs: Callable[[FamilyGame], Needed]
    #: Whether it applies only to games in which no position with options has the Grundy number 0.
    only_the_end: bool = False


# The Grundy number of games side by side is the nim-sum of theirs; that of a heap is its size.
def _sprague_grundy(game: FamilyGame) -> Needed:
    if game.passes:
        raise LemmaError("the passes are for all parts together, not for one")
    if len(game.parts) == 1:
        raise LemmaError("the game is not a sum")

    def nim_sum(known: Sequence[PositionFormulas]) -> PositionFormulas:
        values = [premise.values[0] for premise in known]
        each = [nodes.Name(p.coordinates[0]) if p.is_heap else values.pop(0) for p in game.parts]
        facts = tuple(fact for premise in known for fact in premise.facts)
        return PositionFormulas("grundy", (reduce(partial(nodes.Binary, "^"), each),), facts)

    return tuple(part for part in game.parts if not part.is_heap), nim_sum


# Beside a heap, with passes for both together, the P-positions are where the heap is the Grundy number.
def _free_heap(game: FamilyGame) -> Needed:
    heaps = [part for part in game.parts if part.is_heap]
    if len(heaps) != 1 or len(game.parts) == 1:
        raise LemmaError(f"one heap beside a game is needed, found {len(heaps)}")

    def heap_is_value(known: Sequence[PositionFormulas]) -> PositionFormulas:
        (heap,), (premise,) = heaps[0].coordinates, known
        cases = tuple(equal(nodes.Name(heap), value) for value in premise.values)
        return PositionFormulas("p-positions", cases, premise.facts)

    return (game.others(heaps[0]),), heap_is_value


# Where only the end has the value 0, a pass exchanges the values 2i−1 and 2i: g becomes max(0, ((g−1) ⊕ 1) + 1).
def _one_pass(game: FamilyGame) -> Needed:
    if game.passes != 1:
        raise LemmaError(f"one pass is needed, found {game.passes}")

    def exchanged(known: Sequence[PositionFormulas]) -> PositionFormulas:
        (premise,) = known
        (value,) = premise.values
        with_pass = nodes.Binary("+", nodes.Binary("^", nodes.Binary("-", value, ONE), ONE), ONE)
        names: Sequence[nodes.Node] = [*map(nodes.Name, game.coordinates)]
        left = reduce(partial(nodes.Binary, "+"), names)
        only_there = tuple(
            junction("or", nodes.Compare(("!=",), (a, ZERO)), equal(b, ZERO))
            for a, b in ((value, left), (left, value))
        )
        by_passes = (value, nodes.Call("max", (ZERO, with_pass)))
        return PositionFormulas("grundy", by_passes, premise.facts + only_there)

    return (replace(game, passes=0),), exchanged


# With r + 2 passes left every position is the same as with r.
def _two_more_passes(game: FamilyGame) -> Needed:
    if game.passes < 2:
        raise LemmaError(f"two passes or more are needed, found {game.passes}")

    def by_parity(known: Sequence[PositionFormulas]) -> PositionFormulas:
        (premise,) = known
        by_passes = tuple(premise.by_passes[left % 2] for left in range(game.passes + 1))
        return PositionFormulas(premise.kind, by_passes, premise.facts)

    return (replace(game, passes=1),), by_parity


LEMMAS: Mapping[LemmaName, Lemma] = {
    "sprague-grundy": Lemma("Sprague and Grundy", _sprague_grundy),
    "free-heap": Lemma("a free heap", _free_heap),
    "one-pass": Lemma("one pass where only the end has value 0", _one_pass, only_the_end=True),
    "two-more-passes": Lemma("two more passes", _two_more_passes),
}
