"""Printed options and columns against the definition."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import Ruleset, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted, Undecided, Verdict
from choco_pipeline.tables.computing.in_memory import table
from tests.claims.claims import claim_on
from tests.rulesets import rulesets_with_bounds


def verdict_on(game: Ruleset, statement: str) -> Verdict:
    claim = Claim.from_json({"id": "drawn", "ruleset": game.notation, "statement": statement})
    return check_claim(claim, {}, game, 2, table(game, 2, "grundy")).verdict


@given(st.data(), rulesets_with_bounds())
def test_options_as_printed(data: st.DataObject, drawn: tuple[Ruleset, int]) -> None:
    game, bound = drawn
    positions = list(game.positions(bound))
    position = data.draw(st.sampled_from(positions))
    options = set(game.options(position))
    pool = st.sampled_from(positions) | st.sampled_from(sorted(options) or positions)
    printed = set(data.draw(st.lists(pool, min_size=1, max_size=4)))
    if data.draw(st.booleans()):
        printed |= options
    for word, right in (("", printed <= options), ("not ", not printed & options)):
        all_of = " and ".join(f"{word}option{option}".replace(",)", ")") for option in printed)
        verdict = verdict_on(game, f"at {position}: {all_of}".replace(",)", ")"))
        assert right == (verdict == Exhausted(1, "case"))
        assert right or isinstance(verdict, Refuted)


@pytest.mark.parametrize(("height", "holds"), [("(x+z)//3", True), ("(x+z)//4", None)])
def test_the_options_that_a_paper_prints(height: str, holds: bool | None) -> None:
    """What is no position of a lower bar has no options."""
    printed = "(at (14, 3, 10): option(9, 3, 10)) and (at (13, 6, 7): option(4, 3, 7))"
    verdict = verdict_on(SolidBar(height), printed)  # solid2022, Example 2.1
    assert isinstance(verdict, Exhausted if holds else Undecided)


def columns_on(game: Ruleset, *examples: dict[str, Any]) -> Verdict:
    claim = claim_on(game, kind="columns", examples=list(examples))
    return check_claim(claim, {}, game, 2, table(game, 2, "grundy")).verdict


@given(st.data(), st.integers(1, 5), st.integers(0, 6), st.integers(0, 9))
def test_columns(data: st.DataObject, k: int, s: int, z: int) -> None:
    y, x = data.draw(st.integers(0, (z + s) // k)), data.draw(st.integers(0, 3))
    columns = [min(y, (i + s) // k) + 1 for i in range(z + 1)]
    wrong = list(columns)
    wrong[data.draw(st.integers(0, z))] += data.draw(st.sampled_from([-1, 1]))
    for game, position in [
        (StepBar(k, s), [y, z]),
        (StripBar(k, s), [x, y, z]),
        (WithPass(StripBar(k, s)), [x, y, z, 1]),
    ]:
        good = {"position": position, "columns": columns}
        assert columns_on(game, good) == Exhausted(1, "example")
        for bad in (wrong, columns[:-1] or [9], [*columns, columns[-1]]):
            verdict = columns_on(game, good, {"position": position, "columns": bad})
            assert isinstance(verdict, Refuted)
            assert verdict.counterexample.position == tuple(position)
            assert verdict.counterexample.found == f"its columns are {columns}"
            assert verdict.counterexample.claimed == f"its columns are {bad}"


def test_columns_of_what_is_no_position() -> None:
    verdict = columns_on(StepBar(k=2), {"position": [3, 4], "columns": [1]})
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (3, 4)
    assert verdict.counterexample.found == (
        "it is no position: y = 3 is above its height at z = 4, which is 2"
    )
