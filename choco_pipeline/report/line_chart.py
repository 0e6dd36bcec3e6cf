"""Small charts of whole numbers as inline SVG, in the page's own colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import log10

from markupsafe import Markup

WIDTH, HEIGHT = 430, 250
TOP, BOTTOM, RIGHT = 16, 44, 14
#: Approximate width of a character of a label, and least distance of two labels.
CHARACTER, APART = 7.0, 15
#: Beyond this ratio of the largest to the least value, the scale is logarithmic.
LINEAR_RATIO = 30
#: Distance of 0 below 1 on a logarithmic scale, more than that of two labels.
ZERO_BAND = 20
DASHES = ("", "6 3", "2 3", "8 3 2 3")
MOST_TICKS = 6
#: Number of named lines; others are faded.
MOST_NAMED = 4
LONGEST_NAME = 24


@dataclass(frozen=True)
class Line:
    """Points (x, y), y at least 0, and their name, which is part of their titles."""

    name: str
    points: Sequence[tuple[int, int]]


def line_chart(lines: Sequence[Line], x_label: str, y_label: str) -> Markup:
    """Return the lines as an SVG with axes, and names that do not overlap.

    Each line has a point. Of more than `MOST_NAMED` lines, the highest, the lowest and some between are named.
    """
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    least, most = min(xs), max(max(xs), min(xs) + 1)
    logarithmic = max(ys) > LINEAR_RATIO * max(1, min(ys))
    top = max(*ys, 1)
    # A logarithmic scale has no place for 0: it gets one of its own below 1.
    below_one = ZERO_BAND if logarithmic and min(ys) == 0 else 0
    ticks = [*([0] if below_one else []), *_powers(top)] if logarithmic else _steps(0, top)
    named = _named(lines) if len(lines) > 1 else []
    left = 30 + CHARACTER * max(len(f"{tick:,}") for tick in ticks)
    beside = max((len(_short(lines[i].name)) for i in named), default=0)
    right = WIDTH - RIGHT - (18 + CHARACTER * beside if beside else 0)

    def across(x: float) -> float:
        return left + (x - least) / (most - least) * (right - left)

    def up(y: float) -> float:
        if not logarithmic:
            return HEIGHT - BOTTOM - y / top * (HEIGHT - BOTTOM - TOP)
        if y == 0:
            return HEIGHT - BOTTOM
        one = HEIGHT - BOTTOM - below_one
        return one - log10(y) / log10(top) * (one - TOP)

    parts = [
        f'<path d="M{left:.1f} {up(tick):.1f}H{right:.1f}" class="grid-line"/>'
        f'<text x="{left - 8:.1f}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:,}</text>'
        for tick in ticks
    ]
    parts += (
        f'<text x="{across(tick):.1f}" y="{HEIGHT - BOTTOM + 21}" text-anchor="middle">{tick}</text>'
        for tick in _steps(least, most)
    )
    for i, line in enumerate(lines):
        points = sorted(line.points)
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        faded = ' class="faded"' if len(lines) > MOST_NAMED and i not in named else ""
        dashes = f' stroke-dasharray="{DASHES[named.index(i)]}"' if i in named[1:] else ""
        circles = "".join(
            f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3"><title>'
            f"{escape(line.name)}{': ' if line.name else ''}{escape(x_label)} {x}, {y:,}</title></circle>"
            for x, y in points
        )
        parts.append(f'<g{faded}><polyline points="{path}"{dashes}/>{circles}</g>')
    ends = [max(lines[i].points) for i in named]
    for i, (x, y), place in zip(named, ends, _apart([up(y) for _, y in ends]), strict=True):
        parts.append(
            f'<path d="M{across(x) + 5:.1f} {up(y):.1f}L{right + 12:.1f} {place:.1f}" class="leader"/>'
            f'<text x="{right + 16:.1f}" y="{place + 4:.1f}">{escape(_short(lines[i].name))}</text>'
        )
    middle = (HEIGHT - BOTTOM + TOP) / 2
    scale = ", logarithmic" if logarithmic else ""
    parts.append(
        f'<text x="{(left + right) / 2:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
        f'<text transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}{scale}</text>'
    )
    label = escape(f"{y_label} against {x_label}", quote=True)
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _named(lines: Sequence[Line]) -> list[int]:
    order = sorted(range(len(lines)), key=lambda i: (-max(lines[i].points)[1], i))
    if len(order) <= MOST_NAMED:
        return order
    return [order[i * (len(order) - 1) // (MOST_NAMED - 1)] for i in range(MOST_NAMED)]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _apart(wanted: Sequence[float]) -> list[float]:
    """Return ascending places, close to the wanted ones, with room for labels.

    Examples
    --------
    >>> _apart([20, 21, 100]), _apart([206, 206])
    ([20, 35, 100], [191, 206])
    """
    places: list[float] = []
    for want in wanted:
        places.append(max(want, places[-1] + APART) if places else want)
    below: float = HEIGHT - BOTTOM
    for i in reversed(range(len(places))):
        places[i] = min(places[i], below)
        below = places[i] - APART
    return places


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
