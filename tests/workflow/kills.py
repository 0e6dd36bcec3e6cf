"""Runs that are killed at random: ``python -m tests.workflow.kills COUNT``.

Whatever is killed, the next run goes on, computes nothing again that was finished, and what it stores and says is, byte for
byte but for seconds, what a run stores and says that nothing has disturbed.

To start a run costs more than most of what is lost by a kill. So kills come in chains, several of most runs and up to `CHAIN`
of one folder, and at the end of each chain a run is left in peace and compared.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path

import psutil

from tests.workflow.kept import (
    CONFIG,
    OPTIONS_OF,
    STAGES,
    WORKERS,
    Kept,
    Undisturbed,
    documents,
    has_killed_proofs,
    new_project,
    require_little_begun,
    said,
    stores,
)
from tests.workflow.project import wait_for

#: Exit codes of a run that Ctrl-C has ended: the first one in order, or before anything was there to be ended.
INTERRUPTED = (130, -signal.SIGINT)
#: Seconds after which a run that should end has hung.
HANGS = 900
#: Kills before a run is left in peace.
CHAIN = 25


class Victim:
    """A configuration whose run is killed again and again."""

    def __init__(self, folder: Path, expected: Undisturbed, chance: random.Random) -> None:
        self.folder = folder
        self.expected = expected
        self.chance = chance
        self.starts = 0
        self.finished = 0
        self.history: list[str] = []
        self._begin()

    def kill(self, what: str) -> None:
        """Kill `what` at a random moment; go on, or start the next run."""
        if what in ("worker", "workers") and self.hurt == 2 and not self.may_fail:
            what = "everything"  # a task that loses three is given up
        while True:
            if not self._reaches_its_moment():
                self._follow_to_the_end()
                if not self.project.folder.exists():
                    self._begin()
            elif KINDS[what](self):
                break
        self.history.append(what)

    def require_done(self) -> None:
        """Check that the run ends with an undisturbed run's results."""
        while self.project.folder.exists():
            self._follow_to_the_end()

    def end(self) -> None:
        """Kill what still runs."""
        self.project.kill_all()
        self.running.communicate()

    def _begin(self) -> None:
        folder = self.folder / str(self.finished)
        folder.mkdir()
        self.project = new_project(folder)
        self._start()

    def _start(self) -> None:
        self.starts += 1
        self.dask = self.project.folder / "results" / ".dask"
        self.left = changed_at(self.dask)
        self.before = Kept.of(self.project)
        self.hurt, self.may_fail = 0, False
        self.running = self.project.start(
            "run", self.expected.config, *OPTIONS_OF[self.expected.config]
        )

    def _follow_to_the_end(self) -> None:
        """Wait for the end of the run, and compare its results or start the next."""
        out, err = self.running.communicate(timeout=HANGS)
        self._require_quiet(err)
        self._require_nobody()
        self.before.require_all_in(Kept.of(self.project), self.project)
        if self.may_fail and (self.running.returncode == 1 or has_killed_proofs(self.project)):
            self._start()
            return
        assert self.running.returncode == 0, (self.history, out, err)
        assert stores(self.project) == self.expected.stores, self.history
        found, expected = said(self.project), self.expected.said
        other = {name for name in found | expected if found.get(name) != expected.get(name)}
        assert other == set(), self.history
        made = {i for one in self.project.manifests().values() for i in one["tables"]}
        assert made == self.expected.tables
        shutil.rmtree(self.project.folder)
        self.finished += 1

    def _require_quiet(self, err: str) -> None:
        for word in ("Traceback", "leaked"):
            assert word not in err, (self.history, err)

    def _require_nobody(self) -> None:
        left = [process.as_dict(["pid", "ppid", "cmdline"]) for process in self.project.processes()]
        assert left == [], (self.history, left)

    def _reaches_its_moment(self) -> bool:
        """Whether the run is still there at a random moment.

        Most is lost where something has just been written, or is being written: so some moments come after the run has
        finished some more. But most come soon after the start or the last kill, and what costs most is not begun again.
        """
        known, more = documents(self.project), self.chance.randrange(1, 4)
        part = self.chance.choices([0.15, 0.7], [9, 1])[0]
        end = time.monotonic() + self.chance.uniform(0, part * self.expected.seconds)
        counts = self.chance.random() < 0.3
        while self.running.poll() is None:
            if counts and len(documents(self.project) - known) >= more:
                time.sleep(self.chance.choice([0, self.chance.random()]))
                return self.running.poll() is None
            if not counts and time.monotonic() > end:
                return True
            time.sleep(0.01)
        return False

    def _hurt(self, number: int) -> bool:
        workers = self._processes("multiprocessing.spawn")
        self.hurt += bool(workers)
        return self._end_all(self.chance.sample(workers, min(number, len(workers))))

    def _kill_some(self) -> bool:
        """Kill any of the processes, perhaps with the one that a person has started."""
        processes = self.project.processes()
        self.may_fail = True
        chosen = self.chance.sample(processes, self.chance.randrange(1, len(processes) + 1))
        self._end_all(chosen)
        if self.running.pid in [process.pid for process in chosen]:
            self._go_on()
        return True

    def _kill_wrapper(self) -> bool:
        self.running.kill()
        self._go_on()
        return True

    def _kill_everything(self) -> bool:
        while processes := self.project.processes():
            self.chance.shuffle(processes)
            self._end_all(processes)
        self._go_on()
        return True

    def _interrupt(self, pauses: list[float]) -> bool:
        if self.may_fail:
            # What was killed in it may end it before Ctrl-C is heard: then it says that, and not 130.
            return False
        # What a run has left that was killed is removed when the next one has the folder for itself, and not before.
        if self.left is not None:
            wait_for(lambda: changed_at(self.dask) != self.left, "the end of what was left")
        self.running.send_signal(signal.SIGINT)
        for pause in pauses:
            time.sleep(pause)
            self.running.send_signal(signal.SIGINT)
        self.running.communicate(timeout=HANGS)  # until nobody holds its output open
        assert self.running.returncode in INTERRUPTED, (self.history, self.running.returncode)
        self._require_nobody()
        assert not self.dask.exists(), self.history
        self._go_on()
        return True

    def _fail(self, processes: list[psutil.Process]) -> bool:
        """Kill processes without which the run fails, and return whether there were any."""
        self.may_fail |= bool(processes)
        return self._end_all(processes)

    def _jobs(self) -> list[psutil.Process]:
        jobs = [p for p in self._processes("-m choco_pipeline") if p.pid != self.running.pid]
        self.chance.shuffle(jobs)
        return jobs

    def _processes(self, words: str) -> list[psutil.Process]:
        """Return the run's processes with these words, except waiting shells."""
        found = []
        for process in self.project.processes():
            with suppress(psutil.NoSuchProcess):
                if words in " ".join(process.cmdline()[:6]) and process.name() != "bash":
                    found.append(process)
        return found

    def _end_all(self, processes: list[psutil.Process]) -> bool:
        """Kill processes, and return whether there were any."""
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return bool(processes)

    def _go_on(self) -> None:
        """Wait for the end of all processes, and start the next run."""
        _, err = self.running.communicate()
        self._require_quiet(err)
        wait_for(lambda: self.project.processes() == [], "the end of all processes", 30)
        self.before.require_all_in(Kept.of(self.project), self.project)
        require_little_begun(self.project)
        self._start()


