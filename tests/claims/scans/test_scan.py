"""Findings by machine code are those by arrays, which other tests compare with the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks import scan
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.games import RectangularBar, Ruleset, parse_ruleset
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES, Quantity
from tests.claims.claims import claim_on, conditions, formula_names, integer_formulas
from tests.claims.written import claim_from
from tests.rulesets import rulesets_with_bounds

ALWAYS, NEVER = 0, 1 << 62
Drawn = tuple[Ruleset, int]
Asked = tuple[Ruleset, int, Quantity, list[str]]
blocks = st.sampled_from([1, 7, 64, 1 << 18])


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


def reaching(reach: int | None, game: Ruleset, **check: Any) -> Claim:
    """Return a claim on positions up to a size, if one can be given; on all for None."""
    if reach is None or isinstance(game.base, RectangularBar):  # whose shape limits it
        return claim_on(game, **check)
    claim = claim_from({"id": "drawn", "ruleset": game.notation, "reach": reach, "check": check})
    assert list(mistakes_in(claim)) == []
    return claim


def require_same(claim: Claim, game: Ruleset, bound: int, quantity: Quantity, block: int) -> None:
    data = table(game, bound, quantity)
    args = claim, game, bound, data, block
    assert found_by(ALWAYS, *args) == found_by(NEVER, *args)


@st.composite
def tables_and_names(draw: st.DrawFn) -> tuple[Ruleset, int, Quantity, list[str]]:
    """Draw a table of which a claim on P-positions can be asked, and the names that its formulas may have."""
    game, bound = draw(rulesets_with_bounds())
    quantity, names = draw(st.sampled_from(QUANTITIES)), formula_names(game, whole_bars=True)
    if names[0] == "i":  # of whole bars
        quantity = "p-positions"
    return game, bound, quantity, names


reaches = st.none() | st.integers(0, 6)


@given(
    st.data(),
    tables_and_names(),
    st.sampled_from(["exactly", "contain", "within"]),
    reaches,
    blocks,
)
def test_p_positions(
    data: st.DataObject, drawn: Asked, relation: str, reach: int | None, block: int
) -> None:
    game, bound, quantity, names = drawn
    claim = reaching(
        reach,
        game,
        kind="p-positions",
        formula=data.draw(conditions(names)),
        where=data.draw(st.none() | conditions(names)),
        relation=relation,
    )
    require_same(claim, game, bound, quantity, block)


@given(st.data(), rulesets_with_bounds(), blocks)
def test_nim_sums_that_are_solved(data: st.DataObject, drawn: Drawn, block: int) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=True)
    shifts = [data.draw(st.integers(-3, 3)) for _ in names]
    terms = [f"({name}+({shift}))" for name, shift in zip(names, shifts, strict=True)]
    other = data.draw(conditions(names))
    formula = f"{' ^ '.join(terms)} == {data.draw(st.integers(-2, 2))}"
    if data.draw(st.booleans()):
        formula = f"{names[0]} == 0 and ({other}) or {formula}"
    claim = claim_on(game, kind="p-positions", formula=formula)
    require_same(claim, game, bound, "p-positions", block)


@given(st.data(), rulesets_with_bounds(), blocks)
def test_grundy_numbers(data: st.DataObject, drawn: Drawn, block: int) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=False)
    claim = claim_on(
        game,
        kind="grundy",
        equals=data.draw(integer_formulas(names)),
        where=data.draw(st.none() | conditions(names)),
    )
    require_same(claim, game, bound, "grundy", block)


@pytest.mark.parametrize(
    "notation",
    [
        "solid-bar(f=(x+z)//3)",
        "solid-bar(f=(x*z)//3)",
        "solid-bar(f=x//2)",
        "solid-bar(f=z)",
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


@given(
    st.data(),
    tables_and_names(),
    st.sampled_from(["exactly", "contains-all", "within"]),
    reaches,
    blocks,
)
def test_values(
    data: st.DataObject, drawn: Asked, relation: str, reach: int | None, block: int
) -> None:
    game, bound, quantity, names = drawn
    claim = reaching(
        reach,
        game,
        kind="values",
        of=data.draw(integer_formulas(names)),
        values=data.draw(
            st.sampled_from(["v == 0", "v >= 0", "v % 2 == 0", "v > 2", "-2 <= v < 4"])
        ),
        where=data.draw(st.none() | conditions(names)),
        relation=relation,
    )
    require_same(claim, game, bound, quantity, block)


def test_values_are_counted_by_machine_code(runs: list[bool]) -> None:
    game = parse_ruleset("with-pass(strip-bar(k=4,s=2))")
    for values in ("v == 1 or (v+2) & (v+1) == 0", "v % 2 == 0", "v > 40"):
        claim = claim_on(
            game, kind="values", of="(x+2) ^ y ^ (z+2) ^ p", values=values, relation="exactly"
        )
        require_same(claim, game, 60, "p-positions", 500)
    assert True in runs
