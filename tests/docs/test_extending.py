"""docs/extending.md: each patch applies, and passes its test."""

from __future__ import annotations

import os
import re
import shutil
import sys

import pytest

from tests.docs.pages import DOCS, Page, in_a_clone, in_a_shell
from tests.workflow.project import ROOT

PAGE = Page("extending.md")
SECTIONS = {
    name: section
    for section in (DOCS / PAGE.name).read_text(encoding="utf-8").split("\n## ")
    for name in re.findall(r"literalinclude\} extending/(\w+)\.diff", section)
}
#: Files besides the test that a patch may change.
MOST_FILES = 3


def test_every_patch_is_on_the_page():
    assert {path.stem for path in (DOCS / "extending").glob("*.diff")} == SECTIONS.keys()


@pytest.mark.parametrize("name", SECTIONS)
def test_a_patch_changes_few_files(name):
    changed = changed_files(name)
    (test,) = (path for path in changed if path.startswith("tests/"))
    assert len(changed - {test}) <= MOST_FILES


@pytest.mark.full
@pytest.mark.parametrize("name", SECTIONS)
def test_a_patch_works(name, tmp_path):
    for folder in ("choco_pipeline", "checker", "config", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("Snakefile", "pyproject.toml"):  # a folder with a Snakefile is a clone
        shutil.copy(ROOT / file, tmp_path)
    in_a_clone(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    in_a_shell(f"git apply '{DOCS / 'extending' / name}.diff'", tmp_path, environment)
    (test,) = (path for path in changed_files(name) if path.startswith("tests/"))
    pytest_command = f"{sys.executable} -m pytest -q -n 0 -p no:cacheprovider"
    in_a_shell(f"{pytest_command} {test}", tmp_path, environment)
    printed = ""
    for language, text in blocks_of(name):
        if language == "yaml":
            path = text.partition("\n")[0].removeprefix("# ")
            (tmp_path / path).write_text(text, encoding="utf-8")
        elif language == "sh":
            printed = in_a_shell(text, tmp_path, environment).stdout
        elif language == "text":
            for line in text.splitlines():
                assert line in " ".join(printed.split())


def changed_files(name):
    patch = (DOCS / "extending" / f"{name}.diff").read_text(encoding="utf-8")
    return set(re.findall(r"^\+\+\+ b/(\S+)$", patch, re.MULTILINE))


def blocks_of(name):
    return [block for block in PAGE.blocks if f"\n{block[1]}```" in SECTIONS[name]]
