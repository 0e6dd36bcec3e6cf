"""Certificates that are true pass; forged ones, and almost all changed ones, do not."""

import ast
import copy
import random
from collections import Counter

import pytest

from tests.checker.families.mutations import changed, mutations, of_sums, of_texts, plus
from tests.checker.families.named import certificate, with_formula
from tests.checker.families.program import families, status_of
from tests.effort import examples
from tests.proof.uniform.test_failure import BEYOND as BOUND
from tests.proof.uniform.test_failure import box
from tests.proof.uniform.test_families import HIGH, LOW, SHIFTED, STEPS, STRIP, below
from tests.proof.uniform.test_passes import NUMBER, OF_ODD

FULL, SLOW = pytest.mark.full, pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("three", "proved"),
        ("grundy", "proved"),
        ("power", "proved"),
        pytest.param("flat", "proved", marks=FULL),
        ("inside", "proved"),
        ("formula", "proved"),
        ("beyond", "refuted"),
        ("wrong", "refuted"),
        ("strip", "refuted"),
        *(pytest.param(name, "proved", marks=SLOW) for name in ("one", "beside", "cases")),
    ],
)
def test_what_was_found_passes(name, status, verdict, monkeypatch):
    # A loaded machine must not leave a member without a proof of its own.
    monkeypatch.setattr(families, "ONE_MEMBER", 100.0)
    found = verdict(certificate(name))
    assert (found["status"], found["engines"]) == (status, ["z3", "cvc5"]), found["why"]
    assert (found["members"], found["every_member"]) == (13, status == "refuted")
    alone = {"three": 3, "grundy": 3, "power": 3, "flat": 3, "inside": 0, "formula": 0}
    assert len(found["alone"]) == alone.get(name, len(found["alone"]))


def of(*keys):
    """Return what changes a part of the first case: by a function, or to a value."""

    def change(how):
        def forge(document):
            part = document["cases"][0]
            for key in keys:
                part = part[key]
            how(part)

        return forge

    return change


CASE, HEIGHT, FORMULA = of(), of("heights", "y"), of("formula")


def locations(change):
    """Return what changes each location."""

    def forge(document):
        for obligation in document["cases"][0]["obligations"]:
            for number, location in enumerate(obligation["locations"]):
                change(location, number)

    return forge


def second(**entries):
    """Return what changes entries of the second case."""
    return lambda document: document["cases"][1].update(entries)


def case_of(c, k):
    return second(parameters={"c": c, "k": k})


