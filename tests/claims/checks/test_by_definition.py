"""Verdicts on drawn claims are those of the definition, however the table is cut into blocks."""

from __future__ import annotations

import re
from typing import Any, get_args
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks import evaluation
from choco_pipeline.claims.checks.check import CHECKS, check_claim
from choco_pipeline.claims.kinds import Check, PlugIn
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES, Quantity, variable_of
from tests.claims.changed_games import with_options
from tests.claims.claims import (
    claim_on,
    conditions,
    domain,
    formula_names,
    integer_formulas,
    key_of,
)
from tests.claims.oracle import outcome
from tests.rulesets import rulesets_with_bounds

#: Integers that sets and conditions may name: as far from 0 as a formula says.
POINTS = [-5_000_000, -65, -5, -2, -1, 0, 1, 2, 3, 7, 64, 5_000_000, 40_000_000]
SETS = [
    *("v == 0", "v >= 0", "v % 2 == 0", "v == 1 or (v+2) & (v+1) == 0", "v > 2", "v < 0"),
    *("v == 0 or v == -1", "v != v", "v == 0 or v == 5000000", "-2 <= v < 4", "v % 4 == 3"),
]


def find(claim, game, bound, quantity, block=1 << 18):
    return check_claim(claim, {}, game, bound, table(game, bound, quantity), block)


@st.composite
def few(draw, names):
    """Draw a condition, often one that few positions satisfy, or none."""
    a, b, n = (draw(st.sampled_from(some)) for some in (names, names, POINTS))
    texts = [f"{a} == {n}", f"{a} > {n}", f"{a} ^ {b} == {n}", f"{a}+{b} <= {n}", f"{a} < 0"]
    return draw(st.sampled_from(texts) | conditions(names))


@st.composite
def drawn(draw, kind):
    """Draw a claim of a kind with the table of a game."""
    game, bound = draw(rulesets_with_bounds())
    names = formula_names(game, whole_bars=kind in ("p-positions", "values"))
    quantity: Quantity = "grundy" if kind == "grundy" else draw(st.sampled_from(QUANTITIES))
    said, value = draw(few(names)), draw(integer_formulas(names))
    premises = [f"({part})" for part in draw(st.lists(few(names), max_size=1))]
    if not isinstance(game.base, RectangularBar) and draw(st.booleans()):
        premises.append(f"size <= {draw(st.integers(-1, bound + 1))}")
    inside = " and ".join([*premises, "P"])
    match kind:
        case "p-positions":
            relation = draw(st.sampled_from(["P <=> {}", "{} => P", f"{inside} => {{}}"]))
            statement = relation.format(said)
        case "grundy":
            statement = f"G == {value}"
        case "values":
            sign = draw(st.sampled_from(["==", "<=", ">="]))
            statement = f"{{{value}: {inside}}} {sign} {{v: {draw(st.sampled_from(SETS))}}}"
        case _:
            have, lowered = draw(st.sampled_from(["no", "some", "every"])), " by "
            by = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
            to = re.sub(rf"\b({'|'.join(names)})\b", r"\1'", draw(few(names)))
            statement = f"{said} => {have} option{lowered * bool(by)}{', '.join(by)}: {to}"
    if kind in ("p-positions", "grundy") and premises and not statement.startswith(inside):
        statement = f"{' and '.join(premises)} => ({statement})"
    claim = claim_on(game, statement)
    quantity = quantity if quantity in claim.quantities else claim.quantities[0]
    assume(variable_of(game, quantity).dims)  # a table of one cell settles nothing
    return claim, game, bound, quantity


def require_as_defined(finding, claim, game, bound, quantity):
    expected, verdict = outcome(claim, {}, game, bound, quantity), finding.verdict
    reach = None if claim.reach is None else int(claim.reach.value({}))
    is_complete = isinstance(game.base, RectangularBar) or (reach is not None and reach <= bound)
    match verdict:
        case Refuted(counterexample) if not expected.is_false:
            # A strip or a last heap that is larger than the bound.
            position = counterexample.position
            assert not is_complete
            assert position is not None
            assert key_of(game, position)[0] > bound
            assert outcome(claim, {}, game, key_of(game, position)[0], quantity).is_false
        case Refuted(counterexample, positions):
            assert counterexample.position == expected.least
            assert positions == expected.settled
            failures = finding.evidence["failures"]
            assert failures == expected.failures or "free" in finding.evidence
        case HoldsToBound(positions) | Exhausted(positions):
            assert isinstance(verdict, Exhausted) == is_complete
            assert (positions, expected.is_false, expected.is_empty) == (
                expected.settled,
                False,
                False,
            )
        case _:
            assert isinstance(verdict, Vacuous if is_complete else Undecided)
            assert (expected.is_false, expected.is_empty) == (False, True)


