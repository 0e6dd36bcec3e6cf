"""Names in statements on integers are what their author means by them, whatever they spell; Python itself is the judge."""

import itertools
import math
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.proof.statements.decided_integers import decide_integers
from tests.claims.written import claim_from
from tests.effort import examples

#: Names that sentences and engines have used, or use, for variables of their own.
SPELLINGS = [
    "x",
    "from_first_of_x",
    "below_0_x",
    "below_0_d",
    "d",
    "v",
    "n",
    "value",
    "other",
    "t1",
]
SPELLINGS += ["from_first_of_d", "p", "q", "r0", "relation0", "times2", "x1", "e", "u"]


def verdicts(bound=20, **check):
    document = {"id": "drawn", "check": {"kind": "integers", "bound": bound, **check}}
    claim = claim_from(document)
    assert list(mistakes_in(claim)) == []
    return [(fixed, found.verdict) for fixed, found in decide_integers(claim, math.inf)]


@cache
def code(text):
    """Return a formula as Python's compiler reads it."""
    return compile(text, "a formula", "eval")


def is_false_at(check, position, bound):
    """Return whether a statement speaks of integers and is false of them, as Python reads its formulas."""
    env = {"N": bound, "min": min, "max": max, "abs": abs}

    def value(text):
        return eval(code(str(text)), {}, env)

    def span(text):
        limits, _, step = str(text).partition(" step ")
        first, _, last = limits.partition("..")
        return range(value(first), value(last or first) + 1, value(step or 1))

    for (name, limits), at in zip(check["all"].items(), position, strict=True):
        if at not in span(limits):
            return False
        env[name] = at
    for name, text in check.get("let", {}).items():
        env[name] = value(text)
    if not value(check.get("where", "True")):
        return False
    if not value(check.get("holds", "True")):
        return True
    number = check.get("number")
    if number is None:
        return False
    outer, found = dict(env), 0
    stack = [{}]
    for name, limits in number["of"].items():
        longer = []
        for inner in stack:
            env.update(outer | inner)
            longer += [inner | {name: at} for at in span(limits)]
        stack = longer
    for inner in stack:
        env.update(outer | inner)
        for name, text in number.get("let", {}).items():
            env[name] = value(text)
        found += bool(value(number["such"]))
    return found < number["least"] if "least" in number else found != number["exactly"]


COLLISIONS = [
    # at x = 3000 and 0, which no check up to the bound sees
    {"all": {"x": "5..N", "from_first_of_x": "0..N"}, "holds": "x < from_first_of_x + 3000"},
    {
        "all": {"x": "0..N", "y": "0..N", "below_0_d": "0..N"},
        "let": {"d": "(x-y)//2"},
        "where": "y < x+3000 or d < -1500",
        "holds": "d + below_0_d >= 0 or y < x+3000",
    },
    {
        "all": {"x": "0..N", "from_first_of_u": "0..N"},
        "number": {"of": {"u": "5..x+5"}, "such": "u == from_first_of_u + 5", "least": 1},
    },
    {
        "all": {"x": "3000..N", "below_0_w": "0..N"},
        "number": {
            "of": {"u": "0..x"},
            "let": {"w": "(u-x)//2"},
            "such": "w + below_0_w >= 0 and u < x",
            "least": 1,
        },
    },
]


@pytest.mark.parametrize("check", COLLISIONS)
def test_names_that_spell_a_variable_are_names(check) -> None:
    """Each is false; where variables of ours had these names, each was proved."""
    ((_, verdict),) = verdicts(**check)
    assert isinstance(verdict, Refuted), verdict
    position = verdict.counterexample.position
    assert is_false_at(check, position, 10 * max(20, *map(abs, position)))


