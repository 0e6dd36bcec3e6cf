"""What is a formula, what is not, and how a formula is written."""

import pickle
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choco_pipeline.formula import Formula, FormulaError, parse

from .drawn import Drawn, formulas_of, unhurried


@pytest.mark.parametrize(
    ("text", "brackets"),
    [
        ("x+y*z", "x+(y*z)"),
        ("x-y-z", "(x-y)-z"),
        ("x//y*z%3", "((x//y)*z)%3"),
        ("-x*y", "(-x)*y"),
        ("-x//y", "(-x)//y"),
        ("x ^ y + 1", "x ^ (y+1)"),
        ("-x**y", "-(x**y)"),
        ("-3**2", "-(3**2)"),
        ("x**-y**z", "x**(-(y**z))"),
        ("x**y**z", "x**(y**z)"),
        ("x*y**z*2", "(x*(y**z))*2"),
        ("x ** 2 ^ y ** 3", "(x**2) ^ (y**3)"),
        ("x | y ^ z & 3", "x | (y ^ (z & 3))"),
        ("x & y << 1", "x & (y << 1)"),
        ("x << y + 1", "x << (y+1)"),
        ("x >> y << z", "(x >> y) << z"),
        ("x ^ y == z", "(x ^ y) == z"),
        ("not x == y and y == z", "(not (x == y)) and (y == z)"),
        ("x == 1 or y == 1 and z == 1", "(x == 1) or ((y == 1) and (z == 1))"),
        ("x ⊕ y ≤ 3·z", "(x ^ y) <= (3*z)"),
        ("x ≠ y or x ≥ z", "(x != y) or (x >= z)"),
        ("(x == 1 or y == 1) or z == 1", "x == 1 or (y == 1 or z == 1)"),
        ("+x + +3", "x+3"),
        ("\n x\t+\r\n3 ", "x+3"),
    ],
)
def test_precedence_is_pythons(text, brackets):
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
def test_canonical_text_says_the_same(drawn: Drawn):
    formula = parse(drawn.text)
    again = parse(formula.text)
    assert again == formula, f"{drawn.text!r} is written {formula.text!r}"
    assert hash(again) == hash(formula)
    assert again.text == formula.text
    assert pickle.loads(pickle.dumps(formula)) == formula


ANOTHER = r"a number, a name or a function is needed"

REFUSED = [
    ("", 1, "the formula ends at column 1"),
    ("x +", 4, ANOTHER),
    ("x + * y", 5, rf'"\*" at column 5: {ANOTHER} before it'),
    ("x y", 3, '"y" at column 3: an operator is needed before it'),
    ("3(x)", 2, "an operator is needed before it"),
    ("2 + (x", 5, r'"\(" at column 5 is never closed'),
    ("x)", 2, "no parenthesis to close"),
    ("()", 2, ANOTHER),
    ("x, y", 2, "commas stand only between the arguments of a function"),
    ("min(x, (y, 3))", 10, "commas"),
    ("min(x,)", 7, ANOTHER),
    ("min(x)", 1, "min at column 1 is given 1: it needs 2 or more arguments"),
    ("1+v2(x, y)", 3, "v2 at column 3 is given 2: it needs one argument"),
    ("abs()", 5, ANOTHER),
    ("1 + min", 5, '"min" at column 5 is a function'),
    ("x ≤ (y ⊕ √)", 10, '"√" at column 10'),
    ("x = 3", 3, r'"=" at column 3: operators are .* \(did you mean "=="\?\)'),
    ("x/2", 2, r'did you mean "//"\?'),
    ("x***2", 4, rf'"\*" at column 4: {ANOTHER} before it'),
    ("x* *2", 4, rf'"\*" at column 4: {ANOTHER} before it'),
    ("**2", 1, rf'"\*\*" at column 1: {ANOTHER} before it'),
    ("x**(y < 1)", 5, r'"\*\*" needs an integer'),
    ("x**not y", 4, "put parentheses"),
    ("x**2.0", 4, "decimal integers"),
    ("2**" * 600 + "2", 301, "nested too deeply"),
    ("x ! 2", 3, r'"!" at column 3: operators are \+ - \* // % \*\* '),
    ("x := 3", 3, '":="'),
    ("~x", 1, '"~"'),
    ("x.real", 2, r'"\."'),
    ("x[0]", 2, r'"\["'),
    ("[x for x in y]", 1, r'"\["'),
    ("'x'", 1, '"\'"'),
    ("x \\\n+ y", 3, r'"\\\\?"'),
    ("\0", 1, r'"\\x00"'),
    ("x + \ud800", 5, r'"\\ud800"'),
    ("é + 1", 1, '"é"'),
    ("٣ + 1", 1, '"٣"'),
    ("1.5", 1, "numbers are decimal integers"),
    ("x + 1_000", 5, "decimal integers"),
    ("0x10", 1, "decimal integers"),
    ("1or 2", 1, "decimal integers"),
    ("lambda: 1", 1, '"lambda" at column 1 cannot be a name'),
    ("x if y else z", 3, '"if" at column 3'),
    ("True", 1, '"True"'),
    ("x not in y", 3, '"not" at column 3: an operator is needed'),
    ("1 + not x == 2", 5, '"not" at column 5: put parentheses'),
    ("x == not y", 6, "put parentheses"),
    (
        "__import__('os')",
        1,
        'call to "__import__" at column 1: functions are min, max, abs, v2, log2$',
    ),
    ("1 + open(x)", 5, 'call to "open" at column 5: functions are'),
    ("maxx(x, y)", 1, r'did you mean "max"\?'),
    ("min(*x)", 5, ANOTHER),
    ("min(x, key=y)", 11, '"="'),
    ("x + (y == 1)", 6, '"y == 1" at column 6 is true or false: "\\+" needs an integer'),
    ("-(x < y)", 3, "needs an integer"),
    ("(x < y) == z", 2, '"==" needs an integer'),
    ("x == 1 and y", 12, '"y" at column 12 is an integer: "and" needs a comparison'),
    ("not x", 5, '"not" needs a comparison'),
    ("x or y == 1", 1, '"or" needs a comparison'),
    ("9" * 1500, 1, "at most 4096 are allowed"),
    ("9" * 2001, 2001, "at most 2000 are allowed"),
    ("a<" * 999 + "a", 2000, "when written out"),
    ("(" * 1000, 102, "parentheses may be nested 100 deep"),
    ("-" * 1999 + "x", 101, "at most 100 levels"),
    ("1+" * 999 + "1", 200, "at most 100 levels"),
    ("abs(" * 300 + "x" + ")" * 300, 401, "at most 100 levels"),
    ("not " * 400 + "x == 1", 401, "at most 100 levels"),
]


@pytest.mark.parametrize(
    ("text", "column", "message"), REFUSED, ids=lambda value: ascii(value)[:30]
)
def test_refusals_name_what_was_found_and_where(text, column, message):
    with pytest.raises(FormulaError, match=message) as caught:
        parse(text)
    assert caught.value.column == column
    assert caught.value.text == text
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.text, copy.column) == (str(caught.value), text, column)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(
        FormulaError,
        match=r'name "hight" at column 5: names are height, x, z \(did you mean "height"\?\)',
    ):
        parse("x + hight", names={"x", "z", "height"})
    with pytest.raises(FormulaError, match='name "q" at column 1: no names are allowed'):
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
