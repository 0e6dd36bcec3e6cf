"""Pages of the documentation: their blocks of code, and commands of them that are run as a person would, in a shell."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.workflow.project import ROOT

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page's code, block by block."""

    name: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """Language and text of each block."""
        return BLOCK.findall((DOCS / self.name).read_text(encoding="utf-8"))

    def block(self, beginning: str, replaced: Mapping[str, str]) -> str:
        """Return the one block that has a text in its first line, with what stands for something else replaced."""
        (found,) = (text for _, text in self.blocks if beginning in text.partition("\n")[0])
        return with_own(found, replaced)


def with_own(text: str, replaced: Mapping[str, str]) -> str:
    """Return a text with a person's own names for those of a page, each of which it must have."""
    for old, new in replaced.items():
        assert old in text, (old, text)
        text = text.replace(old, new)
    return text


def in_a_clone(folder: Path) -> None:
    """Let a folder have the commands that pages type as a clone has them: ``./choco``, and those of its environment."""
    program = folder / "choco"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m choco_pipeline "$@"\n')
    program.chmod(0o755)
    (folder / ".venv").symlink_to(sys.prefix)


def in_a_shell(
    text: str, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run commands in a shell, which stops at the first that fails; that none does is asserted."""
    command = ["bash", "-e", "-c", text]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (text, done.stdout, done.stderr)
    return done
