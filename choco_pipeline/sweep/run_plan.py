"""Planning a run: its tables, their shards and cost, and its jobs."""

from __future__ import annotations

import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from choco_pipeline.claims.language.catalogue import load_catalogue, load_with_background
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ChocoError, LimitError, StoreError
from choco_pipeline.games.description import inside
from choco_pipeline.provenance import (
    FINDING_CODE,
    TABLE_CODE,
    code_digest,
    digest,
    file_digest,
)
from choco_pipeline.shipped import SHIPPED, project_file
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.config import Config
from choco_pipeline.sweep.expand import SweepTable, expand, load_config
from choco_pipeline.sweep.orders import Orders
from choco_pipeline.sweep.run_files import PROJECT, RESULTS, Paths, Plan, read_plan
from choco_pipeline.tables.computing import in_bytes
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.machine import cores, worker_memory
from choco_pipeline.tables.spec import FORMAT, Shard

#: Name of an empty object that is written and removed to test an object store.
PROBE = "choco-probe"


def require_object_store(plan: Plan, manifest: Callable[[str], Path]) -> None:
    """Raise `StoreError` unless the object store of this plan, if any, is writable.

    Otherwise each job would fail.
    """
    if plan["url"] is not None and not all(manifest(shard).exists() for shard in plan["shards"]):
        location = Location.of_url(plan["url"])
        location.write(PROBE, b"")
        location.remove(PROBE)


@dataclass(frozen=True)
class Capacity:
    """The workers that compute the tables of a plan."""

    #: Most parallel tasks.
    workers: int
    #: Memory limit of each in bytes; None if it is unknown, or if each task gets the memory that it needs.
    memory: int | None
    #: The source of this limit, for messages.
    whose: str

    @classmethod
    def of_this_machine(cls, workers: int | None = None) -> Capacity:
        """Return workers that share this machine's memory; by default one for each core."""
        workers = workers or cores()
        return cls(workers, worker_memory(workers), "this machine")


def require_memory_for(tables: Iterable[tuple[str, int, int]], capacity: Capacity) -> None:
    """Raise `LimitError` if a table does not fit into a worker's memory."""
    for ruleset, bound, memory in tables:
        if capacity.memory is not None and memory > capacity.memory:
            raise LimitError(
                f"{ruleset}: bound {bound} is too large: its table needs {in_bytes(memory)} of memory,"
                f" a worker has {in_bytes(capacity.memory)} ({capacity.whose})"
            )


def require_disk_for(tables: Sequence[SweepTable], results: Path) -> None:
    """Raise `LimitError` if tables do not fit on the disk of the folder `results`."""
    home = next(
        folder for folder in [results.absolute(), *results.absolute().parents] if folder.exists()
    )
    disk = shutil.disk_usage(home).free
    total = sum(planned.cost.disk for planned in tables)
    if total > disk:
        raise LimitError(
            f"{len(tables):,} tables need about {in_bytes(total)} on disk, {in_bytes(disk)} are free in {home}"
        )


#: Approximate number of shards for new tables, so that several workers share them.
PARTS = 6
#: Least tables or estimated seconds of a shard, so that the overhead of its task is small.
LEAST_TABLES, LEAST_SECONDS = 100, 1.3
#: Most tables and estimated seconds of a shard, so that little work is lost when a worker is killed.
MOST_TABLES, MOST_SECONDS = 250, 4.0
PLAN_CODE = (*FINDING_CODE, "documents")


def current_plan(
    config_path: Path, results: Path = RESULTS, *, capacity: Capacity | None = None
) -> Plan:
    """Return the plan of a configuration, from its file if that is up to date.

    A new plan is written to `results`: ``plan.json``, the specs of shards and the orders of jobs. Paths in the configuration are
    relative to the working directory. The default capacity is that of this machine. Raises `ConfigError` if the configuration or a
    claims file has a mistake. Raises `LimitError` if a table does not fit into a worker's memory.
    """
    known = _up_to_date(config_path, results)
    if known is None:
        return make_plan(config_path, results, write=True, capacity=capacity)
    paths = Paths(results, known["run"])
    if capacity is not None:
        missing = [t for t in known["tables"] if not paths.manifest(t["shard"]).exists()]
        require_memory_for(((t["ruleset"], t["bound"], t["memory"]) for t in missing), capacity)
    # Otherwise Snakemake would write the plan again if only the time of an input has changed.
    written = (path.stat().st_mtime_ns for path in map(Path, known["inputs"]) if path.is_file())
    if paths.plan.stat().st_mtime_ns < max(written, default=0):
        paths.plan.touch()
    return known


