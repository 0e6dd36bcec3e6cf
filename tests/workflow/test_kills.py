"""Killed at random moments, and on a full disk: the next run goes on, and the stores are those of an undisturbed one."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.tables.stores import chunks_of
from tests.workflow.project import Project, wait_for

pytestmark = pytest.mark.full

CONFIG = "kills.yaml"
#: Workers of a run, and blocks that each may have begun: one that is computed, and one that is stored.
WORKERS, BEGUN = 2, 2
RUN = ("run", CONFIG, "--json", "--workers", str(WORKERS))


def new_project(folder: Path) -> Project:
    project = Project(folder)
    shutil.copy(Path(__file__).parent / CONFIG, folder)
    return project


def tables(project: Project) -> Path:
    return project.folder / "results" / "tables"


def stores(project: Project) -> dict[str, str]:
    """Return the digest of every file in the folder of tables, but for the manifests: they hold seconds."""
    return {
        path.relative_to(tables(project)).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in tables(project).rglob("*")
        if path.is_file() and not path.name.endswith(".done.json")
    }


def stored(project: Project) -> int:
    """Return the bytes in the folder of tables."""
    return sum(path.stat().st_size for path in tables(project).rglob("*") if path.is_file())


def blocks(project: Project) -> list[Path]:
    """Return the journal's documents of the finished blocks of an unfinished large table."""
    return list(tables(project).glob("*.blocks/*x*.json"))


def is_large_finished(project: Project) -> bool:
    """Return whether the table in blocks is finished."""
    entries = (e for one in project.manifests().values() for e in one["tables"].values())
    return any("blocks" in entry for entry in entries)


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing has disturbed: its stores and their bytes, the ids of its tables, and the seconds that it took."""

    stores: dict[str, str]
    bytes: int
    tables: set[str]
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    project = new_project(tmp_path_factory.mktemp("undisturbed"))
    start = time.monotonic()
    project.choco(*RUN)
    seconds = time.monotonic() - start
    entries = [one["tables"] for one in project.manifests().values()]
    assert is_large_finished(project)
    ids = {i for table in entries for i in table}
    return Undisturbed(stores(project), stored(project), ids, seconds)


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return what decides when what is killed; ``--seed`` repeats a failure."""
    given = request.config.getoption("seed")
    seed = random.randrange(1 << 32) if given is None else int(given)
    print(f"repeat it with --seed {seed}")  # noqa: T201 -- pytest shows it when a test fails
    return seed


@dataclass
class Kept:
    """What is finished in a project: nothing of it may be computed again.

    Attributes
    ----------
    finished
        The names of manifests.
    blocks
        The journal's document of each finished block of an unfinished large table, by shard and name; it holds seconds.
    entries
        What journals and manifests say of finished tables, by table; it holds seconds, too.
    """

    finished: set[str] = field(default_factory=set)
    blocks: dict[tuple[str, str], str] = field(default_factory=dict)
    entries: dict[str, dict] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project) -> "Kept":
        """Return what is finished now."""
        kept = cls(set(project.manifests()))
        for path in blocks(project):
            kept.blocks[path.parent.name, path.name] = path.read_text()
        for path in tables(project).glob("*.partial.jsonl"):
            for line in path.read_text().splitlines():
                with suppress(ValueError):  # a torn one
                    done = json.loads(line)
                    kept.entries[done["id"]] = done["entry"]
        for manifest in project.manifests().values():
            for i, entry in manifest["tables"].items():
                # Which blocks were kept is another matter if a build was asked for again.
                kept.entries[i] = {key: value for key, value in entry.items() if key != "blocks"}
        return kept

    def require_all_in(self, later: "Kept", project: Project) -> None:
        """Check that what was finished is as it was, or in a large table that is finished since and kept it."""
        assert {i: self.entries[i] for i in self.entries.keys() & later.entries} == {
            i: later.entries[i] for i in self.entries.keys() & later.entries
        }
        # A Snakemake that is killed before it has seen the end of a job takes its manifest away, and asks for it again. That
        # of small tables leaves a line for each, that of the large one the documents of its blocks: all that it said.
        for entry in (entry for i, entry in self.entries.items() if i not in later.entries):
            documents = [json.loads(text) for text in later.blocks.values()]
            chunks = {name: digest for one in documents for name, digest in one["chunks"].items()}
            assert chunks == entry["chunks"]
            for what in ("positions", "seconds", "seconds_to_store"):
                assert round(sum(one[what] for one in documents), 4) == entry[what]
        for shard in {shard for shard, _ in self.blocks}:
            mine = {name: text for (of, name), text in self.blocks.items() if of == shard}
            manifest = project.manifests().get(shard.replace(".blocks", ".done.json"))
            if shard.replace(".blocks", ".done.json") in self.finished:
                continue  # and the journal goes when the run ends
            if manifest is None:
                assert {name: later.blocks.get((shard, name)) for name in mine} == mine
            else:
                (entry,) = manifest["tables"].values()
                assert entry["blocks"]["kept"] == len(mine)


def require_little_begun(project: Project) -> None:
    """Check that no more chunks are without their journal's document than the workers had in hand."""
    for journal in tables(project).glob("*.blocks"):
        known: set[str] = set()
        most = 1
        for path in journal.glob("*x*.json"):
            names = json.loads(path.read_text())["chunks"]
            known |= names.keys()
            most = max(most, len(names))
        store = journal.with_suffix(".zarr")
        found = {
            "/".join(path.relative_to(store).parts[2:])
            for path in chunks_of(store)
            if not path.name.endswith(".partial")
        }
        assert len(found - known) <= WORKERS * BEGUN * most, (found - known, most)