@pytest.mark.parametrize("kind", ["p-positions", "grundy", "options"])
@given(st.data(), st.integers(1, 60), st.sampled_from([1, 10**9]))
def test_statements_about_positions(kind, data, block, many):
    claim, game, bound, quantity = data.draw(drawn(kind))
    with mock.patch.object(evaluation, "MANY", many):  # all options at once, or each
        finding = find(claim, game, bound, quantity, block)
    require_as_defined(finding, claim, game, bound, quantity)
    match finding.verdict:
        case Refuted(counterexample) if kind == "p-positions":
            position, option = counterexample.position, counterexample.option
            assert position is not None
            assert (option is None) == game.is_p_position(position)
            assert option is None or option in game.options(position)


@given(st.data(), st.integers(1, 60))
def test_values(data, block):
    claim, game, bound, quantity = data.draw(drawn("values"))
    finding, check = find(claim, game, bound, quantity, block), claim.value_set
    assert check is not None
    evidence = finding.evidence
    reach = None if claim.reach is None else int(claim.reach.value({}))
    member = check.values.value
    values: dict[Any, int] = {
        at: int(check.of.value(named))
        for at, named in domain(game, bound, quantity)
        if (reach is None or key_of(game, at)[0] <= reach)
        and (check.where is None or check.where.value(named))
        and game.is_p_position(at)
    }
    near = {v for at, v in values.items() if key_of(game, at)[0] <= bound}
    failing = [at for at, v in values.items() if not member({"v": v})]
    is_whole = isinstance(game.base, RectangularBar) or (reach is not None and reach <= bound)
    outwards = [w for v in range(1 << 8) for w in (-v, v)] + [5_000_000]
    absent = next((v for v in outwards if member({"v": v}) and v not in near), None)
    match finding.verdict:
        case Refuted(counterexample) if counterexample.position is None:
            assert is_whole  # all P-positions are known, so that members can be missing
            assert check.relation != "within"
            assert counterexample.found.endswith(f" {absent:,}")
        case Refuted(counterexample):
            assert check.relation != "contains-all"
            assert game.is_p_position(counterexample.position)
            if counterexample.position in values:
                assert counterexample.position == min(failing, key=lambda at: key_of(game, at))
        case verdict:
            assert check.relation == "contains-all" or failing == []
            if is_whole:
                assert check.relation == "within" or absent is None
                is_vacuous = not near or (
                    check.relation == "contains-all" and check.values.text == "v != v"
                )
                assert isinstance(verdict, Vacuous if is_vacuous else Exhausted)
    if near:
        size = max(*map(abs, near), bound // 4)
        missing = {v for v in range(-size, size + 1) if member({"v": v})} - near
        assert evidence["values"] == sorted(near)[:64]
        assert evidence["count"] == len(near)
        assert evidence["missing"] == sorted(missing, key=lambda v: (abs(v), v))[:64]


@given(st.data(), rulesets_with_bounds(), st.sampled_from(["positions", "p-positions"]))
def test_numbers_of_choices_of_a_position_and_integers(data, game_and_bound, over):
    game, bound = game_and_bound
    assume(not isinstance(game.base, RectangularBar))
    names = list(game.coordinates)
    beside = data.draw(
        st.sampled_from(
            [{}, {"u": f"-1..{names[-1]}"}, {"u": f"0..{names[0]} step 2", "w": "u..2"}]
        )
    )
    of = data.draw(conditions([*names, *beside]))
    if over == "positions" and data.draw(st.booleans()):
        of = f"G == {names[0]} ^ {names[-1]}"
    choices = "".join(f", {name} in {span}" for name, span in beside.items())
    said = f"{'P and ' * (over == 'p-positions')}size <= {bound} and ({of})"
    count = f"count(position{choices}: {said}) == "
    block = data.draw(st.integers(1, 90))
    number = find(claim_on(game, f"{count}0"), game, bound, "grundy", block).evidence["counted"]
    for equals in (number, number + 1):
        claim = claim_on(game, f"{count}{equals}")
        expected = outcome(claim, {}, game, bound, "grundy")
        verdict = find(claim, game, bound, "grundy", block).verdict
        assert isinstance(verdict, Refuted) == expected.is_false == (equals != number)
        assert not isinstance(verdict, Undecided)


def check(text, statement, bound=6):
    """Return what a table of the Grundy numbers says of a claim."""
    game = parse_ruleset(text)
    return find(claim_on(game, statement), game, bound, "grundy").verdict


def test_a_finite_set_is_contained_as_soon_as_all_its_members_occur():
    values = "{(a ^ b)-2: P} >= "
    assert check("nim(2)", values + "{v: v == -2}") == Exhausted(1, "member")
    assert isinstance(check("nim(2)", values + "{v: v == -2 or v == 2**40}"), Undecided)


def test_a_set_that_is_not_known_is_not_exhausted():
    statement = "{x ^ y ^ z: P and size <= 4} == {v: v == 0 or v*v % 4 == 3}"
    assert isinstance(check("solid-bar(f=(x+z)//3)", statement), Undecided)


@pytest.mark.parametrize("values", ["v >= 0", "v >= 3"])
def test_a_set_that_stops_growing_is_not_said_to_hold_everything(values):
    game = WithPass(StripBar(k=4, s=2))  # values 0, 1, 2, 6, 14, …: 3 never comes
    claim = claim_on(game, f"{{(x+2) ^ y ^ (z+2) ^ p: P}} >= {{v: {values}}}")
    finding = find(claim, game, 80, "p-positions")
    assert isinstance(finding.verdict, Undecided)


def test_counting_needs_the_whole_box():
    statement = "count(position: size <= 9 and z <= 9 and G == 0) == 1"
    assert isinstance(check("step-bar(k=2, s=0)", statement, 8), Undecided)


def test_too_many_evaluations_leave_the_claim_undecided(monkeypatch):
    game = SolidBar("(x+z)//3")
    claim = claim_on(game, "P <=> x*y*z > 5")
    for most, expected in ((270, Refuted), (269, Undecided)):
        monkeypatch.setattr("choco_pipeline.claims.checks.formulas.MOST_EVALUATIONS", most)
        assert isinstance(find(claim, game, 8, "p-positions").verdict, expected)


STEP = "(w == z and u < y) or (w < z and u == min(y, (w+1)//2))"


def of_option_set(game, statement, bound):
    return find(claim_on(game, statement), game, bound, "p-positions")


@pytest.mark.parametrize(
    "keep",
    [
        None,
        lambda at, q: [option for option in q if option[1] < at[1]],  # no cuts of y
        lambda at, q: [
            option for option in q if option[1] or not at[1]
        ],  # not to the bitter column
    ],
)
def test_a_definition_that_forgets_something_is_noticed(keep):
    game, statement = StepBar(2, 1), f"option(u, w) <=> {STEP}"
    changed = game if keep is None else with_options(game, keep)
    data = table(game, 9, "p-positions")
    verdict = check_claim(claim_on(game, statement), {}, changed, 9, data).verdict
    assert isinstance(verdict, HoldsToBound if keep is None else Refuted)


def test_a_box_of_cells_that_is_too_large_is_made_smaller_or_refused():
    large = of_option_set(RectangularBar(12, 12), "option(s, t, u, w) <=> s < a", 12)
    assert isinstance(large.verdict, Undecided)
    smaller = of_option_set(WithPass(SolidBar("(x+z)//2")), "option(s, t, u, w) => s <= x", 60)
    assert isinstance(smaller.verdict, HoldsToBound)
    assert smaller.verdict.bound == smaller.evidence["bound"] < 60


def test_every_kind_of_claim_on_rulesets_has_a_check_and_no_other():
    shapes = [kind for kind in get_args(Check) if isinstance(kind, type)]
    plug_ins = get_args(get_args(PlugIn)[0])
    named = {kind: kind.kind for kind in shapes}
    named |= {kind: get_args(kind.model_fields["kind"].annotation)[0] for kind in plug_ins}
    without = {kind for kind in plug_ins if kind.rulesets == ()}
    assert {name for kind, name in named.items() if kind not in without} == set(CHECKS)