THREE_OF_4 = {"m_k": 4, "1": 3}
#: Another statement, or another part, of a certificate; in some only large members are wrong.
FORGED = {
    "three": [
        *({"for": f} for f in ("k % 4 == 1", "k % 2 == 1", "k % 4 == 2", "k >= 1")),
        {"for": "k % 4 == 3 or k == 101"},
        {"for": "k % 4 == 3 or k >= 10**6 and k & 7 == 5"},
        *({"relation": f"(x-{n}) ^ y ^ (z-{n}) == 0"} for n in ("1", "min(max(k-99, 0), 1)")),
        {"relation": "x ^ y ^ z == 1"},
        {"ruleset": "solid-bar(f=(x+z+3)//k)"},
        {"ruleset": "solid-bar(f=(x+z)//(k+1))"},
        {"ruleset": "solid-bar(f=(x+2*z)//k)"},
        {"ruleset": "solid-bar(f=(x+z+3*min(max(k-99, 0), 1))//k)"},
        {"where": "x in z"},
    ],
    "grundy": [
        {"for": "k % 2 == 0 and s <= k + 1"},
        {"for": "k % 2 == 1 and s < k"},
        {"for": "k % 2 == 0 and s <= max(k, 2*k-70)"},
        {"relation": "(y ^ (z+s)) - s + 1"},
        {"relation": "(y ^ (z+s+1)) - s - 1"},
        {"ruleset": "step-bar(k=k, s=s+2)"},
    ],
    "power": [
        {"for": "k % 2 == 0 and u <= k + 1"},
        {"for": "k % 2 == 1 and u < k"},
        {"for": "k % 2 == 0 and (u < k or t >= 100 and u <= k + 1)"},
        {"for": "k % 2 == 0 and (u < k or u <= k + 1 and 2**t > 1000)"},
        {"relation": f"{SHIFTED} + 1"},
        {"relation": "(y ^ (z+u*2**(t+1))) - u*2**(t+1)"},
        {"relation": "(y ^ (z+u*2**t)) - u*2**t*2**t"},
        {"relation": "(y ^ (z+u*2**t)) - u*2**y"},
        *(
            {"ruleset": f"step-bar(k=k, s={s})"}
            for s in (
                "u*2**t+1", "u*2**(t+1)", "u*2**(t-1)", "u*2**(2*t)", "u*2**t*2**t", "u*2**k", "u*2**(t+k)",
                "u*2**(t+300)", "u*3**t", "u*4**t", "u*t", "u", "(u & -u)*2**t", "u*2**t + (t & -t)",
            )
        ),
        {"ruleset": "step-bar(k=k*2**t, s=u*2**t)"},
        {"ruleset": "step-bar(k=2**t, s=u*2**t)"},
        {"where": "z <= k"},
        {"verdict": "refuted"},
        locations(lambda location, _: location.pop("upper", None)),
        locations(lambda location, _: location.update(upper=True)),
        locations(lambda location, number: location.update(upper=number == 0)),
        locations(lambda location, number: location.update(upper=number > 0)),
        locations(lambda location, _: location.update(upper="upper" not in location)),
        # nothing holds where the lower digits begin, or anything
        locations(lambda location, _: "upper" in location or location.update(states=[])),
        locations(lambda location, _: "upper" in location or location.update(predicates=[], states=[""], never=[], equalities=[])),
        locations(lambda location, _: "upper" in location or location.update(never=[])),
        locations(lambda location, n: n == 0 or location["predicates"].append({"2^t": 1})),
        CASE(lambda case: case["parameters"].update(t={"m_k": 1})),
        CASE(lambda case: case["parameters"].update(t={"2^t": 1})),
        CASE(lambda case: case["parameters"].update(t={"p_2": 1})),
        CASE(lambda case: case["parameters"].update(t={"1": 1})),
        CASE(lambda case: case["conditions"].append({"2^t": 1, "1": -2})),
        CASE(lambda case: case["conditions"].append({"t": 1, "1": -1})),
        CASE(lambda case: case.update(shifts={"y": {}, "z": {"u": 1}})),
    ],
    "largest": [
        {"ruleset": "solid-bar(f=min(x, z)//k)"},
        # for k > 2 a part is negative at x = 0, and the height is not: such a game is in no case
        {"ruleset": "solid-bar(f=max(x+min(0, 2-k), z)//k)"},
        HEIGHT(lambda height: height["parts"].pop()),
        HEIGHT(lambda height: height["parts"].reverse()),
        HEIGHT(lambda height: height.update(function="min")),
        HEIGHT(lambda height: height["parts"][0]["terms"].update(x={"1": 2})),
        HEIGHT(lambda height: height["parts"][1]["divisor"].update({"1": 1})),
    ],
    "product": [
        {"for": "k%4 == 3 and c <= 2"},
        {"for": "k%4 == 3"},
        {"for": "k%2 == 1 and c <= 1"},
        lambda document: document["cases"].pop(),
        lambda document: document["cases"].pop(0),
        case_of({"1": 0}, THREE_OF_4),
        case_of({"1": 2}, THREE_OF_4),
        case_of({"1": -1}, THREE_OF_4),
        case_of({"m_k": 1}, THREE_OF_4),
        case_of({"m_k*m_k": 1}, THREE_OF_4),
        case_of({"1": 1}, {"1": 3}),
        second(conditions=[{"m_k": 1, "1": -1}]),
        second(conditions=[{"m_k*m_k": 1, "1": -1}]),
        second(conditions=[{"m_k*m_k": 1, "m_k": -1}]),  # it holds, and no solver knows it
        second(conditions=[{"m_k*m_c": 1}]),
    ],
    "heaps": [{"ruleset": "nim(3 + k//40)"}],  # all small members have three heaps, others more
    "sum": [
        *(
            {"ruleset": ruleset}
            for ruleset in (
                "strip-bar(k=k, s=s)",
                "sum(step-bar(k=k, s=s), nim(2))",
                "sum(step-bar(k=k, s=s+1), nim(1))",
                "sum(step-bar(k=k+1, s=s), nim(1))",
                "sum(solid-bar(f=(z+s)//k), nim(1))",
                "sum(step-bar(k=k, s=a), nim(1))",
                "sum(step-bar(k=k, s=s+a), nim(1))",
                "sum(step-bar(k=k, s=s))",
                "sum(step-bar(k=k, s=s), nim(1), nim(1))",
                "sum(a=step-bar(k=k, s=s), b=nim(1))",
                "sum(with-pass(step-bar(k=k, s=s)), nim(1))",
                "sum(step-bar(k=k, s=s), rectangular-bar(m=k, n=k))",
                "sum(step-bar(k=k, s=s), k)",
            )
        ),
    ],
    "formula": [
        {"for": "k % 2 == 1 and s <= k+1"},
        {"for": "k % 2 == 0 and s < k"},
        {"for": "k % 2 == 1 and (s <= k or k >= 10**6 and s <= k+1)"},
        {"for": "k % 2 == 1 and s < 0"},
        {"ruleset": "step-bar(k=k, s=s+2)"},
        {"ruleset": "step-bar(k=k+1, s=s)"},
        {"where": "z <= k"},
        {"verdict": "refuted"},
        {"relation": STEPS + " + 1"},
        {"relation": f"{STEPS} + max(0, k-999999)"},
        {"relation": f"{STEPS} - max(0, z-999999)"},
        {"relation": STEPS.replace("y+z+s", "y+z+s+1")},
        {"relation": f"z + (1-(y+z+s)%2)*({HIGH}) - (y+z+s)%2*({HIGH})"},
        {"relation": f"z + (1-(y+z+s)%2)*({HIGH}) - (y+z+s)%2*({LOW})"},
        {"relation": STEPS.replace("max", "min")},
        {"relation": "(y ^ (z+s)) - s"},
        FORMULA(lambda f: f.update(lemmas={})),
        FORMULA(lambda f: f.update(lemmas={name: [] for name in f["lemmas"]})),
        FORMULA(lambda f: f["lemmas"].update(more=[])),
        FORMULA(lambda f: f["lemmas"].update(option=[{"m_k*position(y)": 1, "position(x)": 1}])),
        FORMULA(lambda f: f["lemmas"].update(value=[{"position(y)": 1 << 300}])),
        FORMULA(lambda f: f["lemmas"].update(value=[{"!0": 1}])),
        *(FORMULA(lambda f, m=m: f.update(factors=m)) for m in (None, [], ["position(y)"], ["s"])),
        FORMULA(lambda f: f["floors"].append({"terms": {"y": {"1": 1}}, "constant": {}, "divisor": {"1": 2}})),
        FORMULA(lambda f: f.update(quotients=[])),
        FORMULA(lambda f: f["quotients"][0].update(divisor={"position(y)": 1})),
        FORMULA(lambda f: f["quotients"][0].update(dividend={"number(2)": 1})),
        FORMULA(lambda f: f["quotients"][0].update(dividend={"value()": 1})),
        CASE(lambda case: case["conditions"].append({"m_k": 1, "1": -99})),
        CASE(lambda case: case["parameters"].update(s={"m_k": 2, "1": 1})),
        CASE(lambda case: case.update(formula=None)),
        CASE(lambda case: case.update(shifts={"y": {}, "z": {"s": 1}})),
    ],
    "inside": [
        {"where": box("(3*k+2)//2 + 1")},
        {"where": "x <= (3*k+2)//2 and z <= (3*k+2)//2 + 1"},
        {"where": box("(3*k+2)//2 + min(max(k-99, 0), 1)")},
        {"where": "x >= 1 and " + box("(3*k+2)//2")},
        {"where": ""},
        {"where": box("(3*k+2)//2") + " and (x & -x) <= 3"},
        # no position satisfies it; if k//3 were any number, some would
        {"where": box("(3*k+2)//2") + " and x + 1 <= k//3 - k"},
        {"for": "k % 4 == 0"},
        {"for": "k % 8 == 4 or k == 102"},
        {"ruleset": "solid-bar(f=(x+z+1)//k)"},
        {"verdict": "refuted"},
        lambda document: document["cases"].append({**document["cases"][0], "parameters": {}}),
    ],
    "sides": [
        HEIGHT(lambda height: height.update(function="min")),
        HEIGHT(lambda height: height.update(function="product")),
        HEIGHT(lambda height: height["parts"].pop()),
        HEIGHT(lambda height: height["parts"].reverse()),
        HEIGHT(lambda height: height["parts"].append(height["parts"][0])),
        HEIGHT(lambda height: height["parts"][0]["constant"].update({"1": 1})),
        HEIGHT(lambda height: height["parts"][0]["divisor"].update({"1": 3})),
        CASE(lambda case: case["largest"].update(y=1)),
        CASE(lambda case: case["largest"].update(y=-1)),
        CASE(lambda case: case.update(largest={})),
        {"where": ""},
        {"where": "x < 10**6*k"},
        {"where": below("k+3")},
        {"for": "k%4 == 0"},
        *(
            {"ruleset": f"solid-bar(f={height})"}
            for height in (
                "(x+z)//k",
                "(x//1+z//1)//k",
                "x//k+z//k+x//k",
                "x//k-z//k",
                "max(x, z)//k+z//k",
                "2*(x//k)",
                "x//k+z//(2*k)",
                "x//k+z//k+2",
            )
        ),
    ],
    "beyond": [{"where": box("(3*k+2)//2")}, {"verdict": "proved"}],
    "wrong": [
        {"for": "k % 4 == 1 or k == 102"},
        {"for": "k % 2 == 1"},
        {"verdict": "proved"},
        {"ruleset": "solid-bar(f=(x+z)//(k+1))"},
        # a position refutes its own relation alone
        *({"relation": f"(x{n}) ^ y ^ (z{n}) == {m}"} for n, m in (("-1", 0), ("+1", 1), ("-0", 0))),
    ],
    "strip": [
        {"for": "k % 2 == 0 and 2*a <= k"},
        {"ruleset": "strip-bar(k=k, s=k+2*a)"},
    ],
    "passed": [
        {"for": "k % 2 == 0 and s < k"},
        {"for": "k % 2 == 0 and s % 2 == 1 and s <= k + 1"},
        {"for": "k % 2 == 0 and s % 2 == 1 and s < k and p == 1"},
        {"parameters": ["k", "s"]},
        {"verdict": "refuted"},
        {"without_passes": None},
        *(
            {"without_passes": text}
            for text in (
                "(x+s) ^ y ^ (z+s) == 1",
                "(x+s) ^ y ^ (z+s) ^ p == 0",
                "(x+s+1) ^ y ^ (z+s+1) == 0",
                "x == y",
                "0 == 0",
                OF_ODD,
            )
        ),
        *(
            {"ruleset": ruleset}
            for ruleset in (
                STRIP,
                f"with-pass({STRIP}, passes=r+s, passes=r)",
                *(f"with-pass({STRIP}, passes={n})" for n in ("p", "x", "s", "r*s", "0-r-1")),
                "with-pass(strip-bar(k=k, s=s+1), passes=r)",
                "with-pass(strip-bar(k=k+1, s=s), passes=r)",
                "with-pass(step-bar(k=k, s=s), passes=r)",
                "with-pass(solid-bar(f=(z+s+x//10**9)//k), passes=r)",
                f"with-pass(with-pass({STRIP}), passes=r)",
                f"with-pass(sum({STRIP}, nim(1)), passes=r)",
                f"sum(with-pass({STRIP}, passes=r), nim(1))",
            )
        ),
        *(
            {"relation": text}
            for text in (
                "(x+s) ^ y ^ (z+s) ^ (p%2) == 0",  # false at the end alone
                "(x+s) ^ y ^ (z+s) == 0",
                OF_ODD.replace("p % 2", "p").replace("p%2", "p"),
                OF_ODD.replace("p%2", "(p + p//10**6) % 2"),
                OF_ODD.replace("p%2", "(p + max(p-10**6, 0)) % 2"),
                OF_ODD.replace("p % 2 == 1", "p % 2 == 1 and p < 10**6"),
                OF_ODD.replace("z == 0 and", "z <= 1 and"),
                f"{OF_ODD} and x < 10**6",
                f"{OF_ODD} or x == 10**6 and p == 10**6",
                f"{OF_ODD} or r == 10**6 and p == 1 and x + y + z == 10**6",
            )
        ),
    ],
    "passed numbers": [
        {"for": "k % 2 == 0 and s <= k"},
        {"without_passes": NUMBER},
        {"without_passes": "(y ^ (z+s)) - s + 1"},
        {"relation": "(y ^ (z+s)) - s"},
        {"relation": NUMBER.replace("max(0, ", "max(1, ")},
        {"relation": NUMBER.replace("max(0, ", "max(0 - 1, ")},
        {"relation": NUMBER.replace("p%2", "(p + p//10**6) % 2")},
        {"relation": f"{NUMBER} + max(0, p-10**6)"},
    ],
    # options that leave a condition on positions are no witnesses
    "conjecture": [
        {"where": f"{box(BOUND)} and {more}"} for more in ("x >= 1", "z >= x", f"z >= {BOUND}")
    ],
}  # fmt: skip
CHANGES = [(name, change) for name, changes in FORGED.items() for change in changes]


