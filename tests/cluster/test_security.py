"""TLS: only clients with a certificate of the cluster's authority are served."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import dask
import pytest
import trustme

from choco_pipeline.cluster.cluster_file import as_environment, tls_settings
from choco_pipeline.cluster.clusters import local_cluster
from choco_pipeline.cluster.connect import SCHEDULER
from tests.cluster.conftest import certificates
from tests.workflow.project import ROOT, wait_for

pytestmark = pytest.mark.full

CALL = "from choco_pipeline.cluster.connect import call; print(call('tests.cluster.targets:double', 4)['double'])"


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def secure(tmp_path_factory, authority):
    """Return a cluster of one worker that needs a certificate, and the certificate."""
    folder = tmp_path_factory.mktemp("secure")
    tls = certificates(folder, authority)
    with (
        dask.config.set(tls_settings(tls)),
        local_cluster(1, 1 << 30, folder / "workers", tls=True, dashboard=True) as cluster,
    ):
        yield cluster, tls


def call_from_outside(address, tls):
    environment = {**os.environ, SCHEDULER: address, **as_environment(tls_settings(tls))}
    return subprocess.run(
        [sys.executable, "-c", CALL], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_whoever_has_a_certificate_is_served_and_nobody_else(secure, tmp_path):
    cluster, tls = secure
    assert cluster.address.startswith("tls://")
    done = call_from_outside(cluster.address, tls)
    assert done.stdout == "8\n", done.stderr
    stranger = certificates(tmp_path / "stranger", trustme.CA())
    # Even a stranger's certificate that trusts this cluster is not trusted by it.
    mixed = stranger.model_copy(update={"ca": tls.ca})
    plain = cluster.address.replace("tls://", "tcp://")
    for address, own in ((cluster.address, None), (cluster.address, mixed), (plain, None)):
        refused = call_from_outside(address, own)
        assert refused.returncode == 1
        last = refused.stderr.splitlines()[-1]
        assert f"ClusterError: no Dask scheduler answers at {address}" in last


def test_the_dashboard_is_for_this_machine_only(secure):
    cluster = secure[0]
    assert cluster.dashboard is not None
    assert cluster.dashboard.startswith("http://127.0.0.1:")
    port = int(cluster.dashboard.rsplit(":", 1)[1].partition("/")[0])
    with socket.create_connection(("127.0.0.1", port), 5):
        pass
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.2", port), 5):
        pass


@pytest.mark.slow
def test_a_run_on_encrypted_workers_of_its_own(project, authority, two_tables):
    tls = certificates(project.folder / "tls", authority)
    (project.folder / "config/clusters/secure.yaml").write_text(
        "kind: local\nworkers: 1\ntls: {ca: tls/ca.pem, certificate: tls/my.pem, key: tls/my.key}\n"
    )
    done = project.run("two_tables.yaml", "--cluster", "secure")
    assert done["status"] == "done"
    assert project.digests() == two_tables
    secret = Path(tls.key).read_text()
    for path in (project.folder / "results").rglob("*"):
        assert not path.is_file() or secret not in path.read_text(errors="replace")


@pytest.fixture
def running(project, authority):
    """Run a scheduler and a worker behind certificates in the project."""
    tls = certificates(project.folder / "tls", authority)
    files = ["--tls-ca-file", tls.ca, "--tls-cert", tls.certificate, "--tls-key", tls.key]
    shared = [*files, "--protocol", "tls", "--scheduler-file", "s.json"]
    scheduler = ["scheduler", *shared, "--host", "127.0.0.1", "--port", "0"]
    worker = ["worker", *shared, "--nthreads", "1", "--no-dashboard"]
    with ExitStack() as stack:
        for arguments in (scheduler, worker):
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments],
                cwd=project.folder,
                env=project.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
        yield


@pytest.mark.slow
def test_a_run_on_a_running_cluster_behind_certificates(project, running, two_tables):
    clusters = project.folder / "config/clusters"
    plain = "kind: running\nscheduler: s.json\n"
    (clusters / "plain.yaml").write_text(plain)
    (clusters / "secure.yaml").write_text(
        plain + "tls: {ca: tls/ca.pem, certificate: tls/my.pem, key: tls/my.key}\n"
    )
    wait_for(lambda: (project.folder / "s.json").exists(), "the scheduler's file")
    refused = project.choco("run", "two_tables.yaml", "--cluster", "plain", code=2)
    assert refused.stderr.startswith("choco: no Dask scheduler answers at tls://127.0.0.1")
    assert len(refused.stderr.splitlines()) == 1
    wait_for(
        lambda: "threads       1" in project.choco("doctor", "--cluster", "secure").stdout,
        "the arrival of the worker",
    )
    done = project.run("two_tables.yaml", "--cluster", "secure")
    assert done["status"] == "done"
    assert project.digests() == two_tables
