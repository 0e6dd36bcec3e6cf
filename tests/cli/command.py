"""Commands run in this process, because a new one takes seconds to start.

That a process of its own does the same is tested once for each group of commands (`choco_process`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from choco_pipeline.cli.main import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    returncode: object
    stdout: str
    stderr: str


def choco(*arguments: str, cwd: Path = ROOT) -> Ended:
    """Run a command in this process, and restore the environment."""
    out, err = StringIO(), StringIO()
    with (
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["choco", *arguments]),
        patch.dict(os.environ),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return Ended(ended.value.code, out.getvalue(), err.getvalue())


def choco_process(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "choco_pipeline", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
