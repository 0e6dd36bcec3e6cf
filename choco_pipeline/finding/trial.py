"""Trials of found statements on new data: larger tables, other parameters, and proved games.

Idea: a search proposes statements that are right on all its data, so only new data is evidence. The checks of claims judge a
statement on further games of its family, most of all at the ends of its condition; on larger tables of the games for which it
was seen; and by automata for games with a certificate. If it is wrong for some parameters, its condition is narrowed and it is
tried again. If it is right for games just outside its condition, the condition is widened.

Invariant: a trial from which a condition was learned is no evidence for the statement with that condition. A statement with a
changed condition is accepted only if it holds for further games. If narrowing fails, the verdict of the first trial stands.

Cost: tables of about thirty games, all but two of them small, and large tables of the run of which searches read a corner only. All
this is repeated for each of at most `ROUNDS` narrowings. Automata decide once for each certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.checks.formulas import SMALL
from choco_pipeline.claims.conclusions.conclusion import Conclusion, Outcome
from choco_pipeline.claims.kinds import Related
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    Finding,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.bounds import (
    FURTHER,
    MissingMember,
    TableTrial,
    agreement,
    bound_and_dispute,
    held_on,
    largest_number,
    table_of_trial,
    verdict_against,
)
from choco_pipeline.finding.changed_conditions import (
    names_its_games,
    narrowed,
    told_by_many,
    wider,
)
from choco_pipeline.finding.scope import (
    Parameters,
    Tables,
    game_of,
    games_of,
    new_parameters,
)
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.formula.written.parameter_text import listed as all_listed
from choco_pipeline.statements.tree import ValueSet, text_of
from choco_pipeline.tables.spec import quantity_for

#: Number of games seen that are tried on larger tables; the others are tried up to the bound of further games.
SEEN = 2
#: Most narrowings of one statement.
ROUNDS = 5
#: Most tables in the trial of a statement that compares tables.
MOST_TABLES = 128

#: Decides a claim for all positions: given the claim, its parameters and the path of a certificate.
Decide = Callable[[Claim, Parameters, str], Mapping[str, Any]]


def tried(
    statement: FoundStatement,
    tables: Tables,
    catalogue: Catalogue,
    decide: Decide | None = None,
) -> FoundStatement:
    """Return a statement with its verdict, and with the tables of the trial in `held_on`.

    If a claim of the catalogue contradicts it or ends, the tables are large enough to decide between the two. `decide` is asked
    about games with certificates.

    Notes
    -----
    Words are "unchecked". A false statement is "refuted", with the least counterexample in the first table that has one, unless
    a narrower condition holds for further games; `tried` then names the games where it was wrong. A set of values is claimed only
    if each small member occurs; otherwise an inclusion is tried instead.
    """
    judged = _tried(statement, tables, catalogue, decide, (), statement.tried.what)
    if judged.verdict not in ("refuted", "undecided"):
        general = None if names_its_games(judged) else wider(judged)
        if general is None:
            return judged
        proposed = replace(general.statement, held_on=statement.held_on)
        learned_from = (general.learnt_from,)
        again = _tried(proposed, tables, catalogue, decide, learned_from, proposed.tried.what)
        return judged if again.verdict in ("refuted", "undecided") else again
    weaker = with_other_values_excluded(statement)
    if weaker is None:
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
    """Return a statement with its verdict.

    It is not tried for the parameters in `used`, from which its condition was learned. `searched` describes the search, without
    narrowings.
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


def with_other_values_excluded(statement: FoundStatement) -> FoundStatement | None:
    """Return the inclusion that an equality of a value set implies; None for other statements.

    ``{x ^ y: P} == {v: v < 2}`` becomes ``{x ^ y: P} <= {v: v < 2}``.
    """
    claim = statement.whole
    if claim is None or claim.value_set is None or claim.value_set.relation != "exactly":
        return None
    values = claim.proposition
    if not isinstance(values, ValueSet):
        return None
    return replace(statement, statement=text_of(replace(values, relation="<=")))


def _trials(
    claim: Claim,
    statement: FoundStatement,
    seen: Mapping[str, Parameters],
    tables: Tables,
    catalogue: Catalogue,
    taken: Sequence[Parameters],
) -> Iterator[TableTrial]:
    """Yield the outcomes on computed tables: for further parameters first, then beyond the tables of the run."""
    if claim.is_over_tables:
        yield from _trial_across(claim, statement)
        return
    for parameters in new_parameters(statement, tables, taken):
        yield from _trial(claim, parameters, None, catalogue)
    if not seen and not statement.pattern.names:  # a neighbour of a game that the run has
        yield from _trial(claim, {}, None, catalogue)
    chosen = list(seen)
    farthest = chosen[:1] + chosen[1:][-(SEEN - 1) :]
    for game, known in seen.items():
        run = max(bound for (name, _), bound in tables.bounds.items() if name == game)
        yield from _trial(claim, known, run, catalogue, is_far=game in farthest)


def _trial_across(claim: Claim, statement: FoundStatement) -> Iterator[TableTrial]:
    """Yield the outcome of a comparison of more tables than those on which a statement was found."""
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
    """Yield the outcome on a table of a game; `run` is the bound of the run's own table, or None.

    Without `is_far`, the table is as large as that of a game without a table in the run. Nothing is tried if it is no larger than
    the run's own.
    """
    game = game_of(claim, parameters)
    if game is None:
        return
    quantity = quantity_for(game, claim.quantities)
    bound, dispute = bound_and_dispute(claim, game, quantity, run if is_far else None, catalogue)
    if not is_far and run is not None and bound <= run:
        return
    for case in claim.cases(parameters):
        explained = None
        try:
            data = table_of_trial(game, bound, quantity)
            check = partial(check_claim, claim, case, game, bound, data)
            finding = check(explains=False)
            explained = check if isinstance(finding.verdict, Refuted) else None
            open_dispute = dispute if isinstance(finding.verdict, HoldsToBound) else None
            verdict = open_dispute or _missing(claim, finding, bound) or finding.verdict
        except ChocoError as error:
            verdict = Undecided(str(error))
        number = largest_number(game)
        if isinstance(verdict, HoldsToBound) and number > bound:
            verdict = Undecided(
                f"the game may change at {number:,}, a number in its rules, and its table ends at {bound:,}"
            )
        assert not isinstance(verdict, Proved), "a table proves nothing"
        trial = TableTrial(parameters, bound, verdict, run, explained=explained)
        # Below its largest number a game may be another one: (x >> 2)+(z >> 8) is x//4 up to 255.
        is_whole = run is not None or not parameters or claim.shape in RECTANGULAR
        if is_whole or trial.is_against or largest_number(game) < bound:
            yield trial


def _trials_of_own(
    claim: Claim, name: str, parameters: Parameters, tables: Tables
) -> Iterator[TableTrial]:
    """Yield the outcome on the whole table of the run, if searches read a corner only."""
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
    """Return a small member of a value set that does not occur; None if all occur."""
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
    """Return the games with a proof, and its certificate; a verdict if all games have one, or a certificate refutes it."""
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
    """Return the text for the positions of a proof of claims."""
    is_bounded = any(claim.reach is not None for claim in claims)
    return "all positions up to the bound that is named" if is_bounded else "all positions"
