"""Files that are older than they say, since the clock was set back: Snakemake takes nothing for finished that is made of them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path


def bring_to_now(results: Path) -> int:
    """Give all files of a results folder that are from the future the present time, and return how many there were.

    What was made of what is no longer told by their times, and need not be: what a run needs is in the names of its files.
    Files of stores keep theirs: no rule names them.
    """
    now, changed = time.time(), 0
    for folder, inner, files in os.walk(results):
        inner[:] = [name for name in inner if not name.endswith(".zarr")]
        for path in (os.path.join(folder, name) for name in files):
            with suppress(FileNotFoundError):  # what a run that was killed still takes away
                if os.lstat(path).st_mtime > now:
                    os.utime(path, (now, now), follow_symlinks=False)
                    changed += 1
    return changed