def changed_at(place: Path) -> int | None:
    """Return when a folder was changed last, in nanoseconds; None if there is none."""
    return place.stat().st_ctime_ns if place.exists() else None


#: What can be killed; "interrupted" is Ctrl-C. Each returns whether there was anything to kill.
KINDS: Mapping[str, Callable[[Victim], bool]] = {
    "worker": lambda victim: victim._hurt(1),
    "workers": lambda victim: victim._hurt(WORKERS),
    "job": lambda victim: victim._fail(victim._jobs()[:1]),
    "jobs": lambda victim: victim._fail(victim._jobs()),
    "snakemake": lambda victim: victim._fail(victim._processes("-m snakemake")),
    "some": Victim._kill_some,
    "wrapper": Victim._kill_wrapper,
    "everything": Victim._kill_everything,
    "interrupted": lambda victim: victim._interrupt([]),
    "interrupted_twice": lambda victim: victim._interrupt([victim.chance.uniform(0, 1.0)]),
}
#: The order of the program below: most runs lose jobs and workers before they are ended, and some are ended while they start.
ORDER = (
    *("job", "worker", "jobs", "wrapper", "everything"),
    *("workers", "job", "worker", "snakemake", "some"),
    *("job", "workers", "jobs", "interrupted", "interrupted_twice"),
    *("worker", "job", "jobs", "everything", "wrapper"),
)


def main(arguments: list[str]) -> int:
    """Kill two kinds of runs in chains, and count."""
    options = argparse.ArgumentParser(prog="python -m tests.workflow.kills")
    options.add_argument("count", type=int, help="kills")
    options.add_argument("kinds", nargs="*", metavar="kind", help=f"of {', '.join(KINDS)}")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args(arguments)
    # A job in the background ignores it, and so would all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance, kinds = random.Random(given.seed), cycle(given.kinds or ORDER)
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    expected = {}
    for config in (CONFIG, STAGES):
        (folder / config).mkdir()
        expected[config] = Undisturbed.by(folder / config, config)
    kills: Counter[str] = Counter()
    for chain, first in enumerate(range(0, given.count, CHAIN)):
        config = (CONFIG, STAGES)[chain % 2]
        place = folder / str(chain)
        place.mkdir()
        victim = Victim(place, expected[config], chance)
        try:
            for what in islice(kinds, min(CHAIN, given.count - first)):
                victim.kill(what)
            victim.require_done()
        finally:
            victim.end()
            kills.update(victim.history)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            sys.stdout.write(
                f"{config}: {len(victim.history):,} kills, {victim.starts:,} starts, {victim.finished:,} runs to the end;"
                f" {kills.total():,} kills and {used.ru_utime + used.ru_stime:.0f} s of processors so far\n"
            )
            sys.stdout.flush()
        shutil.rmtree(place)
    sys.stdout.writelines(f"  {what}: {number:,}\n" for what, number in sorted(kills.items()))
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
