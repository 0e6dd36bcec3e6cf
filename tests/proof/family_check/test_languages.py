"""A family's relation against proofs of single members, as sets of words: equal for true ones, a position for false ones."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.automata.dfa import Automaton, AutomatonError
from choco_pipeline.automata.minimise import minimised
from choco_pipeline.errors import DisagreementError
from choco_pipeline.formula import parse
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import parse_ruleset, read
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.proof.family_check import languages
from choco_pipeline.proof.family_check.languages import compared, difference
from choco_pipeline.proof.family_check.stated_family import StatedFamily
from choco_pipeline.proof.games.prover import prove

SUM, STEP, MORE = (
    "solid-bar(f=(x+z)//k)",
    "step-bar(k=k, s=s)",
    "solid-bar(f=(x+z+c)//k)",
)
#: True families, and parameters of some members.
TRUE = [
    (SUM, "p-positions", "x ^ y ^ z == 0", [{"k": k} for k in (3, 7, 19)]),
    (SUM, "p-positions", "(x-1) ^ y ^ (z-1) == 0", [{"k": k} for k in (1, 5, 13)]),
    (SUM, "p-positions", "x ^ 5 ^ z == y ^ 5", [{"k": 11}]),
    (STEP, "grundy", "(y ^ (z+s)) - s", [{"k": 2, "s": 1}, {"k": 6, "s": 4}, {"k": 4, "s": 0}]),
    (MORE, "p-positions", "(x+c//2+c%2) ^ y ^ (z+c//2+c%2) == 0", [{"k": 7, "c": 5}]),
    ("nim(3)", "p-positions", "a ^ b ^ c == 0", [{}]),
]
#: Neighbours that are not so, each with the parameters of a member.
FALSE = [
    (SUM, "p-positions", "x ^ y ^ z == 0", {"k": 5}),
    (SUM, "p-positions", "(x-1) ^ y ^ (z-1) == 0", {"k": 7}),
    (SUM, "p-positions", "(x-1) ^ y ^ (z-2) == 0", {"k": 5}),
    (SUM, "p-positions", "x ^ y ^ z == 1", {"k": 3}),
    (SUM, "p-positions", "x ^ z == 0", {"k": 3}),
    (STEP, "grundy", "(y ^ (z+s)) - s", {"k": 3, "s": 1}),
    (STEP, "grundy", "(y ^ (z+s+1)) - s - 1", {"k": 4, "s": 2}),
    (STEP, "grundy", "(y ^ (z+s)) - s + 1", {"k": 4, "s": 2}),
    (STEP, "grundy", "y ^ (z+s)", {"k": 4, "s": 2}),
    (MORE, "p-positions", "(x+c//2) ^ y ^ (z+c//2) == 0", {"k": 7, "c": 5}),
]


def family_of(notation, kind, formula, rules):
    return StatedFamily(read(notation), parse_nodes("1 == 1", None, ()), kind, parse_nodes(formula, None, ()), rules, {})  # fmt: skip


@cache
def automaton_of(notation, kind):
    relation = "grundy" if kind == "grundy" else "p"
    proof = prove(parse_ruleset(notation), relation, seconds=60)
    assert proof.status == "proved", proof.why
    return proof.automata[0]


@pytest.mark.parametrize(("notation", "kind", "formula", "several"), TRUE)
def test_true_members_are_the_same(notation, kind, formula, several):
    for values in several:
        member = parse_ruleset(notation, values)
        family = family_of(notation, kind, formula, member.rules)
        assert difference(family, values, automaton_of(member.notation, kind)) is None


@pytest.mark.parametrize(("notation", "kind", "formula", "values"), FALSE)
def test_false_neighbours_differ_at_a_position(notation, kind, formula, values):
    member = parse_ruleset(notation, values)
    family, automaton = (
        family_of(notation, kind, formula, member.rules),
        automaton_of(member.notation, kind),
    )
    found = difference(family, values, automaton)
    assert found is not None
    in_relation = automaton.accepts(dict(zip(map(str, range(9)), found, strict=False)))
    position = found[: len(member.coordinates)]
    named = {**values, **dict(zip(member.coordinates, position, strict=True))}
    said = parse(formula).value(named)
    if kind == "grundy":
        said = said == found[-1]
    is_position = member.rules.why_not(position) is None
    assert in_relation != (is_position and bool(said))


def test_members_of_another_height_differ():
    """The relation is the same nim-sum; what is a position is not."""
    member = parse_ruleset(SUM, {"k": 7})
    family = family_of(SUM, "p-positions", "x ^ y ^ z == 0", member.rules)
    found = difference(family, {"k": 3}, automaton_of(member.notation, "p-positions"))
    x, y, z = found
    assert x ^ y ^ z == 0
    assert (x + z) // 7 < y <= (x + z) // 3


@given(st.data())
def test_whatever_is_changed_in_an_automaton_is_found(data):
    """Its least form is another one exactly if a difference is found, and that is then one."""
    values = {"k": 13}
    member = parse_ruleset(SUM, values)
    family = family_of(SUM, "p-positions", "(x-1) ^ y ^ (z-1) == 0", member.rules)
    right = automaton_of(member.notation, "p-positions")
    delta = np.array(right.delta)
    state = data.draw(st.integers(0, right.states - 1))
    symbol = data.draw(st.integers(0, 7))
    delta[state, symbol] = data.draw(st.integers(0, right.states - 1))
    try:
        changed = Automaton(right.tracks, delta, right.accepting)
    except AutomatonError:
        return
    found = difference(family, values, changed)
    least = Automaton(changed.tracks, *minimised(changed.delta, changed.accepting))
    assert (found is None) == (least == right)
    if found is not None:
        numbers = dict(zip("012", found, strict=True))
        assert right.accepts(numbers) != changed.accepts(numbers)


def test_differences_are_the_least_ones():
    member = parse_ruleset(SUM, {"k": 5})
    family = family_of(SUM, "p-positions", "x ^ y ^ z == 0", member.rules)
    automaton = automaton_of(member.notation, "p-positions")
    digits = max(difference(family, {"k": 5}, automaton)).bit_length()
    for x, y, z in product(range(1 << digits - 1), repeat=3):
        said = y <= (x + z) // 5 and x ^ y ^ z == 0
        assert automaton.accepts({"0": x, "1": y, "2": z}) == said


def test_a_proof_that_says_otherwise_is_a_contradiction(monkeypatch):
    members = [({"k": k}, parse_ruleset(SUM, {"k": k})) for k in (3, 7)]
    family = family_of(SUM, "p-positions", "x ^ y ^ z == 0", members[0][1].rules)
    assert compared(family, members, FOREVER).languages == ({"k": 3}, {"k": 7})
    of_another = automaton_of("solid-bar(f=(x+z)//3)", "p-positions")
    monkeypatch.setattr(languages, "_proved", lambda *_: of_another)
    with pytest.raises(DisagreementError, match="k = 7"):
        compared(family, members, FOREVER)


def test_members_without_a_proof_in_time_are_named():
    members = [({"k": k}, parse_ruleset(SUM, {"k": k})) for k in (3, 7)]
    family = family_of(SUM, "p-positions", "x ^ y ^ z == 0", members[0][1].rules)
    found = compared(family, members, Clock(0.0))
    assert (found.languages, found.left) == ((), ({"k": 3}, {"k": 7}))
