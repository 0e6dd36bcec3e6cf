"""Searches that propose lines: the printed laws are found, true far outside, and none is found in other tables."""

import json
from itertools import product
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import xarray as xr

from choco_pipeline import check, parse_ruleset
from choco_pipeline.formula import parse
from choco_pipeline.mining.laws import (
    INSIDE,
    LINES_BOUND,
    _by_digits,
    _by_order,
    mine_smaller_heaps,
)
from choco_pipeline.mining.task import MINERS
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table

ROOT = Path(__file__).parents[2]
WYTHOFF, MOORE = "game(wythoff)", "game(moore)"
#: Heaps of which two may be lowered.
THREE = [{"lower": list(pair), "by": "any"} for pair in ("ab", "ac", "bc")]
HEAPS = {
    "subtraction": ([{"lower": ["a"], "by": [2, 5, 7]}], ["G(a+22) == G"]),
    "kayles": ([{"lower": ["a"], "by": [1, 2], "split": "a"}], ["a >= 71 => G(a+12) == G"]),
    "halves": (
        [{"lower": ["a"], "at_most": "a//2"}],
        ["a % 2 == 1 => G == G(a//2)", "a % 2 == 0 => G == a//2"],
    ),
    "thirds": (
        [{"lower": ["a"], "at_most": "a//3"}],
        ["a % 3 != 0 => G == G(a - a//3 - 1)", "a % 3 == 0 => G == a//3"],
    ),
    "nim": ([{"lower": ["a"]}], []),
}


@pytest.fixture(autouse=True)
def games(tmp_path, monkeypatch):
    folder = tmp_path / "config" / "games"
    copytree(ROOT / "config" / "games", folder)
    every = [{"lower": ["a", "b"], "by": "any"}]
    described = {"moore": ("abc", THREE), "every": ("ab", every)} | {
        f"own-{name}": ("a", moves) for name, (moves, _) in HEAPS.items()
    }
    for name, (coordinates, moves) in described.items():
        game = {"game": name, "coordinates": list(coordinates), "moves": moves}
        (folder / f"{name}.yaml").write_text(json.dumps(game))
    monkeypatch.chdir(tmp_path)


def laws(search, notation, bound, data=None):
    game = parse_ruleset(notation)
    data = table(game, bound, "p-positions") if data is None else data
    return [
        one.claim["statement"]
        for one in MINERS[search](Cells.of(game, bound, data))
        if not one.nothing
    ]


def changed(notation, bound, cells):
    """Return a table of P-positions in which some cells are other ones."""
    data = table(parse_ruleset(notation), bound, "p-positions").copy(deep=True)
    (name,) = data.data_vars
    for cell in cells:
        data[name].values[cell] ^= 1
    return data


@pytest.mark.full
def test_each_difference_occurs_once_and_each_number_in_one_pair():
    """W. A. Wythoff (1907)."""
    assert laws("lines", WYTHOFF, 64) == [
        "every n in 0..16: count(position: size <= 64 and P and a <= b and b-a == n) == 1",
        "every n in 1..16: count(position: size <= 64 and P and a < b and (a == n or b == n)) == 1",
    ]
    far = laws("lines", WYTHOFF, 1000)
    assert len(far) == 2
    assert f"0..{LINES_BOUND // INSIDE}" in far[0]


@pytest.mark.parametrize("seed", range(5))
def test_random_tables_have_no_law(seed):
    """Those for laws of symmetric games are symmetric themselves."""
    random = np.random.default_rng(seed)
    data = changed(WYTHOFF, 64, [])
    (name,) = data.data_vars
    data[name].values[...] = random.random(data[name].shape) < 1 / 64
    assert laws("lines", WYTHOFF, 64, data) == []
    data = changed(MOORE, 12, [])
    (name,) = data.data_vars
    values = {}
    for position in product(range(13), repeat=3):
        own = values.setdefault(tuple(sorted(position)), int(random.random() < 0.1))
        data[name].values[position] = own
    assert laws("symmetric", MOORE, 12, data) == []


@pytest.mark.parametrize(
    ("search", "notation", "bound", "cells"),
    [("lines", WYTHOFF, 64, [(3, 4), (4, 3)]), ("symmetric", MOORE, 12, [(12, 11, 10)])],
)
def test_a_changed_cell_ends_a_law(search, notation, bound, cells):
    assert laws(search, notation, bound) != []
    assert laws(search, notation, bound, changed(notation, bound, cells)) == []


@pytest.mark.parametrize(
    ("notation", "bound"),
    [(MOORE, 12), ("game(every)", 12), ("game(moore-nim)", 8), ("game(exact-nim)", 8)],
)
def test_a_law_is_right_by_the_definition_of_the_game(notation, bound):
    (line,) = laws("symmetric", notation, bound)
    game, formula = parse_ruleset(notation), parse(line.removeprefix("P <=> "))
    for position in product(range(6), repeat=len(game.coordinates)):
        point = dict(zip(game.coordinates, position, strict=True))
        assert game.is_p_position(position) == bool(formula.value(point)), position


@pytest.mark.parametrize("counts", [{0, 3}, {0, 1, 3}, {0, 2, 3}, {0, 1, 4}, {0, 3, 4}])
def test_the_formula_of_digits_is_right_for_all_columns_of_digits(counts):
    """Of four coordinates below 4, those whose columns of binary digits have allowed numbers of ones."""
    every = np.array(list(product(range(4), repeat=4)))
    ones = np.stack([(every >> place & 1).sum(axis=1) for place in (0, 1)])
    allowed = np.isin(ones, sorted(counts)).all(axis=0)
    (text,) = _by_digits("abcd", every[allowed].T)
    found = parse(text).evaluate(dict(zip("abcd", every.T, strict=True)))
    np.testing.assert_array_equal(found.astype(bool), allowed)


@pytest.mark.parametrize("equal", [(0, 1), (1, 2), (2, 3)])
def test_the_formula_of_ties_is_right_for_all_orders(equal):
    """Of four coordinates below 5, those of which two neighbours in the order of size are equal."""
    every = np.array(list(product(range(5), repeat=4)))
    ordered = np.sort(every, axis=1)
    chosen = ordered[:, equal[0]] == ordered[:, equal[1]]
    (text,) = _by_order("abcd", every[chosen].T)
    found = parse(text).evaluate(dict(zip("abcd", every.T, strict=True)))
    np.testing.assert_array_equal(found.astype(bool), chosen)


@pytest.mark.parametrize("name", list(HEAPS))
def test_known_laws_of_one_heap_are_found_and_true(name):
    game = parse_ruleset(f"game(own-{name})")
    values = [game.grundy((n,)) for n in range(301)]
    lines = laws("smaller-heaps", game.notation, 300, heap_table(values))
    assert lines == HEAPS[name][1]
    for law in lines:
        (trial,) = check(game, law, bound=900)
        assert trial.verdict == "holds-to-bound", trial.text


def test_noise_and_late_changes_in_one_heap_have_no_law():
    game = parse_ruleset("nim(1)")
    random = np.random.default_rng(7)
    late = np.arange(301) % 5
    late[299] = 9
    for values in (late, *random.integers(0, 5, (50, 301))):
        (nothing,) = mine_smaller_heaps(Cells.of(game, 300, heap_table(values)))
        assert nothing.nothing


def heap_table(values):
    return xr.Dataset({"grundy": ("a", np.asarray(values, np.int64))})
