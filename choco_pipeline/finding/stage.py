"""The stage that makes statements of what the searches found, tries them on what is new to them, and ranks them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.catalogue import Catalogue, load_with_background
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.documents.record import read_record
from choco_pipeline.finding.families.gathered import families_of, family_of, mined_in
from choco_pipeline.finding.families.generalise import generalise
from choco_pipeline.finding.families.moduli import FamilyModuli
from choco_pipeline.finding.families.observed import laws_of_states
from choco_pipeline.finding.families.single import searches, statements
from choco_pipeline.finding.families.table_family import TableFamily
from choco_pipeline.finding.judge.by_chance import BARS, MANY, SEARCHES, right_by_chance
from choco_pipeline.finding.judge.for_all_parameters import ForAllParameters
from choco_pipeline.finding.judge.known import follows_from_formulas, meaning, settled_by
from choco_pipeline.finding.judge.larger_tables import searched_again
from choco_pipeline.finding.judge.lemma_cases import lemmas
from choco_pipeline.finding.judge.rank import is_surer, ranked, restated, strongest_first
from choco_pipeline.finding.judge.trial import Decide, tried
from choco_pipeline.finding.related.relations import relations
from choco_pipeline.finding.statements.entries import claims_of, with_claim
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.scope import Tables, speaking_of
from choco_pipeline.finding.statements.statement import (
    FoundStatement,
    StatementError,
)
from choco_pipeline.proof.lemmas.follows import ask_checker_of_steps
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statement_task import settled_following, settled_for_all
from choco_pipeline.stages import MINE_HEIGHTS, PROVE, Stage
from choco_pipeline.sweep.paths import Paths, orders_of
from choco_pipeline.sweep.plan_document import Plan, read_plan

#: A decision on a found statement may take so many seconds and GiB of memory.
DECISION_SECONDS, DECISION_MEMORY = 10.0, 2.0
#: What too few tables tell from chance must hold for so many games more, which are computed to try it.
FEWEST_MORE_GAMES = 4

Report = Callable[..., None]


@dataclass
class Finder:
    """What statements are compared with, tried on and decided by.

    Attributes
    ----------
    tables
        Bounds and certificates of the run.
    catalogue
        The claims that are known.
    decide
        As for `choco_pipeline.finding.judge.trial.tried`.
    for_all
        Decides what stood on tables for all parameters at once; None to ask nobody.
    """

    tables: Tables
    catalogue: Catalogue
    decide: Decide | None = None
    for_all: ForAllParameters | None = None
    accepted: list[FoundStatement] = field(default_factory=list)
    refuted: list[FoundStatement] = field(default_factory=list)
    by_chance: dict[str, tuple[FoundStatement, int]] = field(default_factory=dict)
    unsure: dict[str, tuple[FoundStatement, str]] = field(default_factory=dict)
    _claims: dict[str, Claim] = field(default_factory=dict)
    _said_by: dict[str, str] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)
    _implied: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def consider(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement] = ()
    ) -> list[FoundStatement]:
        """Return the statements that say something, with verdicts, best first.

        Those that follow from stronger ones are told under the first of these; those that fail on what they were not found on stay. Doubtful ones stay only if they hold for some more games.
        """
        by_id = {statement.id: statement for statement in (*doubtful, *proposed)}
        self._doubtful = {one.id for one in doubtful} - {one.id for one in proposed}
        for statement in strongest_first(by_id.values(), self._excluded):
            if statement.verdict == "refuted":  # by what was held out
                self.refuted.append(statement)
            else:
                self._consider(statement)
        accepted = (
            replace(one, implies=tuple(dict.fromkeys(self._implied[one.id])))
            for one in self.accepted
        )
        return ranked(map(with_claim, [*accepted, *self.refuted]))

    def left_out(self) -> Iterator[Searched]:
        """Yield what is not said, as searches: it is so in many bars that are drawn, or not in larger tables."""
        for statement, number in self.by_chance.values():
            why = f"right, and so it is in {number} of {BARS} bars about as high whose steps are drawn"
            yield _left_out(statement, why)
        for statement, why in self.unsure.values():
            yield _left_out(statement, why)

    def _excluded(self, statement: FoundStatement) -> int:
        """Return how many sampled positions of the first game that it speaks of have values by which they are not P."""
        try:
            claims = claims_of(statement)
        except StatementError:
            return 0
        games = speaking_of(statement, claims[0], self.tables) if claims else []
        said = meaning(claims[0], games[0]) if games else None
        return int(said.speaks.sum()) if said is not None and said.of == "p" else 0

    def _consider(self, statement: FoundStatement) -> None:
        try:
            claims = claims_of(statement)
        except StatementError as error:
            verdict = Conclusion("undecided", f"not a claim: {error}")
            self.accepted.append(statement.with_conclusion(verdict))
            return
        games = speaking_of(statement, claims[0], self.tables) if claims else []
        if self._folded(statement, claims, games):
            return
        chance = right_by_chance(statement, claims, games)
        if chance is not None and chance >= MANY:
            self.by_chance[statement.id] = statement, chance
            return
        asked, tables = statement.id, statement.held_on.tables
        statement = tried(statement, self.tables, self.catalogue, self.decide)
        if asked in self._doubtful and (
            statement.verdict == "refuted" or statement.held_on.tables - tables < FEWEST_MORE_GAMES
        ):
            return
        if statement.verdict == "refuted":
            self.refuted.append(statement)
            return
        if statement.id != asked:  # of fewer games, or with less to say, it may follow
            claims = claims_of(statement)
            games = speaking_of(statement, claims[0], self.tables)
            if self._folded(statement, claims, games):
                return
        if self.for_all is not None:
            statement = self.for_all.decided(statement)
        if statement.verdict == "refuted":
            self.refuted.append(statement)
            return
        by_lemma = lemmas(claims[0]) if claims else ()
        known = by_lemma or restated(claims, games, self.catalogue)
        follows_from = self._settled_by(statement)
        if statement.kind in SEARCHES and not claims and not follows_from:
            again = None if statement.pattern.names else searched_again(statement, self.tables)
            if again is not None and not again.found:
                self.unsure[statement.id] = statement, again.text
                return
            if again is not None:
                text = f"it was right on {statement.held_on.what}; {again.text}"
                statement = statement.with_conclusion(Conclusion("unchecked", text))
        statement = replace(statement, known=known, follows_from=follows_from)
        own: dict[str, Claim] = {}
        if statement.verdict != "undecided":  # from what is, nothing follows
            for i, claim in enumerate(claims):
                said = claim.statement.model_copy(update={"id": f"{statement.id}#{i}"})
                own[said.id] = replace(claim, statement=said)
            self._fold_earlier(statement, Catalogue(own))
        self.accepted.append(statement)
        self._claims |= own
        self._said_by |= dict.fromkeys(own, statement.id)

    def _folded(
        self, statement: FoundStatement, claims: Sequence[Claim], games: Sequence[str]
    ) -> bool:
        """Whether what was accepted says all that a statement says of some games; then it is told under the first that does."""
        accepted = Catalogue(self._claims)
        said_by = restated(claims, games, accepted)
        if not said_by and claims:
            said_by = follows_from_formulas(claims[0], games, accepted)
        if said_by:
            self._implied[self._said_by[said_by[0]]].append(statement.text)
        return bool(said_by)

    def _fold_earlier(self, statement: FoundStatement, own: Catalogue) -> None:
        """Tell what was accepted of the same games, follows from the claims of a statement and is no surer under that one.

        What was proposed for more games comes first, and follows when it was narrowed.
        """
        for other in list(self.accepted):
            if other.ruleset != statement.ruleset or is_surer(other, statement):
                continue
            claims = claims_of(other)
            games = speaking_of(other, claims[0], self.tables) if claims else []
            if claims and restated(claims, games, own):
                self.accepted.remove(other)
                self._implied[statement.id] += [other.text, *self._implied.pop(other.id, [])]
                for name in [name for name, by in self._said_by.items() if by == other.id]:
                    del self._claims[name], self._said_by[name]

    def _settled_by(self, statement: FoundStatement) -> tuple[str, ...]:
        """Return the accepted statements from which a statement on pictures, numbers or lines of one game follows."""
        source = statement.source
        if source is None or statement.kind not in SEARCHES or statement.pattern.names:
            return ()
        of = "grundy" if source.of == "grundy" else "p"
        names = settled_by(statement.ruleset, of, Catalogue(self._claims))
        return tuple(dict.fromkeys(map(self._said_by.__getitem__, names)))


def _left_out(statement: FoundStatement, why: str) -> Searched:
    return Searched(
        what=statement.text, game=statement.ruleset, tried=statement.tried, nothing=True, why=why
    )


def find_statements(plan_file: str, out_file: str, report: Report) -> dict[str, int]:
    """Make statements of what a run's searches found, and write them.

    Parameters
    ----------
    plan_file
        The run's plan; its tables, and what was mined, proved and asked of height functions, must be there.
    out_file
        Receives a `FoundDocument`, whole or not at all.
    report
        Called as ``report(Stage.FIND, steps=1)``.

    Returns
    -------
    dict
        Numbers of statements and of searches.
    """
    plan = read_plan(Path(plan_file))
    paths = Paths(Path(plan_file).parent.parent, plan["run"])
    mined = list(mined_in(plan, paths))
    families = families_of(plan, paths, mined)
    report(Stage.FIND, steps=1)
    catalogue = load_with_background([Path(name) for name in plan["claims_files"]])
    proofs = list(_proofs(plan, paths))
    laws = laws_of_states(proofs, {t["ruleset"]: family_of(plan, t) for t in plan["tables"]})
    with ExitStack() as stack:
        prover = Prover(stack)
        folder = paths.certificates.as_posix()
        for_all = prover.for_all(folder, catalogue) if plan["prove"] else None
        finder = Finder(_tables(plan, proofs), catalogue, prover.decide, for_all)
        found = found_in(mined, families, finder, report, laws)
    # Of height functions no table tells anything.
    asked = orders_of(plan, MINE_HEIGHTS)
    parts = [found, *(FoundDocument.read(paths.outcome(MINE_HEIGHTS, name)) for name in asked)]
    whole = FoundDocument(
        statements=tuple(statement for part in parts for statement in part.statements),
        searches=tuple(search for part in parts for search in part.searches),
    )
    whole.write(Path(out_file))
    return whole.counts


def found_in(
    mined: Sequence[Mined],
    families: Sequence[TableFamily],
    finder: Finder,
    report: Report,
    laws: Sequence[FoundStatement] = (),
    *,
    related_games: bool = True,
) -> FoundDocument:
    """Return the document of what was found, `laws` among it: statements, best first, and searches.

    Whether games follow from related ones is looked for only with `related_games`.
    """
    related, doubtful = relations(mined, families) if related_games else ([], [])
    proposed, looked_for = [*statements(mined), *laws, *related], searches(mined)
    for family in families:
        kinds = {one.kind for member in family.members for one in member.findings}
        if "value-sets" in kinds:
            sure, unsure = FamilyModuli(family).statements()
            proposed += sure
            doubtful += unsure
        if not kinds & {"formulas", "shifts"}:
            continue
        general = generalise(family)
        proposed += general.statements
        doubtful += general.doubtful
        looked_for += general.searches
    report(Stage.FIND, steps=1)
    found = finder.consider(proposed, doubtful)
    report(Stage.FIND, steps=1)
    return FoundDocument(statements=tuple(found), searches=(*looked_for, *finder.left_out()))


def _proofs(plan: Plan, paths: Paths) -> Iterator[Mapping[str, Any]]:
    """Yield what became of each proof that the run asked for."""
    for part in orders_of(plan, PROVE):
        yield from read_record(paths.outcome(PROVE, part))["proofs"]


def _tables(plan: Plan, proofs: Iterable[Mapping[str, Any]]) -> Tables:
    bounds: dict[tuple[str, Any], int] = defaultdict(int)
    for table in plan["tables"]:
        key = table["ruleset"], table["quantity"]
        bounds[key] = max(bounds[key], table["bound"])
    certificates: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for proof in proofs:
        if proof["status"] == "proved":
            certificates[proof["ruleset"]].append((proof["relation"], proof["certificate"]))
    return Tables(
        dict(bounds), {game: [path for _, path in sorted(c)] for game, c in certificates.items()}
    )


class Prover:
    """A child process, started when it is first asked, that decides claims under limits of time and memory."""

    def __init__(self, stack: ExitStack) -> None:
        """Start nothing yet; the child ends with the stack."""
        self._stack = stack
        self._child: Limited | None = None

    def decide(self, claim: Claim, parameters: Mapping[str, int], path: str) -> Mapping[str, Any]:
        """Decide a claim for all positions, as `Decide` says."""
        arguments = (claim.as_json(), dict(parameters), path, DECISION_SECONDS)
        limits = {"seconds": DECISION_SECONDS, "memory": DECISION_MEMORY}
        try:
            return dict(
                self._started.call(
                    "choco_pipeline.proof.task:settle", *arguments, what="the decision", **limits
                )
            )
        except UndecidedError as error:
            return {"verdict": "undecided", "text": str(error)}

    def for_all(self, certificates: str, catalogue: Catalogue) -> ForAllParameters:
        """Return what decides claims for all parameters, and keeps certificates in a folder."""

        def decide(claim: Claim, seconds: float) -> ClaimVerdict:
            limits = (seconds, DECISION_MEMORY, certificates)
            return settled_for_all(claim.as_json(), *limits, self._started)

        def follow(
            claim: Claim, premise: Claim, known: ClaimVerdict, seconds: float
        ) -> ClaimVerdict:
            limits = (seconds, DECISION_MEMORY, certificates)
            premises, verdicts = {premise.id: premise.as_json()}, {premise.id: known}
            asked = claim.as_json(), premises, verdicts
            return ask_checker_of_steps(settled_following(*asked, *limits, self._started))

        return ForAllParameters(decide, follow, catalogue)

    @property
    def _started(self) -> Limited:
        if self._child is None:
            warm_up = "choco_pipeline.proof.task:warm_up"
            self._child = self._stack.enter_context(Limited(warm_up))
        return self._child
