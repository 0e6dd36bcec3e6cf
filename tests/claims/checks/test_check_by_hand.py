"""Claims checked on tables that were chosen by hand: domains, passes, bounds, and what leaves a claim undecided."""

from __future__ import annotations

import numpy as np
import pytest

from choco_pipeline import SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import collect_values
from choco_pipeline.claims.language.verdict import HoldsToBound, Refuted, Undecided
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from tests.claims.checks.checked import find
from tests.claims.claims import claim_on
from tests.claims.written import claim_from


def test_a_strip_beyond_the_bound_is_settled_too() -> None:
    game, bound = StripBar(k=4, s=2), 7
    claim = claim_on(game, kind="p-positions", formula="(x+2) ^ y ^ (z+2) == 0 and x <= 8")
    finding = find(claim, game, bound, "p-positions")
    assert isinstance(finding.verdict, Refuted)
    assert finding.verdict.counterexample.position == (9, 2, 7)  # x is larger than the bound
    assert finding.evidence["free"] == "x"


def test_counting_needs_the_whole_box() -> None:
    check = {"kind": "count", "of": "grundy == 0", "where": "z <= 9", "equals": 1}
    claim = claim_from({"id": "drawn", "ruleset": "step-bar(k=2, s=0)", "reach": 9, "check": check})
    verdict = find(claim, StepBar(2), 8, "grundy").verdict
    assert verdict == Undecided("the table reaches bound 8, 9 is needed")


def test_too_many_evaluations_leave_the_claim_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("choco_pipeline.claims.checks.formulas.MOST_EVALUATIONS", 100)
    game = SolidBar("(x+z)//3")
    verdict = find(
        claim_on(game, kind="p-positions", formula="x*y*z > 5"), game, 8, "p-positions"
    ).verdict
    assert isinstance(verdict, Undecided)
    assert (
        "cannot be solved for y, and the table stands for 270 positions: it is evaluated at 100 at most"
        in verdict.why
    )


def test_a_set_that_stops_growing_is_not_said_to_hold_everything() -> None:
    game = WithPass(StripBar(k=4, s=2))  # values 0, 1, 2, 6, 14, …: 3 never comes
    claim = claim_on(
        game, kind="values", of="(x+2) ^ y ^ (z+2) ^ p", values="v >= 0", relation="contains-all"
    )
    finding = find(claim, game, 80, "p-positions")
    assert finding.verdict == Undecided(
        "all members up to 2 occur, but the next does not, neither up to bound 20 nor 80"
    )
    never = claim_on(
        game, kind="values", of="(x+2) ^ y ^ (z+2) ^ p", values="v >= 3", relation="contains-all"
    )
    assert find(never, game, 80, "p-positions").verdict == Undecided(
        "not even the least member occurs up to bound 80"
    )


def test_the_environment_is_put_into_every_formula() -> None:
    document = {
        "id": "drawn",
        "ruleset": "step-bar(k=k, s=s)",
        "let": {"t": "s+1", "u": "t-1"},
        "check": {"kind": "grundy", "equals": "(y ^ (z+u)) - s", "where": "z >= t-1-s"},
    }
    claim, game = claim_from(document), StepBar(4, 2)
    parameters = claim.match(game.notation)
    assert parameters == {"k": 4, "s": 2}
    data = table(game, 20, "grundy")
    finding = check_claim(claim, parameters, game, 20, data)
    assert finding.verdict == HoldsToBound(len(list(game.positions(20))), 20)


def test_least_bounds_of_values_are_those_of_their_first_positions() -> None:
    game, bound = SolidBar("(x+z)//2"), 12
    claim = claim_on(game, kind="values", of="x ^ y ^ z", values="v >= 0", relation="within")
    cells = Cells.of(game, bound, table(game, bound, "p-positions"))
    found = alone(collect_values(claim.check, {}, cells, 10))
    first: dict[int, int] = {}
    for position in game.positions(bound):
        if game.is_p_position(position):
            x, y, z = position
            first[x ^ y ^ z] = min(first.get(x ^ y ^ z, 99), max(position))
    assert dict(zip(found.values.tolist(), found.sizes.tolist(), strict=True)) == {
        value: first[value] for value in sorted(first) if first[value] <= bound
    }
    assert np.all(np.diff(found.values) > 0)
