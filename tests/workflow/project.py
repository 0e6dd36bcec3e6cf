"""A folder to run in, and the commands that a person would type there."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[2]


class Project:
    """A folder with the test configurations, and a mark of its processes.

    One worker computes for them unless a test asks for more: to start one takes longer than their tables.
    """

    def __init__(self, folder: Path, mark: str | None = None) -> None:
        self.folder = folder
        self.mark = mark or uuid.uuid4().hex
        for name in ("tiny.yaml", "slow.yaml", "proof.yaml", "claims.yaml"):
            shutil.copy(Path(__file__).parent / name, folder / name)
        clusters = folder / "config" / "clusters"
        clusters.mkdir(parents=True, exist_ok=True)
        (clusters / "local.yaml").write_text("kind: local\nworkers: 1\n", encoding="utf-8")
        path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])
        self.environment = {**os.environ, "PYTHONPATH": path, "CHOCO_TEST": self.mark}
        self.environment.pop("CHOCO_SCHEDULER", None)

    def copy(self, folder: Path) -> Project:
        """Return a project in another folder with all that is in this one."""
        folder.mkdir(parents=True, exist_ok=True)
        project = Project(folder)
        shutil.copytree(self.folder, folder, dirs_exist_ok=True, symlinks=True)
        return project

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start ``choco``; as in `./choco`, Ctrl-C waits until it is loaded."""
        return subprocess.Popen(
            ["env", "--block-signal=INT", sys.executable, "-m", "choco_pipeline", *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def on_a_terminal(self, *arguments: str) -> Screen:
        """Start ``choco`` on a terminal of its own, as its foreground job."""
        return Screen(
            [sys.executable, "-m", "choco_pipeline", *arguments], self.folder, self.environment
        )

    def choco(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run ``choco`` to its end, which must have this exit code."""
        return self._to_the_end([sys.executable, "-m", "choco_pipeline", *arguments], code)

    def snakemake(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run plain ``snakemake`` to its end."""
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            str(ROOT / "Snakefile"),
            *arguments,
        ]
        return self._to_the_end(command, code)

    def run(self, config: str, *options: str, code: int = 0, command: str = "run") -> Any:
        """Return the JSON document that ``choco run --json`` or another command prints."""
        return json.loads(self.choco(command, config, "--json", *options, code=code).stdout)

    def json(self, path: str) -> Any:
        """Return a document below ``results/``."""
        return json.loads((self.folder / "results" / path).read_text(encoding="utf-8"))

    def manifests(self) -> dict[str, Any]:
        """Return the finished shards by name."""
        names = [path.name for path in (self.folder / "results" / "tables").glob("*.done.json")]
        return {name: self.json(f"tables/{name}") for name in names}

    def digests(self) -> dict[str, str]:
        """Return the digest of every table of finished shards, by its id."""
        tables = (
            table for manifest in self.manifests().values() for table in manifest["tables"].items()
        )
        return {name: entry["digest"] for name, entry in tables}

    def journalled(self) -> int:
        """Return the number of tables that shards which are not finished have stored."""
        journals = (self.folder / "results" / "tables").glob("*.journal")
        unfinished = (one for one in journals if not one.with_suffix(".done.json").exists())
        return sum(len({*one.glob("*.json")} - {one / "header.json"}) for one in unfinished)

    def processes(self) -> list[psutil.Process]:
        """Return the processes that runs in this folder have started and that are alive."""
        found = []
        for process in psutil.process_iter():
            try:
                if (
                    process.environ().get("CHOCO_TEST") == self.mark
                    and process.status() != psutil.STATUS_ZOMBIE
                ):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def kill_all(self) -> None:
        """Kill these processes."""
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def _to_the_end(self, command: list[str], code: int) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done


class Screen:
    """A terminal with a program in its foreground."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        with warnings.catch_warnings():
            # Python warns of other threads, of which the program that starts here needs nothing.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid, self._terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {**environment, "TERM": "xterm", "COLUMNS": "120"})
        self._pid = pid
        self._shown = b""
        self._reader = threading.Thread(target=self._read)  # or the program waits for its screen
        self._reader.start()

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._terminal, keys)

    def to_the_end(self) -> tuple[str, int]:
        """Return all that was shown, and the exit code."""
        self._reader.join()
        os.close(self._terminal)
        _, status = os.waitpid(self._pid, 0)
        return self._shown.decode(), os.waitstatus_to_exitcode(status)

    def _read(self) -> None:
        try:
            while read := os.read(self._terminal, 1 << 16):
                self._shown += read
        except OSError:  # how Linux says that the other side has closed
            pass


def wait_for(condition: Callable[[], object], what: str, seconds: float = 300.0) -> None:
    """Wait until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"after {seconds} s: {what} has not happened"
        time.sleep(0.05)
