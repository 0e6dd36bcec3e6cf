"""Pictures: states and arrows of automata, names in charts."""

from __future__ import annotations

import re
import shutil
from html import unescape
from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choco_pipeline.automata.algebra import complement
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.report.pictures import (
    APART,
    BOTTOM,
    HEIGHT,
    MOST_NAMED,
    TOP,
    Line,
    _apart,
    arrows,
    digit_patterns,
    draw_automaton,
    is_drawable,
    line_chart,
)
from tests.report.read_pages import Document

AUTOMATA = [
    nim_sum_is_zero("x", "y", "z"),
    complement(nim_sum_is_zero("x", "y")),
    linear({"x": 2, "y": -5}, 3, "<="),
    linear({"x": 3, "y": -2, "z": 1}, 1, "<="),
]


def alive(automaton):
    return [
        q
        for q, row in enumerate(automaton.delta.tolist())
        if set(row) != {q} or automaton.accepting[q] or q == 0
    ]


@pytest.mark.skipif(
    shutil.which("dot") is None, reason="no Graphviz on this machine (Debian: apt install graphviz)"
)
@pytest.mark.parametrize("automaton", AUTOMATA)
def test_a_drawing_shows_each_state_that_can_still_accept_and_each_arrow(automaton):
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
    assert is_drawable(automaton)
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


def fitting(patterns, length):
    """Return the words of this length that one of the patterns fits."""
    return {
        word
        for word in map("".join, product("01", repeat=length))
        for pattern in patterns
        if all(p in ("*", digit) for p, digit in zip(pattern, word, strict=True))
    }


@given(
    st.integers(0, 7).flatmap(lambda n: st.sets(st.text("01", min_size=n, max_size=n), min_size=1))
)
def test_patterns_fit_exactly_the_words(words):
    patterns = digit_patterns(words)
    assert fitting(patterns, len(next(iter(words)))) == words
    assert len(patterns) <= len(words)
    assert digit_patterns(fitting(["*" * 4], 4)) == ["*" * 4]


def places(chart):
    return [float(y) for y in re.findall(r'cy="([\d.]+)"', chart)]


@pytest.mark.parametrize("number", [1, 2, MOST_NAMED, 30])
def test_of_many_lines_few_are_named_and_the_others_faded(number):
    lines = [Line(f"curve {i}", [(0, 1), (1, 10 + i)]) for i in range(number)]
    chart = line_chart(lines, "x", "y")
    named = re.findall(r'<text x="[\d.]+" y="[\d.]+">(curve \d+)<', chart)
    assert len(named) == (min(number, MOST_NAMED) if number > 1 else 0)
    assert chart.count("<polyline") == number, "all are drawn"
    assert chart.count('class="faded"') == max(0, number - MOST_NAMED)
    assert number <= MOST_NAMED or {"curve 0", f"curve {number - 1}"} <= set(named)


@example([float(TOP)] * MOST_NAMED)
@given(st.lists(st.floats(TOP, HEIGHT - BOTTOM), max_size=MOST_NAMED).map(sorted))
def test_names_are_apart_in_order_and_inside(wanted):
    shown = _apart(wanted)
    assert len(shown) == len(wanted)
    assert all(b - a >= APART - 1e-9 for a, b in pairwise(shown))
    assert all(0 <= place <= HEIGHT - BOTTOM for place in shown)
