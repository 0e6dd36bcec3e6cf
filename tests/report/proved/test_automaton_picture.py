"""Drawings of automata: each state and arrow that matters, labels that say exactly what is read, room for each."""

from __future__ import annotations

import re
from html import unescape
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.automata.algebra import complement
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.report.proved.automaton_layout import (
    RADIUS,
    START,
    has_graphviz,
    lay_out,
    samples,
)
from choco_pipeline.report.proved.automaton_picture import (
    MOST_STATES_WITHOUT_GRAPHVIZ,
    arrows,
    draw_automaton,
    is_drawable,
)
from tests.effort import examples
from tests.report.read_pages import Document

BY_GRAPHVIZ = pytest.param(
    True,
    marks=pytest.mark.skipif(
        not has_graphviz(), reason="no Graphviz on this machine (Debian: apt-get install graphviz)"
    ),
    id="graphviz",
)
EITHER_WAY = pytest.mark.parametrize("graphviz", [BY_GRAPHVIZ, pytest.param(False, id="own")])
AUTOMATA = [
    nim_sum_is_zero("x", "y", "z"),
    complement(nim_sum_is_zero("x", "y")),
    linear({"x": 2, "y": -5}, 3, "<="),
    linear({"x": 7, "y": -1}, 0, "=="),
    linear({"x": 3, "y": -2, "z": 1}, 1, "<="),
]


@EITHER_WAY
@pytest.mark.parametrize("automaton", AUTOMATA)
def test_a_drawing_shows_each_state_that_can_still_accept_and_each_arrow(automaton, graphviz):
    assert is_drawable(automaton)
    picture = unescape(draw_automaton(automaton, "one", graphviz=graphviz))
    Document(picture)
    dead = [
        q
        for q, row in enumerate(automaton.delta.tolist())
        if set(row) == {q} and not automaton.accepting[q]
    ]
    alive = [q for q in range(automaton.states) if q not in dead]
    shown = re.findall(r'class="state"[^>]*>(\d+)<', picture)
    assert sorted(map(int, shown)) == alive
    assert picture.count("<circle") == len(alive) + sum(bool(automaton.accepting[q]) for q in alive)
    leads = {(p, q) for p in alive for q in automaton.delta[p].tolist() if q in alive}
    assert set(arrows(automaton)) == leads
    assert picture.count("<path") == len(leads) + 2, "and the start's, and the head"
    assert "nan" not in picture


@EITHER_WAY
@settings(max_examples=examples(40))
@given(edges=st.dictionaries(st.tuples(st.integers(0, 7), st.integers(0, 7)), st.integers(1, 4)))
def test_labels_have_room_and_arrows_end_at_their_states(graphviz, edges):
    reached = {0}
    while more := {q for p, q in edges if p in reached} - reached:
        reached |= more
    labels = {(p, q): ["0110"] * n for (p, q), n in edges.items() if p in reached}
    labels.setdefault((0, 0), ["1"])
    layout = lay_out(labels, graphviz=graphviz)
    assert set(layout.places) == reached
    assert set(layout.labels) == set(labels)
    assert set(layout.curves) == {*labels, (START, 0)}
    for one, other in combinations(layout.labels.values(), 2):
        assert not one.overlaps(other)
    for box in layout.labels.values():
        (left, top), (right, bottom) = box.corners
        assert min(left, top) >= 0
        assert right <= layout.width
        assert bottom <= layout.height
        assert not any(box.meets(place, RADIUS) for place in layout.places.values())
    for (p, q), curve in layout.curves.items():
        assert (len(curve) - 1) % 3 == 0
        ends = [(q, curve[-1])] + [(p, curve[0])] * (p != START)
        for state, end in ends:
            away = np.hypot(*np.subtract(end, layout.places[state]))
            assert away == pytest.approx(RADIUS, abs=2.5), f"{p} to {q} ends {away} from {state}"
        points = samples(curve)
        assert points.min() >= 0
        assert (points.max(axis=0) <= (layout.width, layout.height)).all()
    for one, other in combinations(layout.places.values(), 2):
        assert np.hypot(*np.subtract(one, other)) > 2 * RADIUS


def test_what_is_drawn_depends_on_graphviz():
    between = linear({"x": 13, "y": -1}, 0, "==")
    assert between.states > MOST_STATES_WITHOUT_GRAPHVIZ
    assert is_drawable(between, graphviz=True)
    assert not is_drawable(between, graphviz=False)
    assert not is_drawable(linear({"x": 31, "y": -1}, 0, "=="), graphviz=True)
