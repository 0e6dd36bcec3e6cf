"""Sentences about a game: positions, moves, P-positions and Grundy numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from choco_pipeline.automata.dfa import Auxiliary, Variable
from choco_pipeline.formula import Formula
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Amounts, Limit, Move, Rules
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.arithmetic.logic import (
    TRUE,
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
from choco_pipeline.proof.arithmetic.terms import Sum, at_most, condition, value_is
from choco_pipeline.proof.proof_errors import NotDefinableError

#: Limit of coordinates that one move may clip: each subset of them has its own sentence.
MOST_FALLING = 6

#: The variables of a position's coordinates, in order.
Variables = tuple[Variable, ...]
#: The variables of a position by coordinate name.
Named = Mapping[str, Variable]


@dataclass(frozen=True)
class MoveKind:
    """A move together with the set of coordinates that are clipped to their heights."""

    move: Move
    #: The variables of the option.
    option: Variables
    #: The condition for the move.
    allowed: Sentence
    #: Variables of lowered coordinates and chosen numbers, and conditions on them.
    lowered: Variables
    amounts: Sequence[Sentence]
    #: Variables of the clipped coordinates, and conditions on the option.
    fallen: Variables
    heights: Sequence[Sentence]

    def to(self, holds: Sentence) -> Sentence:
        """Sentence: such a move leads to an option that satisfies `holds`."""
        # The heights are inside the quantifier, because the option has the clipped coordinates.
        option = exists(self.fallen, conjunction(*self.heights, holds))
        return conjunction(self.allowed, exists(self.lowered, conjunction(*self.amounts, option)))


def legal(ruleset: Ruleset, position: Variables) -> Sentence:
    """Sentence: the variables are a position of the ruleset.

    Raises `NotDefinableError` if this is not expressible in linear and bitwise arithmetic, for example with a height table.

    Examples
    --------
    >>> from choco_pipeline import StepBar
    >>> legal(StepBar(k=4, s=2), ("y", "z")) == linear({"y": 4, "z": -1}, -2, "<=")
    True
    """
    rules = rules_of(ruleset)
    at = dict(zip(rules.coordinates, position, strict=True))
    limits = rules.limits.items()
    fitting = (at_most(at[name], formula_of(limit, ruleset), at) for name, limit in limits)
    conditions = [one for one in (rules.within, rules.legal) if one is not None]
    return conjunction(*fitting, *(condition(one, at) for one in conditions))


def steps(ruleset: Ruleset, position: Variables) -> Iterator[MoveKind]:
    """Yield each kind of move with each set of clipped coordinates."""
    rules = with_moves(ruleset)
    here = dict(zip(rules.coordinates, position, strict=True))
    for move in rules.moves:
        yield from _steps(ruleset, rules, move, here)


def some_option(
    ruleset: Ruleset, position: Variables, holds: Callable[[Variables], Sentence]
) -> Sentence:
    """Sentence: some option of the position satisfies `holds`; see `legal`."""
    return disjunction(*(step.to(holds(step.option)) for step in steps(ruleset, position)))


def has_moves(ruleset: Ruleset, position: Variables) -> Sentence:
    """Sentence: the position is not terminal; see `legal`."""
    return some_option(ruleset, position, lambda _: TRUE)


def steps_and_passes(
    ruleset: Ruleset, position: Variables, passes: int
) -> Iterator[tuple[MoveKind, int]]:
    """Yield each kind of move, then a pass if one is left, with the passes after it."""
    base = ruleset.base
    for step in steps(base, position):
        yield step, passes
    if passes:
        move = Move(ruleset.coordinates[len(base.coordinates) :])
        yield MoveKind(move, position, has_moves(base, position), (), (), (), ()), passes - 1


def formula_of(limit: Limit, ruleset: Ruleset) -> Formula:
    """Return a height function as a formula in coordinates."""
    if type(limit.height) is not FormulaHeight:
        raise NotDefinableError(
            f"{ruleset.notation}: a proof needs the height as a formula, but {limit.height.notation} is none"
        )
    return limit.height.formula.rename(dict(zip(limit.height.arguments, limit.of, strict=True)))


def rules_of(ruleset: Ruleset) -> Rules:
    """Return the rules; raise `NotDefinableError` if they do not define the options."""
    if ruleset.has_own_options:
        raise NotDefinableError(
            f"{ruleset.notation}: options that the rules do not define are not supported in proofs"
        )
    if ruleset.rules.cycle:
        what = "a cyclic dependence of heights"
        raise NotDefinableError(f"{ruleset.notation}: {what} is not supported in proofs")
    return ruleset.rules


def with_moves(ruleset: Ruleset) -> Rules:
    """Return a game's rules, or raise `NotDefinableError` for its moves."""
    rules = rules_of(ruleset)
    for what, is_there in (("misère play", rules.misere), ("a move that splits", rules.splits)):
        if is_there:
            raise NotDefinableError(f"{ruleset.notation}: {what} is not supported in proofs")
    return rules


