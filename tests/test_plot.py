"""Pictures by matplotlib show the values of the definition."""

import importlib.util

import numpy as np
import pytest
from matplotlib import pyplot

from choco_pipeline import Nim, SolidBar, plot, prove
from choco_pipeline.errors import ConfigError
from choco_pipeline.report.pictures import arrows

BAR = SolidBar("(x+z)//3")


@pytest.fixture(autouse=True)
def closed_figures():
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


def test_a_heat_map_has_the_grundy_numbers_of_the_plane():
    axes = plot.grundy_numbers(BAR.notation, 8, y=2)
    (mesh,) = axes.collections
    cells = mesh.get_array().reshape(9, 9)
    for (x, z), shown in np.ndenumerate(np.ma.filled(cells, -1)):
        is_position = (x + z) // 3 >= 2
        assert shown == (BAR.grundy((x, 2, z)) if is_position else -1)


@pytest.mark.parametrize("fixed", [{}, {"y": 1}])
def test_points_are_the_p_positions(fixed):
    axes = plot.p_positions(BAR, 6, **fixed)
    (points,) = axes.collections
    expected = {
        p for p in BAR.positions(6) if BAR.is_p_position(p) and fixed.get("y", p[1]) == p[1]
    }
    if fixed:
        shown = {(int(x), 1, int(z)) for x, z in points.get_offsets()}
    else:
        shown = {tuple(map(int, p)) for p in zip(*points._offsets3d, strict=True)}
    assert shown == expected


def test_an_automaton_has_all_its_states_and_arrows():
    proof = prove(BAR)
    axes = plot.automaton(proof)
    edges = arrows(proof.automata[0])
    states = {0, *(q for edge in edges for q in edge)}
    assert len(axes.lines) == len(states)
    drawn = [text for text in axes.texts if text.get_text()]
    assert len(drawn) == len(edges) + len(states)


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: plot.grundy_numbers(BAR, 5), "x, y, z"),
        (lambda: plot.grundy_numbers(BAR, 5, y=2, w=1), "'w'"),
        (lambda: plot.grundy_numbers(BAR, 5, y=99), "y = 99"),
        (lambda: plot.p_positions(Nim(4), 3), "a, b, c, d"),
        (lambda: plot.automaton(prove(Nim(2)), passes=1), "1 passes"),
    ],
)
def test_an_error_names_the_coordinates(draw, named):
    with pytest.raises(ConfigError) as error:
        draw()
    assert named in str(error.value)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="`notebook`"):
        plot.grundy_numbers("nim(2)", 5)
