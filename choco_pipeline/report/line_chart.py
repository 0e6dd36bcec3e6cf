"""Small charts of whole numbers as inline SVG, in the page's own colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import log10

from markupsafe import Markup

WIDTH, HEIGHT = 420, 230
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 22, 42
#: Beyond this ratio of the largest to the least value, the scale is logarithmic.
LINEAR_RATIO = 30
DASHES = ("", "6 3", "2 3", "8 3 2 3")
MOST_TICKS = 6


@dataclass(frozen=True)
class Line:
    """Points (x, y), y at least 0, and what they are; each point's title is its own."""

    name: str
    points: Sequence[tuple[int, int]]


def line_chart(lines: Sequence[Line], x_label: str, y_label: str) -> Markup:
    """Return the lines as an SVG with axes; lines are told apart by dashes and their names.

    Parameters
    ----------
    lines
        At least one point in all.
    """
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    left, right = min(xs), max(max(xs), min(xs) + 1)
    logarithmic = max(ys) > LINEAR_RATIO * max(1, min(ys))
    top = max(*ys, 1)

    def across(x: float) -> float:
        return LEFT + (x - left) / (right - left) * (WIDTH - LEFT - RIGHT)

    def up(y: float) -> float:
        share = log10(max(y, 1)) / log10(top) if logarithmic else y / top
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    parts = []
    for tick in _powers(top) if logarithmic else _steps(0, top):
        parts.append(
            f'<path d="M{LEFT} {up(tick):.1f}H{WIDTH - RIGHT}" class="grid-line"/>'
            f'<text x="{LEFT - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:,}</text>'
        )
    for tick in _steps(left, right):
        parts.append(
            f'<text x="{across(tick):.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{tick}</text>'
        )
    for i, line in enumerate(lines):
        points = sorted(line.points)
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" stroke-dasharray="{DASHES[i % len(DASHES)]}"/>')
        parts += (
            f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3"><title>'
            f"{escape(line.name)}{': ' if line.name else ''}{escape(x_label)} {x}, {y:,}</title></circle>"
            for x, y in points
        )
        if len(lines) > 1:
            x, y = points[-1]
            parts.append(
                f'<text x="{across(x):.1f}" y="{up(y) - 7:.1f}" text-anchor="end">{escape(line.name)}</text>'
            )
    middle = (HEIGHT - BOTTOM + TOP) / 2
    scale = ", logarithmic" if logarithmic else ""
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
        f'<text transform="translate(12 {middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}{scale}</text>'
    )
    says = escape(f"{y_label} against {x_label}", quote=True)
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="{says}">'
        f"{''.join(parts)}</svg>"
    )


def _steps(low: int, high: int) -> list[int]:
    """Return round numbers from `low` to `high`, at most `MOST_TICKS` of them.

    Examples
    --------
    >>> _steps(0, 17), _steps(1, 4)
    ([0, 5, 10, 15], [1, 2, 3, 4])
    """
    step, sizes = 1, (2, 5, 10)
    for i in range(99):
        ticks = list(range(-(-low // step) * step, high + 1, step))
        if len(ticks) <= MOST_TICKS:
            return ticks
        step = sizes[i % 3] * 10 ** (i // 3)
    return [low, high]


def _powers(high: int) -> list[int]:
    powers = [10**e for e in range(len(str(high)))]
    return powers[:: -(-len(powers) // MOST_TICKS)]
