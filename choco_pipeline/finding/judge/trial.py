"""Trying a found statement on what it was not found on: larger tables, other parameters, and proved games.

Idea: what a search proposes was right on all that it saw, so only what it did not see says anything. A statement is written as a
claim, and the checks of claims judge it: on games of its family that it was not seen for, most of all where its condition on the
parameters is about to end; on larger tables of games that it was seen for; and, where a game is proved, for all positions. If it
is wrong for some parameters, the shortest condition that keeps those apart narrows it, and it is tried again.

What is kept true: no trial from which a condition was learnt counts for the statement with that condition, and what was narrowed
is accepted only if it held for parameters that nobody had looked at before. Where narrowing fails, the verdict is that of the first
trial.

Cost: tables of about thirty games, small ones but for two, and the run's own that are so large that searches have looked at a corner
of them; that again for each of at most `ROUNDS` narrowings; a decision by automata for each certificate of a game that it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.checks.values import SMALL
from choco_pipeline.claims.conclusions.conclusion import Conclusion, Outcome
from choco_pipeline.claims.kinds import Related
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Proved,
    Undecided,
    Vacuous,
)
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.judge.bounds import (
    FURTHER,
    bound_and_dispute,
    largest_number,
    table_of_trial,
)
from choco_pipeline.finding.judge.narrower import names_its_games, narrowed, told_by_many
from choco_pipeline.finding.judge.trial_outcome import (
    MissingMember,
    TableTrial,
    agreement,
    held_on,
    verdict_against,
)
from choco_pipeline.finding.statements.scope import (
    Parameters,
    Tables,
    game_of,
    games_of,
    unseen,
)
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.value_statements import with_other_values_excluded
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.formula.written.parameter_text import listed as all_listed
from choco_pipeline.tables.specs.schema import Quantity, variable_of

#: A statement is tried far on so many of the games that it was seen for; on the others as far as on games that it was not seen for.
SEEN = 2
#: A statement that is wrong for some parameters is narrowed so often at most.
ROUNDS = 5
#: Statements that compare tables are tried on so many at most.
MOST_TABLES = 128

#: Decides a claim for all positions: given the claim, its parameters and the path of a certificate.
Decide = Callable[[Claim, Parameters, str], Mapping[str, Any]]


def tried(
    statement: FoundStatement,
    tables: Tables,
    catalogue: Catalogue,
    decide: Decide | None = None,
) -> FoundStatement:
    """Return a statement with its verdict, and with what it was tried on among what it held on.

    Claims of the catalogue may say where it ends, or something else: tables, of the run that it was found in and others, go so
    far that they decide that. Games with a certificate are asked about by `decide`, if it is given.

    Notes
    -----
    A statement that the claim language cannot say is "unchecked": nothing but the search has checked it. One that is false
    at some position stays, with the verdict "refuted" and the least such position of the first table that has any; unless
    a condition on the parameters tells where it is wrong, and then holds on others again. Where it was wrong is then told
    under `tried`: the statement does not speak of these parameters any more. That values make a set is said only where every
    small member of the set was seen to be one of them; else that they are in the set is tried instead.
    """
    judged = _tried(statement, tables, catalogue, decide, (), statement.tried.what)
    weaker = with_other_values_excluded(statement)
    if weaker is None or judged.verdict not in ("refuted", "undecided"):
        return judged
    again = _tried(weaker, tables, catalogue, decide, (), weaker.tried.what)
    return judged if judged.verdict == again.verdict else again


def _tried(
    statement: FoundStatement,
    tables: Tables,
    catalogue: Catalogue,
    decide: Decide | None,
    used: Sequence[Sequence[TableTrial]],
    searched: str,
) -> FoundStatement:
    """Return a statement with its verdict; on parameters from whose trials its condition was learnt it is not tried again.

    What was searched is that of the statement before it was narrowed.
    """
    if statement.mistake:
        why = f"not a claim: {statement.mistake}"
        return statement.with_conclusion(Conclusion("undecided", why))
    if not statement.claims:
        where = f"it was right on {statement.held_on.what}"
        return statement.with_conclusion(
            Conclusion("unchecked", f"{where}; nothing else was compared with it")
        )
    seen = games_of(statement, tables)
    taken = [trial.parameters for before in used for trial in before]
    outcomes = [
        trial
        for claim in statement.claims
        for trial in _trials(claim, statement, seen, tables, catalogue, taken)
    ]
    if not any(trial.is_against for trial in outcomes):  # tables that are large come last
        outcomes += (
            trial
            for claim in statement.claims
            for game, known in seen.items()
            for trial in _trials_of_own(claim, game, known, tables)
        )
    against = [trial for trial in outcomes if trial.is_against]
    if against:
        if len(used) < ROUNDS and statement.pattern.names:
            known = [trial for before in (*used, outcomes) for trial in before]
            narrower = narrowed(statement, seen.values(), known, searched)
            if narrower is not None:
                learnt_from = (*used, narrower.learnt_from)
                again = _tried(narrower.statement, tables, catalogue, decide, learnt_from, searched)
                if again.verdict not in ("refuted", "undecided"):
                    return again
        return statement.with_conclusion(verdict_against(against))
    held = [t for t in outcomes if isinstance(t.verdict, Exhausted | HoldsToBound)]
    is_new = any(t.run is None and t.positions for t in held)
    if used and not names_its_games(statement):
        if not is_new:
            why = "narrowed until nothing was left to try it on"
            return statement.with_conclusion(Conclusion("refuted", why))
        right = [t.parameters for t in (*chain.from_iterable(used), *outcomes) if t.positions]
        by_many = told_by_many(statement, [*seen.values(), *right])
        if by_many is not statement:
            return _tried(by_many, tables, catalogue, decide, used, searched)
    statement = replace(statement, held_on=held_on(statement.held_on, held))
    proved = _proved(statement.claims, seen, tables, decide)
    if isinstance(proved, Conclusion):
        return statement.with_conclusion(proved)
    if not held:
        why = next(
            (t.verdict.why for t in outcomes if isinstance(t.verdict, Undecided | Vacuous)), ""
        )
        return statement.with_conclusion(
            Conclusion("undecided", why or "no table could be computed")
        )
    text = agreement(held)
    if proved:
        text += (
            f"; proved for {_domain(statement.claims)} where {all_listed([p for p, _ in proved])}"
        )
    exhausted = not statement.pattern.names and all(
        isinstance(t.verdict, Exhausted) for t in outcomes
    )
    paths = tuple(dict.fromkeys(path for _, path in proved))
    return statement.with_conclusion(
        Conclusion("exhausted" if exhausted else "holds-to-bound", text, paths)
    )


def _trials(
    claim: Claim,
    statement: FoundStatement,
    seen: Mapping[str, Parameters],
    tables: Tables,
    catalogue: Catalogue,
    taken: Sequence[Parameters],
) -> Iterator[TableTrial]:
    """Yield outcomes on tables computed for the purpose: on unseen parameters first, then beyond the run's tables."""
    if claim.is_over_tables:
        yield from _trial_across(claim, statement)
        return
    for parameters in unseen(statement, tables, taken):
        yield from _trial(claim, parameters, None, catalogue)
    if not seen and not statement.pattern.names:  # a neighbour of a game that the run has
        yield from _trial(claim, {}, None, catalogue)
    chosen = list(seen)
    farthest = chosen[:1] + chosen[1:][-(SEEN - 1) :]
    for game, known in seen.items():
        run = max(bound for (name, _), bound in tables.bounds.items() if name == game)
        yield from _trial(claim, known, run, catalogue, is_far=game in farthest)


