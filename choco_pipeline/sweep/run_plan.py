"""The plan of a run: which tables, in which shards, at what cost, and which work orders follow from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from choco_pipeline.claims.language.catalogue import load_catalogue, load_with_background
from choco_pipeline.documents.record import read_record, write_record_if_changed
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.games.description import inside
from choco_pipeline.provenance import (
    FINDING_CODE,
    TABLE_CODE,
    code_digest,
    digest,
    file_digest,
)
from choco_pipeline.shipped import SHIPPED, project_file
from choco_pipeline.stages import (
    WORK,
)
from choco_pipeline.sweep.expand import Planned, expand, load_config
from choco_pipeline.sweep.orders import height_parts, standing_parts, table_orders, write_orders
from choco_pipeline.sweep.paths import PROJECT, RESULTS, Paths, orders_of
from choco_pipeline.sweep.plan_document import Plan, read_plan
from choco_pipeline.sweep.proofs import proofs, shared_out, statements
from choco_pipeline.sweep.room import (
    Capacity,
    object_store,
    require_disk_for,
    require_memory_for,
)
from choco_pipeline.tables.computing.cost import Cost, cost_of
from choco_pipeline.tables.specs.spec import FORMAT, Shard, TableSpec

#: New tables are cut into about this many shards, so that several workers share them.
PARTS = 6
#: Whatever their number is, a shard has at least so many tables or estimated seconds of work, beside which starting its jobs
#: costs little.
LEAST_TABLES, LEAST_SECONDS = 100, 1.3
#: It has at most so many, so that a kill costs little.
MOST_TABLES, MOST_SECONDS = 250, 4.0
#: A job that builds a large table by itself is given so many times the memory that it needs: for larger blocks.
ROOM_FOR_BLOCKS = 2
PLAN_CODE = (*FINDING_CODE, "documents")


def current_plan(
    config_path: Path, results: Path = RESULTS, *, capacity: Capacity | None = None
) -> Plan:
    """Return the plan of a configuration, made anew only if the configuration or the code has changed.

    Writes ``plan.json``, the specs of shards and the work orders for claims, statements, mining, proofs and height functions
    below `results`, each only if its content is new.

    Paths in the configuration start from the working directory. What will compute is this machine by default, which is asked only when
    the plan is made anew. Raises `ConfigError` if the configuration or a claims file has a mistake; `LimitError` if a table
    does not fit into a worker's memory.
    """
    known = _up_to_date(config_path, results)
    if known is None:
        return make_plan(config_path, results, write=True, capacity=capacity)
    if capacity is not None:
        paths = Paths(results, known["run"])
        missing = [t for t in known["tables"] if not paths.manifest(t["shard"]).exists()]
        require_memory_for(((t["ruleset"], t["bound"], t["memory"]) for t in missing), capacity)
    return known


def make_plan(
    config_path: Path,
    results: Path = RESULTS,
    *,
    write: bool,
    capacity: Capacity | None = None,
) -> Plan:
    """Return the plan of a configuration; with `write`, leave it and its work orders below `results`."""
    config, file = load_config(config_path)
    claims_files = [_claims_file(file, i, name) for i, name in enumerate(config.claims)]
    catalogue = load_catalogue(claims_files)
    load_with_background(
        claims_files
    )  # otherwise mistakes in it are found only at the end of the run
    for name, sweep in config.sweeps.items():
        for claim in sweep.claims if isinstance(sweep.claims, list) else []:
            if claim not in catalogue.claims:
                raise file.error(("sweeps", name, "claims"), catalogue.unknown(claim))
    tables = expand(config, file)
    costs = [cost_of(planned.game, planned.spec.bound, planned.spec.quantity) for planned in tables]
    url = object_store(file, config.tables)
    paths = Paths(results, config.run)
    shards, shard_of = _shards(tables, costs, paths, url)
    missing = [
        (planned.spec, cost)
        for planned, cost in zip(tables, costs, strict=True)
        if not paths.manifest(shard_of[planned.spec.table_id]).exists()
    ]
    require_memory_for(
        ((spec.ruleset, spec.bound, cost.memory) for spec, cost in missing),
        capacity or Capacity.of_this_machine(),
    )
    if url is None:
        require_disk_for([cost for _, cost in missing], results)
    checks, searches = table_orders(tables, catalogue, shard_of)
    standing = standing_parts(catalogue)
    wanted = proofs(tables, catalogue)
    parts = shared_out(wanted)
    decided = statements(wanted, catalogue)
    part_of = {
        (proof.ruleset, proof.relation): part for part, chosen in parts.items() for proof in chosen
    }
    heights = height_parts(config.height_functions)
    inputs = [project_file(config_path), *claims_files, *_files_of_games(tables)]
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
                "positions": cost.positions,
                "memory": cost.memory,
                "memory_of_job": cost.memory * (ROOM_FOR_BLOCKS if cost.large else 1),
                "memory_to_read": cost.memory_to_read,
                "bytes": cost.disk,
                "seconds": round(cost.seconds, 4),
                "large": cost.large,
            }
            for planned, cost in zip(tables, costs, strict=True)
        ],
        "shards": [shard.name for shard in shards],
        "check": [check.model_dump(mode="json") for asked in checks.values() for check in asked],
        "check_statements": [
            {"claim": claim_id, "part": part} for part, ids in standing.items() for claim_id in ids
        ],
        "mine": [search.model_dump(mode="json") for asked in searches.values() for search in asked],
        "prove": [
            {**proof.model_dump(mode="json"), "part": part_of[proof.ruleset, proof.relation]}
            for proof in wanted
        ],
        "prove_statements": [
            {"claim": claim_id, "part": part, "memory": order.memory}
            for part, order in decided.items()
            for claim_id in order.claims
        ],
        "mine_heights": [{**asked, "part": part} for part, asked in heights.items()],
    }
    if write:
        for shard in shards:
            write_record_if_changed(paths.spec(shard.name), shard.as_json())
        write_orders(paths, catalogue, checks, searches, standing, parts, decided, heights)
        write_record_if_changed(paths.plan, plan)
    return plan


def _up_to_date(config_path: Path, results: Path) -> Plan | None:
    """Return the stored plan if everything that it was made from is as it was."""
    content = YamlFile(project_file(config_path)).content
    run = content.get("run") if isinstance(content, dict) else None
    if not isinstance(run, str) or "/" in run or not (results / run / "plan.json").exists():
        return None
    try:
        plan = read_plan(results / run / "plan.json")
        paths = Paths(results, run)
        inputs = [Path(name) for name in plan["inputs"]]
        same = plan["config"] == config_path.as_posix() and plan["made_from"] == _inputs_digest(
            inputs
        )
        files = [paths.spec(shard) for shard in plan["shards"]]
        files += [
            paths.order(work, name) for work in WORK.values() for name in orders_of(plan, work)
        ]
        return plan if same and all(path.exists() for path in files) else None
    except (StoreError, KeyError, TypeError, OSError):
        return None


def _claims_file(file: YamlFile, i: int, name: str) -> Path:
    try:
        inside(PROJECT, name)
    except ChocoError as error:
        raise file.error(("claims", i), str(error)) from error
    path = project_file(PROJECT / name)
    if not path.is_file():
        raise file.error(
            ("claims", i), f"no such file: {name} (paths start from the folder that choco runs in)"
        )
    return path


def _files_of_games(tables: Sequence[Planned]) -> list[Path]:
    names = {name for planned in tables for name in planned.game.files}
    files = [project_file(PROJECT / name) for name in sorted(names)]
    return [path if path.is_file() else SHIPPED / path for path in files]


def _shards(
    tables: Sequence[Planned], costs: Sequence[Cost], paths: Paths, url: str | None
) -> tuple[list[Shard], dict[str, str]]:
    """Return the shards that hold the tables: finished ones as they are, new ones for what is missing."""
    kernels = code_digest(TABLE_CODE)
    wanted = {planned.spec.table_id for planned in tables}
    shards: dict[str, Shard] = {}
    shard_of: dict[str, str] = {}
    for shard in _finished(paths, kernels):
        for spec in shard.tables:
            if spec.table_id in wanted and spec.table_id not in shard_of:
                shard_of[spec.table_id] = shard.name
                shards[shard.name] = shard
    missing = [
        (p.spec, c) for p, c in zip(tables, costs, strict=True) if p.spec.table_id not in shard_of
    ]
    large = {spec.table_id for spec, cost in missing if cost.large}
    alone = [[spec] for spec, cost in missing if cost.large]
    together = _cut([(spec, cost.seconds) for spec, cost in missing if not cost.large])
    for specs in [*alone, *together]:
        ids = sorted(spec.table_id for spec in specs)
        content = {"format": FORMAT, "kernels": kernels, "tables": ids, "url": url}
        shard = Shard(digest(content), tuple(specs), url, large=not large.isdisjoint(ids))
        shards[shard.name] = shard
        shard_of |= dict.fromkeys(ids, shard.name)
    return list(shards.values()), shard_of


def _finished(paths: Paths, kernels: str) -> Iterator[Shard]:
    """Yield the shards that this code has already built, for whichever run."""
    for manifest in sorted(paths.results.glob("tables/*.done.json")):
        name = manifest.name.removesuffix(".done.json")
        try:
            if read_record(manifest)["kernels"] == kernels:
                yield Shard.from_json(read_record(paths.spec(name)))
        except (StoreError, KeyError, TypeError):
            continue  # not ours, or damaged: its tables are built again


def _cut(missing: Sequence[tuple[TableSpec, float]]) -> Iterator[list[TableSpec]]:
    """Yield the specs in batches, each of which becomes a shard."""
    total = sum(cost for _, cost in missing)
    most_tables = min(MOST_TABLES, max(LEAST_TABLES, math.ceil(len(missing) / PARTS)))
    most_seconds = min(MOST_SECONDS, max(LEAST_SECONDS, total / PARTS))
    batch: list[TableSpec] = []
    seconds = 0.0
    for spec, cost in missing:
        if batch and (len(batch) == most_tables or seconds >= most_seconds):
            yield batch
            batch, seconds = [], 0.0
        batch.append(spec)
        seconds += cost
    if batch:
        yield batch


def _inputs_digest(inputs: Sequence[Path]) -> str:
    # A game that came with the package may be described in this folder now.
    own = [path.relative_to(SHIPPED) if path.is_relative_to(SHIPPED) else path for path in inputs]
    files = [path if path.is_file() else SHIPPED / path for path in own]
    contents = [file_digest(path) for path in files]
    return digest({"format": FORMAT, "code": code_digest(PLAN_CODE), "inputs": contents})
