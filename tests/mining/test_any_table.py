"""Searches for periods, rules and self-similarity take any table, however small, and answer with plain data."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.mining.blocks import mine_blocks
from choco_pipeline.mining.cellular import mine_cellular
from choco_pipeline.mining.periods import mine_periods
from choco_pipeline.tables.compute import table
from tests.effort import examples
from tests.rulesets import rulesets_with_bounds


@settings(max_examples=examples(60))
@given(rulesets_with_bounds(), st.sampled_from(["grundy", "p-positions"]))
def test_plain_data(drawn, quantity):
    game, bound = drawn
    data = table(game, bound, quantity)
    for mine in (mine_periods, mine_cellular, mine_blocks):
        for found in mine(game, bound, data):
            assert json.loads(json.dumps(found)) == found
            assert found["tried"]["candidates"] > 0
            assert found["tried"]["what"]
            if not found.get("nothing"):
                assert found["text"]
                assert found["found_on"]["positions"] > 0
                assert found["held_on"]["positions"] > 0
