"""Entry point of all commands: those for users, and the jobs of the workflow.

A run starts dozens of jobs. They do not import typer, which takes a tenth of a second.
"""

from __future__ import annotations

import errno
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from choco_pipeline.api.terminal import emit, note
from choco_pipeline.cli.jobs import JOBS, run_job_command
from choco_pipeline.documents.files import reason_of
from choco_pipeline.errors import DISAGREEMENT, ChocoError, DisagreementError

#: Errors of the file system that the user can correct: a full disk, missing permission, another kind of file at the path.
USER_ERRNOS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EEXIST,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
)


def main() -> None:
    """Run a command.

    Exit codes besides the command's own: 2 for a user's mistake; 3 if two engines, or an engine and a definition, contradict each
    other; 4 for an error of the program. Codes 2 and 3 come with one message on standard error, code 4 with a traceback.
    """
    try:
        if sys.argv[1:2] and sys.argv[1] in JOBS:
            run_job_command(sys.argv[1:])
            sys.exit(0)
        from choco_pipeline.cli.app import app  # noqa: PLC0415 -- a slow import

        app()
    except ChocoError as error:
        _refuse(str(error))
    except DisagreementError as error:
        _refuse(str(error), DISAGREEMENT)
    except (
        BrokenPipeError
    ):  # the reader of the output has ended, for example in `choco plan | head`
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in USER_ERRNOS:
            place = Path(error.filename or "results")
            _refuse(f"{place}: cannot be used ({reason_of(error, place)})")
        traceback.print_exc()
        sys.exit(4)  # Python's 1 means a refutation


def _refuse(error: str, code: int = 2) -> NoReturn:
    if "--json" in sys.argv:
        emit({"status": "disagreement" if code == DISAGREEMENT else "error", "error": error})
    note(f"choco: {error}")
    sys.exit(code)
