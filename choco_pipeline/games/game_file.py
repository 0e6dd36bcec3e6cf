"""The model of game files, ``config/games/NAME.yaml``, and its reference page."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.reference import section

#: The largest number of coordinates that an automaton reads.
MOST_COORDINATES = 16
#: Largest numbers of kinds of moves, and of amounts of one kind: each one costs a loop of a kernel and a part of every proof.
MOST_MOVES = 100
MOST_AMOUNTS = 1000
#: Most numbers that a player chooses in one move, because all of their combinations are tried.
MOST_CHOSEN = 3

NAME = r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Written = Annotated[str, Field(min_length=1, max_length=2000)]
#: How amounts are chosen, if they are not listed.
Way = Literal["any", "each", "same"]


class GameMove(Model):
    """A kind of move. Afterwards, each coordinate above its height falls to it."""

    lower: list[Word] | dict[Word, int | Written] = Field(
        default=[],
        max_length=MOST_COORDINATES,
        description="The coordinates that it lowers; or, for each of them, the amount: a formula in numbers that the player"
        " chooses, in the coordinates before the move and in the parameters. Any word in it that is neither a coordinate nor"
        " a parameter is such a number.",
        examples=[["a"], {"a": "i", "b": "2*i"}],
    )
    by: Way | list[int | Written | list[int | Written]] | None = Field(
        default=None,
        description="With a list of coordinates: `any` amounts, not all 0; at least 1 from `each`; the `same` from each; or a"
        " list of amounts. An amount is an integer or a formula in the parameters, which is taken from each coordinate, or a"
        " list with one of these for each coordinate. `bits(s)` stands for all n such that the binary digit of 2^n in s, a"
        " formula, is 1. Needed where several coordinates are lowered.",
        examples=["same", [1, 3], [[1, 2], [2, 1]], ["bits(s)"]],
    )
    at_most: int | Written | None = Field(
        default=None,
        description="The largest amount from each coordinate: a formula in the coordinates before the move and the parameters.",
        examples=["(c+1)//2"],
    )
    where: Written | None = Field(
        default=None,
        description="A condition on the chosen numbers, the coordinates before the move, the parameters and the parts of a split.",
        examples=["i+j < 4"],
    )
    when: Written | None = Field(
        default=None,
        description="A condition on the position: the move is allowed only where it holds.",
        examples=["a > b"],
    )
    split: Word | dict[Word, Annotated[list[Word], Field(min_length=2, max_length=2)]] | None = (
        Field(
            default=None,
            description="A coordinate that is divided in two after the amounts are taken. This leaves two positions with the same"
            " other coordinates, and their sum is played. The two parts may have names, for `where`.",
            examples=["a", {"a": ["u", "v"]}],
        )
    )
    clip: bool = Field(
        default=True,
        description="`false`: the move is allowed only where no coordinate would be above its height.",
    )


class GameFile(Model):
    """A user-defined game."""

    game: Name = Field(
        description="The game's name, which is the file's: letters, digits and hyphens.",
        examples=["example"],
    )
    parameters: dict[Word, int] = Field(
        default={},
        description="Integers that formulas may use, with their default values.",
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
        description="The largest legal values of coordinates: integers, or monotone formulas in other coordinates. All other"
        " coordinates are limited by the bound of a table only.",
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
    legal: Written | None = Field(
        default=None,
        description="A condition that every position satisfies; moves that would violate it are not allowed.",
        examples=["a != b"],
    )
    play: Literal["normal", "misere"] = Field(
        default="normal",
        description="`normal`: the player without a move loses; `misere`: that player wins.",
    )


HEAD = """\
# User-defined games: reference

Made from the model in `choco_pipeline/games/game_file.py` by `choco schema --games --reference`; a test keeps them in step.
[games.md](games.md) explains these files by examples, [statements.md](statements.md) what a formula may say.
Editors that read YAML schemas find theirs in `config/games/schema.json`.
Any other key is an error.
"""


def games_reference() -> str:
    """Return the reference of all keys of a game's file, in Markdown."""
    schema, words = GameFile.model_json_schema(), {"GameMove": ("a move", "moves")}
    move = section("A move", schema["$defs"]["GameMove"], words)
    return "\n".join([HEAD, section("The file", schema, words), move])
