"""Statements are compared on positions of the game, small and large ones, however many coordinates it has."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from choco_pipeline.finding.judge.comparison import sampled
from choco_pipeline.games import parse_ruleset


@pytest.mark.parametrize(
    "notation",
    ["nim(2)", "nim(6)", "solid-bar(f=(x+z)//3)", "with-pass(strip-bar(k=4, s=2), passes=1)"],
)
def test_all_are_positions_and_some_are_large(notation):
    game, points = parse_ruleset(notation), sampled(notation)
    rows = np.stack(list(points.values()), axis=1).tolist()
    assert all(map(game.is_position, rows))
    assert len(rows) == len(set(map(tuple, rows)))
    assert max(map(max, rows)) > 500


@pytest.mark.parametrize(
    ("notation", "most"),
    [
        ("solid-bar(f=(x+z)//3)", 3),
        ("with-pass(strip-bar(k=2, s=1), passes=1)", 1),
        ("sum(rectangular-bar(m=2, n=3), step-bar(k=1, s=1))", 1),
    ],
)
def test_all_of_the_least_positions_are_there_and_nothing_else(notation, most):
    """At the limits of bars, and beside them, by the definition."""
    game, points = parse_ruleset(notation), sampled(notation)
    rows = set(map(tuple, np.stack(list(points.values()), axis=1).tolist()))
    box = set(product(range(most + 1), repeat=len(points)))
    least = {place for place in box if game.is_position(place)}
    assert rows & box == least
    assert least < box


def test_of_many_coordinates_no_more_are_compared():
    """A box of 4 to the 10th positions said no more, and took seconds."""
    points = sampled("nim(10)")
    rows = np.stack(list(points.values()), axis=1)
    assert 1000 < len(rows) < 20_000
    assert np.count_nonzero(rows, axis=1).max() == 10, "drawn ones"
    assert (np.bitwise_xor.reduce(rows, axis=1) == 0).sum() > 100, "P-positions among them"


def test_heights_from_a_file_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heights = np.add.outer(np.arange(40), np.arange(40)) // 3
    np.savetxt("heights.csv", heights, fmt="%d", delimiter=",")
    points = sampled("solid-bar(f=csv(heights.csv))")
    assert 20 < max(int(values.max()) for values in points.values()) < 40
