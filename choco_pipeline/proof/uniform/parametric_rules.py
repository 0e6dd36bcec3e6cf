"""The rules of a family of games, read off the rules of its members.

A ruleset is described for integers: the rules of ``step-bar(k=7, s=5)`` hold the height (z+5)//7. So a member is made with
values that occur nowhere else, and each of these in its rules is replaced by the parameter. That the rules of other members,
small ones among them, are what this says is then tried; a ruleset for which they are not is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import (
    Binary,
    Integer,
    Name,
    Negate,
    Node,
    names_of,
    render,
    substitute,
    walk,
    with_operands,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Ruleset
from choco_pipeline.games.description import described
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.notation import (
    OWN,
    Argument,
    GameName,
    Notation,
    as_written,
    build,
    read,
)
from choco_pipeline.games.rules import Amounts, Limit, Move, Rules
from choco_pipeline.games.ruleset import fresh_name
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.passes import split_passes

#: Values that no description has of its own; primes, so that none is made of others.
RARE = (10007, 10039, 10067, 10091, 10103, 10133, 10151, 10169)
#: What other numbers than coordinates are called in obligations.
RESERVED = frozenset({"target", "constant", "value"})
#: Small members are tried with these values for each parameter, at most this number of them.
SMALL, MOST_TRIED = (0, 1, 2, 3, 5), 60


@dataclass(frozen=True)
class ParametricRules:
    """The rules of all members."""

    #: The ruleset as written, with parameters.
    notation: Notation
    #: Their names, sorted.
    parameters: tuple[str, ...]
    #: The names of the coordinates, without that of passes left.
    coordinates: tuple[str, ...]
    #: For each coordinate with a largest value: that value, in coordinates and parameters.
    heights: Mapping[str, Node]
    #: Which coordinate each kind of move lowers, which others may fall to their largest values, and whether they may.
    moves: tuple[tuple[str, tuple[str, ...], bool], ...]
    #: The descriptions of games of one's own that it names.
    documents: Mapping[str, Any]
    #: For each coordinate of which only some amounts are taken: these, in parameters.
    listed: Mapping[str, tuple[Node, ...]]
    #: For each coordinate of which only so much is taken: the limit, in parameters and coordinates.
    most: Mapping[str, Node]
    #: The coordinate of the passes left, beside the others, if there are passes.
    passes: tuple[str, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether some move takes some amounts only."""
        return bool(self.listed or self.most)

    def member(self, values: Mapping[str, int]) -> Ruleset:
        """Return the game for these values of the parameters."""
        return build(self.notation, values, Path.cwd())


#: Rules by notation. Rules that a file describes are not kept, because it may change.
_known: dict[str, ParametricRules] = {}


