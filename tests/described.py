"""Hypothesis strategies: games that no paper has, by their descriptions, with every kind of move, limit and end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hypothesis import strategies as st

from choco_pipeline import DisjunctiveSum, Ruleset, WithPass
from choco_pipeline.formula import parse
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Limit, Move, Rules

#: Heights of one coordinate, of two, and of none.
HEIGHTS = {1: ["{}//2", "({}+1)//3", "2*{}"], 2: ["({}+{})//2", "max({}, {})"], 0: ["2"]}


@dataclass(frozen=True)
class Described(Ruleset):
    """A game that is its description."""

    description: Rules

    @cached_property
    def rules(self) -> Rules:
        """As given."""
        return self.description

    @property
    def notation(self) -> str:
        """The description as Python shows it: it cannot be read back."""
        return f"described({self.description})"

    def __hash__(self) -> int:
        return hash(self.notation)


@st.composite
def limits(draw: st.DrawFn, names: list[str]) -> dict[str, Limit]:
    """Draw largest values of some coordinates; the others stay without."""
    limited = draw(st.lists(st.sampled_from(names), max_size=len(names) - 1, unique=True))
    free = [name for name in names if name not in limited]
    found = {}
    for name in limited:
        of = tuple(draw(st.lists(st.sampled_from(free), max_size=2, unique=True)))
        text = draw(st.sampled_from(HEIGHTS[len(of)])).format(*of)
        found[name] = Limit(FormulaHeight(parse(text), of), of)
    return found


@st.composite
def moves(draw: st.DrawFn, names: list[str]) -> Move:
    """Draw a kind of move."""
    lowers = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    a, b = (draw(st.sampled_from(names)) for _ in range(2))
    at_most = draw(st.sampled_from([None, None, f"({a}+1)//2", f"{b}-1", "1"]))
    unless = draw(st.sampled_from([None, None, None, f"{a}+{b} <= 1", f"{a} == {b}+1"]))
    return Move(
        tuple(lowers),
        draw(st.sampled_from(["any", "any", "each", "same", (1,), (1, 3), (2, 10**9)])),
        None if at_most is None else parse(at_most),
        draw(st.booleans()),
        None if unless is None else parse(unless),
    )


@st.composite
def described(draw: st.DrawFn) -> Ruleset:
    """Draw a game of one to four coordinates, maybe in a sum with another, maybe with passes."""
    number = draw(st.sampled_from([1, 2, 2, 3, 3, 4]))
    names = ["c", "b", "x", "a"][:number]
    rules = Rules(
        tuple(names),
        draw(limits(names)),
        tuple(draw(st.lists(moves(names), min_size=1, max_size=4, unique=True))),
    )
    game: Ruleset = Described(rules)
    if number <= 2 and draw(st.booleans()):
        game = DisjunctiveSum(game, draw(described_small))
    passes = draw(st.sampled_from([0, 0, 1, 2]))
    return WithPass(game, passes) if passes else game


described_small = st.sampled_from(["a", "y"]).map(
    lambda name: Described(Rules((name,), {}, (Move((name,), (1, 2)),)))
)
