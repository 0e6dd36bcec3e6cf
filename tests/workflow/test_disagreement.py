"""Judges that contradict each other: one message and exit code 3."""

import json
import os
import shutil

import pytest

pytestmark = pytest.mark.full

GAME = "solid-bar(f=(x+z)//3)"
CONTRADICTION = "is proved by our engine; refuting.py says: refuted; "
REFUTING = """\
import sys
for file in sys.argv[sys.argv.index("--") + 1:]:
    print(f"{file}: refuted")
"""
#: Python loads this module at its start; programs that run with ``-I`` do not.
REPLACING = """\
from pathlib import Path
from choco_pipeline.proof import checker
checker.PROGRAM = Path(__file__).with_name("refuting.py")
"""


@pytest.fixture
def contradicted(project):
    """Return a project whose checker refutes everything."""
    folder = project.folder / "programs"
    folder.mkdir()
    (folder / "refuting.py").write_text(REFUTING, encoding="utf-8")
    (folder / "sitecustomize.py").write_text(REPLACING, encoding="utf-8")
    path = f"{folder}{os.pathsep}{project.environment['PYTHONPATH']}"
    project.environment["PYTHONPATH"] = path
    return project


def test_a_proof_and_a_check_end_with_3(contradicted):
    done = contradicted.choco("prove", GAME, code=3)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("choco: results/proofs/")
    assert CONTRADICTION in line

    (certificate,) = contradicted.folder.glob("results/proofs/*.json")
    done = contradicted.choco("prove", "--check", str(certificate), "--json", code=3)
    assert json.loads(done.stdout)["status"] == "disagreement"


def test_a_run_ends_with_3(contradicted, proof, tmp_path):
    # A finished run but for its proofs, so that no table is built again.
    finished = proof[0].copy(tmp_path / "finished")
    for folder in ("certificates", "proof/prove", "proof/parts"):
        shutil.rmtree(finished.folder / "results" / folder)
    finished.environment["PYTHONPATH"] = contradicted.environment["PYTHONPATH"]
    done = finished.choco("run", "proof.yaml", "--json", code=3)
    assert json.loads(done.stdout)["status"] == "disagreement"
    assert CONTRADICTION in done.stderr
    assert "Traceback" not in done.stderr
