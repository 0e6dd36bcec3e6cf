"""``python -m choco_pipeline`` and ``choco``: start of the command line."""

import signal
import sys


def main() -> None:
    """Run a command. Ctrl-C while it is loaded ends it without a traceback."""
    try:
        if sys.argv[1:2] != ["run"]:  # which ends its own processes in order
            from choco_pipeline.interruption import end_soon_after_ctrl_c  # noqa: PLC0415 -- as below

            end_soon_after_ctrl_c()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # which ./choco has blocked
        from choco_pipeline.cli.main import main as run_command  # noqa: PLC0415 -- takes its time

        run_command()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