def forged(name, change):
    document = certificate(name)
    if not isinstance(change, dict):
        change(document)
        return document
    if "relation" in change:
        return with_formula(document, change["relation"])
    return {**document, **change}


@pytest.mark.parametrize(("name", "change"), CHANGES)
@pytest.mark.usefixtures("without_members")
def test_the_conditions_alone_refuse_a_forged_certificate(name, change, verdict):
    assert status_of(verdict, forged(name, change)) in ("undecided", "no certificate")


@pytest.mark.full
@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_a_forged_certificate_is_refused(name, change, verdict):
    assert status_of(verdict, forged(name, change)) not in ("proved", "every member")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sum", {"ruleset": "sum(nim(1), step-bar(k=k, s=s))"}),  # in another order
        ("passed", {"without_passes": "x == (y ^ (z+s)) - s"}),
        ("passed", {"ruleset": f"with-pass({STRIP}, passes=r//2+1)"}),
        ("passed", {"where": "x + p >= 3"}),
        ("one", {"for": "k & 3 == 1 or k >= 10**6 and k & 7 == 5"}),
        pytest.param("largest", {"ruleset": "solid-bar(f=max(x+min(0, 2-k), z)//k)", "for": "k == 2"}, marks=FULL),
        pytest.param("inside", CASE(lambda case: case["largest"].update(y=4)), marks=FULL),
        pytest.param("formula", FORMULA(lambda f: [sums.extend([{"position(y)": 10**40, "position(z)": -3, "1": 7}, {"1": 5}, {"1": 0}, {}]) for sums in f["lemmas"].values()]), marks=FULL),
    ],
)  # fmt: skip
def test_other_certificates_of_the_same_are_proved(name, change, verdict):
    assert status_of(verdict, forged(name, change)) == "proved"


