"""The tutorial and the pages on how to do things: every command in them is run, and prints what they say that it prints."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.command import ROOT, choco, choco_process

DOCS = ROOT / "docs"
#: Commands that need a cluster or a store of objects, and the tests that run them.
ELSEWHERE = {"clusters.md": "tests/cluster", "object-stores.md": "tests/objectstore"}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page's code, block by block."""

    name: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """Language and text of each block."""
        return BLOCK.findall((DOCS / self.name).read_text(encoding="utf-8"))

    def follow(self, folder: Path) -> int:
        """Do what the page says, in a folder; return how many commands it has."""
        printed, number = "", 0
        for language, text in self.blocks:
            match language:
                case "yaml" if name := re.match(r"# (\S+\.yaml)\n", text):
                    (folder / name[1]).write_text(text, encoding="utf-8")
                case "sh":
                    printed = ""
                    for line in text.splitlines():
                        printed += ran(line, folder)
                        number += 1
                case "text":
                    for line in text.splitlines():
                        assert " ".join(line.split()) in printed, (line, printed)
                case "python":
                    test = doctest.DocTestParser().get_doctest(text, {}, self.name, None, 0)
                    assert doctest.DocTestRunner().run(test).failed == 0
        return number


def ran(line: str, folder: Path) -> str:
    """Run a command and return what it prints, in one line."""
    program, *words = shlex.split(line, comments=True)
    assert program == "./choco", line
    # A run takes over the signals of its process.
    done = (choco_process if words[0] == "run" else choco)(*words, cwd=folder)
    assert done.returncode == 0, (line, done.stderr)
    return " ".join(f"{done.stdout} {done.stderr}".split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the configuration that a clone has."""
    found = tmp_path_factory.mktemp("followed")
    shutil.copytree(ROOT / "config", found / "config")
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    ["tutorial.md", "citing.md", pytest.param("games.md", marks=pytest.mark.slow), "claims.md"],
)
def test_a_page_does_what_it_says(folder: Path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(folder)  # of one page after the other: citing goes on where the tutorial ends
    assert Page(name).follow(folder) >= 4


def test_every_page_on_how_to_do_things_is_followed() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r":caption: How to\n:maxdepth: 1\n(.*?)```", index, re.DOTALL)
    pages = {f"{name}.md" for name in listed.split()}
    with_commands = {name for name in pages if any(kind == "sh" for kind, _ in Page(name).blocks)}
    assert with_commands == {"citing.md", "games.md", "claims.md", *ELSEWHERE}
    assert all((ROOT / tests).is_dir() for tests in ELSEWHERE.values())


def test_a_page_is_refused_that_says_what_is_not_printed(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "page.md").write_text("```sh\n./choco version\n```\n\n```text\nno such line\n```\n")
    monkeypatch.setattr("tests.docs.test_pages.DOCS", tmp_path)
    with pytest.raises(AssertionError, match="no such line"):
        Page("page.md").follow(tmp_path)
