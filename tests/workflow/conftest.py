"""A project folder for each test; its processes end with it."""

import json
import subprocess

import pytest

from tests.shared import shared_folder
from tests.workflow.project import Project

#: Where a run that is made once keeps the mark of its processes, and what it printed.
PRINTED = "printed.json"
Ran = tuple[Project, subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    yield project
    project.kill_all()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """Return a finished run of tiny.yaml and its output; copy it to change it."""
    return ran_once(tmp_path_factory, "tiny")


@pytest.fixture(scope="session")
def proof(tmp_path_factory):
    """Return the same of ``choco run proof.yaml``."""
    return ran_once(tmp_path_factory, "proof")


def ran_once(factory, name):
    """Return a finished run that all test processes share, and its output."""
    command = ("run", f"{name}.yaml", "--workers", "2")

    def run(folder):
        project = Project(folder)
        done = project.choco(*command)
        (folder / PRINTED).write_text(json.dumps([project.mark, done.stdout, done.stderr]))

    folder = shared_folder(factory, f"{name}-run", run)
    mark, out, err = json.loads((folder / PRINTED).read_text())
    return Project(folder, mark), subprocess.CompletedProcess(command, 0, out, err)
