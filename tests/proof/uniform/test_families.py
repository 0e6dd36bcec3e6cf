"""Families that are theorems, false ones near them, and the relation against tables for the first members."""

import pytest

from choco_pipeline.proof.trial import disagreement
from choco_pipeline.proof.uniform import FamilyError
from choco_pipeline.proof.uniform.families.family import Family
from tests.proof.uniform.judged import prove_family, proved_once

SUM = "solid-bar(f=(x+z)//k)"
MORE = "solid-bar(f=(x+z+c)//k)"
STEP = "step-bar(k=k, s=s)"
STRIP = "strip-bar(k=k, s=s)"
# ⌈c/2⌉ for k = 4m+3, ⌈c/2⌉ - 1 for k = 4m+1: four cases, with whether c is even, of which one is quick.
SHIFT = "(c+1)//2 - 1 + k%4//2"
MORE_P = f"(x+{SHIFT}) ^ y ^ (z+{SHIFT}) == 0"


def slow(*values):
    """Return a case that takes the solvers long, or all the time that they are given; TRUE and FALSE have a quick one like it."""
    return pytest.param(*values, marks=pytest.mark.slow)


def full(*values):
    """Return a case like a quick one."""
    return pytest.param(*values, marks=pytest.mark.full)


TRUE = [
    (SUM, "k % 4 == 1", {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}),  # triangular, Conjecture 8.1
    (SUM, "k % 4 == 3", {"p_positions": "x ^ y ^ z == 0"}),  # triangular, Theorem 7.3
    (STEP, "k % 2 == 0 and s < k", {"grundy": "(y ^ (z+s)) - s"}),  # step2015, Theorem 3.1
    full(STEP, "k % 2 == 0 and s <= k", {"grundy": "(y ^ (z+s)) - s"}),
    full("solid-bar(f=z//k)", "k % 2 == 0", {"grundy": "x ^ y ^ z"}),
    full(STRIP, "k % 2 == 0 and s < k", {"p_positions": "(x+s) ^ y ^ (z+s) == 0"}),
    full(STRIP, "k % 2 == 0 and s < k", {"p_positions": "x == (y ^ (z+s)) - s"}),
    full(
        MORE,
        "k % 4 == 3 and c % 2 == 0 and c <= k + 1",
        {"p_positions": "(x+c//2) ^ y ^ (z+c//2) == 0"},
    ),
    slow(MORE, "k % 4 == 3 and c <= k + 1", {"p_positions": MORE_P}),
    slow(MORE, "k % 4 == 1 and c <= k + 1", {"p_positions": MORE_P}),
    slow(MORE, "k % 2 == 1 and c <= k + 1", {"p_positions": MORE_P}),
    pytest.param(
        SUM, "k % 97 == 3 and k % 4 == 3", {"p_positions": "x ^ y ^ z == 0"}, marks=pytest.mark.full
    ),
    pytest.param(
        STEP,
        "k % 2 == 0 and s % 300 == 100 and s < k",  # no member with a sum below 202
        {"grundy": "(y ^ (z+s)) - s"},
        marks=pytest.mark.full,
    ),
]

FALSE = [
    (SUM, "k % 4 == 3", {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}),
    (SUM, "k % 4 == 1", {"p_positions": "x ^ y ^ z == 0"}),
    (SUM, "k % 4 == 2", {"p_positions": "x ^ y ^ z == 0"}),
    (SUM, "k % 2 == 1", {"p_positions": "x ^ y ^ z == 0"}),
    (SUM, "k % 4 == 1", {"p_positions": "(x+1) ^ y ^ (z+1) == 0"}),
    (SUM, "k % 4 == 1", {"p_positions": "(x-1) ^ y ^ z == 0"}),
    (STEP, "k % 2 == 1 and s < k", {"grundy": "(y ^ (z+s)) - s"}),
    (STEP, "k % 2 == 0 and s <= k + 1", {"grundy": "(y ^ (z+s)) - s"}),
    (STEP, "k % 2 == 0 and s < k", {"grundy": "(y ^ (z+s)) - s + 1"}),
    (STEP, "k % 2 == 0 and s < k", {"grundy": "(y ^ (z+s+1)) - s - 1"}),
    (STRIP, "k % 2 == 0 and s < k", {"p_positions": "(x+s) ^ y ^ (z+s+1) == 0"}),
    (
        MORE,
        "k % 4 == 1 and c % 2 == 0 and c <= k + 1",
        {"p_positions": "(x+c//2) ^ y ^ (z+c//2) == 0"},
    ),
    (
        MORE,
        "k % 4 == 3 and c % 2 == 0 and c <= k + 1",
        {"p_positions": "(x+c//2-1) ^ y ^ (z+c//2-1) == 0"},
    ),
]

