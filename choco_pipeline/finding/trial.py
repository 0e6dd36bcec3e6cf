"""Trying a found statement on what it was not found on: larger tables, other parameters, and proved games."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product
from pathlib import Path
from typing import Any

from choco_pipeline.claims.check import check_claim
from choco_pipeline.claims.claim import RECTANGULAR, Claim
from choco_pipeline.claims.trial import trials
from choco_pipeline.claims.verdict import (
    Exhausted,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    verdict_text,
)
from choco_pipeline.errors import ChocoError, HeightError
from choco_pipeline.finding.entries import claims_of
from choco_pipeline.finding.statement import Evidence, Statement, StatementError, Verdict
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import build, match, read
from choco_pipeline.tables.compute import table
from choco_pipeline.tables.cost import cost_of
from choco_pipeline.tables.schema import Quantity, variable_of

#: A statement is tried on so many of the games that it was seen for, on tables `FURTHER` times as large,
SEEN, FURTHER = 2, 2
#: and on so many games of its family that it was not seen for.
UNSEEN = 12
#: Their tables have this bound, or half of it, and so on, so that computing one takes about `SECONDS`.
BOUND, SECONDS = 256, 0.05
SMALLEST = 12
#: Statements that compare tables are tried on so many at most.
MOST_TABLES = 128
#: Of so many combinations of parameters the unseen ones are chosen.
COMBINATIONS = 4000

Parameters = Mapping[str, int]
#: Decides a claim for all positions: given the claim, its parameters and the path of a certificate.
Decide = Callable[[Claim, Parameters, str], Mapping[str, Any]]


@dataclass(frozen=True)
class Tables:
    """What a run knows of games.

    Attributes
    ----------
    bounds
        For each game and quantity, the largest bound of its tables.
    certificates
        For each game that is proved, its certificates: Grundy numbers first.
    """

    bounds: Mapping[tuple[str, Quantity], int]
    certificates: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def games(self) -> list[str]:
        """All games, each once."""
        return list(dict.fromkeys(game for game, _ in self.bounds))


@dataclass(frozen=True)
class _Trial:
    parameters: Parameters
    bound: int
    outcome: Exhausted | HoldsToBound | Refuted | Undecided


def tried(statement: Statement, tables: Tables, decide: Decide | None = None) -> Statement:
    """Return a statement with its verdict, and with what it was tried on among what it held on.

    Parameters
    ----------
    statement
        As found.
    tables
        Of the run that it was found in.
    decide
        Asked about games with a certificate; None to ask about none.

    Notes
    -----
    A statement that the claim language cannot say is "observed": nothing but the search has checked it. One that is false
    at some position stays, with the verdict "refuted" and the least such position of the first table that has any.
    """
    try:
        claims = claims_of(statement)
    except StatementError as error:
        return statement.with_verdict(Verdict("undecided", f"not a claim: {error}"))
    if not claims:
        where = f"{statement.held_on.what} agree with it"
        return statement.with_verdict(
            Verdict("observed", f"{where}; nothing else was compared with it")
        )
    seen = games_of(statement, claims[0], tables)
    outcomes = [trial for claim in claims for trial in _trials(claim, statement, seen, tables)]
    refuted = next((trial for trial in outcomes if isinstance(trial.outcome, Refuted)), None)
    if refuted is not None:
        where = _named([refuted.parameters])
        text = verdict_text(refuted.outcome)
        wrong = Verdict("refuted", f"{where}: {text}" if where else text)
        narrower = _narrowed(statement, claims[0], refuted.parameters, tables)
        if narrower is None:
            return statement.with_verdict(wrong)
        again = tried(narrower, tables, decide)
        if again.verdict.status == "refuted":
            return statement.with_verdict(wrong)
        verdict = replace(again.verdict, text=f"{again.verdict.text}; not for {wrong.text}")
        return again.with_verdict(verdict)
    held = [t for t in outcomes if isinstance(t.outcome, Exhausted | HoldsToBound)]
    statement = replace(statement, held_on=_held_on(statement.held_on, held, seen))
    proved = _proved(claims, seen, tables, decide)
    if isinstance(proved, Verdict):
        return statement.with_verdict(proved)
    if not held:
        why = next((t.outcome.why for t in outcomes if isinstance(t.outcome, Undecided)), "")
        return statement.with_verdict(Verdict("undecided", why or "no table could be computed"))
    text = _agreement(held, seen)
    if proved:
        text += f"; proved for all positions where {_named([p for p, _ in proved])}"
    exhausted = not statement.pattern.names and all(
        isinstance(t.outcome, Exhausted) for t in outcomes
    )
    paths = tuple(dict.fromkeys(path for _, path in proved))
    return statement.with_verdict(Verdict("exhausted" if exhausted else "holds", text, paths))


def games_of(statement: Statement, claim: Claim, tables: Tables) -> dict[str, dict[str, int]]:
    """Return the games of a run for which a statement was seen, each with its parameters."""
    found = {}
    for game in tables.games:
        parameters = claim.match(game)
        if parameters is not None and all(
            value in statement.parameters[name] for name, value in parameters.items()
        ):
            found[game] = parameters
    return found


def speaking_of(statement: Statement, claim: Claim, tables: Tables) -> list[str]:
    """Return the games that a statement speaks of: those of its family with parameters that it was seen for."""
    names = list(statement.parameters)
    if claim.pattern is None or not claim.pattern.names:
        return list(games_of(statement, claim, tables))
    values = (sorted(set(statement.parameters[name])) for name in names)
    choices = islice(product(*values), COMBINATIONS)
    games = (_game(claim, dict(zip(names, choice, strict=True))) for choice in choices)
    return [game.notation for game in games if game is not None]


def unseen(statement: Statement, claim: Claim, tables: Tables) -> list[dict[str, int]]:
    """Return parameters that the run has no tables for and the statement speaks of: among those that it was seen for and beyond."""
    if claim.pattern is None or not claim.pattern.names:
        return []
    ranges = []
    for values in statement.parameters.values():
        low, high = min(values), max(values)
        ranges.append(range(low, high + max(4, (high - low) // 2) + 1))
    taken = [claim.match(game) for game in tables.games]
    choices = (dict(zip(statement.parameters, values, strict=True)) for values in product(*ranges))
    fresh = [
        parameters
        for parameters in islice(choices, COMBINATIONS)
        if parameters not in taken and _game(claim, parameters) is not None
    ]
    if len(fresh) <= UNSEEN:
        return fresh
    return [fresh[round(i * (len(fresh) - 1) / (UNSEEN - 1))] for i in range(UNSEEN)]


def _narrowed(
    statement: Statement, claim: Claim, wrong: Parameters, tables: Tables
) -> Statement | None:
    """Return a statement for such parameters only as the run has tables for; None if that does not keep it from being wrong.

    What is found on tables with s < k alone says nothing of others, and need not.
    """
    assert claim.pattern is not None
    swept = [found for game in tables.games if (found := match(claim.pattern, read(game)))]
    facts = [
        f"{first} {sign} {second}"
        for first, second in permutations(sorted(wrong), 2)
        for sign, compared in (("<", operator.lt), ("<=", operator.le))
        if all(compared(one[first], one[second]) for one in swept)
        and not compared(wrong[first], wrong[second])
    ][:1]
    for name in sorted(wrong):
        remainders = {one[name] % 2 for one in swept}
        if len(remainders) == 1 and wrong[name] % 2 not in remainders:
            facts.append(f"{name}%2 == {remainders.pop()}")
        least = min(one[name] for one in swept)
        if wrong[name] < least:
            facts.append(f"{name} >= {least}")
    if not facts:
        return None
    more = " and ".join(facts)
    when = f"({statement.when}) and {more}" if statement.when else more
    text = f"where {more}: {statement.text}"
    entry = None if statement.claim is None else {**statement.claim, "when": when}
    return replace(statement, when=when, text=text, claim=entry)


def _trials(
    claim: Claim, statement: Statement, seen: Mapping[str, Parameters], tables: Tables
) -> Iterator[_Trial]:
    """Yield outcomes on tables computed for the purpose: on unseen parameters first, then beyond the run's tables."""
    if claim.is_over_tables:
        yield from _trial_across(claim, statement)
        return
    for parameters in unseen(statement, claim, tables):
        yield from _trial(claim, parameters, None)
    chosen = list(seen.items())
    for game, known in chosen[:1] + chosen[1:][-(SEEN - 1) :]:
        bounds = [bound for (name, _), bound in tables.bounds.items() if name == game]
        yield from _trial(claim, known, FURTHER * max(bounds))


