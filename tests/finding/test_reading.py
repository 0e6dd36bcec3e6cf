"""Found statements judged by the benchmark: true ones are, wrong ones have a counterexample."""

from pathlib import Path

import pytest

from benchmarks.finding import search
from benchmarks.finding.case import Decoy
from benchmarks.finding.formulas import UndefinedError, UnreadError, value
from benchmarks.finding.pictures import wrong_finding
from benchmarks.finding.reading import Reading, kind_of
from benchmarks.finding.trial import Effort, counterexample, wrong
from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.finding.heights import classified_all

SMALL = Effort(cells=1 << 14, times=1)
STEP, STRIP = "step-bar(k=k, s=s)", "with-pass(strip-bar(k=k, s=s), passes=1)"
SQUARE = "rectangular-bar(m=m, n=m)"


def claim(ruleset, statement, when=None, **more):
    entry = {"id": "one", "ruleset": ruleset, "statement": statement, "when": when, **more}
    return Claim(Statement.model_validate(entry))


def place(ruleset, statement, when=None, bound=12, effort=SMALL, **point):
    return wrong(claim(ruleset, statement, when), point, bound, effort)


#: Ruleset, a true statement, parts of it with what makes it wrong, and parameters.
STATEMENTS = [
    ("nim(2)", "P <=> a ^ b == 0", [("0", "1"), ("^", "+")], {}),
    ("nim(2)", "G == a ^ b", [("^", "|")], {}),
    ("nim(2)", "P <=> P(b, a)", [("P(b, a)", "P(b, a+1)"), ("P(b, a)", "P(b-1, a)")], {}),
    ("nim(2)", "a > 0 => (P <=> a-1 == b-1 and b > 0)", [("a > 0 =>", "a > 1 => not")], {}),
    ("nim(2)", "G != 0 => some option: G' == 0", [("!= 0", ">= 0"), ("some", "no")], {}),
    ("nim(2)", "a > 0 => some option by a: a' == 0 and b' == b", [("by a", "by b")], {}),
    ("nim(2)", "count(option: P') <= 1", [("<= 1", "< 1"), ("P'", "not P'")], {}),
    ("nim(2)", "every option: a'+b' < a+b", [("a'+b' <", "1+a'+b' <")], {}),
    ("nim(2)", "every i in 0..a: i < G => (some option: G' == i)", [("i < G", "i <= G")], {}),
    (
        "nim(2)",
        "every i in 0..a: count(position: size <= i and P) == i+1",
        [("== i+1", "== i"), ("<= i", "< i")],
        {},
    ),
    ("nim(2)", "count(position: size <= 3 and G == 1) == 4", [("== 4", "== 3")], {}),
    ("nim(2)", "every position: size <= 3 => G <= 3", [("G <= 3", "G < 3")], {}),
    ("nim(2)", "option(u, v) <=> u < a and v == b or u == a and v < b", [("u < a", "u <= a")], {}),
    ("nim(2)", "at (2, 3): option(2, 1) and G == 1", [("(2, 1)", "(1, 1)"), ("== 1", "== 2")], {}),
    ("nim(3)", "P <=> G[nim(2)](a, b) == c", [("(a, b)", "(a, c)"), ("== c", "== a")], {}),
    ("nim(2)", "let d = a-b: P <=> d == 0", [("a-b", "a+b")], {}),
    ("nim(2)", "G(2, 3) == 1 and G(5, 9) == 12", [("12", "13")], {}),
    ("nim(2)", "{a ^ b: P} == {v: v == 0}", [("v == 0", "v == 1"), ("^", "+")], {}),
    ("nim(2)", "{a+b: P} <= {v: v % 2 == 0}", [("% 2", "% 4")], {}),
    ("nim(2)", "{a: P and size <= 4} == {0..4}", [("0..4", "0..5"), ("0..4", "0..3")], {}),
    (STEP, "G == (y ^ (z+s))-s", [("-s", ""), ("^", "+")], {"k": 2, "s": 1}),
    (
        STEP,
        "G == G[step-bar(k=k, s=s-1)](y, z+1)-1",
        [("-1", "-1-1"), ("z+1", "z+2"), ("s=s-1", "s=s-2"), ("y, z+1", "y+1, z+1")],
        {"k": 3, "s": 3},
    ),
    (
        STRIP,
        f"p >= 1 => (P <=> P[{STRIP}](max(((x+1) ^ 1)-1, 0), y, z, p-1))",
        [("((x+1) ^ 1)-1", "x ^ 1"), ("max(((x+1) ^ 1)-1, 0)", "x")],
        {"k": 3, "s": 2},
    ),
    (
        "solid-bar(f=(x+z)//k+1)",
        "P <=> P[solid-bar(f=(x+z)//k)](x+(k-k//2), y, z+(k-k//2))",
        [("(x+(k-k//2)", "(x+k//2-1"), ("//k)]", "//(k+1))]"), ("y, z+", "y+1, z+")],
        {"k": 4},
    ),
    (SQUARE, "P <=> (i-1) ^ (m-i) ^ (j-1) ^ (m-j) == 0", [("(m-j)", "j")], {"m": 7}),
    (SQUARE, "count(position: P and i > 0) == 16", [("16", "15")], {"m": 4}),
    (SQUARE, "P <=> P[rectangular-bar(m=m, n=m)](j, i)", [("(j, i)", "(j, 1)")], {"m": 6}),
    (SQUARE, "a >= 0 => (P <=> a ^ b ^ c ^ d == 0)", [("^ d", "")], {"m": 4}),
]


