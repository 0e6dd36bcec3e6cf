"""The crate of a run, read by the library for crates without a network."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rocrate.rocrate import ROCrate

from choco_pipeline.documents.record import read_record
from choco_pipeline.provenance import library_versions
from choco_pipeline.report.run_crate import (
    FOLDER,
    LICENSE,
    PROFILES,
    SUMS,
    TERMS,
    faults_of_crate,
    write_crate,
)
from choco_pipeline.sweep.ledger import Ledger, write_ledger
from choco_pipeline.sweep.run_files import Paths
from choco_pipeline.sweep.run_plan import make_plan
from choco_pipeline.tables.shard import build_shard
from tests.cli.command import choco
from tests.effort import examples

CONFIG = """\
run: small
sweeps:
  bars: {ruleset: "solid-bar(f=csv(heights.csv))", bound: 3, quantity: grundy}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with a run of one table, and its crate."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "small.yaml").write_text(CONFIG)
    (folder / "heights.csv").write_text("0,0,1,1\n" * 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        results = Path("results")
        paths = Paths(results, "small")
        (shard,) = make_plan(Path("small.yaml"), results, write=True)["shards"]
        build_shard(str(paths.spec(shard)), str(paths.manifest(shard)), lambda *_, **__: None)
        ledger = paths.plan.with_name("ledger.json")
        write_ledger(str(paths.plan), str(ledger), lambda *_, **__: None)
        for name in ("create_connection", "getaddrinfo"):
            patch.delattr(socket, name)  # nothing is asked of a network
        write_crate(Ledger.read(ledger), results)
    return folder


def test_it_says_what_went_in_and_out_and_has_what_its_profiles_ask_for(project):
    folder = project / "results/small" / FOLDER
    crate, sums = ROCrate(folder), (folder / SUMS).read_text()
    assert {one.id for one in crate.root_dataset["conformsTo"]} >= set(PROFILES)
    assert crate.root_dataset["license"].id == LICENSE
    workflow, run = crate.mainEntity, crate.get("#run")
    assert workflow.id == "Snakefile"
    assert "ComputationalWorkflow" in workflow.type
    assert workflow["version"]
    assert run is not None
    assert run["instrument"] == workflow
    assert crate.root_dataset["mentions"] == run
    assert run["name"] == "./choco run small.yaml"
    assert {one.id for one in run["object"]} == {"small.yaml", "heights.csv"}
    (manifest,) = (project / "results/tables").glob("*.done.json")
    assert {one.id for one in run["result"]} == {
        "results/small/plan.json",
        "results/small/ledger.json",
        f"results/tables/{manifest.name}",
    }
    for one in (*run["object"], *run["result"]):
        assert one["encodingFormat"]
    for one in (*run["object"], *run["result"], *workflow["hasPart"]):
        assert f"{one['sha256']}  {one.id}\n" in sums
    versions = {one["name"]: one["softwareVersion"] for one in workflow["softwareRequirements"]}
    assert versions.items() >= library_versions().items()
    (entry,) = read_record(manifest)["tables"].values()
    assert entry["digest"] in (folder / "results/tables" / manifest.name).read_text()
    written = json.loads((folder / "ro-crate-metadata.json").read_text())
    assert written["@context"] == ["https://w3id.org/ro/crate/1.1/context", TERMS]
    (about,) = (one for one in written["@graph"] if one["@id"] == "ro-crate-metadata.json")
    assert "https://w3id.org/ro/crate/1.1" in json.dumps(about["conformsTo"])


@settings(
    max_examples=examples(10),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(st.data())
def test_a_changed_byte_is_found_by_verify(project, tmp_path_factory, data):
    copy = tmp_path_factory.mktemp("copy") / "project"
    shutil.copytree(project, copy)
    folder = copy / "results/small" / FOLDER
    assert list(faults_of_crate(folder)) == []
    file = data.draw(st.sampled_from(sorted(p for p in folder.rglob("*") if p.is_file())))
    content = bytearray(file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    assert list(faults_of_crate(folder))


@pytest.mark.full
def test_verify_reads_it(project, tmp_path):
    copy = tmp_path / "project"
    shutil.copytree(project, copy)
    folder = copy / "results/small" / FOLDER

    def unusable():
        done = choco("verify", "--json", cwd=copy)
        wrong: dict[str, str] = json.loads(done.stdout)["unusable"]
        assert done.returncode == bool(wrong)
        return wrong

    assert unusable() == {}
    (folder / "small.yaml").unlink()
    (folder / "more").write_text("more")
    assert [path.rpartition("/")[2] for path in unusable()] == ["more", "small.yaml"]
    (folder / SUMS).unlink()
    assert len(unusable()) == 1