@pytest.mark.full
@pytest.mark.parametrize(
    "largest", [None, {}, {"x": 3}, {"y": 2}, {"y": -1}, {"y": 3, "z": 1}, {"y": 1 << 40}]
)
def test_largest_values_are_needed_and_right(largest, verdict):
    document = changed(certificate("inside"), ("cases", 0, "largest"), lambda _: largest)
    assert status_of(verdict, document) == "undecided"


#: Of "three" and "grundy", with cases that fit the statement, so that nothing but the invariants is wrong.
DRESSED = [
    ("three", {"for": "k % 4 == 1"}, {"k": {"m_k": 4, "1": 1}}),
    ("three", {"for": "k % 4 == 2"}, {"k": {"m_k": 4, "1": 2}}),
    ("three", {"for": "k % 2 == 1"}, {"k": {"m_k": 2, "1": 1}}),
    ("three", {"relation": "(x-1) ^ y ^ (z-1) == 0"}, {}),
    ("three", {"relation": "x ^ y ^ z == 1"}, {}),
    ("three", {"ruleset": "solid-bar(f=(x+z+3)//k)"}, {}),
    ("three", {"ruleset": "solid-bar(f=(x+2*z)//k)"}, {}),
    ("grundy", {"for": "k % 2 == 1 and s < k"}, {"k": {"m_k": 2, "1": -1}}),
    ("grundy", {"relation": "(y ^ (z+s)) - s + 1"}, {}),
    ("grundy", {"relation": "(y ^ (z+s+1)) - s - 1"}, {}),
    ("grundy", {"ruleset": "step-bar(k=k, s=s+2)"}, {}),
    ("power", {"for": "k % 2 == 1 and u < k"}, {"k": {"m_k": 2, "1": -1}}),
    ("power", {"for": "k % 2 == 0 and u <= k + 1"}, {"k": {"m_k": 2, "1": -2}}),
    ("power", {"relation": f"{SHIFTED} + 1"}, {}),
    ("power", {"relation": "(y ^ (z+u*2**(t+1))) - u*2**(t+1)"}, {}),
    ("power", {"ruleset": "step-bar(k=k, s=u*2**t+1)"}, {}),
    ("power", {"ruleset": "step-bar(k=k, s=u*2**(t+1))"}, {}),
]


