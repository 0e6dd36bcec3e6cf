"""The stage that makes statements of what the searches found, tries them on what is new to them, and ranks them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.families.generalise import generalise
from choco_pipeline.finding.families.moduli import FamilyModuli
from choco_pipeline.finding.families.single import searches, statements
from choco_pipeline.finding.families.table_family import TableFamily
from choco_pipeline.finding.judge.by_chance import BARS, MANY, SEARCHES, right_by_chance
from choco_pipeline.finding.judge.dominance import Dominance
from choco_pipeline.finding.judge.for_all_parameters import AskedForAll, ForAllParameters
from choco_pipeline.finding.judge.known import (
    follows_from_formulas,
    saying_the_same,
    settled_by,
    speak_of_all,
    spread,
)
from choco_pipeline.finding.judge.larger_tables import searched_again
from choco_pipeline.finding.judge.meaning import meaning
from choco_pipeline.finding.judge.rank import is_surer, ranked, restated, strongest_first
from choco_pipeline.finding.judge.trial import Decide, tried
from choco_pipeline.finding.related.relations import relations
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.lemma_cases import lemmas
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.scope import Tables, further_games, members, speaking_of
from choco_pipeline.finding.statements.statement import (
    ComparedOn,
    FoundStatement,
    Implied,
    KnownAs,
)
from choco_pipeline.stages import Stage

#: What too few tables tell from chance must hold for so many games more, which are computed to try it.
FEWEST_MORE_GAMES = 4

Report = Callable[..., None]


@dataclass(frozen=True)
class Foreseen:
    """What trying a statement has shown."""

    #: In how many bars that are drawn it is right; None if that cannot be tried.
    chance: int | None
    #: It with its verdict; None if it is right in too many bars that are drawn.
    tried: FoundStatement | None


@dataclass
class Finder:
    """What statements are compared with, tried on and decided by."""

    #: Bounds and certificates of the run.
    tables: Tables
    #: The claims that are known.
    catalogue: Catalogue
    #: As for `choco_pipeline.finding.judge.trial.tried`.
    decide: Decide | None = None
    #: Decides what stood on tables for all parameters at once; None to ask nobody.
    for_all: ForAllParameters | AskedForAll | None = None
    #: Of some statements, by their ids, what trying them has shown already.
    foreseen: Mapping[str, Foreseen] = field(default_factory=dict)
    #: Decides whether what follows at sampled positions follows at all.
    dominance: Dominance = field(default_factory=Dominance)
    accepted: list[FoundStatement] = field(default_factory=list)
    refuted: list[FoundStatement] = field(default_factory=list)
    by_chance: dict[str, tuple[FoundStatement, int]] = field(default_factory=dict)
    unsure: dict[str, tuple[FoundStatement, str]] = field(default_factory=dict)
    _claims: dict[str, Claim] = field(default_factory=dict)
    _said_by: dict[str, str] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)
    _implied: dict[str, list[Implied]] = field(default_factory=lambda: defaultdict(list))

    def consider(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement] = ()
    ) -> list[FoundStatement]:
        """Return the statements that say something, with verdicts, best first.

        Those that follow from stronger ones are told under the first of these; those that fail on what they were not found on stay. Doubtful ones stay only if they hold for some more games.
        """
        self._doubtful = {statement.id for statement in doubtful} - {
            statement.id for statement in proposed
        }
        for statement in self._strongest_first(proposed, doubtful):
            if statement.verdict == "refuted":  # by what was held out
                self.refuted.append(statement)
            else:
                self._consider(statement)
        accepted = (
            replace(statement, implies=tuple(dict.fromkeys(self._implied[statement.id])))
            for statement in self.accepted
        )
        return ranked(statement.with_entry() for statement in (*accepted, *self.refuted))

    def waiting(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement] = ()
    ) -> list[FoundStatement]:
        """Return the statements that `consider` tries if all those before them turn out to be right: so others may be tried, too."""
        chosen = []
        for statement in self._strongest_first(proposed, doubtful):
            if statement.verdict != "refuted" and not self._folded(statement):
                chosen.append(statement)
                self._keep(statement)
        return chosen

    def foresee(self, statement: FoundStatement) -> Foreseen:
        """Try one statement, whatever is said of others."""
        chance = right_by_chance(statement, speaking_of(statement, self.tables))
        if chance is not None and chance >= MANY:
            return Foreseen(chance, None)
        return Foreseen(chance, tried(statement, self.tables, self.catalogue, self.decide))

    def left_out(self) -> Iterator[Searched]:
        """Yield what is not said, as searches: it is so in many bars that are drawn, or not in larger tables."""
        for statement, number in self.by_chance.values():
            why = f"right, and so it is in {number} of {BARS} bars about as high whose steps are drawn"
            yield _left_out(statement, why)
        for statement, why in self.unsure.values():
            yield _left_out(statement, why)

    def _strongest_first(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement]
    ) -> list[FoundStatement]:
        by_id = {statement.id: statement for statement in (*doubtful, *proposed)}
        return strongest_first(by_id.values(), self._excluded)

    def _excluded(self, statement: FoundStatement) -> int:
        """Return how many sampled positions of the first game that it speaks of have values by which they are not P."""
        games = speaking_of(statement, self.tables)
        meant = meaning(statement.claims[0], games[0]) if games else None
        return int(meant.speaks.sum()) if meant is not None and meant.of == "p" else 0

    def _consider(self, statement: FoundStatement) -> None:
        if self._folded(statement):
            return
        shown = self.foreseen.get(statement.id)
        if shown is None and isinstance(self.for_all, AskedForAll):
            self.for_all.untried.append(statement)
            self._keep(statement)
            return
        if shown is None:
            shown = self.foresee(statement)
        if shown.tried is None:
            self.by_chance[statement.id] = statement, shown.chance or 0
            return
        asked, tables = statement.id, statement.held_on.tables
        statement = shown.tried
        if asked in self._doubtful and (
            statement.verdict == "refuted" or statement.held_on.tables - tables < FEWEST_MORE_GAMES
        ):
            return
        if statement.verdict == "refuted":
            self.refuted.append(statement)
            return
        # Of fewer games, or with less to say, it may follow.
        if statement.id != asked and self._folded(statement):
            return
        if self.for_all is not None:
            statement = self.for_all.decided(statement)
        if statement.verdict == "refuted":
            self.refuted.append(statement)
            return
        known, known_as, known_on = self._known(statement)
        follows_from, follows_on = self._settled_by(statement)
        if statement.verdict == "unchecked" and statement.kind in SEARCHES and not follows_from:
            again = None if statement.pattern.names else searched_again(statement, self.tables)
            if again is not None and not again.found:
                self.unsure[statement.id] = statement, again.text
                return
            if again is not None:
                text = f"it was right on {statement.held_on.what}; {again.text}"
                statement = statement.with_conclusion(Conclusion("unchecked", text))
        statement = replace(
            statement,
            known=known,
            known_as=known_as,
            known_on=known_on,
            follows_from=follows_from,
            follows_on=follows_on,
        )
        if statement.verdict != "undecided":  # from what is, nothing follows
            self._fold_earlier(statement)
            self._keep(statement)
        self.accepted.append(statement)

    def _known(self, statement: FoundStatement) -> tuple[tuple[str, ...], KnownAs, ComparedOn]:
        """Return lemmas or claims of the catalogue that say what a statement says of its games, and how it compares with these."""
        if statement.claims and (by_lemma := lemmas(statement.claims[0])):
            return by_lemma, "the same", "what is written"
        known, on = self._restated(statement, self.catalogue)
        if not known:
            return (), "the same", on
        games = speaking_of(statement, self.tables)
        further = further_games(statement, self.tables)
        if not speak_of_all(known, [*games, *further], self.catalogue):
            return known, "of fewer games", on
        same = saying_the_same(statement.claims, games, self.catalogue, known)
        return (same, "the same", on) if same else (known, "more", on)

    def _keep(self, statement: FoundStatement) -> None:
        """Compare those that come later with a statement."""
        own = _claims_by_name(statement)
        self._claims |= own
        self._said_by |= dict.fromkeys(own, statement.id)

    def _restated(
        self, statement: FoundStatement, catalogue: Catalogue
    ) -> tuple[tuple[str, ...], ComparedOn]:
        """Return the ids of the claims that say together what a statement says of its games, and where that was seen; none if they do not."""
        games = speaking_of(statement, self.tables)
        names = restated(statement.claims, games, catalogue)
        premises = [catalogue.claims[name] for name in names]
        if (
            catalogue is self.catalogue
        ):  # a statement that extends what is known follows where that speaks
            games = [game for game in games if speak_of_all(names, [game], catalogue)]
        on = self.dominance.compared(statement.claims, premises, games) if names else None
        return (names, on) if on is not None else ((), "sampled positions")

    def _folded(self, statement: FoundStatement) -> bool:
        """Whether what was accepted says all that a statement says of its games; then it is told under the first that does."""
        accepted = Catalogue(self._claims)
        said_by, on = self._restated(statement, accepted)
        if not said_by and statement.claims:
            games = speaking_of(statement, self.tables)
            said_by = follows_from_formulas(statement.claims[0], games, accepted)
        if said_by:
            self._implied[self._said_by[said_by[0]]].append(Implied(statement.text, on))
        return bool(said_by)

    def _fold_earlier(self, statement: FoundStatement) -> None:
        """Tell what was accepted of the same games, follows from the claims of a statement and is no surer under that one.

        What was proposed for more games comes first, and follows when it was narrowed.
        """
        own = Catalogue(_claims_by_name(statement))
        for other in list(self.accepted):
            if other.ruleset != statement.ruleset or is_surer(other, statement):
                continue
            said_by, on = self._restated(other, own)
            if said_by:
                self.accepted.remove(other)
                implied = [Implied(other.text, on), *self._implied.pop(other.id, [])]
                self._implied[statement.id] += implied
                for name in [name for name, by in self._said_by.items() if by == other.id]:
                    del self._claims[name], self._said_by[name]

    def _settled_by(self, statement: FoundStatement) -> tuple[tuple[str, ...], ComparedOn]:
        """Return the accepted statements from which a statement on pictures, numbers or lines follows, and where that was seen."""
        source = statement.source
        if source is None or statement.kind not in SEARCHES:
            return (), "sampled positions"
        accepted, compared = Catalogue(self._claims), set[ComparedOn | None]()
        used: dict[str, None] = {}
        games = members(statement)
        for game in spread(games):
            names = settled_by(game, "p", accepted)
            premises = [self._claims[name] for name in names]
            compared.add(self.dominance.settled(premises, game) if names else None)
            used |= dict.fromkeys(map(self._said_by.__getitem__, names))
        if not used or None in compared:
            return (), "sampled positions"
        is_decided = compared == {"all positions"} and len(spread(games)) == len(games)
        return tuple(used), "all positions" if is_decided else "sampled positions"


def _claims_by_name(statement: FoundStatement) -> dict[str, Claim]:
    """Return the claims of a statement, named after it."""
    own = {}
    for i, claim in enumerate(statement.claims):
        renamed = claim.statement.model_copy(update={"id": f"{statement.id}#{i}"})
        own[renamed.id] = replace(claim, statement=renamed)
    return own


def _left_out(statement: FoundStatement, why: str) -> Searched:
    return Searched(
        what=statement.text, game=statement.ruleset, tried=statement.tried, nothing=True, why=why
    )


@dataclass(frozen=True)
class Proposals:
    """What one search proposes: statements, those that too few tables tell, and what it looked for in vain."""

    statements: Sequence[FoundStatement] = ()
    doubtful: Sequence[FoundStatement] = ()
    searches: Sequence[Searched] = ()


def proposals(
    mined: Sequence[Mined],
    families: Sequence[TableFamily],
    laws: Sequence[FoundStatement] = (),
    *,
    related_games: bool = True,
) -> list[Callable[[], Proposals]]:
    """Return the searches of `found_in`, each of which proposes statements when it is called."""

    def single() -> Proposals:
        return Proposals([*statements(mined), *laws], searches=searches(mined))

    def related() -> Proposals:
        return Proposals(*relations(mined, families))

    of_families = [partial(_of_family, family) for family in families]
    return [single, *([related] if related_games else []), *of_families]


def _of_family(family: TableFamily) -> Proposals:
    kinds = {finding.kind for member in family.members for finding in member.findings}
    moduli = Proposals()
    if "value-sets" in kinds:
        moduli = Proposals(*FamilyModuli(family).statements())
    if not kinds & {"formulas", "shifts"}:
        return moduli
    general = generalise(family)
    return Proposals(
        [*moduli.statements, *general.statements],
        [*moduli.doubtful, *general.doubtful],
        general.searches,
    )


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
    asked = proposals(mined, families, laws, related_games=related_games)
    searched = [propose() for propose in asked]
    report(Stage.FIND, steps=1)
    document = considered(searched, finder)
    report(Stage.FIND, steps=1)
    return document


def considered(searched: Sequence[Proposals], finder: Finder) -> FoundDocument:
    """Return the document of what searches propose, in their order."""
    proposed = [statement for proposals in searched for statement in proposals.statements]
    doubtful = [statement for proposals in searched for statement in proposals.doubtful]
    looked_for = [search for proposals in searched for search in proposals.searches]
    statements_found = tuple(finder.consider(proposed, doubtful))
    return FoundDocument(statements=statements_found, searches=(*looked_for, *finder.left_out()))
