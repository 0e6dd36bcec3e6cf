"""Printed options and shapes against the definition."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar, Ruleset, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted, Verdict
from choco_pipeline.tables.computing.in_memory import table
from tests.claims.claims import claim_on
from tests.rulesets import rulesets_with_bounds


def verdict_on(game: Ruleset, **check: Any) -> Verdict:
    return check_claim(claim_on(game, **check), {}, game, 2, table(game, 2, "grundy")).verdict


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
    for are, right in [
        ("all", printed == options),
        ("among", printed <= options),
        ("none", not printed & options),
    ]:
        example = {
            "position": list(position),
            "options": [list(option) for option in sorted(printed)],
            "are": are,
        }
        data_of_table = table(game, bound, "p-positions")
        if not data_of_table.sizes:
            return
        claim = claim_on(game, kind="moves", examples=[example])
        verdict = check_claim(claim, {}, game, bound, data_of_table).verdict
        assert right == (verdict == Exhausted(1, "example"))
        assert right or isinstance(verdict, Refuted)


def test_what_is_missing_and_what_is_too_much_is_named() -> None:
    game = StepBar(k=2)
    right = {"position": [0, 1], "options": [[0, 0]], "are": "all"}
    wrong = {"position": [1, 3], "options": [[0, 3], [1, 1], [1, 2]], "are": "all"}
    verdict = verdict_on(game, kind="moves", examples=[right, wrong])
    assert isinstance(verdict, Refuted)
    found = verdict.counterexample
    assert (found.position, found.coordinates) == ((1, 3), ("y", "z"))
    assert found.found == "not among its options: (1, 1); further options: (0, 0), (0, 1)"
    assert found.claimed == "its options are exactly (0, 3), (1, 1), (1, 2)"
    assert verdict_on(game, kind="moves", examples=[right]) == Exhausted(1, "example")

    among = verdict_on(game, kind="moves", examples=[{**wrong, "are": "among"}])
    assert isinstance(among, Refuted)
    assert among.counterexample.found == "not among its options: (1, 1)"
    assert among.counterexample.claimed == "its options include (0, 3), (1, 1), (1, 2)"
    none = verdict_on(game, kind="moves", examples=[{**wrong, "are": "none"}])
    assert isinstance(none, Refuted)
    assert none.counterexample.found == "its options include (0, 3), (1, 2)"
    assert none.counterexample.claimed == "its options include none of (0, 3), (1, 1), (1, 2)"


def test_long_lists_of_options_are_cut() -> None:
    example = {"position": [0, 9], "options": [[0, 0]], "are": "all"}
    verdict = verdict_on(StepBar(k=20), kind="moves", examples=[example])
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.found == (
        "further options: (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6) and 2 more"
    )


def test_the_options_that_a_paper_prints() -> None:
    examples = [
        {"position": [14, 3, 10], "options": [[9, 3, 10]], "are": "among"},
        {"position": [13, 6, 7], "options": [[4, 3, 7]], "are": "among"},
    ]  # solid2022, Example 2.1
    assert verdict_on(SolidBar("(x+z)//3"), kind="moves", examples=examples) == Exhausted(
        2, "example"
    )
    assert isinstance(verdict_on(SolidBar("(x+z)//4"), kind="moves", examples=examples), Refuted)
    heaps = [{"position": [1, 0, 0, 1], "options": [[0, 0, 0, 1], [1, 0, 0, 0]], "are": "all"}]
    assert verdict_on(RectangularBar(2, 2), kind="moves", examples=heaps) == Exhausted(1, "example")


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
        assert verdict_on(game, kind="shape", examples=[good]) == Exhausted(1, "example")
        for bad in (wrong, columns[:-1] or [9], [*columns, columns[-1]]):
            verdict = verdict_on(
                game, kind="shape", examples=[good, {"position": position, "columns": bad}]
            )
            assert isinstance(verdict, Refuted)
            assert verdict.counterexample.position == tuple(position)
            assert verdict.counterexample.found == f"its columns are {columns}"
            assert verdict.counterexample.claimed == f"its columns are {bad}"


@pytest.mark.parametrize(
    "check",
    [
        {
            "kind": "moves",
            "examples": [{"position": [3, 4], "options": [[0, 0]], "are": "none"}],
        },
        {"kind": "shape", "examples": [{"position": [3, 4], "columns": [1]}]},
    ],
)
def test_what_is_no_position_refutes(check: dict[str, Any]) -> None:
    verdict = verdict_on(StepBar(k=2), **check)
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (3, 4)
    assert verdict.counterexample.found == (
        "it is no position: y = 3 is above its height at z = 4, which is 2"
    )
