"""Grundy numbers that repeat: found, proved by as many values as that takes, and refused where they do not."""

import contextlib
import copy
import itertools
import json
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.errors import ChocoError
from choco_pipeline.games import mex, parse_ruleset
from choco_pipeline.proof.clock import FOREVER
from choco_pipeline.proof.games.certificate import check_certificate
from choco_pipeline.proof.games.periods import (
    Period,
    find_period,
    is_period,
    periodic_automaton,
    reach_of,
)
from choco_pipeline.proof.games.prover import prove
from tests.checker.certificates import checker, claim_on, verdict_on
from tests.effort import examples

NONEMPTY = {"split": {"a": ["u", "v"]}, "where": "u >= 1 and v >= 1"}
MOVES = {
    "nim": [{"lower": ["a"]}],
    "subtraction": [{"lower": ["a"], "by": [2, 5, 7]}],
    "at most": [{"lower": ["a"], "at_most": 4}],
    "kayles": [{"lower": ["a"], "by": [1, 2], "split": "a"}],
    "dawson": [{"lower": ["a"], "by": [2], "split": "a"}],
    "break": [{"lower": [], "split": "a"}],
    "grundy": [{"lower": [], "split": {"a": ["u", "v"]}, "where": "u != v"}],
    "octal 0.26": [
        {"lower": ["a"], "by": [1], "when": "a > 1"},
        {"lower": ["a"], "by": [2], "when": "a > 2"},
        {"lower": ["a"], "by": [2], **NONEMPTY},
    ],
    "late": [{"lower": ["a"], "by": [1]}, {"lower": ["a"], "by": [2], "when": "a == 40"}],
    "late part": [
        {"lower": ["a"], "by": [1], "split": {"a": ["u", "v"]}, "where": "u == 0 or v == 30"}
    ],
    "parity": [{"lower": ["a"], "by": [1, 2], "when": "a % 3 == 0"}],
}


def game(moves, **more):
    document = {"game": "heap", "coordinates": ["a"], "moves": moves, **more}
    return parse_ruleset("game(heap)", games={"heap": document})


@cache
def known(name, **more):
    return game(MOVES[name], **more)


def by_definition(ruleset, count):
    """Return the first Grundy numbers, by the results of each position."""
    values = []
    for n in range(count):
        results = (tuple(values[part] for (part,) in ends) for ends in ruleset.results((n,)))
        values.append(mex({parts[0] ^ (parts[1] if parts[1:] else 0) for parts in results}))
    return values


#: Printed in R. K. Guy and C. A. B. Smith, and in Winning Ways.
PRINTED = {"subtraction": (0, 22), "at most": (0, 5), "kayles": (71, 12), "dawson": (53, 34)}


@pytest.mark.parametrize(("name", "printed"), PRINTED.items())
def test_printed_periods(name, printed):
    period, values = find_period(known(name), FOREVER)
    assert (period.first, period.length) == printed
    assert values.tolist() == by_definition(known(name), sum(printed))


def test_what_has_no_period_has_none():
    assert find_period(known("nim"), FOREVER) is None
    assert reach_of(known("grundy")) is None
    assert reach_of(known("parity")) is None
    moves = [{"lower": ["a"], "by": [1], "split": {"a": ["u", "v"]}, "where": "u != v"}]
    assert "a move that splits" in prove(game(moves)).why


@pytest.mark.parametrize(
    "name", ["subtraction", "kayles", "octal 0.26", "late", "late part", "break"]
)
@pytest.mark.parametrize("relation", ["p", "grundy"])
def test_a_period_is_proved_by_both(name, relation, tmp_path):
    proof = prove(known(name), relation)
    assert proof.status == "proved", proof.why
    assert proof.period is not None
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(proof.certificate))
    assert check_certificate(path).status == "proved"
    assert verdict_on(path.read_text(), tmp_path) == ("proved", "")
    values = by_definition(known(name), 300)
    for n, value in enumerate(values):
        assert (
            proof.accepts((n,), value)
            if relation == "grundy"
            else proof.accepts((n,)) == (value == 0)
        )


