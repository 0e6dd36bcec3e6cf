"""Planning a run: its tables, their shards and cost, its jobs and their orders.

Constants of time are in seconds on one core, rounded from measured runs (docs/performance.md, *Estimates*). They should be right
within a factor of two for a whole run, but not for a stage: a proof takes from a tenth of a second to its time limit.
"""

from __future__ import annotations

import heapq
import math
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder, TableCheck
from choco_pipeline.claims.language.catalogue import (
    Catalogue,
    load_catalogue,
    load_with_background,
)
from choco_pipeline.claims.language.claim import names_of
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ChocoError, LimitError, StoreError
from choco_pipeline.games.description import inside
from choco_pipeline.games.notation import read
from choco_pipeline.mining.table_findings import MineOrder, TableSearch
from choco_pipeline.proof.checker import checker_version
from choco_pipeline.proof.games.guess import QUANTITIES
from choco_pipeline.proof.records import (
    ClaimToDecide,
    GameToProve,
    ProofOrder,
    StatementProofOrder,
)
from choco_pipeline.provenance import (
    CLAIM_CODE,
    FINDING_CODE,
    MINING_CODE,
    PROOF_CODE,
    TABLE_CODE,
    code_digest,
    digest,
    file_digest,
)
from choco_pipeline.shipped import SHIPPED, project_file
from choco_pipeline.stages import (
    CHECK,
    CHECK_STATEMENTS,
    MINE,
    MINE_HEIGHTS,
    PROVE,
    PROVE_STATEMENTS,
    Stage,
    Work,
)
from choco_pipeline.sweep.config import Config, HeightBox, Prove
from choco_pipeline.sweep.expand import SweepTable, expand, load_config
from choco_pipeline.sweep.run_files import PROJECT, RESULTS, Paths, Plan, PlannedJob, read_plan
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
    config_path: Path, results: Path = RESULTS, *, write: bool, capacity: Capacity | None = None
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


#: Name in place of a sweep for jobs without tables, on statements and height functions. Names of sweeps have no underscores.
WITHOUT_TABLES = "without_tables"
#: The searches about the height functions of a box.
ASKED_OF_HEIGHTS = ("grundy", "p-positions", "counts")
#: Most tables in one part of a job that searches tables.
SEARCHED_TOGETHER = 4
#: MB of memory for the process that waits for a proof, and for each GiB of the proof's limit.
WAITING_MB, GIB_MB = 500, 1074
#: Expected seconds of a part of a sweep's proofs, so that several workers share them.
PART_SECONDS = 15.0
#: Units u for the expected time of a proof, 0.3 + (n/u)² seconds, where n is the largest number in its ruleset; roughly measured.
GRUNDY, WITH_PASSES, OTHERS = 3.0, 6.0, 25.0
#: Most parts of the statements without tables, and fewest statements of a part: starting a part's processes takes as long as
#: deciding a statement.
STATEMENT_PARTS, LEAST_STATEMENTS = 4, 20
#: Check of a claim on a table: fixed time, time for each byte of a small table, maximum of that, time for each byte of any table.
CHECK_LEAST, CHECK_BYTE, CHECK_MOST, CHECK_LARGE_BYTE = 0.002, 1e-7, 0.01, 7e-10
#: Check of a statement without tables.
STATEMENT = 0.04
#: Search in a table: fixed time, time for each byte, and most bytes, because only a corner of a large table is searched.
SEARCH, SEARCH_BYTE, SEARCH_MOST_BYTES = 0.07, 7e-9, 10_000_000
#: Search about the height functions of a box: fixed time, and time for each function.
HEIGHTS, HEIGHT_FUNCTION = 2.0, 0.001
#: Proof of a game: fixed time, and factor for `expected_seconds`, which is closer to the limit.
PROOF, PROOF_SHARE = 0.35, 0.07
#: Decision on a claim after a proof of its game; decision on a statement for all integers or parameters.
CLAIM, DECISION = 0.04, 0.2


