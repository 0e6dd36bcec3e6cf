"""The stage `find`: statements from search results, their trials, comparison and ranking."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.comparison import (
    Dominance,
    cover_all,
    equivalent_claims,
    follows_from_formulas,
    lemmas,
    meaning,
    settled_by,
    sources,
    spread,
)
from choco_pipeline.finding.for_all import ForAllParameters
from choco_pipeline.finding.generalise import generalise
from choco_pipeline.finding.moduli import FamilyModuli
from choco_pipeline.finding.related import relations
from choco_pipeline.finding.scope import Tables, covered_games, further_games, members
from choco_pipeline.finding.single import single_tables
from choco_pipeline.finding.statement import (
    ComparedOn,
    FoundDocument,
    FoundStatement,
    Implied,
    KnownAs,
    Mined,
    Proposals,
    Searched,
    not_reported,
)
from choco_pipeline.finding.tables import TableFamily
from choco_pipeline.finding.trial import Decide, Trials
from choco_pipeline.finding.words import BARS, MANY, SEARCHES, right_by_chance, searched_again
from choco_pipeline.stages import Stage

#: A statement that too few tables distinguish from chance must hold for at least this number of further games.
FEWEST_MORE_GAMES = 4

Report = Callable[..., None]


@dataclass(frozen=True)
class TrialPreview:
    """The result of the trial of one statement."""

    #: The number of randomised bars for which it is right; None for games that are no bars.
    chance: int | None
    #: The statement with its verdict; None if it is right for too many randomised bars.
    tried: FoundStatement | None


@dataclass
class Finder:
    """The judge of statements: it tries, decides, compares and ranks them."""

    #: Bounds and certificates of the run.
    tables: Tables
    #: The known claims.
    catalogue: Catalogue
    #: As for `choco_pipeline.finding.trial.Trials`.
    decide: Decide | None = None
    #: The prover for all parameters; None for no proofs.
    for_all: ForAllParameters | None = None
    #: Results of trials that are known already, by the ids of the statements.
    previews: Mapping[str, TrialPreview] = field(default_factory=dict)
    #: Collects the statements without such a result, which are then assumed to be right; None to try them.
    untried: list[FoundStatement] | None = None
    #: Decides by automata whether implications at sampled positions hold at all positions.
    dominance: Dominance = field(default_factory=Dominance)
    accepted: list[FoundStatement] = field(default_factory=list)
    refuted: list[FoundStatement] = field(default_factory=list)
    #: The results that are not reported: right for randomised bars, or wrong in larger tables.
    by_chance: list[Searched] = field(default_factory=list)
    unsure: list[Searched] = field(default_factory=list)
    #: The claims of accepted statements; replaced when these change, because it keeps which claims are about a game.
    _claims: Catalogue = field(default_factory=lambda: Catalogue({}))
    _said_by: dict[str, str] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)
    _implied: dict[str, list[Implied]] = field(default_factory=lambda: defaultdict(list))

    def consider(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement] = ()
    ) -> list[FoundStatement]:
        """Return the statements with verdicts, best first.

        A statement that follows from stronger ones is listed under the first of these. Refuted statements are kept. Doubtful
        statements are kept only if they hold for `FEWEST_MORE_GAMES` further games.
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
        return sorted([*accepted, *self.refuted], key=_rank)

    def preview(self, statement: FoundStatement) -> TrialPreview:
        """Return the result of the trial of one statement, without comparison with others."""
        chance = right_by_chance(statement, covered_games(statement, self.tables))
        if chance is not None and chance >= MANY:
            return TrialPreview(chance, None)
        return TrialPreview(
            chance, Trials(self.tables, self.catalogue, self.decide).tried(statement)
        )

    def _strongest_first(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement]
    ) -> list[FoundStatement]:
        """Return statements so that one that may imply another comes before it.

        Formulas for all positions come first. They are sorted by: more parameters, fewer conditions, fewer exceptions, shorter
        formulas. Statements on values come first if they exclude more of the sampled positions from the P-positions.
        """

        def excluded(statement: FoundStatement) -> int:
            games = covered_games(statement, self.tables)
            meant = meaning(statement.claims[0], games[0]) if games else None
            return int(meant.speaks.sum()) if meant is not None and meant.of == "p" else 0

        def key(statement: FoundStatement) -> tuple[object, ...]:
            tables = -math.prod(len(set(values)) for values in statement.parameters.values())
            given = [claim.determined for claim in statement.claims]
            return (
                statement.kind not in ("grundy", "p-positions"),
                not statement.pattern.names,
                bool(statement.when),
                tables,
                -excluded(statement) if statement.kind == "values" else 0,
                any(one is not None and one.where is not None for one in given),
                len(statement.claims),
                statement.size,
                statement.text,
            )

        by_id = {statement.id: statement for statement in (*doubtful, *proposed)}
        return sorted(by_id.values(), key=key)

    def _consider(self, statement: FoundStatement) -> None:
        if self._folded(statement):
            return
        shown = self.previews.get(statement.id)
        if shown is None and self.untried is not None:
            self.untried.append(statement)
            self._keep(statement)
            return
        if shown is None:
            shown = self.preview(statement)
        if shown.tried is None:
            why = f"right, and so it is in {shown.chance} of {BARS} bars about as high whose steps are drawn"
            self.by_chance.append(not_reported(statement, why))
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
        # A narrower statement may follow from others.
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
            if again is not None and not again[0]:
                self.unsure.append(not_reported(statement, again[1]))
                return
            if again is not None:
                text = f"it was right on {statement.held_on.what}; {again[1]}"
                statement = statement.concluded("unchecked", text)
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
        """Return the lemmas or claims of the catalogue that imply a statement, and how it compares with them."""
        if statement.claims and (by_lemma := lemmas(statement.claims[0])):
            return by_lemma, "the same", "what is written"
        known, on = self._restated(statement, self.catalogue)
        if not known and statement.kind != "related":
            return (), "the same", on
        games = covered_games(statement, self.tables)
        further = further_games(statement, self.tables)
        if not known:
            every = [*games, *further]
            known = follows_from_formulas(statement.claims[0], every, self.catalogue)
            return known, "more" if known else "the same", on
        if not cover_all(known, [*games, *further], self.catalogue):
            return known, "of fewer games", on
        same = equivalent_claims(statement.claims, games, self.catalogue, known)
        return (same, "the same", on) if same else (known, "more", on)

    def _keep(self, statement: FoundStatement) -> None:
        """Add a statement to those with which later ones are compared."""
        own = _claims_by_name(statement)
        self._claims = Catalogue({**self._claims.claims, **own})
        self._said_by |= dict.fromkeys(own, statement.id)

    def _restated(
        self, statement: FoundStatement, catalogue: Catalogue
    ) -> tuple[tuple[str, ...], ComparedOn]:
        """Return the ids of the claims that together imply a statement for its games, and where that was compared; none if they do not."""
        games = covered_games(statement, self.tables)
        by_claim = [sources(claim, games, catalogue) for claim in statement.claims]
        names = tuple(dict.fromkeys(chain.from_iterable(by_claim))) if all(by_claim) else ()
        premises = [catalogue.claims[name] for name in names]
        if catalogue is self.catalogue:
            # a statement that extends claims follows for the games of these
            games = [game for game in games if cover_all(names, [game], catalogue)]
        on = self.dominance.compared(statement.claims, premises, games) if names else None
        return (names, on) if on is not None else ((), "sampled positions")

    def _folded(self, statement: FoundStatement) -> bool:
        """Whether accepted statements imply a statement; it is then listed under the first of these."""
        said_by, on = self._restated(statement, self._claims)
        if not said_by and statement.kind == "related":
            games = covered_games(statement, self.tables)
            games += further_games(statement, self.tables)
            said_by = follows_from_formulas(statement.claims[0], games, self._claims)
        if said_by:
            self._implied[self._said_by[said_by[0]]].append(Implied(statement.text, on))
        return bool(said_by)

    def _fold_earlier(self, statement: FoundStatement) -> None:
        """List accepted statements on the same games under a new statement that implies them, unless their verdicts are stronger.

        A statement proposed for more games comes first, and may follow after it was narrowed.
        """
        own = Catalogue(_claims_by_name(statement))
        for other in list(self.accepted):
            sure, other_sure = (STRONGEST_FIRST.index(one.verdict) for one in (statement, other))
            if other.ruleset != statement.ruleset or other_sure < sure:
                continue
            said_by, on = self._restated(other, own)
            if said_by:
                self.accepted.remove(other)
                implied = [Implied(other.text, on), *self._implied.pop(other.id, [])]
                self._implied[statement.id] += implied
                self._said_by = {name: by for name, by in self._said_by.items() if by != other.id}
                claims = self._claims.claims
                self._claims = Catalogue({name: claims[name] for name in self._said_by})

    def _settled_by(self, statement: FoundStatement) -> tuple[tuple[str, ...], ComparedOn]:
        """Return the accepted statements that imply a statement on pictures, numbers or lines, and where that was compared."""
        if statement.source is None or statement.search not in (*SEARCHES, "lines"):
            return (), "sampled positions"
        compared = set[ComparedOn | None]()
        used: dict[str, None] = {}
        games = members(statement)
        for game in spread(games):
            names = settled_by(game, "p", self._claims)
            premises = [self._claims.claims[name] for name in names]
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


