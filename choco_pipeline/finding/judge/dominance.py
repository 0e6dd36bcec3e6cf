"""Implication between claims at all positions of a game, decided by automata.

Idea: each claim becomes sentences on the coordinates of a position: the positions that it is about, and its outcome or Grundy number
there. Claims imply another one if at each position that it is about one of them says the same. The moves of the game do not matter,
because the truth of the claims is another question.

Invariant: the answer is "proved" only if a sentence holds at all positions. It is "refuted" only if every claim has sentences, and
automata find a position, or a member of a set, about which no claim says the same.

Cost: some milliseconds for a game, and some tenths of a second if every member of a set must be a value. The decision does not depend
on the speed of the machine, because automata are limited by their states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from choco_pipeline.claims.kinds import Evaluated, GrundyNumbers, PPositions, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.judge.comparison import environment
from choco_pipeline.finding.statements.statement import ComparedOn
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import render, substitute
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.logic import (
    FALSE,
    TRUE,
    Sentence,
    conjunction,
    disjunction,
    exists,
    implies,
    negation,
)
from choco_pipeline.proof.follows import nodes
from choco_pipeline.proof.games.obligations import legal
from choco_pipeline.proof.proof_errors import NotDefinableError
from choco_pipeline.proof.statements.sentences import (
    VALUE,
    at_most_each,
    has_value,
    holds,
    signed,
)
from choco_pipeline.provenance import digest

#: States of an automaton before it is minimised: those of two statements on a bar with k below 100 have some thousands.
MOST_STATES = 20_000
#: A statement on more games is compared at sampled positions only, and so are all statements after this number of questions.
MOST_GAMES, MOST_QUESTIONS = 64, 1_000

#: Other claims are compared as texts.
ON_POSITIONS = (PPositions.kind, GrundyNumbers.kind, Values.kind, Evaluated.kind)

Decided = Literal["proved", "refuted", "undecided"]
#: What claims give for positions: outcomes or Grundy numbers.
Told = Literal["p", "grundy"]


@dataclass(frozen=True)
class Consequence:
    """The question whether claims together imply another claim at all positions of a game.

    Without that claim, the question is whether they are about all positions.
    """

    #: The conclusion.
    claim: Claim | None
    premises: tuple[Claim, ...]
    #: The notation of the game, without parameters.
    game: str
    #: What the claims give for positions.
    told: Told

    @property
    def key(self) -> str:
        """A key that is equal for equal questions."""
        contents = [claim and claim.as_json() for claim in (self.claim, *self.premises)]
        return digest([contents, self.game, self.told])

    def decided(self) -> Decided:
        """Return the answer of our engine."""
        try:
            return _Question(self).decided()
        except ChocoError:  # no sentence says it, or it is too large to decide
            return "undecided"


@dataclass
class Dominance:
    """Decides such questions, or collects them for workers."""

    #: Answers by the keys of the questions.
    known: dict[str, Decided] = field(default_factory=dict)
    #: Whether open questions are decided here.
    decides: bool = True
    #: Open questions by key.
    asked: dict[str, Consequence] = field(default_factory=dict)

    def compared(
        self, claims: Sequence[Claim], premises: Sequence[Claim], games: Sequence[str]
    ) -> ComparedOn | None:
        """Return where claims that follow from others at sampled positions of some games are compared; None if they do not follow."""
        if not any(claim.check.kind in ON_POSITIONS for claim in claims):
            return "what is written"
        if len(games) > MOST_GAMES or any(claim.check.kind == Evaluated.kind for claim in claims):
            return "sampled positions"
        return self._compared(
            Consequence(
                claim,
                tuple(premises),
                game,
                "p" if claim.numbers is None else "grundy",
            )
            for claim in claims
            for game in games
        )

    def settled(self, premises: Sequence[Claim], game: str) -> ComparedOn | None:
        """Return how it is known that claims determine the P-positions of a game; None if they do not."""
        return self._compared([Consequence(None, tuple(premises), game, "p")])

    def _compared(self, questions: Iterable[Consequence]) -> ComparedOn | None:
        answers = {self._answer(question) for question in questions}
        if "refuted" in answers:
            return None
        return "all positions" if answers == {"proved"} else "sampled positions"

    def _answer(self, question: Consequence) -> Decided:
        key = question.key
        if key not in self.known and len(self.known) < MOST_QUESTIONS:
            self.asked[key] = question
            self.known[key] = question.decided() if self.decides else "undecided"
        return self.known.get(key, "undecided")


@dataclass(frozen=True)
class _Said:
    """The sentences of a claim for a number of passes left."""

    #: The positions that it is about.
    speaks: Sentence
    #: The positions that it says to be P.
    is_p: Sentence = FALSE
    #: Its Grundy number.
    number: Formula | None = None

    def says_as(self, other: _Said) -> Sentence:
        """Return the positions that it is about and where it agrees with another claim."""
        if self.number is not None and other.number is not None:
            return conjunction(self.speaks, holds(_equal(self.number, other.number.text), {}))
        both = conjunction(self.is_p, other.is_p)
        neither = conjunction(negation(self.is_p), negation(other.is_p))
        return conjunction(self.speaks, disjunction(both, neither))


@dataclass(frozen=True)
class _Question:
    """A consequence with the engine that decides it."""

    asked: Consequence

    @cached_property
    def engine(self) -> Engine:
        return Engine({}, most_states=MOST_STATES)

    @cached_property
    def game(self) -> Ruleset:
        return parse_ruleset(self.asked.game)

    @cached_property
    def position(self) -> Sentence:
        """Whether coordinates are a position."""
        return legal(self.game.base, self.game.base.coordinates)

    def decided(self) -> Decided:
        """Return whether it follows, with each number of passes left."""
        claim, passes = self.asked.claim, range(self.game.passes + 1)
        told = [list(self._premises(left)) for left in passes]
        known = [[premise for premise in premises if premise is not None] for premises in told]
        otherwise: Decided = (
            "undecided" if any(None in premises for premises in told) else "refuted"
        )
        for left in passes:
            spoken: Sentence = TRUE
            same = [premise.speaks for premise in known[left]]
            if claim is not None:
                own = self._said(claim, self.game, left)
                if own is None:
                    return "undecided"
                spoken, same = own.speaks, [premise.says_as(own) for premise in known[left]]
            if not self._holds(implies(self.position, spoken, disjunction(*same))):
                return otherwise
        claimed = None if claim is None else claim.value_set
        if claim is None or claimed is None or claimed.relation == "within":
            return "proved"
        # Claims on values say of positions that they are not P, and of none that it is.
        on_values = {premise.value_set is not None for premise in self.asked.premises}
        if False not in on_values:
            return "undecided"
        if all(self._occur(claim, claimed, known, sign) for sign in (False, True)):
            return "proved"
        return "undecided" if True in on_values else otherwise

    def _holds(self, sentence: Sentence) -> bool:
        return self.engine.decide(sentence).valid

    def _premises(self, left: int) -> Iterator[_Said | None]:
        """Yield the sentences of each premise that is about the game; None if it has none."""
        bar, strip = self.game.without_strip, self.game.rules.free
        for claim in self.asked.premises:
            try:
                if environment(claim, self.game.notation) is not None:
                    yield self._said(claim, self.game, left)
                elif bar is not None and environment(claim, bar.notation) is not None:
                    yield self._said(claim, bar, left, strip)
            except NotDefinableError:
                yield None

    def _said(
        self, claim: Claim, game: Ruleset, left: int, strip: str | None = None
    ) -> _Said | None:
        """Return the sentences of a claim. Grundy numbers of a bar give the P-positions of the bar beside a strip."""
        names, reach = environment(claim, game.notation), claim.reach
        check = claim.outcomes or claim.numbers or claim.value_set
        if names is None or check is None:
            return None
        values = names | self._passes(left)
        end = None if reach is None else int(reach.value(names))
        inside = at_most_each(game.base.coordinates, end)
        speaks = conjunction(inside, holds(check.where, values))
        match check:
            case GrundyNumbers() if self.asked.told == "grundy":
                return _Said(speaks, number=check.equals.substitute(values))
            case GrundyNumbers():
                return _Said(speaks, holds(_equal(check.equals, strip or "0"), values))
            case PPositions(relation="exactly") if self.asked.told == "p":
                return _Said(speaks, holds(check.formula, values))
            case Values(relation="contains-all"):  # says which values there are, and of no position
                return _Said(FALSE)
            case Values() if self.asked.told == "p":
                member = parse(render(substitute(nodes(check.values), {"v": nodes(check.of)})))
                return _Said(conjunction(speaks, negation(holds(member, values))))
            case _:
                return None

    def _passes(self, left: int) -> dict[str, int]:
        """Return the number of passes left by its name, if it has one."""
        return dict.fromkeys(self.game.coordinates[len(self.game.base.coordinates) :], left)

    def _occur(
        self, claim: Claim, check: Values, known: Sequence[Sequence[_Said]], negative: bool
    ) -> bool:
        """Whether each member of a set, of one sign, is a value at a position that the premises say to be P."""
        names = environment(claim, self.asked.game) or {}
        member = holds(check.values, names, {"v": signed(VALUE, negative)})
        if self._holds(negation(member)):
            return True
        reached = []
        for left, premises in enumerate(known):
            values = names | self._passes(left)
            is_p = disjunction(*(conjunction(premise.speaks, premise.is_p) for premise in premises))
            counted = conjunction(self.position, holds(check.where, values), is_p)
            value = has_value(check.of, values, VALUE, negative=negative)
            reached.append(exists(self.game.base.coordinates, conjunction(counted, value)))
        return self._holds(implies(member, disjunction(*reached)))


def _equal(formula: Formula, text: str) -> Formula:
    return parse(f"({formula.text}) == ({text})")
