"""Machine code against plain loops over positions, on games of one's own, and on solid bars for their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks import scan
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import compare
from choco_pipeline.claims.kinds import Containment, GrundyNumbers, PPositions
from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES, Quantity
from tests.claims.claims import conditions, holds, integer_formulas, key_of
from tests.own_games import own_games_with_bounds
from tests.rulesets import solid_bars

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
