"""``choco repair`` and ``choco verify``: output and exit codes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from choco_pipeline import SolidBar, StepBar
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import ClaimsFile
from choco_pipeline.documents.record import write_record
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.proof.statements.claim_certificate import proved_statement
from choco_pipeline.tables.shard import Journal, build_shard
from choco_pipeline.tables.spec import Shard, TableSpec
from tests.checker.certificates import game_text, integers
from tests.cli.command import ROOT, choco
from tests.tables.stores import chunks_of

SPECS = [TableSpec.of(SolidBar("(x+z)//3"), 12, "grundy"), TableSpec.of(StepBar(2), 20, "grundy")]


@pytest.fixture
def manifests(tmp_path):
    """Return the manifests of two shards of one table each."""
    made = []
    for name, spec in zip("ab", SPECS, strict=True):
        write_record(tmp_path / f"{name}.json", Shard(name, (spec,)).as_json())
        manifest = tmp_path / "results" / "tables" / f"{name}.done.json"
        build_shard(str(tmp_path / f"{name}.json"), str(manifest), lambda *_, **__: None)
        Journal.of(manifest).clear()
        made.append(manifest)
    return made


def chunk_of(manifest):
    store = manifest.with_name(manifest.name.replace(".done.json", ".zarr"))
    (chunk,) = chunks_of(store)
    return chunk


@pytest.mark.full
def test_what_is_damaged_is_repaired_and_named(manifests, tmp_path):
    sound = choco("repair", cwd=tmp_path)
    assert sound.returncode == 0
    chunks = {manifest: chunk_of(manifest) for manifest in manifests}
    before = {chunk: chunk.read_bytes() for chunk in chunks.values()}
    chunks[manifests[0]].write_bytes(b"damaged")
    chunks[manifests[1]].unlink()
    assert choco("verify", cwd=tmp_path).returncode == 1
    repaired = choco("repair", cwd=tmp_path)
    assert repaired.returncode == 0, repaired.stderr
    said = [line for line in repaired.stderr.splitlines() if not line.startswith("shards ")]
    for line, spec, manifest in zip(said, SPECS, manifests, strict=True):
        assert spec.ruleset in line
        assert f"({chunks[manifest].relative_to(tmp_path)})" in line
    assert {chunk: chunk.read_bytes() for chunk in before} == before
    right = choco("verify", "--json", cwd=tmp_path)
    assert json.loads(right.stdout)["status"] == "right"
    assert [one["manifest"] for one in json.loads(right.stdout)["records"]] == [
        manifest.relative_to(tmp_path).as_posix() for manifest in manifests
    ]


@pytest.mark.full
def test_what_cannot_be_repaired_says_why_and_the_rest_is(manifests, tmp_path):
    manifests[0].write_text("{")
    chunk = chunk_of(manifests[1])
    before = chunk.read_bytes()
    chunk.unlink()
    done = choco("repair", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"]) == (1, "damaged")
    name = manifests[0].relative_to(tmp_path).as_posix()
    assert list(found["unusable"]) == [name]
    assert [record["why"] for record in found["records"]] == [None]
    assert chunk.read_bytes() == before
    assert choco("repair", str(manifests[1]), cwd=tmp_path).returncode == 0


@pytest.mark.full
def test_verify_goes_on_behind_a_manifest_that_was_changed(manifests, tmp_path):
    other = manifests[0].with_name("c.done.json")
    shutil.copy(manifests[0], other)
    for path, old, new in ((manifests[0], '"seconds": ', '"seconds": 1'), (other, "ruleset", "r")):
        path.write_text(path.read_text().replace(old, new))
    done = choco("verify", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"]) == (1, "wrong")
    assert [Path(name).name for name in found["unusable"]] == ["a.done.json", "c.done.json"]
    (record,) = found["records"]
    assert (Path(record["manifest"]).name, record["wrong"]) == ("b.done.json", None)


def test_a_run_that_works_there_is_not_disturbed(manifests, tmp_path):
    with FileLock(tmp_path / "results" / ".run.lock"):
        refused = choco("repair", cwd=tmp_path)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)


LEMMA = "for x in 0..N, k in 1..5: x//k <= x"
#: Nim by the name of another game of the project, and by one that no game of the project has.
HEAPS = {"coordinates": ["a", "b"], "moves": [{"lower": ["a"]}, {"lower": ["b"]}]}


def write_certificates(folder):
    """Write proved certificates; return which mean what their names do."""
    nim = json.loads(game_text("nim(2)", "p", folder.parents[1]))
    catalogued = YamlFile(ROOT / "config/claims/step2015.yaml").load(ClaimsFile).claims
    lemma = next(entry for entry in catalogued if entry.id == "step2015-lemma-2.1")
    statement = proved_statement(Claim(lemma))
    wythoff, mine = (
        {"ruleset": f"game({name})", "games": {name: {"game": name, **HEAPS}}}
        for name in ("wythoff", "mine")
    )
    true = integers(LEMMA, k=2) | {"game": None, "versions": {}}
    documents: dict[str, tuple[dict[str, Any], bool]] = {
        "game": (nim, True),
        "mine": (nim | mine, True),
        "wythoff": (nim | wythoff, False),
        "lemma": (true | {"claim": statement, "names": {"k": 2}}, True),
        "unknown-id": (true, True),
        "conjecture": (true | {"claim": true["claim"] | {"id": "step2015-conj-4.1-1"}}, False),
        "weakened": (
            true
            | {
                "claim": statement | {"statement": "for x in 0..N, k in 1..5: 0 == 0"},
                "names": {"k": 2},
            },
            False,
        ),
    }
    for name, (document, _) in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return {name: right for name, (_, right) in documents.items()}


@pytest.mark.full
def test_a_certificate_means_what_its_names_do(manifests, tmp_path):
    proofs = tmp_path / "results" / "proofs"
    proofs.mkdir()
    right = write_certificates(proofs)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    done = choco("verify", "--json", cwd=tmp_path)
    assert done.returncode == 1
    answers = {
        Path(answer["certificate"]).stem: answer
        for answer in json.loads(done.stdout)["certificates"]
    }
    assert {
        name: (answer["answer"], not answer["differences"]) for name, answer in answers.items()
    } == {name: ("proved", is_right) for name, is_right in right.items()}
    assert not any("step2015" in " ".join(answer["statement"]) for answer in answers.values())
    done = choco("prove", "--check", "results/proofs/conjecture.json", cwd=tmp_path)
    assert (done.returncode, "x//k <= x" in done.stdout) == (1, True)
    for name, is_right in right.items():
        if not is_right:
            (proofs / f"{name}.json").unlink()
    assert choco("verify", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_verify_checks_certificates_of_families(manifests, tmp_path):
    asked = ("P <=> x ^ y ^ z == 0", "--for", "k % 2 == 0 and k >= 2")
    proved = choco("prove", "strip-bar(k=k)", *asked, "--json", cwd=tmp_path)
    path = tmp_path / json.loads(proved.stdout)["certificate"]
    right = choco("verify", "--json", cwd=tmp_path)
    assert right.returncode == 0
    assert [answer["answer"] for answer in json.loads(right.stdout)["certificates"]] == ["proved"]
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"for": "k >= 2"}))
    wrong = choco("verify", "--json", cwd=tmp_path)
    assert wrong.returncode == 1
    assert [answer["answer"] for answer in json.loads(wrong.stdout)["certificates"]] != ["proved"]
