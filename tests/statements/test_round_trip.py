"""The canonical text of a statement parses to the same statement."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.statements.parse import Names, parse_proposition
from choco_pipeline.statements.tree import children, math_of, rebuilt, text_of, walk
from tests.docs.pages import DOCS
from tests.formula.drawn import unhurried
from tests.statements.drawn import GAMES, statements

games = st.sampled_from(sorted(GAMES)).map(GAMES.__getitem__)


@given(data=st.data(), game=games)
@unhurried
def test_the_text_of_a_statement_parses_to_it(data, game):
    drawn = data.draw(statements(game))
    names = Names(game.coordinates, frozenset({"k"}))
    assert parse_proposition(text_of(drawn), names) == drawn
    assert math_of(drawn, MathNotation())
    assert rebuilt(drawn, lambda part: part) == drawn
    assert all(child in walk(drawn) for child in children(drawn))


#: The examples of docs/statements.md are about games with coordinates such as these, or about integers.
COORDINATES = (("x", "y", "z"), ("x", "y", "z", "p"), ("a", "b"), ())
EXAMPLES = re.findall(
    r"^\| `(.+?)` \| [A-Z]", (DOCS / "statements.md").read_text("utf-8"), re.MULTILINE
)


def test_the_page_has_twenty_examples():
    assert len(EXAMPLES) == 20


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_page_are_statements(example):
    parsed = []
    for coordinates in COORDINATES:
        names = Names(coordinates, frozenset({"s", "N"}))
        try:
            parsed.append(parse_proposition(example, names))
        except FormulaError:
            continue
        assert parse_proposition(text_of(parsed[-1]), names) == parsed[-1]
    assert parsed


def test_a_name_with_an_index_is_written_in_one_way():
    names = Names(("a", "b"))
    said = "let v = 1: {a + v: P and size <= 3} == {v, 5}", "every k1 in 0..3: a <= k1 => P"
    written = [math_of(parse_proposition(text, names), MathNotation()) for text in said]
    assert "{v₁ : v₁ = v" in written[0]
    assert "v1" not in written[0]
    assert written[1].count("k₁") == 2
