"""Families that are theorems, false ones near them, and what is outside: for all parameters at once.

Each theorem is also compared with the definition, in plain Python, for small members.
"""

from pathlib import Path

import pytest

from choco_pipeline import grundy_table
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family import Family
from tests.proof.uniform import test_some_amounts as amounts
from tests.proof.uniform.judged import is_true, prove_family, proved_once, small_members

pytestmark = pytest.mark.usefixtures("games_with_amounts")

SUM, MORE = "solid-bar(f=(x+z)//k)", "solid-bar(f=(x+z+c)//k)"
STEP, STRIP = "step-bar(k=k, s=s)", "strip-bar(k=k, s=s)"
LARGEST, LEAST = "solid-bar(f=max(x, z)//k)", "solid-bar(f=min(x, z)//k)"
SIDES = "solid-bar(f=x//k+z//k)"
POWERS, BESIDE = "step-bar(k=k, s=u*2**t)", "strip-bar(k=k, s=u*2**t)"
PLUS, FLAT, SQUARE = (f"solid-bar(f={f})" for f in ("(x+z)//k+c", "z//k+c", "z//k+k"))
HEAP, BARS = "sum(step-bar(k=k, s=s), nim(1))", "sum(step-bar(k=k), step-bar(k=j))"
SAME = "sum(step-bar(k=k, s=s), step-bar(k=k, s=s))"
HEAPS = "sum(solid-bar(f=min(x, z)//k), nim(2))"
NIM, SHORT, EVEN = "x ^ y ^ z == 0", "k % 2 == 0 and s < k", "k % 2 == 0"
# ⌈c/2⌉ for k = 4m+3, ⌈c/2⌉ - 1 for k = 4m+1: four cases, with whether c is even, of which one is quick.
SHIFT, HALF = "(c+1)//2 - 1 + k%4//2", "c*(k+1)//2"
#: step2015, Theorem 3.2: its s are u·2^t with u < k.
FEW, SHIFTED = "k % 2 == 0 and u < k", "(y ^ (z+u*2**t)) - u*2**t"
#: Grundy numbers of step bars for odd k: where y+z and s are both even or both odd, and elsewhere.
HIGH, LOW = "(y+1)//2", "((2*k+1)*y-z-s+2*k-1)//(2*k)"
STEPS = f"z + (1-(y+z+s)%2)*({HIGH}) - (y+z+s)%2*max({HIGH}, {LOW})"
ODD = "k % 2 == 1 and s <= k"


def p(shift, where="", **more):
    """The P-positions with a shift of x and z."""
    return {"p_positions": f"(x+{shift}) ^ y ^ (z+{shift}) == 0", "where": where, **more}


def below(bound):
    return f"x < {bound} and z < {bound}"


def g(formula):
    return {"grundy": formula}


