"""Small automata on a page: drawn by Graphviz where it is installed, else as a table of transitions."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.report.digit_patterns import digit_patterns

#: Larger automata are not readable.
MOST_STATES, MOST_TRACKS = 20, 4
#: Lines of an arrow's label in a drawing; all of it is in its title.
MOST_LINES = 4
#: Larger than the letters of the page, so that lines have room.
FONT = 'fontname="DejaVu Sans Mono", fontsize=14'

Edge = tuple[int, int]


def has_graphviz() -> bool:
    """Return whether this machine has Graphviz."""
    return shutil.which("dot") is not None


def is_drawable(automaton: Automaton) -> bool:
    """Return whether an automaton is small enough to be shown."""
    return automaton.states <= MOST_STATES and 1 <= len(automaton.tracks) <= MOST_TRACKS


def draw_automaton(automaton: Automaton, *, graphviz: bool | None = None) -> Markup:
    """Return an automaton as SVG or as a table, without the state from which nothing is accepted.

    Circles are states, double ones accept, the start has an arrow from nowhere. A label lists the digits that lead
    along an arrow, of the first number first; ``*`` is either digit. The drawing is by Graphviz, if it is installed or asked for.
    """
    labels = arrows(automaton)
    by_graphviz = has_graphviz() if graphviz is None else graphviz
    return _drawing(automaton, labels) if by_graphviz else _table(automaton, labels)


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


def _says(automaton: Automaton) -> str:
    return f"Automaton with {automaton.states} states, of which {automaton.accepting.sum()} accept"


def _drawing(automaton: Automaton, labels: Mapping[Edge, Sequence[str]]) -> Markup:
    states = sorted({0, *(state for edge in labels for state in edge)})
    lines = [
        f"node [shape=circle, width=0.42, fixedsize=true, {FONT}]",
        f"edge [arrowsize=0.7, {FONT}]",
        'start [shape=none, width=0.1, label=""]',
        "start -> 0",
        *(f"{q} [peripheries={1 + bool(automaton.accepting[q])}]" for q in states),
        *(f'{p} -> {q} [label="{_lines(read)}"]' for (p, q), read in labels.items()),
    ]
    asked = f"digraph {{ rankdir=LR; bgcolor=transparent; {'; '.join(lines)} }}"
    command = ["dot", "-Tsvg"]
    drawn = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    # Colours and fonts come from the page; ids would occur twice on it.
    drawn = re.sub(r"<!--.*?-->", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    drawn = re.sub(r' (id|fill|stroke|font-family|font-size|xmlns\S*)="[^"]*"', "", drawn)
    size = f'class="automaton" role="img" aria-label="{escape(_says(automaton), quote=True)}"'
    drawn = re.sub(
        r'<svg width="(\d+)pt" height="(\d+)pt"', rf'<svg {size} width="\1" height="\2"', drawn
    )

    def title(edge: re.Match[str]) -> str:
        return f"<title>{', '.join(labels[int(edge[1]), int(edge[2])])}</title>"

    drawn = re.sub(r"<title>(\d+)&#45;&gt;(\d+)</title>", title, drawn)
    return Markup(re.sub(r"<title>[^<]*[a-zG%][^<]*</title>", "", drawn).strip())


def _lines(labels: Sequence[str]) -> str:
    """Return an arrow's label in at most `MOST_LINES` lines, as Graphviz reads them."""
    rows = list(labels)
    if len(rows) > MOST_LINES:
        rows = [" ".join(labels[i : i + 2]) for i in range(0, len(labels), 2)]
    if len(rows) > MOST_LINES:
        rows = [*rows[: MOST_LINES - 1], f"… {len(labels)}"]
    return "\\n".join(rows)


def _table(automaton: Automaton, labels: Mapping[Edge, Sequence[str]]) -> Markup:
    leads: dict[int, list[str]] = defaultdict(list)
    for (p, q), read in sorted(labels.items()):
        leads[p].append(f"{', '.join(read)} → {q}")
    states = sorted({0, *(state for edge in labels for state in edge)})
    rows = "".join(
        f'<tr><td class="state">{q}</td><td>{"yes" if automaton.accepting[q] else ""}</td><td>{"; ".join(leads[q])}</td></tr>'
        for q in states
    )
    head = '<th scope="col">state</th><th scope="col">accepts</th><th scope="col">digits → next state</th>'
    return Markup(
        f'<table class="automaton numbers"><caption>{_says(automaton)}; reading begins in 0.</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
