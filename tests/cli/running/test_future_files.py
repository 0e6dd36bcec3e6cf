"""Files that are from the future are brought to the present, all to the same moment."""

import os
import time
from pathlib import Path

from choco_pipeline.cli.running.lock import bring_to_now


def test_files_from_the_future_become_of_one_age_and_others_stay(tmp_path: Path) -> None:
    future, past = time.time() + 1e6, 1e9
    names = ("plan.json", "tables/a.done.json", "tables/old.done.json", "tables/a.zarr/c/0")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (past if "old" in name else future,) * 2)
    (tmp_path / "nowhere").symlink_to("nothing")
    assert bring_to_now(tmp_path) == 2
    plan, manifest, old, chunk = ((tmp_path / name).stat().st_mtime for name in names)
    assert plan == manifest <= time.time()
    assert (old, chunk) == (past, future)
    assert bring_to_now(tmp_path) == 0
