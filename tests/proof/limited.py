"""What the tests of limits run in a child process; and a parent that waits for a child, to be killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof.limits import Limited

PREPARED = []


def prepare():
    PREPARED.append(True)


def pid():
    assert len(PREPARED) == 1
    return os.getpid()


def echo(one, two):
    return [one, two]


def says_something():
    os.write(1, b"{}\n")
    return "answered"


def sleep():
    time.sleep(3600)


def spin():
    while True:
        pass


def multiply():
    large = np.ones((20_000, 20_000), np.int8)
    return int((large @ large)[0, 0])  # one call of numpy, hours long


def fill(mib):
    filled = np.ones(mib << 20, np.uint8)
    if mib > 500:
        time.sleep(3600)
    return int(filled[-1])


def keep(mib):
    PREPARED[0] = np.ones(mib << 20, np.uint8)


def fill_in_a_child(mib):
    subprocess.run([sys.executable, "-c", f"from tests.proof.limited import fill; fill({mib})"])


def start_and_wait(file):
    Path(file).write_text(str(subprocess.Popen(["sleep", "3600"]).pid))
    time.sleep(3600)


def mistake():
    raise ChocoError("a mistake in what was given")


def failure():
    raise KeyError("given nothing")


def leave():
    os._exit(3)


def die_once(marker):
    if not Path(marker).exists():
        Path(marker).touch()
        die()
    return "alive"


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def wait_with_a_child(file):
    Path(file).with_suffix(".child").write_text(str(subprocess.Popen(["sleep", "3600"]).pid))
    Path(file).write_text(str(os.getpid()))
    time.sleep(3600)


if __name__ == "__main__":
    from tests.proof import limited

    with Limited("tests.proof.limited:prepare") as child:
        child.call(
            limited.wait_with_a_child, sys.argv[1], what="the wait", seconds=3600.0, memory=4.0
        )


def allocate():
    raise MemoryError


def contradict(what):
    raise DisagreementError(what)


def compute_while_stopped(seconds):
    """Compute for so many seconds of CPU; whoever asked stops this process in between."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "answered"
