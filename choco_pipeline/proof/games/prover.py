"""From a game to a proof: guess its relation from tables, then decide what must hold of it for all positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from choco_pipeline.automata.dfa import Automaton, listed
from choco_pipeline.errors import ChocoError, LimitError
from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.games.combine import passes_left
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.guess import SearchSize, relation_tracks
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.obligations import obligations
from choco_pipeline.proof.games.periods import (
    Period,
    find_period,
    is_period,
    periodic_automaton,
    values_below,
)
from choco_pipeline.proof.games.proved import Check, Proof
from choco_pipeline.proof.games.search import PROVED, Search
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError


class RelationError(ChocoError):
    """The automata that are to be checked do not fit the game."""


def prove(
    ruleset: Ruleset | str,
    relation: Relation = "p",
    seconds: float = 60.0,
    size: SearchSize | None = None,
) -> Proof:
    """Look for automata of a game's P-positions or Grundy numbers, and prove that they are them.

    Parameters
    ----------
    ruleset
        The game, or its notation.
    relation
        ``p`` or ``grundy``.
    seconds
        About so long is looked for a proof.
    size
        How large the search may become: tables to 15 binary digits by default.

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

    With a period, by so many values that they repeat for ever; else by the obligations. Automata are given by the number of passes left; tracks "0", "1", … are the coordinates without passes, and then the
    Grundy number.

    Raises
    ------
    RelationError
        If an automaton is missing, or has the wrong tracks.
    HeightError
        As for `prove`.
    NotDefinableError
        If what must hold cannot be said.
    DisagreementError
        If the engine contradicts the definition.
    """
    given = fitting(ruleset, relation, automata)
    ruleset = as_game(ruleset)
    search = Search(ruleset, relation, Clock(seconds))
    checks: list[Check] = []
    try:
        if period is not None:
            return _repeated(search, given, period)
        wrong = search.check(obligations(ruleset, relation), given, checks)
    except (LimitError, UndecidedError) as error:
        return search.proof("undecided", str(error), given, checks)
    if wrong is not None:
        return search.proof("refuted", wrong.why, given, checks)
    return search.proof("proved", PROVED, given, checks)


def _repeated(search: Search, given: tuple[Automaton, ...], period: Period) -> Proof:
    """Decide whether given automata are the Grundy numbers or P-positions by a period."""
    ruleset = search.ruleset
    if not is_period(ruleset, period):
        return search.proof("refuted", f"the values do not repeat so: {period.text}", given, ())
    values = values_below(ruleset, period.first + period.length)
    if given != (periodic_automaton(values, period, search.relation),):
        return search.proof("refuted", "the automaton has other values", given, ())
    return replace(search.proof("proved", period.text, given, ()), period=period)


def fitting(
    ruleset: Ruleset, relation: Relation, automata: Mapping[int, Automaton]
) -> tuple[Automaton, ...]:
    """Return automata, given by the number of passes left, in their order; raise `RelationError` if they do not fit."""
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
