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
from choco_pipeline.sweep.run_files import Paths

#: The proofs of a sweep are cut into parts of about this many expected seconds, so that several workers share them.
PART_SECONDS = 15.0
#: A proof is expected to take 0.3 s and (n/this)² s, where n is the largest number in its ruleset: measured, roughly.
GRUNDY, WITH_PASSES, OTHERS = 3.0, 6.0, 25.0
#: Most parts of the statements that need no table, and the fewest statements that are worth a part: starting its processes takes
#: as long as deciding one.
STATEMENT_PARTS, LEAST_STATEMENTS = 4, 20

Proofs = Sequence[GameToProve]


@dataclass(frozen=True)
class StatementPart:
    """Statements that are decided together."""

    #: Their ids.
    claims: Sequence[str]
    #: The limits; the memory in GiB.
    seconds: int
    memory: int
    #: Descriptions of their games.
    games: Mapping[str, object] = field(default_factory=dict)


def proofs(tables: Sequence[Planned], catalogue: Catalogue) -> Proofs:
    """Return what is to be proved of which game, each once, in the order of the tables."""
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
                _claims(
                    ruleset,
                    relation,
                    several,
                    catalogue,
                    by_p=relation == "grundy" and (ruleset, "p") in asked,
                )
            ),
        )
        for (ruleset, relation), several in asked.items()
    ]


def shared_out(chosen: Proofs) -> list[list[GameToProve]]:
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


def statements(wanted: Proofs, catalogue: Catalogue) -> list[StatementPart]:
    """Return the claims that a run with proofs decides for all integers or for all parameters, in parts.

    The first part has all claims with `for_all`, because they may follow from each other, and takes longest. The others have the
    claims on integers that are not finite. The limits are the largest of any game.
    """
    if not wanted:
        return []
    limits = (max(proof.seconds for proof in wanted), max(proof.memory for proof in wanted))
    claims = sorted(catalogue.claims.values(), key=lambda claim: claim.id)
    on_integers = [claim.id for claim in claims if claim.is_about_integers and not claim.is_finite]
    for_all = [claim.id for claim in claims if claim.statement.for_all is not None]
    number = min(STATEMENT_PARTS, math.ceil(len(on_integers) / LEAST_STATEMENTS))
    parts = [StatementPart(ids, *limits) for ids in in_parts(on_integers, number)]
    if for_all:
        # Without the games in its order, the part would not be repeated when a file that describes one has changed.
        games = dict(
            item for claim_id in for_all for item in catalogue.claims[claim_id].documents.items()
        )
        parts.insert(0, StatementPart(for_all, *limits, games))
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
    if proof.relation == "grundy":
        unit = GRUNDY
    else:
        unit = WITH_PASSES if "with-pass" in names_of(ruleset) else OTHERS
    return min(proof.seconds, 0.3 + (largest / unit) ** 2)


def _claims(
    ruleset: str,
    relation: Prove,
    several: Sequence[Planned],
    catalogue: Catalogue,
    *,
    by_p: bool,
) -> Iterator[ClaimToDecide]:
    """Yield the claims that a proof decides, each with its parameters; `by_p` if another one has the P-positions."""
    for claim, parameters in catalogue.fitting(ruleset, QUANTITIES[relation]):
        wanted = any(planned.claims is None or claim.id in planned.claims for planned in several)
        if not (wanted and claim.is_decidable):
            continue
        if not (by_p and "p-positions" in claim.quantities):
            yield ClaimToDecide(claim=claim.id, parameters=parameters)


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