#: False, too; the search for an invariant takes all of its time, or nearly.
FALSE_AND_LONG = [
    (SUM, "k % 4 == 1 and k >= 9", {"p_positions": "(x-1) ^ y ^ (z-1) == 1"}),
    (MORE, "k % 2 == 1 and c <= k + 2", {"p_positions": MORE_P}),
    (MORE, "k % 2 == 1 and c == k + 2", {"p_positions": MORE_P}),
]

#: Wrong for large members alone, so that the first tables agree with them.
LATE = [
    (
        SUM,
        "k % 4 == 3",
        {"p_positions": "(x-min(max(k-99, 0), 1)) ^ y ^ (z-min(max(k-99, 0), 1)) == 0"},
    ),
    (STEP, "k % 2 == 0 and s <= max(k, 2*k-70)", {"grundy": "(y ^ (z+s)) - s"}),
    (SUM, "k % 4 == 3 or k == 101", {"p_positions": "x ^ y ^ z == 0"}),
]


@pytest.mark.parametrize(("ruleset", "condition", "relation"), TRUE)
def test_a_theorem_is_proved_by_both_solvers(ruleset, condition, relation):
    found = proved_once(ruleset, condition, **relation)
    assert found.status == "proved", found.why
    assert found.engines == ("z3", "cvc5")


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [
        (SUM, "k == 9", {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}),
        slow(SUM, "k == 7 or k == 23", {"p_positions": "x ^ y ^ z == 0"}),
        slow(STEP, "k == 6 and s < 4", {"grundy": "(y ^ (z+s)) - s"}),
    ],
)
def test_single_values_are_proved_as_parts_of_what_is_true_for_more(ruleset, condition, relation):
    found = prove_family(ruleset, condition, **relation)
    assert found.status == "proved", found.why
    assert found.family.condition == condition.replace(" % ", "%")


@pytest.mark.full
@pytest.mark.parametrize(
    ("condition", "relation"),
    [("k == 5 or k == 6", "(x-1) ^ y ^ (z-1) == 0"), ("k == 9 or k == 3", "x ^ y ^ z == 0")],
)
def test_one_wrong_value_is_enough(condition, relation, monkeypatch):
    assert prove_family(SUM, condition, p_positions=relation).status == "refuted"
    monkeypatch.setattr(
        "choco_pipeline.proof.trial.Statement.refutation", lambda family, seconds: (None, 0)
    )
    found = prove_family(SUM, condition, p_positions=relation, seconds=20)
    assert found.status == "undecided"
    assert "modulo one of 4, 8, 16, 32" in found.why or "seconds" in found.why


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"), [*FALSE, *(full(*case) for case in FALSE_AND_LONG)]
)
def test_a_false_family_is_refuted_where_it_is_wrong(ruleset, condition, relation):
    found = prove_family(ruleset, condition, **relation)
    assert found.status == "refuted"
    assert found.counterexample is not None
    game = found.family.description.member(found.counterexample.parameters)
    value = game.grundy(found.counterexample.position)
    assert value == found.counterexample.value
    said = found.counterexample.said
    assert said != (value == 0 if "p_positions" in relation else value)


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation"),
    [
        *FALSE[:1],
        LATE[0],
        *(full(*case) for case in [*FALSE[4::4], *LATE[1:]]),
        *(slow(*case) for case in [*FALSE, *FALSE_AND_LONG]),
    ],
)
@pytest.mark.usefixtures("untried")
def test_no_invariant_is_found_for_a_false_family(ruleset, condition, relation):
    found = prove_family(ruleset, condition, **relation, seconds=8)
    assert found.status == "undecided"


