"""The jobs of a run, one for each stage of each sweep.

The parts of a job run on the workers of a Dask cluster, or in this process. The record of a finished part has the digest of its order
as name, so that the part is not repeated. This module does not import NumPy, so that jobs on a cluster start fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from choco_pipeline.cluster.connect import Report, call_each, resolve
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import digest, file_digest
from choco_pipeline.stages import KILLED, UNITS, WORK, Stage
from choco_pipeline.sweep.run_files import Paths, Plan, read_plan


def run_job(plan_file: Path, stage: Stage, sweep: str, memory: int | None = None) -> dict[str, int]:
    """Run a stage of a sweep and write its result.

    `memory` is the limit in bytes for building a large table in this process, without a cluster. Return the numbers of tables
    computed and kept from an interrupted build, of checks, searches or proofs. Raises `StoreError` if the plan has no such job, or
    if its order or a table is missing or damaged.
    """
    plan, paths = read_plan(plan_file), Paths.of_plan(plan_file)
    job = plan["jobs"].get(stage, {}).get(sweep)
    if job is None:
        known = ", ".join(plan["jobs"].get(stage, ())) or "no job in this stage"
        raise StoreError(f"{plan_file}: stage {stage!s} has no job {sweep!r} (known: {known})")
    if stage is Stage.BUILD:
        counts = _build(plan, paths, sweep, memory)
        outcome: Mapping[str, Any] = {}
    else:
        file = paths.order(stage, sweep)
        parts = read_record(file)["parts"]
        if digest(parts) != job["order"]:
            raise StoreError(f"{file}: belongs to another plan; `choco run` writes it again")
        arguments = [(part, paths.part(digest(part)).as_posix()) for part in parts]
        outcome = _joined(call_each(f"{__name__}:do_part", arguments))
        counts = Counter({UNITS[stage]: job["amount"]})
    write_record(paths.outcome(stage, sweep), {"order": job["order"], **outcome})
    return dict(counts)


def do_part(part: Mapping[str, Any], file: str, report: Report) -> Mapping[str, Any]:
    """Run a part of a job; return its result, from its record if it is finished."""
    work, path = WORK[part["work"]], Path(file)
    with suppress(StoreError):
        known = read_record(path)
        if known["certificates"] == _certificates(known["outcome"]):
            report(work.stage, **{UNITS[work.stage]: part["amount"]})
            return dict(known["outcome"])
    outcome = resolve(f"choco_pipeline.{work.task}")(part["order"], report)
    if not outcome.get(KILLED):
        record = {"outcome": outcome, "certificates": _certificates(outcome)}
        write_record(path, record)
    return dict(outcome)


def _certificates(outcome: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the SHA-256 of each certificate of a result, None if it is missing."""
    answers = (*outcome.get("proofs", ()), *outcome.get("verdicts", ()))
    names = sorted({answer["certificate"] for answer in answers if answer.get("certificate")})
    return {name: file_digest(Path(name)) if Path(name).is_file() else None for name in names}


def _joined(outcomes: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge the results of parts by concatenating their lists."""
    joined: dict[str, Any] = {}
    for outcome in outcomes:
        for key, value in outcome.items():
            if isinstance(value, list | tuple):
                joined.setdefault(key, []).extend(value)
            else:
                joined[key] = joined.get(key) or value
    return joined


def _build(plan: Plan, paths: Paths, sweep: str, memory: int | None) -> Counter[str]:
    """Build the missing shards of a sweep; return the numbers of tables and blocks."""
    large = {table["shard"] for table in plan["tables"] if table["large"]}
    files = {
        shard: (paths.spec(shard).as_posix(), paths.manifest(shard).as_posix())
        for shard, builder in plan["shards"].items()
        if builder == sweep and not paths.manifest(shard).exists()
    }
    counts: Counter[str] = Counter()
    small = [files[shard] for shard in files if shard not in large]
    for built in call_each("choco_pipeline.tables.shard:build_shard", small):
        counts.update(built)
    for shard in (shard for shard in files if shard in large):
        counts.update(resolve("choco_pipeline.tables.wavefront:build_large")(*files[shard], memory))
    return counts
