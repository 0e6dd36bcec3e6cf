"""Option sets described by a formula against the definition, cell by cell, positions or not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import RectangularBar, Ruleset, SolidBar, StepBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
)
from choco_pipeline.formula import parse
from choco_pipeline.games import Position
from choco_pipeline.tables.computing import table
from tests.claims.claims import conditions, key_of
from tests.rulesets import rulesets

STEP = "(w == z and u < y) or (w < z and u == min(y, (w+1)//2))"


def option_set(game: Ruleset, option: list[str], formula: str, relation: str = "exactly") -> Claim:
    """Return the claim that the options are exactly the cells that satisfy a formula, among them, or all of them."""
    cell = f"option({', '.join(option)})"
    said = {
        "exactly": f"{cell} <=> {formula}",
        "within": f"{cell} => {formula}",
        "contain": f"{formula} => {cell}",
    }[relation]
    claim = Claim.from_json({"id": "drawn", "ruleset": game.notation, "statement": said})
    assert list(mistakes_in(claim)) == []
    return claim


def find(game: Ruleset, bound: int, block: int = 1 << 18, **check: Any) -> Finding:
    claim = option_set(game, **check)
    return check_claim(claim, {}, game, bound, table(game, bound, "p-positions"), block)


@settings(deadline=None)
@given(st.data(), rulesets(), st.integers(1, 3), st.integers(1, 500))
def test_drawn_sets_by_definition(
    data: st.DataObject, game: Ruleset, bound: int, block: int
) -> None:
    sides = [range(most + 1) for most in game.limits(bound)]
    positions = list(game.positions(bound))
    single = not table(game, bound, "p-positions").dims
    if single or len(positions) * len(list(product(*sides))) > 20_000:
        return
    names = list(game.coordinates)
    option = [f"to_{name}" for name in names]
    formula = data.draw(conditions([*names, *option]))
    relation = data.draw(st.sampled_from(["exactly", "contain", "within"]))
    finding = find(game, bound, block, option=option, formula=formula, relation=relation)

    wrong, condition = [], parse(formula)
    for at in positions:
        options = set(game.options(at))
        for cell in product(*sides):
            named = dict(zip([*names, *option], (*at, *cell), strict=True))
            said, is_one = bool(condition.value(named)), cell in options
            if {"exactly": said != is_one, "contain": said > is_one, "within": said < is_one}[
                relation
            ]:
                wrong.append(at)
                break
    if not wrong:
        expected = Exhausted if finding.verdict == Exhausted(len(positions)) else HoldsToBound
        assert isinstance(finding.verdict, expected)
        assert finding.verdict.positions == len(positions)
        return
    assert isinstance(finding.verdict, Refuted)
    assert finding.evidence["failures"] == len(wrong)
    assert finding.verdict.counterexample.position == min(wrong, key=lambda at: key_of(game, at))


@pytest.mark.parametrize("relation", ["exactly", "contain"])
def test_cells_beyond_a_bar_are_not_all_looked_at(relation: str) -> None:
    # No cell with s = 50 is an option, and the formula says that each is: nothing near the bar contradicts that.
    formula = "s == 50 or (s+t+u+w == a+b+c+d-1 and s <= a and t <= b and u <= c and w <= d)"
    option = ["s", "t", "u", "w"]
    verdict = find(
        RectangularBar(2, 2), 1, option=option, formula=formula, relation=relation
    ).verdict
    assert isinstance(verdict, HoldsToBound)


class WithoutMoves(StepBar):
    """A step bar whose definition has no moves."""

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the options that are not forgotten."""
        return iter(())


class WithoutCutsOfY(StepBar):
    """A step bar whose definition forgets a kind of move."""

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the options that are not forgotten."""
        return (option for option in super().options(position) if option[1] < position[1])


class WithoutTheLastCut(StepBar):
    """A step bar that cannot be cut to its bitter column."""

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the options that are not forgotten."""
        return (option for option in super().options(position) if option[1] or not position[1])


@pytest.mark.parametrize("changed", [StepBar, WithoutMoves, WithoutCutsOfY, WithoutTheLastCut])
def test_a_definition_that_forgets_something_is_noticed(changed: type[StepBar]) -> None:
    game = changed(2, 1)
    claim = option_set(game, ["u", "w"], STEP)
    verdict = check_claim(claim, {}, game, 9, table(StepBar(2, 1), 9, "p-positions")).verdict
    assert isinstance(verdict, HoldsToBound if changed is StepBar else Refuted)


def test_a_box_that_is_too_large_is_not_looked_at() -> None:
    names = ["s", "t", "u", "w"]
    verdict = find(RectangularBar(12, 12), 12, option=names, formula="s < a").verdict
    assert isinstance(verdict, Undecided)
    assert "pairs of a position and a cell" in verdict.why
    game = WithPass(SolidBar("(x+z)//2"))
    finding = find(game, 60, option=["s", "t", "u", "w"], formula="s <= x", relation="within")
    assert isinstance(finding.verdict, HoldsToBound)
    assert finding.verdict.bound == finding.evidence["bound"] < 60
