"""Positions drawn as the chocolate they are: as text for terminals, as SVG for pages and papers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import zip_longest

from choco_pipeline.drawing.shape import Boxes, Heaps, Passes, Plus, Shape, Squares, shapes_of
from choco_pipeline.drawing.svg import draw_shape
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.ruleset import Ruleset

BITTER, SWEET, STONE = "■", "□", "●"
#: Text is cut off at this many squares, stones or columns of boxes across, and this many rows.
WIDEST, TALLEST = 36, 24
#: White space around and between the parts of an SVG, in its own units.
MARGIN, GAP = 8, 26


def draw_text(ruleset: Ruleset, position: Sequence[int]) -> str:
    """Return the bar of chocolate as lines of text, the coordinates below it.

    Raises `RulesetError` if `position` is not a position of the game.

    Returns
    -------
    str
        Bars seen from the front, one character for a square, ``■`` for the bitter one; solid bars seen from above, the
        number of boxes in each column. Of a large position only the part around the bitter square, and how much more.

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
    shapes = shapes_of(ruleset, position)
    blocks = [_text(shape) for shape in shapes]
    rows = max(map(len, blocks))
    widths = [max(map(len, block), default=0) for block in blocks]
    lines = []
    for i in range(rows):
        cells = [
            _line_from_below(block, rows - i).ljust(w)
            for block, w in zip(blocks, widths, strict=True)
        ]
        lines.append("   ".join(cells).rstrip())
    return "\n".join([*lines, _caption(ruleset, position)])


def draw_svg(ruleset: Ruleset, position: Sequence[int], option: Sequence[int] | None = None) -> str:
    """Return the bar of chocolate as an SVG element that scales to the width it is given.

    What the move to `option` takes away is drawn pale. Raises `RulesetError` if `position` or `option` is not a position of the
    game. It is one ``<svg>`` element with its coordinates labelled, readable on light and dark paper. Squares, stones or boxes
    of a large position are drawn in blocks, and the label says of how many.
    """
    shapes = shapes_of(ruleset, position)
    after: list[Shape] = shapes_of(ruleset, option) if option is not None else []
    drawings = [draw_shape(shape, left) for shape, left in zip_longest(shapes, after)]
    width = sum(d.width for d in drawings) + GAP * (len(drawings) - 1) + 2 * MARGIN
    height = max(d.height for d in drawings) + 2 * MARGIN
    body, x = [], float(MARGIN)
    for drawing in drawings:
        y = height - MARGIN - drawing.height
        body.append(f'<g transform="translate({x:g} {y:g})">{drawing.body}</g>')
        x += drawing.width + GAP
    label = f"{ruleset.notation}: {_caption(ruleset, position)}"
    if option is not None:
        label += f"; a move leads to {_caption(ruleset, option)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chocolate" role="img" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" style="max-width:100%;height:auto" font-family="inherit"'
        f' font-size="13" fill="currentColor" aria-label="{escape(label)}"><title>{escape(label)}</title>{"".join(body)}</svg>'
    )


def _caption(ruleset: Ruleset, position: Sequence[int]) -> str:
    return assigned(dict(zip(ruleset.coordinates, position, strict=True)))


def _line_from_below(block: Sequence[str], number: int) -> str:
    return block[-number] if number <= len(block) else ""


def _text(shape: Shape) -> list[str]:
    match shape:
        case Squares():
            return _squares_text(shape)
        case Boxes():
            return _boxes_text(shape)
        case Heaps(sizes, labels):
            width = max(map(len, labels))
            return [
                f"{name:{width}}  {_stones(size)}".rstrip()
                for name, size in zip(labels, sizes, strict=True)
            ]
        case Passes(left):
            return [f"passes left: {left}"]
        case Plus():
            return ["+"]


def _squares_text(bar: Squares) -> list[str]:
    """Return the window around the bitter square, and what lies outside of it."""
    left = min(bar.left, max(WIDEST // 2, WIDEST - bar.right - 1))
    right = min(bar.right, WIDEST - left - 1)
    below = min(bar.below(right), max(TALLEST // 2, TALLEST - bar.top - 1))
    top = min(bar.above(right), TALLEST - below - 1)
    lines = []
    for row in range(top, -below - 1, -1):
        cells = [
            SWEET if -bar.below(column) <= row <= bar.above(column) else " "
            for column in range(-left, right + 1)
        ]
        if row == 0:
            cells[left] = BITTER
        lines.append(" ".join(cells).rstrip())
    more = {
        "columns to the left": bar.left - left,
        "columns to the right": bar.right - right,
        "rows above": bar.top - top,
        "rows below": bar.bottom - below,
    }
    return [*lines, *_more(more)]


def _boxes_text(bar: Boxes) -> list[str]:
    """Return the number of boxes in each column, x downwards, z to the right."""
    x_label, _, z_label = bar.labels
    n_x, n_z = min(bar.x + 1, TALLEST), min(bar.z + 1, WIDEST // 2)
    rows = [["boxes", f"{z_label}=0", *map(str, range(1, n_z))]]
    for u in range(n_x):
        counts = [str(bar.height(u, w)) for w in range(n_z)]
        if u == 0:
            counts[0] = BITTER + counts[0]
        rows.append([f"{x_label}=0" if u == 0 else str(u), *counts])
    width = 1 + max(len(cell) for row in rows for cell in row[1:])
    lines = [row[0].rjust(5) + "".join(cell.rjust(width) for cell in row[1:]) for row in rows]
    return [
        *lines,
        *_more(
            {f"columns in {x_label}": bar.x + 1 - n_x, f"columns in {z_label}": bar.z + 1 - n_z}
        ),
    ]


def _stones(size: int) -> str:
    shown = " ".join([STONE] * min(size, WIDEST))
    return shown if size <= WIDEST else f"{shown} … {size - WIDEST} more"


def _more(hidden: dict[str, int]) -> list[str]:
    lines = [f"{count:,} more {what}" for what, count in hidden.items() if count > 0]
    return [f"… {', '.join(lines)}"] if lines else []
