"""What claims of the catalogue are tried on: small tables from their samples, and small changes of what they say."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

import xarray as xr

from choco_pipeline.claims.kinds import (
    Counts,
    Evaluated,
    HeightFunctions,
    Kind,
    PrintedNumbers,
    Sections,
)
from choco_pipeline.claims.language.claim import Claim, assignments
from choco_pipeline.claims.language.claims_file import Entry, Statement
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import RectangularBar, Ruleset, parse_ruleset
from choco_pipeline.games.notation import build
from choco_pipeline.statements.tree import InRange, Let, text_of, walk
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity
from tests.claims import oracle_of_integers
from tests.claims.claims import is_about_cells
from tests.claims.mutants import changed_parts, small_changes
from tests.claims.oracle import Outcome, outcome, remembering
from tests.effort import examples

T = TypeVar("T")
#: Finite statements on so many positions that the definition takes long.
LARGE = {
    "pass2016-ex-4.5",
    *(f"pass2016-ex-4.4{end}" for end in ("", "-intended", "-listed", "-legal", "-values")),
}


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes
    ----------
    places
        Positions, or choices of integers, that the definition is asked about for one formula.
    parameters
        Parameters that each claim is tried with, from its sample.
    changes
        Changes of one formula, or of the numbers in one list.
    """

    places: int
    parameters: int
    changes: int


#: Two changes of each formula where a person waits, three where a change of the code is tested; the slow tests try all.
QUICK = Effort(places=120, parameters=2, changes=min(5, max(2, examples(5))))
FULL = Effort(places=700, parameters=3, changes=1000)


#: What is tried on fewer cases than the claim names, of which its changes would take minutes.
FEWER_CASES = {"patterns-question-automata": ("1..16", "1..5")}


#: What speaks of no smaller positions.
FURTHER = {"background-kayles": 80, "background-dawson-kayles": 62, "background-grundys-game": 50}


Trial = tuple[dict[str, int], Ruleset | None, int, Quantity | None]


def with_few_cases(claim: Claim) -> Claim:
    """Return a claim of the catalogue as it is tried: one of `FEWER_CASES` with these."""
    if claim.id not in FEWER_CASES:
        return claim
    assert isinstance(claim.statement, Entry)
    text = str(claim.statement.statement).replace(*FEWER_CASES[claim.id])
    return Claim(claim.statement.model_copy(update={"statement": text}), claim.paper)