@pytest.mark.parametrize(("ruleset", "condition", "relation"), TRUE[:4])
def test_the_first_members_are_what_tables_say(ruleset, condition, relation):
    ((kind, formula),) = relation.items()
    family = Family.read(ruleset, condition, formula, kind.replace("_", "-"))
    for m in range(13):
        k = {"k % 4 == 1": 4 * m + 1, "k % 4 == 3": 4 * m + 3}.get(condition, 2 * m + 2)
        values = {"k": k} | ({"s": min(m, k - 1)} if "s" in family.parameters else {})
        game = family.description.member(values)
        assert disagreement(family, game, values, bound=40) is None


@pytest.mark.parametrize(
    ("ruleset", "condition", "relation", "why"),
    [
        ("with-pass(step-bar(k=k))", "k >= 1", {"grundy": "y ^ z"}, "passes"),
        (
            "solid-bar(f=min(x, max(x, z))//k)",
            "k >= 1",
            {"p_positions": "x^y^z == 0"},
            "max of several",
        ),
        (
            "rectangular-bar(m=m, n=n)",
            "m == n",
            {"p_positions": "a^b^c^d == 0"},
            "condition on all",
        ),
        ("step-bar(k=k)", "k >= 1", {"grundy": "y * z"}, "multiplies coordinates"),
        ("step-bar(k=k)", "k == 0", {"grundy": "y ^ z"}, "no natural numbers"),
        ("step-bar(k=k)", "k + 1", {"grundy": "y ^ z"}, "a condition is needed"),
        ("step-bar(k=k)", "k > 0", {"p_positions": "y ^ z"}, "a condition is needed"),
        ("step-bar(k=k)", "k > 0", {"grundy": "y ^ w"}, "unknown name 'w'"),
        ("step-bar(k=k*k)", "k > 0", {"grundy": "y ^ z"}, "multiplies parameters"),
        (
            "step-bar(k=k, s=s)",
            "k % 2 == 0 and s % 2**t == 0 and s < k*2**t",  # step2015, Theorem 3.2
            {"grundy": "(y ^ (z+s)) - s"},
            r"2\*\*t is not linear",
        ),
        ("with-pass(step-bar(k=k), passes=r)", "k > 0", {"grundy": "y ^ z"}, "passes"),
        ("step-bar(k=k)", "k > 0", {}, "either"),
    ],
)
@pytest.mark.usefixtures("untried")
def test_what_has_no_obligations_is_refused(ruleset, condition, relation, why):
    """Where no table refutes it."""
    with pytest.raises(FamilyError, match=why):
        prove_family(ruleset, condition, **relation)


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("moves: [{lower: {a: n + k}}]", "only some amounts"),
        ("moves: [{lower: [a], by: [1, k]}]", "only some amounts"),
        ("moves: [{lower: [a], at_most: k}]", "at most"),
        ("moves: [{lower: [a], when: a > k}]", "a condition"),
        ("moves: [{lower: [a], by: [1], split: a}]", "splits"),
        ("legal: a % 2 == k % 2\nmoves: [{lower: [a]}]", "rule `legal`"),
        ("play: misere\nmoves: [{lower: [a, b], by: [[1, k]]}]", "misère"),
        ("heights: {a: b // k, b: c}\nmoves: [{lower: [c]}]", "a coordinate with a height"),
    ],
)
def test_rules_of_single_games_are_refused(rules, why, tmp_path, monkeypatch):
    (tmp_path / "config" / "games").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    text = f"game: own\nparameters: {{k: 1}}\ncoordinates: [a, b, c]\n{rules}\n"
    (tmp_path / "config" / "games" / "own.yaml").write_text(text)
    with pytest.raises(FamilyError, match=why):
        prove_family("game(own, k=k)", "k >= 1", p_positions="a ^ b == 0")
