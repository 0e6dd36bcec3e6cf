"""Files of a small run with a flipped bit: noticed, or harmless."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import xarray as xr

from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import DamagedError, read_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import write_ledger
from choco_pipeline.tables.verification import verify_manifest
from tests.jobs import planned_run

CLAIMS = Path(__file__).parents[1] / "workflow" / "claims.yaml"
CONFIG = """
run: small
claims: [claims.yaml]
sweeps:
  step-bars: {ruleset: "step-bar(k=k)", parameters: {k: 1..2}, bound: 6, quantity: grundy}
  triangles: {ruleset: solid-bar(f=(x+z)//3), bound: 8, quantity: p-positions, mine: [value-sets]}
"""


@cache
def results() -> Path:
    """Return the results folder of a run that is made once."""
    folder = Path(mkdtemp(prefix="small-run-"))
    shutil.copy(CLAIMS, folder)
    (folder / "small.yaml").write_text(CONFIG, encoding="utf-8")
    here = Path.cwd()
    os.chdir(folder)
    try:
        _, paths = planned_run(Path("small.yaml"), Stage.BUILD, Stage.CHECK, Stage.MINE)
        # The ledger takes the journals away.
        journals = list(paths.results.glob("tables/*.journal"))
        for journal in journals:
            shutil.copytree(journal, journal.with_suffix(".kept"))
        write_ledger(str(paths.plan), str(paths.plan.with_name("ledger.json")), ignore)
        for journal in journals:
            journal.with_suffix(".kept").rename(journal)
    finally:
        os.chdir(here)
    return folder / "results"


def flipped(content: bytes, chance: random.Random) -> bytes:
    """Return the content with one bit turned."""
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


@contextmanager
def damaged_file(path: Path, chance: random.Random) -> Iterator[None]:
    """Damage a file for a moment."""
    sound = path.read_bytes()
    path.write_bytes(flipped(sound, chance))
    try:
        yield
    finally:
        path.write_bytes(sound)


def damage_a_document(chance: random.Random) -> None:
    """Damage a record: it is refused, or says the same."""
    path = chance.choice(documents())
    sound = read_record(path)
    with damaged_file(path, chance), suppress(DamagedError):
        assert read_record(path) == sound, f"{path} says something else"


def documents() -> list[Path]:
    """Return the records of the run, of all kinds."""
    inside_of_stores = results().glob("tables/*.zarr/**/*.json")
    return sorted({*results().rglob("*.json")} - {*inside_of_stores})


def damage_a_table(chance: random.Random) -> None:
    """Damage a file of a store: verification names it, or what is read is the same."""
    manifest = chance.choice(sorted(results().glob("tables/*.done.json")))
    store = manifest.with_name(manifest.name.replace(".done.json", ".zarr"))
    path = chance.choice(sorted(path for path in store.rglob("*") if path.is_file()))
    sound = _values(store)
    with damaged_file(path, chance):
        try:
            found = verify_manifest(str(manifest), 0, ignore)
        except ChocoError:
            return
        if all(table.wrong is None for table in found):
            same = all(a.identical(b) for a, b in zip(sound, _values(store), strict=True))
            assert same, f"{path} says something else"


def _values(store: Path) -> list[xr.Dataset]:
    """Return the tables of a store, read by xarray alone."""
    groups = sorted(path.name for path in store.iterdir() if path.is_dir())
    return [xr.open_zarr(store, group=group).load() for group in groups]
