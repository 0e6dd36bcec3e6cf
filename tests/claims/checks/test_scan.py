"""Scans by machine code against array code: formulas, tables and games of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import ne

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks import scan
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import compare
from choco_pipeline.claims.kinds import Containment, GrundyNumbers, PPositions
from choco_pipeline.claims.language.verdict import HoldsToBound
from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES
from tests.claims.checks.test_by_definition import drawn
from tests.claims.claims import claim_on, conditions, holds, integer_formulas, key_of
from tests.own_games import own_games_with_bounds
from tests.rulesets import solid_bars

ALWAYS, NEVER = 0, 1 << 62


@pytest.fixture
def runs(monkeypatch):
    """Return a list to which each slab adds whether machine code has compared it."""
    found: list[bool] = []
    run = scan.Scan.run

    def noted(*args):
        result = run(*args)
        found.append(result is not None)
        return result

    monkeypatch.setattr(scan.Scan, "run", noted)
    return found


def found_by(fewest, claim, game, bound, data, block):
    """Return the finding if tables with at least so many cells are compared by machine code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEWEST_CELLS", fewest)
        return check_claim(claim, {}, game, bound, data, block)


@pytest.mark.parametrize("kind", ["p-positions", "grundy"])
@given(st.data(), st.sampled_from([1, 7, 64, 1 << 18]))
def test_machine_code_finds_what_arrays_find(kind, data, block):
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
def test_columns_are_compared_by_machine_code(notation, formula, kind, runs):
    game = parse_ruleset(notation)
    claim = claim_on(game, f"P <=> {formula}")
    data = table(game, 40, "p-positions").astype(kind)
    for args in ((claim, game, 40, data, 300), (claim, game, 40, data.transpose(), 1 << 18)):
        assert found_by(ALWAYS, *args) == found_by(NEVER, *args)
    assert True in runs


def test_what_has_no_value_is_said_as_by_arrays(runs):
    game = parse_ruleset("solid-bar(f=(x+z)//3)")
    claim = claim_on(game, "G == y//(x-7)")
    data = table(game, 12, "grundy")
    found = found_by(ALWAYS, claim, game, 12, data, 1 << 18)
    assert found == found_by(NEVER, claim, game, 12, data, 1 << 18)
    assert "division by zero" in str(found)
    assert True not in runs


def test_small_tables_are_not_worth_a_compilation(runs):
    game = parse_ruleset("solid-bar(f=(x+z)//3)")
    claim = claim_on(game, "P <=> x ^ y ^ z == 0")
    check_claim(claim, {}, game, 20, table(game, 20, "p-positions"))
    assert True not in runs


pytestmark = pytest.mark.full

Drawn = tuple[Ruleset, int]
#: By the value of a formula and the Grundy number of a position.
WRONG: Mapping[Containment, Callable[[int, int], bool]] = {
    "exactly": lambda said, number: bool(said) != (number == 0),
    "contain": lambda said, number: bool(said) and number != 0,
    "within": lambda said, number: number == 0 and not said,
}
relations = st.sampled_from(sorted(WRONG))
reaches = st.none() | st.integers(0, 5)


@st.composite
def solved(draw, names):
    """Draw an equation that can be solved for each of the coordinates, so that columns have candidates."""
    terms = [f"({name}+({draw(st.integers(-1, 2))}))" for name in names]
    return f"{' ^ '.join(terms)} == {draw(st.integers(0, 3))}"


def optional(text):
    return None if text is None else parse(text)


def require_right(drawn, quantity, check, reach, said, wrong):
    """Compare what machine code counts with what a loop over positions counts."""
    game, bound = drawn
    cells = Cells.of(game, bound, table(game, bound, quantity))
    if not cells.variable.dims or cells.free is not None:  # a heap of any size: other positions
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEWEST_CELLS", 0)
        tally = alone(compare(check, {}, cells, 64, reach))
    formula, settled, failures = parse(said), 0, []
    for position in game.positions(bound):
        named = dict(zip(game.coordinates, position, strict=True))
        if holds(check.where, named) and (reach is None or key_of(game, position)[0] <= reach):
            settled += 1
            if wrong(formula.value(named), game.grundy(position)):
                failures.append(position)
    least = min(failures, key=lambda position: key_of(game, position), default=None)
    assert (tally.settled, tally.failures, tally.least) == (settled, len(failures), least)


@given(st.data(), own_games_with_bounds(), st.sampled_from(QUANTITIES), relations, reaches)
def test_p_positions(data, drawn, quantity, relation, reach):
    names = list(drawn[0].coordinates)
    said, where = data.draw(conditions(names)), data.draw(st.none() | conditions(names))
    check = PPositions(parse(said), relation, optional(where))
    require_right(drawn, quantity, check, reach, said, WRONG[relation])


@given(st.data(), st.tuples(solid_bars(), st.integers(2, 8)), relations, reaches)
def test_columns(data, drawn, relation, reach):
    said = data.draw(solved(["x", "y", "z"]))
    where = data.draw(st.none() | conditions(["x", "z"]))
    check = PPositions(parse(said), relation, optional(where))
    require_right(drawn, "p-positions", check, reach, said, WRONG[relation])


@given(st.data(), own_games_with_bounds(), reaches)
def test_grundy_numbers(data, drawn, reach):
    names = list(drawn[0].coordinates)
    said, where = data.draw(integer_formulas(names)), data.draw(st.none() | conditions(names))
    check = GrundyNumbers(parse(said), optional(where))
    require_right(drawn, "grundy", check, reach, said, ne)


@pytest.mark.parametrize("fewest", [ALWAYS, NEVER])
@pytest.mark.parametrize(
    ("statement", "counted", "is_unbounded"),
    [
        ("a ^ b ^ c == 0 => P", 25 - 6, True),
        ("P => a ^ b ^ c == 0", 25 - 6, True),
        ("P => (a ^ b ^ c)*(c+1) == 0", 25 - 6, True),  # cannot be solved for c
        ("P <=> (a ^ b ^ c)*(c+1) == 0", 125, False),
    ],
)
def test_a_heap_without_limit_is_counted_up_to_the_bound(fewest, statement, counted, is_unbounded):
    """Of the 25 P-positions (a, b, a ⊕ b) with a, b ≤ 4, six have a last heap above 4."""
    game = parse_ruleset("nim(3)")
    data = table(game, 4, "p-positions")
    finding = found_by(fewest, claim_on(game, statement), game, 4, data, 1 << 18)
    assert finding.verdict == HoldsToBound(counted, 4)
    assert ("free" in finding.evidence) == is_unbounded
