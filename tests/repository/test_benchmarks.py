"""Benchmarks can be run as they stand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.full


def test_benchmarks_are_collected_and_measure():
    """All benchmarks are collected for that, so what they import is there."""
    chosen = "test_triangular and 21 and positions or test_obligations and step-bar"
    command = ["-m", "pytest", "benchmarks", "--benchmark-only", "-k", chosen]
    # A process that pytest distributes tests to says so in its environment, and benchmarks then measure nothing.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=own, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
