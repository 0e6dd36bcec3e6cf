"""Laws of games in which coordinates may be exchanged: the printed ones are found, and none in other tables."""

from itertools import product
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.symmetric_laws import _by_digits, _by_order, mine_symmetric_laws
from choco_pipeline.tables.computing.in_memory import table

ROOT = Path(__file__).parents[2]
THREE = """\
game: moore
coordinates: [a, b, c]
moves:
  - {lower: [a, b], by: any}
  - {lower: [a, c], by: any}
  - {lower: [b, c], by: any}
"""


@pytest.fixture(autouse=True)
def games(tmp_path, monkeypatch):
    folder = tmp_path / "config" / "games"
    copytree(ROOT / "config" / "games", folder)
    (folder / "moore.yaml").write_text(THREE, "utf-8")
    monkeypatch.chdir(tmp_path)


def laws(notation, bound, data=None):
    game = parse_ruleset(notation)
    data = table(game, bound, "p-positions") if data is None else data
    return [one.claim["statement"] for one in mine_symmetric_laws(game, bound, data) if one.claim]


@pytest.mark.parametrize(
    ("notation", "bound"), [("game(moore)", 12), ("game(moore-nim)", 8), ("game(exact-nim)", 8)]
)
def test_a_law_is_right_by_the_definition_of_the_game(notation, bound):
    (line,) = laws(notation, bound)
    game, formula = parse_ruleset(notation), parse(line.removeprefix("P <=> "))
    for position in product(range(6), repeat=len(game.coordinates)):
        point = dict(zip(game.coordinates, position, strict=True))
        assert game.is_p_position(position) == bool(formula.value(point)), position


def test_nim_is_left_to_the_search_for_formulas():
    assert laws("nim(3)", 31) == []


@pytest.mark.parametrize("seed", range(5))
def test_random_symmetric_tables_have_no_law(seed):
    random = np.random.default_rng(seed)
    data = table(parse_ruleset("game(moore)"), 12, "p-positions").copy(deep=True)
    (name,) = data.data_vars
    values = {}
    for position in product(range(13), repeat=3):
        own = values.setdefault(tuple(sorted(position)), int(random.random() < 0.1))
        data[name].values[position] = own
    assert laws("game(moore)", 12, data) == []


def test_one_changed_cell_ends_a_law():
    data = table(parse_ruleset("game(moore)"), 12, "p-positions").copy(deep=True)
    (name,) = data.data_vars
    data[name].values[12, 11, 10] ^= 1
    assert laws("game(moore)", 12, data) == []


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
