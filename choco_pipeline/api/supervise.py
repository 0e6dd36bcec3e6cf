"""A child process that ends with its parent, also if the parent is killed.

The parent starts this file as a program in a session of its own, with the reading end of a pipe that only the parent can write to.
The program starts the command, and waits for it or for the end of the pipe. Then it ends the command and all its processes. Only
the standard library is imported, so that the program starts in hundredths of a second.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

#: Seconds that the command has to end after SIGTERM before SIGKILL ends it.
GRACE = 5.0
#: Kills of a group, 20 ms apart. A process that takes longer waits in the kernel, for a disk.
ROUNDS = 250


class Supervised:
    """A command in its own process group; it ends with this process."""

    def __init__(
        self, command: Sequence[str], output: IO[bytes], environment: Mapping[str, str]
    ) -> None:
        """Start `command`, with standard output and standard error going to `output`."""
        reading, self._pipe = os.pipe()
        launcher = [sys.executable, "-I", str(Path(__file__)), str(reading), *command]
        try:
            self._process = subprocess.Popen(
                launcher,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                pass_fds=(reading,),
                start_new_session=True,
            )
        finally:
            os.close(reading)

    @property
    def pid(self) -> int:
        """The process id, which is also that of the process group."""
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, or None as long as the command runs."""
        return self._process.poll()

    def terminate(self) -> int:
        """End the command and all its processes; return the exit code."""
        self.signal(signal.SIGTERM)
        try:
            return self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            return self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the command and to all the processes that it has started."""
        if self._process.poll() is None:
            os.killpg(self.pid, number)

    def kill(self) -> None:
        """Kill the process group until it is empty."""
        for _ in range(ROUNDS):
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            self._process.poll()  # so that it no longer counts as one of the group
            time.sleep(0.02)

    def close(self) -> None:
        """End all processes of the command."""
        self.terminate()
        self.kill()
        os.close(self._pipe)


def main(arguments: Sequence[str]) -> int:
    """Run a command until it ends or the pipe closes."""
    pipe, command = int(arguments[0]), list(arguments[1:])
    # A handler, unlike SIG_IGN, is not inherited by the command; signals to the group are for the command alone.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    process = subprocess.Popen(command)
    threading.Thread(target=_end_with_parent, args=(pipe, process.wait), daemon=True).start()
    code = process.wait()
    if code < 0:  # killed: its processes are left to this one; the parent sees a kill, too
        os.killpg(0, signal.SIGKILL)
    return code


def _end_with_parent(pipe: int, wait: Callable[[float], int]) -> None:
    """Wait for the end of the pipe, and end the process group with this process."""
    os.read(pipe, 1)
    os.killpg(0, signal.SIGTERM)
    try:
        wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
