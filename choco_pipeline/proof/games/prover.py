"""Proofs of games: a relation is guessed from tables, and decided everywhere.

Idea: a relation is guessed as an automaton from a table. Sentences, the obligations, say that it is the relation of the game; the
engine decides them for all positions. The counterexample of a false one is compared with the definition; it then separates
residuals in later guesses. Fewer passes come first, because more passes depend on them.

Invariant: a game is proved only if the engine has found every obligation valid. A counterexample that the definition does not
confirm is an error, and no guess.

Cost: a table for each guess, and an automaton for each obligation of it, which may be much larger than the guess; all of it under
one clock.
Source: the refinement is that of O. Maler and A. Pnueli, On the learnability of infinitary regular sets (1995).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from choco_pipeline.automata.algebra import restricted
from choco_pipeline.automata.dfa import Automaton, listed
from choco_pipeline.errors import ChocoError, DisagreementError, HeightError, LimitError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Position, Ruleset, as_game, mex
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.proof.arithmetic.engine import Decision, Engine
from choco_pipeline.proof.arithmetic.logic import And, Exists, Member, Not, Or, Sentence
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.proof.games.guess import Guesser, SearchSize, relation_tracks
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.obligations import Obligation, obligations, relation_name
from choco_pipeline.proof.games.periods import (
    Period,
    find_period,
    is_period,
    periodic_automaton,
    values_below,
)
from choco_pipeline.proof.games.proved import Check, Proof, Status
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError

#: The reason of a proof.
PROVED = "the automata satisfy the definition at every position"
#: Grundy numbers that are tried at a time.
BATCH = 1 << 14
#: Values of one position that are listed; a second one is a contradiction already.
SHOWN = 5


class RelationError(ChocoError):
    """The given automata do not fit the game."""


def prove(
    ruleset: Ruleset | str,
    relation: Relation = "p",
    seconds: float = 60.0,
    size: SearchSize | None = None,
) -> Proof:
    """Search for automata of a game's P-positions or Grundy numbers, and prove them.

    Parameters
    ----------
    ruleset
        The game, or its notation.
    relation
        ``p`` or ``grundy``.
    seconds
        Time limit.
    size
        Limits of the search: tables to 15 binary digits by default.

    Returns
    -------
    Proof
        ``proved`` or ``undecided``.

    Raises
    ------
    HeightError
        If a height function is negative or falls, however far out.
    DisagreementError
        If the engine contradicts the definition.

    Examples
    --------
    >>> from choco_pipeline import StripBar
    >>> proof = prove(StripBar(k=4, s=2))
    >>> proof.status, proof.states
    ('proved', (17,))
    """
    ruleset = as_game(ruleset)
    search = Search(ruleset, relation, Clock(seconds), size or SearchSize())
    automata: list[Automaton] = []
    checks: list[Check] = []
    try:
        found = find_period(ruleset, search.clock)
        if found is not None:
            period, values = found
            automata.append(periodic_automaton(values, period, relation))
            return replace(search.proof("proved", period.text, automata, ()), period=period)
        todo = obligations(ruleset, relation)
        for passes in range(ruleset.passes + 1):
            search.find(passes, [o for o in todo if o.passes == passes], automata, checks)
    except (NotDefinableError, LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error), automata, checks)
    return search.proof("proved", PROVED, automata, checks)


def check_relation(
    ruleset: Ruleset,
    automata: Mapping[int, Automaton],
    relation: Relation = "p",
    seconds: float = 60.0,
    period: Period | None = None,
) -> Proof:
    """Decide whether given automata are a game's P-positions or Grundy numbers.

    A period is decided by a window of values, all else by the obligations. Automata are given by the number of passes left; tracks
    "0", "1", … are the coordinates without passes, and then the Grundy number.

    Raises
    ------
    RelationError
        If an automaton is missing, or has the wrong tracks.
    HeightError
        As for `prove`.
    NotDefinableError
        If the obligations have no sentences.
    DisagreementError
        If the engine contradicts the definition.
    """
    given = fitting(ruleset, relation, automata)
    ruleset = as_game(ruleset)
    search = Search(ruleset, relation, Clock(seconds))
    checks: list[Check] = []
    try:
        if period is not None:
            wrong_period = _wrong_period(ruleset, relation, given, period)
            if wrong_period is not None:
                return search.proof("refuted", wrong_period, given, ())
            return replace(search.proof("proved", period.text, given, ()), period=period)
        wrong = search.check(obligations(ruleset, relation), given, checks)
    except (LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error), given, checks)
    if wrong is not None:
        return search.proof("refuted", wrong.why, given, checks)
    return search.proof("proved", PROVED, given, checks)


def _wrong_period(
    ruleset: Ruleset, relation: Relation, given: tuple[Automaton, ...], period: Period
) -> str | None:
    """Return why given automata are not those of a period; None if they are."""
    if not is_period(ruleset, period):
        return f"the values do not repeat so: {period.text}"
    values = values_below(ruleset, period.first + period.length)
    if given != (periodic_automaton(values, period, relation),):
        return "the automaton has other values"
    return None


def fitting(
    ruleset: Ruleset, relation: Relation, automata: Mapping[int, Automaton]
) -> tuple[Automaton, ...]:
    """Return automata by passes left; `RelationError` if they do not fit the game."""
    needed = range(ruleset.passes + 1)
    if sorted(automata) != list(needed):
        given = ", ".join(map(str, sorted(automata))) or "none"
        raise RelationError(
            f"{ruleset.notation}: automata for 0 to {needed[-1]} passes left are needed, found {given}"
        )
    tracks = tuple(sorted(relation_tracks(ruleset, relation)))
    for passes, automaton in sorted(automata.items()):
        if automaton.tracks != tracks:
            raise RelationError(
                f"{ruleset.notation}: the automaton for {passes_left(passes)}"
                f" has tracks {listed(automaton.tracks)},"
                f" needed are {', '.join(tracks)}"
            )
    return tuple(automata[passes] for passes in needed)


# ---- The search.


@dataclass(frozen=True)
class Refutation:
    """A contradiction to the definition at a position without passes."""

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
        """Return the result, with the time taken."""
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
        """Add the proved automaton for `passes` passes left, or raise `UndecidedError`."""
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
        """Add valid obligations to `checks`; return a contradiction, if there is one."""
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
            asked = (self.ruleset, self.relation, automata, obligation.passes, at, self.clock)
            wrong = contradiction(*asked)
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
        # A Grundy number is at most the number of moves in the longest play, and each move lowers a coordinate.
        return Refutation(wrong, position, max([sum(position), *at.values()]))


def _speaks_of_relations(sentence: Sentence) -> bool:
    match sentence:
        case Member():
            return True
        case And(parts) | Or(parts):
            return any(map(_speaks_of_relations, parts))
        case Not(part) | Exists(_, part):
            return _speaks_of_relations(part)
        case _:
            return False


# ---- Contradictions to the definition.


def contradiction(
    ruleset: Ruleset,
    relation: Relation,
    automata: Sequence[Automaton],
    passes: int,
    counterexample: Mapping[str, int],
    clock: Clock = FOREVER,
) -> str | None:
    """Return the contradiction to the definition at a counterexample, if there is one.

    No engine is asked. The automata are those for 0, 1, …, `passes` passes left. Coordinates that the counterexample lacks are 0;
    its largest value bounds the Grundy numbers that are tried, beside those that a play can reach. Raises `UndecidedError` if the
    time is over, because a far position has many options.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> contradiction(Nim(1), "p", [linear({"0": 1}, -1, "<=")], 0, {"a": 1})
    'the relation holds at (1) and at its option (0)'
    """
    base, most = ruleset.base, ruleset.passes
    here = tuple(counterexample.get(name, 0) for name in base.coordinates)
    position = (*here, passes) if most else here
    if relation == "p":
        return _p(ruleset, automata, position, clock)
    return _grundy(ruleset, automata, position, max(counterexample.values(), default=0), clock)


def height_falls(ruleset: Ruleset, at: Mapping[str, int]) -> bool:
    """Return whether a height is negative, or smaller at the primed coordinates."""
    names = ruleset.base.coordinates
    near = {name: at.get(name, 0) for name in names}
    far = {name: at.get(f"{name}'", near[name]) for name in names}
    limits = ruleset.base.rules.limits.values()
    return any(limit.at(near) < 0 or limit.at(far) < limit.at(near) for limit in limits)


def _p(
    ruleset: Ruleset, automata: Sequence[Automaton], position: Position, clock: Clock
) -> str | None:
    holds = _holds(ruleset, automata, position)
    if not ruleset.is_position(position):
        why = f"which is no position: {ruleset.why_not(position)}"
        return f"the relation holds at {_text(position)}, {why}" if holds else None
    for option in clock.limited(ruleset.options(position)):
        if _holds(ruleset, automata, option):
            if not holds:
                return None
            return f"the relation holds at {_text(position)} and at its option {_text(option)}"
    if holds:
        return None
    return f"the relation holds neither at {_text(position)} nor at any of its options"


def _grundy(
    ruleset: Ruleset,
    automata: Sequence[Automaton],
    position: Position,
    largest: int,
    clock: Clock,
) -> str | None:
    # From a position with the Grundy number g there are plays of g moves.
    top = max(largest, sum(position))

    def values(here: Position) -> list[int]:
        *coordinates, passes = here if ruleset.passes else (*here, 0)
        known = {str(i): coordinate for i, coordinate in enumerate(coordinates)}
        of_position = restricted(automata[passes], known)
        reached: list[int] = []
        for first in range(0, top + 1, BATCH):
            clock.require()
            numbers = np.arange(first, min(first + BATCH, top + 1))
            reached += numbers[of_position.contains(numbers[:, None])].tolist()
            if len(reached) >= SHOWN:
                break
        return reached

    def counted(here: Position, numbers: Sequence[int]) -> str:
        number = f"at least {SHOWN}" if len(numbers) >= SHOWN else str(len(numbers))
        listed = ", ".join(map(str, numbers[:SHOWN])) or "none"
        return f"{_text(here)} has {number} values up to {top}: {listed}"

    actual = values(position)
    if not ruleset.is_position(position):
        what = f"{_text(position)} is no position ({ruleset.why_not(position)})"
        return f"{what}, but has the value {actual[0]}" if actual else None
    if len(actual) != 1:
        return counted(position, actual)
    below: dict[Position, int] = {}
    for option in clock.limited(ruleset.options(position)):
        if option not in below:
            seen = values(option)
            if len(seen) != 1:
                return counted(option, seen)
            below[option] = seen[0]
    least = mex(below.values())
    if actual[0] == least:
        return None
    return (
        f"{_text(position)} has the value {actual[0]}, but the least that no option has is {least}"
    )


def _holds(ruleset: Ruleset, automata: Sequence[Automaton], position: Position) -> bool:
    *coordinates, passes = position if ruleset.passes else (*position, 0)
    return automata[passes].accepts({str(i): c for i, c in enumerate(coordinates)})


def _text(position: Position) -> str:
    return f"({', '.join(map(str, position))})"