class Victim:
    """A project whose run is killed again and again."""

    def __init__(self, folder: Path, undisturbed: Undisturbed, chance: random.Random) -> None:
        self.folder = folder
        self.expected = undisturbed
        self.chance = chance
        self.rounds = 0
        self.hurt = 0
        self.history: list[str] = []
        self._begin()

    def kill(self, what: str) -> None:
        """Kill `what` at a random moment of a run; go on with the run, or start the next one."""
        if self.hurt == 2 and what in ("worker", "workers"):  # a task that loses three is given up
            what = "everything"
        while not self._reaches_its_moment():
            self.require_done()
            self._begin()
        self.history.append(what)
        getattr(self, f"_kill_{what}")()

    def require_done(self) -> None:
        """Check that the run comes to its end, and has made what an undisturbed one makes."""
        out, err = self.running.communicate()
        assert self.running.returncode == 0, (self.history, out, err)
        self.before.require_all_in(Kept.of(self.project), self.project)
        assert stores(self.project) == self.expected.stores, self.history
        made = {i for one in self.project.manifests().values() for i in one["tables"]}
        assert made == self.expected.tables
        assert self.project.processes() == []

    def end(self) -> None:
        """Kill what still runs."""
        for process in self.project.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def _begin(self) -> None:
        self.rounds += 1
        folder = self.folder / str(self.rounds)
        folder.mkdir()
        self.project = new_project(folder)
        self._start()

    def _start(self) -> None:
        self.before = Kept.of(self.project)
        self.hurt = 0
        self.running = self.project.start(*RUN)

    def _reaches_its_moment(self) -> bool:
        """Return whether the run is still there after some more blocks, or a random time.

        Blocks are built in a small part of the time, but it is there that most can be lost.
        """
        known = len(blocks(self.project))
        more = self.chance.randrange(1, 9)
        end = time.monotonic() + self.chance.uniform(0, 0.7 * self.expected.seconds)
        counts_blocks = self.chance.random() < 0.8 and not is_large_finished(self.project)
        while self.running.poll() is None:
            if counts_blocks:
                if len(blocks(self.project)) >= known + more or is_large_finished(self.project):
                    return True
            elif time.monotonic() > end:
                return True
            time.sleep(0.005)
        return False

    def _kill_worker(self) -> None:
        self._hurt(1)

    def _kill_workers(self) -> None:
        self._hurt(WORKERS)

    def _hurt(self, number: int) -> None:
        workers = [
            process
            for process in self.project.processes()
            if "multiprocessing.spawn" in " ".join(process.cmdline())
        ]
        for process in self.chance.sample(workers, min(number, len(workers))):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.hurt += 1

    def _kill_wrapper(self) -> None:
        self.running.kill()
        self._go_on()

    def _kill_everything(self) -> None:
        while processes := self.project.processes():
            self.chance.shuffle(processes)
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        self._go_on()

    def _go_on(self) -> None:
        self.running.communicate()
        wait_for(lambda: self.project.processes() == [], "the end of all processes", 30)
        self.before.require_all_in(Kept.of(self.project), self.project)
        require_little_begun(self.project)
        self._start()


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_again_and_again_makes_what_an_undisturbed_one_makes(
    tmp_path, undisturbed, seed, kills
):
    victim = Victim(tmp_path, undisturbed, random.Random(seed))
    kinds = ["worker", "wrapper", "everything", "workers"]
    try:
        for i in range(kills):
            victim.kill(kinds[i % len(kinds)])
        victim.require_done()
    finally:
        victim.end()
    assert len(victim.history) == kills


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Project]:
    """A project whose results lie on a disk of their own."""
    project = new_project(tmp_path)
    results = tmp_path / "results"
    results.mkdir()
    if os.geteuid() != 0:
        pytest.skip("a disk of its own needs root")
    command = ["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", str(results)]
    mounted = subprocess.run(command, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield project
    for process in project.processes():
        with suppress(psutil.NoSuchProcess):
            process.kill()
    wait_for(lambda: project.processes() == [], "the end of all processes", 30)
    subprocess.run(["umount", str(results)], check=True)


@pytest.mark.parametrize("times", [1, pytest.param(6, marks=pytest.mark.slow)])
def test_a_full_disk_is_said_in_one_line_and_loses_nothing(disk, undisturbed, seed, times):
    chance = random.Random(seed)
    results = disk.folder / "results"
    disk.choco("run", CONFIG, "--dry-run")  # the plan asks for room; then the room is taken away
    for _ in range(times):
        filler = results / "filler"
        left = undisturbed.bytes - stored(disk)
        room = chance.randrange(left // 10, left * 8 // 10)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(results).free - room)
        before = Kept.of(disk)
        done = subprocess.run(
            [sys.executable, "-m", "choco_pipeline", *RUN],
            cwd=disk.folder,
            env=disk.environment,
            capture_output=True,
            text=True,
        )
        filler.unlink()
        assert done.returncode in (1, 2), (room, done.stderr)
        assert "Traceback" not in done.stderr
        failures = json.loads(done.stdout).get("failures") or [json.loads(done.stdout)]
        for failure in failures:
            assert "bytes are free" in failure["error"], (room, failure)
            assert str(results) in failure["error"]
        before.require_all_in(Kept.of(disk), disk)
        assert disk.processes() == []
    before = Kept.of(disk)
    disk.choco(*RUN)
    before.require_all_in(Kept.of(disk), disk)
    assert stores(disk) == undisturbed.stores