def changes(document):
    """Yield certificates with one change."""
    first, length = document["period"]["first"], document["period"]["length"]
    for period in ((first, length + 1), (first, 0), (first, 1 << 40), (1 << 40, length)):
        yield {**document, "period": dict(zip(("first", "length"), period, strict=True))}
    if first:
        yield {**document, "period": {"first": first - 1, "length": length}}
    automaton = document["automata"][0]
    for state in range(len(automaton["delta"])):
        other = copy.deepcopy(document)
        accepting = {*automaton["accepting"]} ^ {state}
        other["automata"][0]["accepting"] = sorted(accepting)
        yield other
    other = copy.deepcopy(document)
    other["games"]["heap"]["moves"].append({"lower": ["a"], "by": [4]})
    yield other


@pytest.mark.parametrize("name", ["subtraction", "late", "late part"])
def test_a_changed_certificate_is_refused(name, tmp_path):
    document = prove(known(name), "grundy").certificate
    for changed in changes(document):
        assert verdict_on(changed, tmp_path)[0] != "proved"
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(changed))
        with contextlib.suppress(ChocoError):
            assert check_certificate(path).status != "proved"


def is_refused(document, tmp_path):
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(document))
    return verdict_on(document, tmp_path)[0] == check_certificate(path).status == "refuted"


@pytest.mark.parametrize(
    "late",
    [
        {"lower": ["a"], "by": [2], "when": "a == 100"},
        {"lower": ["a"], "by": [2], "split": {"a": ["u", "v"]}, "where": "u == 100 and v == 0"},
    ],
)
def test_a_condition_far_away_is_inside_of_the_window(late, tmp_path):
    """Without it the values repeat from 0 with length 2, and so they do for all numbers below 100."""
    document = prove(game([{"lower": ["a"], "by": [1]}]), "grundy").certificate
    assert document["period"] == {"first": 0, "length": 2}
    document["games"]["heap"]["moves"].append(late)
    assert is_refused(document, tmp_path)


@pytest.mark.parametrize("name", ["kayles", "dawson"])
def test_of_splits_a_short_window_proves_nothing(name, tmp_path):
    """Values that repeat as far as would be enough without splits, and no further."""
    ruleset = known(name)
    values, most = by_definition(ruleset, 120), reach_of(ruleset).most
    first, length = next(
        (first, length)
        for first in range(1, 30)
        for length in range(1, 30)
        if values[first : first + most] == values[first + length : first + length + most]
        and values[first:60] != values[first + length : 60 + length]
    )
    document = prove(ruleset, "grundy").certificate
    document["period"] = {"first": first, "length": length}
    automaton = periodic_automaton(
        np.array(values[: first + length]), Period(first=first, length=length), "grundy"
    )
    document["automata"] = [automaton.as_json()]
    assert is_refused(document, tmp_path)


def test_an_automaton_that_is_wrong_beyond_the_first_period_is_refused(tmp_path):
    document = prove(known("subtraction"), "grundy").certificate
    values = np.array(by_definition(known("subtraction"), 66))
    values[40] += 1
    automaton = periodic_automaton(values, Period(first=44, length=22), "grundy")
    document["automata"] = [automaton.as_json()]
    assert is_refused(document, tmp_path)


@pytest.mark.parametrize(
    "rules",
    [
        {"coordinates": ["a", "b"]},
        {"legal": "a != 3"},
        {"heights": {"a": "9"}},
        {"moves": [{"lower": ["a"], "by": [2, 5, 7], "when": "a % 2 == 0"}]},
        {
            "moves": [
                {"lower": ["a"], "by": [2, 5, 7], "split": {"a": ["u", "v"]}, "where": "u != v"}
            ]
        },
        {"moves": [{"lower": {"a": "n"}, "where": "n == 2 or n == 5 or n == 7"}]},
        {"moves": [{"lower": ["a"], "by": []}]},
        {"moves": [{"lower": ["a"], "by": [0], "split": None}]},
        {"moves": [{"lower": ["a"], "by": [-1, 2, 5, 7], "split": "a"}]},
        {"moves": [{"lower": ["b"], "by": [2, 5, 7]}]},
        {"moves": [{"lower": ["a"], "by": [2, 5, 7], "split": {"b": ["u", "v"]}}]},
        {"moves": [{"lower": ["a"], "by": [2, 5, 7], "split": {"a": ["a", "v"]}}]},
        {"moves": [{"lower": ["a"], "by": [2, 5, 7], "split": {"a": ["u", "u"]}}]},
        {"moves": [{"lower": ["a"], "by": [2, 5, 7], "at_most": 6}]},
        {"moves": [{"lower": ["a"], "by": [[2, 5], [7]]}]},
        {"moves": [{"lower": ["a"], "by": ["bits(165)"]}]},
        {"moves": [{"lower": ["a"], "by": ["bits(0-2)"]}]},
        {"moves": [{"lower": ["a"], "by": ["bits(a)"]}]},
        {"moves": []},
    ],
)
def test_rules_without_a_period_are_refused_by_the_checker(rules, tmp_path):
    document = prove(known("subtraction"), "grundy").certificate
    document["games"]["heap"] |= rules
    assert verdict_on(document, tmp_path)[0] in ("undecided", "no certificate")


