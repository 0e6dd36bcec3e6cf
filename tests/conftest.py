"""What holds for every test: which run when, and in how many processes; in CI none may be skipped.

There are three tiers. A test that has no marker is **quick**, and ``./choco test`` runs it: it is a matter of seconds, and
needs nothing but the locked packages. A test is marked ``full`` if it is one of these, and ``./choco test --all`` runs it, too:

- it needs a program that is not in the lock file, such as MONA, Slurm or Chromium (whatever has a ``skipif`` is taken for
  such a test);
- it has to do with a whole run, a cluster, an object store, or something that is killed;
- it takes more than five seconds of a processor, and a quick one of the same kind stays.

A test is marked ``slow`` if it takes more than a minute; ``./choco test --slow`` runs everything. Drawn examples are fewer
in the quick tier and more in the slow one (`tests.effort`). Who names a file runs all of it that is not slow.

The whole suite and its folders run in as many processes as there are cores. The tests of one file run one after the
other in one process: they share its module fixtures, its Slurm, its browser. Two files never share more than what two
runs of a user on one machine do, such as the machine code that numba keeps: a project is a folder of its own, a port
or a network is one that nobody has, and what is killed is known by a mark that its processes inherit.
"""

import gc
import os
import random
import signal
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings
from xdist.workermanage import WorkerController

from choco_pipeline.tables.computing.machine import cores
from tests.effort import FEW, MANY, SOME

TESTS = Path(__file__).parent
#: The files that take longest, in this order, with or without whole runs. Only the time that all take depends on it.
LONGEST = (
    "workflow/test_run.py",
    # Needs no kernels: in a fresh clone the first run compiles them, and another beside it would compile them again.
    "proof/family_check/test_direct_check.py",
    "workflow/test_kills.py",
    "objectstore/test_runs.py",
    "workflow/test_kill.py",
    "workflow/test_proof.py",
    "papers/test_mutations.py",
    "workflow/test_damage.py",
    "proof/games/test_prover.py",
    "workflow/test_disagreement.py",
    "proof/games/test_obligations.py",
    "proof/family_check/test_certificate_check.py",
    "papers/test_vacuity.py",
    "finding/height_functions/test_height_criterion.py",
    "proof/games/test_certificate.py",
    "tables/reading/test_windows.py",
    "proof/statements/test_integer_sentences.py",
    "workflow/test_extend.py",
    "workflow/test_stages.py",
    "proof/statements/test_proved_formulas.py",
    "finding/test_reading.py",
    "mining/closed_forms/test_learnt_formulas.py",
    "proof/statements/test_decided_claims.py",
    "proof/test_follows.py",
    "cluster/test_wavefront.py",
    "cluster/test_call.py",
    "cluster/test_slurm.py",
    "repository/test_pytest_rules.py",
    "finding/test_stage.py",
    "cli/claim_commands/test_claims.py",
    "cli/test_prove.py",
    "checker/test_own_games.py",
)
# How long one example takes says more of the machine and of compilation than of the code.
settings.register_profile("quick", deadline=None, max_examples=FEW)
settings.register_profile("full", deadline=None, max_examples=SOME)
settings.register_profile("slow", deadline=None, max_examples=MANY)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the tests marked full, too")
    parser.addoption("--slow", action="store_true", help="run the tests marked full or slow, too")
    parser.addoption("--seed", type=int, help="what decides what is killed, or changed, at random")


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
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return how many cores these tests may use, and one more for those that are not quick, unless the environment says how many.

    Many of these wait for what they have started: two cores take 15 minutes for all tests with three processes, and 18 with two.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return cores() + any(config.getoption(option) for option in ("all", "slow"))


def pytest_configure(config: pytest.Config) -> None:
    asked = [
        tier for tier, option in (("slow", "slow"), ("full", "all")) if config.getoption(option)
    ]
    settings.load_profile(asked[0] if asked else "quick")
    # A shell has Ctrl-C ignored in what it starts in the background, and so would be all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage: nearly all that is made then stays, and to look takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # What takes longest goes first, so that of several processes none works on alone at the end.
    items.sort(key=lambda item: rank(item.path))
    left_out = [item for item in items if is_left_out(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item)]
    if hasattr(config, "workerinput"):
        config.workeroutput["left_out"] = [item.nodeid for item in left_out]


def rank(path: Path) -> int:
    """Return the place of a file among the longest, or one behind them all."""
    name = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else path.name
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def is_left_out(item: pytest.Item) -> bool:
    """Return whether nobody has asked for a test."""
    config = item.config
    if config.getoption("slow"):
        return False
    if item.get_closest_marker("slow"):
        return True
    # What may be skipped needs a program that is not in the lock file, and there are no skips in the quick tier.
    is_full = item.get_closest_marker("full") or item.get_closest_marker("skipif")
    here = config.invocation_params.dir
    is_named = item.path in [here / name.split("::")[0] for name in config.args]
    return is_full is not None and not is_named and not config.getoption("all")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Count in the summary what was not selected, of which xdist says nothing; all processes select the same."""
    if node.workerinput["workerid"] == "gw0":
        left_out = getattr(node, "workeroutput", {}).get("left_out", [])
        # Other plugins look for attributes of items, which is more than strings have.
        items = [SimpleNamespace(nodeid=name) for name in left_out]
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


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return what decides what is killed, or changed, at random; ``--seed`` repeats a failure."""
    given = request.config.getoption("seed")
    seed = random.randrange(1 << 32) if given is None else int(given)
    print(f"repeat it with --seed {seed}")  # noqa: T201 -- pytest shows it when a test fails
    return seed
