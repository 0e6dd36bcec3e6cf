"""Hypothesis strategies: games of one's own, with any names in any order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hypothesis import strategies as st

from choco_pipeline import DisjunctiveSum, Nim, Ruleset, StepBar, WithPass
from choco_pipeline.formula import Formula, parse
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Limit, Move, Rules, with_free_heap


@dataclass(frozen=True, eq=False)
class OwnGame(Ruleset):
    """A game of one's own: a description and nothing else."""

    description: Rules

    @cached_property
    def rules(self) -> Rules:
        """The description."""
        return self.description

    @property
    def notation(self) -> str:
        """The description; nothing reads it back."""
        return repr(self.description)


#: Names of coordinates in no order that a kernel could rely on.
NAMES = ("u", "b", "y", "p", "i")
#: Heights of one coordinate and of two, and what a move may take at most, of coordinates A and B.
LIMITS_OF_ONE = ["A//2", "(A+1)//3", "A+1", "min(A, 2)", "3", "A//2*2"]
LIMITS_OF_TWO = ["(A+B)//2", "max(A, B)//2", "A//2+B//3", "min(A, B)", "(A+2*B)//3", "2"]
MOST = ["(A+1)//2", "A//2", "2", "B+1", "A-1", "(A+B)//2", "3-B"]
ENDS = ["A+B <= 1", "A == B", "A % 2 == 1 and B > 1", "A == 0", "B >= 3"]


def _of(draw: st.DrawFn, texts: list[str], names: list[str]) -> Formula:
    """Draw a formula, with drawn coordinates for A and B."""
    text = draw(st.sampled_from(texts))
    for letter in "AB":
        text = text.replace(letter, draw(st.sampled_from(names)))
    return parse(text)


@st.composite
def moves(draw: st.DrawFn, names: list[str], end: Formula | None) -> Move:
    """Draw a kind of move of these coordinates."""
    lowers = draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=3))
    amounts = st.lists(st.integers(1, 5), unique=True, min_size=1, max_size=3).map(tuple)
    return Move(
        tuple(lowers),
        by=draw(st.one_of(st.sampled_from(["any", "each", "same"]), amounts)),
        at_most=_of(draw, MOST, names) if draw(st.integers(0, 3)) == 0 else None,
        clips=draw(st.sampled_from([True, True, False])),
        unless=end,
    )


@st.composite
def descriptions(draw: st.DrawFn) -> Rules:
    """Draw a game: one to four coordinates, limits, moves, and an end of play."""
    names = list(draw(st.permutations(NAMES)))[: draw(st.integers(1, 4))]
    split = draw(st.integers(1, len(names)))
    sides, limited = names[:split], names[split:]
    limits = {
        name: Limit(FormulaHeight(parse(str(draw(st.integers(0, 4)))), ()))
        for name in sides
        if draw(st.integers(0, 4)) == 0
    }
    for name in limited:
        of = tuple(draw(st.permutations(sides))[: draw(st.integers(1, 2))])
        text = draw(st.sampled_from(LIMITS_OF_ONE if len(of) == 1 else LIMITS_OF_TWO))
        for letter, other in zip("AB", of, strict=False):
            text = text.replace(letter, other)
        limits[name] = Limit(FormulaHeight(parse(text), of), of)
    order = tuple(draw(st.permutations(names)))
    end = _of(draw, ENDS, names) if draw(st.integers(0, 4)) == 0 else None
    kinds = [Move((name,), unless=end) for name in order]
    if draw(st.booleans()):
        kinds = draw(st.lists(st.one_of(st.sampled_from(kinds), moves(names, end)), max_size=4))
    return with_free_heap(Rules(order, limits, tuple(kinds)))


@st.composite
def own_games(draw: st.DrawFn) -> Ruleset:
    """Draw a game of one's own, with at most five coordinates."""
    game: Ruleset = OwnGame(draw(descriptions()))
    if len(game.coordinates) <= 3 and draw(st.integers(0, 3)) == 0:
        game = WithPass(game, draw(st.integers(1, 2))) if draw(st.booleans()) else game
        other = OwnGame(draw(descriptions().filter(lambda rules: len(rules.coordinates) == 1)))
        game = DisjunctiveSum(game, draw(st.sampled_from([other, Nim(1), StepBar(2)])))
    passes = draw(st.sampled_from([0, 0, 1, 2]))
    return WithPass(game, passes) if passes else game


@st.composite
def own_games_with_bounds(draw: st.DrawFn) -> tuple[Ruleset, int]:
    """Draw a game of one's own, and a bound with some thousand positions at most."""
    game = draw(own_games())
    most = {1: 12, 2: 9, 3: 6, 4: 4, 5: 3}.get(len(game.coordinates), 2)
    return game, draw(st.integers(0, most))
