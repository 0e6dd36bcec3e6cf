"""Members of sets that are none of given integers: the nearest one, wherever it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.checks import formulas as integer_sets
from choco_pipeline.claims.checks.formulas import IntegerSet
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import parse
from tests.effort import examples

POINTS = [-5_000_000, -129, -5, -1, 0, 1, 5, 64, 5_000_000, 2**40 + 3]

points = st.sampled_from(POINTS)
bounds = st.tuples(points, points).map(lambda ends: f"{min(ends)} <= v <= {max(ends)}")
conditions = st.recursive(
    st.one_of(
        points.map("v == {}".format), bounds, st.just("v % 3 == 1"), st.just("(v+2) & (v+1) == 0")
    ),
    lambda inner: st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or"]), inner),
    max_leaves=4,
)


@settings(max_examples=examples(200))
@given(conditions, st.sets(st.one_of(points, st.integers(-9, 9)), max_size=9))
def test_the_nearest_member_is_found(text, others):
    condition = parse(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(integer_sets, "MOST_INTERVALS", 1 << 12)
        try:
            found = IntegerSet(condition).first_outside(others)
        except LimitError:
            return  # it is said not to be known
    near = [w for v in range(300) for w in (-v, v)]
    around = sorted({p + d for p in POINTS for d in range(-3, 4)}, key=lambda v: (abs(v), v))
    tried = [*near, *(v for v in around if abs(v) >= 300)]
    first = next((v for v in tried if v not in others and condition.value({"v": v})), None)
    if found is None:
        assert first is None
        return
    assert found not in others
    assert condition.value({"v": found})
    assert first is None or (abs(found), found) <= (abs(first), first)
    if abs(found) < 300:
        assert found == first


@pytest.mark.parametrize(
    ("text", "others", "absent"),
    [
        ("v == 0 or v == 5000000", {0}, 5_000_000),
        ("v == 0 or v == 5000000", {0, 5_000_000}, None),
        ("v == 0 or v == -5", {0}, -5),
        ("v < 1", {0}, -1),
        ("v >= 0", set(range(2000)), 2000),
        ("v % 10**9 == 0", {0}, -(10**9)),
        ("v == 0 or v == 2**70", {0}, 2**70),
        ("v == 0 or v // 2**90 // 2**90 == 1", {0}, 2**180),
        (
            "v == 1 or v >= 0 and (v+2) & (v+1) == 0",
            {0, 1, *(2**n - 2 for n in range(1, 90))},
            2**90 - 2,
        ),
        ("v % 5 == 7", set(), None),
    ],
)
def test_far_and_negative_members(text, others, absent):
    assert IntegerSet(parse(text)).first_outside(others) == absent


def test_a_search_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(integer_sets, "MOST_INTERVALS", 1000)
    with pytest.raises(LimitError):
        IntegerSet(parse("v*v % 4 == 3")).first_outside(())
    assert not IntegerSet(parse("v == 3")).is_empty
    assert IntegerSet(parse("v == 3 and v == 4")).is_empty
