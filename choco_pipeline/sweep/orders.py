"""The jobs of a run: for each stage and sweep, its parts, each with everything that it needs to know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder, TableCheck
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.mining.mine_order import MineOrder, TableSearch
from choco_pipeline.proof.checker import checker_version
from choco_pipeline.proof.records import DecisionOrder, ProofOrder, StatementProofOrder
from choco_pipeline.provenance import (
    CLAIM_CODE,
    FINDING_CODE,
    MINING_CODE,
    PROOF_CODE,
    code_digest,
    digest,
)
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
from choco_pipeline.sweep.config import HeightBox
from choco_pipeline.sweep.expand import Planned
from choco_pipeline.sweep.paths import Paths
from choco_pipeline.sweep.proofs import STATEMENT_PARTS, Proofs, StatementPart, in_parts, shared_out

#: Stands for a sweep in the jobs on statements and height functions, which need no tables. A sweep has no underscore in its name.
WITHOUT_TABLES = "without_tables"
#: The questions about the height functions of a box.
ASKED_OF_HEIGHTS = ("grundy", "p-positions", "counts")
#: Most tables in one part of a job that searches them.
SEARCHED_TOGETHER = 4
#: MB of memory for the process that waits for a proof, and for each GiB that the proof may take.
WAITING_MB, GIB_MB = 500, 1074


class Part(TypedDict):
    """A part of a job, done by one task: a kind of work, the number of things in it, and its order."""

    work: str
    amount: int
    order: Mapping[str, Any]


@dataclass
class Job:
    """A stage of a sweep."""

    parts: list[Part] = field(default_factory=list)
    #: Sweeps that build its tables.
    needs: set[str] = field(default_factory=set)
    memory_mb: int = 0

    def add(self, work: Work, amount: int, order: Mapping[str, Any]) -> None:
        """Add a part."""
        self.parts.append({"work": work.name, "amount": amount, "order": order})

    def read(self, builder: str, memory: int) -> None:
        """Add a table that the job reads, by the sweep that builds it and the bytes of memory that reading takes."""
        self.needs.add(builder)
        self.memory_mb = max(self.memory_mb, -(-memory // 1_000_000))

    @property
    def amount(self) -> int:
        """The number of things in all parts."""
        return sum(part["amount"] for part in self.parts)

    @property
    def digest(self) -> str:
        """The digest of the parts."""
        return digest(self.parts)


def checks_of(tables: Sequence[Planned], catalogue: Catalogue) -> Iterator[tuple[str, TableCheck]]:
    """Yield the checks of claims on tables, each with its sweep: the first one that has the table."""
    largest: dict[str, int] = {}
    for planned in tables:
        ruleset = planned.spec.ruleset
        largest[ruleset] = max(planned.spec.bound, largest.get(ruleset, 0))
    decided: set[tuple[str, str, tuple[int, ...]]] = set()
    for planned in tables:
        spec = planned.spec
        for claim, parameters in catalogue.fitting(spec.ruleset, spec.quantity):
            # Without a table the definition decides, so the largest table stands for all.
            if not claim.check.reads_tables:
                case = (claim.id, spec.ruleset, tuple(parameters.values()))
                if spec.bound < largest[spec.ruleset] or case in decided:
                    continue
                decided.add(case)
            if planned.claims is None or claim.id in planned.claims:
                check = TableCheck(claim=claim.id, table=spec.table_id, parameters=parameters)
                yield planned.sweeps[0], check


def searches_of(tables: Iterable[Planned]) -> Iterator[tuple[str, TableSearch]]:
    """Yield the searches in tables, each with its sweep: the first one that asks for a search."""
    for planned in tables:
        if planned.mine:
            search = TableSearch(table=planned.spec.table_id, what=tuple(planned.mine))
            yield planned.mining[0], search


def statements_in_parts(catalogue: Catalogue) -> list[list[str]]:
    """Return the statements that need no table, by their ids, in the parts of a job."""
    ids = [claim.id for claim in catalogue.claims.values() if claim.pattern is None]
    return in_parts(ids, STATEMENT_PARTS)


class Orders:
    """Makes the orders of a run."""

    def __init__(
        self,
        paths: Paths,
        catalogue: Catalogue,
        shard_of: Mapping[str, str],
        builder_of: Mapping[str, str],
        memory_to_read: Mapping[str, int],
    ) -> None:
        """Take the shard of each table, the sweep that builds each shard, and the bytes that reading each table takes."""
        self._paths = paths
        self._catalogue = catalogue
        self._shard_of = shard_of
        self._builder_of = builder_of
        self._memory_to_read = memory_to_read
        self.jobs: defaultdict[tuple[Stage, str], Job] = defaultdict(Job)

    def check(self, checks: Iterable[tuple[str, TableCheck]]) -> None:
        """Add the checks of claims on tables, a part for each shard of a sweep."""
        for (sweep, shard), asked in self._by_shard(checks):
            order = CheckOrder(
                **dict(self._to_check(check.claim for check in asked)),
                manifest=self._paths.manifest(shard),
                checks=tuple(asked),
            )
            job = self._reading(Stage.CHECK, sweep, asked)
            job.add(CHECK, len(asked), order.model_dump(mode="json"))

    def check_statements(self, parts: Iterable[Sequence[str]]) -> None:
        """Add the checks of statements without tables."""
        for ids in parts:
            job = self.jobs[Stage.CHECK, WITHOUT_TABLES]
            job.add(CHECK_STATEMENTS, len(ids), self._to_check(ids).model_dump())

    def mine(self, searches: Iterable[tuple[str, TableSearch]]) -> None:
        """Add the searches in tables, in parts of a few tables each."""
        for (sweep, shard), asked in self._by_shard(searches):
            job = self._reading(Stage.MINE, sweep, asked)
            for i in range(0, len(asked), SEARCHED_TOGETHER):
                few = asked[i : i + SEARCHED_TOGETHER]
                order = MineOrder(
                    code=code_digest(MINING_CODE),
                    manifest=self._paths.manifest(shard),
                    searches=tuple(few),
                )
                job.add(MINE, len(few), order.model_dump(mode="json"))

    def mine_heights(self, box: HeightBox | None) -> list[Mapping[str, Any]]:
        """Add the questions about the height functions of a box, and return them."""
        named = dict(box or ())
        asked: list[Mapping[str, Any]] = [{"asked": w, **named} for w in ASKED_OF_HEIGHTS if box]
        for question in asked:
            order = {**question, "code": code_digest(FINDING_CODE)}
            self.jobs[Stage.MINE, WITHOUT_TABLES].add(MINE_HEIGHTS, 1, order)
        return asked

    def prove(self, wanted: Proofs) -> None:
        """Add the proofs of games, in parts of about the same work."""
        by_sweep: dict[str, list[Any]] = defaultdict(list)
        for proof in wanted:
            by_sweep[proof.sweep].append(proof)
        for sweep, proofs in by_sweep.items():
            job = self.jobs[Stage.PROVE, sweep]
            job.memory_mb = WAITING_MB + GIB_MB * max(proof.memory for proof in proofs)
            for part in shared_out(proofs):
                order = ProofOrder(
                    **self._to_decide(asked.claim for proof in part for asked in proof.claims),
                    proofs=tuple(part),
                )
                job.add(PROVE, len(part), order.model_dump())

    def prove_statements(self, parts: Iterable[StatementPart]) -> None:
        """Add the decisions on statements."""
        for part in parts:
            job = self.jobs[Stage.PROVE, WITHOUT_TABLES]
            job.memory_mb = WAITING_MB + GIB_MB * part.memory
            order = StatementProofOrder(
                **self._to_decide(part.claims),
                seconds=part.seconds,
                memory=part.memory,
                games=part.games,
            )
            job.add(PROVE_STATEMENTS, len(part.claims), order.model_dump())

    def _by_shard(self, asked: Iterable[tuple[str, Any]]) -> Iterator[tuple[tuple[str, str], Any]]:
        """Group checks or searches by sweep and shard, in their order."""
        groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for sweep, one in asked:
            groups[sweep, self._shard_of[one.table]].append(one)
        yield from groups.items()

    def _reading(self, stage: Stage, sweep: str, asked: Iterable[TableCheck | TableSearch]) -> Job:
        """Return a job that reads tables."""
        job = self.jobs[stage, sweep]
        for one in asked:
            builder = self._builder_of[self._shard_of[one.table]]
            job.read(builder, self._memory_to_read[one.table])
        return job

    def _to_check(self, ids: Iterable[str]) -> StatementOrder:
        return StatementOrder(
            code=code_digest(CLAIM_CODE),
            earlier=self._paths.verdicts.as_posix(),
            claims=self._claims(ids),
        )

    def _to_decide(self, ids: Iterable[str]) -> Mapping[str, Any]:
        order = DecisionOrder(
            code=code_digest(PROOF_CODE),
            checker=checker_version(),
            certificates=self._paths.certificates.as_posix(),
            claims=self._claims(ids),
        )
        return dict(order)

    def _claims(self, ids: Iterable[str]) -> Mapping[str, Mapping[str, Any]]:
        return {i: self._catalogue.claims[i].as_json() for i in sorted(set(ids))}