@st.composite
def terms(draw, names):
    first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    shapes = ["{}", "{}+{}", "{}-{}", "2*{}-3*{}", "{}^{}", "({}-1)&({}-2)", "min({}, {})", "-{}"]
    shapes += ["({}-{})//2", "({}-{})%3", "abs({}-{})", "max({}, -{})", "({}-3)|{}"]
    return draw(st.sampled_from(shapes)).format(first, second)


#: Far constants lie beyond every bound that a check looks up to.
FAR = [-3000, -129, 60, 1000, 4095, 100_000]
constants = st.one_of(st.integers(-4, 4), st.sampled_from(FAR))


@st.composite
def conditions(draw, names):
    sign = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
    text = f"{draw(terms(names))} {sign} {draw(terms(names))}+({draw(constants)})"
    if draw(st.booleans()):
        return text
    other = f"{draw(st.sampled_from(names))} {draw(st.sampled_from(['<', '>=']))} {draw(constants)}"
    return draw(st.sampled_from(["{} or {}", "{} and {}", "not ({} and {})"])).format(text, other)


@st.composite
def statements(draw):
    names = draw(st.permutations(SPELLINGS))[:6]
    x, y, follows, u, w, z = names
    spans = [f"{draw(constants)}..N", "-N..N", "-2..N step 3", "N//3..N"]
    check = {"all": {x: draw(st.sampled_from(spans))}}
    spans += [f"{x}..{x}+5", f"-{x}..N", f"min({x}, 2)..N", f"({x}-3)//2", f"{x}-2..{x}+2 step 2"]
    spans += [f"-3000..{x}"]
    check["all"][y] = draw(st.sampled_from(spans))
    known = [x, y]
    if draw(st.booleans()):
        check["all"][z] = "-1..1" if draw(st.booleans()) else "0..N"
        known.append(z)
    if draw(st.booleans()):
        check["let"] = {follows: draw(terms(known))}
        known.append(follows)
    if draw(st.booleans()):
        check["where"] = draw(conditions(known))
    if draw(st.booleans()):
        check["holds"] = draw(conditions(known))
        return check
    of = {u: draw(st.sampled_from([f"{x}-1..{x}+1", f"0..max({y}, 1)&7", f"({y}-1)//2", "-2..1"]))}
    inner = [*known, u]
    number = {"of": of}
    if draw(st.booleans()):
        number["let"] = {w: draw(terms(inner))}
        inner.append(w)
    number["such"] = draw(conditions(inner))
    number[draw(st.sampled_from(["least", "exactly"]))] = draw(st.integers(0, 2))
    return check | {"number": number}


def near(check):
    """Return integers at and beyond all constants of a statement."""
    text = str(check)
    far = [n for n in FAR if str(abs(n)) in text]
    beyond = itertools.product(far, (-3, -2, -1, 1, 2, 3), (-2, -1, 0, 1, 2, 5))
    return sorted({*range(-6, 8), *(factor * n + more for n, factor, more in beyond)})


@settings(max_examples=examples(120), deadline=None)
@given(statements())
def test_what_is_proved_of_any_names_is_true_and_what_is_refuted_is_false(check) -> None:
    for fixed, verdict in verdicts(**check):
        match verdict:
            case Proved() | Vacuous():
                never = {"holds": "0 > 1"} if isinstance(verdict, Vacuous) else {}
                points = near(check)
                spans = [[fixed[n]] if n in fixed else points for n in check["all"]]
                step = 1 + math.prod(map(len, spans)) // 2000
                for position in itertools.islice(itertools.product(*spans), 0, None, step):
                    for bound in (20, 20 + max(map(abs, position)), 900_000):
                        assert not is_false_at(check | never, position, bound), (position, bound)
            case Refuted(counterexample):
                position = counterexample.position
                bounds = {*range(20, 400), *(3 * abs(at) + e for at in position for e in range(3))}
                assert any(is_false_at(check, position, bound) for bound in {*bounds, 10**7})
            case Undecided(why):
                assert "finitely many" in why or "too large to decide" in why, why
