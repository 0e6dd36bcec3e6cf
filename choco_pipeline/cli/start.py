"""The start of a command: loading it, and the exit codes of errors."""

from __future__ import annotations

import errno
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from choco_pipeline.cli.main import app
from choco_pipeline.cli.output import DISAGREEMENT, emit, note
from choco_pipeline.documents.files import reason_of
from choco_pipeline.errors import ChocoError, DisagreementError

#: Errors of a file system that its owner can correct: no room, no permission, another kind of file at the path.
NOT_OURS = (
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

    Further exit codes: 2 for a user's mistake, and 3 if two engines, or an engine and a definition, contradict each other, each
    with one message on standard error; 4 for a fault of the program, with its traceback.
    """
    try:
        app()
    except ChocoError as error:
        _refuse(str(error))
    except DisagreementError as error:
        _refuse(str(error), DISAGREEMENT)
    except BrokenPipeError:  # the reader of the output has ended, as in `choco plan | head`
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NOT_OURS:
            place = Path(error.filename or "results")
            _refuse(f"{place}: cannot be used ({reason_of(error, place)})")
        traceback.print_exc()
        sys.exit(4)  # Python's 1 means a refutation


def _refuse(error: str, code: int = 2) -> NoReturn:
    if "--json" in sys.argv:
        emit({"status": "disagreement" if code == DISAGREEMENT else "error", "error": error})
    note(f"choco: {error}")
    sys.exit(code)
