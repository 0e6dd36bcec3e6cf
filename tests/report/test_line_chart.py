"""Charts: axes, names beside lines, and no more names than there is room for."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choco_pipeline.report.line_chart import (
    APART,
    BOTTOM,
    HEIGHT,
    MOST_NAMED,
    TOP,
    Line,
    _apart,
    line_chart,
)


def test_a_chart_names_its_lines_and_says_where_it_is_logarithmic():
    chart = line_chart(
        [Line("a<b", [(0, 1), (1, 5000)]), Line("c", [(0, 2)])], "digits", "residuals"
    )
    assert "residuals, logarithmic" in chart
    assert "a&lt;b" in chart
    assert chart.count("<polyline") == 2
    places = [float(y) for y in re.findall(r'cy="([\d.]+)"', chart)]
    assert places[1] < places[2] < places[0], "more is higher"
    assert "logarithmic" not in line_chart([Line("", [(3, 4), (5, 9)])], "k", "states")
    assert line_chart([Line("", [(3, 0)])], "k", "states").count("<circle") == 1


@pytest.mark.parametrize("number", [1, 2, MOST_NAMED, 30])
def test_of_many_lines_few_are_named_and_the_others_faded(number):
    lines = [Line(f"curve {i}", [(0, 1), (1, 10 + i)]) for i in range(number)]
    chart = line_chart(lines, "x", "y")
    named = re.findall(r'<text x="[\d.]+" y="[\d.]+">(curve \d+)<', chart)
    assert len(named) == (min(number, MOST_NAMED) if number > 1 else 0)
    assert chart.count("<polyline") == number, "all are drawn"
    assert chart.count('class="faded"') == (number - MOST_NAMED if number > MOST_NAMED else 0)
    if number > MOST_NAMED:
        assert {"curve 0", f"curve {number - 1}"} <= set(named)


@example([float(TOP)] * MOST_NAMED)
@given(st.lists(st.floats(TOP, HEIGHT - BOTTOM), max_size=MOST_NAMED).map(sorted))
def test_names_are_apart_in_order_and_inside(wanted):
    places = _apart(wanted)
    assert len(places) == len(wanted)
    assert all(b - a >= APART - 1e-9 for a, b in pairwise(places))
    assert all(0 <= place <= HEIGHT - BOTTOM for place in places)


def test_zero_has_a_place_of_its_own_on_a_logarithmic_axis():
    svg = line_chart([Line("g", [(0, 0), (1, 1), (2, 1000)])], "m", "g")
    zero, one, _ = (float(y) for y in re.findall(r'<circle cx="[0-9.]+" cy="([0-9.]+)"', svg))
    assert zero >= one + 15
    assert ">0</text>" in svg
    plain = line_chart([Line("g", [(0, 1), (1, 1000)])], "m", "g")
    assert plain.count(">0</text>") == 1, "of the other axis"
