"""Documentation pages: commands run, and print the shown text."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from tests.cli.command import ROOT, choco, choco_process
from tests.docs.pages import DOCS, Page

#: Pages with tests of their own.
ELSEWHERE = {
    "extending.md": "tests/docs/test_extending.py",
    "clusters.md": "tests/cluster/test_cluster_page.py",
    "object-stores.md": "tests/objectstore/test_object_store_page.py",
}
#: Pages that are followed in one folder, in this order: citing.md needs the run of the tutorial.
FOLLOWED = (
    "tutorial.md",
    "citing.md",
    "results.md",
    "statements.md",
    "games.md",
    "proof.md",
    "families.md",
    "finding.md",
)
#: These take half a minute.
HALF_MINUTES = ("games.md", "finding.md")
#: Placeholder for the newest certificate.
CERTIFICATE = "FILE.json"
#: Commands that take minutes; slow tests cover them.
LONG = ("./choco bench find", "./choco prove 'solid-bar(f=(x+z)//k)' 'x <= (31*k")


def follow(page, folder):
    """Follow a page in a folder; return the number of its commands."""
    printed, number = "", 0
    names: dict[str, object] = {}
    for language, text in page.blocks:
        match language:
            case "yaml" if name := re.match(r"# (\S+\.yaml)\n", text):
                (folder / name[1]).write_text(text, encoding="utf-8")
            case "sh":
                printed = ""
                for line in text.replace("\\\n", " ").splitlines():
                    if not line.startswith(LONG):
                        printed += ran(line, folder)
                    number += 1
            case "text":
                for line in text.splitlines():
                    assert " ".join(line.split()) in printed, (line, printed)
            case "python":
                test = doctest.DocTestParser().get_doctest(text, names, page.name, None, 0)
                assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
                names |= test.globs
    return number


def ran(line, folder):
    """Run a command and return its output in one line."""
    if CERTIFICATE in line:
        kind = "families" if "results/families" in line else "proofs"
        certificates = (folder / "results" / kind).glob("*.json")
        written = max(certificates, key=lambda p: p.stat().st_mtime)
        line = line.replace(CERTIFICATE, written.name)
    program, *words = shlex.split(line, comments=True)
    if program == "python3":
        done = subprocess.run(
            [sys.executable, str(ROOT / words[0]), *words[1:]],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stderr)
        return done.stdout
    assert program == "./choco", line
    # A run handles the signals of its process.
    done = (choco_process if words[0] == "run" else choco)(*words, cwd=folder)
    assert done.returncode == line.endswith("# refuted: exit code 1"), (line, done.stderr)
    return " ".join(f"{done.stdout} {done.stderr}".split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the configuration of a clone."""
    found = tmp_path_factory.mktemp("followed")
    shutil.copytree(ROOT / "config", found / "config")
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in HALF_MINUTES else n for n in FOLLOWED]
)
def test_a_page_does_what_it_says(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    assert follow(Page(name), folder) >= 2


def test_the_readme_is_right(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (_, commands), (_, said) = Page("../README.md").blocks[:2]
    printed = " ".join(ran(line, folder) for line in commands.splitlines())
    for line in said.splitlines():
        assert " ".join(line.split()) in printed


@pytest.mark.slow
def test_the_scores_of_the_search_are_printed_as_the_page_says(folder):
    (block,) = (
        text for kind, text in Page("finding.md").blocks if kind == "sh" and "bench" in text
    )
    for line in block.splitlines():
        assert ran(line, folder)


def test_every_page_with_commands_is_followed():
    with_commands = {
        path.name
        for path in DOCS.glob("*.md")
        if any(kind == "sh" for kind, _ in Page(path.name).blocks)
    }
    assert with_commands == {*FOLLOWED, *ELSEWHERE}
    for name, test in ELSEWHERE.items():
        assert f'Page("{name}")' in (ROOT / test).read_text(encoding="utf-8")
