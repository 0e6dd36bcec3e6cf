"""A project folder for each test; whatever a failing test leaves running is ended."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.workflow.project import Project


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
    project = Project(tmp_path_factory.mktemp("tiny"))
    return project, project.choco("run", "tiny.yaml")
