"""Small automata as drawings: circles are states, arrows are labelled by the digits that are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape

import numpy as np
from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.report.digit_patterns import digit_patterns
from choco_pipeline.report.proved.automaton_layout import LINE, RADIUS, has_graphviz, lay_out
from choco_pipeline.report.proved.label_places import Rectangle

#: With more states a drawing tells nothing; fewer can be read without Graphviz.
MOST_STATES, MOST_STATES_WITHOUT_GRAPHVIZ = 20, 12
#: With more tracks an arrow would be labelled by words of five digits and more, up to 2^5 of them.
MOST_TRACKS = 4
#: Lines of an arrow's label; all of it is in its title.
MOST_LINES = 4

Edge = tuple[int, int]


def is_drawable(automaton: Automaton, *, graphviz: bool | None = None) -> bool:
    """Return whether an automaton is small enough to be drawn, with Graphviz or, by default, what is installed."""
    by_graphviz = has_graphviz() if graphviz is None else graphviz
    most = MOST_STATES if by_graphviz else MOST_STATES_WITHOUT_GRAPHVIZ
    return automaton.states <= most and 1 <= len(automaton.tracks) <= MOST_TRACKS


def draw_automaton(automaton: Automaton, name: str, *, graphviz: bool | None = None) -> Markup:
    """Return an automaton as SVG, without the state from which nothing is accepted.

    Circles are states, double ones accept, the start has an arrow from nowhere. A label lists the digits that lead
    along an arrow, of the first number first; ``*`` is either digit.

    The name, unique on the page, is an id for the picture's arrow head. Graphviz lays it out if it is installed, or as is asked
    for.
    """
    words = arrows(automaton)
    texts = {edge: _lines(labels) for edge, labels in words.items()}
    layout = lay_out(texts, graphviz=has_graphviz() if graphviz is None else graphviz)
    parts = []
    for curve in layout.curves.values():
        (x, y), *others = curve
        rest = " ".join(f"{u:.1f},{v:.1f}" for u, v in others)
        parts.append(f'<path d="M{x:.1f},{y:.1f}C{rest}" marker-end="url(#{name})"/>')
    for state, (x, y) in sorted(layout.places.items()):
        rings = (RADIUS, RADIUS - 4) if automaton.accepting[state] else (RADIUS,)
        parts += (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.0f}"/>' for r in rings)
        parts.append(
            f'<text class="state" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{state}</text>'
        )
    parts += (_label(box, texts[edge], words[edge]) for edge, box in layout.labels.items())
    accepting = int(automaton.accepting.sum())
    says = f"Automaton with {automaton.states} states, of which {accepting} accept"
    marker = (
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    return Markup(
        f'<svg class="automaton" viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" width="{layout.width:.0f}"'
        f' height="{layout.height:.0f}" role="img" aria-label="{escape(says, quote=True)}">{marker}'
        f"{''.join(parts)}</svg>"
    )


def arrows(automaton: Automaton) -> dict[Edge, list[str]]:
    """Return from which state to which what is read, as `digit_patterns`; nothing of the state that never accepts."""
    delta = automaton.delta
    stays = (delta == np.arange(automaton.states)[:, None]).all(axis=1)
    dead = set(np.flatnonzero(stays & ~automaton.accepting).tolist()) - {0}
    symbols: dict[tuple[int, int], list[int]] = defaultdict(list)
    for p, row in enumerate(delta.tolist()):
        for symbol, q in enumerate(row):
            if p not in dead and q not in dead:
                symbols[p, q].append(symbol)
    tracks = range(len(automaton.tracks))
    return {
        edge: digit_patterns(["".join(str(symbol >> i & 1) for i in tracks) for symbol in read])
        for edge, read in symbols.items()
    }


def _lines(labels: Sequence[str]) -> list[str]:
    """Return an arrow's label in at most `MOST_LINES` lines."""
    if len(labels) <= MOST_LINES:
        return list(labels)
    rows = [" ".join(labels[i : i + 2]) for i in range(0, len(labels), 2)]
    if len(rows) > MOST_LINES:
        rows = [*rows[: MOST_LINES - 1], f"… {len(labels)}"]
    return rows


def _label(box: Rectangle, lines: Sequence[str], labels: Sequence[str]) -> str:
    first = box.y + 4 - LINE / 2 * (len(lines) - 1)
    shown = "".join(
        f'<tspan x="{box.x:.1f}" y="{first + LINE * i:.1f}">{line}</tspan>'
        for i, line in enumerate(lines)
    )
    return f'<text text-anchor="middle"><title>{", ".join(labels)}</title>{shown}</text>'
