"""Laws of the Grundy numbers of one heap: found on games that are known, none in other sequences, and true far outside."""

import json

import numpy as np
import pytest
import xarray as xr

from choco_pipeline import check, parse_ruleset
from choco_pipeline.mining.smaller_heaps import mine_smaller_heaps

GAMES = {
    "subtraction": ([{"lower": ["a"], "by": [2, 5, 7]}], ["G(a+22) == G"]),
    "kayles": ([{"lower": ["a"], "by": [1, 2], "split": "a"}], ["a >= 71 => G(a+12) == G"]),
    "halves": (
        [{"lower": ["a"], "at_most": "a//2"}],
        ["a % 2 == 1 => G == G(a//2)", "not a % 2 == 1 => G == a//2"],
    ),
    "thirds": (
        [{"lower": ["a"], "at_most": "a//3"}],
        ["a % 3 != 0 => G == G(a - a//3 - 1)", "not a % 3 != 0 => G == a//3"],
    ),
    "nim": ([{"lower": ["a"]}], []),
}


def table(values):
    return xr.Dataset({"grundy": ("a", np.asarray(values, np.int64))})


@pytest.mark.parametrize("name", list(GAMES))
def test_what_is_known_is_found_and_true(name, tmp_path, monkeypatch):
    moves, laws = GAMES[name]
    (tmp_path / "config" / "games").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    description = {"game": "heap", "coordinates": ["a"], "moves": moves}
    (tmp_path / "config" / "games" / "heap.yaml").write_text(json.dumps(description))
    game = parse_ruleset("game(heap)")
    values = [game.grundy((n,)) for n in range(301)]
    found = mine_smaller_heaps(game, 300, table(values))
    assert [one.claim["statement"] for one in found if not one.nothing] == laws
    for law in laws:
        (trial,) = check(game, law, bound=900)
        assert trial.verdict == "holds-to-bound", trial.text


def test_nothing_is_said_of_noise_nor_of_what_changes_late():
    game = parse_ruleset("nim(1)")
    random = np.random.default_rng(7)
    for _ in range(50):
        (nothing,) = mine_smaller_heaps(game, 300, table(random.integers(0, 5, 301)))
        assert nothing.nothing
    values = np.arange(301) % 5
    values[299] = 9
    (nothing,) = mine_smaller_heaps(game, 300, table(values))
    assert nothing.nothing
