"""Drawings of shapes as text for terminals, and as SVG for pages and papers.

In an SVG, flat bars consist of squares, solid bars of boxes seen from the bitter corner, and heaps of stones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

from choco_pipeline.drawing.shapes import Boxes, Heaps, Passes, Plus, Shape, Squares

BITTER, SWEET, STONE = "■", "□", "●"
#: Largest width of text, in squares, stones or columns of boxes, and largest height in rows.
WIDEST, TALLEST = 36, 24
#: Colours of chocolate, of the bitter square, and of the lines between squares; a page may restyle the classes.
MILK, MILK_LEFT, MILK_RIGHT, DARK, CUT = "#8a5a36", "#6f4528", "#55331c", "#0b0b0b", "#f1e2cc"
#: Style of the squares that a move takes.
PALE = 'opacity="0.3"'
#: In units of the SVG: the side of a square, the height of a line of text, and the radius of a stone.
UNIT, LABEL, RADIUS = 20.0, 18.0, 9.0
#: Most squares, boxes or stones in a line. In larger drawings each of them stands for a block.
MOST_SQUARES, MOST_BOXES, MOST_STONES = 48, 24, 24
#: A line beside a bar.
LINE = 'stroke="currentColor" stroke-width="1"'
#: A vector in the plane.
Side = tuple[float, float]
#: Space around and between the parts of an SVG, in its units.
MARGIN, GAP = 8, 26


def text_lines(shapes: Sequence[Shape]) -> list[str]:
    """Return shapes side by side as lines of text."""
    blocks = [_lines(shape) for shape in shapes]
    rows = max(map(len, blocks))
    columns = []
    for block in blocks:  # they are aligned at the bottom
        width = max(map(len, block), default=0)
        columns.append([line.ljust(width) for line in [""] * (rows - len(block)) + block])
    return ["   ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def svg_element(shapes: Sequence[Shape], after: Sequence[Shape], label: str) -> str:
    """Return shapes side by side as an SVG element with a label.

    Parts that are missing in the shapes `after` a move, if given, are pale.
    """
    drawings = [_drawing(shape, left) for shape, left in zip_longest(shapes, after)]
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


def _lines(shape: Shape) -> list[str]:
    match shape:
        case Squares():
            return _squares_text(shape)
        case Boxes():
            return _boxes_text(shape)
        case Heaps(sizes, labels):
            width = max(map(len, labels))
            lines = []
            for name, size in zip(labels, sizes, strict=True):
                stones = " ".join([STONE] * min(size, WIDEST))
                more = "" if size <= WIDEST else f" … {size - WIDEST} more"
                lines.append(f"{name:{width}}  {stones}{more}".rstrip())
            return lines
        case Passes(left):
            return [f"passes left: {left}"]
        case Plus():
            return ["+"]


def _squares_text(bar: Squares) -> list[str]:
    """Return a window around the bitter square, and counts of hidden lines."""
    left = min(bar.left, max(WIDEST // 2, WIDEST - bar.right - 1))
    right = min(bar.right, WIDEST - left - 1)
    below = min(bar.below(right), max(TALLEST // 2, TALLEST - bar.top - 1))
    top = min(bar.above(right), TALLEST - below - 1)
    lines = []
    for row in range(top, -below - 1, -1):
        columns = range(-left, right + 1)
        cells = [SWEET if -bar.below(c) <= row <= bar.above(c) else " " for c in columns]
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
    """Return a table of the numbers of boxes: x downwards, z to the right."""
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
    more = {f"columns in {x_label}": bar.x + 1 - n_x, f"columns in {z_label}": bar.z + 1 - n_z}
    return [*lines, *_more(more)]


def _more(hidden: Mapping[str, int]) -> list[str]:
    lines = [f"{count:,} more {what}" for what, count in hidden.items() if count > 0]
    return [f"… {', '.join(lines)}"] if lines else []


@dataclass(frozen=True)
class Drawing:
    """SVG elements with their width and height, from (0, 0)."""

    width: float
    height: float
    body: str


def _drawing(shape: Shape, after: Shape | None) -> Drawing:
    """Return the drawing of `shape`; parts that are missing in `after` are pale."""
    match shape, after:
        case Squares(), Squares() | None:
            return _draw_squares(shape, after)
        case Boxes(), Boxes() | None:
            return _draw_boxes(shape, after)
        case Heaps(), Heaps() | None:
            return _draw_heaps(shape, after)
        case Passes(left), _:
            passed = isinstance(after, Passes) and after.left < left
            return _draw_passes(left, passed)
        case _:
            sign = _text(8, 24, "+", size=22) if isinstance(shape, Plus) else ""
            return Drawing(16, 30, sign)


def _draw_squares(bar: Squares, after: Squares | None) -> Drawing:
    columns, rows = bar.left + bar.right + 1, bar.bottom + bar.top + 1
    block = _block(max(columns, rows), MOST_SQUARES)
    left, right = _blocks(bar.left, block), _blocks(bar.right, block)
    below, top = _blocks(bar.bottom, block), _blocks(bar.top, block)
    unit = max(6.0, min(UNIT, 640 / (left + right + 1)))
    margin_left = LABEL * 3.2 if bar.labels[2] or bar.labels[3] else 0.0
    x0, y0 = margin_left + left * unit, top * unit

    def path(shape: Squares) -> str:
        """Return the path of all squares of `shape`, column by column."""
        squares = []
        for column in range(-_blocks(shape.left, block), _blocks(shape.right, block) + 1):
            at = min(column * block, shape.right)
            lowest, highest = (_blocks(side(at), block) for side in (shape.below, shape.above))
            for row in range(-lowest, highest + 1):
                x, y = x0 + column * unit, y0 - row * unit
                squares.append(f"M{x:g} {y:g}h{unit:g}v{unit:g}h-{unit:g}z")
        return "".join(squares)

    stroke = f'stroke="{CUT}" stroke-width="1"'
    body = [f'<path class="milk" {PALE if after else ""} fill="{MILK}" {stroke} d="{path(bar)}"/>']
    if after is not None:
        body.append(f'<path class="milk" fill="{MILK}" {stroke} d="{path(after)}"/>')
    body.append(
        f'<path class="bitter" fill="{DARK}" {stroke} d="M{x0:g} {y0:g}h{unit:g}v{unit:g}h-{unit:g}z"/>'
    )
    bottom = (top + below + 1) * unit
    for label, count, a, b in (
        (bar.labels[0], bar.left, margin_left, x0),
        (bar.labels[1], bar.right, x0 + unit, x0 + (right + 1) * unit),
    ):
        if label and count:
            body.append(f'<path d="M{a + 1:g} {bottom + 5:g}H{b - 1:g}" {LINE}/>')
            body.append(_length((a + b) / 2, bottom + 19, label, count))
    for label, count, a, b in (
        (bar.labels[2], bar.top, 0.0, y0),
        (bar.labels[3], bar.bottom, y0 + unit, bottom),
    ):
        if label and count:
            x = x0 - left * unit - 5 if bar.left or not bar.top else x0 - 5
            body.append(f'<path d="M{x:g} {a + 1:g}V{b - 1:g}" {LINE}/>')
            body.append(_length(x - 5, (a + b) / 2 + 4, label, count, anchor="end"))
    if block > 1:
        stands_for = f"one square stands for {block} × {block}"
        body.append(_text(margin_left, bottom + 2 * LABEL, stands_for, anchor="start"))
    height = bottom + LABEL * (1.4 if block == 1 else 2.4)
    return Drawing(margin_left + (left + right + 1) * unit, height, "".join(body))


def _draw_boxes(bar: Boxes, after: Boxes | None) -> Drawing:
    """Draw a solid bar, seen from its bitter corner.

    Heights are monotone in x and z. Therefore a box is hidden only by a box on top of it, or by one in front of it at the same
    height. The visible faces are the tops, and the parts of the sides above the neighbours in front. They do not overlap.
    """
    block = _block(max(bar.x, bar.z, bar.y) + 1, MOST_BOXES)
    x, z = _blocks(bar.x, block), _blocks(bar.z, block)
    unit = min(UNIT, 420 / (x + z + 2))
    across = unit * math.cos(math.pi / 6)
    dx, dz, up = (-across, -unit / 2), (across, -unit / 2), unit * 0.9

    def height(shape: Boxes, u: int, w: int) -> int:
        boxes = shape.height(min(u * block, shape.x), min(w * block, shape.z))
        return _blocks(boxes - 1, block) + 1

    tallest = height(bar, x, z)
    origin = (LABEL - (x + 1) * dx[0], -(x + z + 2) * dx[1] + tallest * up)

    def point(u: float, h: float, w: float) -> tuple[float, float]:
        return origin[0] + u * dx[0] + w * dz[0], origin[1] + u * dx[1] + w * dz[1] - h * up

    def face(u: int, h: int, w: int, first: Side, second: Side) -> str:
        (a, b), (c, d) = first, second
        start = point(u, h, w)
        return f"M{start[0]:.1f} {start[1]:.1f}l{a:.1f} {b:.1f}l{c:.1f} {d:.1f}l{-a:.1f} {-b:.1f}z"

    colours = {"milk": MILK, "milk-left": MILK_LEFT, "milk-right": MILK_RIGHT, "bitter": DARK}

    def faces(shape: Boxes, opacity: str) -> str:
        drawn: dict[str, list[str]] = {kind: [] for kind in colours}
        wall = (0.0, -up)
        for u in range(_blocks(shape.x, block), -1, -1):
            for w in range(_blocks(shape.z, block), -1, -1):
                high = height(shape, u, w)
                corner = u == w == 0
                top = "bitter" if corner and high == 1 else "milk"
                drawn[top].append(face(u, high, w, dx, dz))
                # The part of each side above the neighbour in front of it.
                for kind, along, front in (
                    ("milk-left", dx, height(shape, u, w - 1) if w else 0),
                    ("milk-right", dz, height(shape, u - 1, w) if u else 0),
                ):
                    for h in range(front, high):
                        side = "bitter" if corner and h == 0 else kind
                        drawn[side].append(face(u, h, w, along, wall))
        return "".join(
            f'<path class="{name}" {opacity} fill="{colour}" stroke="{CUT}" stroke-width="0.8" stroke-linejoin="round" d="{"".join(drawn[name])}"/>'
            for name, colour in colours.items()
            if drawn[name]
        )

    body = [faces(bar, PALE if after else "")]
    if after is not None:
        body.append(faces(after, ""))
    left_edge, right_edge = point((x + 1) / 2, 0, 0), point(0, 0, (z + 1) / 2)
    top_edge = point(0, tallest, z + 1)
    body.append(_length(left_edge[0] - 6, left_edge[1] + 14, bar.labels[0], bar.x, anchor="end"))
    x_right, y_right = right_edge[0] + 6, right_edge[1] + 14
    body.append(_length(x_right, y_right, bar.labels[2], bar.z, anchor="start"))
    side = point(0, height(bar, 0, z) / 2, z + 1)
    body.append(_length(side[0] + 6, side[1] + 4, bar.labels[1], bar.y, anchor="start"))
    bottom = origin[1] + LABEL
    if block > 1:
        bottom += LABEL
        body.append(_text(origin[0], bottom - 4, f"one box stands for {block} × {block} × {block}"))
    return Drawing(max(top_edge[0], side[0] + 4 * LABEL), bottom, "".join(body))


def _draw_heaps(heaps: Heaps, after: Heaps | None) -> Drawing:
    block = _block(max(heaps.sizes), MOST_STONES)
    tallest = max(_blocks(size, block) for size in heaps.sizes)
    step, body = 2 * RADIUS + 2, []
    pitch = 3.2 * step
    for i, (size, name) in enumerate(zip(heaps.sizes, heaps.labels, strict=True)):
        x = pitch * (i + 0.5)
        kept = _blocks(after.sizes[i], block) if after is not None else _blocks(size, block)
        for stone in range(_blocks(size, block)):
            y = (tallest - stone - 0.5) * step
            pale = PALE if stone >= kept else ""
            body.append(
                f'<circle class="milk" {pale} fill="{MILK}" stroke="{CUT}" cx="{x:g}" cy="{y:g}" r="{RADIUS:g}"/>'
            )
        body.append(_length(x, tallest * step + 16, name, size))
    height = tallest * step + 1.4 * LABEL
    if block > 1:
        body.append(_text(0, height + 14, f"one stone stands for {block}", anchor="start"))
        height += LABEL
    return Drawing(pitch * len(heaps.sizes), height, "".join(body))


def _draw_passes(left: int, passed: bool) -> Drawing:
    """Draw the passes left as tickets; a ticket that the move uses is pale."""
    body = []
    for i in range(min(left, 6)):
        pale = PALE if passed and i == 0 else ""
        body.append(
            f'<g {pale}><rect x="{8 * i + 1}" y="{1 + 3 * i}" width="46" height="22" rx="4" fill="{CUT}" stroke="{MILK_RIGHT}"/>'
            f"{_text(8 * i + 24, 16 + 3 * i, 'pass', fill=MILK_RIGHT)}</g>"
        )
    height = 24 + 3.0 * max(0, min(left, 6) - 1) if left else 0.0
    body.append(_text(0, height + 16, f"passes left: {left}", anchor="start"))
    return Drawing(90, height + 1.4 * LABEL, "".join(body))


def _length(x: float, y: float, label: str, value: int, anchor: str = "middle") -> str:
    """Return the text ``label = value``, with the label in italics."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"><tspan font-style="italic">{label}</tspan> = {value}</text>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "middle",
    size: int = 12,
    fill: str = "currentColor",
) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{text}</text>'


def _block(length: int, most: int) -> int:
    """Return the side of blocks so that `length` squares need at most `most`."""
    return max(1, -(-length // most))


def _blocks(cuts: int, block: int) -> int:
    """Return the number of blocks for `cuts` squares, without the bitter block."""
    return -(-cuts // block)
