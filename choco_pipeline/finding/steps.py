"""The stage `find` as steps that workers share.

Idea: each search, each trial and each decision is independent of the others. The first round assumes that all proposed statements are
right. It tries those that are then worth a trial, and decides them for all parameters. The second round uses these answers: it tries
further statements, searches larger tables, and decides implications by automata. The last step uses all answers, and returns the same
document as `choco_pipeline.finding.stage` in one process.

Invariant: the document does not depend on the number of steps, because the last step answers any open question itself. The
answers of a step whose child process was killed from outside are dropped. If that happens to the last step, the document says so.

Cost: each step reads the search results and the known claims, which takes some tenths of a second.
"""

from __future__ import annotations

from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.catalogue import Catalogue, load_with_background
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.comparison import Consequence
from choco_pipeline.finding.for_all import MEMORY, ForAllParameters
from choco_pipeline.finding.laws import laws_of_states
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.single import learned_in
from choco_pipeline.finding.stage import Finder, Key, Subject, document_of, proposals
from choco_pipeline.finding.statement import FoundDocument, FoundStatement, Mined, Proposals
from choco_pipeline.finding.tables import (
    TableCache,
    families_of,
    family_of,
    mined_in,
    whole_tables,
)
from choco_pipeline.proof.limits import Limited, limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.task import PREPARED_BY, settle
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.run_files import Paths, Plan, outcomes, read_plan

#: Seconds for a decision on a found statement.
DECISION_SECONDS = 10.0

Report = Callable[..., None]
#: A run of the stage: the plan's file, and the time at which the stage began.
RunKey = tuple[str, int]
#: Proposals by the indices of their searches.
Proposed = Mapping[int, Proposals]
#: Questions of one round, by key, and their answers.
Questions = Mapping[Key, Subject]
Answers = Mapping[Key, Any]


@dataclass(frozen=True)
class _Run:
    plan: Plan
    paths: Paths
    #: The known claims.
    catalogue: Catalogue

    @cached_property
    def proofs(self) -> list[Mapping[str, Any]]:
        """The outcomes of the run's proofs."""
        proved = outcomes(self.plan, self.paths, Stage.PROVE)
        return [proof for outcome in proved for proof in outcome.get("proofs", ())]

    @cached_property
    def tables(self) -> Tables:
        """The largest bounds of the run's tables, and its certificates."""
        bounds: dict[tuple[str, Any], int] = defaultdict(int)
        for table in self.plan["tables"]:
            key = table["ruleset"], table["quantity"]
            bounds[key] = max(bounds[key], table["bound"])
        certificates: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for proof in self.proofs:
            if proof["status"] == "proved":
                certificates[proof["ruleset"]].append((proof["relation"], proof["certificate"]))
        paths = {game: [path for _, path in sorted(c)] for game, c in certificates.items()}
        return Tables(
            dict(bounds), paths, whole_tables(self.plan, self.paths, self.catalogue.claims)
        )

    def finder(
        self,
        child: Limited,
        answers: Iterable[Answers] = (),
        open_questions: dict[Key, Subject] | None = None,
    ) -> Finder:
        """Return the judge of the run's statements, which decides in a child process."""
        prover = ForAllParameters(child, self.paths.certificates.as_posix(), self.catalogue)
        for_all = prover.decided if self.plan["prove"] else None
        decide, known = partial(decide_claim, child), dict(ChainMap(*map(dict, answers)))
        return Finder(self.tables, self.catalogue, decide, for_all, known, open_questions)

    @cached_property
    def mined(self) -> list[Mined]:
        """The search results of tables, and formulas learned from automata."""
        mined = list(mined_in(self.plan, self.paths))
        return [*mined, *learned_in(self.plan, self.proofs, mined)]

    @cached_property
    def table_cache(self) -> TableCache:
        """The tables that searches keep in memory."""
        return TableCache(self.paths)

    @cached_property
    def proposals(self) -> list[Callable[[], Proposals]]:
        """The run's searches."""
        families = families_of(self.plan, self.table_cache, self.mined)
        of_games = {table["ruleset"]: family_of(self.plan, table) for table in self.plan["tables"]}
        return proposals(self.mined, families, laws_of_states(self.proofs, of_games))


