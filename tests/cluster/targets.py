"""Stand-in tasks: what `call` runs in these tests, here or on a worker."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from choco_pipeline.cluster.connect import Report
from choco_pipeline.errors import ConfigError, DisagreementError


def double(number: int, report: Report) -> dict[str, int]:
    report("doubling", numbers=1)
    report("doubling", numbers=1, positions=number)
    return {"double": 2 * number, "process": os.getpid()}


def report_often(report: Report) -> None:
    for number in range(1000):
        report("counting", steps=1, sum=number)


def slow_double(number: int, *rest: Any) -> dict[str, int]:
    """Return as `double` after a moment; leave a file; fail for negative numbers."""
    if number < 0:
        raise ZeroDivisionError("negative")
    time.sleep(0.2)
    for folder in rest[:-1]:
        Path(folder, str(number)).touch()
    return {"double": 2 * number, "process": os.getpid()}


def refuse(what: str, report: Report) -> None:
    raise ConfigError(f"{what} is not possible:\nbecause")


def fail(report: Report) -> None:
    raise ZeroDivisionError("in the target")


def die(report: Report) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(marker: str, report: Report) -> int:
    """Report, and die on the first call, which leaves the marker."""
    for _ in range(3):
        report("dying", tables=1)
    time.sleep(0.5)  # let the reports leave this process
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def wait_long(started: str, report: Report) -> None:
    Path(started).touch()
    time.sleep(120)


def add(number: int, *rest: Any) -> int:
    """Return the sum of a number and of what other steps returned."""
    *others, report = rest
    report("steps", numbers=1)
    return number + sum(others)


def wait_until(started: str, go_on: str, report: Report) -> None:
    Path(started).touch()
    while not Path(go_on).exists():
        time.sleep(0.01)


def note_process(folder: str, *rest: Any) -> None:
    Path(folder, str(os.getpid())).touch()


def write_sum(file: str, *rest: Any) -> None:
    *numbers, _ = rest
    Path(file).write_text(str(sum(numbers)))


def contradict(what: str, report: Report) -> None:
    raise DisagreementError(what)