class Part(TypedDict):
    """A part of a job, for one task: the kind and the amount of work, and the order."""

    work: str
    amount: int
    order: Mapping[str, Any]


@dataclass
class Job:
    """A job: a stage of a sweep."""

    parts: list[Part] = field(default_factory=list)
    #: The sweeps that build its tables.
    needs: set[str] = field(default_factory=set)
    memory_mb: int = 0
    #: Estimated seconds on one core.
    seconds: float = 0.0

    @property
    def planned(self) -> PlannedJob:
        """The job's entry in the plan."""
        return {
            "order": digest(self.parts),
            "amount": sum(part["amount"] for part in self.parts),
            "needs": sorted(self.needs),
            "memory_mb": self.memory_mb,
            "seconds": round(self.seconds, 3),
        }


class Orders:
    """The jobs of a run with their orders."""

    def __init__(
        self,
        paths: Paths,
        catalogue: Catalogue,
        tables: Sequence[SweepTable],
        shard_of: Mapping[str, str],
        builder_of: Mapping[str, str],
        box: HeightBox | None,
    ) -> None:
        """Plan the work on tables, on statements, and on the height functions of a box.

        `shard_of` has the shard of each table, and `builder_of` the sweep that builds each shard.
        """
        self._paths = paths
        self._catalogue = catalogue
        self._tables = {planned.spec.table_id: planned for planned in tables}
        self._shard_of = shard_of
        self._builder_of = builder_of
        self.jobs: defaultdict[tuple[Stage, str], Job] = defaultdict(Job)
        #: Number of claims that are checked on each table.
        self.checks: Counter[str] = Counter()
        self.proofs = proofs(tables, catalogue)
        self._check()
        self._mine()
        for what in ASKED_OF_HEIGHTS if box else ():
            assert box is not None
            order = {"asked": what, **dict(box), "code": code_digest(FINDING_CODE)}
            seconds = HEIGHTS + HEIGHT_FUNCTION * box.functions
            self._part(MINE_HEIGHTS, WITHOUT_TABLES, 1, seconds, order)
        if self.proofs:
            self._prove_statements()
        self._prove()

    def _part(
        self,
        work: Work,
        sweep: str,
        amount: int,
        seconds: float,
        order: Mapping[str, Any],
        *,
        tables: Iterable[SweepTable] = (),
        memory_mb: int = 0,
    ) -> None:
        """Add a part to a job; the part reads `tables`."""
        job = self.jobs[work.stage, sweep]
        job.parts.append({"work": work.name, "amount": amount, "order": order})
        job.seconds += seconds
        job.memory_mb = max(job.memory_mb, memory_mb)
        for table in tables:
            job.needs.add(self._builder_of[self._shard_of[table.spec.table_id]])
            job.memory_mb = max(job.memory_mb, -(-table.cost.memory_to_read // 1_000_000))

    def _check(self) -> None:
        """Add the checks of claims on tables, by shard, and of statements without tables."""
        planned = checks_of(self._tables.values(), self._catalogue)
        for (sweep, shard), checks in self._by_shard(planned):
            order = CheckOrder(
                **self._to_check(check.claim for check in checks),
                manifest=self._paths.manifest(shard),
                checks=tuple(checks),
            )
            tables = [self._tables[check.table] for check in checks]
            self.checks.update(check.table for check in checks)
            seconds = sum(
                CHECK_LEAST + min(CHECK_MOST, CHECK_BYTE * size) + CHECK_LARGE_BYTE * size
                for size in (table.cost.disk for table in tables)
            )
            document = order.model_dump(mode="json")
            self._part(CHECK, sweep, len(checks), seconds, document, tables=tables)
        claims = self._catalogue.claims.values()
        for ids in in_parts([c.id for c in claims if c.pattern is None], STATEMENT_PARTS):
            document = StatementOrder(**self._to_check(ids)).model_dump()
            self._part(CHECK_STATEMENTS, WITHOUT_TABLES, len(ids), STATEMENT * len(ids), document)

    def _mine(self) -> None:
        """Add the searches in tables, in parts of a few tables each."""
        searches = (
            (planned.mining, TableSearch(table=planned.spec.table_id, what=(*planned.mine,)))
            for planned in self._tables.values()
            if planned.mine
        )
        for (sweep, shard), group in self._by_shard(searches):
            for i in range(0, len(group), SEARCHED_TOGETHER):
                few = tuple(group[i : i + SEARCHED_TOGETHER])
                order = MineOrder(
                    code=code_digest(MINING_CODE),
                    manifest=self._paths.manifest(shard),
                    searches=few,
                )
                tables = [self._tables[search.table] for search in few]
                seconds = sum(
                    (SEARCH + SEARCH_BYTE * min(table.cost.disk, SEARCH_MOST_BYTES))
                    * len(table.mine)
                    for table in tables
                )
                document = order.model_dump(mode="json")
                self._part(MINE, sweep, len(few), seconds, document, tables=tables)

    def _prove(self) -> None:
        """Add the proofs of games, in parts with about equal work."""
        by_sweep: dict[str, list[GameToProve]] = defaultdict(list)
        for proof in self.proofs:
            by_sweep[proof.sweep].append(proof)
        for sweep, several in by_sweep.items():
            memory_mb = WAITING_MB + GIB_MB * max(proof.memory for proof in several)
            for part in balanced_parts(several):
                order = ProofOrder(
                    **self._to_decide(
                        decision.claim for proof in part for decision in proof.claims
                    ),
                    proofs=tuple(part),
                )
                seconds = sum(
                    PROOF + PROOF_SHARE * expected_seconds(proof) + CLAIM * len(proof.claims)
                    for proof in part
                )
                document = order.model_dump()
                self._part(PROVE, sweep, len(part), seconds, document, memory_mb=memory_mb)

    def _prove_statements(self) -> None:
        """Add the decisions on claims for all integers or for all parameters.

        The first part has all claims with `for_all`, because they may depend on each other. It takes longest. The other parts have
        the claims about infinitely many integers. The limits are the largest of all games.
        """
        limit_s = max(proof.seconds for proof in self.proofs)
        memory = max(proof.memory for proof in self.proofs)
        claims = sorted(self._catalogue.claims.values(), key=lambda claim: claim.id)
        for_all = [claim.id for claim in claims if claim.statement.for_all is not None]
        on_integers = [c.id for c in claims if c.is_about_integers and not c.is_finite]
        number = min(STATEMENT_PARTS, math.ceil(len(on_integers) / LEAST_STATEMENTS))
        for ids in [*([for_all] if for_all else []), *in_parts(on_integers, number)]:
            # With the games in its order, a part is repeated if a game file has changed.
            documents = (self._catalogue.claims[i].documents.items() for i in ids)
            games = dict(item for items in documents for item in items)
            order = StatementProofOrder(
                **self._to_decide(ids), seconds=limit_s, memory=memory, games=games
            )
            self._part(
                PROVE_STATEMENTS,
                WITHOUT_TABLES,
                len(ids),
                DECISION * len(ids),
                order.model_dump(),
                memory_mb=WAITING_MB + GIB_MB * memory,
            )

    def _by_shard(self, work: Iterable[tuple[str, Any]]) -> Iterator[tuple[tuple[str, str], Any]]:
        """Group checks or searches by sweep and shard, in their order."""
        groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for sweep, one in work:
            groups[sweep, self._shard_of[one.table]].append(one)
        yield from groups.items()

    def _to_check(self, ids: Iterable[str]) -> dict[str, Any]:
        earlier = self._paths.verdicts.as_posix()
        return {"code": code_digest(CLAIM_CODE), "earlier": earlier, "claims": self._claims(ids)}

    def _to_decide(self, ids: Iterable[str]) -> dict[str, Any]:
        return {
            "code": code_digest(PROOF_CODE),
            "checker": checker_version(),
            "certificates": self._paths.certificates.as_posix(),
            "claims": self._claims(ids),
        }

    def _claims(self, ids: Iterable[str]) -> Mapping[str, Mapping[str, Any]]:
        return {i: self._catalogue.claims[i].as_json() for i in sorted(set(ids))}


def checks_of(
    tables: Collection[SweepTable], catalogue: Catalogue
) -> Iterator[tuple[str, TableCheck]]:
    """Yield the checks of claims on tables, each with its table's first sweep."""
    largest: dict[str, int] = {}
    for planned in tables:
        ruleset = planned.spec.ruleset
        largest[ruleset] = max(planned.spec.bound, largest.get(ruleset, 0))
    seen: set[tuple[str, str, tuple[int, ...]]] = set()
    for planned in tables:
        spec = planned.spec
        for claim, parameters in catalogue.fitting(spec.ruleset, spec.quantity):
            # A check that reads no tables needs to run only once, for the largest table.
            if not claim.check.reads_tables:
                case = (claim.id, spec.ruleset, tuple(parameters.values()))
                if spec.bound < largest[spec.ruleset] or case in seen:
                    continue
                seen.add(case)
            if planned.claims is None or claim.id in planned.claims:
                check = TableCheck(claim=claim.id, table=spec.table_id, parameters=parameters)
                yield planned.sweeps[0], check


def proofs(tables: Sequence[SweepTable], catalogue: Catalogue) -> list[GameToProve]:
    """Return the games to prove, once for each relation, in the order of the tables."""
    requests: dict[tuple[str, Prove], list[SweepTable]] = defaultdict(list)
    for planned in tables:
        for relation in planned.prove:
            requests[planned.spec.ruleset, relation].append(planned)
    return [
        GameToProve(
            ruleset=ruleset,
            relation=relation,
            seconds=max(planned.prove_seconds for planned in several),
            memory=max(planned.prove_memory for planned in several),
            sweep=several[0].proving,
            parameters=several[0].parameters,
            claims=tuple(
                ClaimToDecide(claim=claim.id, parameters=parameters)
                for claim, parameters in catalogue.fitting(ruleset, QUANTITIES[relation])
                if claim.is_decidable
                and any(planned.claims is None or claim.id in planned.claims for planned in several)
                # A proof of the P-positions decides claims on P-positions.
                and not (
                    relation == "grundy"
                    and (ruleset, "p") in requests
                    and "p-positions" in claim.quantities
                )
            ),
        )
        for (ruleset, relation), several in requests.items()
    ]


def balanced_parts(chosen: Sequence[GameToProve]) -> list[list[GameToProve]]:
    """Distribute proofs over parts with about equal work.

    In order of decreasing cost, each proof is assigned to the part with the least work.
    """
    number = math.ceil(sum(map(expected_seconds, chosen)) / PART_SECONDS)
    parts: list[list[GameToProve]] = [[] for _ in range(min(number, len(chosen)))]
    loads = [(0.0, i) for i in range(len(parts))]
    for proof in sorted(chosen, key=expected_seconds, reverse=True):
        seconds, i = heapq.heappop(loads)
        parts[i].append(proof)
        heapq.heappush(loads, (seconds + expected_seconds(proof), i))
    return parts


def in_parts(ids: Iterable[str], number: int) -> list[list[str]]:
    """Distribute ids over at most `number` parts by digest.

    Therefore a new id does not move the others to different parts.
    """
    parts: dict[int, list[str]] = defaultdict(list)
    for claim_id in ids:
        parts[int(digest(claim_id), 16) % number].append(claim_id)
    return [parts[key] for key in sorted(parts)]


def expected_seconds(proof: GameToProve) -> float:
    """Return the expected seconds of a proof, at most its time limit."""
    ruleset = read(proof.ruleset)
    largest = max(map(abs, ruleset.integers), default=0)
    unit = WITH_PASSES if "with-pass" in names_of(ruleset) else OTHERS
    unit = GRUNDY if proof.relation == "grundy" else unit
    return min(proof.seconds, 0.3 + (largest / unit) ** 2)
