"""Ctrl-C, SIGTERM and kill -9: nothing is left running, nothing finished is lost, and the next run goes on."""

import re
import signal
from contextlib import suppress

import psutil
import pytest
from filelock import FileLock

from choco_pipeline.documents.files import write_json
from tests.workflow.project import Project, wait_for

pytestmark = pytest.mark.full

TABLES = 8


def kept_from_journals(project: Project) -> int:
    logs = [path.read_text() for path in (project.folder / "results/slow/log/build").iterdir()]
    return sum(int(number) for text in logs for number in re.findall(r"(\d+) kept", text))


def caught_at_work(project: Project):
    """Start a run and return it when some table of an unfinished shard is stored."""
    started = project.start("run", "slow.yaml", "--json")
    wait_for(lambda: project.journalled() > 0 or started.poll() is not None, "a stored table")
    assert started.poll() is None, started.communicate()
    return started


def goes_on(project: Project, stored: int) -> None:
    """Check that the next run completes and computes again nothing that was stored."""
    whole = sum(len(document["tables"]) for document in project.manifests().values())
    done = project.run("slow.yaml")
    assert done["status"] == "done"
    assert done["tables"] == TABLES
    assert done["reused"] == whole
    assert whole + kept_from_journals(project) >= stored > 0
    assert project.processes() == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run(project, number, code):
    started = caught_at_work(project)
    stored = project.journalled()
    started.send_signal(number)
    out, err = started.communicate(timeout=600)
    assert started.returncode == code, err
    assert '"status": "interrupted"' in out
    assert "the same command goes on from there" in err
    assert "Traceback" not in err
    assert project.processes() == []
    assert not (project.folder / "results" / ".dask").exists()
    kept = project.journalled() + sum(len(one["tables"]) for one in project.manifests().values())
    assert kept >= stored
    if number == signal.SIGINT:
        goes_on(project, stored)


def test_ctrl_c_on_a_terminal_reaches_every_process_and_only_the_run_answers(project):
    screen = project.on_a_terminal("run", "slow.yaml")
    wait_for(lambda: project.journalled() > 0, "a stored table")
    screen.press(b"\x03")
    text, code = screen.to_the_end()
    assert code == 130
    assert "tables" in text
    assert "the same command goes on from there" in text
    assert "Traceback" not in text
    assert "KeyboardInterrupt" not in text
    assert project.processes() == []


def test_a_second_signal_ends_it_at_once(project):
    started = caught_at_work(project)
    for process in project.processes():
        if "snakemake" in process.cmdline():
            process.suspend()  # so that it cannot end when it is asked to
    started.send_signal(signal.SIGINT)
    with pytest.raises(psutil.TimeoutExpired):
        psutil.Process(started.pid).wait(1)
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=20)
    assert started.returncode == 130
    assert project.processes() == []
    assert not (project.folder / "results" / ".dask").exists()
    assert "leaked" not in err


def test_a_snakemake_that_somebody_kills_is_a_failure_and_leaves_nothing(project):
    started = caught_at_work(project)
    (snakemake,) = [
        one
        for one in project.processes()
        if one.name() != "bash" and "snakemake" in one.cmdline()[1:4]
    ]
    snakemake.kill()
    out, err = started.communicate(timeout=600)
    assert started.returncode == 1
    assert '"status": "failed"' in out
    assert "Snakemake was killed (SIGKILL)" in err
    assert project.processes() == []


def test_killing_the_run_ends_everything_and_the_next_run_goes_on(project):
    started = caught_at_work(project)
    stored = project.journalled()
    started.kill()
    _, err = started.communicate()
    assert "leaked" not in err
    wait_for(lambda: project.processes() == [], "the end of all processes", 15)
    goes_on(project, stored)


@pytest.mark.slow
def test_killing_what_removes_the_lock_of_a_killed_run_does_not_matter(project):
    caught = caught_at_work(project)
    while processes := project.processes():  # so that nobody is left to remove it
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
    caught.communicate()
    started = project.start("run", "slow.yaml", "--json")
    unlocking: list[psutil.Process] = []

    def is_unlocking() -> bool:
        unlocking[:] = [one for one in project.processes() if "--unlock" in one.cmdline()]
        return bool(unlocking) or started.poll() is not None

    wait_for(is_unlocking, "the end of the lock")
    unlocking[0].kill()
    _, err = started.communicate(timeout=600)
    assert started.returncode == 0, err


def test_killing_a_worker_does_not_matter(project):
    started = caught_at_work(project)
    workers = [
        process
        for process in project.processes()
        if "multiprocessing.spawn" in " ".join(process.cmdline())
    ]
    assert len(workers) >= 1
    workers[0].kill()
    out, err = started.communicate(timeout=600)
    assert started.returncode == 0, err
    assert f'"tables": {TABLES}' in out
    assert sum(len(document["tables"]) for document in project.manifests().values()) == TABLES
    assert project.processes() == []


def test_a_second_run_is_told_who_is_working(project):
    results = project.folder / "results"
    with FileLock(results / ".run.lock"):
        write_json(results / ".run.json", {"run": 4711})
        refused = project.choco("run", "tiny.yaml", code=2)
    assert (
        refused.stderr
        == "choco: results: another choco run (process 4711) is working here; wait until it ends\n"
    )


def test_the_lock_of_a_plain_snakemake_is_not_taken_away(project):
    locks = project.folder / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("results/shards/x.json\n")
    refused = project.choco("run", "tiny.yaml", code=2)
    assert "snakemake --unlock" in refused.stderr
    assert (locks / "0.input.lock").exists()