def _trial_across(claim: Claim, statement: Statement) -> Iterator[_Trial]:
    """Yield the outcome of comparing tables, more of them than a statement was found on."""
    ((name, values),) = statement.parameters.items()
    last = min(FURTHER * max(values), MOST_TABLES)
    for trial in trials(claim, {name: parse_range(f"1..{last}")}):
        assert not isinstance(trial.finding.verdict, Proved)
        yield _Trial({}, last, trial.finding.verdict)


def _trial(claim: Claim, parameters: Parameters, bound: int | None) -> Iterator[_Trial]:
    game = _game(claim, parameters)
    if game is None:
        return
    usable = [q for q in claim.quantities if variable_of(game, q).dims]
    quantity: Quantity = "p-positions" if "p-positions" in usable else "grundy"
    if claim.shape in RECTANGULAR:
        bound = max(game.limits(None))
    else:
        bound = BOUND if bound is None else bound
        while bound > SMALLEST and not _is_affordable(game, bound, quantity):
            bound //= 2
    try:
        data = table(game, bound, quantity)
        outcome = check_claim(claim, parameters, game, bound, data).verdict
    except ChocoError as error:
        outcome = Undecided(str(error))
    assert isinstance(outcome, Exhausted | HoldsToBound | Refuted | Undecided)
    yield _Trial(parameters, bound, outcome)