def describe(text: str, games: Mapping[str, Any] | None = None) -> ParametricRules:
    """Return the rules of a ruleset with parameters.

    Games of one's own are those of `games`, or of files without it. Raises `FamilyError` if a move, a height or a condition is of a kind that is not proved for all parameters.
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
    if any(part.name == "with-pass" for part in _notations(game)):
        raise FamilyError(f"{text}: passes of a part of a game are not proved for all parameters")
    arguments: dict[str, Formula] = {}
    general = _general(game, arguments)
    names = sorted(general.names)
    if len(names) > len(RARE):
        raise FamilyError(f"{text}: at most {len(RARE)} parameters are read, found {len(names)}")
    rare, member = _rare_member(general, names, games)
    meaning = {value: name for name, value in rare.items()}
    _refuse(member)
    heights = {name: _node(limit) for name, limit in member.rules.limits.items()}
    heights = {name: _with_names(node, meaning) for name, node in heights.items()}
    of_lists = [move.lowers[0] for move in member.rules.moves if isinstance(move.by, tuple)]
    listed = dict(zip(of_lists, _listed(general, games), strict=True))
    most = {
        move.lowers[0]: _with_names(parse_nodes(move.at_most.text), meaning)
        for move in member.rules.moves
        if move.at_most is not None
    }
    _try_others(general, names, member.rules, _Formulas(heights, listed, most), games)
    every = [(m.lowers[0], _dependents(heights, m.lowers[0]), m.clips) for m in member.rules.moves]
    moves = tuple(dict.fromkeys(every))
    if len({lowered for lowered, _, _ in moves}) < len(moves):
        raise FamilyError(f"{text}: two kinds of move of one coordinate")
    inner = {name: parse_nodes(formula.text) for name, formula in arguments.items()}
    heights = {name: substitute(node, inner) for name, node in heights.items()}
    listed = {name: tuple(substitute(n, inner) for n in nodes) for name, nodes in listed.items()}
    most = {name: substitute(node, inner) for name, node in most.items()}
    parameters = tuple(sorted(notation.names))
    left = () if passes is None else (fresh_name("p", member.coordinates),)
    clash = sorted(set(parameters) & {*member.coordinates, *left})
    if clash:
        raise FamilyError(f"{text}: {clash[0]!r} is a coordinate, and cannot be a parameter")
    for name in member.coordinates:
        if name in RESERVED or not name.isidentifier():
            raise FamilyError(f"{text}: a coordinate cannot be called {name!r} here")
    rules = (heights, moves, member.documents, listed, most, left)
    return ParametricRules(notation, parameters, member.coordinates, *rules)


def _notations(notation: Notation) -> Iterator[Notation]:
    """Yield a ruleset and those in it."""
    yield notation
    for _, value in notation.arguments:
        if isinstance(value, Notation):
            yield from _notations(value)


def _general(notation: Notation, arguments: dict[str, Formula]) -> Notation:
    """Return the notation with names for computed arguments; record these."""
    given: list[tuple[str, Argument]] = []
    for key, value in notation.arguments:
        if isinstance(value, Notation):
            given.append((key, _general(value, arguments)))
        elif isinstance(value, Formula) and key == "f" and _has_power(value):
            raise FamilyError(
                f"{value.text}: a power of a parameter is read as an argument of a game, not in f"
            )
        elif isinstance(value, Formula) and key != "f" and value.names:
            name = f"argument_{len(arguments)}"
            arguments[name] = value
            given.append((key, parse(name)))
        else:
            given.append((key, value))
    return replace(notation, arguments=tuple(given))


def _has_power(formula: Formula) -> bool:
    """Whether a formula has 2**t, which is too large in a rare member."""
    parts = walk(parse_nodes(formula.text))
    return any(isinstance(p, Binary) and p.operator == "**" and names_of(p.right) for p in parts)


def _rare_member(
    general: Notation, names: list[str], games: Mapping[str, Any] | None
) -> tuple[dict[str, int], Ruleset]:
    """Return a member with values that occur nowhere else."""
    rare = RARE[: len(names)]
    error: ChocoError | None = None
    for values in (rare, rare[::-1], (*rare[1:], *rare[:1])):
        given = dict(zip(names, values, strict=True))
        try:
            member = build(general, given, Path.cwd(), games)
            _ = member.rules
        except (ChocoError, FormulaError) as problem:
            error = error or problem
        else:
            return given, member
    assert error is not None
    raise error


def _refuse(member: Ruleset) -> None:
    """Raise `FamilyError` if the rules have what no obligation is written for."""
    rules, name = member.rules, as_written(member.notation).name
    if rules.within is not None:
        raise FamilyError(f"{name}: a condition on all positions ({rules.within.text})")
    if rules.is_nested:
        raise FamilyError(f"{name}: a height that depends on a coordinate with a height")
    if rules.legal is not None or rules.misere:
        what = "the rule `legal`" if rules.legal is not None else "misère play"
        raise FamilyError(f"{name}: {what} is not proved for all parameters")
    for move in rules.moves:
        what = f"{name}: a move of {', '.join(move.lowers)}"
        if move.split is not None:
            raise FamilyError(f"{what} splits it; this is not proved for all parameters")
        if len(move.lowers) != 1:
            raise FamilyError(f"{what} lowers several coordinates; one at a time is what is proved")
        if isinstance(move.by, Amounts):
            raise FamilyError(
                f"{what} takes amounts that are formulas; `by` and `at_most` can be proved"
            )
        if not replace(move, by="any", at_most=None).is_of_one_heap:
            raise FamilyError(f"{what} has a condition; none is what is proved")


def _listed(notation: Notation, games: Mapping[str, Any] | None) -> Iterator[tuple[Node, ...]]:
    """Yield the amounts of each move that lists them, in the order of the moves."""
    given = dict(notation.arguments)
    if isinstance(name := given.pop(OWN, None), GameName):
        put = {key: parse_nodes(value.text) for key, value in given.items()}
        for move in described(name.text, Path.cwd(), games).file.moves:
            if isinstance(move.by, list):
                yield tuple(substitute(_amount(written), put) for written in move.by)
    for value in given.values():
        if isinstance(value, Notation):
            yield from _listed(value, games)


def _amount(written: object) -> Node:
    if isinstance(written, list) or str(written).startswith("bits("):
        raise FamilyError(f"amounts {written}: integers and formulas are what is proved")
    return parse_nodes(str(written))


def _node(limit: Limit) -> Node:
    height = limit.height
    if not isinstance(height, FormulaHeight):
        raise FamilyError(f"height {height.notation}: a formula is needed")
    names = dict(zip(height.arguments, limit.of, strict=True))
    return parse_nodes(height.formula.rename(names).text)


def _with_names(node: Node, meaning: Mapping[int, str]) -> Node:
    """Return the formula with names for the integers in `meaning`."""
    if isinstance(node, Integer) and abs(node.value) in meaning:
        name = Name(meaning[abs(node.value)])
        return name if node.value > 0 else Negate(name)
    return with_operands(node, lambda operand: _with_names(operand, meaning))


def _dependents(heights: Mapping[str, Node], lowered: str) -> tuple[str, ...]:
    """Return the coordinates whose heights depend on the lowered one."""
    return tuple(
        name
        for name, height in heights.items()
        if name != lowered and Name(lowered) in walk(height)
    )


@dataclass(frozen=True)
class _Formulas:
    """The heights, listed amounts and limits of amounts of all members."""

    heights: Mapping[str, Node]
    listed: Mapping[str, tuple[Node, ...]]
    most: Mapping[str, Node]

    def moves(self, rules: Rules, values: Mapping[str, int]) -> tuple[Move, ...]:
        """Return moves with their amounts for these values of the parameters."""
        numbers = {name: Integer(value) for name, value in values.items()}
        moves = list[Move]()
        for move in rules.moves:
            (lowered, *_), found = move.lowers, move
            if lowered in self.listed:
                amounts = (parse(render(node)).value(values) for node in self.listed[lowered])
                found = replace(found, by=tuple(sorted({*map(int, amounts)})))
            if lowered in self.most:
                most = render(substitute(self.most[lowered], numbers))
                found = replace(found, at_most=parse(most))
            moves.append(found)
        return tuple(moves)


def _try_others(
    general: Notation,
    names: list[str],
    rules: Rules,
    formulas: _Formulas,
    games: Mapping[str, Any] | None,
) -> None:
    """Raise `FamilyError` if another member has rules of another form."""
    for values in _others(len(names)):
        given = dict(zip(names, values, strict=True))
        try:
            other = build(general, given, Path.cwd(), games).rules
        except (ChocoError, FormulaError):  # no member for these values
            continue
        numbers = {name: Integer(value) for name, value in given.items()}
        same = {name: substitute(node, numbers) for name, node in formulas.heights.items()}
        limits = {name: _node(limit) for name, limit in other.limits.items()}
        bare = (other.coordinates, other.moves, other.within, same)
        if bare != (rules.coordinates, formulas.moves(rules, given), rules.within, limits):
            at = assigned(given)
            raise FamilyError(f"{general.name}: its rules at {at} are not of the form of others")


def _others(count: int) -> Iterator[tuple[int, ...]]:
    yield tuple(value + 2 * i for i, value in enumerate(RARE[::-1][:count]))
    small = product(SMALL, repeat=count)
    yield from (values for values, _ in zip(small, range(MOST_TRIED), strict=False))