#: By how long they take: those of every run, one of each kind; those of full runs; slow ones.
TRUE = {
    "": [
        (SUM, "k % 4 == 1", p(-1)),  # triangular, Conjecture 8.1
        (STEP, SHORT, g("(y ^ (z+s)) - s")),  # step2015, Theorem 3.1
        (LARGEST, EVEN, p(0)),
        (SIDES, "k % 4 == 2", p(0, below("k+2"))),
        (PLUS, "k % 4 == 3 and c <= 1", p(HALF)),
        (HEAP, SHORT, {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
        (SUM, "k == 9", p(-1)),  # a part of what is true for more
        (POWERS, FEW, g(SHIFTED)),
        (BESIDE, FEW, p("u*2**t")),  # step2015, Theorem 3.1
        (SUM, "k % 4 == 2", {"p_positions": NIM, "where": "x <= k//2 + 1 and z < k//2"}),
        (SUM, "k >= 1", {"p_positions": NIM, "where": "x + z < k"}),
        *amounts.TRUE[:5],
    ],
    "full": [
        (SUM, "k % 4 == 3", p(0)),  # triangular, Theorem 7.3
        (STEP, "k % 2 == 0 and s <= k", g("(y ^ (z+s)) - s")),
        ("solid-bar(f=z//k)", EVEN, g("x ^ y ^ z")),
        (STRIP, SHORT, p("s")),
        (STRIP, SHORT, {"p_positions": "x == (y ^ (z+s)) - s"}),
        (MORE, "k % 4 == 3 and c % 2 == 0 and c <= k + 1", p("c//2")),
        (LEAST, EVEN, p(0)),
        (LEAST, EVEN, g("x ^ y ^ z")),
        (LARGEST, EVEN, g("x ^ y ^ z")),
        ("solid-bar(f=min(x//k, z//2))", EVEN, p(0)),
        (SIDES, "k % 4 == 2", p(2, below("4*k"))),
        (SIDES, "k % 4 == 3", p(1, below("2*k"))),
        (SIDES, "k % 4 == 1", p(-1, below("2*k+3"))),
        (SIDES, "k % 4 == 0", p(0, below("4*k"))),
        (SQUARE, "k == 2 or k == 4", p("k*k")),
        (SUM, "k & 3 == 1", p(-1)),
        (SUM, "k & 5 == 5 and k & 2 == 0", p(-1)),
        (SUM, "abs(k % 4 - 2) == 1 and k % 4 < 2", p(-1)),
        (SUM, "k % 97 == 3 and k % 4 == 3", p(0)),
        (SUM, "k % 4 == 3 and (k % 97 == 3 or k % 101 == 3)", p(0)),
        (STEP, "k % 2 == 0 and s % 300 == 100 and s < k", g("(y ^ (z+s)) - s")),
        (STEP, "k % 2 == 1 and (s <= k or s % 2 == 1 and s < 2*k)", g(STEPS)),
        (SUM, "k % 4 == 0", p(0, "x <= k//2 + 1 and z <= k//2 + 1")),
        (SUM, "k % 4 == 2", p(-1, "x <= k//2 and z <= k//2")),
        (POWERS, "k % 2 == 0 and u <= k", g(SHIFTED)),
        (POWERS, f"{FEW} and t >= 1", g(SHIFTED)),
        (POWERS, f"{FEW} and t == 2", g(SHIFTED)),
        (POWERS, "k == 4 and u == 3 and t % 2 == 1", g(SHIFTED)),
        ("step-bar(k=k, s=k*2**t+m*2**(t+1))", "k % 2 == 0 and 2*m < k", g("(y ^ (z+k*2**t+m*2**(t+1))) - k*2**t - m*2**(t+1)")),
        ("step-bar(k=k, s=2**(t+1))", EVEN, g("(y ^ (z+2*2**t)) - 2**(t+1)")),
        ("step-bar(k=k, s=t*2**t)", "k % 2 == 0 and t <= k", g("(y ^ (z+t*2**t)) - t*2**t")),
        (BESIDE, FEW, {"p_positions": f"x == {SHIFTED}"}),
        ("sum(step-bar(k=k, s=u*2**t), nim(1))", FEW, {"p_positions": "(a+u*2**t) ^ y ^ (z+u*2**t) == 0"}),
        ("nim(2)", "t >= 0", {"p_positions": "(a+2**t) ^ (b+2**t) == 0"}),
        *amounts.TRUE[5:],
    ],
    "slow": [
        (MORE, "k % 4 == 3 and c <= k + 1", p(SHIFT)),
        (MORE, "k % 4 == 1 and c <= k + 1", p(SHIFT)),
        (MORE, "k % 2 == 1 and c <= k + 1", p(SHIFT)),
        (SUM, "k == 7 or k == 23", p(0)),
        (STEP, "k == 6 and s < 4", g("(y ^ (z+s)) - s")),
        (SIDES, "k % 4 == 0", p(0, below("8*k"))),
        ("solid-bar(f=x//k+z//k+1)", "k % 4 == 0", p(0, below("2*k"))),
        (PLUS, "k % 4 == 1 and c <= 1", p(f"{HALF}-1")),
        (FLAT, "k % 2 == 0 and c <= 2", p("c*k")),
        (FLAT, "k % 4 == 0 and c <= 3", p("c*k")),
        ("step-bar(k=k, s=c*k)", "k % 2 == 0 and c <= 2", g("(y ^ (z+c*k)) - c*k")),
        (BARS, "k % 2 == 0 and j % 2 == 0", g("y1 ^ z1 ^ y2 ^ z2")),
        (SAME, SHORT, {"p_positions": "y1 ^ (z1+s) ^ y2 ^ (z2+s) == 0"}),
        (HEAPS, EVEN, g("x ^ y ^ z ^ a ^ b")),
        (SUM, "k % 997 == 3 and k % 4 == 3", p(0)),
        (SUM, "k % 1000 == 3", p(0)),
        (SUM, "k & 1000 == 968 and k & 7 == 3", p(0)),
        (SUM, "k % 4 == 3 and 900 < k and abs(k - 1000) >= 50", p(0)),
        # no member has a sum below 1,002
        (STEP, "k % 2 == 0 and s < k and s % 1000 == 500", g("(y ^ (z+s)) - s")),
        (STEP, ODD, g(STEPS)),
    ],
}  # fmt: skip

#: False, with a wrong constant, parity, height or bound.
#: The domain does not bound z, and so no height.
UNBOUNDED = (SIDES, "k % 16 == 0", p(1, "x >= 0"))
FALSE = {
    "": [
        (SUM, "k % 4 == 3", p(-1)),
        (SUM, "k % 4 == 1", p(0)),
        (SUM, "k % 4 == 2", p(0)),
        (SUM, "k % 2 == 1", p(0)),
        (SUM, "k % 4 == 1", p(1)),
        (SUM, "k % 4 == 1", {"p_positions": "(x-1) ^ y ^ z == 0"}),
        (STEP, "k % 2 == 1 and s < k", g("(y ^ (z+s)) - s")),
        (STEP, "k % 2 == 0 and s <= k + 1", g("(y ^ (z+s)) - s")),
        (STEP, SHORT, g("(y ^ (z+s)) - s + 1")),
        (STEP, SHORT, g("(y ^ (z+s+1)) - s - 1")),
        (STRIP, SHORT, {"p_positions": "(x+s) ^ y ^ (z+s+1) == 0"}),
        (MORE, "k % 4 == 1 and c % 2 == 0 and c <= k + 1", p("c//2")),
        (MORE, "k % 4 == 3 and c % 2 == 0 and c <= k + 1", p("c//2-1")),
        (LEAST, "k % 2 == 1", p(0)),
        (LARGEST, "k % 2 == 1", p(0)),
        (LARGEST, "k >= 1", g("x ^ y ^ z")),
        ("solid-bar(f=max(x, z)//k+1)", EVEN, p(0)),
        ("solid-bar(f=min(x, z)//k+1)", EVEN, p(0)),
        (LARGEST, EVEN, p(1)),
        (LARGEST, EVEN, g("(x ^ y ^ z) + 1")),
        *((SUM, condition, p(-1)) for condition in ("k & 3 == 3", "k & 2 == 0", "abs(k%4-2) == 1")),
        (SIDES, "k % 4 == 2", p(0, below("k+3"))),
        (SIDES, "k % 4 == 3", p(1, below("2*k+1"))),
        (SIDES, "k % 4 == 1", p(-1, below("2*k+4"))),
        (SIDES, "k % 4 == 0", p(0, below("8*k+1"))),
        (SIDES, "k % 4 == 0", p(1, below("4*k"))),
        (SIDES, "k % 4 == 2", p(0, below("4*k"))),
        (SIDES, "k % 2 == 0", p(0, below("4*k"))),
        (SIDES, "k % 2 == 1", p(1, below("2*k"))),
        (SUM, "k % 4 == 0", p(0, below("4*k"))),
        ("solid-bar(f=x//k+z//(2*k))", "k % 4 == 2", p(2, below("4*k"))),
        ("solid-bar(f=x//k+z//k+2)", "k % 4 == 0", p(1, below("2*k"))),
        UNBOUNDED,
        (PLUS, "k % 4 == 3 and c <= 2", p(HALF)),
        (PLUS, "k % 4 == 3 and c <= 1", p(f"{HALF}-1")),
        (PLUS, "k % 4 == 2 and c <= 1", p(HALF)),
        (FLAT, "k % 4 == 2 and c <= 3", p("c*k")),
        (FLAT, "k % 2 == 0 and c <= 2", p("c")),
        ("step-bar(k=k, s=c*k)", "k % 2 == 0 and c <= 3", g("(y ^ (z+c*k)) - c*k")),
        (SQUARE, "k == 2 or k == 6", p("k*k")),
        (SQUARE, "k == 3", p("k*k")),
        ("solid-bar(f=(x+z+2)//k+c)", "k % 4 == 3 and c <= 1", p(HALF)),
        ("solid-bar(f=z//k+2*c)", "k % 2 == 0 and c <= 2", p("c*k")),
        (HEAP, "k % 2 == 0 and s <= k + 1", {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
        (HEAP, SHORT, {"p_positions": "(a+s) ^ y ^ (z+s+1) == 0"}),
        (HEAP, "k % 2 == 1 and s < k", {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
        (SAME, SHORT, {"p_positions": "y1 ^ (z1+s) ^ y2 ^ (z2+s) == 1"}),
        (BARS, "k % 2 == 0 and j % 2 == 1", g("y1 ^ z1 ^ y2 ^ z2")),
        (HEAPS, "k % 2 == 1", g("x ^ y ^ z ^ a ^ b")),
        # its P-positions are x ^ y ^ z == 0, and its Grundy numbers no nim-sum
        (f"sum({SUM}, nim(1))", "k % 4 == 3", {"p_positions": "x ^ y ^ z == a"}),
        (STEP, "k % 2 == 1 and s <= k+1", g(STEPS)),
        (STEP, "k % 2 == 0 and k >= 2 and s < k", g(STEPS)),
        (STEP, ODD, g(STEPS.replace("y+z+s", "y+z+s+1"))),
        (STEP, ODD, g(STEPS.replace("max", "min"))),
        (POWERS, "k % 2 == 0 and u <= k + 1", g(SHIFTED)),
        (POWERS, "k % 2 == 0 and u == k + 1 and t >= 1", g(SHIFTED)),
        (POWERS, "k % 2 == 1 and u < k", g(SHIFTED)),
        (POWERS, FEW, g(f"{SHIFTED} + 1")),
        (POWERS, FEW, g("(y ^ (z+u*2**t+1)) - u*2**t - 1")),
        (POWERS, FEW, g("(y ^ (z+u*2**(t+1))) - u*2**(t+1)")),
        *((f"step-bar(k=k, s=u*2**t{more})", FEW, g(f"(y ^ (z+u*2**t{more})) - (u*2**t{more})")) for more in ("+1", "+u", "+t")),
        (BESIDE, "k % 2 == 0 and u <= k + 1", p("u*2**t")),
        ("nim(2)", "t >= 0", {"p_positions": "a ^ b == 2**t"}),
        ("step-bar(k=k, s=t*2**t)", "k % 2 == 0 and t <= k + 1", g("(y ^ (z+t*2**t)) - t*2**t")),
    ],
    "full": [
        (SUM, "k % 97 == 3 and k % 4 == 1", p(0)),
        (SUM, "k % 4 == 3 and k % 97 == 3 or k % 101 == 5", p(0)),
        (SUM, "k % 1000 == 3 or k == 6", p(0)),
        (SUM, "k & 1000 == 968 and k & 7 == 1", p(0)),
        ("solid-bar(f=(x+z+3)//k)", "k % 97 == 3 and k % 4 == 3", p(0)),
        (STEP, "k % 2 == 1 and s < k and s % 1000 == 500", g("(y ^ (z+s)) - s")),
        (SUM, "k % 4 == 1 and k >= 9", {"p_positions": "(x-1) ^ y ^ (z-1) == 1"}),
        (MORE, "k % 2 == 1 and c <= k + 2", p(SHIFT)),
        (MORE, "k % 2 == 1 and c == k + 2", p(SHIFT)),
        (SUM, "k == 5 or k == 6", p(-1)),
        (SUM, "k == 9 or k == 3", p(0)),
        (STEP, "k % 2 == 1 and s % 2 == 1 and s <= 2*k+1", g(STEPS)),
        (STEP, ODD, g(STEPS + " + 1")),
        (STEP, ODD, g(f"z + (1-(y+z+s)%2)*({HIGH}) - (y+z+s)%2*({HIGH})")),
        (STEP, ODD, g(f"z + (1-(y+z+s)%2)*({HIGH}) - (y+z+s)%2*({LOW})")),
        (STEP, ODD, g(STEPS.replace("+2*k-1", "+2*k-2"))),
        (STEP, ODD, g(STEPS.replace("(2*k+1)*y", "2*k*y"))),
    ],
}  # fmt: skip
#: Wrong for large members alone, so that the first tables agree with them.
LATE = [
    (SUM, "k % 4 == 3", p("0-min(max(k-99, 0), 1)")),
    (STEP, "k % 2 == 0 and s <= max(k, 2*k-70)", g("(y ^ (z+s)) - s")),
    (SUM, "k % 4 == 3 or k == 101", p(0)),
    (POWERS, "k % 2 == 0 and u < max(k, 2*k-70)", g(SHIFTED)),
    (STEP, "k % 2 == 1 and s == 0", g(f"{STEPS} + max(0, k-999*999)")),
    (SUM, "k % 8 == 4", p(0, below("(3*k+4)//2 + min(max(k-99, 0), 1)"))),
]


def marked(cases):
    """Return the cases of a table, with the marks that its keys name."""
    marks = {"full": [pytest.mark.full], "slow": [pytest.mark.slow]}
    return [
        pytest.param(*case, marks=marks.get(kind, [])) for kind in cases for case in cases[kind]
    ]


@pytest.mark.parametrize(("ruleset", "condition", "asked"), marked(TRUE))
def test_a_theorem_is_proved_by_both_solvers(ruleset, condition, asked):
    found = proved_once(ruleset, condition, **asked)
    assert (found.status, found.engines) == ("proved", ("z3", "cvc5")), found.why


@pytest.mark.parametrize(("ruleset", "condition", "asked"), [*marked(FALSE), *amounts.FALSE])
def test_a_false_family_is_refuted_where_it_is_wrong(ruleset, condition, asked):
    found = prove_family(ruleset, condition, **asked)
    assert found.status == "refuted"
    wrong = found.counterexample
    assert wrong is not None
    member = found.family.description.member(wrong.parameters)
    numbers = grundy_table(member, max(wrong.position))["grundy"]
    value = int(numbers.sel(dict(zip(member.coordinates, wrong.position, strict=True))))
    assert max(wrong.position) > 100 or value == member.grundy(wrong.position)
    assert value == wrong.value
    assert wrong.claimed != (value == 0 if "p_positions" in asked else value)


@pytest.mark.parametrize(
    ("ruleset", "condition", "asked"),
    marked(
        {
            "": [FALSE[""][0], LATE[0], FALSE[""][23], FALSE[""][28], *amounts.FALSE[:4]],
            "full": [
                *amounts.FALSE[4:],
                *LATE[1:],
                *(c for c in FALSE[""] if "where" in c[2] and c != UNBOUNDED),
            ],
            "slow": [c for c in (*FALSE[""], *FALSE["full"]) if c != UNBOUNDED],
        }
    ),
)
@pytest.mark.usefixtures("untried")
def test_a_false_family_is_not_proved_without_tables(ruleset, condition, asked):
    assert prove_family(ruleset, condition, **asked, seconds=8).status != "proved"


@pytest.mark.usefixtures("untried")
def test_a_bound_of_one_coordinate_alone_is_refused():
    ruleset, condition, asked = UNBOUNDED
    with pytest.raises(FamilyError, match="y is not bounded"):
        prove_family(ruleset, condition, **asked)


@pytest.mark.parametrize(("ruleset", "condition", "asked"), [*TRUE[""], *TRUE["full"], *TRUE["slow"]])  # fmt: skip
def test_small_members_agree_with_the_definition(ruleset, condition, asked):
    members = list(small_members(ruleset, condition))
    assert members or ruleset in (SUM, STEP)  # some of these have large members alone
    assert all(is_true(asked, *member) for member in members)


@pytest.mark.parametrize(("ruleset", "condition", "asked"), marked({"": [TRUE[""][1]], "full": [TRUE["full"][19], TRUE["full"][20]], "slow": TRUE["slow"][14:19]}))  # fmt: skip
def test_the_cases_are_the_parameters_with_the_condition(ruleset, condition, asked):
    kind = "grundy" if "grundy" in asked else "p-positions"
    family = Family.read(ruleset, condition, asked.get("grundy") or asked["p_positions"], kind)
    found, most = set(), 5000 if ruleset == SUM else 1200
    for case in family.cases():
        for m in range(most):
            for given in [{"m_k": m}] if ruleset == SUM else [{"m_k": m, "m_s": n, "s": n} for n in (0, 1)]:  # fmt: skip
                if case.holds(given):
                    found.add(tuple(case.parameters[n].value(given) for n in family.parameters))
    every = [(k,) for k in range(1, most)] if ruleset == SUM else []
    every += [(k, s) for k in range(1, most) for s in (0, 1, 100, 499, 500)] if not every else []
    holding = {v for v in every if eval(condition, dict(zip(("k", "s"), v, strict=False)))}
    assert holding
    assert holding >= {v for v in found if v in set(every)}
    assert ruleset != SUM or holding == {v for v in found if v in set(every)}


ONE = "solid-bar(f=(x+z)//(a*b))"


@pytest.mark.parametrize(
    ("ruleset", "condition", "asked", "why"),
    [
        ("sum(with-pass(step-bar(k=k)), nim(1))", "k >= 1", g("y ^ z ^ a"), "passes in one component"),
        ("with-pass(solid-bar(f=(x+z)//k), passes=r)", "k > 0", p(0), "a heap beside the game"),
        ("solid-bar(f=min(x, max(x, z))//k)", "k >= 1", p(0), "of several"),
        ("solid-bar(f=max(x//2, z)//k)", EVEN, p(0), "height"),
        ("rectangular-bar(m=m, n=n)", "m == n", {"p_positions": "a^b^c^d == 0"}, "on all positions"),
        ("step-bar(k=k)", "k >= 1", g("y * z"), "coordinates"),
        ("step-bar(k=k)", "k == 0", g("y ^ z"), "no natural numbers"),
        ("step-bar(k=k)", "k + 1", g("y ^ z"), "condition"),
        ("step-bar(k=k)", "k > 0", {"p_positions": "y ^ z"}, "condition"),
        ("step-bar(k=k)", "k > 0", g("y ^ w"), "'w'"),
        ("step-bar(k=k*k)", "k > 0", g("y ^ z"), "16 values"),
        # step2015, Theorem 3.2
        (STEP, "k % 2 == 0 and s % 2**t == 0 and s < k*2**t", g("(y ^ (z+s)) - s"), "not linear"),
        *(
            (f"step-bar(k=k, s=u*{power})", FEW, g(f"(y ^ (z+u*{power})) - u*{power}"), why)
            for power, why in (
                ("4**t", "not linear"),
                ("2**t*2**t", "16 values"),
                ("u*2**t", "16 values"),
                ("2**(2*t)", r"2\*\*\(t\+n\)"),
                ("2**t*2**j", "exponents j and t"),
            )
        ),
        (POWERS, FEW, {**g(SHIFTED), "where": "z < k"}, "condition on positions"),
        (POWERS, ODD.replace("s", "u"), g(STEPS.replace("s", "u")), "formula by cases"),
        ("step-bar(k=2**t)", "t >= 1", g("y ^ z"), "divisor"),
        ("step-bar(k=k*2**t)", EVEN, g("y ^ z"), "divisor"),
        ("step-bar(k=k, s=2**t-2)", EVEN, g("y ^ z"), "either sign"),
        ("solid-bar(f=(x+z+2**t)//k)", EVEN, p(0), "argument of a game"),
        (SUM, "k % 1031 == 3 and k % 4 == 3", p(0), "1031"),
        (SUM, "k % 4 == 3 and k % 97 != 5", p(0), "64 cases"),
        (SUM, "k & j == 3", p(0), "natural number"),
        (PLUS, "k % 4 == 3", p(HALF), "16 values"),
        (PLUS, "k % 4 == 3 and c <= 16", p(HALF), "16 values"),
        (SQUARE, EVEN, p("k*k"), "16 values"),
        (ONE, "a*b % 4 == 3", p(0), "16 values"),
        (SIDES, "k % 4 == 0", p(0), "a sum of quotients"),
        (SIDES, "k % 4 == 0", g("x ^ y ^ z"), "a sum of quotients"),
        (SIDES, "k % 4 == 0", {**g("x ^ y ^ z"), "where": below("3*k")}, "Grundy"),
        (SIDES, "k % 4 == 0", p(0, "x < k"), "bounded"),
        ("solid-bar(f=max(x, z)//k+x//k)", "k % 4 == 0", p(0, below("k")), "minima or maxima"),
        ("solid-bar(f=(x//1+z//1)//k)", "k % 4 == 0", p(0, below("k")), "quotients"),
        (SUM, "k % 4 == 2", p(0, "x <= k"), "bounded"),
        (SUM, "k % 4 == 2", p(0, "x <= k or z <= k"), "`and`"),
        (SUM, "k % 4 == 2", p(0, "x <= k*k"), "16 values"),
        (SUM, "k % 4 == 2", p(0, "x + 1"), "condition"),
        (SUM, "k % 4 == 2", {"p_positions": "x ^ z == 0", "where": below("k")}, "every coordinate"),
        (STEP, ODD, {**g(STEPS), "where": "z <= k"}, "Grundy"),
        (STEP, ODD, g("z + y//(s-1)"), "at least 1"),
        (STEP, ODD, g("z + y%s"), "at least 1"),
        (STEP, ODD, g("z + y%0"), "positive integer"),
        (STEP, ODD, g("z + 2*max(y, z)"), "minima or maxima"),
        (STEP, ODD, g("z + y//2 + y%4%3*(z%5)%7"), "choices"),
        (STEP, ODD, g("z*y"), "coordinates"),
        (STEP, ODD, g("z + abs(y-z)"), "are supported"),
        *amounts.OUTSIDE,
    ],
)  # fmt: skip
@pytest.mark.usefixtures("untried")
def test_what_is_outside_is_refused(ruleset, condition, asked, why):
    """Where no table refutes it, the part that is outside is named."""
    with pytest.raises(FamilyError, match=why):
        prove_family(ruleset, condition, **asked)


@pytest.mark.full
@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("k % 2 == 0 and u < k and s == u*2**t", "proved"),
        ("s == k*2**t + m*2**(t+1) and 2*m < k and k % 2 == 0", "proved"),
        ("k % 2 == 0 and u <= k + 1 and s == u*2**t", "refuted"),
        ("k == 2 and s == 2**t", "proved"),
        ("k == 2 and s == 3*2**t", "refuted"),
    ],
)
def test_a_parameter_may_be_given_as_a_multiple_of_a_power(condition, status):
    found = prove_family(STEP, condition, grundy="(y ^ (z+s)) - s")
    assert found.status == status
    assert "s" not in found.family.parameters


@pytest.mark.parametrize(
    ("ruleset", "condition", "why"),
    [
        (STEP, "u < k and s == u*2**t - 1", "not linear"),  # it may be negative
        (STEP, "u < k and (s == u*2**t or s == u)", "not linear"),
        (STEP, "u < k and s <= u*2**t", "not linear"),
        (STEP, "s == k*2**s", "not linear"),
        (STEP, "s == k*2**t and s >= 1", "not linear"),
        ("solid-bar(f=(x+z)//k)", "x == 2**t", "is a coordinate"),
    ],
)
@pytest.mark.usefixtures("untried")
def test_other_conditions_with_powers_are_refused(ruleset, condition, why):
    with pytest.raises(FamilyError, match=why):
        prove_family(ruleset, condition, p_positions="y == 0")


def test_a_part_that_may_be_negative_is_not_proved():
    """The height max(x - k, z) is one for every k."""
    found = prove_family("solid-bar(f=max(x-k, z)//2)", "k >= 0", **p(0))
    assert found.status in ("undecided", "refuted")


def test_cases_with_the_same_remainder_have_powers_too():
    found = prove_family(
        "step-bar(k=k, s=2**(t+4))", "k == 2 and t >= 0", **g("(y ^ (z+2**(t+4))) - 2**(t+4)")
    )
    assert (found.status, "same remainder" in found.why) == ("undecided", True)


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("moves: [{lower: {a: n + k}}]", "amounts"),
        ("moves: [{lower: [a], by: [1, k]}]", "nim-sums"),
        ("moves: [{lower: [a], at_most: k}]", "nim-sums"),
        ("moves: [{lower: [a], by: [bits(2)]}]", "bits"),
        ("moves: [{lower: [a], by: [[1], [k]]}]", "formulas"),
        ("moves: [{lower: [a], when: a > k}]", "condition"),
        ("moves: [{lower: [a], by: [1], split: a}]", "splits"),
        ("legal: a % 2 == k % 2\nmoves: [{lower: [a]}]", "legal"),
        ("play: misere\nmoves: [{lower: [a, b], by: [[1, k]]}]", "misère"),
        ("heights: {a: b // k, b: c}\nmoves: [{lower: [c]}]", "with a height"),
    ],
)
def test_rules_of_single_games_are_refused(rules, why):
    text = f"game: own\nparameters: {{k: 1}}\ncoordinates: [a, b, c]\n{rules}\n"
    Path("config/games/own.yaml").write_text(text)
    with pytest.raises(FamilyError, match=why):
        prove_family("game(own, k=k)", "k >= 1", p_positions="a ^ b ^ c == 0")
