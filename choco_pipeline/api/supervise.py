"""A child process that ends with its parent, even if the parent is killed.

The parent starts this file as a program in a new session, with the reading end of a pipe. The program starts the command, and waits
until the command ends or the pipe closes, which happens when the parent ends. Then it ends the command and all its processes. It
imports only the standard library, and starts in hundredths of a second.
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

#: Seconds between SIGTERM and SIGKILL.
GRACE = 5.0
#: Most attempts to kill a group, 20 ms apart. A process that survives them waits in the kernel, for example for a disk.
ROUNDS = 250


class Supervised:
    """A command in its own process group; it ends with this process."""

    def __init__(
        self, command: Sequence[str], output: IO[bytes], environment: Mapping[str, str]
    ) -> None:
        """Start `command`, with standard output and standard error in `output`."""
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
        """The id of the process and of its group."""
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, or None while the command runs."""
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
        """Send a signal to the command and all its processes."""
        if self._process.poll() is None:
            os.killpg(self.pid, number)

    def kill(self) -> None:
        """Kill the process group until it is empty."""
        for _ in range(ROUNDS):
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            self._process.poll()  # otherwise a zombie stays in the group
            time.sleep(0.02)

    def close(self) -> None:
        """End all processes of the command."""
        self.terminate()
        self.kill()
        os.close(self._pipe)


def main(arguments: Sequence[str]) -> int:
    """Run a command until it ends or the pipe closes."""
    pipe, command = int(arguments[0]), list(arguments[1:])
    # Signals to the group are meant for the command. Unlike SIG_IGN, the command does not inherit a handler.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    process = subprocess.Popen(command)
    threading.Thread(target=_end_with_parent, args=(pipe, process.wait), daemon=True).start()
    code = process.wait()
    if code < 0:  # killed: end its processes, and report a kill to the parent
        os.killpg(0, signal.SIGKILL)
    return code


def _end_with_parent(pipe: int, wait: Callable[[float], int]) -> None:
    """Wait until the pipe closes; then end the process group and this process."""
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
