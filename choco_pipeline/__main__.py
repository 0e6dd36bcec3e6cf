"""Entry point of ``choco`` and ``python -m choco_pipeline``."""

import signal
import sys


def main() -> None:
    """Run a command; Ctrl-C during imports ends it without a traceback."""
    try:
        if sys.argv[1:2] != ["run"]:  # `run` handles signals itself, to end its processes in order
            from choco_pipeline.interruption import end_soon_after_ctrl_c  # noqa: PLC0415 -- as below

            end_soon_after_ctrl_c()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # ./choco has blocked it
        from choco_pipeline.cli.main import main as run_command  # noqa: PLC0415 -- a slow import

        run_command()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
