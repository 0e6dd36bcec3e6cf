"""Counterexamples explained: outcome, Grundy number and reason against the definition, wherever they come from."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from choco_pipeline import Ruleset, SolidBar, StripBar
from choco_pipeline.claims.checks.evidence import ClaimCase, counterexample_at
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES
from tests.claims.claims import claim_on, domain, formula_names
from tests.rulesets import rulesets_with_bounds

Drawn = tuple[Ruleset, int]


def explained(game, bound, quantity, position, statement):
    claim = claim_on(game, statement)
    return counterexample_at(
        ClaimCase(claim, {}, Cells.of(game, bound, table(game, bound, quantity))), position
    )


def require_reason(game, position, found):
    """Assert that option and reason are those of the position's outcome."""
    assert (found.position, found.coordinates) == (position, game.coordinates)
    options = list(game.options(position))
    if not game.is_p_position(position):
        assert found.option == next(filter(game.is_p_position, options))
        assert found.reason == f"its option {found.option} is a P-position"
        return
    assert found.option is None
    if not options:
        assert found.reason == "it has no option"
    elif len(options) == 1:
        assert found.reason == f"its only option, {options[0]}, is an N-position"
    else:
        assert found.reason == f"none of its {len(options)} options is a P-position"


@given(
    st.data(),
    rulesets_with_bounds(),
    st.sampled_from(QUANTITIES),
    st.sampled_from(["definition", "table", "neither"]),
)
def test_outcomes(data, drawn, quantity, source):
    game, bound = drawn
    whole_bars = formula_names(game, whole_bars=True)[0] == "i"
    if whole_bars:
        quantity = "p-positions"
    assume(table(game, bound, quantity).sizes)
    places = [at for at, _ in domain(game, bound, quantity)]
    position = data.draw(st.sampled_from(places))
    with pytest.MonkeyPatch.context() as patch:
        if source != "definition":
            patch.setattr("choco_pipeline.claims.checks.evidence.MOST_BELOW", 0)
        if source != "table":
            patch.setattr("choco_pipeline.claims.checks.evidence.MOST_SECONDS", 0.0)
        found = explained(game, bound, quantity, position, "P <=> 0 == 1")
    if game.is_p_position(position):
        assert (found.found, found.claimed) == ("P-position", "N-position")
    elif source == "neither" and quantity == "p-positions":
        assert (found.found, found.claimed) == ("N-position", "P-position")
        if whole_bars:  # the table holds uncut bars: none of them is an option, unless by a pass
            winning = [None, *filter(game.is_p_position, game.options(position))]
            assert found.option in winning
            assert (found.option is None) == (found.reason is None)
            return
    else:
        number = game.grundy(position)
        assert found.found == f"Grundy number {number} (N-position)"
        assert found.claimed == "P-position"
    require_reason(game, position, found)


@given(st.data(), rulesets_with_bounds())
def test_grundy_numbers(data, drawn):
    game, bound = drawn
    position = data.draw(st.sampled_from(list(game.positions(bound))))
    claimed, number = data.draw(st.integers(-1, 12)), game.grundy(position)
    assume(claimed != number)
    found = explained(game, bound, "grundy", position, f"G == {claimed}")
    assert (found.found, found.claimed) == (f"Grundy number {number}", f"Grundy number {claimed}")
    options = list(game.options(position))
    assert found.option == next(filter(game.is_p_position, options), None)
    lower = [option for option in options if game.grundy(option) == claimed]
    if 0 <= claimed < number:
        assert found.reason == f"its option {lower[0]} has Grundy number {claimed}"
    elif len(options) > 1:
        assert found.reason == f"none of its {len(options)} options has Grundy number {number}"


def test_a_large_counterexample_is_explained_by_a_table_of_what_is_below_it():
    game, bound = SolidBar("(x+z)//3"), 60
    position = (50, 20, 45)  # 49,266 positions are below it or would be
    found = explained(game, bound, "p-positions", position, "P <=> x < 0")
    number = int(table(game, 50, "grundy").grundy.sel(x=50, y=20, z=45))
    assert found.found == f"Grundy number {number} (N-position)"
    assert found.option in set(game.options(position))

    wide = StripBar(k=2)  # a strip of 40,001 squares: no table of that size
    far = explained(wide, 9, "p-positions", (40_000, 2, 5), "P <=> x > 9")
    assert far.found == "N-position"
    assert far.option in set(wide.options((40_000, 2, 5)))
