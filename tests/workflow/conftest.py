"""A project folder for each test; whatever a failing test leaves running is ended."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.shared import shared_folder
from tests.workflow.project import Project

#: Where a run that is made once keeps the mark of its processes, and what it printed.
PRINTED = "printed.json"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project(tmp_path)
    yield project
    for process in project.processes():
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue


@pytest.fixture(scope="session")
def tiny(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """Return a project in which ``choco run tiny.yaml`` has come to its end, and what it printed; copy it to change it."""

    def run(folder: Path) -> None:
        project = Project(folder)
        done = project.choco("run", "tiny.yaml")
        (folder / PRINTED).write_text(json.dumps([project.mark, done.stdout, done.stderr]))

    folder = shared_folder(tmp_path_factory, "tiny-run", run)
    mark, out, err = json.loads((folder / PRINTED).read_text())
    return Project(folder, mark), subprocess.CompletedProcess(["run", "tiny.yaml"], 0, out, err)