def _steps(ruleset: Ruleset, rules: Rules, move: Move, here: Named) -> Iterator[MoveKind]:
    lowered = {name: Auxiliary(f"{here[name]}'") for name in move.lowers}
    moved = {*lowered}
    limits: dict[str, Limit] = {}
    for name in rules.ordered:  # a coordinate follows those in its height function
        if moved & {*rules.limits[name].of}:
            limits[name] = rules.limits[name]
            moved |= {name} if move.clips else set()
    if len(limits) > MOST_FALLING and move.clips:
        raise NotDefinableError(
            f"{ruleset.notation}: one move may clip {len(limits)} coordinates, at most {MOST_FALLING} are supported"
        )
    allowed = TRUE if move.unless is None else negation(condition(move.unless, here))
    if move.needs:
        needed = (step for need in move.needs for step in _steps(ruleset, rules, need, here))
        allowed = conjunction(allowed, disjunction(*(step.to(TRUE) for step in needed)))
    chosen, amounts = _amounts(move, here, {**here, **lowered})
    for choice in product((False, True), repeat=len(limits) if move.clips else 0):
        falling = {name for name, falls in zip(limits, choice, strict=False) if falls}
        there: dict[str, Variable] = {**here, **lowered}
        fallen: dict[str, Variable] = {}
        facts, heights = [*amounts], list[Sentence]()
        for name, limit in limits.items():
            fits = at_most(there[name], formula_of(limit, ruleset), there)
            # A condition with clipped coordinates belongs inside their quantifier.
            (heights if {*fallen} & {*limit.of} else facts).append(
                negation(fits) if name in falling else fits
            )
            if name in falling:
                value = Auxiliary(f"{there[name]}'")
                heights.append(value_is(value, formula_of(limit, ruleset), there))
                there[name] = fallen[name] = value
        if rules.legal is not None:
            heights.append(condition(rules.legal, there))
        option, variables = tuple(there.values()), (*lowered.values(), *chosen)
        yield MoveKind(move, option, allowed, variables, facts, tuple(fallen.values()), heights)


def _amounts(move: Move, here: Named, there: Named) -> tuple[Variables, list[Sentence]]:
    """Return chosen numbers, and sentences for a move from `here` to `there`."""
    lowers, (first, *others) = move.lowers, move.lowers
    change = {name: Sum({there[name]: 1, here[name]: -1}) for name in lowers}
    sentences: list[Sentence] = []
    match move.by:
        case Amounts() as by:
            chosen: dict[str, Variable] = {name: Auxiliary(name) for name in by.chosen}
            known = {**here, **chosen}
            for number in chosen.values():
                most = (linear({number: 1, here[name]: -1}, 0, "<=") for name in lowers)
                sentences += [linear({number: 1}, 0, ">="), disjunction(*most)]
            for name, formula in zip(lowers, by.taken, strict=True):
                taken = value_is(change[name].times(-1), formula, known)
                sentences += [change[name].compared("<="), taken]
            sentences.append(disjunction(*(change[name].compared("<") for name in lowers)))
            sentences += [condition(by.where, known)] if by.where is not None else []
            return tuple(chosen.values()), sentences
        case "any" if others:
            sentences += [change[name].compared("<=") for name in lowers]
            sentences.append(sum(change.values(), Sum({})).compared("<"))
        case "any" | "each" | "same":
            lowered = lowers if move.by == "each" else (first,)
            sentences += [change[name].compared("<") for name in lowered]
        case amounts:
            equal_to = (change[first].plus(amount).compared("==") for amount in amounts)
            sentences.append(disjunction(*equal_to))
    if move.by not in ("any", "each"):
        sentences += [(change[name] - change[first]).compared("==") for name in others]
    if move.at_most is not None:
        for name in lowers if move.by in ("any", "each") else (first,):
            sentences.append(at_most(change[name].times(-1), move.at_most, here))
    return (), sentences


