"""docs/clusters.md, followed on Slurm and on a Dask cluster with certificates."""

import os
import shlex
import shutil
import signal
import subprocess

import pytest

from tests.cluster.one_node_slurm import jobs
from tests.docs.pages import Page, in_a_clone, in_a_shell, with_own
from tests.workflow.project import ROOT, wait_for

pytestmark = pytest.mark.full

PAGE = Page("clusters.md")
UV = shutil.which("uv") or shutil.which("uv", path=ROOT / ".choco" / "uv" / "bin")
SLURM = (ROOT / "config" / "clusters" / "slurm.yaml").read_text()
#: What this machine has instead of a cluster's nodes.
OURS = {
    "# partition: short": "partition: one",
    "cores: 4": "cores: 1",
    "memory: 16 GiB": "memory: 2 GiB",
    "maximum: 10": "maximum: 1",
    "# interface: ib0": "interface: lo",
    "minutes: 120": "minutes: 5",
}


@pytest.fixture
def clone(project):
    """A folder in which the page's commands can be typed, with a small sweep."""
    in_a_clone(project.folder)
    shutil.copytree(
        ROOT / "config" / "clusters", project.folder / "config" / "clusters", dirs_exist_ok=True
    )
    (project.folder / "config" / "clusters" / "local.yaml").write_text("kind: local\nworkers: 1\n")
    for name in ("my-sweep.yaml", "config/config.yaml"):
        shutil.copy(project.folder / "two_tables.yaml", project.folder / name)
    return project


@pytest.fixture
def dask_of_ones_own(clone):
    """Start the cluster as the page says, and return its address."""
    typed = PAGE.block(
        "export DASK",
        {
            "--host 10.0.0.1": "--host 127.0.0.1 --port 0",
            "127.0.0.1:8787": "127.0.0.1:0",
            "--nworkers 8": "--nworkers 1",
        },
    )
    lines = typed.splitlines()
    environment = dict(clone.environment)
    for line in lines[:2]:
        (word,) = shlex.split(line, comments=True)[1:]
        name, _, value = word.partition("=")
        environment[name] = value
    file = clone.folder / "scheduler.json"
    started = []
    try:
        for line in lines[2:4]:
            command = ["bash", "-c", f"exec {line}"]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            started.append(
                subprocess.Popen(
                    command, cwd=clone.folder, env=environment, start_new_session=True, **quiet
                )
            )
            wait_for(file.exists, "the scheduler's file", 120)
        (clone.folder / "last-line").write_text(lines[4])
        yield file.read_text().partition('"address": "')[2].partition('"')[0]
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.slow
def test_the_first_block_is_run_on_slurm_and_on_a_running_cluster(clone, slurm, dask_of_ones_own):
    clone.environment["SLURM_CONF"] = slurm["SLURM_CONF"]
    (clone.folder / "config" / "clusters" / "slurm.yaml").write_text(with_own(SLURM, OURS))
    (first, *_) = (text for language, text in PAGE.blocks if language == "sh")
    lines = with_own(first, {"tcp://node1:8786": dask_of_ones_own}).splitlines()
    assert len(lines) == 5
    for line in lines:
        if " run " in line:  # each time anew, so that it computes
            shutil.rmtree(clone.folder / "results", ignore_errors=True)
        printed = in_a_shell(line, clone.folder, clone.environment).stdout
        if " run " in line:
            assert "report: results/two/report/index.html" in printed
    wait_for(lambda: jobs(slurm) == [], "the end of all Slurm jobs")


def test_a_cluster_of_ones_own_computes(clone, dask_of_ones_own):
    assert dask_of_ones_own.startswith("tcp://127.0.0.1:")
    line = (clone.folder / "last-line").read_text()
    assert (
        "report: results/two/report/index.html"
        in in_a_shell(line, clone.folder, clone.environment).stdout
    )


def test_certificates_that_the_page_makes_are_taken(clone):
    in_a_shell(PAGE.block("mkdir -p tls", {}), clone.folder, clone.environment)
    tls = PAGE.block("tls:", {})
    (clone.folder / "config" / "clusters" / "safe.yaml").write_text(
        "kind: local\nworkers: 1\n" + tls
    )
    done = in_a_shell("./choco run my-sweep.yaml --cluster safe", clone.folder, clone.environment)
    assert "report: results/two/report/index.html" in done.stdout


@pytest.mark.skipif(UV is None, reason="uv is not installed")
def test_the_extra_that_the_page_installs_can_be_installed():
    """The command is only tried: it would change the environment of the tests."""
    typed = PAGE.block("uv pip install", {"uv pip": f"{UV} pip"}).strip()
    tried = " --dry-run --offline --no-build-isolation"
    done = in_a_shell(typed + tried, ROOT, os.environ)
    assert "+ choco-pipeline" in done.stderr
