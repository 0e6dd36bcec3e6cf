"""Pictures of positions as text or SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from choco_pipeline.drawing import (
    Boxes,
    Heaps,
    Passes,
    Plus,
    Shape,
    Squares,
    svg_element,
    text_lines,
)
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.rules import Limit, Position, Rules

if TYPE_CHECKING:
    from choco_pipeline.games.ruleset import Ruleset


def draw_text(ruleset: Ruleset, position: Sequence[int]) -> str:
    """Return the bar of chocolate as text, with the coordinates below it.

    Raises `RulesetError` if `position` is not a position of the game.

    Returns
    -------
    str
        Flat bars from the front, with one character for each square and ``■`` for the bitter one. Solid bars from above,
        with the number of boxes in each column. Large positions are cut off, with the size of the omitted parts.

    Examples
    --------
    >>> from choco_pipeline import SolidBar, StripBar
    >>> print(draw_text(StripBar(k=4, s=2), (3, 2, 7)))
                      □ □
              □ □ □ □ □ □
    □ □ □ ■ □ □ □ □ □ □ □
    x = 3, y = 2, z = 7
    >>> print(draw_text(SolidBar("(x+z)//3"), (2, 1, 4)))
    boxes z=0   1   2   3   4
      x=0  ■1   1   1   2   2
        1   1   1   2   2   2
        2   1   2   2   2   2
    x = 2, y = 1, z = 4
    """
    return "\n".join([*text_lines(shapes_of(ruleset, position)), _caption(ruleset, position)])


def draw_svg(ruleset: Ruleset, position: Sequence[int], option: Sequence[int] | None = None) -> str:
    """Return the bar of chocolate as an SVG element that scales to its width.

    The part that the move to `option` takes away is pale. Coordinates are labelled, and the picture is readable on light and
    dark paper. Squares, stones or boxes of a large position are drawn in blocks, with their number in the label. Raises
    `RulesetError` if `position` or `option` is not a position of the game.
    """
    shapes = shapes_of(ruleset, position)
    after = [] if option is None else shapes_of(ruleset, option)
    label = f"{ruleset.notation}: {_caption(ruleset, position)}"
    if option is not None:
        label += f"; a move leads to {_caption(ruleset, option)}"
    return svg_element(shapes, after, label)


def _caption(ruleset: Ruleset, position: Sequence[int]) -> str:
    return assigned(dict(zip(ruleset.coordinates, position, strict=True)))


def shapes_of(ruleset: Ruleset, position: Sequence[int]) -> list[Shape]:
    """Return the shapes of a position, side by side.

    Raises `RulesetError` if `position` is not a position of this game.
    """
    return _shapes(ruleset, ruleset.check(position), ruleset.coordinates)


def _shapes(ruleset: Ruleset, position: Position, names: tuple[str, ...]) -> list[Shape]:
    if ruleset.base is not ruleset:
        return [*_shapes(ruleset.base, position[:-1], names[:-1]), Passes(position[-1])]
    if len(ruleset.parts) > 1:
        shapes: list[Shape] = []
        for part in ruleset.parts:
            n = len(part.coordinates)
            shapes += [Plus()] if shapes else []
            shapes += _shapes(part, position[:n], names[:n])
            position, names = position[n:], names[n:]
        return shapes
    rules = ruleset.rules.rename(dict(zip(ruleset.coordinates, names, strict=True)))
    values, strip = rules.named(position), rules.free or ""
    if rules.face is not None:
        up, down, left, right = position
        labels = (names[2], names[3], names[0], names[1])
        return [Squares(left, right, lambda _column: up, lambda _column: down, labels)]
    if sides := _sides(rules):
        (along,) = rules.limits[sides[0]].of
        above, below = (_side(values, rules.limits.get(name), name) for name in sides)
        return [Squares(values.get(strip, 0), values[along], above, below, (strip, along, *sides))]
    if rules.bar is None:
        return [Heaps(position, names)]
    y, limit = rules.bar.up, rules.bar.limit
    (x, z), f, high = limit.of, limit.height, values[y]
    boxes = Boxes(values[x], high, values[z], lambda u, w: min(high, f(u, w)) + 1, (x, y, z))
    return [Heaps((values[strip],), (strip,)), Plus(), boxes] if strip else [boxes]


def _sides(rules: Rules) -> tuple[str, str] | None:
    """Return the coordinates above and below the bitter square of a flat bar.

    The second one is "" if there is nothing below. The result is None for other games. Both heights depend on the same
    coordinate: a cut of it takes the ends of columns on both sides.
    """
    along = tuple(set(rules.coordinates) - set(rules.limits) - {rules.free})
    of = {limit.of for limit in rules.limits.values()}
    if not rules.is_plain or rules.within is not None or len(along) != 1 or of != {along}:
        return None
    match [name for name in rules.coordinates if name in rules.limits]:
        case [above]:
            return above, ""
        case [below, above]:
            return above, below
        case _:
            return None


def _side(values: Mapping[str, int], limit: Limit | None, name: str) -> Callable[[int], int]:
    """Return the number of squares in a column on one side of the bitter row."""
    if limit is None:
        return lambda _column: 0
    most, height = values[name], limit.height
    return lambda column: min(most, height(column)) if column >= 0 else 0
