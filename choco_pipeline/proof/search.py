"""The search for a proof: guesses of a relation, each checked by the engines, and refined by what refutes it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import HeightError, LimitError
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.contradiction import contradiction, height_falls
from choco_pipeline.proof.engine import Decision, Engine
from choco_pipeline.proof.engines import DisagreementError, EngineName
from choco_pipeline.proof.errors import UndecidedError
from choco_pipeline.proof.guess import MOST_RESIDUALS, Guesser
from choco_pipeline.proof.logic import And, Exists, Not, Or, Sentence
from choco_pipeline.proof.logic import Member as InRelation
from choco_pipeline.proof.members import Relation
from choco_pipeline.proof.mona import decide_with_mona
from choco_pipeline.proof.obligations import Obligation, relation_name
from choco_pipeline.proof.proved import Check, Proof, Status
from choco_pipeline.tables.schema import unwrap

#: MONA's processes at a time; each may need gigabytes.
PROCESSES = 2


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
    engines: tuple[EngineName, ...]
    limit: float
    started: float = field(default_factory=time.monotonic)
    guesser: Guesser = field(init=False)
    growth: tuple[int, ...] = ()
    silent: dict[EngineName, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.guesser = Guesser(self.ruleset, self.relation)

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return self.limit - (time.monotonic() - self.started)

    @property
    def said(self) -> str:
        """What there is to say of a proof."""
        return "; ".join(
            ["the automata satisfy the definition at every position", *self.silent.values()]
        )

    @property
    def _over(self) -> str:
        return f"the {self.limit:g} seconds are over"

    def proof(
        self, status: Status, why: str, automata: Sequence[Automaton], checks: Sequence[Check]
    ) -> Proof:
        """Return what was found, with the time that it took."""
        seconds = time.monotonic() - self.started
        growth = self.growth if status == "undecided" else ()
        found = (tuple(automata), tuple(checks))
        return Proof(self.ruleset, self.relation, status, why, *found, seconds, growth)

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
            if self.left <= 0:
                raise UndecidedError(f"{name}: {self._over}")
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
            where = "" if self.growth[-1] > MOST_RESIDUALS else " in the tables that are worth it"
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
        found: list[Check] = []
        silent: dict[EngineName, str] = {}
        for engine in self.engines:
            answers: list[Check] = []
            try:
                # a guess that is too large for one engine leaves time for others after the second one
                seconds = self.left / 2 if silent else self.left
                for obligation, decision in self._decisions(engine, todo, relations, seconds):
                    if not decision.valid:
                        if found:
                            raise DisagreementError(
                                f"{obligation.name!r} of {self.ruleset.notation} is right by {found[0].engine},"
                                f" wrong by {engine}"
                            )
                        return self._contradiction(obligation, automata, engine, decision)
                    answers.append(Check(obligation, engine, decision.seconds, decision.states))
            except (LimitError, UndecidedError) as error:
                prefix = "" if engine == "mona" else "our engine gave no answer: "
                silent[engine] = f"{prefix}{error}"
            else:
                found += answers
        if not found:
            raise UndecidedError("; ".join(silent.values()))
        self.silent |= silent
        checks += found
        return None

    def _decisions(
        self,
        engine: EngineName,
        todo: Sequence[Obligation],
        relations: Mapping[str, Automaton],
        seconds: float,
    ) -> Iterator[tuple[Obligation, Decision]]:
        if engine == "mona":
            with ThreadPoolExecutor(PROCESSES) as pool:
                asked = [
                    pool.submit(decide_with_mona, o.sentence, relations, seconds) for o in todo
                ]
                for obligation, decision in zip(todo, asked, strict=True):
                    yield obligation, decision.result()
            return
        own = Engine(relations)  # which keeps what several obligations need
        for obligation in todo:
            if self.left <= 0:
                raise UndecidedError(self._over)
            yield obligation, own.decide(obligation.sentence, self.left)

    def _contradiction(
        self,
        obligation: Obligation,
        automata: Sequence[Automaton],
        engine: EngineName,
        decision: Decision,
    ) -> Refutation:
        at = {str(name): value for name, value in (decision.counterexample or {}).items()}
        if not _speaks_of_relations(obligation.sentence) and height_falls(self.ruleset, at):
            where = ", ".join(f"{name} = {value}" for name, value in at.items())
            raise HeightError(f"{self.ruleset.notation}: {obligation.name}, but for {where}")
        wrong = contradiction(self.ruleset, self.relation, automata, obligation.passes, at)
        if wrong is None:
            raise DisagreementError(
                f"{engine} finds {obligation.name!r} of {self.ruleset.notation} wrong at {at},"
                f" where it is right by definition"
            )
        base, _ = unwrap(self.ruleset)
        position = tuple(at.get(name, 0) for name in base.coordinates)
        # a Grundy number is at most the number of options, the sum of the coordinates
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
