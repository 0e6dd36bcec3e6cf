"""Whole runs with their tables in an object store."""

from __future__ import annotations

import re
import shutil
from uuid import uuid4

import numpy as np
import pytest
import xarray as xr
import yaml

from choco_pipeline.tables.store import store_of
from tests.objectstore.flaky import Flaky
from tests.objectstore.server import BUCKET
from tests.workflow.conftest import tiny
from tests.workflow.kept import VARYING, without_seconds
from tests.workflow.project import Project, wait_for

pytestmark = pytest.mark.full

__all__ = ["tiny"]


def put_tables(project, config, url):
    """Have a configuration store its tables at `url`."""
    path = project.folder / config
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "tables": url}))


def copy(project, folder):
    """Return a copy of the project with the same login and configuration."""
    other = project.copy(folder)
    other.environment |= project.environment | {"CHOCO_TEST": other.mark}
    shutil.copy(project.folder / "tiny.yaml", folder / "tiny.yaml")
    return other


def stores(project):
    """Yield every store and the entries of its tables, as a reader finds them."""
    tables = project.folder / "results" / "tables"
    for name, document in project.manifests().items():
        yield store_of(tables / name, document), document["tables"]


def without_times(document):
    """Return a document without durations and names that depend on the place."""
    return without_seconds(document, (*VARYING, "shard", "shards", "url"))


def require_no_secret(server, project, *printed):
    """Look for the login in all that a run has left and printed."""
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert len(files) > 3
    for secret in (server.key, server.secret):
        for path in files:
            assert secret.encode() not in path.read_bytes(), path
        for text in printed:
            assert secret not in text


@pytest.fixture(scope="module")
def ran(server, tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("remote"))
    project.environment |= server.environment()
    put_tables(project, "tiny.yaml", f"s3://{BUCKET}/{uuid4().hex}/deep")
    return project, project.choco("run", "tiny.yaml")


@pytest.fixture
def of_server(monkeypatch, server):
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("of_server")
def test_the_tables_are_those_of_a_local_run_byte_for_byte(ran, tiny):
    here = {
        table: (store, entry) for store, found in stores(tiny[0]) for table, entry in found.items()
    }
    there = {
        table: (store, entry) for store, found in stores(ran[0]) for table, entry in found.items()
    }
    assert set(here) == set(there)
    assert len(here) == 9
    for table, (store, entry) in there.items():
        assert store.folder is None
        assert without_times(entry) == without_times(here[table][1])
        files = dict(store.files(table))
        assert files == dict(here[table][0].files(table))
        assert any("/c/" in name for name in files)
        for name in files:
            assert store.read(name) == here[table][0].read(name), name
        with xr.open_zarr(store.store(), group=table) as a:
            values = a.load()
        folder = here[table][0].folder
        assert folder is not None
        with xr.open_zarr(folder, group=table) as b:
            assert values.identical(b.load())
    assert list((ran[0].folder / "results" / "tables").glob("*.zarr")) == []


def test_what_is_found_is_the_same(ran, tiny):
    remote, local = ran[0].json("tiny/ledger.json"), tiny[0].json("tiny/ledger.json")
    assert len(remote["verdicts"]) > 0
    for part in ("verdicts", "findings"):
        assert without_times(remote[part]) == without_times(local[part])
    assert (ran[0].folder / "results" / "tiny" / "report" / "index.html").stat().st_size > 10_000


def test_the_login_is_nowhere(ran, server):
    project, done = ran
    require_no_secret(server, project, done.stdout, done.stderr)
    # The search finds what there is: the bucket stands in plan, specs and manifests.
    texts = [path.read_bytes() for path in (project.folder / "results").rglob("*.json")]
    assert sum(f"s3://{BUCKET}/".encode() in text for text in texts) >= 3


def test_a_second_run_does_nothing_and_so_does_one_that_wants_them_here(ran, tmp_path):
    again = copy(ran[0], tmp_path)
    assert again.run("tiny.yaml")["status"] == "nothing to do"
    config = again.folder / "tiny.yaml"
    config.write_text(re.sub("^tables:.*$", "", config.read_text(), flags=re.MULTILINE))
    done = again.run("tiny.yaml")
    assert (done["recomputed"], done["reused"]) == (0, 9)