def test_statements_on_a_period_are_decided(tmp_path):
    text = json.dumps(prove(known("kayles"), "grundy").certificate)
    for statement, verdict in {
        "a >= 71 => G(a+12) == G": "proved",
        "a >= 70 => G(a+12) == G": "refuted",
        "G <= 9": "proved",
        "G != 0 => some option: G' == 0": "undecided",
    }.items():
        document = claim_on(text, statement)
        given = json.loads(text)
        document["games"], document["game"]["period"] = given["games"], given["period"]
        assert verdict_on(document, tmp_path)[0] == verdict, verdict_on(document, tmp_path)


def test_a_set_of_amounts_may_be_a_number(tmp_path):
    parameters = {"s": 164}
    document = prove(
        game([{"lower": ["a"], "by": ["bits(s)"]}], parameters=parameters), "grundy"
    ).certificate
    listed = prove(known("subtraction"), "grundy").certificate
    assert document["automata"] == listed["automata"]
    assert verdict_on(document, tmp_path)[0] == "proved"
    for wrong in (160, 166, 82, 328):
        document["games"]["heap"]["parameters"]["s"] = wrong
        document["ruleset"] = f"game(heap, s={wrong})"
        assert verdict_on(document, tmp_path)[0] == "refuted", wrong


CONDITIONS = st.sampled_from(["a > 3", "a == 2", "a != 5", "not (a < 4)", "a >= 1 and a <= 9"])
ON_PARTS = st.sampled_from(["u >= 1", "u >= 1 and v >= 1", "u == 0 or v > 2", "u < 3", "v != 1"])


@st.composite
def heaps(draw):
    moves = []
    for _ in range(draw(st.integers(1, 3))):
        move = {"lower": ["a"], "by": draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))}
        if draw(st.booleans()):
            move |= {"split": {"a": ["u", "v"]}, "where": draw(ON_PARTS)}
        if draw(st.booleans()):
            move["when"] = draw(CONDITIONS)
        moves.append(move)
    if draw(st.booleans()):
        moves.append({"lower": [], **NONEMPTY})
    return game(moves, **({"ends": "a <= 2"} if draw(st.booleans()) else {}))


@settings(max_examples=examples(20), deadline=None)
@given(heaps(), st.integers(0, 20), st.integers(1, 20))
def test_periods_of_any_rules_are_those_of_the_definition(ruleset, first, length):
    program = checker()
    count = 120
    values = by_definition(ruleset, count)
    takes, below = program.takes_of(next(iter(ruleset.documents.values())))
    assert program.heap_values("a", takes, below, count) == values
    reach = reach_of(ruleset)
    assert (reach.conditions, reach.most) == (below, max(take.amount for take in takes))
    repeats = all(values[n] == values[n + length] for n in range(first, count - length))
    if is_period(ruleset, Period(first=first, length=length)):
        assert repeats
    elif reach.end(Period(first=first, length=length)) + length <= count:
        assert not repeats


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(0, 5), max_size=9), st.lists(st.integers(0, 5), min_size=1, max_size=9))
def test_the_automaton_of_a_sequence_reads_it(first, repeated):
    values = np.array(first + repeated, np.int64)
    period = Period(first=len(first), length=len(repeated))
    sequence = [*first, *itertools.islice(itertools.cycle(repeated), 80)]
    graph, zeros = (periodic_automaton(values, period, relation) for relation in ("grundy", "p"))
    for n, value in enumerate(sequence):
        assert zeros.accepts({"0": n}) == (value == 0)
        assert [v for v in range(8) if graph.accepts({"0": n, "1": v})] == [value]
