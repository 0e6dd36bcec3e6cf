"""Every family of games has its share of the page to explore, however large the tables of another are."""

import pytest

from choco_pipeline.report import explored_games
from choco_pipeline.report.explored_games import ExploredTable, fitting


def tables(number, characters):
    return [ExploredTable("nim(1)", (i,), True, False, "x" * characters) for i in range(number)]


@pytest.mark.parametrize("first", [True, False])
def test_large_tables_of_one_family_leave_room_for_others(monkeypatch, first):
    monkeypatch.setattr(explored_games, "MOST_CHARACTERS", 33_000)
    several = [(("large", ()), tables(8, 10_000)), (("small", ("k",)), tables(24, 100))]
    found = fitting(dict(several if first else reversed(several)))
    assert [len(found[name]) for name in (("large", ()), ("small", ("k",)))] == [3, 24]
    assert [table.values for table in found["large", ()]] == [(1,), (4,), (6,)]


def test_a_family_of_which_no_table_fits_is_left_out(monkeypatch):
    monkeypatch.setattr(explored_games, "MOST_CHARACTERS", 5_000)
    assert list(fitting({("large", ()): tables(1, 10_000), ("small", ()): tables(2, 10)})) == [
        ("small", ())
    ]


def test_families_with_large_tables_have_equal_shares(monkeypatch):
    monkeypatch.setattr(explored_games, "MOST_CHARACTERS", 40_000)
    names = [("one", ()), ("other", ())]
    found = fitting({name: tables(8, 10_000) for name in names})
    assert [len(found[name]) for name in names] == [2, 2]
