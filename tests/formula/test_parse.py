"""What is a formula, what is not, and how a formula is written."""

import pickle
import re
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choco_pipeline.formula import Formula, FormulaError, parse

from .drawn import formulas_of, unhurried

SIGNS = ["+", "-", "*", "//", "%", "<<", ">>", "&", "^", "|", "**"]
PAIRS = [f"x {a} y {b} z" for a in SIGNS for b in SIGNS]
PAIRS += [f"-x {a} -y {b} -z" for a in SIGNS for b in SIGNS]
CONDITIONS = ["x == 1 or y == 1 and z == 1", "not x == y and y == z", "not x < 1 or not y < z"]
CONDITIONS += [f"x {sign} y == z" for sign in SIGNS] + ["x < y <= z", "+x + +3 == -y**2"]


@pytest.mark.parametrize("text", [*PAIRS, *CONDITIONS])
def test_precedence_is_pythons(text):
    formula, meaning = parse(text), compile(text, "", "eval")
    for place in product(range(-1, 4), repeat=3):
        env = dict(zip("xyz", place, strict=True))
        try:
            meant, found = eval(meaning, env.copy()), formula.value(env)
        except (ZeroDivisionError, ValueError, TypeError, FormulaError):
            continue  # there is no value; Python has 0.5 for 2**-1, which it cannot shift
        assert found == meant, place


@pytest.mark.parametrize(
    ("text", "brackets"),
    [
        ("x ⊕ y ≤ 3·z", "(x ^ y) <= (3*z)"),
        ("x ≠ y or x ≥ z", "(x != y) or (x >= z)"),
        ("(x == 1 or y == 1) or z == 1", "x == 1 or (y == 1 or z == 1)"),
        ("\n x\t+\r\n3 ", "x+3"),
    ],
)
def test_signs_of_print_and_junctions(text, brackets):
    assert parse(text) == parse(brackets)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("( x+z ) // 3", "(x+z)//3"),
        ("(x+s)^y^(z+s)^p==0", "(x+s) ^ y ^ (z+s) ^ p == 0"),
        ("x + s ^ y", "(x+s) ^ y"),
        ("2 * x ^ y", "2*x ^ y"),
        ("x & y ^ z", "(x & y) ^ z"),
        ("x - (y - z)", "x-(y-z)"),
        ("x+-1", "x+(-1)"),
        ("-(-3)", "-(-3)"),
        ("6 ** (n-1)", "6**(n-1)"),
        ("(4**n + 6**n) // 2", "(4**n+6**n)//2"),
        ("x**(y**z)", "x**y**z"),
        ("(x**y)**z", "(x**y)**z"),
        ("(-2)**-n", "(-2)**(-n)"),
        ("-2**n", "-2**n"),
        ("2**-1", "2**(-1)"),
        ("2 ** n ^ x", "2**n ^ x"),
        ("-(x*y)", "-(x*y)"),
        ("0≤s<k", "0 <= s < k"),
        ("min( x,y )", "min(x, y)"),
        ("(x<1 or y<1)and not(z<1)", "(x < 1 or y < 1) and not z < 1"),
        ("(x==1 and y==1) or z==1", "x == 1 and y == 1 or z == 1"),
    ],
)
def test_canonical_text(text, canonical):
    assert parse(text).text == str(parse(text)) == canonical
    assert repr(parse(text)) == f"Formula({canonical!r})"


@unhurried
@given(formulas_of())
def test_canonical_text_says_the_same(drawn):
    formula = parse(drawn.text)
    again = parse(formula.text)
    assert again == formula, f"{drawn.text!r} is written {formula.text!r}"
    assert hash(again) == hash(formula)
    assert again.text == formula.text
    assert pickle.loads(pickle.dumps(formula)) == formula


#: Texts that are no formula, by the column of the mistake.
REFUSED = [
    (1, ["", "min(x)", "**2", "~x", "[x for x in y]", "'x'", "\0", "é + 1", "٣ + 1", "1.5"]),
    (1, ["0x10", "1or 2", "lambda: 1", "True", "__import__('os')", "maxx(x, y)", "x or y == 1"]),
    (1, ["9" * 1500]),
    (2, ["3(x)", "x)", "()", "x, y", "x/2", "x.real", "x[0]", "(x < y) == z"]),
    (3, ["x y", "1+v2(x, y)", "x = 3", "x ! 2", "x := 3", "x \\\n+ y", "x if y else z"]),
    (3, ["x not in y", "-(x < y)"]),
    (4, ["x +", "x***2", "x* *2", "x**not y", "x**2.0"]),
    (5, ["x + * y", "2 + (x", "abs()", "1 + min", "x**(y < 1)", "x + \ud800", "x + 1_000"]),
    (5, ["1 + not x == 2", "1 + open(x)", "min(*x)", "not x"]),
    (6, ["x == not y", "x + (y == 1)"]),
    (7, ["min(x,)"]),
    (10, ["min(x, (y, 3))", "x ≤ (y ⊕ √)"]),
    (11, ["min(x, key=y)"]),
    (12, ["x == 1 and y"]),
    (101, ["-" * 1999 + "x"]),
    (102, ["(" * 1000]),
    (200, ["1+" * 999 + "1"]),
    (301, ["2**" * 600 + "2"]),
    (401, ["abs(" * 300 + "x" + ")" * 300, "not " * 400 + "x == 1"]),
    (2000, ["a<" * 999 + "a"]),
    (2001, ["9" * 2001]),
]


@pytest.mark.parametrize(
    ("column", "text"),
    [(column, text) for column, texts in REFUSED for text in texts],
    ids=lambda value: ascii(value)[:30],
)
def test_a_refusal_has_the_place_and_survives_pickling(column, text):
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert (caught.value.text, caught.value.column) == (text, column)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.text, copy.column) == (str(caught.value), text, column)


@pytest.mark.parametrize(
    ("text", "meant"), [("x = 3", "=="), ("x/2", "//"), ("!x", "not"), ("maxx(x, y)", "max")]
)
def test_what_was_meant_is_guessed(text, meant):
    with pytest.raises(FormulaError, match=rf'\(did you mean "{meant}"\?\)'):
        parse(text)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(FormulaError, match=r'names are height, x, z .did you mean "height"'):
        parse("x + hight", names={"x", "z", "height"})
    with pytest.raises(FormulaError, match="no names are allowed"):
        parse("q", names=[])
    with pytest.raises(FormulaError, match=r"functions are min, max, abs, v2, log2, g$"):
        parse("h(1)", functions=["g"])


def test_what_python_nests_deepest_is_a_formula():
    deep = "-(" * 49 + "x" + ")" * 49
    assert parse(deep).value({"x": 7}) == -7
    flat = " or ".join(f"x == {n}" for n in range(150))
    assert parse(flat).value({"x": 149}) is True


FRAGMENTS = [
    *"xyz0123 ()+-*%^&|<>=!,.~'_⊕≤\n",
    *["//", "<<", ">>", "**", "==", "min(", "v2(", "if"],
]
FRAGMENTS += [" and ", " or ", " not ", "lambda "]


@unhurried
@given(st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
@example("(" * 150 + "x" + ")" * 150)
@example("- " * 900 + "x")
def test_any_text_is_a_formula_or_a_formula_error(text):
    refusal = None
    try:
        formula = parse(text)
    except FormulaError as error:
        refusal = error
    if refusal is None:
        assert isinstance(formula, Formula)
        assert parse(formula.text) == formula
    else:
        assert refusal.text == text
        assert 1 <= refusal.column <= len(text) + 1
        assert re.search(rf"at column {refusal.column}\b|at most", str(refusal))
