"""A ruleset's positions and moves as sentences; each says what the ruleset's own definition says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from choco_pipeline.automata.tracks import Auxiliary, Variable
from choco_pipeline.formula import Formula, parse
from choco_pipeline.games.bars import RectangularBar, SolidBar, StepBar, StripBar
from choco_pipeline.games.combine import DisjunctiveSum, WithPass
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.nim import Nim
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.errors import NotDefinableError
from choco_pipeline.proof.logic import (
    TRUE,
    Sentence,
    conjunction,
    disjunction,
    exists,
    less,
    linear,
    negation,
)
from choco_pipeline.proof.terms import at_most, value_is

#: What sentences are written for; a ruleset derived from one of these may have other moves.
KINDS = (Nim, RectangularBar, StepBar, StripBar, SolidBar, DisjunctiveSum, WithPass)

#: The variables of a position's coordinates, in their order.
Variables = tuple[Variable, ...]


def legal(ruleset: Ruleset, position: Variables) -> Sentence:
    """Return that the variables are a position of the ruleset.

    Parameters
    ----------
    ruleset
        A game of `choco_pipeline.games`.
    position
        As many different variables as the ruleset has coordinates.

    Raises
    ------
    NotDefinableError
        If linear and bitwise arithmetic cannot say it, as for a height table.

    Examples
    --------
    >>> legal(StepBar(k=4, s=2), ("y", "z")) == linear({"y": 4, "z": -1}, -2, "<=")
    True
    """
    match ruleset:
        case _ if type(ruleset) not in KINDS:
            raise _unknown(ruleset)
        case Nim():
            return TRUE
        case RectangularBar():
            a, b, c, d = position
            return conjunction(
                linear({a: 1, b: 1}, -ruleset.m, "<"), linear({c: 1, d: 1}, -ruleset.n, "<")
            )
        case StepBar() | StripBar() | SolidBar():
            names = dict(zip(ruleset.coordinates, position, strict=True))
            return at_most(names["y"], height_of(ruleset), names)
        case DisjunctiveSum():
            first, second = _split(ruleset, position)
            return conjunction(legal(ruleset.a, first), legal(ruleset.b, second))
        case WithPass():
            left = linear({position[-1]: 1}, -ruleset.passes, "<=")
            return conjunction(left, legal(ruleset.ruleset, position[:-1]))
        case _:
            raise _unknown(ruleset)


def some_option(
    ruleset: Ruleset, position: Variables, holds: Callable[[Variables], Sentence]
) -> Sentence:
    """Return that some option of the position makes `holds` true; see `legal`.

    Parameters
    ----------
    holds
        Given the variables of an option, what is asked of it.
    """
    return disjunction(*_cuts(ruleset, position, holds))


def has_moves(ruleset: Ruleset, position: Variables) -> Sentence:
    """Return that the position is not terminal: some coordinate but the passes left is not 0."""
    return linear(dict.fromkeys(_cut_coordinates(ruleset, position), 1), 0, ">")


def height_of(ruleset: StepBar | StripBar | SolidBar) -> Formula:
    """Return the largest legal y as a formula in x and z."""
    if not isinstance(ruleset, SolidBar):
        return parse(f"(z+{ruleset.s})//{ruleset.k}")
    if type(ruleset.f) is FormulaHeight:
        return ruleset.f.formula
    raise NotDefinableError(
        f"{ruleset.notation}: a proof needs the height as a formula, {ruleset.f.notation} is none"
    )


def _cuts(
    ruleset: Ruleset, position: Variables, holds: Callable[[Variables], Sentence]
) -> Iterator[Sentence]:
    """Yield, for each kind of move, that some move of this kind leads to where `holds` is true."""
    match ruleset:
        case _ if type(ruleset) not in KINDS:
            raise _unknown(ruleset)
        case Nim() | RectangularBar():
            for i in range(len(position)):
                yield _reduced(position, i, holds)
        case StepBar():
            yield _reduced(position, 0, holds)
            yield from _clipping(ruleset, position, 1, holds)
        case StripBar():
            yield _reduced(position, 0, holds)
            yield _reduced(position, 1, holds)
            yield from _clipping(ruleset, position, 2, holds)
        case SolidBar():
            yield from _clipping(ruleset, position, 0, holds)
            yield _reduced(position, 1, holds)
            yield from _clipping(ruleset, position, 2, holds)
        case DisjunctiveSum():
            first, second = _split(ruleset, position)
            yield from _cuts(ruleset.a, first, lambda option: holds((*option, *second)))
            yield from _cuts(ruleset.b, second, lambda option: holds((*first, *option)))
        case WithPass():
            *base, left = position
            here, fewer = tuple(base), Auxiliary(f"{left}'")
            yield from _cuts(ruleset.ruleset, here, lambda option: holds((*option, left)))
            passed = linear({fewer: 1, left: -1}, 1, "==")
            option = conjunction(passed, holds((*here, fewer)))
            yield conjunction(has_moves(ruleset.ruleset, here), exists((fewer,), option))
        case _:
            raise _unknown(ruleset)


def _reduced(position: Variables, i: int, holds: Callable[[Variables], Sentence]) -> Sentence:
    """Return that a smaller i-th coordinate, with all else kept, makes `holds` true."""
    smaller = Auxiliary(f"{position[i]}'")
    option = (*position[:i], smaller, *position[i + 1 :])
    return exists((smaller,), conjunction(less(smaller, position[i]), holds(option)))


def _clipping(
    ruleset: StepBar | StripBar | SolidBar,
    position: Variables,
    i: int,
    holds: Callable[[Variables], Sentence],
) -> Iterator[Sentence]:
    """Yield the cuts of coordinate i that leave y as it was, then those that lower it to the height there."""
    formula = height_of(ruleset)
    smaller = Auxiliary(f"{position[i]}'")
    kept = (*position[:i], smaller, *position[i + 1 :])
    names = dict(zip(ruleset.coordinates, kept, strict=True))
    j = ruleset.coordinates.index("y")
    y = position[j]
    fits = at_most(y, formula, names)
    cut = less(smaller, position[i])
    yield exists((smaller,), conjunction(cut, fits, holds(kept)))
    height = Auxiliary(f"{y}'")
    clipped = (*kept[:j], height, *kept[j + 1 :])
    # The option does not depend on how far y was above the height: the projection of `height` has no track for y.
    option = exists((height,), conjunction(value_is(height, formula, names), holds(clipped)))
    yield exists((smaller,), conjunction(cut, negation(fits), option))


def _split(ruleset: DisjunctiveSum, position: Variables) -> tuple[Variables, Variables]:
    middle = len(ruleset.a.coordinates)
    return position[:middle], position[middle:]


def _cut_coordinates(ruleset: Ruleset, position: Variables) -> Variables:
    match ruleset:
        case WithPass():
            return _cut_coordinates(ruleset.ruleset, position[:-1])
        case DisjunctiveSum():
            first, second = _split(ruleset, position)
            return (*_cut_coordinates(ruleset.a, first), *_cut_coordinates(ruleset.b, second))
        case _:
            return position


def _unknown(ruleset: Ruleset) -> NotDefinableError:
    return NotDefinableError(f"{ruleset.notation}: no sentences are written for this kind of game")
