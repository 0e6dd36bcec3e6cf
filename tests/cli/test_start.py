"""A command that is only starting."""

import os
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize("seconds", [0.2, 0.8])
def test_ctrl_c_while_it_is_loaded_shows_no_traceback(seconds):
    command = [sys.executable, "-m", "choco_pipeline", "schema"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as started:
        time.sleep(seconds)
        os.kill(started.pid, signal.SIGINT)
        assert started.stderr is not None
        said = started.stderr.read().decode()
    # Python itself has no handler yet in its first hundredths of a second, and ends by the signal.
    assert started.returncode in (0, 130, -signal.SIGINT)
    assert "choco_pipeline" not in said


@pytest.mark.parametrize("command", ["schema", "run"])
def test_ctrl_c_that_had_to_wait_ends_it_in_order(command):
    """As it waits for what ``./choco`` starts."""
    blocked = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT});"
    start = f"os.kill(os.getpid(), signal.SIGINT); os.execv(sys.executable, {[sys.executable, '-m', 'choco_pipeline', command, 'no-such-file.yaml']})"
    done = subprocess.run([sys.executable, "-c", blocked + start], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["job", "mine", "no-such-file.json", "a"], {"numpy", "choco_pipeline.claims"}),
        pytest.param(
            ["prove", "--check", "no-such-file.json"],
            {"xarray", "pandas", "distributed", "bokeh"},
            marks=pytest.mark.full,
        ),
        (["plan", "no-such-file.yaml"], {"xarray", "pandas", "distributed", "bokeh"}),
    ],
)
def test_it_loads_no_more_than_it_needs(arguments, unneeded):
    script = f"""\
import sys
from choco_pipeline.cli.main import main
sys.argv = ["choco", *{arguments}]
try:
    main()
finally:
    print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr[:16]) == (2, "choco: no-such-f"), done.stderr
    loaded = set(done.stdout.split())
    assert not loaded & unneeded