@pytest.mark.parametrize(("name", "change", "parameters"), DRESSED)
@pytest.mark.usefixtures("without_members")
def test_an_invariant_proves_no_false_family(name, change, parameters, verdict, monkeypatch):
    monkeypatch.setattr(families.Case, "written_otherwise", lambda _: "false")
    document = forged(name, change)
    for case in document["cases"]:
        case["parameters"].update(parameters)
    found = verdict(document)
    assert found["status"] == "undecided"
    assert "cases" not in found["why"]


def with_phases(how, more="u*2**t"):
    """Hints of "grundy", which are right for s, for the shift s + u·2^t, which is wrong for large u."""
    document = forged("grundy", {"relation": f"(y ^ (z+s+{more})) - s - {more}"})
    document |= {"ruleset": f"step-bar(k=k, s=s+{more})", "parameters": [*"kstu"]}
    document["for"] += " and t >= 0 and u >= 0"
    document["cases"][0]["parameters"].update(t={"t": 1}, u={"u": 1})
    for obligation in document["cases"][0]["obligations"]:
        start, *every = obligation["locations"]
        lower = copy.deepcopy(every)
        for location in {"lower": [], "start": [start]}.get(how, [start, *every]):
            location["upper"] = True
        if how in ("both", "nothing", "anything"):
            obligation["locations"] += lower
        for location in lower:
            for answer in (a for step in location.get("strategy", []) for a in step["answers"]):
                answer["to"] += len(every)
            if how != "both":
                hints = ("strategy", "never", "predicates", "equalities")
                location |= {key: [] for key in hints}
                location |= {"states": [""] if how == "anything" else [], "parities": {}}
    return document


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("lower", "the first location is not the start"),
        ("start", "step-0"),
        ("upper", "switch"),
        ("both", "switch"),
        ("nothing", "switch"),
        ("anything", "goal"),
    ],
)
@pytest.mark.usefixtures("without_members")
def test_each_condition_on_phases_is_needed(how, why, verdict, monkeypatch):
    """Without one of them, u·2^t would not matter."""
    monkeypatch.setattr(families.Case, "written_otherwise", lambda _: "false")
    found = verdict(with_phases(how))
    assert (found["status"], why in found["why"]) == ("undecided", True), found["why"]