@pytest.mark.parametrize(("ruleset", "statement", "others", "point"), STATEMENTS)
def test_statements_are_judged(ruleset, statement, others, point):
    assert place(ruleset, statement, **point) is None
    for old, new in others:
        if old in statement:
            assert place(ruleset, statement.replace(old, new), **point) is not None, (old, new)


def test_other_parameters_are_tried():
    one = claim(STEP, "G == (y ^ (z+s))-s", "k % 2 == 0")
    found = Reading(STEP, kind_of(one), {"k": [2, 4], "s": [0, 1]}, (one,))
    assert {"k": 12, "s": 3} in found.points()
    assert not any(point["k"] % 2 for point in found.points())
    assert counterexample(found, 12, SMALL) is not None, "s = 3 at k = 2"
    narrower = claim(STEP, "G == (y ^ (z+s))-s", "k % 2 == 0 and s < k")
    assert (
        counterexample(Reading(STEP, "grundy", {"k": [2], "s": [0]}, (narrower,)), 12, SMALL)
        is None
    )


def test_integers_are_exact():
    assert value("2**100+1 == 2**100") is False
    assert place("nim(1)", "2**(a+90)+1 != 2**(a+90)") is None
    assert place("nim(1)", "2**(a+90)+1 == 2**(a+90)") == "(0,)"
    with pytest.raises(UndefinedError):
        value("3 % k", k=0)


def test_guards_are_obeyed():
    assert place("nim(2)", "a == 0 or b//a*a <= b") is None
    assert "undefined" in place("nim(2)", "b//a*a <= b")
    assert place("nim(2)", "a > 0 and b > 0 => (P <=> P(a-1, b-1))") is None
    assert "undefined" in place("nim(2)", "a > 0 => (P <=> P(a-1, b-1))")


def test_what_cannot_be_judged_is_told():
    with pytest.raises(UnreadError):
        place("sum(nim(1), nim(1))", "P <=> a == b")


def found_in(game, what, bound=24, **parameters):
    quantity = "grundy" if game == STEP else "p-positions"
    given = {"games": game, "parameters": parameters, "bound": bound, "quantity": quantity}
    case = Decoy(id="one", search=what, why="-", **given)
    document = search.run(case, 0, load_catalogue([])).document
    return [Reading.of(one) for one in document.statements]


@pytest.mark.parametrize("game", ["nim(3)", SQUARE.replace("m=m, n=m", "m=64, n=64")])
def test_pictures_and_counts_are_judged(game):
    """What is found is right, and wrong with another term or relation."""
    findings = [one.finding for one in found_in(game, ["counts", "cellular", "blocks"])]
    findings = [one for one in findings if one is not None]
    assert {one.kind for one in findings} == {"count", "cellular", "blocks"}
    for finding in findings:
        if finding.kind == "blocks" and finding.copies:
            continue
        assert wrong_finding(finding, 10, Path()) is None, finding
        match finding.kind:
            case "count":
                first = finding.relations[0]
                worse = first.model_copy(update={"formula": f"{first.formula}+1"})
                change = {"relations": (worse,)}
            case "cellular":
                change = {"terms": finding.terms[1:]}
            case _:
                relation = next(one for one in finding.relations if one.terms)
                change = {"relations": (relation.model_copy(update={"terms": ()}),)}
        assert wrong_finding(finding.model_copy(update=change), 10, Path()) is not None, finding


@pytest.mark.full
def test_height_functions_are_judged():
    found = [Reading.of(one) for one in classified_all(2, 2).statements]
    assert [one.kind for one in found] == ["heights"] * len(found) != []
    for one in found:
        assert counterexample(one, 0, SMALL) is None, one.line
    (census,) = (one for one in found if "counts" in one.picture)
    (name, boxes), *_ = census.picture["counts"].items()
    box = {**boxes[0], "functions": boxes[0]["functions"] + 1}
    wrong_one = Reading("", "heights", {}, picture={"counts": {name: [box]}})
    assert counterexample(wrong_one, 0, SMALL) is not None


@pytest.mark.parametrize(
    ("game", "what", "parameters"),
    [
        ("solid-bar(f=x//2+z//2)", ["value-sets"], {}),
        ("solid-bar(f=max(x, z)//2)", ["formulas"], {}),
        pytest.param(
            "solid-bar(f=(x+z)//k)", ["value-sets"], {"k": "1..16"}, marks=pytest.mark.full
        ),
        pytest.param(STEP, ["formulas"], {"k": "1..3", "s": "0..4"}, marks=pytest.mark.full),
    ],
)
def test_no_found_statement_is_false(game, what, parameters):
    found = found_in(game, what, bound=48 if game == STEP else 24, **parameters)
    assert found
    for one in found:
        assert one.is_refuted or counterexample(one, 24, SMALL) is None, one.line
