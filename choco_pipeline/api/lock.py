"""Lock of a results folder, and the remains of a killed run."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from choco_pipeline.api import supervise
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.sweep.run_files import SHARED

#: Snakemake's folder in the working directory, and its locks.
SNAKEMAKE = Path(".snakemake")
SNAKEMAKE_LOCKS = SNAKEMAKE / "locks"
#: Seconds for the processes of a killed run to end, which takes them one or two; a run beside them would write the same files.
GONE = 15.0


class BusyError(ChocoError):
    """Another process is working in the results folder."""


@contextmanager
def results_lock(results: Path) -> Iterator[Callable[[int], None]]:
    """Hold the results folder for one run.

    Snakemake's lock is removed if a killed run has left it. The yielded function takes the process id of the run's Snakemake, so
    that the next run knows whose lock it finds. Raises `BusyError` if another run or a plain ``snakemake``
    is working here; `StoreError` if a folder is another kind of file, or cannot be written to.
    """
    for place in (results, *(results / name for name in SHARED)):
        if os.path.lexists(place) and not place.is_dir():
            raise StoreError(f"{place}: no folder, and one is needed there")
    results.mkdir(parents=True, exist_ok=True)
    _require_snakemake_can_write()
    record = results / ".run.json"
    lock = FileLock(results / ".run.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        holder = _recorded(record, "run")
        run = "run" if holder is None else f"run (process {holder})"
        raise BusyError(
            f"{results}: another choco {run} is working here; wait until it ends"
        ) from None
    try:
        if (launcher := _recorded(record, "snakemake")) is not None:
            _await_end(launcher)
        if _snakemake_is_locked():
            _take_over(left_by_a_run=record.exists())
        write_json(record, {"run": os.getpid()})
        try:
            yield lambda snakemake: write_json(record, {"run": os.getpid(), "snakemake": snakemake})
        finally:
            if (
                not _snakemake_is_locked()
            ):  # otherwise the record tells the next run whose lock it is
                record.unlink(missing_ok=True)
    finally:
        lock.release()


def _require_snakemake_can_write() -> None:
    if os.path.lexists(SNAKEMAKE) and not SNAKEMAKE.is_dir():
        raise StoreError(f"{SNAKEMAKE}: no folder, and Snakemake needs one there")
    for place in filter(Path.is_dir, (SNAKEMAKE, *sorted(SNAKEMAKE.glob("*/")))):
        if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            raise StoreError(
                f"{place}: Snakemake cannot write there; it belongs to user {place.stat().st_uid}"
            )


def _recorded(record: Path, key: str) -> int | None:
    """Return a process id in the record of a run, if it is there."""
    try:
        return int(read_json(record)[key])
    except (StoreError, KeyError, TypeError, ValueError):
        return None


def _await_end(launcher: int) -> None:
    """Wait for the Snakemake of a killed run, which ends itself within seconds."""
    end = time.monotonic() + GONE
    while _is_launcher(launcher):
        if time.monotonic() > end:
            raise BusyError(
                f"a run that was killed is still there (process group {launcher}); end it first"
            )
        time.sleep(0.1)


def _is_launcher(pid: int) -> bool:
    """Whether a process is a launcher; systems use process ids again."""
    try:
        words = psutil.Process(pid).cmdline()
        return any(word.endswith(Path(supervise.__file__).name) for word in words)
    except psutil.Error:
        return False


def _snakemake_is_locked() -> bool:
    return SNAKEMAKE_LOCKS.is_dir() and any(SNAKEMAKE_LOCKS.iterdir())


def _take_over(*, left_by_a_run: bool) -> None:
    """Remove Snakemake's lock if it is ours; raise `BusyError` otherwise."""
    alive = _snakemake_here()
    if alive is not None:
        raise BusyError(
            f"snakemake (process {alive}) is working in this folder; wait until it ends"
        )
    if not left_by_a_run:
        raise BusyError(
            f"a snakemake that no longer runs on this machine has left its lock in {SNAKEMAKE_LOCKS};"
            " if none runs elsewhere, remove it with: snakemake --unlock"
        )
    shutil.rmtree(SNAKEMAKE_LOCKS)  # as `snakemake --unlock` does, which starts in two seconds


def _snakemake_here() -> int | None:
    """Process id of a Snakemake in the working directory, if any."""
    for process in psutil.process_iter(["pid", "cmdline"]):
        words = process.info["cmdline"] or []
        if not any(Path(word).name == "snakemake" for word in words[:4]):
            continue
        try:
            if Path(process.cwd()) == Path.cwd():
                return int(process.info["pid"])
        except (psutil.Error, OSError):
            continue
    return None


def bring_to_now(results: Path) -> int:
    """Give files from the future the present time, and return their number.

    The order of their times is lost, but the names of files hold everything that a run needs. Files in stores keep their times,
    because no rule names them.
    """
    now, changed = time.time(), 0
    for folder, inner, files in os.walk(results):
        inner[:] = [name for name in inner if not name.endswith(".zarr")]
        for path in (os.path.join(folder, name) for name in files):
            with suppress(FileNotFoundError):  # a killed run may still be removing files
                if os.lstat(path).st_mtime > now:
                    os.utime(path, (now, now), follow_symlinks=False)
                    changed += 1
    return changed
