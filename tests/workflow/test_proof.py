"""A run that proves a game, with Dask and with plain Snakemake."""

import shutil

import pytest

pytestmark = pytest.mark.full


def test_a_run_proves_a_game_and_says_for_which_parameters(proof):
    project, done = proof
    assert "prove 3/3: done" in done.stderr
    ledger = project.json("proof/ledger.json")
    (game,) = ledger["proofs"]
    assert (game["ruleset"], game["relation"]) == ("solid-bar(f=(x+z)//3)", "p")
    assert (game["status"], game["states"], game["parameters"]) == ("proved", [3], {"k": 3})
    assert "own" in game["engines"]
    by_table, by_proof = [v for v in ledger["verdicts"] if v["claim"] == "tiny-cor-2"]
    assert (by_table["verdict"], "certificate" in by_table) == ("holds-to-bound", False)
    assert (by_proof["verdict"], by_proof["table"]) == ("proved", None)
    assert by_proof["certificate"].startswith("results/certificates/claims/tiny-cor-2/k-3-")
    (row,) = [row for row in ledger["rows"] if row["claim"] == "tiny-cor-2"]
    assert row["verdict"] == "proved"
    assert [one["proofs"] for one in row["engines"]] == [1]
    verdicts = {row["claim"]: row["verdict"] for row in ledger["rows"]}
    assert (verdicts["tiny-lemma-5"], verdicts["tiny-lemma-6"]) == ("proved", "refuted")

    first = project.json("proof/first-ledger.json")
    assert first["proofs"] == []
    assert first["findings"] == []
    assert [v["verdict"] for v in first["verdicts"]].count("proved") == 0
    assert (project.folder / "results/proof/first-report/index.html").exists()
    assert first["tables"] == ledger["tables"]

    checked = project.choco("prove", "--check", game["certificate"]).stdout
    assert "P-positions of solid-bar(f=(x + z) // 3)" in " ".join(checked.split())


def test_what_is_proved_stands_and_plain_snakemake_proves_the_same(proof, tmp_path):
    project = proof[0].copy(tmp_path)
    again = project.run("proof.yaml")
    assert (again["status"], again["jobs"], again["proofs"]) == ("nothing to do", {}, {"proved": 1})
    documents = sorted((project.folder / "results/proof/prove").glob("*.json"))
    for document in documents:
        document.unlink()
    shutil.rmtree(project.folder / "results/proof/parts")
    project.snakemake("--cores", "1", "--config", "choco=proof.yaml")
    found = [project.json(f"proof/prove/{document.name}")["verdicts"] for document in documents]
    assert sorted([v["verdict"] for v in verdicts] for verdicts in found) == [
        ["proved"],
        ["proved", "refuted"],
    ]


def test_another_claim_is_decided_without_another_search(proof, tmp_path):
    project = proof[0].copy(tmp_path)
    folder = project.folder / "results/certificates"
    files = sorted(folder.rglob("*.json"))
    written = {file: file.stat().st_mtime_ns for file in files}
    assert [file.parent.relative_to(folder).as_posix() for file in files] == [
        "claims/tiny-cor-2",
        "claims/tiny-lemma-5",
        "outcomes",
        ".",
    ]
    claims = project.folder / "claims.yaml"
    text = claims.read_text(encoding="utf-8")
    changed = text.replace("x ^ y ^ z == 0", "x ^ y ^ z == 1")
    assert changed != text
    claims.write_text(changed, encoding="utf-8")
    project.choco("run", "proof.yaml")
    verdicts = [v for v in project.json("proof/ledger.json")["verdicts"] if v["table"] is None]
    assert "refuted" in {v["verdict"] for v in verdicts}
    assert {file: file.stat().st_mtime_ns for file in files} == written