def test_hints_without_a_power_are_right_in_both_phases(verdict):
    assert status_of(verdict, with_phases("both", "0*u*2**t")) == "proved"


@pytest.mark.full
@pytest.mark.parametrize(("name", "other", "function"), [("least", "largest", "max"), ("largest", "least", "min")])  # fmt: skip
def test_the_hints_of_one_height_prove_nothing_of_another(name, other, function, verdict):
    document = {**certificate(name), "ruleset": certificate(other)["ruleset"]}
    for case in document["cases"]:
        case["heights"]["y"]["function"] = function
    assert status_of(verdict, document) == "undecided"


@pytest.mark.slow
def test_options_of_a_formula_are_needed_and_are_options(verdict):
    """Options were chosen so that small members need each; without all of them nothing is proved."""
    every = certificate("formula")["cases"][0]["formula"]["options"]
    lists = [[*every[:i], *every[i + 1 :]] for i in range(len(every))] + [[]]
    for option in every:
        x = {"option(y)": 1}, {"value()": 1}
        others = [{"move": "y" if option["move"] == "z" else "z"}, {"fallen": ["z"]}]
        others += [{"fallen": [*option["fallen"], "y"]}, {"changed": {}}]
        others += [{"changed": dict.fromkeys(option["changed"], one)} for one in x]
        lists += [[*every, {**option, **other}] for other in others]
    for options in lists:
        document = forged("formula", FORMULA(lambda f, options=options: f.update(options=options)))
        assert status_of(verdict, document) == "undecided"


@pytest.fixture
def remembered(monkeypatch):
    """Conditions that are the same are asked once, and members of the same texts are compared once."""
    asked, ask, known, compare = {}, families.unsatisfiable, {}, families.wrong_position

    def again(name, condition):
        if condition not in asked:
            asked[condition] = ask(name, condition)
        return asked[condition]

    def compared(member):
        family = member.family
        texts = map(ast.dump, (family.ruleset, family.condition, family.stated))
        key = (*texts, str(member.values))
        if key not in known:
            known[key] = compare(member)
        return known[key]

    monkeypatch.setattr(families, "unsatisfiable", again)
    monkeypatch.setattr(families, "wrong_position", compared)
    monkeypatch.setattr(families, "prove_alone", lambda _: None)


