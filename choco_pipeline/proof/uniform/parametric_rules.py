"""The rules of a family of games, as formulas in parameters.

The formulas are those in the description of the game, with the arguments of the ruleset substituted for its parameters. All else,
such as the kinds of moves, is equal for all members and read from one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.nodes import (
    Name,
    Node,
    names_of,
    substitute,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Ruleset
from choco_pipeline.games.description import described
from choco_pipeline.games.game_file import GameMove
from choco_pipeline.games.notation import (
    OWN,
    GameName,
    Notation,
    as_written,
    build,
    read,
)
from choco_pipeline.games.rules import Amounts
from choco_pipeline.games.ruleset import fresh_name
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.passes import split_passes
from choco_pipeline.proof.uniform.solved_parameter import exponents

#: Tried values of parameters in the search for a member (the first value usually suffices), and limit of tried tuples.
TRIED, MOST_TRIED = (10007, 1, 2, 3, 5, 0, 100), 400
#: Names in obligations that coordinates cannot have.
RESERVED = frozenset({"target", "constant", "value"})
#: Limit of parameters.
MOST_PARAMETERS = 8
#: The heights of y in the bars of the papers, in their parameters and coordinates.
HEIGHTS = {"step-bar": "(z+s)//k", "strip-bar": "(z+s)//k"}


@dataclass(frozen=True)
class ParametricRules:
    """The rules of all members of a family."""

    #: The ruleset as written, with parameters.
    notation: Notation
    #: Names of the parameters, sorted.
    parameters: tuple[str, ...]
    #: Names of the coordinates, without the passes left.
    coordinates: tuple[str, ...]
    #: Heights of limited coordinates, as formulas in coordinates and parameters.
    heights: Mapping[str, Node]
    #: For each kind of move: the lowered coordinate, the coordinates whose heights depend on it, and whether these are clipped.
    moves: tuple[tuple[str, tuple[str, ...], bool], ...]
    #: The descriptions of the user-defined games in the ruleset.
    documents: Mapping[str, Any]
    #: The allowed amounts of coordinates with a list of amounts, as formulas in parameters.
    listed: Mapping[str, tuple[Node, ...]]
    #: The largest amounts of coordinates with such a limit, as formulas in parameters and coordinates.
    most: Mapping[str, Node]
    #: The coordinate of the passes left, if the game has passes.
    passes: tuple[str, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether a move has restricted amounts."""
        return bool(self.listed or self.most)

    def member(self, values: Mapping[str, int]) -> Ruleset:
        """Return the game with these parameters."""
        return build(self.notation, values, Path.cwd())


#: Cache of rules by notation. Rules from a file are not cached, because the file may change.
_known: dict[str, ParametricRules] = {}


def describe(text: str, games: Mapping[str, Any] | None = None) -> ParametricRules:
    """Return the rules of a ruleset with parameters.

    User-defined games are read from `games`, or by default from files. Raises `FamilyError` if a move, a height or a condition is not
    supported for all parameters at once.
    """
    rules = _known.get(text)
    if rules is None:
        rules = _described(text, games)
        if not rules.documents:
            _known[text] = rules
    return rules


def _described(text: str, games: Mapping[str, Any] | None) -> ParametricRules:
    notation = read(text, games=games)
    game, passes = split_passes(notation)
    parts = list(_parts(game))
    parameters = tuple(sorted(notation.names))
    if len(parameters) > MOST_PARAMETERS:
        raise FamilyError(
            f"{text}: at most {MOST_PARAMETERS} parameters are supported, found {len(parameters)}"
        )
    member, values = _member(game, games)
    _require_supported(member)
    heights = dict[str, Node]()
    listed, most = dict[str, tuple[Node, ...]](), dict[str, Node]()
    left = [*member.coordinates]
    for part in parts:
        own = build(part, values, Path.cwd(), games).coordinates
        new = dict(zip(own, left, strict=False))
        del left[: len(own)]
        put: dict[str, Node] = {name: Name(new_name) for name, new_name in new.items()}
        is_own = part.name == OWN
        put |= {
            n: v.root for n, v in part.arguments if isinstance(v, Formula) and (is_own or n != "f")
        }
        part_heights, part_moves = _formulas_of(part, games)
        heights |= {new[y]: _read(height, put) for y, height in part_heights.items()}
        for move in part_moves:
            lowered = new[next(iter(move.lower))]
            if isinstance(move.by, list):
                listed[lowered] = tuple(_read_amount(amount, put) for amount in move.by)
            if move.at_most is not None:
                most[lowered] = _read(move.at_most, put)
    moves = tuple(
        dict.fromkeys(
            (lowered, _limited_by(lowered, heights), move.clips)
            for move in member.rules.moves
            for lowered in move.lowers
        )
    )
    if len({lowered for lowered, _, _ in moves}) < len(moves):
        raise FamilyError(f"{text}: two kinds of move of one coordinate")
    counted = () if passes is None else (fresh_name("p", member.coordinates),)
    clash = sorted({*parameters} & {*member.coordinates, *counted})
    if clash:
        raise FamilyError(f"{text}: {clash[0]!r} is a coordinate, and cannot be a parameter")
    for name in member.coordinates:
        if name in RESERVED or not name.isidentifier():
            raise FamilyError(f"{text}: a coordinate cannot be named {name!r} here")
    rules = (heights, moves, member.documents, listed, most, counted)
    return ParametricRules(notation, parameters, member.coordinates, *rules)


