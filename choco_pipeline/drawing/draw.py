"""Shapes drawn as text for terminals, and as SVG for pages and papers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import zip_longest

from choco_pipeline.drawing.shapes import Boxes, Heaps, Passes, Plus, Shape, Squares
from choco_pipeline.drawing.svg import draw_shape

BITTER, SWEET, STONE = "■", "□", "●"
#: Text is cut off at this many squares, stones or columns of boxes across, and this many rows.
WIDEST, TALLEST = 36, 24
#: White space around and between the parts of an SVG, in its own units.
MARGIN, GAP = 8, 26


def text_lines(shapes: Sequence[Shape]) -> list[str]:
    """Return shapes side by side as lines of text."""
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
    return lines


def svg_element(shapes: Sequence[Shape], after: Sequence[Shape], label: str) -> str:
    """Return shapes side by side as an SVG element with a label.

    The difference to the shapes `after` a move, if there are any, is pale.
    """
    drawings = [draw_shape(shape, left) for shape, left in zip_longest(shapes, after)]
    width = sum(d.width for d in drawings) + GAP * (len(drawings) - 1) + 2 * MARGIN
    height = max(d.height for d in drawings) + 2 * MARGIN
    body, x = [], float(MARGIN)
    for drawing in drawings:
        y = height - MARGIN - drawing.height
        body.append(f'<g transform="translate({x:g} {y:g})">{drawing.body}</g>')
        x += drawing.width + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chocolate" role="img" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" style="max-width:100%;height:auto" font-family="inherit"'
        f' font-size="13" fill="currentColor" aria-label="{escape(label)}"><title>{escape(label)}</title>{"".join(body)}</svg>'
    )


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