def _trial_across(claim: Claim, statement: FoundStatement) -> Iterator[TableTrial]:
    """Yield the outcome of comparing tables, more of them than a statement was found on."""
    ((name, values),) = statement.parameters.items()
    last = min(FURTHER * max(values), MOST_TABLES)
    for trial in trials(claim, {name: parse_range(f"1..{last}")}):
        assert not isinstance(trial.finding.verdict, Proved)
        yield TableTrial({}, last, trial.finding.verdict, max(values))


def _trial(
    claim: Claim,
    parameters: Parameters,
    run: int | None,
    catalogue: Catalogue,
    *,
    is_far: bool = True,
) -> Iterator[TableTrial]:
    """Yield the outcome on a table of a game for which the run has a table with the bound `run`, or none.

    If it is not to go far, the table is as large as that of a game which the run does not have; nothing is tried if it is
    no larger than the run's.
    """
    game = game_of(claim, parameters)
    if game is None:
        return
    usable = [q for q in claim.quantities if variable_of(game, q).dims]
    quantity: Quantity = "p-positions" if "p-positions" in usable else "grundy"
    bound, dispute = bound_and_dispute(claim, game, quantity, run if is_far else None, catalogue)
    if not is_far and run is not None and bound <= run:
        return
    for case in claim.cases(parameters):
        try:
            data = table_of_trial(game, bound, quantity)
            finding = check_claim(claim, case, game, bound, data)
            open_dispute = dispute if isinstance(finding.verdict, HoldsToBound) else None
            verdict = open_dispute or _missing(claim, finding, bound) or finding.verdict
        except ChocoError as error:
            verdict = Undecided(str(error))
        assert not isinstance(verdict, Proved), "a table proves nothing"
        trial = TableTrial(parameters, bound, verdict, run)
        # A table that ends before its game's numbers is one of another game, as that of (x >> 2)+(z >> 8) is of x//4 to bound 255.
        is_whole = run is not None or not parameters or claim.shape in RECTANGULAR
        if is_whole or trial.is_against or largest_number(game) < bound:
            yield trial


