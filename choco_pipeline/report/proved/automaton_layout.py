"""Where the states and arrows of a drawn automaton are: by Graphviz, or without it in layers or on a circle."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.report.proved.label_places import Rectangle, place_labels

RADIUS = 15.0
#: The size of a character of a label, and of the space around a label.
CHARACTER, LINE, AROUND = 6.8, 12.0, 3.0
ACROSS, DOWN = 140.0, 100.0
#: More states than this as far from the start stand around a circle with all others.
MOST_IN_LAYER = 2
MARGIN = 8.0
#: A layout in which not all labels have room is spread by this, so often.
SPREAD, MOST_SPREADS = 1.2, 12
START = -1

Point = tuple[float, float]
Edge = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """A drawing in pixels, the origin at the top left."""

    width: float
    height: float
    #: The centre of each state's circle, of radius `RADIUS`.
    places: Mapping[int, Point]
    #: For each arrow, and for that to the start from `START`, the 3n+1 points of n cubic Bézier curves in a row.
    curves: Mapping[Edge, Sequence[Point]]
    #: For each arrow with a label, the box that its text has for itself.
    labels: Mapping[Edge, Rectangle]


def has_graphviz() -> bool:
    """Return whether this machine has Graphviz."""
    return shutil.which("dot") is not None


def lay_out(labels: Mapping[Edge, Sequence[str]], *, graphviz: bool) -> Layout:
    """Return a layout in which no two labels, and no label and a state, overlap.

    Labels are given by the arrow's two states; every state can be reached from state 0. Raises `FileNotFoundError` or
    `subprocess.CalledProcessError` if Graphviz is asked for, and is not there or fails.
    """
    places, curves = _by_graphviz(labels) if graphviz else _by_layers(labels)
    sizes = {edge: _size(lines) for edge, lines in labels.items()}
    scale = 1.0
    for _ in range(MOST_SPREADS):
        moved = {q: (scale * x, scale * y) for q, (x, y) in places.items()}
        drawn = {edge: _spread(edge, curve, places, scale) for edge, curve in curves.items()}
        paths = {edge: samples(curve) for edge, curve in drawn.items()}
        boxes = place_labels(sizes, paths, list(moved.values()), RADIUS)
        if boxes is not None:
            return _framed(moved, drawn, boxes)
        scale *= SPREAD
    raise ValueError(f"no room for {len(labels)} labels")  # spread enough, every label has room


def samples(curve: Sequence[Point]) -> NDArray[np.float64]:
    """Return points along Bézier curves, ends included: shape (points, 2)."""
    t = np.linspace(0, 1, 17)[:, None]
    pieces = []
    for i in range(0, len(curve) - 1, 3):
        a, b, c, d = (np.array(point) for point in curve[i : i + 4])
        pieces.append(
            (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
        )
    return np.concatenate(pieces)


def _size(lines: Sequence[str]) -> Point:
    return CHARACTER * max(map(len, lines)) + AROUND, LINE * len(lines) + AROUND


def _spread(
    edge: Edge, curve: Sequence[Point], places: Mapping[int, Point], scale: float
) -> list[Point]:
    """Return the curve between states moved apart by `scale`; its ends keep their distance from them."""
    p, q = edge
    (a, b), (c, d) = places[max(p, q) if p == START else p], places[q]
    last = len(curve) - 1
    spread = []
    for i, (x, y) in enumerate(curve):
        share = i / last
        u, v = (1 - share) * a + share * c, (1 - share) * b + share * d
        grown = 1 + (scale - 1) * (p != q and 0 < i < last and p != START)
        spread.append((scale * u + grown * (x - u), scale * v + grown * (y - v)))
    return spread


def _framed(
    places: Mapping[int, Point],
    curves: Mapping[Edge, Sequence[Point]],
    labels: Mapping[Edge, Rectangle],
) -> Layout:
    """Return the drawing moved to where it begins at the top left, with a margin."""
    points = [point for curve in curves.values() for point in samples(curve).tolist()]
    points += [(x + i * RADIUS, y + i * RADIUS) for x, y in places.values() for i in (-1, 1)]
    points += [corner for box in labels.values() for corner in box.corners]
    low = np.min(points, axis=0) - MARGIN
    width, height = (np.max(points, axis=0) + MARGIN - low).tolist()
    left, top = low.tolist()
    return Layout(
        width,
        height,
        {q: (x - left, y - top) for q, (x, y) in places.items()},
        {edge: [(x - left, y - top) for x, y in curve] for edge, curve in curves.items()},
        {edge: box.moved(-left, -top) for edge, box in labels.items()},
    )


def _by_graphviz(
    labels: Mapping[Edge, Sequence[str]],
) -> tuple[dict[int, Point], dict[Edge, Sequence[Point]]]:
    """Return places and curves by ``dot``, which leaves room for the labels."""
    size = 2 * RADIUS / 72
    lines = [
        "digraph { rankdir=LR; nodesep=0.35; ranksep=0.3; "
        f'node [shape=circle, fixedsize=true, width={size:.4f}, label=""]; edge [arrowhead=none];',
        "start [width=0.01]; start -> 0 [minlen=1];",
    ]
    for (p, q), text in sorted(labels.items()):
        width, height = _size(text)
        fixed = f'BORDER="0" FIXEDSIZE="TRUE" WIDTH="{width:.0f}" HEIGHT="{height:.0f}"'
        lines.append(f"{p} -> {q} [label=<<TABLE {fixed}><TR><TD></TD></TR></TABLE>>];")
    drawn = subprocess.run(
        ["dot", "-Tjson0"],
        input="\n".join([*lines, "}"]),
        capture_output=True,
        text=True,
        check=True,
    )
    graph = json.loads(drawn.stdout)
    names = {
        node["_gvid"]: START if node["name"] == "start" else int(node["name"])
        for node in graph["objects"]
    }
    places = {names[node["_gvid"]]: _point(node["pos"]) for node in graph["objects"]}
    curves: dict[Edge, Sequence[Point]] = {
        (names[edge["tail"]], names[edge["head"]]): [_point(pair) for pair in edge["pos"].split()]
        for edge in graph["edges"]
    }
    del places[START]
    return places, curves


def _point(text: str) -> Point:
    """Return a point that Graphviz wrote; its y grows upward."""
    x, y = text.split(",")
    return float(x), -float(y)


def _by_layers(
    labels: Mapping[Edge, Sequence[str]],
) -> tuple[dict[int, Point], dict[Edge, Sequence[Point]]]:
    """Return places in layers by how many digits lead there, or, with a broad layer, around a circle; and curves."""
    layers = _layers(labels)
    around = max(Counter(layers.values()).values()) > MOST_IN_LAYER
    places = _on_circle(layers) if around else _in_layers(layers)
    middle = tuple(np.mean(list(places.values()), axis=0).tolist())
    x, y = places[0]
    curves: dict[Edge, Sequence[Point]] = {
        (START, 0): [(x - RADIUS - 24 + 8 * i, y) for i in range(4)]
    }
    for p, q in labels:
        if p == q:
            away = (places[p][0] - middle[0], places[p][1] - middle[1])
            far = hypot(*away)
            outwards = (away[0] / far, away[1] / far) if around and far else (0.0, -1.0)
            outwards = (-0.5, 0.87) if around and p == 0 else outwards  # beside the start's arrow
            curves[p, q] = _loop(places[p], outwards)
        else:
            straight = (q, p) not in labels and abs(layers[p] - layers[q]) == 1 and not around
            length = hypot(places[p][0] - places[q][0], places[p][1] - places[q][1])
            curves[p, q] = _bow(places[p], places[q], 0 if straight else max(26.0, 0.16 * length))
    return places, curves


def _layers(labels: Mapping[Edge, Sequence[str]]) -> dict[int, int]:
    """Return for each state the least number of digits that lead to it."""
    layers, layer, number = {0: 0}, [0], 0
    while layer:
        number += 1
        layer = sorted({q for p, q in labels if p in layer and q not in layers})
        layers |= dict.fromkeys(layer, number)
    return layers


def _on_circle(layers: Mapping[int, int]) -> dict[int, Point]:
    radius = 25 + 27 * len(layers)
    angles = {state: pi + 2 * pi * i / len(layers) for i, state in enumerate(layers)}
    return {state: (radius * cos(a), radius * sin(a)) for state, a in angles.items()}


def _in_layers(layers: Mapping[int, int]) -> dict[int, Point]:
    members: dict[int, list[int]] = defaultdict(list)
    for state, layer in layers.items():
        members[layer].append(state)
    return {
        state: (layer * ACROSS, (i - (len(states) - 1) / 2) * DOWN)
        for layer, states in members.items()
        for i, state in enumerate(states)
    }


def _loop(place: Point, outwards: Point) -> list[Point]:
    (x, y), (dx, dy) = place, outwards
    ends = ((RADIUS - 1, -7), (46, -24), (46, 24), (RADIUS - 1, 7))
    return [(x + a * dx - b * dy, y + a * dy + b * dx) for a, b in ends]


def _bow(start: Point, end: Point, bend: float) -> list[Point]:
    """Return a curve between the rims of two states, `bend` off the straight line, to the left of its way."""
    (x, y), (u, v) = start, end
    length = hypot(u - x, v - y)
    dx, dy = (u - x) / length, (v - y) / length
    middle = ((x + u) / 2 + dy * bend, (y + v) / 2 - dx * bend)
    rims = []
    for a, b in (start, end):
        away = hypot(middle[0] - a, middle[1] - b)
        rims.append((a + (middle[0] - a) / away * RADIUS, b + (middle[1] - b) / away * RADIUS))
    (a, b), (c, d) = rims
    inner = [((r + 2 * middle[0]) / 3, (s + 2 * middle[1]) / 3) for r, s in rims]
    return [(a, b), inner[0], inner[1], (c, d)]
