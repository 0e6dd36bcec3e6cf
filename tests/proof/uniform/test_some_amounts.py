"""Families whose moves take only some amounts: cases of `test_families`, and changed certificates."""

import json

import pytest

from choco_pipeline.proof.lemmas import FamilyGame
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.uniform.parametric_rules import describe
from tests.checker.families.mutations import changed, lists_without_one, of_sums
from tests.checker.families.program import status_of
from tests.proof.uniform.judged import certificate_of

FULL = pytest.mark.full
pytestmark = pytest.mark.usefixtures("games_with_amounts")


def g(formula):
    return {"grundy": formula}


def p(formula):
    return {"p_positions": formula}


AT_MOST, ONE_AND = "game(at-most, k=k)", "game(two, a=1, b=k)"
HEAPS = "sum(game(at-most, k=k), game(at-most, k=j))"
TRIPLE, BAR, ROWS = "game(three, a=1, b=2, c=k)", "game(bar, k=k, m=m)", "game(rows, k=k, m=1)"
EVEN, ODD = "k % 2 == 0 and k >= 1", "k % 2 == 1"
FLIPPED = "z + (y%2)*(1-2*(z%2))"
#: In every run the first five of these are proved; in full runs all.
TRUE = [
    (AT_MOST, "k >= 1", g("x % (k+1)")),
    (AT_MOST, "k >= 1", p("x % (k+1) == 0")),
    (ONE_AND, EVEN, g("x%(k+1)%2 + 2*(x%(k+1)//k)")),
    # An amount of 0 makes no game, so that k = 0 is no member.
    ("game(two, a=k, b=2*k)", "k >= 0", g("x//k % 3")),
    (BAR, "k >= 1 and k <= m", g("(z-k*y) % (m+1)")),
    (AT_MOST, "k >= 0", p("x % (k+1) == 0")),  # there is no game for k = 0
    ("game(at-most, k=k+j)", "k >= 1", g("x % (k+j+1)")),
    ("game(at-most, k=k//2)", "k >= 2", g("x % (k//2+1)")),
    ("game(both, k=k)", "k >= 2", g("x % 2")),
    (ONE_AND, ODD, g("x % 2")),
    (ONE_AND, EVEN, p("x%(k+1)%2 == 0 and x%(k+1) < k")),
    (ONE_AND, EVEN, g("max(x%(k+1)%2, x%(k+1)-k+2)")),
    ("game(two, a=k, b=3*k)", "k >= 1", g("x//k % 2")),
    ("game(two, a=k, b=k+1)", "k >= 1", g("x % (2*k+1) // k")),
    ("game(two, a=j, b=k)", "1 <= j and j <= k and k <= 2*j", g("x % (j+k) // j")),
    ("game(three, a=1, b=j, c=k)", "j % 2 == 1 and k % 2 == 1", p("x % 2 == 0")),
    (TRIPLE, "k % 3 != 0", g("x % 3")),
    (TRIPLE, "k % 3 == 0 and k >= 1", g("max(x%(k+1)%3, x%(k+1)-k+3)")),
    ("sum(game(at-most, k=k), nim(1))", "k >= 1", p("x % (k+1) == a")),
    ("sum(game(at-most, k=k), nim(1))", "k >= 1", p("(x % (k+1)) ^ a == 0")),
    (HEAPS, "k >= 1 and j >= 1", p("x1 % (k+1) == x2 % (j+1)")),
    (ROWS, EVEN, g(FLIPPED)),
]
#: In every run the first four of these are searched without tables.
FALSE = [
    (AT_MOST, "k >= 2", p("x % k == 0")),
    (AT_MOST, "k >= 1", g("x % (k+2)")),
    (AT_MOST, "k >= 1", p("x % (k+1) <= max(0, k-40)")),
    (ONE_AND, "k % 2 == 1 or k == 100", g("x % 2")),
    (AT_MOST, "k >= 1", g("x % (k+1) + max(0, x-999)")),
    (ONE_AND, "k >= 1", g("x % 2")),
    (ONE_AND, EVEN, g("x % 2")),
    (ONE_AND, EVEN, p("x%(k+1)%2 == 0")),
    ("game(two, a=k, b=2*k)", "k >= 1", g("x//k % 2")),
    ("game(two, a=j, b=k)", "1 <= j and j <= k and k <= 2*j+1", g("x % (j+k) // j")),
    ("game(two, a=j, b=k)", "j % 2 == 1 and k % 2 == 1", p("x % 2 == 0")),
    ("game(part, k=k)", "k >= 1", g("x % (k+1)")),
    (TRIPLE, "k >= 1", g("x % 3")),
    ("sum(game(at-most, k=k), nim(1))", "k >= 1", p("x % (k+2) == a")),
    (BAR, "k >= 1 and k <= m+1", g("(z-k*y) % (m+1)")),
    (ROWS, "k >= 1", g(FLIPPED)),
    ("game(rows, k=k, m=m)", "k % 2 == 0 and k >= 1 and m % 2 == 1", g(FLIPPED)),
]  # fmt: skip


