"""The judge of statements says what the definition says, with the same least counterexample."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from choco_pipeline.claims.checks.board import Board
from choco_pipeline.claims.checks.evaluation import Evaluation
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    Verdict,
)
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.statements.meaning import UndefinedError, World
from choco_pipeline.statements.tree import Proposition, ValueSet
from tests.formula.drawn import unhurried
from tests.statements.drawn import GAMES, PRINTED, K, statements

games = st.sampled_from(sorted(GAMES)).map(GAMES.__getitem__)


def by_definition(said: Proposition, game: Ruleset, bound: int) -> list[Position] | None:
    """Return the counterexamples up to a bound, the least first; None if the statement has no meaning there."""
    try:
        return list(World(game, bound, {"k": K}, PRINTED).counterexamples(said))
    except (FormulaError, UndefinedError):
        return None


def judged(said: Proposition, game: Ruleset, bound: int, reach: int | None = None) -> Verdict:
    return judge(said, Evaluation(Board(game), bound, {"k": K}, PRINTED), reach).verdict


@given(data=st.data(), game=games, bound=st.integers(K, 4))
@unhurried
def test_a_verdict_is_that_of_the_definition(data, game, bound):
    bound = bound if len(game.coordinates) == 2 else K
    said = data.draw(statements(game), label="statement")
    wrong, verdict = by_definition(said, game, bound), judged(said, game, bound)
    event(type(verdict).__name__)
    if wrong is None:
        assert isinstance(verdict, Undecided)
    elif isinstance(said, ValueSet):
        pass  # its counterexamples are values
    elif wrong:
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position in (None, (), wrong[0])
    else:
        assert isinstance(verdict, Exhausted | HoldsToBound | Vacuous) or (
            "satisfies its premise" in verdict.reason
        )
