"""Documentation pages: their code blocks, and their commands run in a shell."""

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
    """A page of the documentation."""

    name: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """Language and text of each block."""
        return BLOCK.findall((DOCS / self.name).read_text(encoding="utf-8"))

    def block(self, beginning: str, replaced: Mapping[str, str]) -> str:
        """Return the block with this text in its first line, with placeholders replaced."""
        (found,) = (text for _, text in self.blocks if beginning in text.partition("\n")[0])
        return with_own(found, replaced)


def with_own(text: str, replaced: Mapping[str, str]) -> str:
    """Replace placeholders in a text; each must occur."""
    for old, new in replaced.items():
        assert old in text, (old, text)
        text = text.replace(old, new)
    return text


def in_a_clone(folder: Path) -> None:
    """Give a folder the commands of a clone: ``./choco`` and ``.venv``."""
    program = folder / "choco"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m choco_pipeline "$@"\n')
    program.chmod(0o755)
    (folder / ".venv").symlink_to(sys.prefix)


def in_a_shell(
    text: str, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run commands in a shell; assert that none fails."""
    command = ["bash", "-e", "-c", text]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (text, done.stdout, done.stderr)
    return done
