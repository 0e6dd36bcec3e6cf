"""Formulas as they are set mean what they say: LaTeX is read back by other rules, MathML is well-formed and says the same."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from choco_pipeline.formula import parse
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.formula.written.math_text import typeset
from choco_pipeline.formula.written.mathml import MathML
from tests.formula.drawn import (
    NAMES,
    NoValueError,
    absolute,
    formulas_of,
    literal,
    shifted,
    unhurried,
)
from tests.report.read_latex import Reader, as_latex


@unhurried
@given(formulas_of(), st.fixed_dictionaries({name: st.integers(-4, 9) for name in NAMES}))
@example(absolute(shifted(">>", literal(1), literal(0))), dict.fromkeys(NAMES, 0))
def test_latex_is_read_as_the_formula(drawn, env):
    meant = drawn.at(env)
    assume(meant is not None)
    text = typeset(parse(drawn.text), LaTeX())
    try:
        found = Reader(text, env).read()
    except (NoValueError, ZeroDivisionError):
        assume(False)  # a reader does not stop at the part that decides
    assert found == meant, text


@unhurried
@given(formulas_of())
def test_mathml_says_what_latex_says(drawn):
    formula = parse(drawn.text)
    root = ElementTree.fromstring(f"<math>{typeset(formula, MathML())}</math>")
    assert as_latex(root).replace(" ", "") == typeset(formula, LaTeX()).replace(" ", "")


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("k%4 == 3", r"k \equiv 3 \pmod{4}"),
        ("k%4 != 3", r"k \not\equiv 3 \pmod{4}"),
        ("k%4 == 4", r"k \bmod 4 = 4"),
        ("k%4 == -1", r"k \bmod 4 = - 1"),
        ("k%4 < 2", r"k \bmod 4 < 2"),
        ("(x+1)%k == y%k", r"x + 1 \equiv y \pmod{k}"),
        ("x%2 == y%3", r"x \bmod 2 = y \bmod 3"),
        ("(k%2)*3", r"(k \bmod 2) \cdot 3"),
        ("2*k**2 - k*k", "2 k^{2} - k^{2}"),
        ("2*2**n", r"2 \cdot 2^{n}"),
        ("not x < y", r"x \geq y"),
        ("not x < y < z", r"\text{not } (x < y < z)"),
        ("g(2*m+1) == 4*g(m)", r"g(2 m + 1) = 4 g(m)"),
        (
            "total(x12) == x >> 1",
            r"\mathit{total}(x_{12}) = \left\lfloor \frac{x}{2} \right\rfloor",
        ),
    ],
)
def test_notation(formula, shown):
    assert typeset(parse(formula, functions={"g", "total"}), LaTeX()) == shown
