"""Pictures of small automata, and an example of one that reads a position.

Graphviz draws them if it is installed; otherwise they are tables.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product

import numpy as np
from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.report.digit_patterns import digit_patterns

#: Larger automata are not readable.
MOST_STATES, MOST_TRACKS = 20, 4
#: Lines of an arrow's label in a drawing; all of it is in its title.
MOST_LINES = 4
#: Larger than the letters of the page, so that lines have room.
FONT = 'fontname="DejaVu Sans Mono", fontsize=14'

Edge = tuple[int, int]


def has_graphviz() -> bool:
    """Whether this machine has Graphviz."""
    return shutil.which("dot") is not None


def is_drawable(automaton: Automaton) -> bool:
    """Whether an automaton is small enough to be drawn."""
    return automaton.states <= MOST_STATES and 1 <= len(automaton.tracks) <= MOST_TRACKS


def draw_automaton(automaton: Automaton, *, graphviz: bool | None = None) -> Markup:
    """Return an automaton as SVG or as a table, without its dead state.

    Circles are states, double ones accept, the start has an arrow from nowhere. A label lists the digits that lead along an
    arrow, the first number's digit first; ``*`` is either digit. Graphviz draws if `graphviz` is True, or None and it is
    installed.
    """
    labels = arrows(automaton)
    by_graphviz = has_graphviz() if graphviz is None else graphviz
    return _drawing(automaton, labels) if by_graphviz else _table(automaton, labels)


def arrows(automaton: Automaton) -> dict[Edge, list[str]]:
    """Return the `digit_patterns` of each pair of states, without the dead state."""
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


def _description(automaton: Automaton) -> str:
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
    graph = f"digraph {{ rankdir=LR; bgcolor=transparent; {'; '.join(lines)} }}"
    command = ["dot", "-Tsvg"]
    drawn = subprocess.run(command, input=graph, capture_output=True, text=True, check=True).stdout
    # Colours and fonts come from the page; ids would occur twice on it.
    drawn = re.sub(r"<!--.*?-->", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    drawn = re.sub(r' (id|fill|stroke|font-family|font-size|xmlns\S*)="[^"]*"', "", drawn)
    size = (
        f'class="automaton" role="img" aria-label="{escape(_description(automaton), quote=True)}"'
    )
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
        f'<table class="automaton numbers"><caption>{_description(automaton)}; reading begins in 0.</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


#: The coordinates of the example position are less than this.
BELOW = 8
#: Fewest and most states of a good example.
FEWEST_READ, MOST_READ = 3, 8


@dataclass(frozen=True)
class ReadingStep:
    """One column of digits, and the states around it; None after a dead end."""

    digits: str
    before: int
    after: int | None


@dataclass(frozen=True)
class ReadPosition:
    """A position, and the run of an automaton that reads it."""

    position: tuple[int, ...]
    #: The coordinates in base 2, all of the same length.
    binary: list[str]
    steps: list[ReadingStep]
    #: Whether the automaton accepts: it is a P-position.
    yes: bool

    @property
    def last(self) -> int | None:
        """The state in which reading ends; None if it got stuck."""
        return self.steps[-1].after


@dataclass(frozen=True)
class WorkedReading:
    """An automaton of P-positions, a P-position, and an N-position beside it."""

    ruleset: str
    coordinates: tuple[str, ...]
    states: int
    picture: Markup
    p_position: ReadPosition
    n_position: ReadPosition


def worked_reading(certificates: Sequence[Proof]) -> WorkedReading | None:
    """Return an example for P-positions with the smallest suitable automaton, if any."""
    fit = [
        certificate
        for certificate in certificates
        if certificate.relation == "p"
        and FEWEST_READ <= certificate.automata[0].states <= MOST_READ
        and len(certificate.automata) == 1
    ]
    for certificate in sorted(fit, key=lambda certificate: certificate.automata[0].states):
        automaton = certificate.automata[0]
        coordinates = certificate.ruleset.coordinates
        alive = {state for edge in arrows(automaton) for state in edge}
        readings = [
            read(automaton, position, alive)
            for position in product(range(1, BELOW), repeat=len(coordinates))
            if automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
        ]
        if not readings:
            continue
        example = max(
            readings,
            key=lambda reading: (len({step.after for step in reading.steps}), len(reading.steps)),
        )
        # Each option of a P-position is an N-position.
        options = [read(automaton, o, alive) for o in certificate.ruleset.options(example.position)]
        option = max(options, key=lambda reading: (len(reading.steps), sum(reading.position)))
        return WorkedReading(
            certificate.ruleset.notation,
            tuple(coordinates),
            automaton.states,
            draw_automaton(automaton),
            example,
            option,
        )
    return None


def read(automaton: Automaton, position: Sequence[int], alive: Collection[int]) -> ReadPosition:
    """Return the run of an automaton on a position, within the states `alive`."""
    length = max(1, *(number.bit_length() for number in position))
    steps: list[ReadingStep] = []
    state: int | None = 0
    for place in range(length):
        if state is None:
            break
        digits = [number >> place & 1 for number in position]
        reached = int(automaton.delta[state, sum(digit << i for i, digit in enumerate(digits))])
        after = reached if reached in alive else None
        steps.append(ReadingStep("".join(map(str, digits)), state, after))
        state = after
    yes = automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
    return ReadPosition(
        tuple(position), [f"{number:0{length}b}" for number in position], steps, yes
    )
