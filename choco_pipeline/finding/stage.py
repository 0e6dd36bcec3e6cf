"""The stage `find`: statements, their trials, comparison and ranking."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST
from choco_pipeline.claims.kinds import Evaluated
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding import comparison
from choco_pipeline.finding.for_all import claim_for_all
from choco_pipeline.finding.generalise import generalise, of_line
from choco_pipeline.finding.moduli import FamilyModuli
from choco_pipeline.finding.related import relations
from choco_pipeline.finding.scope import Tables, choices_seen, covered_games, further_games, spread
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
from choco_pipeline.formula.written.parameter_text import parameters_text
from choco_pipeline.games.notation import build

#: A doubtful statement must hold for at least this number of further games.
FEWEST_MORE_GAMES = 4


#: Slow questions: the trial of a statement, its verdict for all parameters, the truth of an implication, and the same search in a
#: larger table.
Kind = Literal["trial", "for all", "implication", "larger table"]
#: The kind of a question, and the id of its subject.
Key = tuple[Kind, str]
Subject = FoundStatement | comparison.Consequence
#: Most questions of a kind in a run; only the first ones are answered.
MOST_ASKED: dict[Kind, int] = {"for all": 40, "implication": 1_000}


@dataclass
class Finder:
    """Judge of statements: it tries, decides, compares and ranks them."""

    #: Bounds and certificates of the run.
    tables: Tables
    #: The known claims.
    catalogue: Catalogue
    #: As for `choco_pipeline.finding.trial.Trials`.
    decide: Decide | None = None
    #: Decides a statement for all parameters; None for no such proofs.
    for_all: Callable[[FoundStatement], FoundStatement] | None = None
    #: Answers that are known already.
    answers: Mapping[Key, Any] = field(default_factory=dict)
    #: Collects questions without an answer; their statements are assumed to be right. None: questions are answered at once.
    open: dict[Key, Subject] | None = None
    accepted: list[FoundStatement] = field(default_factory=list)
    refuted: list[FoundStatement] = field(default_factory=list)
    #: Results that are not reported: right also for randomised bars, or not confirmed by larger tables.
    by_chance: list[Searched] = field(default_factory=list)
    unsure: list[Searched] = field(default_factory=list)
    #: The claims of accepted statements, and their statements' ids. A catalogue caches the claims on a game, so changes make a new one.
    _claims: Catalogue = field(default_factory=lambda: Catalogue({}))
    _owners: dict[str, str] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)
    _implied: dict[str, list[Implied]] = field(default_factory=lambda: defaultdict(list))
    _asked: dict[Key, Any] = field(default_factory=dict)
    _games: dict[str, list[str]] = field(default_factory=dict)

    def consider(
        self, proposed: Sequence[FoundStatement], doubtful: Sequence[FoundStatement] = ()
    ) -> list[FoundStatement]:
        """Return the statements with verdicts, best first.

        A statement that follows from stronger ones is listed under the first of these. Refuted statements are kept. Doubtful
        statements are kept only if they hold for `FEWEST_MORE_GAMES` further games.
        """
        self._doubtful = {one.id for one in doubtful} - {one.id for one in proposed}
        by_id = {statement.id: statement for statement in (*doubtful, *proposed)}
        for statement in sorted(by_id.values(), key=self._strength):
            if statement.verdict == "refuted":  # by held-out data
                self.refuted.append(statement)
            else:
                self._consider(statement)
        accepted = (
            replace(statement, implies=tuple(dict.fromkeys(self._implied[statement.id])))
            for statement in self.accepted
        )
        return sorted([*accepted, *self.refuted], key=_rank)

    def answer(self, kind: Kind, subject: Subject) -> Any:
        """Return the answer to a question.

        A trial returns the statement with its verdict. If it is also right for too many randomised bars, a trial returns a `Searched`
        with this reason.
        """
        if isinstance(subject, comparison.Consequence):
            return subject.decided()
        if kind == "for all":
            assert self.for_all is not None
            return self.for_all(subject)
        if kind == "larger table":
            return searched_again(subject, self.tables)
        chance = right_by_chance(subject, self._covered_games(subject))
        if chance is not None and chance >= MANY:
            why = f"right, but also right for {chance} of {BARS} random bars of similar height"
            return not_reported(subject, why)
        return Trials(self.tables, self.catalogue, self.decide).tried(subject)

    def _answer(self, kind: Kind, subject: Subject) -> Any:
        key = kind, subject.id
        if key not in self._asked:
            if sum(other == kind for other, _ in self._asked) >= MOST_ASKED.get(kind, math.inf):
                return None
            self._asked[key] = self.answers.get(key)
            if self._asked[key] is None:
                if self.open is None:
                    self._asked[key] = self.answer(kind, subject)
                else:
                    self.open[key] = subject
        return self._asked[key]

    def _decided(self, question: comparison.Consequence) -> comparison.Decided:
        answer: comparison.Decided = self._answer("implication", question) or "undecided"
        return answer

    def _covered_games(self, statement: FoundStatement) -> list[str]:
        """Return the `covered_games` of a statement, from a cache."""
        if statement.id not in self._games:
            self._games[statement.id] = covered_games(statement, self.tables)
        return self._games[statement.id]

    def _strength(self, statement: FoundStatement) -> tuple[object, ...]:
        """Return a sort key: a statement comes before those that it may imply.

        Formulas for all positions come first. They are sorted by: more parameters, fewer conditions, fewer exceptions, shorter
        formulas. Statements on values come first if they exclude more of the sampled positions from the P-positions.
        """
        excluded = 0
        if statement.kind == "values":
            games = self._covered_games(statement)
            meant = comparison.meaning(statement.claims[0], games[0]) if games else None
            excluded = int(meant.domain.sum()) if meant is not None and meant.of == "p" else 0
        given = [claim.determined for claim in statement.claims]
        return (
            statement.kind not in ("grundy", "p-positions"),
            not statement.pattern.names,
            bool(statement.when),
            -math.prod(len(set(values)) for values in statement.parameters.values()),
            -excluded,
            any(one is not None and one.where is not None for one in given),
            len(statement.claims),
            statement.size,
            statement.text,
        )

    def _consider(self, statement: FoundStatement) -> None:
        if self._fold(statement):
            return
        proposed_id, tables = statement.id, statement.held_on.tables
        answer = self._answer("trial", statement)
        if answer is None:
            self._keep(statement)
            if self.answers:  # last round: also ask for its implications, as if it were right
                self._known(statement)
            return
        if isinstance(answer, Searched):
            self.by_chance.append(answer)
            return
        statement = answer
        if proposed_id in self._doubtful and (
            statement.verdict == "refuted" or statement.held_on.tables - tables < FEWEST_MORE_GAMES
        ):
            return
        if statement.verdict != "refuted":
            # A narrower statement may follow from others.
            if statement.id != proposed_id and self._fold(statement):
                return
            if self.for_all is not None and claim_for_all(statement) is not None:
                statement = self._answer("for all", statement) or statement
        if statement.verdict == "refuted":
            self.refuted.append(statement)
            return
        known, known_as, known_on = self._known(statement)
        follows_from, follows_on = self._settled_by(statement)
        if statement.verdict == "unchecked" and statement.kind in SEARCHES and not follows_from:
            is_right, why = self._answer("larger table", statement) or (True, "")
            if not is_right:
                self.unsure.append(not_reported(statement, why))
                return
            if why:
                text = f"it was right on {statement.held_on.what}; {why}"
                statement = statement.concluded("unchecked", text)
        statement = replace(
            statement,
            known=known,
            known_as=known_as,
            known_on=known_on,
            follows_from=follows_from,
            follows_on=follows_on,
        )
        if statement.verdict != "undecided":  # nothing follows from it
            self._fold_earlier(statement)
            self._keep(statement)
        self.accepted.append(statement)

    def _known(self, statement: FoundStatement) -> tuple[tuple[str, ...], KnownAs, ComparedOn]:
        """Return lemmas or claims that imply a statement, how, and where."""
        if statement.claims and (by_lemma := comparison.lemmas(statement.claims[0])):
            return by_lemma, "the same", "what is written"
        known, on = self._premises(statement, self.catalogue)
        if not known:
            known = self._settled_relation(statement, self.catalogue)
            return known, "more" if known else "the same", on
        games = self._covered_games(statement)
        every = [*games, *further_games(statement, self.tables)]
        if not comparison.cover_all(known, every, self.catalogue):
            return known, "of fewer games", on
        same = comparison.equivalent_claims(statement.claims, games, self.catalogue, known)
        return (same, "the same", on) if same else (known, "more", on)

    def _keep(self, statement: FoundStatement) -> None:
        own = _claims_by_name(statement)
        self._claims = Catalogue({**self._claims.claims, **own})
        self._owners |= dict.fromkeys(own, statement.id)

    def _premises(
        self, statement: FoundStatement, catalogue: Catalogue
    ) -> tuple[tuple[str, ...], ComparedOn]:
        """Return claims that together imply a statement, and where they were compared."""
        games = self._covered_games(statement)
        by_claim = [comparison.sources(claim, games, catalogue) for claim in statement.claims]
        names = tuple(dict.fromkeys(chain.from_iterable(by_claim))) if all(by_claim) else ()
        premises = [catalogue.claims[name] for name in names]
        if catalogue is self.catalogue:
            # claims may be about fewer games than the statement
            games = [game for game in games if comparison.cover_all(names, [game], catalogue)]
        on = (
            comparison.compared(statement.claims, premises, games, self._decided) if names else None
        )
        return (names, on) if on is not None else ((), "sampled positions")

    def _fold(self, statement: FoundStatement) -> bool:
        """List a statement under the first of those that imply it, if there are any."""
        premises, on = self._premises(statement, self._claims)
        premises = premises or self._settled_relation(statement, self._claims)
        premises = premises or self._settled_law(statement)
        if premises:
            text = self._implied_text(statement, premises)
            self._implied[self._owners[premises[0]]].append(Implied(text, on))
        return bool(premises)

    def _implied_text(self, statement: FoundStatement, premises: Iterable[str]) -> str:
        """Return the text of an implied statement, if necessary with parameters.

        An untried statement on a family follows only for the parameters that were seen. It follows for all of them if a premise on the
        same family has no condition.
        """
        claims = [self._claims.claims[name].statement for name in premises]
        is_general = any(one.ruleset == statement.ruleset and not one.when for one in claims)
        if is_general or statement.when or not statement.pattern.names:
            return statement.text
        line = statement.text.removeprefix(f"{statement.ruleset}: ")
        return f"{statement.ruleset}, {parameters_text(statement.points)}: {line}"

    def _settled_law(self, statement: FoundStatement) -> tuple[str, ...]:
        """Return claims that determine all Grundy numbers in a law, such as a period."""
        if statement.kind != Evaluated.kind or statement.claims[0].quantities != ("grundy",):
            return ()
        games = spread(self._covered_games(statement))
        settled = [comparison.settled_by(game, "grundy", self._claims) for game in games]
        return tuple(dict.fromkeys(chain.from_iterable(settled))) if all(settled) else ()

    def _settled_relation(self, statement: FoundStatement, catalogue: Catalogue) -> tuple[str, ...]:
        """Return claims that determine both games of a relation, if it is one."""
        if statement.kind != "related":
            return ()
        (claim,), games = statement.claims, self._covered_games(statement)
        if not comparison.follows_from_formulas(claim, games, catalogue):
            return ()  # the usual case; further games take longer to find
        games += further_games(statement, self.tables)
        return comparison.follows_from_formulas(claim, games, catalogue)

    def _fold_earlier(self, statement: FoundStatement) -> None:
        """List accepted statements under a new one that implies them and is as sure.

        A statement proposed for more games comes first. After narrowing, it may follow from a later one.
        """
        own = Catalogue(_claims_by_name(statement))
        for other in list(self.accepted):
            sure, other_sure = (STRONGEST_FIRST.index(one.verdict) for one in (statement, other))
            if other.ruleset != statement.ruleset or other_sure < sure:
                continue
            premises, on = self._premises(other, own)
            if premises:
                self.accepted.remove(other)
                implied = [Implied(other.text, on), *self._implied.pop(other.id, [])]
                self._implied[statement.id] += implied
                self._owners = {name: of for name, of in self._owners.items() if of != other.id}
                claims = self._claims.claims
                self._claims = Catalogue({name: claims[name] for name in self._owners})

    def _settled_by(self, statement: FoundStatement) -> tuple[tuple[str, ...], ComparedOn]:
        """Return accepted statements that imply one on pictures or counts, and where."""
        if statement.source is None or statement.search not in (*SEARCHES, "lines"):
            return (), "sampled positions"
        ways = set[ComparedOn | None]()
        used: dict[str, None] = {}
        points = choices_seen(statement)
        some = spread(points)
        for point in some:
            game = build(statement.pattern, point, Path()).notation
            names = comparison.settled_by(game, "p", self._claims)
            premises = [self._claims.claims[name] for name in names]
            ways.add(comparison.compared_settled(premises, game, self._decided) if names else None)
            used |= dict.fromkeys(map(self._owners.__getitem__, names))
        if not used or None in ways:
            return (), "sampled positions"
        is_decided = ways == {"all positions"} and len(some) == len(points)
        return tuple(used), "all positions" if is_decided else "sampled positions"


def _claims_by_name(statement: FoundStatement) -> dict[str, Claim]:
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
    """Return the searches of a run as functions; `laws` are among their statements."""

    def single() -> Proposals:
        return Proposals.merged([single_tables(mined), Proposals(laws)])

    of_pairs = relations(mined, families) if related_games else []
    return [single, *of_pairs, *(partial(_of_family, family) for family in families)]


#: The searches of a family, each with the kinds of findings on which it is run.
FAMILY_SEARCHES: tuple[tuple[set[str], Callable[[TableFamily], Proposals]], ...] = (
    ({"value-sets"}, lambda family: FamilyModuli(family).proposals()),
    ({"formulas", "statements"}, generalise),
)


def _of_family(family: TableFamily) -> Proposals:
    kinds = {finding.kind for member in family.members for finding in member.findings}
    return Proposals.merged(search(family) for needed, search in FAMILY_SEARCHES if kinds & needed)


def document_of(searched: Sequence[Proposals], finder: Finder) -> FoundDocument:
    """Return the document of found statements, best first, and of searches."""
    proposed = Proposals.merged(searched)
    found = tuple(finder.consider(proposed.statements, proposed.doubtful))
    # Further games may have confirmed a line that was found in too few tables.
    stated = {(one.ruleset, of_line(one.statement)) for one in found if one.verdict != "refuted"}
    searches = [one for one in proposed.searches if (one.game, one.what) not in stated]
    return FoundDocument(statements=found, searches=(*searches, *finder.by_chance, *finder.unsure))


def _rank(statement: FoundStatement) -> tuple[object, ...]:
    """Return the sort key of the order in which statements are shown.

    Refuted statements come last, and before them those that follow from others. The rest is sorted by verdict, proved statements
    first, and then by: unknown before known, families before single games, formulas before relations to other games, size.
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
