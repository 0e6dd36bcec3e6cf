"""Pictures of small automata, and charts of whole numbers.

If Graphviz is installed, it draws the automata; otherwise they are tables.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from math import log10

import numpy as np
from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.report.environment import environment

#: Drawings of larger automata are not readable.
MOST_STATES, MOST_TRACKS = 20, 4
#: Most lines of an arrow's label in a drawing; the arrow's title has the whole label.
MOST_LINES = 4
#: Larger than the letters of the page, so that Graphviz leaves room between lines.
FONT = 'fontname="DejaVu Sans Mono", fontsize=14'

Edge = tuple[int, int]


def is_drawable(automaton: Automaton) -> bool:
    """Whether an automaton is small enough to be drawn."""
    return automaton.states <= MOST_STATES and 1 <= len(automaton.tracks) <= MOST_TRACKS


def draw_automaton(automaton: Automaton, *, graphviz: bool | None = None) -> Markup:
    """Return an automaton as SVG or as a table, without its dead state.

    States are circles, accepting states double circles. An arrow without a source marks the initial state. The label of an
    arrow lists the digits read, the first number's digit first; ``*`` stands for either digit. `graphviz` chooses a drawing or
    a table; None means a drawing if Graphviz is installed.
    """
    labels = arrows(automaton)
    states = sorted({0, *(state for edge in labels for state in edge)})
    by_graphviz = shutil.which("dot") is not None if graphviz is None else graphviz
    what = f"Automaton with {automaton.states} states, of which {automaton.accepting.sum()} accept"
    if by_graphviz:
        return _drawing(automaton, labels, states, what)
    rows = [
        (
            q,
            automaton.accepting[q],
            [(read, to) for (p, to), read in sorted(labels.items()) if p == q],
        )
        for q in states
    ]
    return markup("automaton", what, rows)


def markup(macro: str, *arguments: object) -> Markup:
    """Return a picture by a macro of ``pictures.html.j2``."""
    picture = getattr(environment().get_template("pictures.html.j2").module, macro)
    return Markup(picture(*arguments).strip())


def arrows(automaton: Automaton) -> dict[Edge, list[str]]:
    """Return the `digit_patterns` between states, except the dead state."""
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


def digit_patterns(words: Collection[str]) -> list[str]:
    """Return few patterns that match exactly these words, all of the same length.

    ``*`` matches either digit.

    This is the method of Quine and McCluskey: patterns that differ in one place are merged as long as possible. Then the
    patterns are visited, those with most ``*`` first. A pattern is kept if it matches a word that no kept pattern matches.

    Examples
    --------
    >>> digit_patterns(["000", "110", "101", "011"])
    ['000', '011', '101', '110']
    >>> digit_patterns(["100", "110", "101", "111", "000"])
    ['*00', '1**']
    """
    left = set(words)
    patterns, grown = set(left), set(left)
    while grown:
        grown = {
            f"{word[:i]}*{word[i + 1 :]}"
            for word in grown
            for i, digit in enumerate(word)
            if digit == "0" and f"{word[:i]}1{word[i + 1 :]}" in grown
        }
        patterns |= grown
    chosen = []
    for pattern in sorted(patterns, key=lambda pattern: (-pattern.count("*"), pattern)):
        fitting = {
            word for word in left if all(p in ("*", d) for d, p in zip(word, pattern, strict=True))
        }
        if fitting:
            chosen.append(pattern)
            left -= fitting
    return sorted(chosen)


def _drawing(
    automaton: Automaton, labels: Mapping[Edge, Sequence[str]], states: Sequence[int], what: str
) -> Markup:
    def lines(read: Sequence[str]) -> str:
        rows = list(read)
        if len(rows) > MOST_LINES:
            rows = [" ".join(read[i : i + 2]) for i in range(0, len(read), 2)]
        if len(rows) > MOST_LINES:
            rows = [*rows[: MOST_LINES - 1], f"… {len(read)}"]
        return "\\n".join(rows)  # as Graphviz reads them

    statements = [
        f"node [shape=circle, width=0.42, fixedsize=true, {FONT}]",
        f"edge [arrowsize=0.7, {FONT}]",
        'start [shape=none, width=0.1, label=""]',
        "start -> 0",
        *(f"{q} [peripheries={1 + bool(automaton.accepting[q])}]" for q in states),
        *(f'{p} -> {q} [label="{lines(read)}"]' for (p, q), read in labels.items()),
    ]
    graph = f"digraph {{ rankdir=LR; bgcolor=transparent; {'; '.join(statements)} }}"
    command = ["dot", "-Tsvg"]
    drawn = subprocess.run(command, input=graph, capture_output=True, text=True, check=True).stdout
    # Colours and fonts come from the page; ids would occur twice on it.
    drawn = re.sub(r"<!--.*?-->", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    drawn = re.sub(r' (id|fill|stroke|font-family|font-size|xmlns\S*)="[^"]*"', "", drawn)
    head = rf'<svg class="automaton" role="img" aria-label="{what}" width="\1" height="\2"'
    drawn = re.sub(r'<svg width="(\d+)pt" height="(\d+)pt"', head, drawn)

    def title(edge: re.Match[str]) -> str:
        return f"<title>{', '.join(labels[int(edge[1]), int(edge[2])])}</title>"

    drawn = re.sub(r"<title>(\d+)&#45;&gt;(\d+)</title>", title, drawn)
    return Markup(re.sub(r"<title>[^<]*[a-zG%][^<]*</title>", "", drawn).strip())


#: The coordinates of the example position are below this.
BELOW = 8
#: Fewest and most states of the example's automaton.
FEWEST_READ, MOST_READ = 3, 8


@dataclass(frozen=True)
class ReadPosition:
    """The run of an automaton on a position."""

    position: tuple[int, ...]
    #: The coordinates in base 2, all of the same length.
    binary: list[str]
    #: The digits of each column, the state before and the state after; None for the dead state.
    steps: list[tuple[str, int, int | None]]


@dataclass(frozen=True)
class WorkedReading:
    """The runs of an automaton of P-positions on a P-position and one of its options."""

    ruleset: str
    coordinates: tuple[str, ...]
    picture: Markup
    p_position: ReadPosition
    n_position: ReadPosition


def worked_reading(certificates: Sequence[Proof]) -> WorkedReading | None:
    """Return an example with the smallest suitable automaton of P-positions, if any."""
    fit = [
        certificate
        for certificate in certificates
        if certificate.relation == "p"
        and FEWEST_READ <= certificate.automata[0].states <= MOST_READ
        and len(certificate.automata) == 1
    ]
    for certificate in sorted(fit, key=lambda certificate: certificate.automata[0].states):
        (automaton,), coordinates = certificate.automata, certificate.ruleset.coordinates
        alive = {state for edge in arrows(automaton) for state in edge}
        readings = [
            _read(automaton, position, alive)
            for position in product(range(1, BELOW), repeat=len(coordinates))
            if automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
        ]
        if not readings:
            continue
        example = max(readings, key=lambda r: (len({to for _, _, to in r.steps}), len(r.steps)))
        # Each option of a P-position is an N-position.
        options = [
            _read(automaton, option, alive)
            for option in certificate.ruleset.options(example.position)
        ]
        option = max(options, key=lambda r: (len(r.steps), sum(r.position)))
        picture = draw_automaton(automaton)
        ruleset = certificate.ruleset.notation
        return WorkedReading(ruleset, tuple(coordinates), picture, example, option)
    return None


def _read(automaton: Automaton, position: Sequence[int], alive: Collection[int]) -> ReadPosition:
    """Return the run of an automaton on a position; it stops outside of `alive`."""
    length = max(1, *(number.bit_length() for number in position))
    binary = [f"{number:0{length}b}" for number in position]
    steps: list[tuple[str, int, int | None]] = []
    state = 0
    for column in reversed([*zip(*binary, strict=True)]):
        digits = "".join(column)
        reached = int(automaton.delta[state, int(digits[::-1], 2)])
        if reached not in alive:
            steps.append((digits, state, None))
            break
        steps.append((digits, state, reached))
        state = reached
    return ReadPosition(tuple(position), binary, steps)


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
    """A named line of a chart through points (x, y), with y at least 0."""

    name: str
    points: Sequence[tuple[int, int]]


def line_chart(lines: Sequence[Line], x_label: str, y_label: str) -> Markup:
    """Return an SVG chart of lines, with axes, and names that do not overlap.

    No line may be empty. Of more than `MOST_NAMED` lines, only the highest, the lowest and some between are named.
    """
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    least, most = min(xs), max(max(xs), min(xs) + 1)
    logarithmic = max(ys) > LINEAR_RATIO * max(1, min(ys))
    top = max(*ys, 1)
    # A logarithmic scale has no 0, which is drawn at a fixed distance below 1.
    below_one = ZERO_BAND if logarithmic and min(ys) == 0 else 0
    if logarithmic:
        powers = [10**e for e in range(len(str(top)))]
        ticks = [*([0] if below_one else []), *powers[:: -(-len(powers) // MOST_TICKS)]]
    else:
        ticks = _steps(0, top)
    named = sorted(range(len(lines)), key=lambda i: (-max(lines[i].points)[1], i))
    if len(lines) == 1:
        named = []
    if len(lines) > MOST_NAMED:
        named = [named[i * (len(lines) - 1) // (MOST_NAMED - 1)] for i in range(MOST_NAMED)]
    short = {
        i: name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        for i in named
        for name in [lines[i].name]
    }
    left = 30 + CHARACTER * max(len(f"{tick:,}") for tick in ticks)
    beside = max(map(len, short.values()), default=0)
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

    drawn = [
        (
            line.name,
            len(lines) > MOST_NAMED and i not in named,
            DASHES[named.index(i)] if i in named else "",
            [(across(x), up(y), x, y) for x, y in sorted(line.points)],
        )
        for i, line in enumerate(lines)
    ]
    ends = [max(lines[i].points) for i in named]
    places = _apart([up(y) for _, y in ends])
    return markup(
        "chart",
        *(WIDTH, HEIGHT, x_label, y_label, ", logarithmic" if logarithmic else ""),
        *(left, right, TOP, BOTTOM),
        [(up(tick), tick) for tick in ticks],
        [(across(tick), tick) for tick in _steps(least, most)],
        drawn,
        [
            (short[i], across(x), up(y), at)
            for i, (x, y), at in zip(named, ends, places, strict=True)
        ],
    )


def _apart(wanted: Sequence[float]) -> list[float]:
    """Return ascending places near the wanted ones, with room for labels.

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
    sizes = (size * 10**e for e in count() for size in (1, 2, 5))
    return next(
        ticks
        for step in sizes
        if len(ticks := list(range(-(-low // step) * step, high + 1, step))) <= MOST_TICKS
    )
