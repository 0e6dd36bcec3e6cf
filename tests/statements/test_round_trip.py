"""The canonical text of a statement parses to the same statement."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula.written.math_text import PlainText
from choco_pipeline.statements.parse import Names, parse_proposition
from choco_pipeline.statements.printer import math_of, text_of
from choco_pipeline.statements.tree import children, rebuilt, walk
from tests.formula.drawn import unhurried
from tests.statements.drawn import GAMES, statements

games = st.sampled_from(sorted(GAMES)).map(GAMES.__getitem__)


@given(data=st.data(), game=games)
@unhurried
def test_the_text_of_a_statement_parses_to_it(data, game):
    drawn = data.draw(statements(game))
    names = Names(game.coordinates, frozenset({"k"}))
    assert parse_proposition(text_of(drawn), names) == drawn
    assert math_of(drawn, PlainText())
    assert rebuilt(drawn, lambda part: part) == drawn
    assert all(child in walk(drawn) for child in children(drawn))
