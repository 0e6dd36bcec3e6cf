"""Every formula of the catalogue, changed in every small way: the checker must say what the definition says."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

import pytest
import xarray as xr

from choco_pipeline.claims.catalogue import load_catalogue
from choco_pipeline.claims.check import check_claim
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.kinds import (
    Counts,
    GrundyList,
    GrundyTable,
    HeightFunctions,
    IntegerStatement,
    Values,
)
from choco_pipeline.claims.kinds.kind import Kind
from choco_pipeline.claims.ledger import check_counts
from choco_pipeline.claims.model import Entry, Statement
from choco_pipeline.claims.standing import check_standing
from choco_pipeline.claims.verdict import Refuted, Undecided, Verdict
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.ranges import Range
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import build
from choco_pipeline.tables.compute import table
from choco_pipeline.tables.cost import count_positions
from choco_pipeline.tables.schema import Quantity, unwrap
from tests.claims.mutants import mutants, range_mutants
from tests.claims.oracle import (
    Outcome,
    outcome,
)
from tests.claims.oracle_of_integers import (
    outcome_of_counts,
    outcome_of_heights,
    outcome_of_integers,
)

T = TypeVar("T")

CATALOGUE = load_catalogue(sorted(Path("config/claims").glob("*.yaml")))


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


QUICK = Effort(places=120, parameters=2, changes=5)
FULL = Effort(places=700, parameters=3, changes=1000)


#: Finite statements on so many positions that the definition takes minutes.
LARGE = {"pass2016-ex-4.5"}


@pytest.mark.parametrize("claim_id", [i for i in CATALOGUE.claims if i not in LARGE])
def test_changed_formulas_are_judged_as_by_definition(claim_id: str) -> None:
    _judge(CATALOGUE.claims[claim_id], QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_all_changes_are_judged_as_by_definition(claim_id: str) -> None:
    claim = CATALOGUE.claims[claim_id]
    noticed, changes = _judge(claim, FULL)
    if not (isinstance(claim.check, Values) and claim.check.relation == "contains-all"):
        # What contains everything can be contradicted by no table.
        assert noticed or not changes, "no change is noticed"


def _judge(claim: Claim, effort: Effort) -> tuple[int, int]:
    """Fail if the checker and the definition disagree; return how many changes, of how many, are refuted."""
    trials = list(_trials(claim, effort))
    assert trials, "the sample is empty: nothing is tried"
    refuted = sum(_agree(claim, claim, trial) for trial in trials)
    changes = 0
    for place, text in _changes(claim, effort):
        try:
            changed = _with(claim, place, text)
        except ChocoError:
            continue
        changes += 1
        refuted += any([_agree(claim, changed, trial, place, text) for trial in trials])
    return refuted, changes


Trial = tuple[dict[str, int], Ruleset | None, int, Quantity | None]


def _trials(claim: Claim, effort: Effort) -> Iterator[Trial]:
    """Yield parameters, ruleset, bound and quantity of small tables on which a claim is tried."""
    if isinstance(claim.check, IntegerStatement | HeightFunctions):
        yield {}, None, _small_bound(claim.check, effort.places), None
        return
    chosen = list(_samples(claim))
    # Where tables are compared, the numbers up to the largest parameter are.
    chosen = chosen[-1:] if claim.is_over_tables else _spread(chosen, effort.parameters)
    for parameters, bound in chosen:
        assert claim.pattern is not None
        game = build(claim.pattern, dict(parameters), Path())
        reach = claim.statement.reach
        least = 0 if reach is None else int(reach.value(claim.environment(parameters)))
        if isinstance(claim.check, GrundyTable | GrundyList):  # printed numbers need their table
            least = bound
        while bound > least and count_positions(game, bound) > effort.places:
            bound = max(least, bound * 3 // 4)
        for quantity in claim.quantities:
            yield parameters, game, bound, quantity


def _samples(claim: Claim) -> Iterator[tuple[dict[str, int], int]]:
    assert isinstance(claim.statement, Entry)
    sample = claim.statement.sample
    assert sample is not None, "a claim of the catalogue has a sample"

    def extend(known: dict[str, int], names: list[str]) -> Iterator[dict[str, int]]:
        if not names:
            yield known
            return
        for value in sample.parameters[names[0]].values(known):
            yield from extend({**known, names[0]: value}, names[1:])

    for known in extend({}, list(sample.parameters)):
        parameters = {name: known[name] for name in claim.parameters}
        if claim.speaks_of(parameters):
            yield parameters, int(sample.bound.value(known))


def _small_bound(check: IntegerStatement | HeightFunctions, most: int) -> int:
    """Return the largest value of N, up to the claim's own, that leaves few cases."""
    if isinstance(check, HeightFunctions):
        return min(check.bound, 3 if check.arguments == 1 else 2)

    def lets(env: dict[str, int]) -> dict[str, int]:
        known = dict(env)
        for name, formula in check.let.items():
            if formula.names <= known.keys():
                with suppress(FormulaError):
                    known[name] = int(formula.value(known))
        return known

    spans = dict(check.all) | (dict(check.number.of) if check.number else {})

    def cases(bound: int) -> int:
        def count(env: dict[str, int], names: list[str]) -> Iterator[int]:
            if not names:
                yield 1
                return
            for value in spans[names[0]].values({**env, **lets(env)}):
                yield from count({**env, names[0]: value}, names[1:])

        return sum(islice(count({"N": bound}, list(spans)), most + 1))

    return max((n for n in range(check.bound + 1) if n < 3 or cases(n) <= most), default=0)


