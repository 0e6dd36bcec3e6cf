"""Benchmarks can be run as they stand, also where MONA is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.full


@pytest.fixture
def without_mona(tmp_path: Path) -> dict[str, str]:
    """Return an environment in whose path everything is but MONA."""
    for folder in reversed(os.get_exec_path()):
        if Path(folder).is_dir():
            for program in Path(folder).iterdir():
                place = tmp_path / program.name
                place.unlink(missing_ok=True)
                place.symlink_to(program)
    (tmp_path / "mona").unlink(missing_ok=True)
    # A process that pytest distributes tests to says so in its environment, and benchmarks then measure nothing.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**own, "PATH": str(tmp_path)}


def test_without_mona_nothing_is_compared_with_it_and_the_rest_is_measured(without_mona):
    """All benchmarks are collected for that, so what they import is there."""
    chosen = "test_triangular and 21 and positions or test_own_engine_and_mona and step-bar"
    command = ["-m", "pytest", "benchmarks", "-rs", "--benchmark-only", "-k", chosen]
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=without_mona, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MONA is not installed" in done.stdout
    assert "1 passed, 4 skipped" in done.stdout
