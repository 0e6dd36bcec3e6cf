"""Verdicts against the definition: whatever is claimed of whichever game, and however the table is cut into blocks."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import assume, given
from hypothesis import strategies as st

from choco_pipeline import RectangularBar, Ruleset
from choco_pipeline.claims.checks.check import CHECKS, Finding
from choco_pipeline.claims.kinds import Check, PlugIn
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.formula import parse
from choco_pipeline.games import Position
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES, Quantity
from tests.claims.checks.checked import find
from tests.claims.claims import (
    claim_on,
    conditions,
    domain,
    formula_names,
    holds,
    integer_formulas,
    key_of,
)
from tests.claims.written import claim_from
from tests.rulesets import rulesets_with_bounds

Drawn = tuple[Ruleset, int]


def require_least(
    finding: Finding, game: Ruleset, failing: list[Position], inside: set[Position], settled: int
) -> Position | None:
    """Assert that a verdict is right about the positions within the bound; return its counterexample."""
    verdict = finding.verdict
    match verdict:
        case Refuted(counterexample, positions):
            found = counterexample.position
            assert found is not None
            assert positions == settled
            assert counterexample.coordinates == game.coordinates
            if found in inside:
                assert found == min(failing, key=lambda position: key_of(game, position))
            else:  # a strip or a last heap that is larger than the bound
                assert all(key_of(game, found) < key_of(game, other) for other in failing)
            return found
        case HoldsToBound(positions) | Exhausted(positions):
            assert failing == []
            assert positions == settled > 0
        case Undecided(why) | Vacuous(why):
            assert failing == []
            assert settled == 0
            assert isinstance(verdict, Vacuous) == isinstance(game.base, RectangularBar)
            assert why.startswith("no position ")
        case _:
            raise AssertionError(verdict)
    return None


@given(st.data(), rulesets_with_bounds(), st.sampled_from(QUANTITIES))
def test_p_positions(data: st.DataObject, drawn: Drawn, quantity: Quantity) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=True)
    if quantity == "grundy" and names[0] == "i":
        quantity = "p-positions"
    if table(game, bound, quantity).sizes == {}:
        return
    formula = data.draw(conditions(names))
    where = data.draw(st.none() | conditions(names))
    claim = claim_on(game, kind="p-positions", formula=formula, where=where)
    finding = find(claim, game, bound, quantity)

    condition, restriction = parse(formula), None if where is None else parse(where)
    places = [
        (at, named) for at, named in domain(game, bound, quantity) if holds(restriction, named)
    ]
    failing = [at for at, named in places if game.is_p_position(at) != holds(condition, named)]
    found = require_least(finding, game, failing, {at for at, _ in places}, len(places))
    if found is not None:
        more = finding.evidence["failures"] - len(failing)
        assert more >= 0 if "free" in finding.evidence else more == 0
        named = dict(zip(game.coordinates, found, strict=True))
        if names[0] == "i":
            named |= {"i": found[0] + 1, "j": found[2] + 1}
        assert holds(restriction, named)
        assert game.is_p_position(found) != holds(condition, named)
        assert isinstance(finding.verdict, Refuted)
        option = finding.verdict.counterexample.option
        if game.is_p_position(found):
            assert option is None
        else:
            assert option in game.options(found)
            assert game.is_p_position(option)


@given(st.data(), rulesets_with_bounds())
def test_grundy_numbers(data: st.DataObject, drawn: Drawn) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=False)
    equals = data.draw(integer_formulas(names))
    where = data.draw(st.none() | conditions(names))
    claim = claim_on(game, kind="grundy", equals=equals, where=where)
    finding = find(claim, game, bound, "grundy")

    number, restriction = parse(equals), None if where is None else parse(where)
    places = [
        (at, named) for at, named in domain(game, bound, "grundy") if holds(restriction, named)
    ]
    failing = [at for at, named in places if game.grundy(at) != number.value(named)]
    found = require_least(finding, game, failing, {at for at, _ in places}, len(places))
    if found is not None:
        assert isinstance(finding.verdict, Refuted)
        assert finding.verdict.counterexample.found == f"Grundy number {game.grundy(found)}"
        assert finding.evidence["failures"] == len(failing)


@given(st.data(), rulesets_with_bounds(), st.sampled_from(QUANTITIES))
def test_values(data: st.DataObject, drawn: Drawn, quantity: Quantity) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=True)
    if quantity == "grundy" and names[0] == "i":
        quantity = "p-positions"
    if table(game, bound, quantity).sizes == {}:
        return
    of = data.draw(integer_formulas(names))
    members = data.draw(
        st.sampled_from(
            [
                *("v == 0", "v >= 0", "v % 2 == 0", "v == 1 or (v+2) & (v+1) == 0", "v > 2"),
                *("v == 0 or v == -1", "v < 0", "v != v", "v == 0 or v == 5000000", "-2 <= v < 4"),
            ]
        )
    )
    relation = data.draw(st.sampled_from(["exactly", "within", "contains-all"]))
    claim = claim_on(game, kind="values", of=of, values=members, relation=relation)
    finding = find(claim, game, bound, quantity)

    value, member = parse(of), parse(members)
    p_positions = {
        at: value.value(named)
        for at, named in domain(game, bound, quantity)
        if game.is_p_position(at)
    }
    near = {v for at, v in p_positions.items() if key_of(game, at)[0] <= bound}
    size = max(*map(abs, near), bound // 4) if near else -1
    expected = [v for v in range(-size, size + 1) if member.value({"v": v})]
    failing = [at for at, v in p_positions.items() if not member.value({"v": v})]
    evidence = finding.evidence
    outwards = [w for v in range(1 << 8) for w in (-v, v)] + [5_000_000]
    absent = next((v for v in outwards if member.value({"v": v}) and v not in near), None)
    is_whole = isinstance(game.base, RectangularBar) and quantity == "p-positions"
    if isinstance(finding.verdict, Refuted) and finding.verdict.counterexample.position is None:
        assert is_whole  # all P-positions are known, so that members can be missing
        assert relation != "within"
        assert finding.verdict.counterexample.found == f"no P-position has the value {absent:,}"
    elif isinstance(finding.verdict, Refuted):
        assert relation != "contains-all"
        found = finding.verdict.counterexample.position
        assert found is not None
        assert game.is_p_position(found)
        if found in p_positions:
            assert found == min(failing, key=lambda position: key_of(game, position))
    else:
        assert relation == "contains-all" or failing == []
        if is_whole:
            is_vacuous = not near or (relation == "contains-all" and members == "v != v")
            assert isinstance(finding.verdict, Vacuous if is_vacuous else Exhausted)
            assert relation == "within" or absent is None
    if near:
        assert evidence["values"] == sorted(near)[:64]
        assert evidence["count"] == len(near)
        assert evidence["missing"] == sorted(set(expected) - near, key=lambda v: (abs(v), v))[:64]
        nearest = min((abs(v) for v in expected if v not in near), default=size + 1)
        below = [abs(v) for v in expected if abs(v) < nearest]
        assert evidence["growth"][-1]["frontier"] == (max(below) if below else None)
    elif not isinstance(finding.verdict, Refuted):
        assert isinstance(finding.verdict, Undecided | Vacuous)


@given(st.data(), rulesets_with_bounds(), st.sampled_from(["positions", "p-positions"]))
def test_counting(data: st.DataObject, drawn: Drawn, over: str) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=over == "p-positions")
    quantity: Quantity = "grundy" if over == "positions" or names[0] != "i" else "p-positions"
    of, where = data.draw(conditions(names)), data.draw(st.none() | conditions(names))
    if over == "positions":
        of = data.draw(st.sampled_from([of, "grundy == 0", f"grundy == {names[0]} ^ {names[-1]}"]))
    condition, restriction = parse(of), None if where is None else parse(where)
    places = list(domain(game, bound, quantity))
    if over == "p-positions":
        places = [(at, named) for at, named in places if game.is_p_position(at)]
    reach = None if isinstance(game.base, RectangularBar) else bound
    if reach is not None:
        places = [(at, named) for at, named in places if key_of(game, at)[0] <= reach]
    number = sum(
        holds(restriction, named) and holds(condition, {**named, "grundy": game.grundy(at)})
        for at, named in places
    )

    def counted(equals: int) -> Finding:
        check = {"kind": "count", "over": over, "of": of, "where": where, "equals": equals}
        document = {"id": "drawn", "ruleset": game.notation, "reach": reach, "check": check}
        return find(claim_from(document), game, bound, quantity)

    what = "P-position" if over == "p-positions" else "position"
    nothing = Vacuous(f"no {what} satisfies its premise")
    assert counted(number).verdict == (Exhausted(len(places)) if places else nothing)
    wrong = counted(number + 1).verdict
    assert isinstance(wrong, Refuted)
    assert wrong.counterexample.found.split()[0] == f"{number:,}"


@given(
    st.data(),
    rulesets_with_bounds(),
    st.sampled_from(["positions", "p-positions"]),
    st.integers(1, 90),
)
def test_counting_choices_of_a_position_and_further_integers(
    data: st.DataObject, drawn: Drawn, over: str, block: int
) -> None:
    game, bound = drawn
    assume(not isinstance(game.base, RectangularBar))
    names = list(game.coordinates)
    beside = {
        "u": f"-1..{names[-1]}",
        "w": data.draw(st.sampled_from(["u", "u..2", "0..u step 2"])),
    }
    of = data.draw(conditions([*names, "u", "w"]))
    number = among = 0
    for at, named in domain(game, bound, "grundy"):
        if key_of(game, at)[0] > bound or (over == "p-positions" and not game.is_p_position(at)):
            continue
        for u in range(-1, at[-1] + 1):
            for w in {"u": [u], "u..2": range(u, 3), "0..u step 2": range(0, u + 1, 2)}[
                beside["w"]
            ]:
                among += 1
                number += holds(parse(of), {**named, "u": u, "w": w})

    check = {"kind": "count", "over": over, "beside": beside, "of": of, "equals": number}
    document = {"id": "drawn", "ruleset": game.notation, "reach": bound, "check": check}
    assert list(mistakes_in(claim_from(document))) == []
    assert find(claim_from(document), game, bound, "grundy", block).verdict == Exhausted(
        among, "case"
    )
    check["equals"] = number + 1
    wrong = find(claim_from(document), game, bound, "grundy", block).verdict
    assert isinstance(wrong, Refuted)
    assert wrong.counterexample.found.startswith(f"{number:,} choices of")


@given(st.data(), rulesets_with_bounds(), st.integers(1, 40))
def test_the_finding_does_not_depend_on_blocks(
    data: st.DataObject, drawn: Drawn, block: int
) -> None:
    game, bound = drawn
    names = formula_names(game, whole_bars=True)
    if names[0] != "i" and data.draw(st.booleans()):
        checks: dict[str, Any] = {"kind": "grundy", "equals": data.draw(integer_formulas(names))}
        quantity: Quantity = "grundy"
    elif data.draw(st.booleans()):
        checks = {"kind": "p-positions", "formula": data.draw(conditions(names))}
        quantity = "p-positions"
    else:
        checks = {
            "kind": "values",
            "of": data.draw(integer_formulas(names)),
            "values": "v > 1",
            "relation": "exactly",
        }
        quantity = "p-positions"
    reach = None if names[0] == "i" else data.draw(st.none() | st.integers(0, bound))
    document = {"id": "drawn", "ruleset": game.notation, "reach": reach, "check": checks}
    claim = claim_from(document)
    assert find(claim, game, bound, quantity, block) == find(claim, game, bound, quantity)


def test_every_kind_of_claim_on_rulesets_has_a_check_and_no_other():
    shapes = [kind for kind in get_args(Check) if isinstance(kind, type)]
    plug_ins = get_args(get_args(PlugIn)[0])
    named = {kind: kind.kind for kind in shapes}
    named |= {kind: get_args(kind.model_fields["kind"].annotation)[0] for kind in plug_ins}
    without = {kind for kind in plug_ins if not kind.of_rulesets}
    assert {name for kind, name in named.items() if kind not in without} == set(CHECKS)
    assert len(set(named.values())) == len(shapes) + len(plug_ins)
