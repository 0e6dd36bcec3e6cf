"""The lemmas that claims may follow by, a closed list; docs/lemmas.md proves each.

A lemma says of which games something must be known for something to follow for others. It looks at rules only, and refuses
games that it does not speak of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Literal

from choco_pipeline.claims.language.claims_file import LemmaName
from choco_pipeline.formula.nodes import Binary, Call, Compare, Integer, Junction, Name, Node
from choco_pipeline.proof.lemmas.family_game import FamilyGame
from choco_pipeline.proof.proof_errors import LemmaError


@dataclass(frozen=True)
class Known:
    """What the positions of a family of games are."""

    #: Whether the formulas are Grundy numbers, or say which positions are P-positions.
    kind: Literal["grundy", "p-positions"]
    #: The formula for 0, 1, … passes left, in coordinates and parameters.
    by_passes: tuple[Node, ...]
    #: What is true of the coordinates of every position, too; that Grundy numbers are natural numbers is.
    facts: tuple[Node, ...] = ()

    @property
    def outcomes(self) -> tuple[Node, ...]:
        """Which positions are P-positions, by the passes left."""
        if self.kind == "p-positions":
            return self.by_passes
        return tuple(equal(value, Integer(0)) for value in self.by_passes)


def equal(left: Node, right: Node) -> Node:
    """Return that two integers are the same."""
    return Compare(("==",), (left, right))


def different(left: Node, right: Node) -> Node:
    """Return that two integers are not the same."""
    return Compare(("!=",), (left, right))


def junction(operator: Literal["and", "or"], *parts: Node) -> Node:
    """Return that all of several conditions hold, or some."""
    flat: list[Node] = []
    for part in parts:
        same = isinstance(part, Junction) and part.operator == operator
        flat += part.operands if same and isinstance(part, Junction) else [part]
    return flat[0] if len(flat) == 1 else Junction(operator, tuple(flat))


def total(operator: str, *parts: Node) -> Node:
    """Return a sum or a nim-sum."""
    return reduce(lambda a, b: Binary(operator, a, b), parts)


ZERO, ONE = Integer(0), Integer(1)


class Lemma(ABC):
    """A lemma on games in general."""

    #: As a sentence names it.
    title: ClassVar[str]
    #: Whether it speaks only of games in which no position with options has the Grundy number 0.
    only_the_end: ClassVar[bool] = False

    @abstractmethod
    def needs(self, game: FamilyGame) -> tuple[FamilyGame, ...]:
        """Return of which games something must be known, for it to say something of these.

        Raises `LemmaError` if it speaks of no such games.
        """

    @abstractmethod
    def conclude(self, game: FamilyGame, known: Sequence[Known]) -> Known:
        """Return what follows for games from what is known of those that it `needs`."""


class SpragueGrundy(Lemma):
    """The Grundy number of games side by side is the nim-sum of theirs; that of a heap is its size."""

    title = "Sprague and Grundy"

    def needs(self, game: FamilyGame) -> tuple[FamilyGame, ...]:
        """Return the games side by side that are not heaps."""
        if game.passes:
            raise LemmaError(f"{self.title}: the passes are for all parts together, not for one")
        if len(game.parts) == 1:
            raise LemmaError(f"{self.title}: the game is not a sum")
        return tuple(part for part in game.parts if not part.is_heap)

    def conclude(self, game: FamilyGame, known: Sequence[Known]) -> Known:
        """Return the nim-sum."""
        values = list(_values(self, known))
        each = [Name(p.coordinates[0]) if p.is_heap else values.pop(0)[0] for p in game.parts]
        return Known("grundy", (total("^", *each),), _facts(known))


class FreeHeap(Lemma):
    """Beside a heap, with passes for both together, the P-positions are where the heap is the Grundy number."""

    title = "a free heap"

    def needs(self, game: FamilyGame) -> tuple[FamilyGame, ...]:
        """Return what is beside the heap, with the same passes."""
        return (game.others(self._heap(game)),)

    def conclude(self, game: FamilyGame, known: Sequence[Known]) -> Known:
        """Return that the heap is the Grundy number."""
        (heap,), (values,) = self._heap(game).coordinates, _values(self, known)
        cases = tuple(equal(Name(heap), value) for value in values)
        return Known("p-positions", cases, _facts(known))

    def _heap(self, game: FamilyGame) -> FamilyGame:
        heaps = [part for part in game.parts if part.is_heap]
        if len(heaps) != 1 or len(game.parts) == 1:
            raise LemmaError(f"{self.title}: one heap beside a game is needed, found {len(heaps)}")
        return heaps[0]


class OnePass(Lemma):
    """Where no position with options has the value g = 0, that with a pass left is g with 2i−1 and 2i exchanged."""

    title = "one pass where only the end has value 0"
    only_the_end = True

    def needs(self, game: FamilyGame) -> tuple[FamilyGame, ...]:
        """Return the game without the pass."""
        if game.passes != 1:
            raise LemmaError(f"{self.title}: one pass is needed, found {game.passes}")
        return (game.with_passes(0),)

    def conclude(self, game: FamilyGame, known: Sequence[Known]) -> Known:
        """Return the value without a pass left, and that with one: max(0, ((g−1) ⊕ 1) + 1)."""
        ((value,),) = _values(self, known)
        exchanged = Binary("+", Binary("^", Binary("-", value, ONE), ONE), ONE)
        nothing_left = total("+", *map(Name, game.coordinates))
        only_there = (
            junction("or", different(value, ZERO), equal(nothing_left, ZERO)),
            junction("or", different(nothing_left, ZERO), equal(value, ZERO)),
        )
        with_one = Call("max", (ZERO, exchanged))
        return Known("grundy", (value, with_one), _facts(known) + only_there)


class TwoMorePasses(Lemma):
    """With r + 2 passes left every position is what it is with r."""

    title = "two more passes"

    def needs(self, game: FamilyGame) -> tuple[FamilyGame, ...]:
        """Return the game with one pass, which says what it is with 0 and with 1 left."""
        if game.passes < 2:
            raise LemmaError(f"{self.title}: two passes or more are needed, found {game.passes}")
        return (game.with_passes(1),)

    def conclude(self, game: FamilyGame, known: Sequence[Known]) -> Known:
        """Return the same for every number of passes left that is even, and for every odd one."""
        (premise,) = known
        by_passes = tuple(premise.by_passes[left % 2] for left in range(game.passes + 1))
        return Known(premise.kind, by_passes, premise.facts)


LEMMAS: Mapping[LemmaName, Lemma] = {
    "sprague-grundy": SpragueGrundy(),
    "free-heap": FreeHeap(),
    "one-pass": OnePass(),
    "two-more-passes": TwoMorePasses(),
}


def _values(lemma: Lemma, known: Sequence[Known]) -> Sequence[tuple[Node, ...]]:
    """Return the Grundy numbers that are known, each by the passes left."""
    for premise in known:
        if premise.kind != "grundy":
            raise LemmaError(f"{lemma.title}: Grundy numbers are needed, P-positions are known")
    return [premise.by_passes for premise in known]


def _facts(known: Sequence[Known]) -> tuple[Node, ...]:
    """Return what is known of coordinates besides."""
    return tuple(fact for premise in known for fact in premise.facts)
