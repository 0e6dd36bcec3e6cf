"""Proofs of a game's P-positions or Grundy numbers, by automata.

Idea:

1. Guess an automaton for the relation from a table.
2. Let the engine decide the obligations: sentences that together state that the automaton is correct at all positions.
3. If one is false, compare its counterexample with the definition, and guess again from a larger table or with a wider window.

Fewer passes come first, because positions with more passes depend on those with fewer.

Invariant: a game is proved only if all obligations are valid. It is an error if the definition does not confirm a counterexample.

Cost: a table for each guess, and an automaton for each obligation, which may be much larger than the guess. One clock limits them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from choco_pipeline.automata.algebra import restricted
from choco_pipeline.automata.dfa import Automaton, Variable, listed
from choco_pipeline.errors import ChocoError, DisagreementError, HeightError, LimitError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Position, Ruleset, as_game, mex
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.images import first_members
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.proof.games.guess import Guesser, Relation, SearchSize, relation_tracks
from choco_pipeline.proof.games.obligations import Obligation, obligations, relation_name
from choco_pipeline.proof.games.periods import (
    Period,
    find_period,
    is_period,
    periodic_automaton,
    values_below,
)
from choco_pipeline.proof.proof_errors import CertificateError, NotDefinableError, UndecidedError
from choco_pipeline.provenance import versions

Status = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class Proof:
    """The result of a search for a proof, or of a check.

    Attributes
    ----------
    ruleset, relation
        The game, and its P-positions (``p``) or Grundy numbers (``grundy``).
    status
        ``proved``: the automata are correct at all positions. ``refuted``: the given automata are wrong. ``undecided``: no automata
        were found, or a limit was reached.
    why
        The reason, in a sentence.
    automata
        For 0, 1, … passes left. If undecided, only the proved ones.
    checks
        The valid obligations.
    seconds
        CPU seconds for tables, guesses and decisions.
    growth
        If undecided, the numbers of distinct residuals of words of at most 0, 1, 2, … digits.
    period
        The period of the Grundy numbers of a game with one heap, if the proof is by a period.
    """

    ruleset: Ruleset
    relation: Relation
    status: Status
    why: str
    automata: tuple[Automaton, ...]
    checks: tuple[Obligation, ...]
    seconds: float
    growth: tuple[int, ...] = ()
    period: Period | None = None

    def __repr__(self) -> str:
        """Return the game, the status and the reason, without the automata."""
        states = ", ".join(str(automaton.states) for automaton in self.automata)
        return f"<Proof: {self.relation} of {self.ruleset.notation}: {self.status}, {self.why}; states: {states or 'none'}>"

    def _repr_html_(self) -> str:
        """Return the status, the reason and the numbers of states, for notebooks."""
        relation = {"p": "P-positions", "grundy": "Grundy numbers"}[self.relation]
        states = " and ".join(map(str, self.states)) or "no"
        return Markup("<p><b>{}</b>: the {} of <code>{}</code>: {}; {} states</p>").format(
            self.status, relation, self.ruleset.notation, self.why, states
        )

    @property
    def states(self) -> tuple[int, ...]:
        """Numbers of states, for 0, 1, … passes left."""
        return tuple(automaton.states for automaton in self.automata)

    @property
    def document(self) -> dict[str, object]:
        """The game and its automata, as JSON data."""
        return {
            "ruleset": self.ruleset.notation,
            "relation": self.relation,
            "coordinates": argument_names(self.ruleset, self.relation),
            "automata": [automaton.as_json() for automaton in self.automata],
            **({} if self.period is None else {"period": self.period.model_dump()}),
        }

    @property
    def described_games(self) -> dict[str, object]:
        """The descriptions of user-defined games for a certificate, under one key."""
        return {"games": dict(self.ruleset.documents)} if self.ruleset.documents else {}

    @property
    def certificate(self) -> dict[str, object]:
        """The certificate as JSON data; raise `CertificateError` unless proved."""
        if self.status != "proved":
            raise CertificateError(
                f"{self.ruleset.notation}: {self.status}, so there is nothing to certify"
            )
        return {"format": FORMAT, **self.document, **self.described_games, "versions": versions()}

    def accepts(self, position: Sequence[int], value: int = 0) -> bool:
        """Whether a position is a P-position, or its Grundy number is `value`.

        Raises `RulesetError` if it is not a position of the game; `UndecidedError` unless the game is proved.
        """
        if self.status != "proved":
            raise UndecidedError(f"{self.ruleset.notation}: nothing is proved: {self.status}")
        return self.holds(self.ruleset.check(position), value)

    def holds(self, position: Position, value: int = 0) -> bool:
        """Whether a legal position is a P-position, or has the value, by the automata."""
        automaton, known = self.at(position)
        return automaton.accepts({**known, str(len(known)): value})

    def at(self, position: Position) -> tuple[Automaton, dict[str, int]]:
        """Return the automaton for a position's passes, and the coordinates by track."""
        heaps = len(self.ruleset.base.coordinates)
        passes = position[heaps] if len(position) > heaps else 0
        return self.automata[passes], {str(i): number for i, number in enumerate(position[:heaps])}

    def values(self, position: Position, most: int = 1) -> list[int]:
        """Return the least Grundy numbers that the automata accept at a position."""
        return first_members(restricted(*self.at(position)), most)

    def number(self, position: Position) -> int | None:
        """Return the Grundy number of a legal position; None if it is not proved."""
        if self.relation == "p":
            return None
        for value in self.values(position):
            return value
        raise DisagreementError(f"{self.ruleset.notation}: {position} has no value")