def _is_affordable(game: Ruleset, bound: int, quantity: Quantity) -> bool:
    try:
        return cost_of(game, bound, quantity).seconds <= SECONDS
    except HeightError:  # a table of heights that ends before
        return False


def _game(claim: Claim, parameters: Parameters) -> Ruleset | None:
    """Return the game with these parameters, if there is one and the claim speaks of it."""
    assert claim.pattern is not None
    try:
        game = build(claim.pattern, dict(parameters), Path())
        return game if claim.speaks_of(parameters) else None
    except ChocoError:
        return None


def _proved(
    claims: Sequence[Claim],
    seen: Mapping[str, Parameters],
    tables: Tables,
    decide: Decide | None,
) -> Verdict | list[tuple[Parameters, str]]:
    """Return for which games it is proved, and by which certificate; a verdict if for all, or if one refutes it."""
    found: list[tuple[Parameters, str]] = []
    if decide is None:
        return found
    for game, parameters in seen.items():
        for path in tables.certificates.get(game, ()):
            verdicts = [decide(claim, parameters, path) for claim in claims]
            refuted = next((v for v in verdicts if v["verdict"] == "refuted"), None)
            if refuted is not None:
                where = _named([parameters])
                return Verdict("refuted", f"{where}: {refuted['text']}".removeprefix(": "), (path,))
            if all(v["verdict"] == "proved" for v in verdicts):
                found.append((parameters, path))
                break
    if not seen or len(found) < len(seen):
        return found
    which = _named([parameters for parameters, _ in found])
    text = f"proved for all positions{f' where {which}' if which else ''}"
    return Verdict("proved", text, tuple(dict.fromkeys(path for _, path in found)))


def _held_on(before: Evidence, held: Sequence[_Trial], seen: Mapping[str, Parameters]) -> Evidence:
    """Return what it held on, with the trials."""
    if not held:
        return before
    positions = sum(_positions(trial) for trial in held)
    what = f"{before.what}; then {_where(held, seen)}"
    return Evidence(before.positions + positions, what, before.tables + len(held))


def _agreement(held: Sequence[_Trial], seen: Mapping[str, Parameters]) -> str:
    positions = sum(_positions(trial) for trial in held)
    tables = f"{len(held)} tables" if len(held) > 1 else "a table"
    return f"holds for all {positions:,} positions of {tables} computed to test it: {_where(held, seen)}"


def _where(held: Sequence[_Trial], seen: Mapping[str, Parameters]) -> str:
    known = [dict(parameters) for parameters in seen.values()]
    new = [trial for trial in held if dict(trial.parameters) not in known]
    further = [trial for trial in held if dict(trial.parameters) in known]
    parts = []
    if new:
        bound = max(trial.bound for trial in new)
        named = _named([trial.parameters for trial in new])
        parts.append(
            f"{named}, not seen before, to bound {bound:,}" if named else f"all up to {bound:,}"
        )
    if further:
        parts.append(f"a larger table, to bound {max(t.bound for t in further):,}")
    return " and ".join(parts)


def _positions(trial: _Trial) -> int:
    match trial.outcome:
        case Exhausted(positions) | HoldsToBound(positions):
            return positions
        case _:
            return 0


def _named(several: Sequence[Parameters]) -> str:
    """Return parameters as text.

    Examples
    --------
    >>> _named([{"k": 2}, {"k": 4}]), _named([{"k": 2, "s": 1}])
    ('k = 2, 4', '(k, s) = (2, 1)')
    """
    if not several or not several[0]:
        return ""
    names = list(several[0])
    if len(names) == 1:
        return f"{names[0]} = {', '.join(str(p[names[0]]) for p in several)}"
    values = ", ".join(f"({', '.join(str(p[name]) for name in names)})" for p in several)
    return f"({', '.join(names)}) = {values}"
