"""Whether, in all games of a family, a position with options never has the Grundy number 0.

That is so exactly if every position with options has one without. Here the position without options is the one where all
coordinates are 0: it is asked, in integers, whether some position with a coordinate that is not 0 has no move to it. A move that
lowers a coordinate to 0 leads there if every other coordinate is 0 already, or may fall by this move and has the largest value 0
where all coordinates are 0. That a coordinate which is not 0 is legal is weakened to: its largest value is at least 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.lemmas.played import Played
from choco_pipeline.proof.proof_errors import LemmaError, UndecidedError
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.families.refutation import members
from choco_pipeline.proof.uniform.sentences import (
    TRUE,
    all_of,
    any_of,
    at_least_0,
    require_unsat,
    term,
)
from choco_pipeline.tables.computing.in_memory import grundy_table

#: Members are looked at first up to this bound, by the definition.
BOUND = 16


def require_only_the_end(part: Played, family: Family, clock: Clock) -> str:
    """Return in words that no position with options has the value 0, and who says so.

    `part` is one of the games side by side in the family's, whose relation does not matter.

    Raises
    ------
    LemmaError
        If a position with options has the value 0, or if it is not known that none has.
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
    for values in members(family):
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
        height = case.heights[name]
        terms = [f"(* {term(a)} |{x}|)" for x, a in height.terms.items()]
        largest = f"(+ {term(height.constant)} 0 {' '.join(terms)})"
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
            height = case.heights[name]
            stays = at_least_0(height.constant - height.divisor)
        others.append(f"(and (> |{name}| 0) {stays})")
    return f"(or (= |{lowered}| 0) {' '.join(others)})"
