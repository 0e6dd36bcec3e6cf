"""Automata on a page: each state and arrow that matters, by Graphviz or in a table."""

from __future__ import annotations

import re
from html import unescape

import pytest

from choco_pipeline.automata.algebra import complement
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.report.automaton_pictures import (
    arrows,
    draw_automaton,
    has_graphviz,
    is_drawable,
)
from tests.report.read_pages import Document

AUTOMATA = [
    nim_sum_is_zero("x", "y", "z"),
    complement(nim_sum_is_zero("x", "y")),
    linear({"x": 2, "y": -5}, 3, "<="),
    linear({"x": 7, "y": -1}, 0, "=="),
    linear({"x": 3, "y": -2, "z": 1}, 1, "<="),
]


def alive(automaton):
    return [
        q
        for q, row in enumerate(automaton.delta.tolist())
        if set(row) != {q} or automaton.accepting[q] or q == 0
    ]


@pytest.mark.skipif(
    not has_graphviz(), reason="no Graphviz on this machine (Debian: apt-get install graphviz)"
)
@pytest.mark.parametrize("automaton", AUTOMATA)
def test_a_drawing_shows_each_state_that_can_still_accept_and_each_arrow(automaton):
    assert is_drawable(automaton)
    picture = str(draw_automaton(automaton, graphviz=True))
    Document(picture)
    states, labels = alive(automaton), arrows(automaton)
    nodes = re.findall(r'<g class="node">(.*?)</g>', picture, re.DOTALL)
    shown = {
        int(re.findall(r"<title>(\d+)</title>", node)[0]): node
        for node in nodes
        if "ellipse" in node
    }
    assert sorted(shown) == states
    for state, node in shown.items():
        assert node.count("<ellipse") == 1 + automaton.accepting[state]
    edges = re.findall(r'<g class="edge">(.*?)</g>', picture, re.DOTALL)
    titles = [title for edge in edges for title in re.findall(r"<title>(.*?)</title>", edge)]
    assert sorted(titles) == sorted(", ".join(read) for read in labels.values())
    assert len(edges) == len(labels) + 1, "and the start's"
    assert {(p, q) for p in states for q in automaton.delta[p].tolist() if q in states} == {*labels}


@pytest.mark.parametrize("automaton", AUTOMATA)
def test_a_table_has_a_row_for_each_state_and_all_that_it_reads(automaton):
    table = unescape(str(draw_automaton(automaton, graphviz=False)))
    Document(table)
    rows = re.findall(r'<tr><td class="state">(\d+)</td><td>(.*?)</td><td>(.*?)</td></tr>', table)
    assert [int(state) for state, _, _ in rows] == alive(automaton)
    for state, accepts, leads in rows:
        assert (accepts == "yes") == automaton.accepting[int(state)]
        read = dict(reversed(one.split(" → ")) for one in leads.split("; ") if one)
        assert {(int(state), int(q)): digits.split(", ") for q, digits in read.items()} == {
            edge: digits for edge, digits in arrows(automaton).items() if edge[0] == int(state)
        }


def test_a_large_automaton_is_not_drawn():
    assert not is_drawable(linear({"x": 31, "y": -1}, 0, "=="))
