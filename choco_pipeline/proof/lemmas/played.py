"""The games that a claim with parameters is about, as rules: what lemmas take apart, and compare with those of premises.

Of such games it is also decided whether a position with options never has the Grundy number 0. That is so exactly if every position
with options has one without. Here the position without options is the one where all coordinates are 0: it is asked, in integers,
whether some position with a coordinate that is not 0 has no move to it. A move that lowers a coordinate to 0 leads there if every
other coordinate is 0 already, or may fall by this move and has the largest value 0 where all coordinates are 0. That a coordinate
which is not 0 is legal is weakened to: its largest value is at least 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import Integer, Name, Node, children, names_of, substitute
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Notation
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import LemmaError, UndecidedError
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.families.parametric_rules import describe
from choco_pipeline.proof.uniform.sentences import (
    TRUE,
    all_of,
    any_of,
    at_least_0,
    require_unsat,
    term,
)
from choco_pipeline.tables.computing.in_memory import grundy_table

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

        Raises `LemmaError` if their number of passes is a parameter; `FamilyError` if a rule is of a kind that has no
        obligations for all parameters. Passes in a part of a sum are one.
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
            group = frozenset({name}) | (names_of(height) if height is not None else frozenset())
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


#: Members are looked at first up to this bound, by the definition.
BOUND = 16


def require_only_the_end(part: Played, family: Family, clock: Clock) -> str:
    """Return in words that no position with options has the value 0, and who says so.

    `part` is one of the games side by side in the family's, whose relation does not matter. Raises `LemmaError` if a
    position with options has the value 0, or if it is not known that none has.
    """
    looked_at = sum(_require_of_member(part, family, values) for values in _members(family, clock))
    cases = 0
    try:
        for cases, case in enumerate(family.cases(), start=1):
            require_unsat(f"only the end has value 0, case {cases}", _text(part, case), clock)
    except UndecidedError as error:
        raise LemmaError(f"it is not known that only the end has value 0: {error}") from error
    if not cases or not looked_at:
        raise LemmaError(f"no member with {math_text(family.condition)}")
    return (
        f"no position ({', '.join(part.coordinates)}) with options has the value 0, for all {math_text(family.condition)}:"
        f" by z3 and cvc5 in {cases} case{'' if cases == 1 else 's'}, and in {looked_at} members by definition"
    )


def _members(family: Family, clock: Clock) -> Iterator[dict[str, int]]:
    for values in family.members():
        clock.require()
        yield values


def _require_of_member(part: Played, family: Family, values: dict[str, int]) -> bool:
    """Return whether there is such a member; raise `LemmaError` at its least position with options and the value 0."""
    try:
        game = family.description.member(values)
        grundy = grundy_table(game, BOUND).grundy.transpose(*game.coordinates).to_numpy()
    except ChocoError:
        return False
    of_part = tuple(slice(None) if n in part.coordinates else 0 for n in game.coordinates)
    for place in np.argwhere(grundy[of_part] == 0).tolist():
        at = dict(zip(part.coordinates, place, strict=True))
        if (
            next(game.options(tuple(at.get(name, 0) for name in game.coordinates)), None)
            is not None
        ):
            shown = f"({', '.join(part.coordinates)}) = ({', '.join(map(str, place))})"
            of = assigned(values)
            raise LemmaError(f"{shown} has options and the value 0, for {of}")
    return True


def _text(part: Played, case: FamilyCase) -> str:
    """Return, as SMT-LIB 2, that some position that is not all 0 has no move to the one that is."""
    names = [*case.names, *part.coordinates]
    lines = ["(set-logic ALL)", *(f"(declare-const |{name}| Int)" for name in names)]
    sentences = [*map(at_least_0, case.conditions), *(f"(>= |{name}| 0)" for name in names)]
    sentences.append(any_of(f"(> |{name}| 0)" for name in part.coordinates))
    for name in part.heights:
        height = case.heights[name].only
        terms = [f"(* {term(a)} |{x}|)" for x, a in height.dividend.terms.items()]
        largest = f"(+ {term(height.dividend.constant)} 0 {' '.join(terms)})"
        sentences.append(f"(or (= |{name}| 0) (>= {largest} {term(height.divisor)}))")
    sentences += [_no_move(part, case, name) for name in part.coordinates]
    return "\n".join([*lines, f"(assert {all_of(sentences)})", "(check-sat)", ""])


def _no_move(part: Played, case: FamilyCase, lowered: str) -> str:
    """Return that lowering a coordinate to 0 does not lead to where all are 0."""
    falling = {n for m, names, clips in part.moves if m == lowered and clips for n in names}
    if all(m != lowered for m, _, _ in part.moves):
        return TRUE
    others = []
    for name in part.coordinates:
        if name == lowered:
            continue
        stays = TRUE
        if name in falling:
            height = case.heights[name].only
            stays = at_least_0(height.dividend.constant - height.divisor)
        others.append(f"(and (> |{name}| 0) {stays})")
    return f"(or (= |{lowered}| 0) {' '.join(others)})"
