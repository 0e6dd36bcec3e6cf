"""The jobs of a run: for each stage and sweep, its parts, each with everything that it needs to know."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from choco_pipeline.claims.check_orders import CheckOrder, StatementOrder, TableCheck
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import names_of
from choco_pipeline.games.notation import read
from choco_pipeline.mining.table_findings import MineOrder, TableSearch
from choco_pipeline.proof.checker import checker_version
from choco_pipeline.proof.games.guess import QUANTITIES
from choco_pipeline.proof.records import (
    ClaimToDecide,
    DecisionOrder,
    GameToProve,
    ProofOrder,
    StatementProofOrder,
)
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
from choco_pipeline.sweep.config import HeightBox, Prove
from choco_pipeline.sweep.expand import Planned
from choco_pipeline.sweep.run_files import Paths, PlannedJob, WorkLists

#: Stands for a sweep in the jobs on statements and height functions, which need no tables. A sweep has no underscore in its name.
WITHOUT_TABLES = "without_tables"
#: The questions about the height functions of a box.
ASKED_OF_HEIGHTS = ("grundy", "p-positions", "counts")
#: Most tables in one part of a job that searches them.
SEARCHED_TOGETHER = 4
#: MB of memory for the process that waits for a proof, and for each GiB that the proof may take.
WAITING_MB, GIB_MB = 500, 1074
#: The proofs of a sweep are cut into parts of about this many expected seconds, so that several workers share them.
PART_SECONDS = 15.0
#: A proof is expected to take 0.3 s and (n/this)² s, where n is the largest number in its ruleset: measured, roughly.
GRUNDY, WITH_PASSES, OTHERS = 3.0, 6.0, 25.0
#: Most parts of the statements that need no table, and the fewest statements that are worth a part: starting its processes takes
#: as long as deciding one.
STATEMENT_PARTS, LEAST_STATEMENTS = 4, 20


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

    @property
    def planned(self) -> PlannedJob:
        """The job in the plan."""
        return {
            "order": digest(self.parts),
            "amount": sum(part["amount"] for part in self.parts),
            "needs": sorted(self.needs),
            "memory_mb": self.memory_mb,
        }


class Orders:
    """The orders of a run, and the lists of its work."""

    def __init__(
        self,
        paths: Paths,
        catalogue: Catalogue,
        tables: Sequence[Planned],
        shard_of: Mapping[str, str],
        builder_of: Mapping[str, str],
    ) -> None:
        """Take the tables, the shard of each, and the sweep that builds each shard."""
        self._paths = paths
        self._catalogue = catalogue
        self._tables = {planned.spec.table_id: planned for planned in tables}
        self._shard_of = shard_of
        self._builder_of = builder_of
        self.jobs: defaultdict[tuple[Stage, str], Job] = defaultdict(Job)
        #: What the plan lists of each kind of work.
        self.work: WorkLists = {
            "check": [],
            "check_statements": [],
            "mine": [],
            "mine_heights": [],
            "prove": [],
            "prove_statements": [],
        }

    def add(self, box: HeightBox | None) -> None:
        """Add all work on tables, statements, and the height functions of a box."""
        tables = list(self._tables.values())
        self._check(list(checks_of(tables, self._catalogue)))
        self._check_statements()
        self._mine(
            [
                (planned.mining[0], TableSearch(table=planned.spec.table_id, what=(*planned.mine,)))
                for planned in tables
                if planned.mine
            ]
        )
        self._mine_heights(box)
        wanted = proofs(tables, self._catalogue)
        self._prove_statements(wanted)
        self._prove(wanted)

    def _part(
        self, work: Work, sweep: str, amount: int, order: Mapping[str, Any], memory_mb: int = 0
    ) -> Job:
        """Add a part to a job, and return the job."""
        job = self.jobs[work.stage, sweep]
        job.parts.append({"work": work.name, "amount": amount, "order": order})
        job.memory_mb = max(job.memory_mb, memory_mb)
        return job

    def _check(self, checks: Sequence[tuple[str, TableCheck]]) -> None:
        """Add the checks of claims on tables, a part for each shard of a sweep."""
        self.work["check"] = [check.model_dump(mode="json") for _, check in checks]
        for (sweep, shard), asked in self._by_shard(checks):
            order = CheckOrder(
                **dict(self._to_check(check.claim for check in asked)),
                manifest=self._paths.manifest(shard),
                checks=tuple(asked),
            )
            self._read(self._part(CHECK, sweep, len(asked), order.model_dump(mode="json")), asked)

    def _check_statements(self) -> None:
        """Add the checks of statements without tables."""
        claims = self._catalogue.claims.values()
        for ids in in_parts([c.id for c in claims if c.pattern is None], STATEMENT_PARTS):
            self.work["check_statements"] += [{"claim": claim_id} for claim_id in ids]
            order = self._to_check(ids).model_dump()
            self._part(CHECK_STATEMENTS, WITHOUT_TABLES, len(ids), order)

    def _mine(self, searches: Sequence[tuple[str, TableSearch]]) -> None:
        """Add the searches in tables, in parts of a few tables each."""
        self.work["mine"] = [search.model_dump(mode="json") for _, search in searches]
        for (sweep, shard), asked in self._by_shard(searches):
            for i in range(0, len(asked), SEARCHED_TOGETHER):
                few = asked[i : i + SEARCHED_TOGETHER]
                order = MineOrder(
                    code=code_digest(MINING_CODE),
                    manifest=self._paths.manifest(shard),
                    searches=tuple(few),
                )
                self._read(self._part(MINE, sweep, len(few), order.model_dump(mode="json")), few)

    def _mine_heights(self, box: HeightBox | None) -> None:
        """Add the questions about the height functions of a box."""
        for what in ASKED_OF_HEIGHTS if box else ():
            question = {"asked": what, **dict(box or ())}
            self.work["mine_heights"].append(question)
            order = {**question, "code": code_digest(FINDING_CODE)}
            self._part(MINE_HEIGHTS, WITHOUT_TABLES, 1, order)

    def _prove(self, wanted: Sequence[GameToProve]) -> None:
        """Add the proofs of games, in parts of about the same work."""
        self.work["prove"] = [proof.model_dump(mode="json") for proof in wanted]
        by_sweep: dict[str, list[GameToProve]] = defaultdict(list)
        for proof in wanted:
            by_sweep[proof.sweep].append(proof)
        for sweep, several in by_sweep.items():
            memory_mb = WAITING_MB + GIB_MB * max(proof.memory for proof in several)
            for part in shared_out(several):
                order = ProofOrder(
                    **self._to_decide(asked.claim for proof in part for asked in proof.claims),
                    proofs=tuple(part),
                )
                self._part(PROVE, sweep, len(part), order.model_dump(), memory_mb)

    def _prove_statements(self, wanted: Sequence[GameToProve]) -> None:
        """Add the decisions on claims for all integers or for all parameters, if the run has proofs.

        The first part has all claims with `for_all`, because they may follow from each other, and takes longest. The others have
        the claims on integers that are not finite. The limits are the largest of any game.
        """
        if not wanted:
            return
        seconds = max(proof.seconds for proof in wanted)
        memory = max(proof.memory for proof in wanted)
        claims = sorted(self._catalogue.claims.values(), key=lambda claim: claim.id)
        for_all = [claim.id for claim in claims if claim.statement.for_all is not None]
        on_integers = [c.id for c in claims if c.is_about_integers and not c.is_finite]
        number = min(STATEMENT_PARTS, math.ceil(len(on_integers) / LEAST_STATEMENTS))
        for ids in [*([for_all] if for_all else []), *in_parts(on_integers, number)]:
            # Without the games in its order, a part would not be repeated when a file that describes one has changed.
            documents = (self._catalogue.claims[i].documents.items() for i in ids)
            games = dict(item for items in documents for item in items)
            order = StatementProofOrder(
                **self._to_decide(ids), seconds=seconds, memory=memory, games=games
            )
            self.work["prove_statements"] += [{"claim": claim_id} for claim_id in ids]
            memory_mb = WAITING_MB + GIB_MB * memory
            dumped = order.model_dump()
            self._part(PROVE_STATEMENTS, WITHOUT_TABLES, len(ids), dumped, memory_mb)

    def _by_shard(self, asked: Iterable[tuple[str, Any]]) -> Iterator[tuple[tuple[str, str], Any]]:
        """Group checks or searches by sweep and shard, in their order."""
        groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for sweep, one in asked:
            groups[sweep, self._shard_of[one.table]].append(one)
        yield from groups.items()

    def _read(self, job: Job, asked: Iterable[TableCheck | TableSearch]) -> None:
        """Add tables that a job reads."""
        for one in asked:
            job.needs.add(self._builder_of[self._shard_of[one.table]])
            memory = self._tables[one.table].cost.memory_to_read
            job.memory_mb = max(job.memory_mb, -(-memory // 1_000_000))

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


def proofs(tables: Sequence[Planned], catalogue: Catalogue) -> list[GameToProve]:
    """Return the games to prove, each relation once, in the order of the tables."""
    asked: dict[tuple[str, Prove], list[Planned]] = defaultdict(list)
    for planned in tables:
        for relation in planned.prove:
            asked[planned.spec.ruleset, relation].append(planned)
    return [
        GameToProve(
            ruleset=ruleset,
            relation=relation,
            seconds=max(planned.prove_seconds for planned in several),
            memory=max(planned.prove_memory for planned in several),
            sweep=several[0].proving[0],
            parameters=several[0].parameters,
            claims=tuple(
                ClaimToDecide(claim=claim.id, parameters=parameters)
                for claim, parameters in catalogue.fitting(ruleset, QUANTITIES[relation])
                if claim.is_decidable
                and any(planned.claims is None or claim.id in planned.claims for planned in several)
                # A proof of the P-positions decides those on P-positions.
                and not (
                    relation == "grundy"
                    and (ruleset, "p") in asked
                    and "p-positions" in claim.quantities
                )
            ),
        )
        for (ruleset, relation), several in asked.items()
    ]


def shared_out(chosen: Sequence[GameToProve]) -> list[list[GameToProve]]:
    """Return proofs in parts of about the same work.

    The most expensive go first, each to the part that has least.
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
    """Return ids in at most `number` parts. The part of an id follows from the id alone, so one more id moves no other."""
    parts: dict[int, list[str]] = defaultdict(list)
    for claim_id in ids:
        parts[int(digest(claim_id), 16) % number].append(claim_id)
    return [parts[key] for key in sorted(parts)]


def expected_seconds(proof: GameToProve) -> float:
    """Return about how long a proof takes, at most what it may take."""
    ruleset = read(proof.ruleset)
    largest = max(map(abs, ruleset.integers), default=0)
    unit = WITH_PASSES if "with-pass" in names_of(ruleset) else OTHERS
    unit = GRUNDY if proof.relation == "grundy" else unit
    return min(proof.seconds, 0.3 + (largest / unit) ** 2)
