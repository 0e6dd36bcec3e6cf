"""Rules for all tests: three tiers, and how many processes run them.

- **quick**: no marker, run by ``./choco test``. Needs only the locked packages. No test takes more than about two seconds.
- **full**: marked ``full``, run by ``./choco test --all``. A test is full if it

  - needs a program that is not locked, such as Slurm or Chromium (a test with a ``skipif`` is full without the marker);
  - runs the whole workflow, a cluster or an object store, or kills a process;
  - takes more than two seconds of CPU, and a quick test of the same kind exists.

- **slow**: marked ``slow``, run by ``./choco test --slow``. It takes more than half a minute, and a full test of the same kind exists.

`tests.effort` sets the number of Hypothesis examples for each tier. A file named on the command line runs its quick and full
tests.

Folders run in one process for each core. All tests of one file run in the same process, because they share module fixtures, a
Slurm or a browser. Tests in different files must be able to run at the same time: each uses its own folder, a free port, and
kills only processes that carry its mark.
"""

import gc
import os
import random
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

from choco_pipeline.tables.machine import cores
from tests.effort import FEW, MANY, SOME

TESTS = Path(__file__).parent
#: The longest files start first, so that no process works alone at the end. The order changes only the duration.
LONGEST = (
    "workflow/test_run.py",
    # Needs few kernels. In a fresh clone the first files compile kernels, and two processes must not compile the same ones.
    "checker/families/test_forged.py",
    "workflow/test_kills.py",
    "objectstore/test_runs.py",
    "workflow/test_kill.py",
    "workflow/test_proof.py",
    "papers/test_mutations.py",
    "papers/test_vacuity.py",
    "workflow/test_damage.py",
    "proof/games/test_prover.py",
    "workflow/test_disagreement.py",
    "finding/test_sharing.py",
    "checker/families/test_judge.py",
    "proof/uniform/test_families.py",
    "finding/test_generalise.py",
    "workflow/test_stages.py",
    "cli/test_commands.py",
    "mining/closed_forms/test_learnt_formulas.py",
    "finding/test_for_all_parameters.py",
    "cluster/test_wavefront.py",
    "cluster/test_call.py",
    "cluster/test_slurm.py",
    "cli/test_prove.py",
    "finding/test_reading.py",
)
# The time of one example depends on the machine and on compilation.
settings.register_profile("quick", deadline=None, max_examples=FEW)
settings.register_profile("full", deadline=None, max_examples=SOME)
settings.register_profile("slow", deadline=None, max_examples=MANY)


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also run the tests marked full")
    parser.addoption("--slow", action="store_true", help="also run the tests marked full or slow")
    parser.addoption(
        "--seed", type=int, help="seed of the tests that kill or change something at random"
    )


@pytest.hookimpl(tryfirst=True)  # before xdist reads the options
def pytest_cmdline_main(config):
    """Run folders in parallel, except with ``-n`` or a debugger."""
    option = config.option
    if not hasattr(option, "numprocesses") or hasattr(config, "workerinput"):
        return
    if option.numprocesses is None and option.dist == "no" and is_large(config):
        option.numprocesses = "auto"
    if option.numprocesses and option.dist == "no":
        option.dist, option.loadscopereorder = "loadfile", False


def is_large(config):
    """Return whether the tests are whole folders, without a debugger."""
    option, here = config.option, config.invocation_params.dir
    if option.keyword or option.capture == "no" or option.usepdb or option.trace:
        return False
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    return all((here / name).is_dir() for name in named)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Return the number of processes: the cores, and one more for slow tiers.

    An environment variable of xdist overrides it.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return cores() + any(config.getoption(option) for option in ("all", "slow"))


def pytest_configure(config):
    asked = [
        tier for tier, option in (("slow", "slow"), ("full", "all")) if config.getoption(option)
    ]
    settings.load_profile(asked[0] if asked else "quick")
    # A shell ignores Ctrl-C in background jobs, and processes started by tests would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without garbage collection, which takes a fifth of the time.

    Later collections skip these objects, too.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: rank(item.path))
    left_out = [item for item in items if is_left_out(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item)]
    if hasattr(config, "workerinput"):
        config.workeroutput["left_out"] = [item.nodeid for item in left_out]


def rank(path):
    """Return the index of a file in `LONGEST`, or the index after the last."""
    name = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else path.name
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def is_left_out(item):
    """Return whether a test is in a tier that was not requested."""
    config = item.config
    if config.getoption("slow"):
        return False
    if item.get_closest_marker("slow"):
        return True
    # A test with a skipif needs a program that is not locked; the quick tier has no skips.
    is_full = item.get_closest_marker("full") or item.get_closest_marker("skipif")
    here = config.invocation_params.dir
    is_named = item.path in [here / name.split("::")[0] for name in config.args]
    return is_full is not None and not is_named and not config.getoption("all")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add the deselected tests to the summary, which xdist leaves out."""
    if node.workerinput["workerid"] == "gw0":
        left_out = getattr(node, "workeroutput", {}).get("left_out", [])
        # Other plugins read attributes of items.
        items = [SimpleNamespace(nodeid=name) for name in left_out]
        node.config.hook.pytest_deselected(items=items)


def fail_if_skipped(report):
    """Turn a skip into a failure in CI (``CI=true``)."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: in CI a skip is a failure ({reason})"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    report = yield
    fail_if_skipped(report)
    return report


@pytest.fixture
def seed(request):
    """Return the seed of random damage; ``--seed`` repeats a failure."""
    given = request.config.getoption("seed")
    seed = random.randrange(1 << 32) if given is None else int(given)
    print(f"repeat it with --seed {seed}")  # noqa: T201 -- pytest shows it when a test fails
    return seed
