"""Every formula of the catalogue, changed in every small way: the checker must say what the definition says."""

from __future__ import annotations

import pytest

from choco_pipeline.claims.checks.check import check_claim, check_standing
from choco_pipeline.claims.conclusions.rows import check_counts
from choco_pipeline.claims.kinds import Counts, Values
from choco_pipeline.claims.language.verdict import Refuted, Undecided
from choco_pipeline.errors import ChocoError
from tests.catalogues import catalogue_of
from tests.claims.oracle import Outcome
from tests.papers.attempts import (
    FEWER_CASES,
    FULL,
    LARGE,
    QUICK,
    changes_of,
    outcome_by_definition,
    p_numbers,
    positions_of,
    table_of,
    trials_of,
    with_change,
    with_few_cases,
)

CATALOGUE = catalogue_of()


@pytest.mark.full
@pytest.mark.parametrize("claim_id", [i for i in CATALOGUE.claims if i not in LARGE])
def test_changed_formulas_are_judged_as_by_definition(claim_id):
    refuted, changes = _judge(with_few_cases(CATALOGUE.claims[claim_id]), QUICK)
    assert claim_id not in FEWER_CASES or 0 < refuted < changes, "too few cases to notice a change"


@pytest.mark.slow
@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_all_changes_are_judged_as_by_definition(claim_id):
    claim = CATALOGUE.claims[claim_id]
    noticed, changes = _judge(claim, FULL)
    if not (isinstance(claim.check, Values) and claim.check.relation == "contains-all"):
        # What contains everything can be contradicted by no table.
        assert noticed or not changes, "no change is noticed"


def _judge(claim, effort):
    """Fail if the checker and the definition disagree; return how many changes, of how many, are refuted."""
    trials = list(trials_of(claim, effort))
    assert trials, "the sample is empty: nothing is tried"
    refuted = sum(_agree(claim, claim, trials))
    changes = 0
    for place, text in changes_of(claim, effort):
        try:
            changed = with_change(claim, place, text)
        except ChocoError:
            continue
        changes += 1
        refuted += any(_agree(claim, changed, trials, place, text))
    return refuted, changes


def _agree(claim, changed, trials, *change):
    """Return in which trials the checker refutes a claim; fail unless the definition says the same."""
    outcomes: dict[tuple[object, ...], Outcome] = {}
    refuted = []
    for trial in trials:
        shown = f"{claim.id} {trial} {change}"
        spoken_of = positions_of(trial)
        try:
            if spoken_of not in outcomes:
                outcomes[spoken_of] = outcome_by_definition(changed, trial)
        except (ChocoError, IndexError):
            assert change, f"{shown}: the claim itself has no value somewhere"
            continue  # no value somewhere: such a change is refused in other ways
        refuted.append(_is_refuted(changed, trial, outcomes[spoken_of], shown))
    return refuted


def _is_refuted(changed, trial, expected, shown):
    _, game, bound, _ = trial
    verdict = _verdict(changed, trial)
    match verdict:
        case Refuted(counterexample):
            position = counterexample.position
            if not expected.is_false and game is not None and position is not None:
                # A strip or a heap that a P-table does not limit: the definition has not looked so far.
                heaps = len(game.base.coordinates)
                assert max(position[:heaps]) > bound, shown
                return True
            assert expected.is_false, f"{shown}: refuted: {counterexample}"
            if expected.least is not None and position is not None:
                assert position == expected.least, shown
            return True
        case Undecided(why):
            # A changed limit may be beyond the table, or no limit.
            short = why.endswith("is needed") or "needs a limit" in why
            assert expected.is_empty or short or "bits" in why or _is_about_all(changed), (
                f"{shown}: {why}"
            )
        case _:
            assert not expected.is_false, f"{shown}: {verdict}, but {expected}"
    return False


def _verdict(claim, trial):
    parameters, game, bound, quantity = trial
    if game is None:
        return check_standing(claim, bound).verdict
    if isinstance(claim.check, Counts):
        return check_counts(claim, p_numbers(claim, parameters))
    assert quantity is not None
    return check_claim(claim, parameters, game, bound, table_of(game, bound, quantity), 257).verdict


def _is_about_all(claim):
    return isinstance(claim.check, Values) and claim.check.relation == "contains-all"
