"""Relations for the tests: two small ones, and those that the papers give by formulas."""

from __future__ import annotations

from choco_pipeline import Ruleset
from choco_pipeline.automata.algebra import renamed
from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import Automaton, Variable
from choco_pipeline.formula import parse
from choco_pipeline.proof.arithmetic.engine import Engine, automaton_of
from choco_pipeline.proof.arithmetic.logic import Exists, Linear, Sentence, conjunction
from choco_pipeline.proof.arithmetic.terms import condition
from choco_pipeline.proof.games.obligations import legal


def by_formula(game: Ruleset, text: str, *more: str) -> Automaton:
    """Return the positions of `game` (and further numbers named `more`) where the formula is true."""
    names = (*game.coordinates, *more)
    sentence = conjunction(condition(parse(text)), legal(game, game.coordinates))
    return renamed(automaton_of(sentence, {}), {name: str(i) for i, name in enumerate(names)})


def counterexample(
    sentence: Sentence, relations: dict[str, Automaton]
) -> dict[Variable, int] | None:
    """Return what our engine finds, asked for the first time."""
    return Engine(relations).counterexample(sentence)


def small() -> dict[str, Automaton]:
    """Return the even numbers, and the pairs (a, b) with a < 2b."""
    even = Exists(("h",), Linear((("0", 1), ("h", -2)), 0, "=="))
    return {"even": automaton_of(even, {}), "order": linear({"0": 1, "1": -2}, 0, "<")}


def small_sets(most: int) -> dict[str, set[tuple[int, ...]]]:
    """Return the same relations on 0 to `most`, listed."""
    numbers = range(most + 1)
    return {
        "even": {(a,) for a in numbers if a % 2 == 0},
        "order": {(a, b) for a in numbers for b in numbers if a < 2 * b},
    }