@dataclass(frozen=True)
class Obligation:
    """A sentence that must be valid."""

    #: The sentence in words.
    name: str
    sentence: Sentence
    #: The passes left.
    passes: int
    #: Whether the sentence is about heights only.
    is_of_heights: bool = False


def relation_name(passes: int) -> str:
    """Return the name of the relation for a number of passes left."""
    return f"R{passes}"


def obligations(ruleset: Ruleset, relation: Literal["p", "grundy"]) -> list[Obligation]:
    """Return the obligations of the relations R0, R1, … for 0, 1, … passes left.

    They are sorted by passes left, then by expected time to refute. The arguments of a relation are the coordinates without passes,
    followed by the Grundy number for ``"grundy"``. Raises `NotDefinableError` if the ruleset is not expressible in linear and bitwise
    arithmetic.

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
    state = _p if relation == "p" else _grundy
    listed = [Obligation(*one, 0, is_of_heights=True) for one in _heights(ruleset.base)]
    for passes in range(ruleset.passes + 1):
        listed += (Obligation(*one, passes) for one in state(ruleset, passes).items())
    return listed


def _p(ruleset: Ruleset, passes: int) -> dict[str, Sentence]:
    here = ruleset.base.coordinates
    is_position = legal(ruleset.base, here)
    member = Member(relation_name(passes), here)
    moves = _some_option(ruleset, passes, ())
    return {
        "only positions of the game are in the relation": implies(member, is_position),
        "no position in the relation has an option in it": negation(within(member, moves)),
        "every position outside the relation has an option in it": implies(
            is_position, negation(member), within(is_position, moves)
        ),
    }


def _grundy(ruleset: Ruleset, passes: int) -> dict[str, Sentence]:
    here, name = ruleset.base.coordinates, relation_name(passes)
    is_position = legal(ruleset.base, here)
    value, other = Auxiliary("value'"), Auxiliary("other'")
    has_value = Member(name, (*here, value))
    option_has_other = _some_option(ruleset, passes, (other,))
    is_smaller = exists((value,), conjunction(has_value, less(other, value)))
    return {
        "only positions of the game have a value": implies(has_value, is_position),
        "no position has two values": implies(
            has_value, Member(name, (*here, other)), equal(value, other)
        ),
        "every position has a value": implies(is_position, exists((value,), has_value)),
        "no option has the position's value": negation(
            within(Member(name, (*here, other)), option_has_other)
        ),
        "every smaller value is an option's": implies(
            is_smaller, within(is_smaller, option_has_other)
        ),
    }


def _some_option(ruleset: Ruleset, passes: int, value: Variables) -> Sentence:
    """Sentence: some option is in the relation, by a cut or a pass."""
    options = steps_and_passes(ruleset, ruleset.base.coordinates, passes)
    return disjunction(
        *(step.to(Member(relation_name(left), (*step.option, *value))) for step, left in options)
    )


def _heights(game: Ruleset) -> list[tuple[str, Sentence]]:
    """Return sentences: height functions are nonnegative and nondecreasing."""
    limits = {name: limit for name, limit in rules_of(game).limits.items() if limit.of}
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
