"""Engines that contradict each other: one message, and an exit code that no verdict has."""

import json
import os
import shutil
import textwrap
from pathlib import Path

import pytest

from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.proof.arithmetic.mona import KNOWN
from choco_pipeline.proof.arithmetic.ws1s import SENTENCE, ws1s_files
from tests.workflow.conftest import Ran
from tests.workflow.project import Project

REAL = shutil.which("mona")
GAME = "solid-bar(f=(x+z)//3)"
WHAT_TO_DO = "one of them is wrong, so that nothing follows from either: please report"

pytestmark = pytest.mark.skipif(REAL is None, reason="mona is not installed")


@pytest.fixture
def contradicted(project: Project) -> Project:
    """Return a project whose MONA knows what is known, and finds all else to be false."""
    relations = {"R": linear({"0": 3, "1": -1}, 0, "<=")}
    folder = project.folder / "programs"
    folder.mkdir()
    for i, (sentence, _) in enumerate(KNOWN):
        (folder / f"known-{i}").write_text(ws1s_files(sentence, relations)[SENTENCE])
    script = f"""\
        #!/bin/sh
        for known in {folder}/known-*; do
            cmp -s "$known" "$2" && exec {REAL} "$@"
        done
        echo 'A counter-example of least length (1) is:'
    """
    (folder / "mona").write_text(textwrap.dedent(script))
    (folder / "mona").chmod(0o755)
    project.environment["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return project


def test_a_proof_and_a_check_end_with_3(contradicted: Project) -> None:
    done = contradicted.choco("prove", GAME, code=3)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"choco: {GAME}: '")
    assert "is right by own, wrong by mona; " in line
    assert WHAT_TO_DO in line

    proved = contradicted.choco("prove", GAME, "--engine", "own", "--json")
    certificate = json.loads(proved.stdout)["certificate"]
    done = contradicted.choco("prove", "--check", certificate, "--json", code=3)
    document = json.loads(done.stdout)
    assert document["status"] == "disagreement"
    assert WHAT_TO_DO in document["error"]


def test_a_claim_and_a_run_end_with_3(contradicted: Project, proof: Ran, tmp_path: Path) -> None:
    done = contradicted.choco("claims", "check", "tiny-lemma-5", "--file", "claims.yaml", code=3)
    assert "choco: tiny-lemma-5: the sentence " in done.stderr
    assert "Traceback" not in done.stderr
    assert WHAT_TO_DO in done.stderr

    # A finished run but for what is proved, so that no table is built again.
    finished = proof[0].copy(tmp_path / "finished")
    for folder in ("certificates", "proof/prove", "proof/prove_statements"):
        shutil.rmtree(finished.folder / "results" / folder)
    finished.environment["PATH"] = contradicted.environment["PATH"]
    done = finished.choco("run", "proof.yaml", "--json", code=3)
    assert json.loads(done.stdout)["status"] == "disagreement"
    assert "by own" in done.stderr
    assert WHAT_TO_DO in done.stderr
    assert "Traceback" not in done.stderr