def _changes(claim: Claim, effort: Effort) -> Iterator[tuple[Location, object]]:
    """Yield a place in the claim's document and what to write there instead."""
    kind: Kind = claim.check
    parts: list[tuple[Location, Formula | Range]] = [
        (("check", *place), part)
        for place, part, _ in kind.parts(frozenset(claim.coordinates))
        if part is not None
    ]
    parts += [(("let", name), formula) for name, formula in claim.statement.let.items()]
    if claim.statement.reach is not None:
        parts.append((("reach",), claim.statement.reach))
    for place, part in parts:
        texts = (
            [mutant.text for mutant in mutants(part)]
            if isinstance(part, Formula)
            else list(range_mutants(part))
        )
        yield from ((place, text) for text in _spread(texts, effort.changes))
    numbers = list(_numbers_in(claim.as_json()["check"], ("check",)))
    for place, number in _spread(numbers, effort.changes):
        yield place, number + 1


def _numbers_in(value: object, place: Location) -> Iterator[tuple[Location, int]]:
    """Yield the numbers of printed lists and tables."""
    match value:
        case dict():
            for key, part in value.items():
                if not isinstance(part, int):
                    yield from _numbers_in(part, (*place, key))
        case list():
            for i, part in enumerate(value):
                yield from _numbers_in(part, (*place, i))
        case int() if not isinstance(value, bool):
            yield place, value


def _spread(items: list[T], most: int) -> list[T]:
    """Return at most so many of the items, from the first to the last, evenly."""
    if len(items) <= most:
        return items
    return [items[i * (len(items) - 1) // (most - 1)] for i in range(most)]


def _with(claim: Claim, place: Location, text: object) -> Claim:
    document: Any = copy.deepcopy(claim.as_json())
    inside = document
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = text
    return Claim(Statement.model_validate(document))


def _agree(claim: Claim, changed: Claim, trial: Trial, *change: object) -> bool:
    """Whether the checker refutes a claim; fails unless the definition says the same."""
    parameters, game, bound, quantity = trial
    shown = f"{claim.id} {parameters} bound {bound} {quantity} {change}"
    try:
        expected = _expected(changed, trial)
    except (ChocoError, IndexError):
        assert change, f"{shown}: the claim itself has no value somewhere"
        return False  # no value somewhere: such a change is refused in other ways
    verdict = _verdict(changed, trial)
    match verdict:
        case Refuted(counterexample):
            position = counterexample.position
            if not expected.is_false and game is not None and position is not None:
                # A strip or a heap that a P-table does not limit: the definition has not looked so far.
                heaps = len(unwrap(game)[0].coordinates)
                assert max(position[:heaps]) > bound, shown
                return True
            assert expected.is_false, f"{shown}: refuted: {counterexample}"
            if expected.least is not None and position is not None:
                assert position == expected.least, shown
            return True
        case Undecided(why):
            short = why.endswith("is needed")  # a changed reach may be beyond the table
            assert expected.is_empty or short or "bits" in why or _is_about_all(changed), (
                f"{shown}: {why}"
            )
        case _:
            assert not expected.is_false, f"{shown}: {verdict}, but {expected}"
    return False


def _verdict(claim: Claim, trial: Trial) -> Verdict:
    parameters, game, bound, quantity = trial
    if game is None:
        return check_standing(claim, bound).verdict
    if isinstance(claim.check, Counts):
        return check_counts(claim, _numbers(claim, parameters))
    assert quantity is not None
    return check_claim(claim, parameters, game, bound, _table(game, bound, quantity), 257).verdict


def _expected(claim: Claim, trial: Trial) -> Outcome:
    parameters, game, bound, quantity = trial
    match claim.check:
        case IntegerStatement() as check:
            return outcome_of_integers(check, bound)
        case HeightFunctions() as check:
            return outcome_of_heights(check, bound)
        case Counts() as check:
            (parameter,) = claim.parameters
            return outcome_of_counts(check, parameter, _numbers(claim, parameters))
    assert game is not None
    assert quantity is not None
    return outcome(claim, parameters, game, bound, quantity)


def _numbers(claim: Claim, parameters: dict[str, int]) -> dict[int, int]:
    """Return the numbers of P-positions up to the parameter's value, by definition."""
    (parameter,) = claim.parameters
    return {n: _number(n) for n in range(1, parameters[parameter] + 1)}


@cache
def _number(m: int) -> int:
    game = parse_ruleset(f"rectangular-bar(m={m}, n={m})")
    return sum(game.is_p_position(game.whole(i, j)) for i, j in product(range(1, m + 1), repeat=2))


@cache
def _table(game: Ruleset, bound: int, quantity: Quantity) -> xr.Dataset:
    return table(game, bound, quantity)


def _is_about_all(claim: Claim) -> bool:
    return isinstance(claim.check, Values) and claim.check.relation == "contains-all"
