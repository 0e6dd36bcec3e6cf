"""Logic on automata against tables of small numbers and against the definitions in plain Python."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.automata import algebra
from choco_pipeline.automata.algebra import (
    canonical,
    complement,
    conjunction,
    disjunction,
    exists,
    is_empty,
    least,
    renamed,
    witness,
)
from choco_pipeline.automata.arithmetic import constant, linear, nim_sum_is_zero
from choco_pipeline.automata.dfa import AutomatonError
from choco_pipeline.errors import LimitError
from tests.effort import examples

from .drawn import assert_canonical, automata, points, random_automaton, relation

NAMES = "wxyz"
ANY_TRACKS = st.sets(st.sampled_from(NAMES), max_size=3).map(sorted)
ANY = ANY_TRACKS.flatmap(automata)
LINEAR = st.builds(
    linear,
    st.dictionaries(st.sampled_from(NAMES), st.integers(-9, 9), min_size=1, max_size=2),
    st.integers(-20, 20),
    st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
)
EITHER = ANY | LINEAR


def assignments(tracks, digits):
    for row in points(tracks, digits).tolist():
        yield dict(zip(tracks, row, strict=True))


@pytest.mark.parametrize(
    ("operation", "truth"),
    [(conjunction, lambda p, q: p and q), (disjunction, lambda p, q: p or q)],
)
@given(EITHER, EITHER)
def test_two_relations_together(operation, truth, a, b):
    result = operation(a, b)
    assert result.tracks == tuple(sorted({*a.tracks, *b.tracks}))
    assert_canonical(result)
    for values in assignments(result.tracks, 2 if len(result.tracks) > 2 else 3):
        assert result.accepts(values) == truth(a.accepts(values), b.accepts(values)), values


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40))
def test_larger_automata_together(seed, m, n):
    a = random_automaton(seed, m, ("x", "y"))
    b = random_automaton(seed + 1, n, ("y", "z"))
    rows = np.random.default_rng(seed).integers(0, 2**50, (300, 3))
    in_a, in_b = a.contains(rows[:, :2]), b.contains(rows[:, 1:])
    assert conjunction(a, b).contains(rows).tolist() == (in_a & in_b).tolist()
    assert disjunction(a, b).contains(rows).tolist() == (in_a | in_b).tolist()


@given(EITHER)
def test_complement(a):
    result = complement(a)
    assert result.tracks == a.tracks
    assert_canonical(result)
    rows = points(a.tracks, 3)
    assert (result.contains(rows) != a.contains(rows)).all()


@given(EITHER, EITHER, EITHER)
@settings(max_examples=examples(50))
def test_laws_of_logic_are_equalities_of_automata(a, b, c):
    assert complement(complement(a)) == canonical(a)
    assert conjunction(a, b) == conjunction(b, a)
    assert conjunction(a, disjunction(b, c)) == disjunction(conjunction(a, b), conjunction(a, c))
    assert complement(conjunction(a, b)) == disjunction(complement(a), complement(b))
    assert is_empty(complement(disjunction(a, complement(a))))
    assert is_empty(conjunction(a, complement(a)))


@given(EITHER, st.data())
def test_renaming_is_of_all_names_at_once_and_equal_names_are_equal_numbers(a, data):
    names = {track: data.draw(st.sampled_from("uvwxyz")) for track in a.tracks}
    result = renamed(a, names)
    assert result.tracks == tuple(sorted(set(names.values())))
    assert_canonical(result)
    for values in assignments(result.tracks, 2):
        assert result.accepts(values) == a.accepts({t: values[names[t]] for t in a.tracks})


def test_names_that_are_not_renamed_stay_and_unknown_ones_are_refused():
    less = linear({"x": 1, "y": -1}, 0, "<")
    assert renamed(less, {"x": "z"}) == linear({"z": 1, "y": -1}, 0, "<")
    assert renamed(less, {"x": "y", "y": "x"}) == linear({"y": 1, "x": -1}, 0, "<")
    assert renamed(less, {"x": "y"}) == linear({"y": 0}, 1, "==")
    with pytest.raises(AutomatonError, match="no track z: tracks are x, y"):
        renamed(less, {"z": "x"})


def projected(a, bound, digits):
    """Return the tuples of numbers below 2**digits that are in the relation with some numbers for `bound`.

    After all digits of these, each further one leads to a state that was not met before, or may be left out.
    """
    kept = [track for track in a.tracks if track not in bound]
    ranges = [range(2 ** (digits + (a.states - 1) * (track in bound))) for track in a.tracks]
    rows = np.array(list(product(*ranges)), np.int64).reshape(-1, len(a.tracks))
    rows = rows[a.contains(rows)]
    return {tuple(row) for row in rows[:, [a.tracks.index(track) for track in kept]].tolist()}


@settings(max_examples=examples(40))
@given(automata(("x", "y", "z"), most_states=4), st.sampled_from("xyz"))
def test_projection_of_one_number(a, bound):
    result = exists(a, bound)
    assert result.tracks == tuple(sorted({"x", "y", "z"} - {bound}))
    assert_canonical(result)
    assert relation(result, 2) == projected(a, bound, 2)


@settings(max_examples=examples(40))
@given(automata(("x", "y", "z"), most_states=3), st.sampled_from(["xy", "xz", "yz", "zx"]))
def test_projection_of_two_numbers_at_once(a, bound):
    result = exists(a, *bound)
    assert_canonical(result)
    assert relation(result, 2) == projected(a, bound, 2)
    assert result == exists(exists(a, bound[0]), bound[1]) == exists(exists(a, bound[1]), bound[0])


@given(automata(("x", "y"), most_states=6))
def test_projection_of_all_numbers_is_a_truth_and_of_none_changes_nothing(a):
    assert exists(a) == exists(a, "z") == canonical(a)
    result = exists(a, "x", "y")
    assert (result.tracks, result.states) == ((), 1)
    assert result.accepts({}) == (not is_empty(a))


@given(st.integers(0, 2**32), st.integers(6, 12))
@settings(max_examples=examples(30))
def test_projection_of_larger_automata(seed, states):
    # What is asked of x is what a nondeterministic run says, digit by digit.
    a = random_automaton(seed, states, ("x", "y"))
    a = conjunction(a, linear({"x": 3, "y": -2}, 5, "<="))
    result = exists(a, "y")
    for x in np.random.default_rng(seed).integers(0, 2**12, 50).tolist():
        reached = {0}
        for digit in range(12):
            reached = {int(a.delta[q, (x >> digit & 1) + 2 * d]) for q in reached for d in (0, 1)}
        for _ in range(a.states):
            reached |= {int(a.delta[q, 2 * d]) for q in reached for d in (0, 1)}
        assert result.accepts({"x": x}) == any(a.accepting[list(reached)])


@given(automata(("x", "y", "z"), most_states=5), EITHER)
@settings(max_examples=examples(30))
def test_sets_are_told_apart_by_their_members_even_if_their_hashes_agree(a, b):
    expected = exists(a, "z"), conjunction(a, b), disjunction(a, b)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algebra, "HASH", 0)
        assert (exists(a, "z"), conjunction(a, b), disjunction(a, b)) == expected


def test_projection_with_thousands_of_sets():
    # Cuts of a triangular bar from x to u that lower y to v = ⌊(u+z)/k⌋ and leave u⊕v⊕z = 0.
    k = 23
    lowered = conjunction(
        linear({"v": k, "u": -1, "z": -1}, 0, "<="), linear({"v": k, "u": -1, "z": -1}, k, ">")
    )
    above = linear({"v": 1, "y": -1}, 0, "<")
    cut = conjunction(lowered, conjunction(above, linear({"u": 1, "x": -1}, 0, "<")))
    result = exists(conjunction(cut, nim_sum_is_zero("u", "v", "z")), "u", "v")
    assert result.states > 300
    for x, y, z in np.random.default_rng(0).integers(0, (300, 20, 300), (500, 3)).tolist():
        found = any((u + z) // k < y and u ^ (u + z) // k ^ z == 0 for u in range(x))
        assert result.accepts({"x": x, "y": y, "z": z}) == found, (x, y, z)


def test_a_larger_number_than_the_others_may_be_what_exists():
    # y = 40 x + 1000 has digits far beyond those of x.
    assert is_empty(complement(exists(linear({"x": 40, "y": -1}, 1000, "=="), "y")))
    assert relation(exists(linear({"x": 40, "y": -1}, -100, "=="), "y"), 3) == {
        (x,) for x in range(8) if 40 * x >= 100
    }


@given(automata(("x", "y"), most_states=5) | automata(("x", "y", "z"), most_states=3))
def test_a_witness_has_fewest_digits_and_is_then_least(a):
    found = sorted(relation(a, a.states - 1), key=lambda values: (max(values).bit_length(), values))
    expected = dict(zip(a.tracks, found[0], strict=True)) if found else None
    assert witness(a) == witness(canonical(a)) == expected
    assert is_empty(a) == (expected is None)


@given(st.integers(0, 2**200), st.integers(0, 2**200))
@settings(max_examples=examples(20))
def test_a_witness_may_be_longer_than_a_machine_word(x, y):
    assert witness(conjunction(constant("x", x), constant("y", y))) == {"x": x, "y": y}


def test_a_witness_of_no_numbers():
    true = exists(constant("x", 3), "x")
    assert witness(true) == {}
    assert witness(complement(true)) is None


@given(automata(("x", "y"), most_states=6))
def test_empty_looks_at_reachable_states(a):
    assert is_empty(a) == (not relation(a, a.states - 1))
    assert is_empty(complement(a)) == (len(relation(a, a.states - 1)) == 4 ** (a.states - 1))


def pairs(a, b):
    """Return the pairs of states that two automata on the same tracks reach together."""
    found = [(0, 0)]
    for p, q in found:
        for pair in zip(a.delta[p].tolist(), b.delta[q].tolist(), strict=True):
            if pair not in found:
                found.append(pair)
    return found


def test_more_states_than_asked_for_are_refused():
    a, b = linear({"x": 21, "y": -1}, 0, "<="), linear({"x": 1, "y": -33}, 0, "<=")
    for operation in (conjunction, disjunction):
        said = f"of {a.states} and {b.states} states together have more than 20 states"
        with pytest.raises(LimitError, match=said):
            operation(a, b, most_states=20)
    needed = len(pairs(a, b))
    assert conjunction(a, b, most_states=needed) == conjunction(a, b)
    with pytest.raises(LimitError, match=f"more than {needed - 1} states"):
        conjunction(a, b, most_states=needed - 1)
    with pytest.raises(LimitError, match=r"to project y out of .* more than 1 states"):
        exists(a, "y", most_states=1)


def test_members_of_sets_and_transitions_are_limited_too(monkeypatch):
    a = linear({"u": 7, "v": -5, "x": 9}, 2, "==")
    monkeypatch.setattr(algebra, "MOST_MEMBERS", 3)
    with pytest.raises(LimitError, match="3 members of sets"):
        exists(a, "u")
    monkeypatch.setattr(algebra, "MOST_TRANSITIONS", 64)
    with pytest.raises(LimitError, match="more than 4 states"):
        conjunction(a, nim_sum_is_zero("u", "v", "w"))


def test_too_many_tracks_together_are_refused():
    a = nim_sum_is_zero(*(f"x{i}" for i in range(9)))
    b = nim_sum_is_zero(*(f"y{i}" for i in range(9)))
    with pytest.raises(LimitError, match="18 tracks: at most 16"):
        conjunction(a, b)


@settings(max_examples=examples(100))
@given(automata(("x", "y")) | automata(("x", "y", "z"), most_states=3), st.randoms())
def test_the_least_numbers_have_the_least_maximum_and_are_then_first(a, random):
    order = random.sample(a.tracks, len(a.tracks))
    rows = points(a.tracks, 4)
    found = rows[a.contains(rows)][:, [a.tracks.index(track) for track in order]].tolist()
    expected = min(map(tuple, found), key=lambda point: (max(point), point), default=None)
    result = least(a, tuple(order))
    assert result == expected or (expected is None and (result is None or max(result) > 15))


def test_numbers_that_are_no_tracks_are_zero():
    nothing = linear({}, 0, "==")
    assert least(nothing, ("x", "y")) == (0, 0)


def test_a_result_that_was_kept_has_the_asked_names_and_limits():
    for names in (("x", "y"), ("b", "a")):
        one, other = (linear({names[0]: 3, names[1]: -5}, c, ">=") for c in (1, -2))
        assert conjunction(one, other).tracks == tuple(sorted(names))
        assert relation(conjunction(one, other), 4) == relation(one, 4) & relation(other, 4)
        with pytest.raises(LimitError):
            conjunction(one, other, most_states=1)
