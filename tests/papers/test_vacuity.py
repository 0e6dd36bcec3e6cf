"""Every entry of the catalogue says something: on a changed game, or changed itself, it comes to another verdict.

A statement that stays true however the moves are changed may speak of nothing. For each entry a game with a small mistake in
its definition is looked for on which the statement is false where it was true, or true where it was false. Where there is
none, the entry says why, and a small change of the statement, or of its parameters, must change the verdict. What is false as
printed need not become true by a small change where another entry has the form that does.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest

from choco_pipeline.claims.kinds import Counts, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.errors import ChocoError
from choco_pipeline.games.notation import build
from tests.catalogues import catalogue_of
from tests.claims.changed_games import changed_games
from tests.claims.oracle_of_integers import outcome_of_counts
from tests.papers.attempts import (
    LARGE,
    Effort,
    changes_of,
    outcome_by_definition,
    positions_of,
    trials_of,
    with_change,
    with_few_cases,
)

CATALOGUE = catalogue_of()
SMALL = Effort(places=60, parameters=3, changes=40)
#: What other entries correct.
CORRECTED = {claim.as_ledger().corrects for claim in CATALOGUE.claims.values()} - {None}
#: Numbers of P-positions are compared up to this bar: of larger ones the definition takes minutes.
LARGEST_BAR = 12
#: Of a set that is to hold every number, so many of its members must occur.
FIRST_MEMBERS = 2


def small_trials(claim):
    """Yield small trials of a claim, one of those on the same positions."""
    seen = set()
    for trial in trials_of(claim, SMALL):
        if positions_of(trial) not in seen:
            seen.add(positions_of(trial))
            yield trial


def game_that_flips(claim):
    """Return what to change in the game to change the verdict on a claim; None if nothing is found."""
    for trial in small_trials(claim):
        before = _is_true(claim, trial)
        if trial[1] is None or before is None:
            continue
        for what, changed in _changed(trial[1]):
            parameters, _, bound, quantity = trial
            try:
                after = _is_true(claim, (parameters, changed, bound, quantity))
            except (ChocoError, IndexError, ValueError):
                continue  # a height, say, that makes no game, or a pattern without any P
            if after is not None and after != before:
                return what
    return None


def change_that_flips(claim):
    """Return what to change in a claim to change the verdict on it; None if nothing is found."""
    for trial in small_trials(claim):
        before = _is_true(claim, trial)
        for other in _other_parameters(claim, trial):
            after = _is_true(claim, other)
            if None not in (before, after) and after != before:
                return f"parameters: {other[0]}"
        for place, text in changes_of(claim, SMALL):
            try:
                after = _is_true(with_change(claim, place, text), trial)
            except (ChocoError, IndexError):
                continue
            if after is not None and after != before:
                return f"{'.'.join(map(str, place))}: {text}"
    return None


def _other_parameters(claim, trial):
    """Yield a trial with parameters beside those given, of which the claim need not speak."""
    parameters, _, bound, quantity = trial
    for name in sorted(claim.parameters):
        for step in (1, -1):
            other = {**parameters, name: parameters[name] + step}
            with suppress(ChocoError):
                assert claim.pattern is not None
                claim.environment(other)
                yield other, build(claim.pattern, other, Path()), bound, quantity


def _is_true(claim, trial):
    """Whether a claim is true of a small table by definition; None if it speaks of nothing there."""
    parameters, game = trial[:2]
    check = claim.check
    if isinstance(check, Values) and check.relation == "contains-all":
        return _is_filled(claim, trial)
    if isinstance(check, Counts) and game is not None:
        (parameter,) = claim.parameters
        numbers = _p_numbers(game, min(parameters[parameter], LARGEST_BAR))
        return not outcome_of_counts(check, parameter, numbers).is_false
    found = outcome_by_definition(claim, trial)
    return None if found.is_empty else not found.is_false


def _is_filled(claim, trial):
    """Whether the first members of a set that is to hold all of them occur: what a small table can say of it."""
    parameters, game, bound, _ = trial
    assert game is not None
    assert isinstance(claim.check, Values)
    env = claim.environment(parameters)
    found = set()
    for position in game.positions(bound):
        if game.is_p_position(position):
            names = dict(zip(game.coordinates, position, strict=True))
            found.add(int(claim.check.of.value(env | names)))
    members = (v for v in range(1 << 12) if claim.check.values.value(env | {"v": v}))
    return all(v in found for v in islice(members, FIRST_MEMBERS))


@cache
def _changed(game):
    """Return the changed games; each keeps the Grundy numbers that were found of it, for the next claim."""
    return list(changed_games(game))


@cache
def _p_numbers(game, most):
    """Return the numbers of P-positions of the uncut bars with the rules of `game`, by definition."""
    numbers = {}
    for n in range(1, most + 1):
        bar = replace(game, m=n, n=n)  # type: ignore[type-var]
        cells = product(range(1, n + 1), repeat=2)
        numbers[n] = sum(bar.is_p_position(bar.whole(i, j)) for i, j in cells)
    return numbers


def _require_a_change(claim):
    """Fail unless something changes the verdict on an entry, or the entry says why nothing does."""
    assert isinstance(claim.statement, Entry)
    why, is_false = claim.statement.independent, _is_false(claim)
    if is_false and claim.id in CORRECTED:
        return
    what = game_that_flips(claim)
    assert what is None or why is None, f"the game changes the verdict: {what}"
    if what is None:
        if claim.pattern is not None and not is_false:
            assert why is not None, "no change of the game matters: `independent` must say why"
        assert change_that_flips(claim) is not None, "no change of the statement matters"


def _is_false(claim):
    return any(_is_true(claim, trial) is False for trial in small_trials(claim))


def claims_to_change():
    """Yield every claim but the large ones; each eighth is quick."""
    for n, claim_id in enumerate(i for i in CATALOGUE.claims if i not in LARGE):
        yield pytest.param(claim_id, marks=[pytest.mark.full] if n % 8 else [])


@pytest.mark.parametrize("claim_id", list(claims_to_change()))
def test_some_change_changes_the_verdict(claim_id):
    _require_a_change(with_few_cases(CATALOGUE.claims[claim_id]))


@pytest.mark.slow
@pytest.mark.parametrize("claim_id", sorted(LARGE))
def test_some_change_changes_the_verdict_on_a_large_table(claim_id):
    _require_a_change(CATALOGUE.claims[claim_id])


@pytest.mark.parametrize(
    "claim_id",
    [
        "step2015-def-2.2-intended",
        "step2015-def-3.1-intended",
        "pass2016-def-3.2",
        "pass2016-def-4.2-intended",
    ],
)
def test_definitions_give_the_options_exactly(claim_id):
    """Every change of the options is noticed; that all options are positions is true without any moves, too."""
    claim = CATALOGUE.claims[claim_id]
    for trial in small_trials(claim):
        parameters, game, bound, quantity = trial
        assert game is not None
        assert _is_true(claim, trial)
        for what, changed in _changed(game):
            same = all(
                set(changed.options(at)) == set(game.options(at)) for at in game.positions(bound)
            )
            if type(changed) is not type(game):
                assert _is_true(claim, (parameters, changed, bound, quantity)) == same, what


@pytest.mark.full
def test_a_p_position_that_is_none_is_noticed():
    """Where nothing says that (y, y, 0) is a P-position, no change of the game could make the statement false."""
    claim = CATALOGUE.claims["step2015-ex-3.2-sharp"]
    assert isinstance(claim.statement, Entry)
    said = "{(x+s) ^ y ^ (z+s): P and x == y and y == (s & -s) and z == 0} <= {v: v > 0}"
    entry = claim.statement.model_copy(update={"statement": said})
    with pytest.raises(AssertionError, match="no change of the game matters"):
        _require_a_change(Claim(entry, claim.paper))
