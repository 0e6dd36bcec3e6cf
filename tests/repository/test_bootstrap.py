"""The script ./choco with stand-ins; `.ci/newcomer` has the real programs."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .stand_ins import OLD_PYTHON, make_clone, write_program

SHELLS = [shell for shell in ("sh", "dash", "bash") if shutil.which(shell)]

PACKAGE = "lib/python3.11/site-packages/a_package"
GNU_ENV = subprocess.run(["env", "--block-signal=INT", "true"], capture_output=True, check=False)


@pytest.fixture
def clone(tmp_path):
    return make_clone(tmp_path)


INSTALL_CALL = "uv: pip install --no-deps --build-constraints requirements/build.txt --editable ."


def sync_call(kind):
    constraints = "--build-constraints requirements/build.txt"
    return f"uv: pip sync --require-hashes {constraints} requirements/{kind}.txt"


def set_up_calls(clone, python="python3"):
    venv_call = f"uv: venv --python {clone.programs / python} .venv"
    return [venv_call, sync_call("run"), INSTALL_CALL]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "./choco COMMAND"),
        (("prove", "nim(2)", "-h"), "./choco COMMAND"),
        (("--version",), "choco 7.8.9\n"),
    ],
)
def test_a_question_is_answered_without_installing_anything(clone, words, said):
    (clone.root / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "7.8.9"\n')
    done = clone.run(*words)
    assert (done.returncode, done.stderr, clone.calls) == (0, "", [])
    assert said in done.stdout
    assert not (clone.root / ".venv").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_first_run_sets_up_and_the_second_is_quiet(clone, shell):
    unclean = {"PYTHONPATH": "x", "VIRTUAL_ENV": "x", "PYTHONDONTWRITEBYTECODE": "1"}
    for expected_calls, messages in ((set_up_calls(clone), 1), ([], 0)):
        words = ("value", "nim(2)", "1 2", "")
        done = clone.run(*words, shell=shell, cwd=clone.root.parent, **unclean)
        assert (done.returncode, len(done.stderr.splitlines())) == (0, messages)
        assert done.stdout.split("\n") == [
            "choco",
            str(clone.root.parent),
            str(clone.root / ".venv/bin"),
            *(*words, ""),
        ]
        assert clone.calls == expected_calls


@pytest.mark.parametrize("shell", SHELLS)
def test_it_is_found_through_links_and_without_standard_input(clone, shell):
    links = clone.root.parent / "links"
    links.mkdir()
    (links / "direct").symlink_to(Path("..") / clone.root.name / "choco")
    (links / "absolute").symlink_to(links / "direct")
    for name in ("direct", "./absolute"):
        command = [shutil.which("sh"), "-c", '"$0" "$1" run <&-', shutil.which(shell), name]
        done = subprocess.run(
            command, env=clone.environment, cwd=links, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[2:] == [str(clone.root / ".venv/bin"), "run"]
    assert (clone.root / ".venv").is_dir()


@pytest.mark.skipif(GNU_ENV.returncode != 0, reason="needs GNU's env")
def test_ctrl_c_waits_until_the_program_can_hear_it(clone):
    """Python answers it with a traceback while it starts."""
    tells = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    write_program(clone.programs.parent / "started", f"#!{sys.executable}\n{tells}\n")
    assert clone.run("version").stdout == "False\n"
    for name in ("env", "true"):
        (clone.programs / name).symlink_to(str(shutil.which(name)))
    assert clone.run("version").stdout == "True\n"


def test_the_development_packages_find_programs_where_there_is_no_which(clone):
    clone.run("test")
    which = [clone.root / ".venv/bin/which", "sacct"]
    assert subprocess.run(which, env=clone.environment, check=False).returncode
    (clone.programs / "sacct").symlink_to("/bin/sh")
    assert subprocess.check_output(which, env=clone.environment, text=True).endswith("/sacct\n")


def test_the_development_packages_are_also_enough_to_run(clone):
    assert clone.run("run").returncode == len(clone.calls) - 3 == 0
    done = clone.run("test", "--slow", "-k", "a b")
    started = ["pytest", str(clone.root), str(clone.root / ".venv/bin"), "--slow", "-k", "a b"]
    assert done.stdout.splitlines() == started
    assert clone.calls == [sync_call("dev"), INSTALL_CALL]
    assert (clone.run("run").stderr, clone.calls) == ("", [])
    append(clone, "requirements/dev.txt")
    clone.run("run")
    assert clone.calls == [sync_call("dev"), INSTALL_CALL]


def append(clone, name):
    with (clone.root / name).open("a") as file:
        file.write("# changed\n")


def interrupt_a_change(clone):
    """Change the lock file, kill the set-up, and undo the change."""
    lock = clone.root / "requirements/run.txt"
    before = lock.read_text()
    append(clone, "requirements/run.txt")
    assert clone.run("run", KILL_AT_SYNC="1").returncode == -signal.SIGKILL
    assert clone.calls == [sync_call("run")]
    lock.write_text(before)


def move(clone):
    clone.root = clone.root.rename(clone.root.with_name("moved"))


@pytest.mark.parametrize(
    ("change", "is_anew"),
    [
        (lambda clone: append(clone, "requirements/run.txt"), False),
        (lambda clone: append(clone, "pyproject.toml"), False),
        (interrupt_a_change, True),
        (move, True),
        (lambda clone: (clone.root / ".venv/bin/choco").unlink(), True),
        (lambda clone: (clone.root / ".venv" / PACKAGE).rmdir(), True),
    ],
    ids=["lock", "pyproject", "interrupted", "moved", "program lost", "package lost"],
)
def test_a_change_is_installed_once(clone, change, is_anew):
    assert clone.run("run").returncode == len(clone.calls) - 3 == 0
    change(clone)
    for calls in (set_up_calls(clone)[0 if is_anew else 1 :], []):
        assert clone.run("run").returncode == 0
        assert clone.calls == calls


def test_a_set_up_that_fails_or_is_killed_is_done_again(clone):
    assert clone.run("run", KILL_AT_SYNC="1").returncode == -signal.SIGKILL
    assert clone.calls == set_up_calls(clone)[:2]
    assert (clone.run("run").returncode, clone.calls) == (0, set_up_calls(clone))
    append(clone, "requirements/run.txt")
    for _ in range(2):
        failed = clone.run("run", NO_NETWORK="1")
        assert (failed.returncode, failed.stdout, len(failed.stderr.splitlines())) == (3, "", 2)
        assert str(clone.root / ".choco/setup.log") in failed.stderr
    assert "dns error" in (clone.root / ".choco/setup.log").read_text()
    assert clone.run("run").returncode == 0
    assert clone.run("run").stderr == ""


def test_an_old_python_is_refused_unless_there_is_another(clone):
    (clone.programs / "python3").rename(clone.programs / "kept")
    for found in ("no working python3", "Python 3.10.9"):
        done = clone.run("run")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"found {found}" in done.stderr
        write_program(clone.programs / "python3", OLD_PYTHON)
    assert not (clone.root / ".venv").exists()

    (clone.programs / "kept").rename(clone.programs / "python3.12")
    assert clone.run("run").returncode == 0
    assert clone.calls == set_up_calls(clone, "python3.12")


def test_choco_python_names_the_interpreter(clone):
    assert clone.run("run").returncode == len(clone.calls) - 3 == 0
    another = clone.programs / "another python"
    shutil.copy(clone.programs / "python3", another)
    for _ in range(2):
        assert clone.run("run", CHOCO_PYTHON=str(another)).returncode == 0
    assert clone.calls == set_up_calls(clone, another.name)
    assert clone.run("run").stderr == ""

    write_program(another.with_name("old"), OLD_PYTHON)
    done = clone.run("run", CHOCO_PYTHON=str(another.with_name("old")))
    assert (done.returncode, str(another.with_name("old")) in done.stderr) == (2, True)


def test_without_uv_the_locked_one_is_put_beside_the_project(clone):
    (clone.programs / "uv").unlink()
    assert clone.run("run", KILL_AT_PIP="1").returncode == -signal.SIGKILL
    (pip_call,) = clone.calls
    assert pip_call.startswith("pip: -m pip install ")
    assert "--require-hashes --no-deps --only-binary :all:" in pip_call
    assert pip_call.endswith("--target .choco/uv.part --requirement requirements/bootstrap.txt")
    assert not (clone.root / ".choco/uv").exists()

    done = clone.run("run")
    assert done.returncode == 0, done.stderr
    assert clone.calls == [pip_call, *set_up_calls(clone)]
    assert len(done.stderr.splitlines()) == 2
    assert os.listdir(clone.root / ".choco/uv/bin") == ["uv"]

    shutil.rmtree(clone.root / ".venv")
    assert clone.run("run").returncode == 0
    assert clone.calls == set_up_calls(clone)

    shutil.rmtree(clone.root / ".venv")
    (clone.root / "requirements/bootstrap.txt").write_text("uv==0.14\n")
    assert clone.run("run").returncode == 0
    assert clone.calls == [pip_call, *set_up_calls(clone)]


def test_a_python_without_pip_makes_one_for_a_moment(clone):
    (clone.programs / "uv").unlink()
    done = clone.run("run", NO_PIP="1")
    assert done.returncode == 0, done.stderr
    venv, pip, *others = clone.calls
    assert venv == "venv: -m venv .choco/pip.part"
    assert pip.startswith("pip: -m pip install ")
    assert others == set_up_calls(clone)
    assert sorted(os.listdir(clone.root / ".choco")) == ["lock", "setup.log", "uv"]


def test_a_python_that_can_install_nothing_is_told_so(clone):
    (clone.programs / "uv").unlink()
    done = clone.run("run", NO_PIP="1", NO_ENSUREPIP="1")
    assert (done.returncode, str(clone.programs / "python3") in done.stderr) == (3, True)


def test_two_at_once_set_up_once(clone):
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
    assert waiting.startswith("choco: waiting")
    assert second.communicate()[1] == ""
    assert (first.wait(), second.returncode) == (0, 0)
    assert clone.calls == set_up_calls(clone)