def _parts(notation: Notation) -> Iterator[Notation]:
    """Yield the components of a sum, in order."""
    inner = [value for _, value in notation.arguments if isinstance(value, Notation)]
    if notation.name == "with-pass":
        raise FamilyError(
            f"{notation.text}: passes in one component are not supported for all parameters"
        )
    for value in inner:
        yield from _parts(value)
    if not inner:
        yield notation


def _member(
    notation: Notation, games: Mapping[str, Any] | None
) -> tuple[Ruleset, Mapping[str, int]]:
    """Return a member and its parameters; raise the first error if none is found."""
    names, error = sorted(notation.names), None
    for numbers in islice(product(TRIED, repeat=len(names)), MOST_TRIED):
        values = dict(zip(names, numbers, strict=True))
        try:
            member = build(notation, values, Path.cwd(), games)
            _ = member.rules
        except (ChocoError, FormulaError) as problem:
            error = error or problem
        else:
            return member, values
    assert error is not None
    raise error


def _formulas_of(
    game: Notation, games: Mapping[str, Any] | None
) -> tuple[Mapping[str, object], Sequence[GameMove]]:
    """Return the heights of a component, and its moves if it is a user-defined game."""
    given = dict(game.arguments)
    own, heaps, height = given.get(OWN), given.get("heaps"), given.get("f")
    if isinstance(heaps, Formula) and heaps.names:
        raise FamilyError(f"{game.text}: its members have different coordinates")
    if isinstance(own, GameName):
        file = described(own.text, Path.cwd(), games).file
        return file.heights, file.moves
    if height is None:
        return ({"y": HEIGHTS[game.name]} if game.name in HEIGHTS else {}), ()
    if not isinstance(height, Formula):
        raise FamilyError(f"height {height.text}: a formula is needed")
    if exponents([height.root]):
        raise FamilyError(
            f"{height.text}: a power of a parameter is supported as an argument of a game, not in f"
        )
    return {"y": height.text}, ()


def _limited_by(lowered: str, heights: Mapping[str, Node]) -> tuple[str, ...]:
    """Return the coordinates whose heights depend on the lowered coordinate."""
    return tuple(y for y, height in heights.items() if y != lowered and lowered in names_of(height))


def _require_supported(member: Ruleset) -> None:
    """Raise `FamilyError` if obligations do not support the rules."""
    rules, name = member.rules, as_written(member.notation).name
    if rules.within is not None:
        raise FamilyError(f"{name}: a condition on all positions ({rules.within.text})")
    if rules.is_nested:
        raise FamilyError(f"{name}: a height that depends on a coordinate with a height")
    if rules.legal is not None or rules.misere:
        what = "the rule `legal`" if rules.legal is not None else "misère play"
        raise FamilyError(f"{name}: {what} is not supported for all parameters")
    for move in rules.moves:
        what = f"{name}: a move of {', '.join(move.lowers)}"
        if move.split is not None:
            raise FamilyError(f"{what} splits it; this is not supported for all parameters")
        if len(move.lowers) != 1:
            raise FamilyError(f"{what} lowers several coordinates; only one is supported")
        if isinstance(move.by, Amounts):
            raise FamilyError(
                f"{what} takes amounts that are formulas; only `by` and `at_most` are supported"
            )
        plain = type(move)(move.lowers, clips=move.clips)
        if replace(move, by="any", at_most=None) != plain:
            raise FamilyError(f"{what} has a condition; this is not supported")


def _read(written: object, put: Mapping[str, Node]) -> Node:
    return substitute(parse_nodes(str(written)), put)


def _read_amount(written: object, put: Mapping[str, Node]) -> Node:
    if isinstance(written, list) or str(written).startswith("bits("):
        raise FamilyError(f"amounts {written}: only integers and formulas are supported")
    return _read(written, put)
