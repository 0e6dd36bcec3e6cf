"""Ctrl-C ends a command also where Python does not hear of it."""

import signal
import subprocess
import sys

# The second lock of a mutex waits for ever, in C, and no signal ends that.
DEAF = """
import ctypes, signal, sys
from choco_pipeline import __main__
libc, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
class Commands:
    def main():
        libc.pthread_mutex_lock(mutex)
        print("at work", flush=True)
        libc.pthread_mutex_lock(mutex)
sys.modules["choco_pipeline.cli.main"] = Commands
sys.argv[1:] = ["claims"]
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background does not inherit
__main__.main()
"""


def test_a_command_ends_soon_also_in_compiled_code():
    with subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE, text=True) as deaf:
        try:
            assert deaf.stdout is not None
            assert deaf.stdout.readline() == "at work\n"
            deaf.send_signal(signal.SIGINT)
            assert deaf.wait(120) == 130
        finally:
            deaf.kill()


def test_after_a_second_signal_nobody_complains_of_what_is_killed(tmp_path):
    code = (
        "import sys; from choco_pipeline.api.run import Signals;"
        "Signals().end_at_once(); sys.stderr.write('Traceback')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
