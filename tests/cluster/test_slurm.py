"""Runs on a real Slurm of one node: Dask workers, and Slurm jobs."""

import json
import subprocess
import sys

import pytest

from choco_pipeline.cluster.cluster_file import SlurmJobs
from choco_pipeline.cluster.clusters import require_acceptance
from choco_pipeline.cluster.connect import ClusterError
from tests.cluster.one_node_slurm import jobs
from tests.workflow.project import wait_for

pytestmark = pytest.mark.full

WORKERS = (
    "kind: slurm\npartition: one\nminutes: 5\ncores: 1\nmemory: 2 GiB\nmaximum: 2\ninterface: lo\n"
)
JOBS = "kind: slurm-jobs\npartition: one\nminutes: 5\nmaximum: 4\naccounting: false\n"


@pytest.fixture
def on_slurm(project, slurm):
    project.environment["SLURM_CONF"] = slurm["SLURM_CONF"]
    clusters = project.folder / "config" / "clusters"
    (clusters / "workers.yaml").write_text(WORKERS)
    (clusters / "jobs.yaml").write_text(JOBS)
    (clusters / "nowhere.yaml").write_text(WORKERS.replace("one", "nowhere"))
    (clusters / "no-jobs.yaml").write_text(JOBS.replace("one", "nowhere"))
    return project


def test_dask_workers_in_slurm_jobs(on_slurm, slurm, two_tables):
    done = on_slurm.run("two_tables.yaml", "--cluster", "workers")
    assert (done["status"], done["tables"]) == ("done", 2)
    assert on_slurm.digests() == two_tables
    logs = [path.read_text() for path in on_slurm.folder.glob("results/two/log/slurm/*.err")]
    assert any("Start worker" in text for text in logs)
    wait_for(lambda: jobs(slurm) == [], "the end of all Slurm jobs")
    assert not (on_slurm.folder / "results" / ".dask").exists()


@pytest.mark.slow
def test_every_job_of_snakemake_as_a_slurm_job(on_slurm, slurm, two_tables):
    done = on_slurm.run("two_tables.yaml", "--cluster", "jobs")
    assert (done["status"], done["tables"]) == ("done", 2)
    assert on_slurm.digests() == two_tables
    log = (on_slurm.folder / done["log"]).read_text()
    assert log.count("has been submitted with SLURM jobid") == sum(done["jobs"].values())
    assert jobs(slurm) == []


@pytest.mark.slow
def test_a_job_that_slurm_ends_in_mid_build_does_not_matter(on_slurm, slurm):
    started = on_slurm.start("run", "slow.yaml", "--json", "--cluster", "workers")
    wait_for(lambda: on_slurm.journalled() > 0, "a stored table", 120)
    before = jobs(slurm)
    assert "RUNNING" in before
    subprocess.run(["scancel", "--user=root", "--full"], env=slurm, check=True)
    out, err = started.communicate(timeout=300)
    assert started.returncode == 0, err
    assert '"tables": 8' in out
    assert len(on_slurm.digests()) == 8


@pytest.mark.slow
def test_killing_the_run_ends_its_slurm_jobs(on_slurm, slurm):
    started = on_slurm.start("run", "slow.yaml", "--cluster", "workers")
    wait_for(lambda: "RUNNING" in jobs(slurm) and on_slurm.journalled() > 0, "a stored table", 120)
    started.kill()
    started.communicate()
    wait_for(lambda: jobs(slurm) == [], "the end of all Slurm jobs", 120)
    assert not list(on_slurm.manifests()) or len(on_slurm.digests()) < 8


def blocks(project):
    """Return what the manifest says of the blocks of the only large table."""
    (manifest,) = project.manifests().values()
    (entry,) = manifest["tables"].values()
    found: dict[str, int] = entry["blocks"]
    return found


@pytest.mark.slow
def test_a_large_table_outlives_the_slurm_jobs_that_build_it(on_slurm, slurm, large):
    started = on_slurm.start("run", "large.yaml", "--json", "--cluster", "workers")
    tables = on_slurm.folder / "results" / "tables"
    wait_for(lambda: list(tables.glob("*.journal/*x*.json")), "a finished block", 120)
    subprocess.run(["scancel", "--user=root", "--full"], env=slurm, check=True)
    assert not on_slurm.manifests(), "it was done before its jobs were ended"
    out, err = started.communicate(timeout=300)
    assert started.returncode == 0, err
    assert json.loads(out)["status"] == "done"
    assert on_slurm.digests() == large
    assert blocks(on_slurm)["rows"] * blocks(on_slurm)["columns"] > 2
    wait_for(lambda: jobs(slurm) == [], "the end of all Slurm jobs")


@pytest.mark.slow
def test_a_large_table_in_a_slurm_job_of_its_own_uses_the_memory_that_it_asks_for(on_slurm, large):
    (planned,) = on_slurm.run("large.yaml", "--cluster", "jobs", command="plan")["large"]
    done = on_slurm.run("large.yaml", "--cluster", "jobs")
    assert done["status"] == "done"
    assert on_slurm.digests() == large
    found = blocks(on_slurm)
    assert found["rows"] * found["columns"] == found["computed"] == planned["blocks"]


def test_a_partition_that_slurm_does_not_have_is_one_line(on_slurm):
    refused = on_slurm.choco("run", "two_tables.yaml", "--cluster", "nowhere", code=2)
    (line,) = (line for line in refused.stderr.splitlines() if line.startswith("choco: "))
    assert "Invalid partition name specified" in line
    assert "Traceback" not in refused.stderr
    assert on_slurm.processes() == []


def test_doctor_asks_slurm(on_slurm):
    printed = on_slurm.choco("doctor", "--cluster", "workers").stdout
    assert "takes such jobs" in printed
    refused = on_slurm.choco("doctor", "--cluster", "no-jobs", code=2)
    assert "Invalid partition name" in refused.stderr


def test_a_run_inside_a_job_uses_the_memory_of_the_job(on_slurm):
    command = ["sbatch", "--wait", "--partition=one", "--mem=600", "--output=said", "--error=log"]
    subprocess.run(
        [*command, "--wrap", f"{sys.executable} -m choco_pipeline doctor --json"],
        cwd=on_slurm.folder,
        env=on_slurm.environment,
        check=True,
    )
    said = (on_slurm.folder / "said").read_text()
    assert json.loads(said)["memory"] == 600 << 20


def test_without_slurm_the_error_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match="the command sbatch was not found"):
        require_acceptance(SlurmJobs(minutes=5))