def make_plan(
    config_path: Path,
    results: Path = RESULTS,
    *,
    write: bool,
    capacity: Capacity | None = None,
) -> Plan:
    """Return the plan of a configuration; with `write`, write it and its orders."""
    config, file = load_config(config_path)
    claims_files = files_of_claims(config, file)
    catalogue = load_catalogue(claims_files)
    load_with_background(claims_files)  # its mistakes would otherwise end the run at a late stage
    for name, sweep in config.sweeps.items():
        for claim in sweep.claims if isinstance(sweep.claims, list) else []:
            if claim not in catalogue.claims:
                raise file.error(("sweeps", name, "claims"), catalogue.unknown(claim))
    tables = expand(config, file)
    try:
        url = None if config.tables is None else str(Location.of_url(config.tables))
    except StoreError as error:
        raise file.error(("tables",), str(error)) from None
    paths = Paths(results, config.run)
    shards, shard_of, builder_of = _shards(tables, paths, url)
    missing = [p for p in tables if not paths.manifest(shard_of[p.spec.table_id]).exists()]
    sizes = ((p.spec.ruleset, p.spec.bound, p.cost.memory) for p in missing)
    require_memory_for(sizes, capacity or Capacity.of_this_machine())
    if url is None:
        require_disk_for(missing, results)
    orders = Orders(paths, catalogue, tables, shard_of, builder_of, config.height_functions)
    built: dict[str, list[SweepTable]] = defaultdict(list)
    for planned in tables:
        built[builder_of[shard_of[planned.spec.table_id]]].append(planned)
    names = {name for planned in tables for name in planned.game.files}
    games = [project_file(PROJECT / name) for name in sorted(names)]
    games = [path if path.is_file() else SHIPPED / path for path in games]
    inputs = [project_file(config_path), *claims_files, *games]
    plan: Plan = {
        "format": FORMAT,
        "run": config.run,
        "title": config.title or config.run,
        "config": config_path.as_posix(),
        "inputs": [path.as_posix() for path in inputs],
        "claims_files": [path.as_posix() for path in claims_files],
        "made_from": _inputs_digest(inputs),
        "sweeps": {name: {"ruleset": sweep.ruleset} for name, sweep in config.sweeps.items()},
        "url": url,
        "tables": [
            {
                "id": planned.spec.table_id,
                "ruleset": planned.spec.ruleset,
                "bound": planned.spec.bound,
                "quantity": planned.spec.quantity,
                "identity": planned.spec.identity,
                "shard": shard_of[planned.spec.table_id],
                "sweeps": planned.sweeps,
                "parameters": planned.parameters,
                "positions": planned.cost.positions,
                "memory": planned.cost.memory,
                "memory_of_job": planned.memory_of_job,
                "bytes": planned.cost.disk,
                "seconds": round(planned.cost.seconds, 4),
                "large": planned.cost.large,
                "checks": orders.checks[planned.spec.table_id],
                "is_searched": bool(planned.mine),
            }
            for planned in tables
        ],
        "shards": builder_of,
        "jobs": {
            Stage.BUILD: {
                sweep: {
                    "order": digest(sorted({shard_of[p.spec.table_id] for p in several})),
                    "amount": len(several),
                    "needs": [],
                    "memory_mb": max(-(-p.memory_of_job // 1_000_000) for p in several),
                    "seconds": round(sum(p.cost.seconds for p in several), 3),
                }
                for sweep, several in built.items()
            },
            **{
                stage: {
                    sweep: job.planned for (of, sweep), job in orders.jobs.items() if of is stage
                }
                for stage in (Stage.CHECK, Stage.MINE, Stage.PROVE)
            },
        },
        "prove": [proof.model_dump(mode="json") for proof in orders.proofs],
    }
    if write:
        for name, shard in shards.items():
            write_record(paths.spec(name), shard.as_json())
        written = {paths.order(*key): job for key, job in orders.jobs.items()}
        for old in set((paths.folder / "orders").glob("*/*.json")) - set(written):
            old.unlink()
        for path, job in written.items():
            write_record(path, {"parts": job.parts})
        used = {paths.part(digest(part)) for job in orders.jobs.values() for part in job.parts}
        for old in set((paths.folder / "parts").glob("*.json")) - used:
            old.unlink()
        write_record(paths.plan, plan)
    return plan


def _up_to_date(config_path: Path, results: Path) -> Plan | None:
    content = YamlFile(project_file(config_path)).content
    run = content.get("run") if isinstance(content, dict) else None
    if not isinstance(run, str) or "/" in run or not (results / run / "plan.json").exists():
        return None
    try:
        plan = read_plan(results / run / "plan.json")
        paths = Paths(results, run)
        orders = (
            job["order"] == digest(read_record(paths.order(Stage(stage), sweep))["parts"])
            for stage, jobs in plan["jobs"].items()
            if stage != Stage.BUILD
            for sweep, job in jobs.items()
        )
        is_whole = all(paths.spec(shard).exists() for shard in plan["shards"]) and all(orders)
        return plan if is_whole and is_made_from(plan, config_path) else None
    except (StoreError, KeyError, TypeError, OSError):
        return None


def files_of_claims(config: Config, file: YamlFile) -> list[Path]:
    """Return a configuration's claims files, or raise `ConfigError`."""
    files = []
    for i, name in enumerate(config.claims):
        try:
            inside(PROJECT, name)
        except ChocoError as error:
            raise file.error(("claims", i), str(error)) from error
        files.append(project_file(PROJECT / name))
        if not files[-1].is_file():
            why = f"no such file: {name} (paths are relative to the folder in which choco runs)"
            raise file.error(("claims", i), why)
    return files


def _shards(
    tables: Sequence[SweepTable], paths: Paths, url: str | None
) -> tuple[dict[str, Shard], dict[str, str], dict[str, str]]:
    """Return the shards, each table's shard, and the sweep that builds each.

    Finished shards are kept. A new shard has tables of only one sweep.
    """
    kernels = code_digest(TABLE_CODE)
    wanted = {planned.spec.table_id for planned in tables}
    shards: dict[str, Shard] = {}
    shard_of: dict[str, str] = {}
    for manifest in sorted(paths.results.glob("tables/*.done.json")):
        try:
            if read_record(manifest)["kernels"] != kernels:
                continue
            spec_file = paths.spec(manifest.name.removesuffix(".done.json"))
            shard = Shard.from_json(read_record(spec_file))
        except (StoreError, KeyError, TypeError):
            continue  # damaged, or no shard: its tables are built again
        for spec in shard.tables:
            if spec.table_id in wanted and spec.table_id not in shard_of:
                shard_of[spec.table_id] = shard.name
                shards[shard.name] = shard
    missing: dict[str, list[SweepTable]] = defaultdict(list)
    for planned in tables:
        if planned.spec.table_id not in shard_of:
            missing[planned.sweeps[0]].append(planned)
    for several in missing.values():
        alone = [[planned] for planned in several if planned.cost.large]
        together = _cut([planned for planned in several if not planned.cost.large])
        for batch in [*alone, *together]:
            ids = sorted(planned.spec.table_id for planned in batch)
            content = {"format": FORMAT, "kernels": kernels, "tables": ids, "url": url}
            specs = tuple(planned.spec for planned in batch)
            shard = Shard(digest(content), specs, url, large=batch[0].cost.large)
            shards[shard.name] = shard
            shard_of |= dict.fromkeys(ids, shard.name)
    builder_of: dict[str, str] = {}
    for planned in tables:
        builder_of.setdefault(shard_of[planned.spec.table_id], planned.sweeps[0])
    return shards, shard_of, builder_of


def _cut(missing: Sequence[SweepTable]) -> Iterator[list[SweepTable]]:
    total = sum(planned.cost.seconds for planned in missing)
    most_tables = min(MOST_TABLES, max(LEAST_TABLES, math.ceil(len(missing) / PARTS)))
    most_seconds = min(MOST_SECONDS, max(LEAST_SECONDS, total / PARTS))
    batch: list[SweepTable] = []
    seconds = 0.0
    for planned in missing:
        if batch and (len(batch) == most_tables or seconds >= most_seconds):
            yield batch
            batch, seconds = [], 0.0
        batch.append(planned)
        seconds += planned.cost.seconds
    if batch:
        yield batch


def is_made_from(plan: Plan, config_path: Path) -> bool:
    """Whether a plan is that of the configuration, with its present inputs and code."""
    is_same = plan["config"] == config_path.as_posix()
    return is_same and plan["made_from"] == _inputs_digest(list(map(Path, plan["inputs"])))


def _inputs_digest(inputs: Sequence[Path]) -> str:
    # The project may now have its own file of a game that the package ships.
    own = [path.relative_to(SHIPPED) if path.is_relative_to(SHIPPED) else path for path in inputs]
    files = [path if path.is_file() else SHIPPED / path for path in own]
    contents = [file_digest(path) for path in files]
    return digest({"format": FORMAT, "code": code_digest(PLAN_CODE), "inputs": contents})
