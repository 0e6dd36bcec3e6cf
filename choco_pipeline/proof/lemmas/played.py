"""The games that a claim with parameters is about, as rules: what lemmas take apart, and compare with those of premises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import Integer, Name, Node, children, substitute, walk
from choco_pipeline.games.notation import Notation
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.uniform.families.parametric_rules import describe

#: A kind of move: the coordinate that it lowers, by any amount; which coordinates may then fall; and whether they may.
MoveKind = tuple[str, tuple[str, ...], bool]


@dataclass(frozen=True)
class Played:
    """A family of games by its rules, with passes for all of it."""

    #: Without the passes left.
    coordinates: tuple[str, ...]
    #: For each coordinate with a largest value: that value, in coordinates and parameters.
    heights: Mapping[str, Node]
    #: Its kinds of moves.
    moves: frozenset[MoveKind]
    #: Most passes left, for the players together, but none from a position without options.
    passes: int = 0

    @classmethod
    def read(cls, notation: Notation) -> Played:
        """Return the games that a notation with parameters writes.

        Raises
        ------
        LemmaError
            If their number of passes is a parameter.
        FamilyError
            If a rule is of a kind that has no obligations for all parameters. Passes in a part of a sum are one.
        """
        base, passes = without_passes(notation)
        described = describe(base.text)
        return cls(described.coordinates, described.heights, frozenset(described.moves), passes)

    def with_passes(self, passes: int) -> Played:
        """Return the same games with another number of passes."""
        return replace(self, passes=passes)

    @property
    def parts(self) -> tuple[Played, ...]:
        """The games side by side in it: what a coordinate may be depends on coordinates of the same one only."""
        groups: list[frozenset[str]] = []
        for name in self.coordinates:
            height = self.heights.get(name)
            group = frozenset({name}) | (names_in(height) if height is not None else frozenset())
            group &= frozenset(self.coordinates)
            touched = [other for other in groups if other & group]
            groups = [other for other in groups if other not in touched] + [group.union(*touched)]
        ordered = [tuple(n for n in self.coordinates if n in group) for group in groups]
        return tuple(self._only(names) for names in sorted(ordered, key=self._place))

    def others(self, part: Played) -> Played:
        """Return what is beside a part."""
        return self._only(n for n in self.coordinates if n not in part.coordinates)

    @property
    def is_heap(self) -> bool:
        """Whether it is one coordinate without a largest value, lowered by any amount, and nothing else."""
        if len(self.coordinates) != 1:
            return False
        moves = [(lowered, falling) for lowered, falling, _ in self.moves]
        return not self.heights and moves == [(name, ()) for name in self.coordinates]

    def parameters_of(self, other: Played) -> Mapping[str, Node] | None:
        """Return what must be put for names in the rules of another family to make it this one; None if nothing does.

        Coordinates stand for each other in their order.
        """
        if (len(self.coordinates), self.passes) != (len(other.coordinates), other.passes):
            return None
        names = dict(zip(other.coordinates, self.coordinates, strict=True))
        renamed = {old: Name(new) for old, new in names.items()}
        moves = {(names[m], tuple(names[n] for n in falling), c) for m, falling, c in other.moves}
        heights = {names[n]: substitute(height, renamed) for n, height in other.heights.items()}
        if moves != self.moves or heights.keys() != self.heights.keys():
            return None
        values: dict[str, Node] = {}
        fixed = frozenset(self.coordinates)
        same = (_matched(heights[n], height, fixed, values) for n, height in self.heights.items())
        return values if all(same) else None

    def _only(self, names: Iterable[str]) -> Played:
        kept = tuple(names)
        heights = {name: height for name, height in self.heights.items() if name in kept}
        return Played(kept, heights, frozenset(m for m in self.moves if m[0] in kept), self.passes)

    def _place(self, names: tuple[str, ...]) -> int:
        return self.coordinates.index(names[0])


def without_passes(notation: Notation) -> tuple[Notation, int]:
    """Return the game that a notation writes with passes for all of it, and their number."""
    if notation.name != "with-pass":
        return notation, 0
    given = dict(notation.arguments)
    game, passes = given["game"], given["passes"]
    assert isinstance(game, Notation)
    assert isinstance(passes, Formula)
    if passes.names or game.name == "with-pass":
        raise LemmaError(f"{notation.text}: one number of passes, written out, is what lemmas know")
    return game, int(passes.value({}))


def names_in(node: Node) -> frozenset[str]:
    """Return the names in a formula."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Name))


def _matched(wanted: Node, given: Node, fixed: frozenset[str], values: dict[str, Node]) -> bool:
    """Whether a formula is another one with names or integers put in for names; these are added to `found`."""
    if isinstance(wanted, Name) and wanted.name not in fixed:
        stands = isinstance(given, Integer) or (isinstance(given, Name) and given.name not in fixed)
        return stands and values.setdefault(wanted.name, given) == given
    some, others = children(wanted), children(given)
    if type(wanted) is not type(given) or len(some) != len(others):
        return False
    alike = all(_matched(a, b, fixed, values) for a, b in zip(some, others, strict=True))
    return alike and _alone(wanted) == _alone(given)


def _alone(node: Node) -> object:
    """Return what a part of a formula is without its operands."""
    match node:
        case Integer() | Name():
            return node
        case _:
            kinds = ("operator", "operators", "function")
            return [getattr(node, key) for key in kinds if hasattr(node, key)]