#: What may be otherwise in a proof, now and then: a weaker inequality, one that another makes superfluous, or one more state.
MAY_PASS = {
    "never: a number by 1",
    "never: turned",
    "never: one left out",
    "predicates: a number by 1",
    "predicates: turned",
    "states: a digit",
    "states: one more",
    "states: one left out",
    "equalities: a number by 1",
    "conditions: a number by 1",
    "conditions: one left out",
    "strategy: a digit",
    "strategy: leads elsewhere",
    "strategy: no answer",
    "parities: another",
    "orders: another",
    "upper: another",  # of a location without states
}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        pytest.param("three", 60, marks=FULL),
        *(pytest.param(name, 60, marks=SLOW) for name in ("grundy", "largest", "power")),
        *(pytest.param(n, None, marks=SLOW) for n in ("three", "one", "grundy", "beside")),
    ],
)
def test_a_changed_certificate_is_refused_or_another_proof(name, number, verdict, remembered):
    chosen = list(mutations(certificate(name)))
    chosen = random.Random(1).sample(chosen, number) if number else chosen
    refused, passed = Counter(), Counter()
    for kind, mutant in chosen:
        status = status_of(verdict, mutant)
        assert status not in ("refuted", "every member"), kind
        (passed if status == "proved" else refused)[kind] += 1
    assert passed.keys() <= MAY_PASS
    assert refused.total() > passed.total()


@pytest.mark.parametrize(("name", "seed"), [("wrong", 1), ("beyond", 2)])
def test_a_changed_statement_is_refused_or_another_that_is_true(name, seed, verdict):
    """Such as one on a part of the positions that is smaller, or with a sum that another makes superfluous."""
    chosen = random.Random(seed).sample(list(of_texts(certificate(name))), examples(20))
    passed = 0
    for kind, mutant in chosen:
        if status_of(verdict, mutant) in ("proved", "every member"):
            passed += 1
            assert kind.partition(":")[0] in {"where", "conditions", "largest"}, (kind, mutant)
    assert passed < len(chosen) / 2


@pytest.mark.full
@pytest.mark.parametrize("name", ["conjecture", "sharp"])
def test_another_statement_with_powers_is_refused_or_wrong_for_every_member(name, verdict):
    """What passes is shown by the definition's options for the first members, too."""
    document = certificate(name)
    texts = [other for _, other in of_texts(document) if other["cases"] == document["cases"]]
    texts = [other for other in texts if other != document]
    found = [status_of(verdict, other) for other in random.Random(3).sample(texts, 25)]
    assert "proved" not in found
    assert found.count("every member") < 5


@pytest.mark.parametrize("name", ["wrong", pytest.param("beyond", marks=FULL)])
@pytest.mark.usefixtures("without_members")
def test_each_number_of_a_position_counts(name, verdict):
    """A position of other sums passes only if the relation contradicts itself there, too, which it does at few."""
    document, tried = certificate(name), 0
    (case,) = document["cases"]
    for coordinate, total in case["position"].items():
        for key in {*total, "1", "m_k"}:
            for by in (1, -1):
                path = ("cases", 0, "position", coordinate)
                other = changed(document, path, plus(key, by))
                assert status_of(verdict, other) != "every member", (coordinate, key, by)
                tried += 1
    assert tried == 12


@pytest.mark.full
@pytest.mark.parametrize("name", ["conjecture", "sharp"])
@pytest.mark.usefixtures("without_members")
def test_each_number_of_a_case_with_powers_counts(name, verdict):
    document, mutants = certificate(name), []
    assert status_of(verdict, document) == "every member"
    for c, case in enumerate(document["cases"]):
        for key in ("parameters", "position", "digits", "heights", "shifts"):
            mutants += [other for _, other in of_sums(document, ("cases", c, key), key)]
        for i, condition in enumerate(case["conditions"]):
            if not any("*" in one for one in condition):  # by 1 it says the same of an odd number
                mutants.append(changed(document, ("cases", c, "conditions", i), plus("1", -2)))
        mutants.append(changed(document, ("cases", c, "digits"), lambda _: None))
        if len(document["cases"]) > 1:
            left = [case for n, case in enumerate(document["cases"]) if n != c]
            mutants.append({**document, "cases": left})
    for mutant in mutants:
        assert status_of(verdict, mutant) != "every member"
