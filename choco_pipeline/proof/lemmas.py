"""Lemmas for derivations of claims; docs/lemmas.md has the proofs.

A lemma derives formulas for a family of games from formulas for other games. It depends on the rules only, and raises an error for
other games. Formulas of games with passes use the name `PASSES_LEFT`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Literal

from choco_pipeline.claims.language.claims_file import LemmaName
from choco_pipeline.formula import nodes
from choco_pipeline.games.notation import Notation
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.uniform.parametric_rules import describe
from choco_pipeline.proof.uniform.passes import split_passes

ZERO = nodes.Integer(0)
#: Name in formulas for the number of passes left.
PASSES_LEFT = "p"
#: A kind of move: the coordinate that it lowers, the coordinates whose limits depend on it, and whether these are clipped.
MoveKind = tuple[str, tuple[str, ...], bool]


@dataclass(frozen=True)
class FamilyGame:
    """The rules of a family of games, with shared passes."""

    #: Coordinates, without the passes left.
    coordinates: tuple[str, ...]
    #: Largest values of limited coordinates, as formulas in coordinates and parameters.
    heights: Mapping[str, nodes.Node]
    moves: frozenset[MoveKind]
    #: Number of shared passes at the start. A terminal position allows no pass.
    passes: nodes.Node | None = None

    @classmethod
    def read(cls, notation: Notation) -> FamilyGame:
        """Read a notation with parameters.

        Raises `FamilyError` if a rule is not supported for all parameters at once, such as passes in one part of a sum.
        """
        described, (_, passes) = describe(notation.text), split_passes(notation)
        if described.is_limited:
            raise LemmaError(
                f"{notation.text}: a move takes only some amounts; the lemmas require all amounts"
            )
        number = None if passes is None else passes.root
        return cls(described.coordinates, described.heights, frozenset(described.moves), number)

    @property
    def parts(self) -> tuple[FamilyGame, ...]:
        """The components of the disjunctive sum: their heights are independent."""
        groups: list[set[str]] = []
        for name in self.coordinates:
            height = self.heights.get(name, ZERO)
            group = {name} | ({*nodes.names_of(height)} & {*self.coordinates})
            for other in [other for other in groups if other & group]:
                groups.remove(other)
                group |= other
            groups.append(group)
        ordered = sorted(groups, key=lambda group: min(map(self.coordinates.index, group)))
        return tuple(map(self.only, ordered))

    @property
    def is_heap(self) -> bool:
        """Whether it is a Nim heap: one unlimited coordinate, lowered by any amount."""
        if len(self.coordinates) != 1:
            return False
        moves = [(lowered, falling) for lowered, falling, _ in self.moves]
        return not self.heights and moves == [(name, ()) for name in self.coordinates]

    def with_fewer(self, passes: nodes.Node | None) -> FamilyGame:
        """Return the game with `passes` passes, or unchanged if it may have fewer."""
        match passes, self.passes:
            case nodes.Integer(fewer), nodes.Integer(own) if fewer <= own:
                return replace(self, passes=passes)
            case _:
                return replace(self, passes=None) if passes is None else self

    def parameters_of(self, other: FamilyGame) -> Mapping[str, nodes.Node] | None:
        """Return parameters for which the other family has these rules, if any.

        Coordinates are matched in order.
        """
        if len(self.coordinates) != len(other.coordinates):
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
        pairs = [(heights[n], height) for n, height in self.heights.items()]
        if self.passes is not None and other.passes is not None:
            pairs.append((other.passes, self.passes))
        elif self.passes != other.passes:
            return None
        same = (nodes.match_nodes(given, wanted, fixed, values) for wanted, given in pairs)
        return values if all(same) else None

    def only(self, names: Collection[str]) -> FamilyGame:
        """Return the sum of the components with these coordinates."""
        kept = tuple(name for name in self.coordinates if name in names)
        heights = {name: height for name, height in self.heights.items() if name in names}
        moves = frozenset(move for move in self.moves if move[0] in names)
        return FamilyGame(kept, heights, moves, self.passes)


@dataclass(frozen=True)
class PositionFormulas:
    """A formula for the Grundy numbers or P-positions of a family of games."""

    #: ``grundy``: the formula is the Grundy number. ``p-positions``: a condition that holds exactly at P-positions.
    kind: Literal["grundy", "p-positions"]
    #: The formula, in coordinates, parameters and the passes left.
    formula: nodes.Node
    #: Conditions that the coordinates of every position satisfy.
    facts: tuple[nodes.Node, ...] = ()

    @property
    def outcome(self) -> nodes.Node:
        """The condition that holds exactly at P-positions."""
        return self.formula if self.kind == "p-positions" else equal(self.formula, ZERO)

    @property
    def value(self) -> nodes.Node:
        """The formula of the Grundy number; raise `LemmaError` if it is not known."""
        if self.kind != "grundy":
            raise LemmaError("Grundy numbers are needed, P-positions are known")
        return self.formula


def equal(left: nodes.Node, right: nodes.Node) -> nodes.Node:
    """Return the condition that two integers are equal."""
    return nodes.Compare(("==",), (left, right))


#: Games with required formulas, and a function from these formulas to the conclusion.
Needed = tuple[tuple[FamilyGame, ...], Callable[[Sequence[PositionFormulas]], PositionFormulas]]


@dataclass(frozen=True)
class Lemma:
    """A lemma about impartial games."""

    #: Name for texts.
    title: str
    #: Premises and conclusion for a game; raises `LemmaError` if the lemma does not apply.
    needs: Callable[[FamilyGame], Needed]


# The Grundy number of a disjunctive sum is the nim-sum of those of its components. That of a heap is its size.
def _sprague_grundy(game: FamilyGame) -> Needed:
    if game.passes is not None:
        raise LemmaError("the passes are for all parts together, not for one")
    if len(game.parts) == 1:
        raise LemmaError("the game is not a disjunctive sum")

    def nim_sum(known: Sequence[PositionFormulas]) -> PositionFormulas:
        values = [premise.value for premise in known]
        each = [nodes.Name(p.coordinates[0]) if p.is_heap else values.pop(0) for p in game.parts]
        facts = tuple(fact for premise in known for fact in premise.facts)
        return PositionFormulas("grundy", reduce(partial(nodes.Binary, "^"), each), facts)

    return tuple(part for part in game.parts if not part.is_heap), nim_sum


# In the sum of a game and a heap, with shared passes, the P-positions are where the heap size is the game's Grundy number.
def _free_heap(game: FamilyGame) -> Needed:
    heaps = [part for part in game.parts if part.is_heap]
    if len(heaps) != 1 or len(game.parts) == 1:
        raise LemmaError(f"a game and exactly one heap are needed, found {len(heaps)} heaps")

    def heap_is_value(known: Sequence[PositionFormulas]) -> PositionFormulas:
        (heap,), (premise,) = heaps[0].coordinates, known
        heap_is_it = equal(nodes.Name(heap), premise.value)
        return PositionFormulas("p-positions", heap_is_it, premise.facts)

    return (game.only({*game.coordinates} - {*heaps[0].coordinates}),), heap_is_value


LEMMAS: Mapping[LemmaName, Lemma] = {
    "sprague-grundy": Lemma("Sprague and Grundy", _sprague_grundy),
    "free-heap": Lemma("a free heap", _free_heap),
}
