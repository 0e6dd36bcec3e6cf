"""Results of undisturbed runs, and what must be kept of killed ones."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tables.stores import chunks_of
from tests.workflow.project import Project

CONFIG = "kills.yaml"
#: Workers of a run, and blocks that each may have begun: one that is computed, and one that is stored.
WORKERS, BEGUN = 2, 2
OPTIONS = ("--json", "--workers", str(WORKERS))
#: A configuration with every stage in it, and none of its tables in blocks: one worker is enough, and starts sooner.
STAGES = "stages.yaml"
OPTIONS_OF = {CONFIG: OPTIONS, STAGES: ("--json",)}
#: What differs from run to run: seconds, digests over them, and which blocks were built in which run.
VARYING = ("seconds", "seconds_to_store", "blocks", "sha256")


def new_project(folder: Path) -> Project:
    project = Project(folder)
    for name in (CONFIG, STAGES):
        shutil.copy(Path(__file__).parent / name, folder)
    return project


def tables(project: Project) -> Path:
    return project.folder / "results" / "tables"


def stores(project: Project) -> dict[str, str]:
    """Return the digest of every file of tables except manifests."""
    return {
        path.relative_to(tables(project)).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in tables(project).rglob("*")
        if path.is_file() and not path.name.endswith(".done.json")
    }


def said(project: Project) -> dict[str, Any]:
    """Return the documents of all runs, without seconds and their digests."""
    results = project.folder / "results"
    found = [path for path in results.glob("*/**/*.json") if "ro-crate" not in path.parts]
    return {
        path.relative_to(results).as_posix(): without_seconds(
            {key: one for key, one in json.loads(path.read_text()).items() if key != "digest"}
        )
        for path in found
        if path.relative_to(results).parts[0] not in ("tables", "shards")
    }


def without_seconds(value: Any, varying: Collection[str] = VARYING) -> Any:
    """Return a document without the keys that differ from run to run.

    Certificates hold seconds, so of those that a record names with their digests only the names stay.
    """
    if isinstance(value, dict):
        named = value.get("certificates")
        value = value | {"certificates": sorted(named)} if isinstance(named, dict) else value
        return {k: without_seconds(one, varying) for k, one in value.items() if k not in varying}
    return [without_seconds(one, varying) for one in value] if isinstance(value, list) else value


def stored(project: Project) -> int:
    """Return the bytes in the folder of tables."""
    return sum(path.stat().st_size for path in tables(project).rglob("*") if path.is_file())


def blocks(project: Project) -> list[Path]:
    """Return the journal's documents of finished blocks."""
    return list(tables(project).glob("*.journal/*x*.json"))


def documents(project: Project) -> set[str]:
    """Return the documents of finished blocks, shards and stages."""
    found = set()
    for folder, inner, files in os.walk(project.folder / "results"):  # what vanishes is passed over
        inner[:] = [name for name in inner if not name.endswith(".zarr") and name[0] != "."]
        found |= {os.path.join(folder, name) for name in files if name.endswith(".json")}
    return found


def has_killed_proofs(project: Project) -> bool:
    """Whether a proof was given up after several kills."""
    records = (project.folder / "results").glob("*/prove/*.json")
    return any(json.loads(path.read_text()).get("killed") for path in records)


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing has disturbed."""

    config: str
    #: Digests of its files of tables, and their bytes together.
    stores: dict[str, str]
    bytes: int
    #: Ids of its tables.
    tables: set[str]
    #: Content of its documents.
    said: dict[str, Any]
    seconds: float

    @classmethod
    def by(cls, folder: Path, config: str) -> Undisturbed:
        """Run a configuration in a folder of its own."""
        project = new_project(folder)
        start = time.monotonic()
        project.choco("run", config, *OPTIONS_OF[config])
        seconds = time.monotonic() - start
        entries = {i: e for one in project.manifests().values() for i, e in one["tables"].items()}
        assert any("blocks" in entry for entry in entries.values()) == (config == CONFIG)
        made = stores(project), stored(project), set(entries), said(project)
        return cls(config, *made, seconds)


@dataclass
class Kept:
    """What is finished in a project: nothing of it may be computed again."""

    #: Names of manifests.
    finished: set[str] = field(default_factory=set)
    #: The record of each finished block of an unfinished large table, by shard and name; it holds seconds.
    blocks: dict[tuple[str, str], str] = field(default_factory=dict)
    #: What journals and manifests say of finished tables, by table; it holds seconds, too.
    entries: dict[str, dict] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project) -> Kept:
        """Return the finished work."""
        kept = cls(set(project.manifests()))
        for path in blocks(project):
            kept.blocks[path.parent.name, path.name] = path.read_text()
        for path in tables(project).glob("*.journal/*.json"):
            record = json.loads(path.read_text())
            if "entry" in record:
                kept.entries[path.stem] = record["entry"]
        for manifest in project.manifests().values():
            for i, entry in manifest["tables"].items():
                # Which blocks were kept is another matter if a build was asked for again.
                kept.entries[i] = {key: value for key, value in entry.items() if key != "blocks"}
        return kept

    def require_all_in(self, later: Kept, project: Project) -> None:
        """Check that all finished work is kept."""
        assert {i: self.entries[i] for i in self.entries.keys() & later.entries} == {
            i: later.entries[i] for i in self.entries.keys() & later.entries
        }
        # A Snakemake that is killed before it has seen the end of a job takes its manifest away, and asks for it again. That
        # of small tables leaves a record for each, that of the large one the records of its blocks: all that it said.
        for entry in (entry for i, entry in self.entries.items() if i not in later.entries):
            documents = [json.loads(text) for text in later.blocks.values()]
            chunks = {name: digest for one in documents for name, digest in one["chunks"].items()}
            assert chunks == entry["chunks"]
            for what in ("positions", "seconds", "seconds_to_store"):
                assert round(sum(one[what] for one in documents), 4) == entry[what]
        for shard in {shard for shard, _ in self.blocks}:
            mine = {name: text for (of, name), text in self.blocks.items() if of == shard}
            manifest = project.manifests().get(shard.replace(".journal", ".done.json"))
            if shard.replace(".journal", ".done.json") in self.finished:
                continue  # and the journal goes when the run ends
            if manifest is None:
                assert {name: later.blocks.get((shard, name)) for name in mine} == mine
            else:
                (entry,) = manifest["tables"].values()
                assert entry["blocks"]["kept"] == len(mine)


def require_little_begun(project: Project) -> None:
    """Check that only chunks in hand are missing in their journal."""
    for journal in tables(project).glob("*.journal"):
        if "table" not in json.loads((journal / "header.json").read_text()):
            continue  # of small tables
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
