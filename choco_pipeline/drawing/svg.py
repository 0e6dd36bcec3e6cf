"""Shapes as SVG: flat bars as squares, solid bars as boxes, heaps as stones.

Boxes are seen from the bitter corner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from choco_pipeline.drawing.shapes import Boxes, Heaps, Passes, Plus, Shape, Squares

#: Colours of chocolate, of the bitter square, and of the cuts between; a page may restyle the classes.
MILK, MILK_LEFT, MILK_RIGHT, BITTER, CUT = "#8a5a36", "#6f4528", "#55331c", "#0b0b0b", "#f1e2cc"
#: What a move takes away.
PALE = 'opacity="0.3"'
#: In the picture's own units, pixels where a page shows it in full size: the side of a square, the height of a line of text, and
#: the radius of a stone.
UNIT, LABEL, STONE = 20.0, 18.0, 9.0
#: Larger drawings are made of blocks: this many squares, boxes or stones at most stand in a line.
MOST_SQUARES, MOST_BOXES, MOST_STONES = 48, 24, 24


@dataclass(frozen=True)
class Drawing:
    """SVG elements and the room they take, from (0, 0)."""

    width: float
    height: float
    body: str


def draw_shape(shape: Shape, after: Shape | None) -> Drawing:
    """Return the drawing of `shape`; the parts that are missing in `after` are pale."""
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
    unit = _unit(left + right + 1)
    margin_left = LABEL * 3.2 if bar.labels[2] or bar.labels[3] else 0.0
    x0, y0 = margin_left + left * unit, top * unit

    def path(shape: Squares) -> str:
        """Return every square of `shape`, column by column."""
        squares = []
        for column in range(-_blocks(shape.left, block), _blocks(shape.right, block) + 1):
            at = min(column * block, shape.right)
            lowest, highest = (_blocks(side(at), block) for side in (shape.below, shape.above))
            for row in range(-lowest, highest + 1):
                squares.append(
                    f"M{x0 + column * unit:g} {y0 - row * unit:g}h{unit:g}v{unit:g}h-{unit:g}z"
                )
        return "".join(squares)

    stroke = f'stroke="{CUT}" stroke-width="1"'
    body = [f'<path class="milk" {PALE if after else ""} fill="{MILK}" {stroke} d="{path(bar)}"/>']
    if after is not None:
        body.append(f'<path class="milk" fill="{MILK}" {stroke} d="{path(after)}"/>')
    body.append(
        f'<path class="bitter" fill="{BITTER}" {stroke} d="M{x0:g} {y0:g}h{unit:g}v{unit:g}h-{unit:g}z"/>'
    )
    bottom = (top + below + 1) * unit
    for label, count, span in (
        (bar.labels[0], bar.left, (margin_left, x0)),
        (bar.labels[1], bar.right, (x0 + unit, x0 + (right + 1) * unit)),
    ):
        if label:
            body.append(_extent_below(label, count, span, bottom + 5))
    for label, count, span in (
        (bar.labels[2], bar.top, (0.0, y0)),
        (bar.labels[3], bar.bottom, (y0 + unit, bottom)),
    ):
        if label:
            x = x0 - left * unit - 5 if bar.left or not bar.top else x0 - 5
            body.append(_extent_beside(label, count, span, x))
    if block > 1:
        stands_for = f"one square stands for {block} × {block}"
        body.append(_text(margin_left, bottom + 2 * LABEL, stands_for, anchor="start"))
    return Drawing(
        margin_left + (left + right + 1) * unit,
        bottom + LABEL * (1.4 if block == 1 else 2.4),
        "".join(body),
    )


def _extent_below(label: str, count: int, span: tuple[float, float], y: float) -> str:
    a, b = span
    if not count:
        return ""
    line = f'<path d="M{a + 1:g} {y:g}H{b - 1:g}" stroke="currentColor" stroke-width="1"/>'
    return line + _length((a + b) / 2, y + 14, label, count)


def _extent_beside(label: str, count: int, span: tuple[float, float], x: float) -> str:
    a, b = span
    if not count:
        return ""
    line = f'<path d="M{x:g} {a + 1:g}V{b - 1:g}" stroke="currentColor" stroke-width="1"/>'
    return line + _length(x - 5, (a + b) / 2 + 4, label, count, anchor="end")


def _draw_boxes(bar: Boxes, after: Boxes | None) -> Drawing:
    """Draw a solid bar from in front of its bitter corner.

    Heights do not fall in x or z, so no box is hidden but by a box on top of it or in front of it at the same height:
    the tops and, of each side, what stands above the neighbour in front is all that is seen, in any order.
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

    def face(
        u: int, h: int, w: int, first: tuple[float, float], second: tuple[float, float]
    ) -> str:
        (a, b), (c, d) = first, second
        start = point(u, h, w)
        return f"M{start[0]:.1f} {start[1]:.1f}l{a:.1f} {b:.1f}l{c:.1f} {d:.1f}l{-a:.1f} {-b:.1f}z"

    def faces(shape: Boxes, opacity: str) -> str:
        tops: list[str] = []
        lefts: list[str] = []
        rights: list[str] = []
        bitter: list[str] = []
        wall = (0.0, -up)
        for u in range(_blocks(shape.x, block), -1, -1):
            for w in range(_blocks(shape.z, block), -1, -1):
                high = height(shape, u, w)
                corner = u == w == 0
                (bitter if corner and high == 1 else tops).append(face(u, high, w, dx, dz))
                for h in range(height(shape, u, w - 1) if w else 0, high):
                    (bitter if corner and h == 0 else lefts).append(face(u, h, w, dx, wall))
                for h in range(height(shape, u - 1, w) if u else 0, high):
                    (bitter if corner and h == 0 else rights).append(face(u, h, w, dz, wall))
        kinds = (
            ("milk", MILK, tops),
            ("milk-left", MILK_LEFT, lefts),
            ("milk-right", MILK_RIGHT, rights),
            ("bitter", BITTER, bitter),
        )
        return "".join(
            f'<path class="{name}" {opacity} fill="{colour}" stroke="{CUT}" stroke-width="0.8" stroke-linejoin="round" d="{"".join(drawn)}"/>'
            for name, colour, drawn in kinds
            if drawn
        )

    body = [faces(bar, PALE if after else "")]
    if after is not None:
        body.append(faces(after, ""))
    left_edge, right_edge = point((x + 1) / 2, 0, 0), point(0, 0, (z + 1) / 2)
    top_edge = point(0, tallest, z + 1)
    body.append(_length(left_edge[0] - 6, left_edge[1] + 14, bar.labels[0], bar.x, anchor="end"))
    body.append(
        _length(right_edge[0] + 6, right_edge[1] + 14, bar.labels[2], bar.z, anchor="start")
    )
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
    step, body = 2 * STONE + 2, []
    pitch = 3.2 * step
    for i, (size, name) in enumerate(zip(heaps.sizes, heaps.labels, strict=True)):
        x = pitch * (i + 0.5)
        kept = _blocks(after.sizes[i], block) if after is not None else _blocks(size, block)
        for stone in range(_blocks(size, block)):
            y = (tallest - stone - 0.5) * step
            pale = PALE if stone >= kept else ""
            body.append(
                f'<circle class="milk" {pale} fill="{MILK}" stroke="{CUT}" cx="{x:g}" cy="{y:g}" r="{STONE:g}"/>'
            )
        body.append(_length(x, tallest * step + 16, name, size))
    height = tallest * step + 1.4 * LABEL
    if block > 1:
        body.append(_text(0, height + 14, f"one stone stands for {block}", anchor="start"))
        height += LABEL
    return Drawing(pitch * len(heaps.sizes), height, "".join(body))


def _draw_passes(left: int, passed: bool) -> Drawing:
    """Draw what is left as tickets; the one that a move uses is pale."""
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
    """Return ``y = 2``, the name in italics."""
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


def _unit(columns: int) -> float:
    return max(6.0, min(UNIT, 640 / columns))


def _block(length: int, most: int) -> int:
    """Return the side in squares of one drawn square."""
    return max(1, -(-length // most))


def _blocks(cuts: int, block: int) -> int:
    """Return the number of blocks for `cuts` squares besides the bitter block."""
    return -(-cuts // block)
