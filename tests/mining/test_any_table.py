"""Searches for rules and self-similarity take any table, however small, and their answers come back from JSON."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from choco_pipeline.games import Nim
from choco_pipeline.mining.picture_rules import mine_blocks, mine_cellular
from choco_pipeline.mining.table_findings import Finding
from choco_pipeline.mining.task import MINERS, mine_table
from choco_pipeline.tables.cells import Cells
from tests.effort import examples
from tests.own_games import own_games
from tests.rulesets import rulesets_with_bounds


def comes_back(found):
    """Return whether a finding is the same after it was written and read, also with its place in a run."""
    placed = found.model_copy(update={"table": "t", "seconds": 0.25})
    return all(
        TypeAdapter(Finding).validate_python(json.loads(json.dumps(one.model_dump()))) == one
        for one in (found, placed)
    )


@settings(max_examples=examples(60))
@given(rulesets_with_bounds(), st.sampled_from(["grundy", "p-positions"]))
def test_findings_come_back(drawn, quantity):
    cells = Cells.computed(*drawn, quantity)
    for mine in (mine_cellular, mine_blocks):
        for found in mine(cells):
            assert comes_back(found)
            assert found.tried.candidates > 0
            assert found.tried.what
            if not found.nothing:
                assert found.text
                assert found.found_on.positions > 0
                assert found.held_on.positions > 0


@settings(max_examples=examples(30), deadline=None)
@given(own_games(), st.integers(0, 9), st.sampled_from(["grundy", "p-positions"]))
@example(Nim(1), 9, "p-positions")  # a table of one cell
def test_every_search_takes_every_game(game, bound, quantity):
    bound = min(bound, {1: 9, 2: 9, 3: 5}.get(len(game.coordinates), 3))
    for found in mine_table(MINERS, Cells.computed(game, bound, quantity)):
        assert comes_back(found)
