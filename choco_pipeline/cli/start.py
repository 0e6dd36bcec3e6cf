"""The start of a command: which commands are loaded for it, and with which exit code its mistakes end it."""

from __future__ import annotations

import errno
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import typer

from choco_pipeline.cli import jobs
from choco_pipeline.cli.output import DISAGREEMENT, emit, note
from choco_pipeline.documents.files import reason_of
from choco_pipeline.errors import ChocoError, DisagreementError

#: What a file system refuses for reasons that are its owner's: no room, no permission, something else in the place of a file.
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

    Exit codes beside those of the commands: 2 for a user's mistake, and 3 if two engines, or an engine and a definition,
    contradict each other, each with one message on standard error; 4 for a fault of the program, with its traceback.
    """
    try:
        _commands()()
    except ChocoError as error:
        _refuse(str(error))
    except DisagreementError as error:
        _refuse(str(error), DISAGREEMENT)
    except BrokenPipeError:  # the reader of our output has gone, as in `choco plan | head`
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        if error.errno not in NOT_OURS:
            _fail()
        place = Path(error.filename or "results")
        _refuse(f"{place}: cannot be used ({reason_of(error, place)})")
    except Exception:
        _fail()


def _commands() -> typer.Typer:
    """Return the commands among which is the one that is asked for: those of the workflow's rules alone if it is theirs.

    A run starts dozens of them. All commands together know claims and tables, and take three times as long to load.
    """
    if sys.argv[1:2] and sys.argv[1] in jobs.names():
        return jobs.app
    from choco_pipeline.cli.main import app  # noqa: PLC0415

    return app


def _refuse(error: str, code: int = 2) -> NoReturn:
    if "--json" in sys.argv:
        emit({"status": "disagreement" if code == DISAGREEMENT else "error", "error": error})
    note(f"choco: {error}")
    sys.exit(code)


def _fail() -> NoReturn:
    """End with the traceback of what should not happen; Python's own exit code of it is that of a refutation."""
    traceback.print_exc()
    sys.exit(4)
