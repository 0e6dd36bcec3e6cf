"""The two rules of tests/conftest.py, on a small test file of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
EXAMPLE = """
import pytest

def test_quick():
    pass

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.xfail
def test_known_to_fail():
    assert False

if SKIP == "in a test":
    def test_skipped():
        pytest.skip("nothing to see")
if SKIP == "the file":
    pytest.skip("nothing to see", allow_module_level=True)
"""


@pytest.mark.parametrize(
    ("skip", "ci", "arguments", "outcome", "status"),
    [
        (None, "true", [], "1 passed, 1 deselected, 1 xfailed", 0),
        (None, "", ["--slow"], "2 passed, 1 xfailed", 0),
        ("in a test", "", [], "1 passed, 1 skipped, 1 deselected, 1 xfailed", 0),
        ("in a test", "true", [], "1 failed, 1 passed, 1 deselected, 1 xfailed", 1),
        ("the file", "", [], "1 skipped", 5),
        ("the file", "true", [], "1 error", 2),
    ],
)
def test_slow_tests_are_asked_for_and_a_skip_fails_in_ci(
    tmp_path: Path, skip: str | None, ci: str, arguments: list[str], outcome: str, status: int
) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"))
    (tmp_path / "test_example.py").write_text(f"SKIP = {skip!r}\n{EXAMPLE}")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow: long\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path,
        env=os.environ | {"CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f" {outcome} in " in done.stdout.splitlines()[-1], done.stdout
    assert done.returncode == status
    assert ("in CI a skip is a failure" in done.stdout) == (skip is not None and ci == "true")
