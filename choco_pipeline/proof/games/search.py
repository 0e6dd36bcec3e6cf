"""The search for a proof: guesses of a relation, each decided by the engine, and refined by its counterexamples.

Idea: a relation is guessed as an automaton from a table. Sentences, the obligations, say that it is the relation of the game; the
engine decides them for all positions. The counterexample of a false one is compared with the definition; it then separates
residuals in later guesses. Fewer passes come first, as more passes depend on them.

Invariant: a game is proved only if the engine has found every obligation valid. A counterexample that the definition does not
confirm is an error, and no guess.

Cost: a table for each guess, and an automaton for each obligation of it, which may be much larger than the guess; all of it under
one clock.
Source: the refinement is that of O. Maler and A. Pnueli, On the learnability of infinitary regular sets (1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import DisagreementError, HeightError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.arithmetic.engine import Decision, Engine
from choco_pipeline.proof.arithmetic.logic import And, Exists, Not, Or, Sentence
from choco_pipeline.proof.arithmetic.logic import Member as InRelation
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.contradiction import contradiction, height_falls
from choco_pipeline.proof.games.guess import Guesser, SearchSize
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.obligations import Obligation, relation_name
from choco_pipeline.proof.games.proved import Check, Proof, Status
from choco_pipeline.proof.proof_errors import UndecidedError

#: The reason of a proof.
PROVED = "the automata satisfy the definition at every position"


@dataclass(frozen=True)
class Refutation:
    """How automata contradict the definition: at which coordinates without passes, and the largest number that says so."""

    why: str
    position: Position
    largest: int


@dataclass
class Search:
    """One search for a proof, with its clock."""

    ruleset: Ruleset
    relation: Relation
    clock: Clock
    size: SearchSize = field(default_factory=SearchSize)
    guesser: Guesser = field(init=False)
    growth: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.guesser = Guesser(self.ruleset, self.relation, self.clock, self.size)

    def proof(
        self, status: Status, why: str, automata: Sequence[Automaton], checks: Sequence[Check]
    ) -> Proof:
        """Return what was found, with the time that it took."""
        seconds = self.clock.spent
        growth = self.growth if status == "undecided" else ()
        searched = (tuple(automata), tuple(checks))
        return Proof(self.ruleset, self.relation, status, why, *searched, seconds, growth)

    def find(
        self,
        passes: int,
        todo: Sequence[Obligation],
        automata: list[Automaton],
        checks: list[Check],
    ) -> None:
        """Add the automaton for `passes` passes left, proved; raise `UndecidedError` if there is none."""
        refused: list[Automaton] = []
        self.growth = ()
        name = relation_name(passes)
        too_large = ""
        for learned in self.guesser.attempts(passes):
            guess = learned.automaton
            if self.clock.left <= 0:
                raise UndecidedError(f"{name}: {self.clock.over}")
            self.growth = learned.growth if guess is None else ()
            if guess is None or guess in refused:
                continue
            refused.append(guess)
            try:
                wrong = self.check(todo, [*automata, guess], checks)
            except UndecidedError as error:  # a wrong guess may be larger than the right one
                too_large = f"{name}, guessed with {guess.states} states: {error}"
                continue
            if wrong is None:
                automata.append(guess)
                return
            self.guesser.refute(passes, guess, wrong.position, wrong.largest)
        if too_large:
            raise UndecidedError(too_large)
        if self.growth:
            digits = len(self.growth) - 1
            where = (
                "" if self.growth[-1] > self.size.residuals else " in the tables that are worth it"
            )
            raise UndecidedError(
                f"{name} does not close{where}: {self.growth[-1]} residuals of words to {digits} digits, and growing"
            )
        what = f"the last of {refused[-1].states} states, by proof" if refused else "by samples"
        raise UndecidedError(
            f"{name} is guessed wrongly from every table that is small enough, {what}"
        )

    def check(
        self, todo: Sequence[Obligation], automata: Sequence[Automaton], checks: list[Check]
    ) -> Refutation | None:
        """Add what is found to hold to `checks`; return where the automata contradict the definition, if they do."""
        relations = {relation_name(p): automaton for p, automaton in enumerate(automata)}
        engine = Engine(relations, self.clock.left, most_states=self.size.states)
        done: list[Check] = []
        for obligation in todo:
            decision = engine.decide(obligation.sentence)
            if not decision.valid:
                return self._contradiction(obligation, decision, automata)
            done.append(Check(obligation, decision.seconds, decision.states))
        checks += done
        return None

    def _contradiction(
        self,
        obligation: Obligation,
        decision: Decision,
        automata: Sequence[Automaton],
    ) -> Refutation:
        at = {str(name): value for name, value in (decision.counterexample or {}).items()}
        if not _speaks_of_relations(obligation.sentence) and height_falls(self.ruleset, at):
            where = assigned(at)
            raise HeightError(f"{self.ruleset.notation}: the height falls at {where}")
        what = f"{obligation.name!r} is wrong at {at} by the engine"
        try:
            wrong = contradiction(
                self.ruleset, self.relation, automata, obligation.passes, at, self.clock
            )
        except UndecidedError as error:
            raise UndecidedError(
                f"{what}; whether it is by the definition is not known: {error}"
            ) from error
        if wrong is None:
            raise DisagreementError(
                f"{self.ruleset.notation}: {what}, where it is right by definition"
            )
        base = self.ruleset.base
        position = tuple(at.get(name, 0) for name in base.coordinates)
        # a Grundy number is at most the number of moves in the longest play, and each lowers a coordinate
        return Refutation(wrong, position, max([sum(position), *at.values()]))


def _speaks_of_relations(sentence: Sentence) -> bool:
    match sentence:
        case InRelation():
            return True
        case And(parts) | Or(parts):
            return any(map(_speaks_of_relations, parts))
        case Not(part) | Exists(_, part):
            return _speaks_of_relations(part)
        case _:
            return False
