"""Scans by machine code against array code: formulas, tables and games of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks import scan
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import compare
from choco_pipeline.claims.kinds import Containment, GrundyNumbers, PPositions
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES, Quantity
from tests.claims.checks.test_by_definition import drawn
from tests.claims.claims import claim_on, conditions, holds, integer_formulas, key_of
from tests.own_games import own_games_with_bounds
from tests.rulesets import solid_bars

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
    claim = claim_on(game, f"P <=> {formula}")
    data = table(game, 40, "p-positions").astype(kind)
    for args in ((claim, game, 40, data, 300), (claim, game, 40, data.transpose(), 1 << 18)):
        assert found_by(ALWAYS, *args) == found_by(NEVER, *args)
    assert True in runs


def test_what_has_no_value_is_said_as_by_arrays(runs: list[bool]) -> None:
    game = parse_ruleset("solid-bar(f=(x+z)//3)")
    claim = claim_on(game, "G == y//(x-7)")
    data = table(game, 12, "grundy")
    found = found_by(ALWAYS, claim, game, 12, data, 1 << 18)
    assert found == found_by(NEVER, claim, game, 12, data, 1 << 18)
    assert "division by zero" in str(found)
    assert True not in runs


def test_small_tables_are_not_worth_a_compilation(runs: list[bool]) -> None:
    game = parse_ruleset("solid-bar(f=(x+z)//3)")
    claim = claim_on(game, "P <=> x ^ y ^ z == 0")
    check_claim(claim, {}, game, 20, table(game, 20, "p-positions"))
    assert True not in runs


pytestmark = pytest.mark.full

Drawn = tuple[Ruleset, int]
WRONG: Mapping[str, Callable[[bool, bool], bool]] = {
    "exactly": lambda holds, is_p: holds != is_p,
    "contain": lambda holds, is_p: holds and not is_p,
    "within": lambda holds, is_p: is_p and not holds,
}
reaches = st.none() | st.integers(0, 5)


@st.composite
def solved(draw: st.DrawFn, names: list[str]) -> str:
    """Draw an equation that can be solved for each of the coordinates, so that columns have candidates."""
    terms = [f"({name}+({draw(st.integers(-1, 2))}))" for name in names]
    return f"{' ^ '.join(terms)} == {draw(st.integers(0, 3))}"


def by_definition(
    game: Ruleset, bound: int, where: str | None, reach: int | None, wrong: Any
) -> Any:
    """Return how many positions a claim speaks of, and how many contradict it with the least of them."""
    condition = None if where is None else parse(where)
    spoken = [
        position
        for position in game.positions(bound)
        if holds(condition, dict(zip(game.coordinates, position, strict=True)))
        and (reach is None or key_of(game, position)[0] <= reach)
    ]
    failures = [position for position in spoken if wrong(position)]
    least = min(failures, key=lambda position: key_of(game, position), default=None)
    return len(spoken), len(failures), least


def require_right(
    drawn: Drawn,
    quantity: Quantity,
    relation: Containment,
    reach: int | None,
    formula: str,
    where: str | None,
) -> None:
    """Compare what machine code counts with what a loop over positions counts."""
    game, bound = drawn
    names = list(game.coordinates)
    check = PPositions(parse(formula), relation, None if where is None else parse(where))
    cells = Cells.of(game, bound, table(game, bound, quantity))
    if not cells.variable.dims or cells.free is not None:  # a heap of any size: other positions
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEWEST_CELLS", 0)
        tally = alone(compare(check, {}, cells, 64, reach))
    is_said = parse(formula)

    def wrong(position: tuple[int, ...]) -> bool:
        named = dict(zip(names, position, strict=True))
        return WRONG[relation](holds(is_said, named), game.grundy(position) == 0)

    expected = by_definition(game, bound, where, reach, wrong)
    assert (tally.settled, tally.failures, tally.least) == expected


relations = st.sampled_from(sorted(WRONG))


@given(st.data(), own_games_with_bounds(), st.sampled_from(QUANTITIES), relations, reaches)
def test_p_positions(
    data: st.DataObject, drawn: Drawn, quantity: Quantity, relation: Containment, reach: int | None
) -> None:
    names = list(drawn[0].coordinates)
    formula, where = data.draw(conditions(names)), data.draw(st.none() | conditions(names))
    require_right(drawn, quantity, relation, reach, formula, where)


@given(st.data(), st.tuples(solid_bars(), st.integers(2, 8)), relations, reaches)
def test_columns(
    data: st.DataObject, drawn: Drawn, relation: Containment, reach: int | None
) -> None:
    formula, where = (
        data.draw(solved(["x", "y", "z"])),
        data.draw(st.none() | conditions(["x", "z"])),
    )
    require_right(drawn, "p-positions", relation, reach, formula, where)


@given(st.data(), own_games_with_bounds(), reaches)
def test_grundy_numbers(data: st.DataObject, drawn: Drawn, reach: int | None) -> None:
    game, bound = drawn
    names = list(game.coordinates)
    equals = data.draw(integer_formulas(names))
    where = data.draw(st.none() | conditions(names))
    check = GrundyNumbers(parse(equals), None if where is None else parse(where))
    cells = Cells.of(game, bound, table(game, bound, "grundy"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEWEST_CELLS", 0)
        tally = alone(compare(check, {}, cells, 64, reach))
    is_said = parse(equals)

    def wrong(position: tuple[int, ...]) -> bool:
        named = dict(zip(names, position, strict=True))
        return is_said.value(named) != game.grundy(position)

    expected = by_definition(game, bound, where, reach, wrong)
    assert (tally.settled, tally.failures, tally.least) == expected
