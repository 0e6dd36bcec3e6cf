"""A game as somebody writes it down: the closed model of ``config/games/NAME.yaml``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from choco_pipeline.documents.model import Model

#: An automaton reads at most so many coordinates.
MOST_COORDINATES = 16
#: Kinds of moves, and amounts of one of them: each is a loop of a kernel, and a part of every sentence that is proved.
MOST_MOVES = MOST_AMOUNTS = 100

NAME = r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Written = Annotated[str, Field(min_length=1, max_length=2000)]


class GameMove(Model):
    """A kind of move. What then stands above its height falls to it."""

    lower: list[Word] = Field(
        min_length=1,
        max_length=MOST_COORDINATES,
        description="The coordinates that it lowers.",
        examples=[["a"], ["a", "b"]],
    )
    by: Literal["any", "each", "same"] | list[int | Written] | None = Field(
        default=None,
        description="How much it takes: `any` amounts, not all 0; at least 1 from `each`; the `same` from each; or a list:"
        " the same from each, and one of these, which are integers or formulas in the parameters. Needed where"
        " several coordinates are lowered.",
        examples=["same", [1, 3]],
    )
    at_most: int | Written | None = Field(
        default=None,
        description="A formula in the coordinates before the move, and in the parameters: no more is taken from any coordinate.",
        examples=["(c+1)//2"],
    )
    clip: bool = Field(
        default=True,
        description="`false`: the move is allowed only where nothing would stand above its height.",
    )


class GameFile(Model):
    """A game of one's own."""

    game: Name = Field(
        description="The game's name, which is the file's: letters, digits and hyphens.",
        examples=["example"],
    )
    parameters: dict[Word, int] = Field(
        default={},
        description="Integers that formulas may use, and what they are where nothing else is said.",
        examples=[{"k": 4}],
    )
    coordinates: list[Word] = Field(
        min_length=1,
        max_length=MOST_COORDINATES,
        description="The coordinates, natural numbers, in the order in which positions hold them.",
        examples=[["a", "b", "c"]],
    )
    heights: dict[Word, int | Written] = Field(
        default={},
        description="The largest legal values of coordinates: integers, or formulas in coordinates that have none or an"
        " integer. They never fall. Other coordinates are bounded by the table only.",
        examples=[{"c": "(a+b)//k"}],
    )
    moves: list[GameMove] = Field(
        min_length=1,
        max_length=MOST_MOVES,
        description="The kinds of moves.",
        examples=[[{"lower": ["a"]}]],
    )
    ends: Written | None = Field(
        default=None,
        description="A condition on positions: where it holds there is no move.",
        examples=["a+b <= 1"],
    )