@lru_cache(maxsize=1)
def _open_run(plan_file: str, _begun: int) -> _Run:
    """Return a run; a worker reads it once for all its steps."""
    plan = read_plan(Path(plan_file))
    claims_files = [Path(name) for name in plan["claims_files"]]
    return _Run(plan, Paths.of_plan(Path(plan_file)), load_with_background(claims_files))


def propose(run: RunKey, part: int, parts: int, report: Report) -> Proposed:
    """Return the proposals of some of a run's searches, the slowest first."""
    own_run = _open_run(*run)
    searches = own_run.proposals
    places = range(len(searches) - 1 - part, -1, -parts)
    proposed = {place: searches[place]() for place in places}
    own_run.table_cache.clear()
    return proposed


def ask(run: RunKey, parts: int, *results: Any) -> Questions:
    """Return a round's questions, as if statements without an answer were right.

    The first `parts` results are proposals. In the second round, the answers of the first round follow. The last result is the
    function that reports progress.
    """
    *inputs, report = results
    open_questions: dict[Key, Subject] = {}
    finder = _open_run(*run).finder(Limited(PREPARED_BY), inputs[parts:], open_questions)
    document_of(_ordered(inputs[:parts]), finder)
    if len(inputs) > parts:
        return open_questions
    report(Stage.FIND, steps=1)
    # implications depend on the results of trials
    return {key: subject for key, subject in open_questions.items() if key[0] == "trial"}


def answer(run: RunKey, part: int, parts: int, questions: Questions, report: Report) -> Answers:
    """Return the answers to one part of the questions."""

    def game(key: Key) -> str:
        subject = questions[key]
        return subject.game if isinstance(subject, Consequence) else subject.ruleset

    # Trials take longest, so they come first. Questions about the same games take about equally long; each part gets some of them.
    order = sorted(questions, key=lambda key: (key[0] != "trial", key[0], game(key)))
    answers: dict[Key, Any] = {}
    with limited(PREPARED_BY) as child:
        finder = _open_run(*run).finder(child)
        for kind, name in order[part::parts]:
            answers[kind, name] = answer = finder.answer(kind, questions[kind, name])
            if kind == "trial" and isinstance(answer, FoundStatement) and finder.for_all:
                answers["for all", answer.id] = finder.for_all(answer)
    return {} if child.was_killed else answers


def conclude(run: RunKey, out_file: str, parts: int, *results: Any) -> None:
    """Write the found statements of a run.

    The first `parts` results are proposals; all answers follow. The last result is the function that reports progress.
    """
    *inputs, report = results
    own_run = _open_run(*run)
    report(Stage.FIND, steps=1)
    with limited(PREPARED_BY) as child:
        finder = own_run.finder(child, inputs[parts:])
        document = document_of(_ordered(inputs[:parts]), finder)
    mined = outcomes(own_run.plan, own_run.paths, Stage.MINE)
    of_heights = (FoundDocument.of_outcome(outcome) for outcome in mined if "searches" in outcome)
    whole = FoundDocument.merged([document, *of_heights], killed=child.was_killed)
    whole.write(Path(out_file))


def _ordered(parts: Iterable[Proposed]) -> list[Proposals]:
    together = ChainMap(*map(dict, parts))
    return [together[place] for place in sorted(together)]


def decide_claim(
    child: Limited, claim: Claim, parameters: Mapping[str, int], path: str
) -> Mapping[str, Any]:
    """Decide a claim for all positions in a child process; see `trial.Decide`."""
    arguments = (claim.as_json(), dict(parameters), path, DECISION_SECONDS)
    limits = {"seconds": DECISION_SECONDS, "memory": MEMORY}
    try:
        return dict(child.call(settle, *arguments, what="the decision", **limits))
    except UndecidedError as error:
        return {"verdict": "undecided", "text": str(error)}
