"""From a game to a proof: guess its relation from tables, then decide what must hold of it for all positions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import ChocoError, HeightError, LimitError
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.contradiction import contradiction, height_falls
from choco_pipeline.proof.engine import Decision, Engine
from choco_pipeline.proof.errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.guess import MOST_RESIDUALS, Guesser, relation_tracks
from choco_pipeline.proof.logic import And, Exists, Not, Or, Sentence
from choco_pipeline.proof.logic import Member as InRelation
from choco_pipeline.proof.members import Relation
from choco_pipeline.proof.mona import decide_with_mona, mona_version
from choco_pipeline.proof.obligations import Obligation, obligations, relation_name
from choco_pipeline.tables.schema import unwrap

EngineName = Literal["own", "mona"]
Status = Literal["proved", "refuted", "undecided"]

#: MONA's processes at a time; each may need gigabytes.
PROCESSES = 2


class RelationError(ChocoError):
    """The automata that are to be checked do not fit the game."""


class DisagreementError(RuntimeError):
    """Two engines, or an engine and the definition, contradict each other: one of them is wrong."""


@dataclass(frozen=True)
class Check:
    """One obligation that an engine found to hold.

    Attributes
    ----------
    obligation
        What holds.
    engine
        Which engine says so.
    seconds
        How long it took.
    states
        The largest automaton on the way; 0 where the engine does not say.
    """

    obligation: Obligation
    engine: EngineName
    seconds: float
    states: int


@dataclass(frozen=True)
class Proof:
    """What is known of a relation of a game.

    Attributes
    ----------
    ruleset, relation
        The game, and whether this is about its P-positions or its Grundy numbers.
    status
        ``proved``: `automata` hold exactly them, for all positions. ``refuted``: the given automata do not.
        ``undecided``: no automata were found, or no engine came to an end.
    why
        The reason, in a sentence.
    automata
        For no pass left, for one and so on; of an undecided game, those that are proved.
    checks
        What the engines found to hold.
    seconds
        In all, with the tables and the guesses.
    growth
        Of an undecided game, the number of different residuals of words of at most 0, 1, 2, … digits.
    """

    ruleset: Ruleset
    relation: Relation
    status: Status
    why: str
    automata: tuple[Automaton, ...]
    checks: tuple[Check, ...]
    seconds: float
    growth: tuple[int, ...] = ()

    @property
    def states(self) -> tuple[int, ...]:
        """Numbers of states, for no pass left, for one and so on."""
        return tuple(automaton.states for automaton in self.automata)

    @property
    def engines(self) -> tuple[EngineName, ...]:
        """The engines that found every obligation to hold; none if nothing is proved."""
        if self.status != "proved":
            return ()
        said = {name: {c.obligation for c in self.checks if c.engine == name} for name in ENGINES}
        return tuple(
            name for name in ENGINES if said[name] and said[name] >= max(said.values(), key=len)
        )


ENGINES: tuple[EngineName, ...] = ("own", "mona")


def installed_engines() -> tuple[EngineName, ...]:
    """Return the engines that this machine has."""
    return ENGINES if mona_version() is not None else ("own",)


def prove(
    ruleset: Ruleset,
    relation: Relation = "p",
    *,
    engines: Sequence[EngineName] | None = None,
    seconds: float = 60.0,
) -> Proof:
    """Look for automata of a game's P-positions or Grundy numbers, and prove that they are them.

    Parameters
    ----------
    ruleset
        The game.
    relation
        ``p`` or ``grundy``.
    engines
        Which engines must agree; the installed ones by default.
    seconds
        About so long is looked for a proof.

    Returns
    -------
    Proof
        ``proved`` or ``undecided``.

    Raises
    ------
    HeightError
        If a height function is negative or falls, however far out.
    DisagreementError
        If the engines contradict each other, or one contradicts the definition.

    Examples
    --------
    >>> from choco_pipeline import StripBar
    >>> proof = prove(StripBar(k=4, s=2), engines=["own"])
    >>> proof.status, proof.states
    ('proved', (17,))
    """
    search = _Search(ruleset, relation, tuple(engines or installed_engines()), seconds)
    automata: list[Automaton] = []
    checks: list[Check] = []
    try:
        todo = obligations(ruleset, relation)
        for passes in range(unwrap(ruleset)[1] + 1):
            search.find(passes, [o for o in todo if o.passes == passes], automata, checks)
    except (NotDefinableError, LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error), automata, checks)
    return search.proof("proved", search.said, automata, checks)


def check_relation(
    ruleset: Ruleset,
    automata: Mapping[int, Automaton],
    relation: Relation = "p",
    *,
    engines: Sequence[EngineName] | None = None,
    seconds: float = 60.0,
) -> Proof:
    """Decide whether given automata are a game's P-positions or Grundy numbers.

    Parameters
    ----------
    ruleset, relation, engines, seconds
        As for `prove`.
    automata
        By the number of passes left; tracks "0", "1", … are the coordinates without passes, and then the Grundy number.

    Raises
    ------
    RelationError
        If an automaton is missing, or has the wrong tracks.
    HeightError
        As for `prove`.
    NotDefinableError
        If what must hold cannot be said.
    DisagreementError
        If the engines contradict each other, or one contradicts the definition.
    """
    given = _fitting(ruleset, relation, automata)
    search = _Search(ruleset, relation, tuple(engines or installed_engines()), seconds)
    checks: list[Check] = []
    try:
        wrong = search.check(obligations(ruleset, relation), given, checks)
    except (LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error), given, checks)
    if wrong is not None:
        return search.proof("refuted", wrong.why, given, checks)
    return search.proof("proved", search.said, given, checks)


@dataclass(frozen=True)
class Refutation:
    """How automata contradict the definition: at which coordinates without passes, and the largest number that says so."""

    why: str
    position: Position
    largest: int


@dataclass
class _Search:
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
        at = decision.counterexample or {}
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


def _fitting(
    ruleset: Ruleset, relation: Relation, automata: Mapping[int, Automaton]
) -> tuple[Automaton, ...]:
    needed = range(unwrap(ruleset)[1] + 1)
    if sorted(automata) != list(needed):
        given = ", ".join(map(str, sorted(automata))) or "none"
        raise RelationError(
            f"{ruleset.notation}: automata for 0 to {needed[-1]} passes left are needed, found {given}"
        )
    tracks = tuple(sorted(relation_tracks(ruleset, relation)))
    for passes, automaton in sorted(automata.items()):
        if automaton.tracks != tracks:
            raise RelationError(
                f"{ruleset.notation}: the automaton for {passes} passes left has tracks {', '.join(automaton.tracks)},"
                f" needed are {', '.join(tracks)}"
            )
    return tuple(automata[passes] for passes in needed)


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