def _trials_of_own(
    claim: Claim, name: str, parameters: Parameters, tables: Tables
) -> Iterator[TableTrial]:
    """Yield the outcome on the run's own table of a game as a whole, if searches have looked at a corner of it alone."""
    game = game_of(claim, parameters)
    if game is None or isinstance(
        claim.check, Related
    ):  # that takes a table of another game, as large
        return
    for quantity in claim.quantities:
        table = tables.whole(name, quantity)
        if table is None:
            continue
        for case in claim.cases(parameters):
            finding = table.find(claim, case, game)
            assert not isinstance(finding.verdict, Proved), "a table proves nothing"
            verdict = _missing(claim, finding, table.bound) or finding.verdict
            yield TableTrial(parameters, table.bound, verdict, table.bound, is_own=True)


def _missing(claim: Claim, finding: Finding, bound: int) -> MissingMember | None:
    """Return which small member of a set none of the values is that are said to make the set; None if they are all there."""
    is_of_a_set = claim.value_set is not None and claim.value_set.relation == "exactly"
    if not is_of_a_set or not isinstance(finding.verdict, HoldsToBound | Undecided):
        return None
    small = (v for v in finding.evidence.get("missing", ()) if abs(v) <= bound // SMALL)
    return next(map(MissingMember, small), None)


def _proved(
    claims: Sequence[Claim],
    seen: Mapping[str, Parameters],
    tables: Tables,
    decide: Decide | None,
) -> Conclusion | list[tuple[Parameters, str]]:
    """Return for which games it is proved, and by which certificate; a verdict if for all, or if one refutes it."""
    proofs: list[tuple[Parameters, str]] = []
    if decide is None:
        return proofs
    for game, parameters in seen.items():
        for path in tables.certificates.get(game, ()):
            verdicts = [decide(c, case, path) for c in claims for case in c.cases(parameters)]
            refuted = next((v for v in verdicts if v["verdict"] == "refuted"), None)
            if refuted is not None:
                where = all_listed([parameters])
                text = f"{where}: {refuted['text']}" if where else refuted["text"]
                return Conclusion("refuted", text, (path,))
            if all(v["verdict"] == "proved" for v in verdicts):
                proofs.append((parameters, path))
                break
    if not seen or len(proofs) < len(seen):
        return proofs
    which = all_listed([parameters for parameters, _ in proofs])
    text = f"proved for {_domain(claims)}{f' where {which}' if which else ''}"
    outcome: Outcome = "proved-for-listed" if which else "proved"
    return Conclusion(outcome, text, tuple(dict.fromkeys(path for _, path in proofs)))


def _domain(claims: Sequence[Claim]) -> str:
    """Return what a proof of claims is for."""
    is_bounded = any(claim.reach is not None for claim in claims)
    return "all positions up to the bound that is named" if is_bounded else "all positions"
