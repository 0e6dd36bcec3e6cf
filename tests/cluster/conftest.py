"""Projects that compute on Slurm, on several hosts, or behind certificates."""

import shutil
from pathlib import Path

import pytest

from choco_pipeline.cluster.cluster_file import Tls
from tests.cluster.one_node_slurm import one_node_slurm, what_is_missing
from tests.workflow.project import Project


def new_project(folder):
    project = Project(folder)
    for name in ("two_tables.yaml", "heaps.yaml", "large.yaml"):
        shutil.copy(Path(__file__).parent / name, folder)
    return project


def certificates(folder, authority):
    """Write the certificate of an authority, one that it has issued, and its key."""
    folder.mkdir(exist_ok=True)
    issued = authority.issue_cert("choco")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "my.pem")
    issued.private_key_pem.write_to_path(folder / "my.key")
    return Tls(
        ca=str(folder / "ca.pem"), certificate=str(folder / "my.pem"), key=str(folder / "my.key")
    )


@pytest.fixture
def project(tmp_path):
    project = new_project(tmp_path)
    yield project
    project.kill_all()


@pytest.fixture(scope="session")
def two_tables(tmp_path_factory):
    """Return the digests of the tables of two_tables.yaml, by plain Snakemake."""
    project = new_project(tmp_path_factory.mktemp("here"))
    project.snakemake("--cores", "1", "--config", "choco=two_tables.yaml")
    return project.digests()


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """Return the digests of the tables of large.yaml, by plain Snakemake."""
    project = new_project(tmp_path_factory.mktemp("large"))
    project.snakemake("--cores", "1", "--config", "choco=large.yaml")
    return project.digests()


@pytest.fixture(scope="module")
def slurm():
    """Return the environment in which a Slurm of one node is found."""
    if missing := what_is_missing():
        pytest.skip(missing)
    with one_node_slurm() as environment:
        yield environment
