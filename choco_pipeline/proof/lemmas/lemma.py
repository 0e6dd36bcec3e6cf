"""The lemmas that claims may follow by, a closed list; docs/lemmas.md proves each.

A lemma concludes formulas for a family of games from formulas for other games. It looks at rules only, and refuses games that
it does not apply to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from choco_pipeline.claims.language.claims_file import LemmaName
from choco_pipeline.formula.nodes import Binary, Call, Compare, Integer, Junction, Name, Node
from choco_pipeline.proof.lemmas.family_game import FamilyGame
from choco_pipeline.proof.proof_errors import LemmaError


@dataclass(frozen=True)
class PositionFormulas:
    """Formulas for the positions of a family of games."""

    #: Whether the formulas are Grundy numbers, or conditions that hold at P-positions.
    kind: Literal["grundy", "p-positions"]
    #: The formula for 0, 1, … passes left, in coordinates and parameters.
    by_passes: tuple[Node, ...]
    #: Conditions on the coordinates of every position, beside that Grundy numbers are natural numbers.
    facts: tuple[Node, ...] = ()

    @property
    def outcomes(self) -> tuple[Node, ...]:
        """The conditions that hold at P-positions, by the passes left."""
        if self.kind == "p-positions":
            return self.by_passes
        return tuple(equal(value, ZERO) for value in self.by_passes)

    @property
    def values(self) -> tuple[Node, ...]:
        """The Grundy numbers by the passes left; `LemmaError` if only P-positions are known."""
        if self.kind != "grundy":
            raise LemmaError("Grundy numbers are needed, P-positions are known")
        return self.by_passes


@dataclass(frozen=True)
class Lemma:
    """A lemma on games in general.

    `needs` returns the games of which formulas must be known, and raises `LemmaError` for games that the lemma does not apply to;
    `conclude` returns formulas for a game from those for the games that it `needs`.
    """

    #: Its name in sentences.
    title: str
    needs: Callable[[FamilyGame], tuple[FamilyGame, ...]]
    conclude: Callable[[FamilyGame, Sequence[PositionFormulas]], PositionFormulas]
    #: Whether it applies only to games in which no position with options has the Grundy number 0.
    only_the_end: bool = False


ZERO, ONE = Integer(0), Integer(1)


def equal(left: Node, right: Node) -> Node:
    """Return the condition that two integers are equal."""
    return Compare(("==",), (left, right))


def junction(operator: Literal["and", "or"], *parts: Node) -> Node:
    """Return the conjunction or the disjunction of several conditions."""
    flat: list[Node] = []
    for part in parts:
        same = isinstance(part, Junction) and part.operator == operator
        flat += part.operands if same and isinstance(part, Junction) else [part]
    return flat[0] if len(flat) == 1 else Junction(operator, tuple(flat))


def _facts(known: Sequence[PositionFormulas]) -> tuple[Node, ...]:
    return tuple(fact for premise in known for fact in premise.facts)


# Sprague and Grundy: the Grundy number of games side by side is the nim-sum of theirs; that of a heap is its size.


def _summands(game: FamilyGame) -> tuple[FamilyGame, ...]:
    if game.passes:
        raise LemmaError("the passes are for all parts together, not for one")
    if len(game.parts) == 1:
        raise LemmaError("the game is not a sum")
    return tuple(part for part in game.parts if not part.is_heap)


def _nim_sum(game: FamilyGame, known: Sequence[PositionFormulas]) -> PositionFormulas:
    values = [premise.values[0] for premise in known]
    each = [Name(p.coordinates[0]) if p.is_heap else values.pop(0) for p in game.parts]
    nim_sum = reduce(lambda a, b: Binary("^", a, b), each)
    return PositionFormulas("grundy", (nim_sum,), _facts(known))


# A free heap: beside a heap, with passes for both together, the P-positions are where the heap is the Grundy number.


def _heap(game: FamilyGame) -> FamilyGame:
    heaps = [part for part in game.parts if part.is_heap]
    if len(heaps) != 1 or len(game.parts) == 1:
        raise LemmaError(f"one heap beside a game is needed, found {len(heaps)}")
    return heaps[0]


def _beside_the_heap(game: FamilyGame) -> tuple[FamilyGame, ...]:
    return (game.others(_heap(game)),)


def _heap_is_value(game: FamilyGame, known: Sequence[PositionFormulas]) -> PositionFormulas:
    (heap,), (premise,) = _heap(game).coordinates, known
    cases = tuple(equal(Name(heap), value) for value in premise.values)
    return PositionFormulas("p-positions", cases, premise.facts)


# One pass: where no position with options has the value g = 0, the value with a pass left is g with 2i−1 and 2i exchanged,
# max(0, ((g−1) ⊕ 1) + 1).


def _without_the_pass(game: FamilyGame) -> tuple[FamilyGame, ...]:
    if game.passes != 1:
        raise LemmaError(f"one pass is needed, found {game.passes}")
    return (game.with_passes(0),)


def _exchanged(game: FamilyGame, known: Sequence[PositionFormulas]) -> PositionFormulas:
    (premise,) = known
    (value,) = premise.values
    exchanged = Binary("+", Binary("^", Binary("-", value, ONE), ONE), ONE)
    names: Sequence[Node] = [*map(Name, game.coordinates)]
    left = reduce(lambda a, b: Binary("+", a, b), names)
    only_there = tuple(
        junction("or", Compare(("!=",), (a, ZERO)), equal(b, ZERO))
        for a, b in ((value, left), (left, value))
    )
    by_passes = (value, Call("max", (ZERO, exchanged)))
    return PositionFormulas("grundy", by_passes, premise.facts + only_there)


# Two more passes: with r + 2 passes left every position is the same as with r.


def _with_one_pass(game: FamilyGame) -> tuple[FamilyGame, ...]:
    if game.passes < 2:
        raise LemmaError(f"two passes or more are needed, found {game.passes}")
    return (game.with_passes(1),)


def _by_parity(game: FamilyGame, known: Sequence[PositionFormulas]) -> PositionFormulas:
    (premise,) = known
    by_passes = tuple(premise.by_passes[left % 2] for left in range(game.passes + 1))
    return PositionFormulas(premise.kind, by_passes, premise.facts)


LEMMAS: Mapping[LemmaName, Lemma] = {
    "sprague-grundy": Lemma("Sprague and Grundy", _summands, _nim_sum),
    "free-heap": Lemma("a free heap", _beside_the_heap, _heap_is_value),
    "one-pass": Lemma(
        "one pass where only the end has value 0", _without_the_pass, _exchanged, only_the_end=True
    ),
    "two-more-passes": Lemma("two more passes", _with_one_pass, _by_parity),
}
