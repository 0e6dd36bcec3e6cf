"""A text that is no statement is refused at the column of the mistake."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError
from choco_pipeline.statements.parse import (
    KEYWORDS,
    MAX_DEPTH,
    MAX_LENGTH,
    Names,
    parse_proposition,
)
from choco_pipeline.statements.tree import text_of
from tests.formula.drawn import unhurried

XY = Names(("x", "y"), frozenset({"k"}))


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("x", 1),
        ("x = 3", 3),
        ("x == ", 5),
        ("x == 1 == ", 10),
        ("x == and P", 6),
        ("x == 03", 6),
        ("x == 1.5", 7),
        ("x == $", 6),
        ("x == (y", 6),
        ("x == y)", 7),
        ("x == w", 6),
        ("x == True", 6),
        ("lambda == 1", 1),
        ("x == 1 and True", 12),
        ("_0_ + G == 2", 1),
        (f"x == {'9' * 5000}", 6),
        ("x == y => P => P'", 13),
        ("P <=> P => P", 9),
        ("P => P <=> P", 8),
        ("not", 4),
        ("P and", 6),
        ("P or or P", 6),
        ("P P", 3),
        ("(P)(P)", 2),
        ("(P + 1) == 2", 2),
        ("P == 1", 3),
        ("P(x)", 1),
        ("P(x, y, k) => P", 1),
        ("P[nim(2)]", 10),
        ("P[nim(2)", 2),
        ("P[nim(q)](x, y)", 2),
        ("P[no such game](x, y)", 2),
        ("G", 1),
        ("G(x, y == 1) == 1", 6),
        ("x' == 1", 1),
        ("P'", 1),
        ("G' == 1", 1),
        ("some option: w' == 1", 14),
        ("some option: count(position: x' == 1) == 1", 30),
        ("some option: at (0, 0): P'", 25),
        ("(some option: P') and P'", 23),
        ("some option by w: P'", 16),
        ("some option x == 1", 13),
        ("every n in 0..3 P", 17),
        ("every n 0..3: P", 9),
        ("every x in 0..3: P", 7),
        ("every k in 0..3: P", 7),
        ("every size in 0..3: P", 7),
        ("every n in 0..G: P", 15),
        ("every n in 0..3, n in 0..3: P", 18),
        ("every n in 0..n: P", 15),
        ("(every n in 0..3: P) and n == 1", 26),
        ("for n in 0..3: let n = 2: P", 20),
        ("let n: P", 6),
        ("let n = 2, m = l: P", 16),
        ("at (1): P", 1),
        ("option(x)", 1),
        ("option(q, r) or (every q in 0..2: P)", 8),
        ("(every q in 0..2: P) or option(q, r)", 32),
        ("option(q, x) => P", 1),
        ("every cell (q): P", 7),
        ("(x, y) in 3", 11),
        ("printed(1) == 1", 1),
        ("count(P) == 1", 7),
        ("count(position: P)", 1),
        ("count(position: P == 1", 19),
        ("{x: P}", 7),
        ("{x: P} != {v: v > 1}", 8),
        ("{x: P} == {", 12),
        ("{x: P} == {v: P}", 15),
        ("{x: P} == {v: v > x}", 15),
        ("{x: P} == {v}", 12),
        ("P and {x: P} == {1}", 7),
        ("{x: P} == {1}; {y: P} == {1}", 1),
        ("{P: x == 1} == {1}", 2),
        ("x == 1; ; P", 9),
        ("some option: every option: P'", 20),
        ("every option: count(option: P') == 1", 21),
    ],
)
def test_a_mistake_is_found_at_its_column(text, column):
    with pytest.raises(FormulaError) as error:
        parse_proposition(text, XY)
    assert (error.value.text, error.value.column) == (text, column), error.value


@pytest.mark.parametrize("text", ["P", "G == 1", "size <= 1", "count(position: 1 == 1) == 1"])
def test_statements_about_integers_know_no_game(text):
    with pytest.raises(FormulaError, match="needs a game, and none is given"):
        parse_proposition(text, Names((), frozenset({"N"})))


def test_a_coordinate_cannot_have_a_word_of_the_language_for_a_name():
    for word in KEYWORDS:
        with pytest.raises(FormulaError, match="cannot be a name"):
            parse_proposition("1 == 1", Names((word,)))


WORDS = ["x", "y", "k", "q", "x'", "0", "12", "v", "nim(2)", "(", ")", "[", "]", "{", "}", ":", ";"]
WORDS += [",", "..", "==", "<=", "=>", "<=>", "+", "^", "//", "=", "'", "∈", "⊕", "min", "v2", "\n"]


@given(
    st.lists(st.sampled_from([*WORDS, *sorted(KEYWORDS)]), max_size=25).map(" ".join) | st.text()
)
@unhurried
def test_any_text_is_a_statement_or_refused(text):
    """And whatever is read has a text that is read as the same."""
    said = read(text)
    if isinstance(said, FormulaError):
        assert 1 <= said.column <= len(text) + 1
    else:
        assert parse_proposition(text_of(said), XY) == said


def read(text):
    try:
        return parse_proposition(text, XY)
    except FormulaError as error:
        return error


@pytest.mark.parametrize(
    "nested",
    [
        "({})",
        "not {}",
        "not ({})",
        "some n{n} in 0..1: {}",
        "P => ({})",
        "let n{n} = 1: {}",
        "at (0, 0): {}",
    ],
)
def test_statements_are_not_nested_for_ever(nested):
    def text(depth):
        said = "P"
        for n in range(depth):
            said = nested.format(said, n=n) if "{n}" not in nested else f"let n{n} = 1: {said}"
        return said

    said = parse_proposition(text(MAX_DEPTH // 2 - 1), XY)
    assert parse_proposition(text_of(said), XY) == said
    for depth in (2 * MAX_DEPTH, 500):
        with pytest.raises(FormulaError, match=f"at most {MAX_DEPTH} levels"):
            parse_proposition(text(depth), XY)


@pytest.mark.parametrize("text", ["-" * 7000 + "x == 1", "(" * 7000 + "x", "x**" * 2000 + "x == 1"])
def test_formulas_in_statements_are_not_nested_for_ever(text):
    with pytest.raises(FormulaError, match="nested"):
        parse_proposition(text, XY)


def test_many_definitions_are_one_level():
    listed = ", ".join(f"n{i} = {i}" for i in range(3 * MAX_DEPTH))
    said = parse_proposition(f"let {listed}: P", XY)
    assert parse_proposition(text_of(said), XY) == said


def test_statements_are_not_endless():
    longest = "x == 1" + " " * (MAX_LENGTH - 6)
    assert parse_proposition(longest, XY) == parse_proposition("x == 1", XY)
    with pytest.raises(FormulaError, match=f"at most {MAX_LENGTH}"):
        parse_proposition(longest + " ", XY)