#: And why.
OUTSIDE = [
    (AT_MOST, "k >= 1", {**p("x % (k+1) == 0"), "where": "x <= k"}, "some amounts"),
    (AT_MOST, "k >= 1", p("x ^ k ^ 1 == 0"), "nim-sums"),
    ("game(two, a=k, b=2*k)", "k >= 1", g("(x//k)//k"), "products of several"),
    (AT_MOST, "k >= 0", g("x % (k-1)"), "at least 1"),
    (AT_MOST, "k == 0", g("x % (k+1)"), "no natural numbers"),
    (AT_MOST, "k >= 1", g("x % (k*k+1)"), "16 values"),
    (AT_MOST, "k >= 1", g("x % (x+1)"), "coordinates"),
    ("game(at-most, k=k*k)", "k >= 1", g("x % (k+1)"), "16 values"),
]


def marked(cases, *kept):
    """Return cases; those that are not kept are for full runs."""
    numbered = enumerate(cases)
    return [pytest.param(*case, marks=[] if i in kept else [FULL]) for i, case in numbered]


def test_lemmas_are_on_games_without_limits():
    notation = describe(AT_MOST).notation
    with pytest.raises(LemmaError, match="some amounts"):
        FamilyGame.read(notation)


#: A certificate of each kind.
CERTIFICATES = {
    "grundy": TRUE[0],
    "p": TRUE[1],
    "cases": TRUE[2],
    "scaled": TRUE[3],
    "bar": TRUE[4],
    "two": TRUE[14],
}


def certificate(name):
    ruleset, condition, asked = CERTIFICATES[name]
    return certificate_of(ruleset, condition, **asked)


def with_moves(document, *moves):
    (name, game), *_ = document["games"].items()
    return {**document, "games": {name: {**game, "moves": [*moves]}}}


def of_formula(**entries):
    return lambda document: document["cases"][0]["formula"].update(entries)


def forged(name, change):
    document = certificate(name)
    if callable(change):
        change(document)
        return document
    if "formula" in change:
        return {**document, "relation": {**document["relation"], **change}}
    if "moves" in change:
        return with_moves(document, *change["moves"])
    return {**document, **change}


