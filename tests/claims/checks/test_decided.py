"""Claims that a table decides, far and negative constants and empty conditions among them, against brute force."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    Verdict,
)
from choco_pipeline.formula import parse
from choco_pipeline.games import RectangularBar
from choco_pipeline.tables.computing import table
from tests.claims.checks.test_options import counted
from tests.claims.written import claim_from
from tests.effort import examples

GAMES = [
    "step-bar(k=2, s=1)",
    "with-pass(step-bar(k=2, s=0), passes=1)",
    "strip-bar(k=2, s=0)",
    "solid-bar(f=(x+z)//3)",
    "nim(2)",
    "rectangular-bar(m=3, n=2)",
    "with-pass(rectangular-bar(m=2, n=2), passes=1)",
]
BOUND = 6
#: Integers that sets may hold: as far from 0 as a formula says.
POINTS = [-5_000_000, -65, -5, -2, -1, 0, 1, 2, 3, 7, 64, 5_000_000, 40_000_000]


def check(text: str, reach: int | None = None, bound: int = BOUND, **said: Any) -> Verdict:
    """Return what a table of the Grundy numbers says of a claim."""
    game = parse_ruleset(text)
    document = {"id": "drawn", "ruleset": text, "check": said, "reach": reach}
    claim = claim_from({key: value for key, value in document.items() if value is not None})
    return check_claim(claim, {}, game, bound, table(game, bound, "grundy")).verdict


@st.composite
def conditions(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    """Draw a condition on positions, often one that few satisfy, or none."""
    a, b = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    n = draw(st.sampled_from(POINTS))
    texts = [f"{a} == {n}", f"{a} > {n}", f"{a} ^ {b} == {n}", f"{a}+{b} <= {n}", f"{a} != {b}"]
    return draw(st.sampled_from([*texts, f"{' ^ '.join(names)} == 0", f"{a} < 0"]))


@st.composite
def sets(draw: st.DrawFn) -> str:
    """Draw a condition on v."""
    points = draw(st.lists(st.sampled_from(POINTS), min_size=1, max_size=3))
    listed = " or ".join(f"v == {n}" for n in points)
    low, high = draw(st.sampled_from(POINTS)), draw(st.sampled_from(POINTS))
    others = [f"{low} <= v <= {high}", f"v % 4 == {low % 4}", f"v < {high}", f"v > {low}"]
    return draw(st.sampled_from([listed, *others, f"v % 2 == 0 and {low} < v < {high}"]))


def members_of(text: str) -> set[int]:
    """Return the members of a set near 0 and near every constant in it."""
    near = {n + d for n in (*POINTS, 0) for d in range(-80, 81)}
    condition = parse(text)
    return {v for v in near if condition.value({"v": v})}


@settings(max_examples=examples(400), deadline=None)
@given(
    st.data(),
    st.sampled_from(["p-positions", "grundy", "values", "count"]),
    st.none() | st.integers(-1, BOUND + 1),
)
def test_what_is_decided_is_so(data: st.DataObject, kind: str, reach: int | None) -> None:
    # Of rectangular bars only claims on Grundy numbers speak of all positions.
    text = data.draw(st.sampled_from(GAMES if kind == "grundy" else GAMES[:5]))
    game = parse_ruleset(text)
    names, heaps = game.coordinates, len(game.base.coordinates)
    reach = 4 if kind == "count" and reach is None else reach
    where = data.draw(st.none() | conditions(names))
    formula = data.draw(conditions(names))
    integer = data.draw(
        st.sampled_from(
            [" ^ ".join(names), f"-{names[0]}", f"{names[-1]}-5", f"({names[0]} ^ 1)*3"]
        )
    )
    members = data.draw(sets())
    relation = data.draw(
        st.sampled_from(
            ["exactly", "contains-all", "within"]
            if kind == "values"
            else ["exactly", "contain", "within"]
        )
    )
    said: dict[str, Any] = {"kind": kind} | ({"where": where} if where else {})

    is_complete = isinstance(game.base, RectangularBar) or (reach is not None and reach <= BOUND)
    most = BOUND if reach is None else min(reach, BOUND)
    supposed = parse(where or "0 == 0")
    spoken = [
        (dict(zip(names, q, strict=True)), game.grundy(q))
        for q in game.positions(BOUND)
        if max(q[:heaps]) <= most and supposed.value(dict(zip(names, q, strict=True)))
    ]
    p_positions = [named for named, number in spoken if number == 0]
    match kind:
        case "p-positions":
            said |= {"formula": formula, "relation": relation}
            holds = parse(formula).value
            premises = {
                "exactly": spoken,
                "contain": [at for at, _ in spoken if holds(at)],
                "within": p_positions,
            }[relation]
            pairs = [(bool(holds(at)), number == 0) for at, number in spoken]
            is_false = any(
                {"exactly": h != p, "contain": h and not p, "within": p and not h}[relation]
                for h, p in pairs
            )
            is_empty = not premises
        case "grundy":
            said |= {"equals": integer}
            is_false = any(parse(integer).value(at) != number for at, number in spoken)
            is_empty = not spoken
        case "values":
            said |= {"of": integer, "values": members, "relation": relation}
            values = {int(parse(integer).value(at)) for at in p_positions}
            claimed = members_of(members)
            outside = any(not parse(members).value({"v": v}) for v in values)
            is_false = (relation != "contains-all" and outside) or (
                is_complete and relation != "within" and not claimed <= values
            )
            is_empty = not claimed if relation == "contains-all" else not values
        case _:
            counted_ones = sum(bool(parse(formula).value(at)) for at in p_positions)
            equals = counted_ones + data.draw(st.sampled_from([0, 0, 1]))
            said |= {"over": "p-positions", "of": formula, "equals": equals}
            is_false = equals != counted_ones
            within = (q for q in game.positions(BOUND) if max(q[:heaps]) <= most)
            is_empty = not any(map(game.is_p_position, within))
    verdict = check(text, reach, **said)
    match verdict:
        case Refuted():
            assert is_false or not is_complete  # a strip or a heap may lie beyond the bound
        case Exhausted(_, "member"):
            assert relation == "contains-all"
            assert claimed <= values
            assert not is_empty
        case Exhausted():
            assert is_complete
            assert not is_false
            assert not is_empty
        case Vacuous():
            assert is_empty
            assert is_complete or (kind == "values" and relation == "contains-all")
            assert not is_false
        case HoldsToBound():
            assert not is_complete
            assert not is_false
            assert not is_empty
        case Undecided(why):
            assert not is_complete, why
    if is_complete:
        assert isinstance(verdict, Refuted) == is_false


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), st.sampled_from(GAMES), st.sampled_from(["no", "some", "every"]))
def test_options_that_are_decided(data: st.DataObject, text: str, have: str) -> None:
    game = parse_ruleset(text)
    names = game.coordinates
    of, to = data.draw(conditions(names)), data.draw(conditions(names))
    by = data.draw(st.sampled_from([[], [names[0]]]))
    verdict = check(text, kind="options", of=of, to=to, have=have, by=by)
    is_complete = isinstance(game.base, RectangularBar)
    is_false, is_empty = False, True
    for q in game.positions(BOUND):
        if max(q) <= BOUND and parse(of).value(dict(zip(names, q, strict=True))):
            options = counted(game, q, by, None)
            truths = [bool(parse(to).value(dict(zip(names, o, strict=True)))) for o in options]
            right = {"no": not any(truths), "some": any(truths), "every": all(truths)}[have]
            is_false |= not right
            is_empty &= have == "every" and not options
    expected = Refuted if is_false else Vacuous if is_empty else Exhausted
    if not is_complete:
        expected = Refuted if is_false else Undecided if is_empty else HoldsToBound
    assert isinstance(verdict, expected)


@pytest.mark.parametrize(
    ("text", "reach", "said", "absent"),
    [
        (
            "solid-bar(f=(x+z)//3)",
            4,
            {"relation": "exactly", "values": "v == 0 or v == 5000000"},
            "5,000,000",
        ),
        ("solid-bar(f=(x+z)//3)", 4, {"relation": "exactly", "values": "v == 0 or v == -5"}, "-5"),
        ("solid-bar(f=(x+z)//3)", 4, {"relation": "contains-all", "values": "v < 1"}, "-1"),
        (
            "solid-bar(f=(x+z)//3)",
            4,
            {"relation": "contains-all", "values": "v == 0 or v > 2**40"},
            f"{2**40 + 1:,}",
        ),
    ],
)
def test_far_and_negative_members_are_missing(text, reach, said, absent) -> None:
    verdict = check(text, reach, kind="values", of="x ^ y ^ z", **said)
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.found == f"no P-position has the value {absent}"


def test_far_members_are_missing_in_a_square_bar() -> None:
    game = RectangularBar(5, 5)
    said = {
        "kind": "values",
        "of": "i-j",
        "relation": "contains-all",
        "values": "v == 0 or v == 40000000",
    }
    claim = claim_from({"id": "drawn", "ruleset": game.notation, "check": said})
    verdict = check_claim(claim, {}, game, 4, table(game, 4, "p-positions")).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.found == "no P-position has the value 40,000,000"


def test_a_finite_set_is_contained_as_soon_as_all_its_members_occur() -> None:
    said = {"kind": "values", "of": "(a ^ b)-2", "relation": "contains-all"}
    assert check("nim(2)", values="v == -2", **said) == Exhausted(1, "member")
    assert isinstance(check("nim(2)", values="v == -2 or v == 2**40", **said), Undecided)


def test_a_set_that_is_not_known_is_not_exhausted() -> None:
    said = {"kind": "values", "of": "x ^ y ^ z", "values": "v == 0 or v*v % 4 == 3"}
    verdict = check("solid-bar(f=(x+z)//3)", 4, relation="exactly", **said)
    assert isinstance(verdict, Undecided)
    assert "satisfies it is not known" in verdict.why
