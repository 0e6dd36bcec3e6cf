"""The installed wheel, in its own environment and an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.full
RUN = """\
run: small
claims: [config/claims/triangular.yaml]
sweeps:
  bars: {ruleset: solid-bar(f=(x+z)//3), bound: 24, quantity: p-positions}
  own: {ruleset: game(wythoff), bound: 24, quantity: p-positions}
  another: {ruleset: game(thirds), bound: 24, quantity: p-positions}
"""
THIRDS = """\
game: thirds
coordinates: [a, b]
heights: {b: a//2}
moves:
  - {lower: [a], by: [1, 2]}
  - {lower: [b]}
"""
OTHER = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "other-games"
version = "1"
[project.entry-points."choco_pipeline.games"]
thirds = "other_games:THIRDS"
wrong = "other_games:WRONG"
"""


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and an empty folder."""

    python: Path
    folder: Path

    def choco(self, *arguments):
        """Run a command in the folder, without help from a clone beside it."""
        hidden = ("PYTHONPATH", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment["PATH"] = os.pathsep.join([str(self.python.parent), "/usr/bin", "/bin"])
        return subprocess.run(
            [str(self.python.with_name("choco")), *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


def call(*words, cwd=ROOT):
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Build the wheel from the source distribution, and another package."""
    place = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", place)
    (archive,) = place.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(place / "source", filter="data")
    (source,) = (place / "source").iterdir()
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", place, cwd=source)
    (wheel,) = place.glob("*.whl")
    other = place / "other"
    (other / "other_games").mkdir(parents=True)
    (other / "pyproject.toml").write_text(OTHER)
    (other / "other_games/thirds.yaml").write_text(THIRDS)
    (other / "other_games/__init__.py").write_text(
        "from pathlib import Path\n"
        "THIRDS = Path(__file__).with_name('thirds.yaml')\nWRONG = 'thirds.yaml'\n"
    )
    return wheel, other


def new_environment(place, *needs):
    """Make an environment with packages; return its Python."""
    uv, python = [sys.executable, "-m", "uv"], place / "venv/bin/python"
    call(*uv, "venv", "--python", sys.executable, place / "venv")
    if needs:
        call(*uv, "pip", "install", "--python", python, *needs)
    return python


def with_the_wheel(python, packages):
    install = [sys.executable, "-m", "uv", "pip", "install", "--python", python]
    call(*install, "--no-deps", "--no-build-isolation", *packages)
    (folder := python.parents[2] / "empty").mkdir()
    return Installed(python, folder)


@pytest.fixture(scope="module")
def borrowed(tmp_path_factory, packages):
    """Install the wheel where the packages of these tests are seen, too."""
    python = new_environment(tmp_path_factory.mktemp("borrowed"))
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    # What such a file names is searched for packages, but for no further such files: the clone is not seen.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return with_the_wheel(python, packages)


@pytest.fixture(scope="module")
def installed(tmp_path_factory, packages):
    """Install the wheel with the locked packages alone."""
    lock, constraints = ROOT / "requirements/run.txt", ROOT / "requirements/build.txt"
    needs = ["--require-hashes", "--build-constraints", constraints, "-r", lock]
    return with_the_wheel(new_environment(tmp_path_factory.mktemp("alone"), *needs), packages)


def test_everything_that_a_clone_brings_is_there(borrowed):
    shown = [str(borrowed.python), "-c", "import choco_pipeline as c; print(c.__file__)"]
    place = subprocess.run(shown, cwd=borrowed.folder, capture_output=True, text=True, check=True)
    assert Path(place.stdout).is_relative_to(borrowed.python.parents[1]), "the wheel, not the clone"
    assert borrowed.choco("--version").stdout.startswith("choco ")
    claims = json.loads(borrowed.choco("claims", "list", "--json").stdout)["claims"]
    assert {claim["paper"] for claim in claims} >= {"step2015", "solid2022", "triangular"}
    plan = borrowed.choco("plan", "--json")
    assert plan.returncode == 0, plan.stderr
    assert json.loads(plan.stdout)["run"] == "default"
    value = json.loads(borrowed.choco("value", "game(wythoff)", "3", "5", "--json").stdout)
    assert value["outcome"] == "P"
    assert list(borrowed.folder.iterdir()) == [], "nothing is written that nobody asked for"
    dry = borrowed.choco("run", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "build: " in dry.stdout


def test_games_of_another_package_are_games(borrowed):
    value = json.loads(borrowed.choco("value", "game(thirds)", "9", "3", "--json").stdout)
    assert value["outcome"] == "N"
    wrong = borrowed.choco("value", "game(wrong)", "1", "1")
    assert wrong.returncode == 2
    assert "game(wrong): other_games:WRONG must be the path of a description" in wrong.stderr
    unknown = borrowed.choco("value", "game(third)", "1", "1")
    assert "did you mean" in unknown.stderr, unknown.stderr


@pytest.mark.slow  # with --all it is seen that nothing is missing in the wheel, with these alone that no package is
def test_a_run_goes_from_tables_to_its_report(installed):
    (installed.folder / "small.yaml").write_text(RUN)
    done = installed.choco("run", "small.yaml")
    assert done.returncode == 0, done.stderr
    assert "report: results/small/report/index.html" in done.stdout
    ledger = json.loads((installed.folder / "results/small/ledger.json").read_text())
    assert {row["command"].split()[0] for row in ledger["rows"]} == {"choco"}
    assert ledger["versions"]["commit"] == "unknown"
    held = {row["claim"] for row in ledger["rows"] if row["verdict"] == "holds-to-bound"}
    assert "triangular-thm-7.3" in held
    proved = json.loads(installed.choco("prove", "nim(2)", "--json").stdout)
    assert "checker" in proved["engines"], "the checker is there, too"
    verified = installed.choco("verify", "--json")
    assert json.loads(verified.stdout)["status"] == "right", verified.stdout
