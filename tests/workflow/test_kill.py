"""Ctrl-C, SIGTERM and kill -9: nothing finished is lost."""

import re
import signal

import psutil
import pytest
from filelock import FileLock

from choco_pipeline.documents.files import write_json
from tests.workflow.project import wait_for

pytestmark = pytest.mark.full

TABLES = 8


def stored(project):
    """Return the number of tables that are stored, in finished shards and others."""
    return project.journalled() + sum(len(one["tables"]) for one in project.manifests().values())


def caught_at_work(project):
    """Start a run, and return it after it has stored another table."""
    before = stored(project)
    started = project.start("run", "slow.yaml", "--json")
    wait_for(lambda: stored(project) > before or started.poll() is not None, "a stored table")
    assert started.poll() is None, started.communicate()
    return started


def require_nothing_left(project):
    assert project.processes() == []
    assert not (project.folder / "results" / ".dask").exists()


def require_goes_on(project, kept):
    """Check that the next run completes and computes nothing again that was stored."""
    reused = sum(len(one["tables"]) for one in project.manifests().values())
    done = project.run("slow.yaml")
    assert (done["status"], done["tables"], done["reused"]) == ("done", TABLES, reused)
    logs = [path.read_text() for path in (project.folder / "results/slow/log/build").iterdir()]
    from_journals = sum(int(number) for text in logs for number in re.findall(r"(\d+) kept", text))
    assert reused + from_journals >= kept > 0
    assert project.processes() == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run(project, number, code):
    started = caught_at_work(project)
    kept = stored(project)
    started.send_signal(number)
    out, err = started.communicate(timeout=600)
    assert started.returncode == code, err
    assert '"status": "interrupted"' in out
    assert "Traceback" not in err
    require_nothing_left(project)
    assert stored(project) >= kept
    if number == signal.SIGINT:
        require_goes_on(project, kept)


def test_killing_the_run_ends_everything_and_the_next_run_goes_on(project):
    started = caught_at_work(project)
    kept = stored(project)
    started.kill()
    _, err = started.communicate()
    assert "leaked" not in err
    wait_for(lambda: project.processes() == [], "the end of all processes", 15)
    require_goes_on(project, kept)


def test_killing_a_worker_does_not_matter(project):
    started = caught_at_work(project)
    commands = {one: " ".join(one.cmdline()) for one in project.processes()}
    workers = [one for one, command in commands.items() if "multiprocessing.spawn" in command]
    workers[0].kill()
    out, err = started.communicate(timeout=600)
    assert started.returncode == 0, err
    assert f'"tables": {TABLES}' in out
    assert stored(project) == TABLES
    assert project.processes() == []


def test_ctrl_c_on_a_terminal_reaches_every_process_and_only_the_run_answers(project):
    screen = project.on_a_terminal("run", "slow.yaml")
    wait_for(lambda: project.journalled() > 0, "a stored table")
    screen.press(b"\x03")
    text, code = screen.to_the_end()
    assert code == 130
    assert "tables" in text
    assert "Traceback" not in text
    assert "KeyboardInterrupt" not in text
    assert project.processes() == []


def snakemake_of(project):
    (found,) = [
        one
        for one in project.processes()
        if one.name() != "bash" and "snakemake" in one.cmdline()[1:4]
    ]
    return found


def test_a_second_signal_ends_it_at_once(project):
    started = caught_at_work(project)
    snakemake_of(project).suspend()  # so that it cannot end when it is asked to
    started.send_signal(signal.SIGINT)
    with pytest.raises(psutil.TimeoutExpired):
        psutil.Process(started.pid).wait(1)
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=20)
    assert started.returncode == 130
    assert "leaked" not in err
    require_nothing_left(project)


def test_a_snakemake_that_somebody_kills_is_a_failure_and_leaves_nothing(project):
    started = caught_at_work(project)
    snakemake_of(project).kill()
    out, err = started.communicate(timeout=600)
    assert started.returncode == 1
    assert '"status": "failed"' in out
    assert "SIGKILL" in err
    assert project.processes() == []


def test_a_second_run_and_a_plain_snakemake_are_not_disturbed(project):
    results = project.folder / "results"
    with FileLock(results / ".run.lock"):
        write_json(results / ".run.json", {"run": 4711})
        assert "4711" in project.choco("run", "tiny.yaml", code=2).stderr
    (results / ".run.json").unlink()
    locks = project.folder / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("results/shards/x.json\n")
    assert "snakemake --unlock" in project.choco("run", "tiny.yaml", code=2).stderr
    assert (locks / "0.input.lock").exists()
