"""The script ./choco, with stand-ins for Python and its installers. `.ci/newcomer` has the real ones."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .stand_ins import OLD_PYTHON, Clone, make_clone, write_program

SHELLS = [shell for shell in ("sh", "dash", "bash") if shutil.which(shell)]

GNU_ENV = subprocess.run(["env", "--block-signal=INT", "true"], capture_output=True, check=False)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return make_clone(tmp_path)


def sync_call(kind: str) -> str:
    constraints = "--build-constraints requirements/build.txt"
    return f"uv: pip sync --require-hashes {constraints} requirements/{kind}.txt"


INSTALL_CALL = "uv: pip install --no-deps --build-constraints requirements/build.txt --editable ."


def venv_call(clone: Clone, python: str = "python3") -> str:
    return f"uv: venv --python {clone.programs / python} .venv"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "./choco COMMAND"),
        (("--help",), "./choco COMMAND"),
        (("prove", "nim(2)", "-h"), "./choco COMMAND"),
        (("--version",), "choco 7.8.9\n"),
    ],
)
def test_a_question_is_answered_without_installing_anything(
    clone: Clone, shell: str, words: tuple[str, ...], said: str
) -> None:
    (clone.root / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "7.8.9"\n')
    command = clone.command(*words, shell=shell)
    done = subprocess.run(
        command, env=clone.environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, clone.calls) == (0, "", [])
    assert said in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not (clone.root / ".venv").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_first_run_sets_up_and_the_second_is_quiet(clone: Clone, shell: str) -> None:
    unclean = {"PYTHONPATH": "x", "VIRTUAL_ENV": "x", "PYTHONDONTWRITEBYTECODE": "1"}
    for expected_calls, expected_messages in (
        (
            [venv_call(clone), sync_call("run"), INSTALL_CALL],
            "choco: setting up: .venv, 1 packages\n",
        ),
        ([], ""),
    ):
        done = subprocess.run(
            clone.command("value", "nim(2)", "1 2", "", shell=shell),
            env=clone.environment | unclean,
            cwd=clone.root.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == expected_messages
        assert done.returncode == 0
        assert done.stdout.split("\n") == [
            "choco",
            str(clone.root.parent),
            str(clone.root / ".venv/bin"),
            *("value", "nim(2)", "1 2", "", ""),
        ]
        assert clone.calls == expected_calls


@pytest.mark.parametrize("shell", SHELLS)
def test_it_is_found_through_links_and_without_standard_input(clone: Clone, shell: str) -> None:
    links = clone.root.parent / "links"
    links.mkdir()
    (links / "direct").symlink_to(Path("..") / clone.root.name / "choco")
    (links / "absolute").symlink_to(links / "direct")
    for name in ("direct", "./absolute"):
        done = subprocess.run(
            [str(shutil.which("sh")), "-c", '"$0" "$1" run <&-', str(shutil.which(shell)), name],
            env=clone.environment,
            cwd=links,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[2:] == [str(clone.root / ".venv/bin"), "run"]
    assert (clone.root / ".venv").is_dir()


def test_a_changed_lock_file_or_pyproject_is_synced_into_the_same_environment(clone: Clone) -> None:
    clone.run("run")
    assert len(clone.calls) == 3
    for name in ("requirements/run.txt", "pyproject.toml"):
        with (clone.root / name).open("a") as file:
            file.write("# changed\n")
        assert clone.run("run").returncode == 0
        assert clone.calls == [sync_call("run"), INSTALL_CALL]
        assert clone.run("run").stderr == ""
        assert clone.calls == []


@pytest.mark.skipif(GNU_ENV.returncode != 0, reason="needs GNU's env")
def test_ctrl_c_waits_until_the_program_can_hear_it(clone: Clone) -> None:
    """Python answers it with a traceback while it starts."""
    tells = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    write_program(clone.programs.parent / "started", f"#!{sys.executable}\n{tells}\n")
    assert clone.run("version").stdout == "False\n"
    for name in ("env", "true"):
        (clone.programs / name).symlink_to(str(shutil.which(name)))
    assert clone.run("version").stdout == "True\n"


def test_the_development_packages_find_programs_where_there_is_no_which(clone: Clone) -> None:
    clone.run("test")
    which = [clone.root / ".venv/bin/which", "sacct"]
    assert subprocess.run(which, env=clone.environment, check=False).returncode
    (clone.programs / "sacct").symlink_to("/bin/sh")
    assert subprocess.check_output(which, env=clone.environment, text=True).endswith("/sacct\n")


def test_the_development_packages_are_also_enough_to_run(clone: Clone) -> None:
    clone.run("run")
    assert len(clone.calls) == 3
    done = clone.run("test", "--slow", "-k", "a b")
    started = ["pytest", str(clone.root), str(clone.root / ".venv/bin"), "--slow", "-k", "a b"]
    assert done.stdout.splitlines() == started
    assert done.stderr == "choco: setting up: .venv, 3 packages\n"
    assert clone.calls == [sync_call("dev"), INSTALL_CALL]

    assert clone.run("run").stderr == ""
    assert clone.calls == []
    with (clone.root / "requirements/dev.txt").open("a") as file:
        file.write("mypy==1.19\n")
    assert clone.run("run").stderr == "choco: setting up: .venv, 4 packages\n"
    assert clone.calls == [sync_call("dev"), INSTALL_CALL]


def test_a_moved_clone_is_set_up_anew(clone: Clone) -> None:
    clone.run("run")
    assert len(clone.calls) == 3
    clone.root = clone.root.rename(clone.root.with_name("moved"))
    assert clone.run("run").returncode == 0
    assert clone.calls == [venv_call(clone), sync_call("run"), INSTALL_CALL]


@pytest.mark.parametrize("lost", ["lib/python3.11/site-packages/a_package", "bin/choco"])
def test_a_set_up_of_which_something_is_missing_is_done_again(clone: Clone, lost: str) -> None:
    clone.run("plan")
    calls = clone.calls
    path = clone.root / ".venv" / lost
    path.rmdir() if path.is_dir() else path.unlink()
    assert clone.run("plan").returncode == 0
    assert clone.calls == calls
    assert path.exists()
    clone.run("plan")
    assert clone.calls == []


def test_an_interrupted_set_up_is_done_again(clone: Clone) -> None:
    assert clone.run("run", KILL_AT_SYNC="1").returncode == -signal.SIGKILL
    assert clone.calls == [venv_call(clone), sync_call("run")]
    assert clone.run("run").returncode == 0
    assert clone.calls == [venv_call(clone), sync_call("run"), INSTALL_CALL]


def test_an_interrupted_change_is_not_taken_for_what_was_before(clone: Clone) -> None:
    lock = clone.root / "requirements/run.txt"
    before = lock.read_text()
    clone.run("run")
    assert len(clone.calls) == 3
    lock.write_text(before + "zarr==3.2\n")
    assert clone.run("run", KILL_AT_SYNC="1").returncode == -signal.SIGKILL
    assert clone.calls == [sync_call("run")]
    lock.write_text(before)
    assert clone.run("run").returncode == 0
    assert clone.calls == [venv_call(clone), sync_call("run"), INSTALL_CALL]


def test_a_failing_set_up_ends_in_one_line_and_is_done_again(clone: Clone) -> None:
    log = clone.root / ".choco/setup.log"
    clone.run("run")
    with (clone.root / "requirements/run.txt").open("a") as file:
        file.write("zarr==3.2\n")
    for _ in range(2):
        failed = clone.run("run", NO_NETWORK="1")
        assert failed.returncode == 3
        assert failed.stdout == ""
        assert failed.stderr.splitlines() == [
            "choco: setting up: .venv, 2 packages",
            f"choco: could not install the packages (is there a network?); see {log}",
        ]
        assert "dns error" in log.read_text()
    assert clone.run("run").returncode == 0
    assert clone.run("run").stderr == ""


def test_an_old_python_is_refused_unless_there_is_another(clone: Clone) -> None:
    (clone.programs / "python3").rename(clone.programs / "kept")
    done = clone.run("run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "Python 3.11 or newer is needed, found no working python3" in done.stderr

    write_program(clone.programs / "python3", OLD_PYTHON)
    done = clone.run("run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "Python 3.11 or newer is needed, found Python 3.10.9" in done.stderr
    assert not (clone.root / ".venv").exists()

    (clone.programs / "kept").rename(clone.programs / "python3.12")
    assert clone.run("run").returncode == 0
    assert clone.calls == [venv_call(clone, "python3.12"), sync_call("run"), INSTALL_CALL]


def test_choco_python_names_the_interpreter(clone: Clone) -> None:
    clone.run("run")
    assert len(clone.calls) == 3
    another = clone.programs / "another python"
    shutil.copy(clone.programs / "python3", another)
    for _ in range(2):
        assert clone.run("run", CHOCO_PYTHON=str(another)).returncode == 0
    assert clone.calls == [venv_call(clone, another.name), sync_call("run"), INSTALL_CALL]
    assert clone.run("run").stderr == ""

    write_program(another.with_name("old"), OLD_PYTHON)
    done = clone.run("run", CHOCO_PYTHON=str(another.with_name("old")))
    assert done.returncode == 2
    assert done.stderr == (
        f"choco: CHOCO_PYTHON is {another.with_name('old')}, "
        "which is not a working Python 3.11 or newer\n"
    )


def test_without_uv_the_locked_one_is_put_beside_the_project(clone: Clone) -> None:
    (clone.programs / "uv").unlink()
    assert clone.run("run", KILL_AT_PIP="1").returncode == -signal.SIGKILL
    (pip_call,) = clone.calls
    assert pip_call.startswith("pip: -m pip install ")
    assert "--require-hashes --no-deps --only-binary :all:" in pip_call
    assert pip_call.endswith("--target .choco/uv.part --requirement requirements/bootstrap.txt")
    assert not (clone.root / ".choco/uv").exists()

    done = clone.run("run")
    assert done.returncode == 0, done.stderr
    assert clone.calls == [pip_call, venv_call(clone), sync_call("run"), INSTALL_CALL]
    assert done.stderr.splitlines() == [
        "choco: setting up: the installer uv",
        "choco: setting up: .venv, 1 packages",
    ]
    assert os.listdir(clone.root / ".choco/uv/bin") == ["uv"]

    shutil.rmtree(clone.root / ".venv")
    assert clone.run("run").returncode == 0
    assert clone.calls == [venv_call(clone), sync_call("run"), INSTALL_CALL]

    shutil.rmtree(clone.root / ".venv")
    (clone.root / "requirements/bootstrap.txt").write_text("uv==0.14\n")
    assert clone.run("run").returncode == 0
    assert clone.calls == [pip_call, venv_call(clone), sync_call("run"), INSTALL_CALL]


def test_a_python_without_pip_makes_one_for_a_moment(clone: Clone) -> None:
    (clone.programs / "uv").unlink()
    done = clone.run("run", NO_PIP="1")
    assert done.returncode == 0, done.stderr
    venv, pip, *others = clone.calls
    assert venv == "venv: -m venv .choco/pip.part"
    assert pip.startswith("pip: -m pip install ")
    assert others == [venv_call(clone), sync_call("run"), INSTALL_CALL]
    assert sorted(os.listdir(clone.root / ".choco")) == ["lock", "setup.log", "uv"]


def test_a_python_that_can_install_nothing_is_told_so(clone: Clone) -> None:
    (clone.programs / "uv").unlink()
    done = clone.run("run", NO_PIP="1", NO_ENSUREPIP="1")
    assert done.returncode == 3
    assert done.stderr.splitlines()[1:] == [
        f"choco: {clone.programs / 'python3'} has neither pip nor ensurepip: install one "
        "(on Debian: apt-get install python3-venv) or install uv"
    ]


def test_two_at_once_set_up_once(clone: Clone) -> None:
    gate = clone.root.parent / "gate"
    os.mkfifo(gate)
    held = os.open(gate, os.O_RDWR)  # until it is closed, the first one's sync does not end
    first = subprocess.Popen(clone.command("run"), env=clone.environment | {"WAIT_FOR": str(gate)})
    record = clone.programs.parent / "calls"
    while first.poll() is None and not (record.exists() and "sync" in record.read_text()):
        time.sleep(0.01)
    second = subprocess.Popen(
        clone.command("run"), env=clone.environment, stderr=subprocess.PIPE, text=True
    )
    assert second.stderr is not None
    waiting = second.stderr.readline()
    os.close(held)
    assert waiting == "choco: waiting for another ./choco to finish setting up\n"
    assert second.communicate()[1] == ""
    assert (first.wait(), second.returncode) == (0, 0)
    assert clone.calls == [venv_call(clone), sync_call("run"), INSTALL_CALL]