def trials_of(claim: Claim, effort: Effort) -> Iterator[Trial]:
    """Yield parameters, ruleset, bound and quantity of small tables on which a claim is tried."""
    if claim.pattern is None:
        yield {}, None, small_bound(claim, effort.places), None
        return
    chosen = list(samples_of(claim))
    # Where tables are compared, the numbers up to the largest parameter are.
    chosen = chosen[-1:] if claim.is_over_tables else spread(chosen, effort.parameters)
    for parameters, bound in chosen:
        assert claim.pattern is not None
        game = remembering(build(claim.pattern, dict(parameters), Path()))
        reach = claim.reach
        least = 0 if reach is None else int(reach.value(claim.environment(parameters)))
        least = FURTHER.get(claim.id, least)
        if isinstance(claim.check, PrintedNumbers):  # printed numbers need their table
            least = bound
        # Each position of an option set is compared with each cell.
        places = min(effort.places, 40 if is_about_cells(claim) else effort.places)
        # With bound 0 there is the end alone, of which no change matters.
        while bound > max(least, 1) and count_positions(game, bound) > places:
            bound = max(least, 1, bound * 3 // 4)
        for quantity in claim.quantities:
            if quantity != "grundy" or not game.rules.misere:
                yield parameters, game, bound, quantity


def refuted_at(claim: Claim) -> list[tuple[int, ...] | None]:
    """Return where the sample of a claim refutes it; all of it must come to a verdict."""
    verdicts = [trial.finding.verdict for trial in trials(claim)]
    assert all(isinstance(one, Refuted | Exhausted | HoldsToBound) for one in verdicts), verdicts
    return [one.counterexample.position for one in verdicts if isinstance(one, Refuted)]


def samples_of(claim: Claim) -> Iterator[tuple[dict[str, int], int]]:
    assert isinstance(claim.statement, Entry)
    sample = claim.statement.sample
    assert sample is not None, "a claim of the catalogue has a sample"

    for known in assignments(dict(sample.parameters), {}):
        parameters = {name: known[name] for name in claim.parameters}
        for case in claim.cases(parameters):
            yield case, int(sample.bound.value(known))


def small_bound(claim: Claim, most: int) -> int:
    """Return the largest value of N, up to the claim's own, that leaves few cases."""
    match claim.check:
        case Sections() as check:
            return min(check.bound, 3)
        case HeightFunctions() as check:
            return min(check.bound, 3 if check.arguments == 1 else 2)
        case Evaluated() as check:
            parts = list(walk(claim.proposition))
            spans = {one.name: one.span for one in parts if isinstance(one, InRange)}
            lets = {one.name: one.value.formula for one in parts if isinstance(one, Let)}
        case _:
            raise AssertionError(claim.id)

    def cases(bound: int) -> int:
        def count(env: dict[str, int], names: list[str]) -> Iterator[int]:
            if not names:
                yield 1
                return
            known = dict(env)
            for name, formula in lets.items():
                if formula.names <= known.keys():
                    with suppress(FormulaError):
                        known[name] = int(formula.value(known))
            for value in spans[names[0]].values(known):
                yield from count({**env, names[0]: value}, names[1:])

        return sum(islice(count({"N": bound}, list(spans)), most + 1))

    return max((n for n in range(check.bound + 1) if n < 3 or cases(n) <= most), default=0)


def changes_of(claim: Claim, effort: Effort) -> Iterator[tuple[Location, object]]:
    """Yield a place in the claim's document and what to write there instead."""
    document = claim.as_json()
    if isinstance(claim.check, Kind):
        for place, part, _ in claim.check.parts(frozenset(claim.coordinates)):
            texts = [str(changed) for changed in small_changes(part)]
            yield from ((("check", *place), text) for text in spread(texts, effort.changes))
        numbers = list(numbers_in(document["check"], ("check",)))
    else:
        for versions in changed_parts(claim.proposition):
            for version in spread(versions, effort.changes):
                yield ("statement",), text_of(version)
        numbers = list(numbers_in(document.get("printed", []), ("printed",)))
    for place, number in spread(numbers, effort.changes):
        yield place, number + 1


def numbers_in(value: object, place: Location) -> Iterator[tuple[Location, int]]:
    """Yield the numbers of printed lists and tables."""
    match value:
        case dict():
            for key, part in value.items():
                if not isinstance(part, int):
                    yield from numbers_in(part, (*place, key))
        case list():
            for i, part in enumerate(value):
                yield from numbers_in(part, (*place, i))
        case int() if not isinstance(value, bool):
            yield place, value


def spread(items: list[T], most: int) -> list[T]:
    """Return at most so many of the items, from the first to the last, evenly."""
    if len(items) <= most:
        return items
    return [items[i * (len(items) - 1) // (most - 1)] for i in range(most)]


def with_change(claim: Claim, place: Location, text: object) -> Claim:
    document: Any = copy.deepcopy(claim.as_json())
    inside = document
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = text
    return Claim(Statement.model_validate(document))


def positions_of(trial: Trial) -> tuple[object, ...]:
    """Return what the outcome by definition depends on: which table is checked matters for rectangular bars alone."""
    parameters, game, bound, quantity = trial
    is_whole = game is not None and isinstance(game.base, RectangularBar)
    return (*parameters.items(), bound, quantity if is_whole else None)


def outcome_by_definition(claim: Claim, trial: Trial) -> Outcome:
    parameters, game, bound, quantity = trial
    match claim.check:
        case Evaluated() as check if game is None:
            return oracle_of_integers.outcome_of_integers(check.proposition, bound)
        case HeightFunctions() as check:
            return oracle_of_integers.outcome_of_heights(check, bound)
        case Sections() as check:
            return oracle_of_integers.outcome_of_sections(check, bound)
        case Counts() as check:
            (parameter,) = claim.parameters
            return oracle_of_integers.outcome_of_counts(
                check, parameter, p_numbers(claim, parameters)
            )
    assert game is not None
    assert quantity is not None
    return outcome(claim, parameters, game, bound, quantity)


def p_numbers(claim: Claim, parameters: dict[str, int]) -> dict[int, int]:
    """Return the numbers of P-positions up to the parameter's value, by definition."""
    (parameter,) = claim.parameters
    return {n: p_number(n) for n in range(1, parameters[parameter] + 1)}


@cache
def p_number(m: int) -> int:
    game = parse_ruleset(f"rectangular-bar(m={m}, n={m})")
    return sum(game.is_p_position(game.whole(i, j)) for i, j in product(range(1, m + 1), repeat=2))


@cache
def table_of(game: Ruleset, bound: int, quantity: Quantity) -> xr.Dataset:
    return table(game, bound, quantity)
