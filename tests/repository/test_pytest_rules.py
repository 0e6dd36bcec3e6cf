"""The tiers of tests/conftest.py, on a small test file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LONGEST

CONFTEST = Path(__file__).parents[1] / "conftest.py"
EXAMPLE = """
import pytest

def test_quick():
    pass

@pytest.mark.full
def test_full():
    pass

@pytest.mark.skipif(False, reason="a program is missing")
def test_that_needs_a_program():
    pass

@pytest.mark.slow
@pytest.mark.full
def test_slow():
    pass

if SKIP:
    def test_skipped():
        pytest.skip("nothing to see")
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("skip", "arguments", "outcome", "status"),
    [
        (False, [], "1 passed, 3 deselected", 0),
        (False, ["--all"], "3 passed, 1 deselected", 0),
        (False, ["test_example.py"], "3 passed, 1 deselected", 0),
        (False, ["--slow"], "4 passed", 0),
        (True, [], "1 failed, 1 passed, 3 deselected", 1),
    ],
)
def test_tiers_are_asked_for_and_a_skip_fails_in_ci(tmp_path, skip, arguments, outcome, status):
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  full: longer\n  slow: long\n")
    (tmp_path / "test_example.py").write_text(f"SKIP = {skip}\n{EXAMPLE}")
    # Not the number of the worker that runs this test.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path,
        env=outside | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "true"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f" {outcome} in " in done.stdout.splitlines()[-1], done.stdout
    assert done.returncode == status


def test_the_files_that_start_first_exist():
    assert [name for name in LONGEST if not (CONFTEST.parent / name).is_file()] == []