def proposals(
    mined: Sequence[Mined],
    families: Sequence[TableFamily],
    laws: Sequence[FoundStatement] = (),
    *,
    related_games: bool = True,
) -> list[Callable[[], Proposals]]:
    """Return the searches of `found_in` as functions."""

    def single() -> Proposals:
        return Proposals.merged([single_tables(mined), Proposals(laws)])

    searches: list[Callable[[], Proposals]] = [single]
    if related_games:
        searches.append(partial(relations, mined, families))
    return [*searches, *(partial(_of_family, family) for family in families)]


#: The searches of a family, each with the kinds of search results of its tables that it needs.
FAMILY_SEARCHES: tuple[tuple[set[str], Callable[[TableFamily], Proposals]], ...] = (
    ({"value-sets"}, lambda family: FamilyModuli(family).proposals()),
    ({"formulas", "statements"}, generalise),
)


def _of_family(family: TableFamily) -> Proposals:
    kinds = {finding.kind for member in family.members for finding in member.findings}
    return Proposals.merged(search(family) for needed, search in FAMILY_SEARCHES if kinds & needed)


def found_in(
    mined: Sequence[Mined],
    families: Sequence[TableFamily],
    finder: Finder,
    report: Report,
    laws: Sequence[FoundStatement] = (),
    *,
    related_games: bool = True,
) -> FoundDocument:
    """Return the document of found statements, with `laws` among them, best first, and of searches.

    Related games are compared only with `related_games`.
    """
    asked = proposals(mined, families, laws, related_games=related_games)
    searched = [propose() for propose in asked]
    report(Stage.FIND, steps=1)
    document = document_of(searched, finder)
    report(Stage.FIND, steps=1)
    return document


def document_of(searched: Sequence[Proposals], finder: Finder) -> FoundDocument:
    """Return the document of the proposals of all searches."""
    proposed = Proposals.merged(searched)
    found = tuple(finder.consider(proposed.statements, proposed.doubtful))
    return FoundDocument(
        statements=found, searches=(*proposed.searches, *finder.by_chance, *finder.unsure)
    )


def _rank(statement: FoundStatement) -> tuple[object, ...]:
    """Return the sort key of the order in which statements are shown.

    Refuted ones come last, before them those that follow from others. Among the others proved ones come first. Those with the same
    verdict are sorted by: unknown before known, families before single games, formulas before relations to other games, size.
    """
    return (
        statement.verdict == "refuted",
        bool(statement.follows_from),
        STRONGEST_FIRST.index(statement.verdict),
        bool(statement.known),
        statement.known_as == "more",
        not statement.pattern.names,
        statement.kind == "related",
        statement.size,
        statement.text,
    )
