"""What took how long: each stage as the ledger counts it, and of each what took longest."""

from __future__ import annotations

import pytest

from choco_pipeline.report.pages import MOST_NAMED, run_times
from choco_pipeline.sweep.ledger import Ledger


@pytest.fixture
def whole(ledger_file) -> Ledger:
    return Ledger.read(ledger_file)


def test_stages_are_as_long_as_the_ledger_says_and_bars_compare_them(whole):
    times = run_times(whole)
    assert {time.what: time.seconds for time in times if time.is_stage} == dict(whole.seconds)
    assert max(time.percent for time in times) == 100
    longest = max(whole.seconds.values())
    for time in times:
        assert time.percent == pytest.approx(100 * time.seconds / longest, abs=0.06)


@pytest.mark.full
def test_of_each_stage_the_longest_are_named(whole):
    times = run_times(whole)
    checked: dict[str, float] = {}
    for verdict in whole.verdicts:
        checked[verdict.claim] = checked.get(verdict.claim, 0) + verdict.seconds
    start = next(i for i, time in enumerate(times) if time.what == "checks") + 1
    named = times[start : start + MOST_NAMED]
    assert not any(time.is_stage for time in named)
    assert [time.seconds for time in named] == pytest.approx(
        sorted((time.seconds for time in named), reverse=True)
    )
    assert named[0].seconds >= max(checked.values()) > 0


def test_what_took_no_time_has_no_picture(whole):
    idle = whole.model_copy(update={"seconds": dict.fromkeys(whole.seconds, 0.0)})
    assert run_times(idle) == []