@pytest.mark.slow
def test_verify_reads_all_and_names_what_is_damaged(ran, server, of_server):
    project, _ = ran
    assert "nothing is wrong" in project.choco("verify").stdout
    store, entries = next(stores(project))
    table = next(iter(entries))
    chunk = next(
        name for name, _ in store.files(table) if f"/{entries[table]['variable']}/c/" in f"/{name}"
    )
    before = store.read(chunk)
    try:
        store.write(chunk, before[:-9] + bytes([before[-9] ^ 1]) + before[-8:])
        damaged = project.choco("verify", code=1)
        store.remove(chunk)
        missing = project.choco("verify", code=1)
    finally:
        store.write(chunk, before)
    for done in (damaged, missing):
        lines = [line for line in done.stderr.splitlines() if not line.startswith("shards ")]
        assert len(lines) == 1
        assert table in lines[0]
        assert str(store) in lines[0]
        assert entries[table]["ruleset"] in lines[0]
        assert "1 tables are wrong" in done.stdout
    require_no_secret(server, project, damaged.stderr, missing.stderr)


def test_a_store_that_cannot_be_used_is_one_line(project, server):
    project.environment |= server.environment(AWS_SECRET_ACCESS_KEY="wrong/wrong")
    put_tables(project, "tiny.yaml", f"s3://{BUCKET}/prefix")
    done = project.choco("run", "tiny.yaml", code=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"choco: s3://{BUCKET}/prefix: ")
    assert "signature" in line
    assert done.stdout == ""
    require_no_secret(server, project, line)
    assert "wrong/wrong" not in line


def test_a_store_that_is_lost_later_fails_the_job_in_one_line(ran, tmp_path, server):
    project = copy(ran[0], tmp_path)
    project.environment |= server.environment(AWS_SECRET_ACCESS_KEY="wrong/wrong")
    for path in (project.folder / "results" / "tiny" / "check").iterdir():
        path.unlink()
    shutil.rmtree(project.folder / "results" / "tiny" / "parts")
    done = project.choco("run", "tiny.yaml", code=1)
    failures = [line for line in done.stderr.splitlines() if "check failed" in line]
    assert len(failures) >= 1
    assert all("signature" in line and "s3://" in line for line in failures)
    assert "Traceback" not in done.stderr
    require_no_secret(server, project, done.stdout, done.stderr)


def test_a_configuration_may_not_hold_a_login(project):
    put_tables(project, "tiny.yaml", "s3://me:hush@bucket")
    done = project.choco("run", "tiny.yaml", code=2)
    assert "tiny.yaml:" in done.stderr
    assert "tables: 's3://" in done.stderr
    assert "hush" not in done.stderr + done.stdout
    assert not (project.folder / "results" / "tiny" / "plan.json").exists()


@pytest.mark.slow  # test_blocks.py has a build that was stopped, and workflow/test_kill.py a run that was killed
def test_a_killed_run_goes_on(project, server, url, of_server):
    project.environment |= server.environment()
    put_tables(project, "slow.yaml", url)
    started = project.start("run", "slow.yaml", "--json")
    wait_for(lambda: project.journalled() > 0 or started.poll() is not None, "a stored table")
    assert started.poll() is None, started.communicate()
    started.kill()
    started.communicate()
    wait_for(lambda: project.processes() == [], "the end of all processes", 15)
    stored = project.journalled()
    whole = sum(len(document["tables"]) for document in project.manifests().values())
    done = project.run("slow.yaml")
    logs = [path.read_text() for path in (project.folder / "results/slow/log/build").iterdir()]
    kept = sum(int(number) for text in logs for number in re.findall(r"(\d+) kept", text))
    assert done["status"] == "done"
    assert done["reused"] == whole
    assert kept == stored > 0
    assert "nothing is wrong" in project.choco("verify").stdout
    require_no_secret(server, project)


@pytest.mark.slow  # test_blocks.py has tables that are built and read over it
def test_a_run_over_a_bad_network(project, server, url, of_server):
    flaky = Flaky(server.port)
    project.environment |= server.environment(AWS_ENDPOINT_URL=f"http://127.0.0.1:{flaky.port}")
    path = project.folder / "tiny.yaml"
    sweeps = yaml.safe_load(path.read_text())["sweeps"]
    small = {"run": "tiny", "tables": url, "sweeps": {"triangles": sweeps["triangles"]}}
    path.write_text(yaml.safe_dump(small))
    assert project.run("tiny.yaml")["status"] == "done"
    flaky.close()
    assert min(flaky.dropped, flaky.busy) > 0
    for store, entries in stores(project):
        for table, entry in entries.items():
            with xr.open_zarr(store.store(), group=table) as data:
                cells = np.asarray(data[entry["variable"]])
            assert cells.shape == tuple(entry["shape"])