#: Another statement, other rules or other hints; in some only large members are wrong.
FORGED = {
    "grundy": [
        *({"formula": f"x % {d}"} for d in ("(k+2)", "k", "(k+1+min(max(k-99, 0), 1))")),
        *({"formula": f"x % (k+1) {more}"} for more in ("+ 1", "+ max(0, x-10**6)")),
        {"formula": "x"},
        {"ruleset": "game(at-most, k=k+1)"},
        {"ruleset": "game(at-most, k=max(k, 2*k-99))"},
        {"ruleset": "sum(game(at-most, k=k), nim(1))"},
        *(
            {"moves": [{"lower": ["x"], **move}]}
            for move in (
                {},
                {"at_most": "k+1"},
                {"at_most": "k-1"},
                {"at_most": "min(k, x//2+1)"},
                {"at_most": "max(k, x-10**6)"},
                {"at_most": "k", "by": [1, 2]},
                {"at_most": "k", "by": ["k"]},
                {"at_most": "x//k"},
            )
        ),
        {"where": "x <= k"},
        {"verdict": "refuted"},
        of_formula(floors=[]),
        of_formula(floors=[{"terms": {"x": {"1": 1}}, "constant": {}, "divisor": {"k": 1}}]),
        of_formula(floors=[{"terms": {"x": {"1": 1}}, "constant": {}, "divisor": {"1": 0}}]),
        of_formula(factors=[]),
        of_formula(factors=["position(x)"]),
        of_formula(options=[]),
        lambda document: document["cases"][0].update(formula=None),
    ],
    "p": [
        *({"formula": f} for f in ("x % k == 0", "x % (k+1) == 1", "x % (k+1) <= 0 or x > 10**6")),
        {"formula": "x % (k+1) == max(0, k-99)"},
        {"formula": "not x % (k+1)"},
        {"formula": "(x % (k+1)) ^ (k//99) == 0"},
        {"formula": "(x % (k+1)) ^ 1 == 0"},
        {"moves": [{"lower": ["x"], "at_most": "k+1"}]},
        {"moves": [{"lower": ["x"]}]},
        of_formula(options=[{"move": "x", "fallen": [], "changed": {"x": {"position(x)": 1, "1": -1}}}]),
        of_formula(options=[{"move": "x", "fallen": [], "changed": {"x": {"option1(x)": 1}}}]),
    ],
    "cases": [
        {"for": "k >= 1"},
        {"for": "k % 2 == 0 or k == 101"},
        {"formula": "x%(k+1)%2 + 2*(x%(k+1)//(k-1))"},
        {"formula": "x%(k+1)%2 + 3*(x%(k+1)//k)"},
        {"moves": [{"lower": ["x"], "by": ["a", "b+1"]}]},
        {"moves": [{"lower": ["x"], "by": ["a", "b+min(max(b-99, 0), 1)"]}]},
        {"moves": [{"lower": ["x"], "by": ["a"]}]},
        {"moves": [{"lower": ["x"], "by": []}]},
        {"moves": [{"lower": ["x"], "by": ["b"]}]},
        {"moves": [{"lower": ["x"], "by": ["a", "b", "k"]}]},
    ],
    "two": [
        {"for": "1 <= j and k <= 2*j"},
        {"for": "1 <= j and j <= k and k <= 2*j + 1"},
        {"ruleset": "game(two, a=j, b=k+1)"},
        of_formula(factors=["k"]),
        of_formula(factors=["j"]),
    ],
    "bar": [
        {"for": "k >= 1 and k <= m + 1"},
        {"formula": "(z-k*y) % (m+2)"},
        {"formula": "(z-y) % (m+1)"},
        {"moves": [{"lower": ["y"], "at_most": 2}, {"lower": ["z"], "at_most": "m", "clip": False}]},
        {"moves": [{"lower": ["y"], "at_most": 1}, {"lower": ["z"], "at_most": "m"}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "at_most": "m", "clip": False}]},
        {"moves": [{"lower": ["y"], "at_most": 1}, {"lower": ["z"], "clip": False}]},
    ],
}  # fmt: skip
CHANGES = [(name, change) for name, changes in FORGED.items() for change in changes]


@pytest.mark.parametrize(("name", "change"), marked(CHANGES, *range(0, len(CHANGES), 3)))
@pytest.mark.usefixtures("without_members")
def test_the_conditions_alone_refuse_a_forged_certificate(name, change, verdict):
    assert status_of(verdict, forged(name, change)) in ("undecided", "no certificate")


@FULL
@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_a_forged_certificate_is_refused(name, change, verdict):
    assert status_of(verdict, forged(name, change)) != "proved"


def mutants(document):
    """Yield a certificate with one number, option or lemma changed, or one left out, and what was changed."""
    for c, case in enumerate(document["cases"]):
        here = ("cases", c, "formula")
        yield from lists_without_one(document, (*here, "options"), "options")
        for key in ("floors", "options", "quotients"):
            yield from of_sums(document, (*here, key), key)
        for name in case["formula"]["lemmas"]:
            yield from lists_without_one(document, (*here, "lemmas", name), "lemmas")
            yield "lemmas: none", changed(document, (*here, "lemmas", name), lambda _: [])
        for key in ("parameters", "conditions"):
            yield from of_sums(document, ("cases", c, key), key)


@pytest.mark.parametrize("name", ["p", *(pytest.param(n, marks=FULL) for n in sorted({*CERTIFICATES} - {"p"}))])  # fmt: skip
def test_a_changed_certificate_is_refused_or_another_proof(name, verdict):
    """A lemma that solvers do without, or a case with a condition that holds anyway, may be otherwise."""
    refused = 0
    for kind, mutant in mutants(certificate(name)):
        status = status_of(verdict, mutant)
        assert status in ("proved", "undecided", "no certificate"), kind
        refused += status != "proved"
        assert status != "proved" or kind.partition(":")[0] in {
            "lemmas",
            "conditions",
            "options",
        }, kind
    assert refused > 3


def test_the_checker_prints_the_amounts(verdict):
    found = verdict(certificate("bar"))
    assert "lowers z by at least 1, each at most m" in found["statement"][0]
    found = verdict(certificate("two"))
    assert "lowers x by one of j, k" in found["statement"][0]
    assert len(found["alone"]) == 3


def test_a_name_in_an_amount_is_a_parameter_of_the_game(verdict):
    document = json.loads(
        json.dumps(certificate("grundy")).replace('"at_most": "k"', '"at_most": "j"')
    )
    assert status_of(verdict, document) == "no certificate"