def argument_names(ruleset: Ruleset, relation: Relation) -> list[str]:
    """Return the names of a relation's arguments."""
    names = list(ruleset.base.coordinates)
    return [*names, "value"] if relation == "grundy" else names


#: The format of certificates.
FORMAT = 1
#: The reason in a proof.
PROVED = "the automata satisfy the definition at every position"
#: Number of listed values of one position. More than one value is a contradiction.
SHOWN = 5


class RelationError(ChocoError):
    """The given automata do not fit the game."""


def prove(
    ruleset: Ruleset | str,
    relation: Relation = "p",
    seconds: float = 60.0,
    size: SearchSize | None = None,
) -> Proof:
    """Search for proved automata of a game's P-positions or Grundy numbers.

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
        If a height function is negative or decreasing anywhere.
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
    try:
        found = find_period(ruleset, search.clock)
        if found is not None:
            period, values = found
            search.automata.append(periodic_automaton(values, period, relation))
            return search.proof("proved", period.text, period)
        todo = obligations(ruleset, relation)
        for passes in range(ruleset.passes + 1):
            search.find(passes, [o for o in todo if o.passes == passes])
    except (NotDefinableError, LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error))
    return search.proof("proved", PROVED)


def check_relation(
    ruleset: Ruleset,
    automata: Sequence[Automaton],
    relation: Relation = "p",
    seconds: float = 60.0,
    period: Period | None = None,
) -> Proof:
    """Decide whether given automata are a game's P-positions or Grundy numbers.

    With a period, a window of values decides, otherwise the obligations. `automata` are those for 0, 1, … passes left.
    Their tracks "0", "1", … are the coordinates without passes, followed by the Grundy number for ``grundy``.

    Raises
    ------
    RelationError
        If an automaton is missing, or has the wrong tracks.
    HeightError
        As for `prove`.
    NotDefinableError
        If the obligations are not expressible.
    DisagreementError
        If the engine contradicts the definition.
    """
    require_fitting(ruleset, relation, automata)
    search = Search(ruleset, relation, Clock(seconds), automata=[*automata])
    try:
        if period is not None:
            if not is_period(ruleset, period):
                why = f"the values do not have this period: {period.text}"
                return search.proof("refuted", why)
            values = values_below(ruleset, period.first + period.length)
            if [*automata] != [periodic_automaton(values, period, relation)]:
                return search.proof("refuted", "the automaton has other values")
            return search.proof("proved", period.text, period)
        wrong = search.check(obligations(ruleset, relation), automata)
    except (LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error))
    if wrong is not None:
        return search.proof("refuted", wrong)
    return search.proof("proved", PROVED)


def require_fitting(ruleset: Ruleset, relation: Relation, automata: Sequence[Automaton]) -> None:
    """Raise `RelationError` if automata have other passes or tracks than a game."""
    most = ruleset.passes
    if len(automata) != most + 1:
        given = ", ".join(map(str, range(len(automata)))) or "none"
        raise RelationError(
            f"{ruleset.notation}: automata for 0 to {most} passes left are needed, found {given}"
        )
    tracks = tuple(sorted(relation_tracks(ruleset, relation)))
    for passes, automaton in enumerate(automata):
        if automaton.tracks != tracks:
            raise RelationError(
                f"{ruleset.notation}: the automaton for {passes_left(passes)}"
                f" has tracks {listed(automaton.tracks)},"
                f" needed are {', '.join(tracks)}"
            )


# ---- The search.


@dataclass
class Search(Guesser):
    """The state of a search or check."""

    #: The proved (or given) automata, and their valid obligations.
    automata: list[Automaton] = field(default_factory=list)
    checks: list[Obligation] = field(default_factory=list)
    growth: tuple[int, ...] = ()

    def proof(self, status: Status, why: str, period: Period | None = None) -> Proof:
        """Return the result, with the CPU time since the start."""
        found = tuple(self.automata), tuple(self.checks), self.clock.spent
        growth = self.growth if status == "undecided" else ()
        return Proof(self.ruleset, self.relation, status, why, *found, growth, period)

    def find(self, passes: int, todo: Sequence[Obligation]) -> None:
        """Find and prove the automaton for some passes, or raise `UndecidedError`."""
        refused: list[Automaton] = []
        self.growth = ()
        name = relation_name(passes)
        too_large = ""
        for learned in self.attempts(passes):
            guess = learned.automaton
            if self.clock.left <= 0:
                raise UndecidedError(f"{name}: {self.clock.over}")
            self.growth = learned.growth if guess is None else ()
            if guess is None or guess in refused:
                continue
            refused.append(guess)
            try:
                if self.check(todo, [*self.automata, guess]) is None:
                    self.automata.append(guess)
                    return
            except UndecidedError as error:  # a later guess may be correct and smaller
                too_large = f"{name}, guessed with {guess.states} states: {error}"
        if too_large:
            raise UndecidedError(too_large)
        if self.growth:
            digits = len(self.growth) - 1
            most = self.growth[-1]
            where = "" if most > self.size.residuals else " in the tables that are worth it"
            raise UndecidedError(
                f"{name} does not close{where}: {most} residuals of words to {digits} digits, and growing"
            )
        what = f"the last of {refused[-1].states} states, by proof" if refused else "by samples"
        raise UndecidedError(
            f"{name} is guessed wrongly from every table that is small enough, {what}"
        )

    def check(self, todo: Sequence[Obligation], automata: Sequence[Automaton]) -> str | None:
        """Record the obligations if all are valid; otherwise describe a contradiction."""
        relations = {relation_name(p): automaton for p, automaton in enumerate(automata)}
        engine = Engine(relations, self.clock.left, most_states=self.size.states)
        for obligation in todo:
            false_at = engine.counterexample(obligation.sentence)
            if false_at is not None:
                return self._contradiction(obligation, false_at, automata)
        self.checks += todo
        return None

    def _contradiction(
        self,
        obligation: Obligation,
        false_at: Mapping[Variable, int],
        automata: Sequence[Automaton],
    ) -> str:
        at = {str(name): value for name, value in false_at.items()}
        game, coordinates = self.ruleset, self.ruleset.base.coordinates
        if obligation.is_of_heights:
            near = {name: at.get(name, 0) for name in coordinates}
            far = {name: at.get(f"{name}'", near[name]) for name in coordinates}
            limits = game.base.rules.limits.values()
            if any(limit.at(near) < 0 or limit.at(far) < limit.at(near) for limit in limits):
                raise HeightError(f"{game.notation}: the height falls at {assigned(at)}")
        what = f"{obligation.name!r} is wrong at {at} by the engine"
        try:
            wrong = contradiction(game, self.relation, automata, obligation.passes, at, self.clock)
        except UndecidedError as error:
            raise UndecidedError(
                f"{what}; the comparison with the definition did not end: {error}"
            ) from error
        if wrong is None:
            raise DisagreementError(f"{game.notation}: {what}, but right by the definition")
        return wrong


# ---- Counterexamples by the definition.


def contradiction(
    ruleset: Ruleset,
    relation: Relation,
    automata: Sequence[Automaton],
    passes: int,
    counterexample: Mapping[str, int],
    clock: Clock = FOREVER,
) -> str | None:
    """Describe how automata contradict the definition at a position, if they do.

    The engine is not used. The automata are those for 0, 1, …, `passes` passes left. Missing coordinates are 0. Raises
    `UndecidedError` if the time is over, because a large position has many options.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> contradiction(Nim(1), "p", [linear({"0": 1}, -1, "<=")], 0, {"a": 1})
    'the relation holds at (1) and at its option (0)'
    """
    here = tuple(counterexample.get(name, 0) for name in ruleset.base.coordinates)
    position = (*here, passes) if ruleset.passes else here

    guess = Proof(ruleset, relation, "undecided", "", tuple(automata), (), 0.0)

    def values(place: Position) -> list[int]:
        clock.require()
        return guess.values(place, SHOWN)

    def counted(place: Position, numbers: Sequence[int]) -> str:
        number = f"at least {SHOWN}" if len(numbers) >= SHOWN else str(len(numbers))
        return f"{_text(place)} has {number} values: {', '.join(map(str, numbers)) or 'none'}"

    if relation == "p":
        is_member = guess.holds(position)
        if not ruleset.is_position(position):
            why = f"which is no position: {ruleset.why_not(position)}"
            return f"the relation holds at {_text(position)}, {why}" if is_member else None
        for option in clock.limited(ruleset.options(position)):
            if guess.holds(option):
                both = f"the relation holds at {_text(position)} and at its option {_text(option)}"
                return both if is_member else None
        if is_member:
            return None
        return f"the relation holds neither at {_text(position)} nor at any of its options"

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


def _text(position: Position) -> str:
    return f"({', '.join(map(str, position))})"
