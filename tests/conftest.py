"""What holds for every test: slow ones run when asked for, with more drawn examples; in CI none may be skipped."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.effort import MANY, USUAL

LONGEST = Path(__file__).parent / "workflow"
# How long one example takes says more of the machine and of compilation than of the code.
settings.register_profile("choco", deadline=None, max_examples=USUAL)
settings.register_profile("slow", deadline=None, max_examples=MANY)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, too")
    parser.addoption("--seed", type=int, help="what decides the moments of random kills")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("slow" if config.getoption("slow") else "choco")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # What takes longest goes first, so that of several processes none works on alone at the end.
    items.sort(key=lambda item: not item.path.is_relative_to(LONGEST))
    if config.getoption("slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    """In CI (``CI=true``), turn a skip into a failure: a check that nothing runs checks nothing."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: in CI a skip is a failure ({reason})"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    fail_if_skipped(report)
    return report
