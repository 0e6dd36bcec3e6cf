"""The rules of tests/conftest.py, on small test files of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LONGEST

pytestmark = pytest.mark.full

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

@pytest.mark.xfail
def test_known_to_fail():
    assert False

if SKIP == "in a test":
    def test_skipped():
        pytest.skip("nothing to see")
if SKIP == "the file":
    pytest.skip("nothing to see", allow_module_level=True)
"""


def in_a_folder(
    folder: Path, arguments: list[str], files: dict[str, str], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run pytest on some files and our conftest.py."""
    (folder / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  full: longer\n  slow: long\n")
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    # Nothing of the pytest that runs this test, such as the number of its worker.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=outside | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "plugins",
    # Hypothesis looks at all that is counted in the summary.
    [[], ["-p", "xdist", "-p", "_hypothesis_pytestplugin"]],
    ids=["alone", "in parallel"],
)
@pytest.mark.parametrize(
    ("skip", "ci", "arguments", "outcome", "status"),
    [
        (None, "true", [], "1 passed, 3 deselected, 1 xfailed", 0),
        (None, "true", ["--all"], "3 passed, 1 deselected, 1 xfailed", 0),
        (None, "", ["test_example.py"], "3 passed, 1 deselected, 1 xfailed", 0),
        (None, "", ["test_example.py::test_full"], "1 passed", 0),
        (None, "", ["--slow"], "4 passed, 1 xfailed", 0),
        ("in a test", "", [], "1 passed, 1 skipped, 3 deselected, 1 xfailed", 0),
        ("in a test", "true", [], "1 failed, 1 passed, 3 deselected, 1 xfailed", 1),
        ("the file", "", [], "1 skipped", 5),
        ("the file", "true", [], "1 error", 2),
    ],
)
def test_full_and_slow_tests_are_asked_for_and_a_skip_fails_in_ci(
    tmp_path: Path,
    skip: str | None,
    ci: str,
    arguments: list[str],
    outcome: str,
    status: int,
    plugins: list[str],
) -> None:
    example = {"test_example.py": f"SKIP = {skip!r}\n{EXAMPLE}"}
    done = in_a_folder(tmp_path, [*plugins, *arguments], example, {"CI": ci})
    assert f" {outcome} in " in done.stdout.splitlines()[-1], done.stdout
    assert done.returncode == (1 if plugins and status == 2 else status), "2 is an interrupted run"
    assert ("in CI a skip is a failure" in done.stdout) == (skip is not None and ci == "true")


PROCESS = """
import os, pathlib, pytest

@pytest.mark.parametrize("i", range(20))
def test_quick(i):
    with open(pathlib.Path(__file__).with_suffix(".seen"), "a") as seen:
        print(os.environ.get("PYTEST_XDIST_WORKER"), file=seen)
"""


@pytest.mark.parametrize(
    ("arguments", "processes"),
    [
        ([], 2),
        (["."], 2),
        (["one", "two"], 2),
        (["-x", "--slow"], 2),
        (["-n", "2", "one/test_first.py", "two/test_third.py"], 2),
        (["-n", "0"], 0),
        (["-s"], 0),
        (["--pdb"], 0),
        (["--trace"], 0),
        (["-k", "quick"], 0),
        (["one/test_first.py"], 0),
        (["one/test_first.py", "two/test_third.py::test_quick"], 0),
    ],
)
def test_folders_run_in_parallel_and_files_whole(
    tmp_path: Path, arguments: list[str], processes: int
) -> None:
    files = dict.fromkeys(
        ("one/test_first.py", "one/test_second.py", "two/test_third.py", "two/test_fourth.py"),
        PROCESS,
    )
    two = {"PYTEST_XDIST_AUTO_NUM_WORKERS": "2"}
    done = in_a_folder(tmp_path, ["-p", "xdist", *arguments], files, two)
    if "--trace" not in arguments:  # which waits for somebody who types
        assert done.returncode == 0, done.stdout
    workers = [set(seen.read_text().split()) for seen in tmp_path.glob("*/*.seen")]
    assert all(len(found) == 1 for found in workers), "a file's tests share what they make"
    seen = set().union(*workers) - {"None"}
    assert len(seen) == processes, done.stdout


def test_the_files_that_start_first_are_there() -> None:
    assert [name for name in LONGEST if not (CONFTEST.parent / name).is_file()] == []
