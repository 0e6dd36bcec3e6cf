"""Findings by machine code are those by arrays, which other tests compare with the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks import scan
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.tables.computing import table
from tests.claims.checks.test_by_definition import drawn
from tests.claims.claims import claim_on

ALWAYS, NEVER = 0, 1 << 62


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each slab adds whether machine code has compared it."""
    found: list[bool] = []
    run = scan.Scan.run

    def noted(*args: Any) -> Any:
        result = run(*args)
        found.append(result is not None)
        return result

    monkeypatch.setattr(scan.Scan, "run", noted)
    return found


def found_by(
    fewest: int, claim: Claim, game: Ruleset, bound: int, data: Any, block: int
) -> Finding:
    """Return the finding if tables with at least so many cells are compared by machine code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEWEST_CELLS", fewest)
        return check_claim(claim, {}, game, bound, data, block)


@pytest.mark.parametrize("kind", ["p-positions", "grundy"])
@given(st.data(), st.sampled_from([1, 7, 64, 1 << 18]))
def test_machine_code_finds_what_arrays_find(kind: str, data: st.DataObject, block: int) -> None:
    claim, game, bound, quantity = data.draw(drawn(kind))
    args = claim, game, bound, table(game, bound, quantity), block
    assert found_by(ALWAYS, *args) == found_by(NEVER, *args)


@pytest.mark.parametrize(
    "notation",
    [
        "solid-bar(f=(x+z)//3)",
        "solid-bar(f=(x*z)//3)",
        "solid-bar(f=2)",
    ],
)
@pytest.mark.parametrize("formula", ["x ^ y ^ z == 0", "(x+1) ^ y ^ (z+1) == 0", "x ^ y ^ z == 40"])
@pytest.mark.parametrize("kind", [np.int16, np.int32])
def test_columns_are_compared_by_machine_code(
    notation: str, formula: str, kind: type, runs: list[bool]
) -> None:
    game = parse_ruleset(notation)
    claim = claim_on(game, kind="p-positions", formula=formula)
    data = table(game, 40, "p-positions").astype(kind)
    for args in ((claim, game, 40, data, 300), (claim, game, 40, data.transpose(), 1 << 18)):
        assert found_by(ALWAYS, *args) == found_by(NEVER, *args)
    assert True in runs


def test_what_has_no_value_is_said_as_by_arrays(runs: list[bool]) -> None:
    game = parse_ruleset("solid-bar(f=(x+z)//3)")
    claim = claim_on(game, kind="grundy", equals="y//(x-7)")
    data = table(game, 12, "grundy")
    found = found_by(ALWAYS, claim, game, 12, data, 1 << 18)
    assert found == found_by(NEVER, claim, game, 12, data, 1 << 18)
    assert "division by zero" in str(found)
    assert True not in runs


def test_small_tables_are_not_worth_a_compilation(runs: list[bool]) -> None:
    game = parse_ruleset("solid-bar(f=(x+z)//3)")
    claim = claim_on(game, kind="p-positions", formula="x ^ y ^ z == 0")
    check_claim(claim, {}, game, 20, table(game, 20, "p-positions"))
    assert True not in runs
