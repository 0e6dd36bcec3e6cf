"""Obligations: sentences that define the P-positions or the Grundy numbers of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from choco_pipeline.automata.dfa import Auxiliary
from choco_pipeline.formula import Formula, parse
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.arithmetic.logic import (
    Member,
    Sentence,
    conjunction,
    disjunction,
    equal,
    exists,
    implies,
    less,
    linear,
    negation,
    within,
)
from choco_pipeline.proof.arithmetic.terms import at_most
from choco_pipeline.proof.games.moves import (
    Variables,
    formula_of,
    has_moves,
    legal,
    rules_of,
    some_option,
    with_moves,
)

#: The heights of step bars: nowhere negative, and nowhere falling.
STEPS = parse("(z+s)//k")


@dataclass(frozen=True)
class Obligation:
    """One sentence that must hold for all values of its free variables."""

    #: The sentence in words.
    name: str
    sentence: Sentence
    #: The passes left.
    passes: int


def relation_name(passes: int) -> str:
    """Return the name of the relation that holds the positions with `passes` passes left."""
    return f"R{passes}"


def obligations(ruleset: Ruleset, relation: Literal["p", "grundy"]) -> list[Obligation]:
    """Return the obligations of the relations R0, R1, … for 0, 1, … passes left.

    They are in the order of passes left, and then of expected time to refute. The arguments of a relation are the coordinates
    without passes, for ``"grundy"`` followed by the Grundy number. Raises `NotDefinableError` if the ruleset is outside of linear
    and bitwise arithmetic.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> for obligation in obligations(Nim(2), "p"):
    ...     print(obligation.name)
    only positions of the game are in the relation
    no position in the relation has an option in it
    every position outside the relation has an option in it
    """
    with_moves(ruleset)
    game = ruleset.base
    state = _p if relation == "p" else _grundy
    listed = [Obligation(name, sentence, 0) for name, sentence in _heights(game)]
    for passes in range(ruleset.passes + 1):
        listed += (
            Obligation(name, sentence, passes) for name, sentence in state(game, passes).items()
        )
    return listed


def _p(game: Ruleset, passes: int) -> dict[str, Sentence]:
    here = game.coordinates
    is_position = legal(game, here)
    member = Member(relation_name(passes), here)
    moves = _some_option(game, passes, ())
    return {
        "only positions of the game are in the relation": implies(member, is_position),
        "no position in the relation has an option in it": negation(within(member, moves)),
        "every position outside the relation has an option in it": implies(
            is_position, negation(member), within(is_position, moves)
        ),
    }


def _grundy(game: Ruleset, passes: int) -> dict[str, Sentence]:
    here, name = game.coordinates, relation_name(passes)
    value, other = Auxiliary("value'"), Auxiliary("other'")
    has_value = Member(name, (*here, value))
    option_has_other = _some_option(game, passes, (other,))
    is_smaller = exists((value,), conjunction(has_value, less(other, value)))
    return {
        "only positions of the game have a value": implies(has_value, legal(game, here)),
        "no position has two values": implies(
            has_value, Member(name, (*here, other)), equal(value, other)
        ),
        "every position has a value": implies(legal(game, here), exists((value,), has_value)),
        "no option has the position's value": negation(
            within(Member(name, (*here, other)), option_has_other)
        ),
        "every smaller value is an option's": implies(
            is_smaller, within(is_smaller, option_has_other)
        ),
    }


def _some_option(game: Ruleset, passes: int, value: Variables) -> Sentence:
    """Sentence: some option, by a cut or a pass, is in the relation."""
    here = game.coordinates

    def member(left: int) -> Callable[[Variables], Sentence]:
        return lambda option: Member(relation_name(left), (*option, *value))

    cut = some_option(game, here, member(passes))
    if passes == 0:
        return cut
    return disjunction(cut, conjunction(has_moves(game, here), member(passes - 1)(here)))


def _heights(game: Ruleset) -> list[tuple[str, Sentence]]:
    """Return sentences: heights are nowhere negative and never fall."""
    limits = {
        name: limit
        for name, limit in rules_of(game).limits.items()
        if limit.of and not _is_steps(formula_of(limit, game))
    }
    sentences: list[tuple[str, Sentence]] = []
    for name, limit in limits.items():
        of = "" if len(limits) == 1 else f" of {name}"
        near = {other: other for other in limit.of}
        far = {other: Auxiliary(f"{other}'") for other in limit.of}
        formula = formula_of(limit, game)
        fits = at_most(name, formula, near)
        further = (linear({x: 1, far[x]: -1}, 0, "<=") for x in limit.of)
        falls_not = implies(conjunction(*further, fits), at_most(name, formula, far))
        sentences += [
            (f"heights{of} are not negative", implies(linear({name: 1}, 0, "=="), fits)),
            (f"heights{of} do not fall", falls_not),
        ]
    return sentences


def _is_steps(height: Formula) -> bool:
    """Whether a height is ⌊(z+s)/k⌋, which needs no obligations."""
    names = height.names
    if len(names) != 1:
        return False
    parameters = height.match(STEPS.rename(dict.fromkeys("z", *names)), names)
    return parameters is not None and parameters["k"] > 0
