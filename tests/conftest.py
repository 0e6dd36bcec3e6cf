"""What holds for every test: slow ones run when asked for, with more drawn examples; in CI none may be skipped.

The whole suite and its folders run in as many processes as there are cores. The tests of one file run one after the
other in one process: they share its module fixtures, its Slurm, its browser. Two files never share more than what two
runs of a user on one machine do, such as the machine code that numba keeps: a project is a folder of its own, a port
or a network is one that nobody has, and what is killed is known by a mark that its processes inherit.
"""

import os
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings
from xdist.workermanage import WorkerController

from choco_pipeline.tables.machine import cores
from tests.effort import MANY, USUAL

LONGEST = Path(__file__).parent / "workflow"
# How long one example takes says more of the machine and of compilation than of the code.
settings.register_profile("choco", deadline=None, max_examples=USUAL)
settings.register_profile("slow", deadline=None, max_examples=MANY)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, too")
    parser.addoption("--seed", type=int, help="what decides the moments of random kills")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the options
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run folders in parallel, unless ``-n`` says otherwise or somebody wants to look on."""
    option = config.option
    if not hasattr(option, "numprocesses") or hasattr(config, "workerinput"):
        return
    if option.numprocesses is None and option.dist == "no" and is_large(config):
        option.numprocesses = "auto"
    if option.numprocesses and option.dist == "no":
        option.dist, option.loadscopereorder = "loadfile", False


def is_large(config: pytest.Config) -> bool:
    """Return whether whole folders run with nobody looking on: for less, another process is not worth its start."""
    option, here = config.option, config.invocation_params.dir
    if option.keyword or option.capture == "no" or option.usepdb or option.trace:
        return False
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    return all((here / name).is_dir() for name in named)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Return how many cores these tests may use, unless the environment says how many processes there shall be."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else cores()


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
    if hasattr(config, "workerinput"):
        config.workeroutput["slow"] = [item.nodeid for item in slow]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Count in the summary what was not selected, of which xdist says nothing; all processes select the same."""
    if node.workerinput["workerid"] == "gw0":
        slow = getattr(node, "workeroutput", {}).get("slow", [])
        # Other plugins look for attributes of items, which is more than strings have.
        items = [SimpleNamespace(nodeid=name) for name in slow]
        node.config.hook.pytest_deselected(items=items)


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
