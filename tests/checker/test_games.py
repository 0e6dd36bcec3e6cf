"""The checker on certificates of games: right ones are proved, wrong ones are not, whatever they look like."""

import copy
import itertools
import json
import random

import pytest

from choco_pipeline.games import parse_ruleset
from tests.checker.certificates import checker, game_text, verdict_on

PROVED = [
    ("nim(2)", "p"),
    ("nim(2)", "grundy"),
    ("rectangular-bar(m=3, n=2)", "p"),
    ("step-bar(k=1)", "grundy"),
    ("step-bar(k=2, s=1)", "p"),
    ("strip-bar(k=4, s=2)", "p"),
    ("solid-bar(f=5)", "p"),
    ("solid-bar(f=(x+z)//3)", "p"),
    ("solid-bar(f=max(x, z)//2)", "p"),
    ("with-pass(nim(2), passes=2)", "p"),
    ("with-pass(with-pass(nim(1), passes=1), passes=1)", "p"),
    ("with-pass(step-bar(k=2), passes=1)", "p"),
    ("sum(nim(1), step-bar(k=2))", "p"),
    ("sum(with-pass(nim(1), passes=1), nim(1))", "grundy"),
    ("sum(sum(nim(1), nim(1)), nim(1))", "p"),
]
#: A position may be far from the origin before a wrong automaton shows itself; these see it soon.
SMALL = [
    ("nim(2)", "grundy", 9),
    ("step-bar(k=2, s=1)", "p", 20),
    ("strip-bar(k=4, s=2)", "p", 12),
    ("solid-bar(f=(x+z)//3)", "p", 12),
    ("with-pass(nim(2), passes=2)", "p", 9),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates")


@pytest.mark.parametrize(("ruleset", "relation"), PROVED)
def test_what_the_package_proves_is_proved(ruleset, relation, folder):
    verdict, why = verdict_on(game_text(ruleset, relation, folder), folder)
    assert verdict == "proved", why


@pytest.mark.parametrize(("ruleset", "relation"), PROVED[:8])
def test_an_automaton_need_not_be_the_least_one(ruleset, relation, folder):
    document = json.loads(game_text(ruleset, relation, folder))
    for automaton in document["automata"]:
        # each state twice, the second one from the end on, and a state that nothing leads to
        states = len(automaton["delta"])
        twice = [[2 * states - 1 - q for q in row] for row in automaton["delta"]]
        back = [row[:] for row in reversed(automaton["delta"])]
        automaton["delta"] = [*twice, *back, [0] * len(twice[0])]
        accepting = automaton["accepting"]
        automaton["accepting"] = [*accepting, *(2 * states - 1 - q for q in accepting)]
        if 0 in accepting:
            automaton["accepting"].append(2 * states)
    assert verdict_on(document, folder)[0] == "proved"


def relation_of(document, position, value):
    """Return whether a document's automata say that a position is P, or has a value."""
    numbers = list(position)
    passes = numbers.pop() if document["ruleset"].startswith("with-pass") else 0
    automaton = document["automata"][passes]
    numbers += [] if value is None else [value]
    state = 0
    for i in range(max(numbers, default=0).bit_length()):
        state = automaton["delta"][state][sum((n >> i & 1) << j for j, n in enumerate(numbers))]
    return state in automaton["accepting"]


def is_wrong(document, game, bound):
    """Return whether some tuple of small numbers shows that a document is wrong, by the definition."""
    grundy = document["relation"] == "grundy"
    passes = getattr(game, "passes", 0) if document["ruleset"].startswith("with-pass") else None
    sides = [range(bound)] * (len(game.coordinates) - (passes is not None))
    sides += [] if passes is None else [range(passes + 1)]
    for position in itertools.product(*sides):
        number = game.grundy(position) if game.is_position(position) else None
        for value in range(2 * bound) if grundy else (None,):
            right = number == (0 if value is None else value) and number is not None
            if relation_of(document, position, value) != right:
                return True
    return False


def mutants(document, seed):
    """Return documents that differ in an accepting state, in a transition, or in the order of the automata."""
    chance, found = random.Random(seed), []
    for _ in range(12):
        mutant = copy.deepcopy(document)
        automaton = chance.choice(mutant["automata"])
        states = len(automaton["delta"])
        row = chance.randrange(states)
        if chance.random() < 0.5:
            automaton["accepting"] = sorted({*automaton["accepting"]} ^ {row})
        else:
            symbol = chance.randrange(len(automaton["delta"][row]))
            automaton["delta"][row][symbol] = chance.randrange(states)
        found.append(mutant)
    if len(document["automata"]) > 1:
        swapped = copy.deepcopy(document)
        swapped["automata"][:2] = swapped["automata"][1::-1]
        found.append(swapped)
    return found


@pytest.mark.parametrize(("ruleset", "relation", "bound"), SMALL)
def test_a_mutant_is_not_proved(ruleset, relation, bound, folder):
    document = json.loads(game_text(ruleset, relation, folder))
    game = parse_ruleset(ruleset)
    assert not is_wrong(document, game, bound)
    wrong = 0
    for mutant in mutants(document, ruleset):
        verdict, why = verdict_on(mutant, folder)
        if is_wrong(mutant, game, bound):
            wrong += 1
            assert verdict in ("refuted", "no certificate"), (verdict, why)
    assert wrong > 6


@pytest.mark.parametrize(("ruleset", "relation", "bound"), SMALL)
def test_a_mutant_is_judged_alone_beside_a_proved_certificate(ruleset, relation, bound, folder):
    document = json.loads(game_text(ruleset, relation, folder))
    alone = [verdict_on(mutant, folder) for mutant in mutants(document, ruleset)]
    assert verdict_on(document, folder) == ("proved", "")
    for i, mutant in enumerate(mutants(document, ruleset)):  # nothing is forgotten between these
        path = folder / f"beside-{i}.json"
        path.write_text(json.dumps(mutant))
        assert checker().verdict_on(path, []) == alone[i]


@pytest.mark.parametrize(
    ("ruleset", "relation", "other"),
    [
        ("strip-bar(k=4, s=2)", "p", "strip-bar(k=4, s=1)"),
        ("strip-bar(k=4, s=2)", "p", "strip-bar(k=6, s=2)"),
        ("solid-bar(f=(x+z)//3)", "p", "solid-bar(f=(x+z)//5)"),
        ("solid-bar(f=(x+z)//3)", "p", "solid-bar(f=(x+z+1)//3)"),
        ("solid-bar(f=(x+z)//3)", "p", "solid-bar(f=(x+z)//3-x//40)"),
        ("solid-bar(f=(x+z)//3)", "p", "solid-bar(f=max((x+z)//3, 0-x))"),
        ("step-bar(k=1)", "grundy", "step-bar(k=1, s=1)"),
        ("nim(2)", "p", "step-bar(k=1)"),
        ("rectangular-bar(m=3, n=2)", "p", "rectangular-bar(m=2, n=3)"),
        ("with-pass(nim(2), passes=2)", "p", "with-pass(nim(2), passes=3)"),
        ("with-pass(nim(2), passes=2)", "p", "with-pass(nim(2), passes=1000000000000)"),
        ("sum(nim(1), step-bar(k=2))", "p", "sum(nim(1), step-bar(k=4))"),
    ],
)
def test_it_is_not_a_proof_of_another_game(ruleset, relation, other, folder):
    document = json.loads(game_text(ruleset, relation, folder)) | {"ruleset": other}
    verdict, why = verdict_on(document, folder)
    if other == "solid-bar(f=max((x+z)//3, 0-x))":  # the same function, written otherwise
        assert verdict == "proved", why
    else:
        assert verdict in ("refuted", "no certificate"), why


def test_a_refutation_names_a_position_and_the_height_must_not_fall(folder):
    document = json.loads(game_text("strip-bar(k=4, s=2)", "p", folder))
    verdict, why = verdict_on(document | {"ruleset": "strip-bar(k=4, s=1)"}, folder)
    assert verdict == "refuted"
    assert all(f"{name} = " in why for name in "xyz")
    document = json.loads(game_text("solid-bar(f=5)", "p", folder))
    for height in ("5-x//9", "5-max(0, z-10**9)", "5-max(0, min(1, x-10**6))"):
        verdict, why = verdict_on(document | {"ruleset": f"solid-bar(f={height})"}, folder)
        assert verdict == "refuted"
        assert "height" in why


def test_a_height_depends_on_no_y(folder):
    document = json.loads(game_text("nim(3)", "p", folder))
    nim = document | {"ruleset": "solid-bar(f=y+5)", "coordinates": ["x", "y", "z"]}
    assert verdict_on(nim, folder)[0] == "no certificate"


MALFORMED = {
    "no JSON": "{",
    "a number": "3",
    "a key twice": '{"format": 1, "format": 1}',
    "a key that is not known": {"more": 1},
    "another format": {"format": 2},
    "no such relation": {"relation": "n"},
    "coordinates in another order": {"coordinates": ["b", "a"]},
    "no ruleset": {"ruleset": "nimm(2)"},
    "an argument twice": {"ruleset": "nim(heaps=2, heaps=2)"},
    "an argument too many": {"ruleset": "nim(2, 2)"},
    "an argument too small": {"ruleset": "nim(0)"},
    "no passes": {"ruleset": "with-pass(nim(2), passes=0)"},
    "a name": {"ruleset": "nim(k)"},
    "code": {"ruleset": "nim(__import__('os').system('true'))"},
    "a call": {"ruleset": "nim(print(2))"},
    "a height table": {"ruleset": "solid-bar(f=csv(heights.csv))"},
    "automata that are none": {"automata": {}},
    "an automaton too many": {"automata": [{}, {}]},
    "nested deep": "[" * 100_000,
    "a deep ruleset": {"ruleset": "sum(nim(1), " * 300 + "nim(1)" + ")" * 300},
}


@pytest.mark.parametrize("what", MALFORMED)
def test_what_is_no_certificate_is_refused(what, folder):
    change = MALFORMED[what]
    document = json.loads(game_text("nim(2)", "p", folder))
    verdict, _ = verdict_on(change if isinstance(change, str) else document | change, folder)
    assert verdict == "no certificate"


@pytest.mark.parametrize(
    "change",
    [
        {"accepting": [5]},
        {"accepting": [True]},
        {"accepting": ["0"]},
        {"delta": [[0, 1, 1, 0], [1, 1, 1]]},
        {"delta": [[0, 1, 1, 0], [1, 1, 1, 2]]},
        {"delta": [[0, 1, 1, 0], [1, 1, 1, -1]]},
        {"delta": []},
        {"delta": [[1, 1, 1, 0], [1, 1, 1, 1]]},  # a zero in front of a number would matter
        {"tracks": ["1", "0"]},
        {"tracks": ["0"]},
    ],
)
def test_an_automaton_must_be_well_formed(change, folder):
    document = json.loads(game_text("nim(2)", "p", folder))
    document["automata"][0] |= change
    assert verdict_on(document, folder)[0] == "no certificate"
