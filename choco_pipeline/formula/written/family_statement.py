"""Statements on a family of games as sentences, always with their domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Literal

from choco_pipeline.formula.formula import Formula, parse
from choco_pipeline.formula.nodes import Compare, Name, render
from choco_pipeline.formula.written.math_text import MathNotation, index_of, typeset


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence: words, a formula in a notation, or code."""

    text: str
    kind: Literal["words", "formula", "code"] = "words"


@dataclass(frozen=True)
class FamilyStatement:
    """The P-positions or Grundy numbers of all members of a family of games.

    No field has a default: a statement without its domain cannot be made.
    """

    #: The notation of the games, with names for the parameters.
    ruleset: str
    parameters: Sequence[str]
    #: The condition on the parameters.
    condition: str
    coordinates: Sequence[str]
    #: The condition on the positions; "" for all positions.
    where: str
    kind: Literal["p-positions", "grundy"]
    relation: str

    def phrases(self, notation: MathNotation) -> Iterator[Phrase]:
        """Yield the sentence in a notation, without its full stop."""
        yield Phrase("For all integers ")
        yield from _joint_comparison(self.parameters, ">=", "0", notation)
        natural = {parse(f"{name} >= 0") for name in self.parameters}
        others = [part for part in parse(self.condition).conjuncts if part not in natural]
        if others:
            condition = reduce(partial(Formula.joined, "and"), others)
            yield from (Phrase(" with "), Phrase(typeset(condition, notation), "formula"))
        yield from (Phrase(" such that "), Phrase(self.ruleset, "code"), Phrase(" is a game: "))
        is_grundy = self.kind == "grundy"
        yield Phrase("the Grundy number of a position " if is_grundy else "a position ")
        names = [notation.name(*index_of(name)) for name in self.coordinates]
        yield Phrase(notation.listed(names), "formula")
        if self.where:
            yield Phrase(" with ")
            yield from where_phrases(self.where, notation)
        yield Phrase(" is " if is_grundy else " is a P-position if and only if ")
        yield Phrase(typeset(parse(self.relation), notation), "formula")

    @property
    def text(self) -> str:
        """The sentence as plain text, without its full stop."""
        return "".join(phrase.text for phrase in self.phrases(MathNotation()))


def where_phrases(where: str, notation: MathNotation) -> Iterator[Phrase]:
    """Yield a condition on positions; coordinates with the same bound are joined.

    Examples
    --------
    >>> "".join(phrase.text for phrase in where_phrases("x <= k//2 and y <= k//2", MathNotation()))
    'x, y ≤ ⌊k/2⌋'
    """
    parts = parse(where).conjuncts
    bounded = {}
    for part in parts:
        match part.root:
            case Compare(("<=",), (Name(name), bound)):
                bounded[name] = render(bound)
            case _:
                pass
    if len(bounded) == len(parts) and len(set(bounded.values())) == 1:
        yield from _joint_comparison(list(bounded), "<=", bounded.popitem()[1], notation)
    else:
        yield Phrase(typeset(parse(where), notation), "formula")


def _joint_comparison(
    names: Sequence[str], sign: str, bound: str, notation: MathNotation
) -> Iterator[Phrase]:
    """Yield names, separated by commas, and one comparison for all of them."""
    *others, last = [notation.name(*index_of(name)) for name in names]
    for name in others:
        yield from (Phrase(name, "formula"), Phrase(", "))
    right = typeset(parse(bound), notation)
    yield Phrase(notation.row([last, notation.sign(sign), right]), "formula")
