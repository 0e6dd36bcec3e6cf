"""Small automata as drawings: states in layers by the digits that lead to them, arrows labelled by what is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from html import escape
from math import cos, hypot, pi, sin

import numpy as np
from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton

MOST_STATES = 12
MOST_TRACKS = 4
RADIUS = 15
ACROSS, DOWN, MARGIN = 132, 92, 62
#: More states than this as far from the start stand around a circle with all others.
MOST_IN_LAYER = 2
LABEL_AT = 0.29

Point = tuple[float, float]


def is_drawable(automaton: Automaton) -> bool:
    """Whether the automaton is small enough to be drawn."""
    return automaton.states <= MOST_STATES and 1 <= len(automaton.tracks) <= MOST_TRACKS


def draw_automaton(automaton: Automaton, name: str) -> Markup:
    """Return an automaton as SVG, without the state from which nothing is accepted.

    Circles are states, double ones accept, the start has an arrow from nowhere. A label lists the digits that lead along
    an arrow, of the first number first; ``*`` is either digit.

    Parameters
    ----------
    automaton
        With at most `MOST_STATES` states.
    name
        An id for the picture's arrow head, unique on the page.
    """
    edges = _edges(automaton)
    layers = _layers(automaton.states, edges)
    places = _places(layers)
    head = f'marker-end="url(#{name})"'
    middle = sum(x for x, _ in places.values()) / len(places)
    centre = sum(y for _, y in places.values()) / len(places)
    around = _around(layers)
    parts = []
    for (p, q), labels in sorted(edges.items()):
        (x, y), (u, v) = places[p], places[q]
        if p == q:
            away = hypot(x - middle, y - centre)
            outwards = ((x - middle) / away, (y - centre) / away) if around else (0.0, -1.0)
            outwards = (-0.5, 0.87) if around and p == 0 else outwards  # beside the start's arrow
            parts.append(_loop(places[p], outwards, labels, head))
        else:
            straight = (q, p) not in edges and abs(layers[p] - layers[q]) == 1 and not around
            bend = 0.0 if straight else max(22.0, 0.14 * hypot(u - x, v - y))
            parts.append(_arrow((x, y), (u, v), bend, labels, head))
    for state, (x, y) in sorted(places.items()):
        rings = (RADIUS, RADIUS - 4) if automaton.accepting[state] else (RADIUS,)
        parts += (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>' for r in rings)
        parts.append(
            f'<text class="state" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{state}</text>'
        )
    x, y = places[0]
    parts.append(f'<path d="M{x - RADIUS - 26:.1f} {y:.1f}H{x - RADIUS - 3:.1f}" {head}/>')
    width = max(x for x, _ in places.values()) + MARGIN
    height = max(y for _, y in places.values()) + MARGIN
    accepting = int(automaton.accepting.sum())
    says = f"Automaton with {automaton.states} states, of which {accepting} accept"
    marker = (
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    return Markup(
        f'<svg class="automaton" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img"'
        f' aria-label="{escape(says, quote=True)}">{marker}{"".join(parts)}</svg>'
    )


def digit_sets(symbols: Sequence[int], tracks: int) -> list[str]:
    """Return few patterns of digits, of track 0 first, that are together exactly the symbols.

    Examples
    --------
    >>> digit_sets([0, 3, 5, 6], 3)
    ['000', '011', '101', '110']
    >>> digit_sets([1, 3, 5, 7, 0], 3)
    ['*00', '1**']
    """
    left = {"".join(str(symbol >> i & 1) for i in range(tracks)) for symbol in symbols}
    patterns = set(left)
    grown = set(left)
    while grown:
        grown = {
            f"{one[:i]}*{one[i + 1 :]}"
            for one in grown
            for i, digit in enumerate(one)
            if digit == "0" and f"{one[:i]}1{one[i + 1 :]}" in grown
        }
        patterns |= grown
    chosen = []
    for pattern in sorted(patterns, key=lambda pattern: (-pattern.count("*"), pattern)):
        covers = {word for word in left if _fits(word, pattern)}
        if covers:
            chosen.append(pattern)
            left -= covers
    return sorted(chosen)


def _fits(word: str, pattern: str) -> bool:
    return all(p in ("*", d) for d, p in zip(word, pattern, strict=True))


def _edges(automaton: Automaton) -> dict[tuple[int, int], list[str]]:
    delta = automaton.delta
    stays = (delta == np.arange(automaton.states)[:, None]).all(axis=1)
    dead = set(np.flatnonzero(stays & ~automaton.accepting).tolist()) - {0}
    symbols: dict[tuple[int, int], list[int]] = defaultdict(list)
    for p, row in enumerate(delta.tolist()):
        for symbol, q in enumerate(row):
            if p not in dead and q not in dead:
                symbols[p, q].append(symbol)
    return {edge: digit_sets(read, len(automaton.tracks)) for edge, read in symbols.items()}


def _layers(states: int, edges: dict[tuple[int, int], list[str]]) -> dict[int, int]:
    """Return for each state to be drawn the least number of digits that lead to it."""
    found, layer, number = {0: 0}, [0], 0
    while layer:
        number += 1
        layer = [q for q in range(states) if q not in found and any((p, q) in edges for p in layer)]
        found |= dict.fromkeys(layer, number)
    return found


def _places(layers: dict[int, int]) -> dict[int, Point]:
    """Return where the states stand: in layers, or, if one has more than two states, around a circle."""
    by_layer: dict[int, list[int]] = defaultdict(list)
    for state, layer in layers.items():
        by_layer[layer].append(state)
    tallest = max(map(len, by_layer.values()))
    if _around(layers):
        radius = 20 + 25 * len(layers)
        centre = MARGIN + radius
        angles = {state: pi + 2 * pi * i / len(layers) for i, state in enumerate(layers)}
        return {q: (centre + radius * cos(a), centre + radius * sin(a)) for q, a in angles.items()}
    return {
        state: (MARGIN + layer * ACROSS, MARGIN + (i + (tallest - len(members)) / 2) * DOWN)
        for layer, members in by_layer.items()
        for i, state in enumerate(members)
    }


def _around(layers: dict[int, int]) -> bool:
    return max(Counter(layers.values()).values()) > MOST_IN_LAYER


def _loop(place: Point, outwards: Point, labels: list[str], head: str) -> str:
    (x, y), (dx, dy) = place, outwards

    def at(along: float, beside: float) -> str:
        return f"{x + along * dx - beside * dy:.1f} {y + along * dy + beside * dx:.1f}"

    loop = f"M{at(RADIUS - 2, -7)}C{at(46, -22)} {at(46, 22)} {at(RADIUS + 1, 7)}"
    beyond = 42 + 5 * (len(labels) > 2)
    return f'<path d="{loop}" {head}/>{_label(x + beyond * dx, y + beyond * dy, labels)}'


def _arrow(start: Point, end: Point, bend: float, labels: list[str], head: str) -> str:
    (x, y), (u, v) = start, end
    length = hypot(u - x, v - y)
    dx, dy = (u - x) / length, (v - y) / length
    middle = ((x + u) / 2 + dy * bend, (y + v) / 2 - dx * bend)
    ends = []
    for (a, b), gap in ((start, RADIUS), (end, RADIUS + 2)):
        away = hypot(middle[0] - a, middle[1] - b)
        ends.append((a + (middle[0] - a) / away * gap, b + (middle[1] - b) / away * gap))
    (a, b), (c, d) = ends
    curve = f"M{a:.1f} {b:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {c:.1f} {d:.1f}"
    # nearer to the start, where arrows from other states are not yet close
    at = LABEL_AT
    place = [
        (1 - at) ** 2 * p + 2 * at * (1 - at) * m + at**2 * q
        for p, m, q in ((a, middle[0], c), (b, middle[1], d))
    ]
    return f'<path d="{curve}" {head}/>{_label(place[0], place[1], labels)}'


def _label(x: float, y: float, labels: list[str]) -> str:
    """Return at most three lines of labels, and in a tooltip all of them."""
    rows = [", ".join(labels[i : i + 2]) for i in range(0, len(labels), 2)]
    if len(rows) > 3:
        rows = [*rows[:2], f"… {len(labels)} in all"]
    first = y + 4 - 5.5 * (len(rows) - 1)
    lines = "".join(
        f'<tspan x="{x:.1f}" y="{first + 11 * i:.1f}">{row}</tspan>' for i, row in enumerate(rows)
    )
    return f'<text text-anchor="middle"><title>{", ".join(labels)}</title>{lines}</text>'
