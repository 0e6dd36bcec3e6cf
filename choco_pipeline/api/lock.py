"""The lock of a results folder, and recovery from a killed run."""

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
#: Time limit in seconds for the end of a killed run's processes; it takes one or two. Until then they write the same files.
GONE = 15.0


class BusyError(ChocoError):
    """Another process uses the results folder."""


@contextmanager
def results_lock(results: Path) -> Iterator[Callable[[int], None]]:
    """Lock the results folder for one run.

    Snakemake's lock is removed if it is left from a killed run. The yielded function records the process id of the run's Snakemake,
    by which the next run identifies such a lock. Raises `BusyError` if another run or a plain ``snakemake`` works here. Raises
    `StoreError` if a folder is another kind of file, or cannot be written to.
    """
    for place in (results, *(results / name for name in SHARED)):
        if os.path.lexists(place) and not place.is_dir():
            raise StoreError(f"{place}: must be a folder")
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
            if not _snakemake_is_locked():  # otherwise the next run needs the record
                record.unlink(missing_ok=True)
    finally:
        lock.release()


def _require_snakemake_can_write() -> None:
    if os.path.lexists(SNAKEMAKE) and not SNAKEMAKE.is_dir():
        raise StoreError(f"{SNAKEMAKE}: must be a folder; Snakemake needs it")
    for place in filter(Path.is_dir, (SNAKEMAKE, *sorted(SNAKEMAKE.glob("*/")))):
        if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            raise StoreError(
                f"{place}: Snakemake cannot write there; it belongs to user {place.stat().st_uid}"
            )


def _recorded(record: Path, key: str) -> int | None:
    """Return a process id from the record of a run; None if it is missing."""
    try:
        return int(read_json(record)[key])
    except (StoreError, KeyError, TypeError, ValueError):
        return None


def _await_end(launcher: int) -> None:
    """Wait for the end of a killed run's Snakemake, which takes a few seconds."""
    end, program = time.monotonic() + GONE, Path(supervise.__file__).name
    with suppress(psutil.Error):  # it has ended
        # Process ids are reused.
        while any(word.endswith(program) for word in psutil.Process(launcher).cmdline()):
            if time.monotonic() > end:
                raise BusyError(
                    f"a run that was killed is still there (process group {launcher}); end it first"
                )
            time.sleep(0.1)


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
            f"{SNAKEMAKE_LOCKS}: has a lock, but no snakemake runs on this machine;"
            " if none runs elsewhere, remove the lock with: snakemake --unlock"
        )
    shutil.rmtree(SNAKEMAKE_LOCKS)  # as `snakemake --unlock`, which takes two seconds


def _snakemake_here() -> int | None:
    """Return the process id of a Snakemake in the working directory, if any."""
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
    """Set future modification times to the present; return the number of files.

    The order of these times is lost, but a run does not need it. Files in stores are skipped, because no rule depends on them.
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
