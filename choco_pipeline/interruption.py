"""Ctrl-C during compiled code, which Python's own handler would not stop."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

#: Seconds for Python to end by itself, which removes temporary files and shows the cursor again.
GRACE = 1.0
SHOW_CURSOR = "\x1b[?25h"


def end_soon_after_ctrl_c() -> None:
    """Make Ctrl-C end this process after `GRACE` seconds; call it in the main thread."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    # Python writes the number of a signal to it immediately, from C.
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_end_after_ctrl_c, args=(reading,), daemon=True).start()


def _end_after_ctrl_c(reading: int) -> None:
    while signal.SIGINT not in os.read(reading, 64):
        pass
    time.sleep(GRACE)
    import psutil  # noqa: PLC0415 -- not needed for a command's start

    for child in psutil.Process().children(recursive=True):
        try:
            child.kill()
        except psutil.NoSuchProcess:
            continue
    if sys.stderr.isatty():
        sys.stderr.write(SHOW_CURSOR)
        sys.stderr.flush()
    os._exit(128 + signal.SIGINT)
