"""Lemmas that claims may follow by, and their games; docs/lemmas.md has proofs.

A lemma concludes formulas for a family of games from formulas for other games. It looks at rules only, and refuses games that
it does not apply to. A formula of a game with passes has the name `PASSES_LEFT` in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Literal

from choco_pipeline.claims.language.claims_file import LemmaName
from choco_pipeline.formula import nodes
from choco_pipeline.games.notation import Notation
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.uniform.parametric_rules import describe
from choco_pipeline.proof.uniform.passes import split_passes

#: The name of the passes left in formulas.
PASSES_LEFT = "p"
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
    passes: nodes.Node | None = None

    @classmethod
    def read(cls, notation: Notation) -> FamilyGame:
        """Return the games that a notation with parameters writes.

        Raises `FamilyError` if a rule is of a kind that has no obligations for all parameters. Passes in a part of a sum are
        one.
        """
        described, (_, passes) = describe(notation.text), split_passes(notation)
        if described.is_limited:
            raise LemmaError(
                f"{notation.text}: a move takes only some amounts; lemmas are on games without limits"
            )
        number = None if passes is None else passes.root
        return cls(described.coordinates, described.heights, frozenset(described.moves), number)

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

    def with_fewer(self, passes: nodes.Node | None) -> FamilyGame:
        """Return the game with a number of passes, or itself if that may be larger."""
        match passes, self.passes:
            case nodes.Integer(fewer), nodes.Integer(own) if fewer > own:
                return self
            case (None, _) | (nodes.Integer(), nodes.Integer()):
                return replace(self, passes=passes)
            case _:
                return self

    def parameters_of(self, other: FamilyGame) -> Mapping[str, nodes.Node] | None:
        """Return the substitution that makes another family's rules these, if any.

        Coordinates stand for each other in their order.
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

    def _only(self, names: Iterable[str]) -> FamilyGame:
        chosen = {*names}
        kept = tuple(name for name in self.coordinates if name in chosen)
        heights = {name: height for name, height in self.heights.items() if name in kept}
        return FamilyGame(
            kept, heights, frozenset(m for m in self.moves if m[0] in kept), self.passes
        )


@dataclass(frozen=True)
class PositionFormulas:
    """A formula for the positions of a family of games."""

    #: Whether the formula is the Grundy number, or a condition that holds at P-positions.
    kind: Literal["grundy", "p-positions"]
    #: The formula in coordinates, parameters and the passes left.
    formula: nodes.Node
    #: Conditions on the coordinates of every position, beside that Grundy numbers are natural numbers.
    facts: tuple[nodes.Node, ...] = ()

    @property
    def outcome(self) -> nodes.Node:
        """The condition that holds at P-positions."""
        return self.formula if self.kind == "p-positions" else equal(self.formula, ZERO)

    @property
    def value(self) -> nodes.Node:
        """The Grundy number; `LemmaError` if it is not known."""
        if self.kind != "grundy":
            raise LemmaError("Grundy numbers are needed, P-positions are known")
        return self.formula


ZERO = nodes.Integer(0)


def equal(left: nodes.Node, right: nodes.Node) -> nodes.Node:
    """Return the condition that two integers are equal."""
    return nodes.Compare(("==",), (left, right))


#: Games of which formulas must be known, and the formulas that then follow from these.
Needed = tuple[tuple[FamilyGame, ...], Callable[[Sequence[PositionFormulas]], PositionFormulas]]


@dataclass(frozen=True)
class Lemma:
    """A lemma on games in general."""

    #: Its name in sentences.
    title: str
    #: What it needs to conclude for a game; raises `LemmaError` if it does not apply.
    needs: Callable[[FamilyGame], Needed]


# The Grundy number of games side by side is the nim-sum of theirs; that of a heap is its size.
def _sprague_grundy(game: FamilyGame) -> Needed:
    if game.passes is not None:
        raise LemmaError("the passes are for all parts together, not for one")
    if len(game.parts) == 1:
        raise LemmaError("the game is not a sum")

    def nim_sum(known: Sequence[PositionFormulas]) -> PositionFormulas:
        values = [premise.value for premise in known]
        each = [nodes.Name(p.coordinates[0]) if p.is_heap else values.pop(0) for p in game.parts]
        facts = tuple(fact for premise in known for fact in premise.facts)
        return PositionFormulas("grundy", reduce(partial(nodes.Binary, "^"), each), facts)

    return tuple(part for part in game.parts if not part.is_heap), nim_sum


# Beside a heap, with passes for both together, the P-positions are where the heap is the Grundy number.
def _free_heap(game: FamilyGame) -> Needed:
    heaps = [part for part in game.parts if part.is_heap]
    if len(heaps) != 1 or len(game.parts) == 1:
        raise LemmaError(f"one heap beside a game is needed, found {len(heaps)}")

    def heap_is_value(known: Sequence[PositionFormulas]) -> PositionFormulas:
        (heap,), (premise,) = heaps[0].coordinates, known
        heap_is_it = equal(nodes.Name(heap), premise.value)
        return PositionFormulas("p-positions", heap_is_it, premise.facts)

    return (game.others(heaps[0]),), heap_is_value


LEMMAS: Mapping[LemmaName, Lemma] = {
    "sprague-grundy": Lemma("Sprague and Grundy", _sprague_grundy),
    "free-heap": Lemma("a free heap", _free_heap),
}
