"""Checking printed options and printed shapes by the ruleset's own definition."""

from __future__ import annotations

from collections.abc import Iterable

from choco_pipeline.claims.kinds import Moves, Shape
from choco_pipeline.claims.kinds.option_kinds import MoveExample
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Exhausted, Refuted
from choco_pipeline.drawing.shape import Squares, shapes_of
from choco_pipeline.games import Position, Ruleset

#: At most so many options are named.
MOST_NAMED = 6


def find_moves(check: Moves, case: ClaimCase) -> Finding:
    """Return whether printed options are those that the definition gives; the first example that is wrong refutes."""
    game = case.cells.game
    for example in check.examples:
        position = tuple(example.position)
        actual = _about_options(game, position, example)
        if actual is not None:
            verb = {"all": "are exactly", "among": "include", "none": "include none of"}[
                example.are
            ]
            claimed = f"its options {verb} {_named(map(tuple, example.options))}"
            return _refuted(case, position, actual, claimed, len(check.examples))
    return Finding(Exhausted(len(check.examples), "example"))


def find_shapes(check: Shape, case: ClaimCase) -> Finding:
    """Return whether the columns of flat bars are as printed; the first example that is wrong refutes."""
    game = case.cells.game
    for example in check.examples:
        position = tuple(example.position)
        actual = _not_legal(game, position)
        if actual is None:
            columns = _columns(game, position)
            if columns == example.columns:
                continue
            actual = f"its columns are {columns}"
        return _refuted(
            case, position, actual, f"its columns are {example.columns}", len(check.examples)
        )
    return Finding(Exhausted(len(check.examples), "example"))


def _about_options(game: Ruleset, position: Position, example: MoveExample) -> str | None:
    """Return what is wrong with an example, or None."""
    problem = _not_legal(game, position)
    if problem is not None:
        return problem
    options, printed = set(game.options(position)), {tuple(option) for option in example.options}
    if example.are == "none":
        wrong = printed & options
        return f"its options include {_named(wrong)}" if wrong else None
    parts = []
    if printed - options:
        parts.append(f"not among its options: {_named(printed - options)}")
    if example.are == "all" and options - printed:
        parts.append(f"further options: {_named(options - printed)}")
    return "; ".join(parts) or None


def _columns(game: Ruleset, position: Position) -> list[int]:
    """Return the numbers of squares in the columns of a flat bar, the bitter square's first, without a strip."""
    (bar,) = (shape for shape in shapes_of(game, position) if isinstance(shape, Squares))
    return [bar.above(column) + 1 for column in range(bar.right + 1)]


def _not_legal(game: Ruleset, position: Position) -> str | None:
    return None if game.is_position(position) else f"it is no position: {game.why_not(position)}"


def _named(positions: Iterable[Position]) -> str:
    listed = sorted(positions)
    more = f" and {len(listed) - MOST_NAMED:,} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(map(str, listed[:MOST_NAMED])) + more


def _refuted(
    case: ClaimCase, position: Position, actual: str, claimed: str, examples: int
) -> Finding:
    counterexample = Counterexample(actual, claimed, position, case.cells.game.coordinates)
    return Finding(Refuted(counterexample, examples))
