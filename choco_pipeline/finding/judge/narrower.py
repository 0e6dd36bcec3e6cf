"""A statement that is wrong for some parameters is said of fewer: by a condition, or by their names, and in a shorter way if it may.

A statement that names its games goes on without those where it is wrong. Of any other the shortest condition that keeps these apart
narrows its own; what was learnt so is tried on other games (`choco_pipeline.finding.judge.trial`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

from choco_pipeline.finding.families.combinations import CONSTANT, Point, determined, linear
from choco_pipeline.finding.families.domains import (
    domain,
    is_chance,
    without_few,
    without_superfluous,
)
from choco_pipeline.finding.families.wording import listed, named, values_of
from choco_pipeline.finding.judge.trial_outcome import MissingMember, TableTrial
from choco_pipeline.finding.statements.lines import nodes_in, with_formulas
from choco_pipeline.finding.statements.scope import COMBINATIONS, Parameters, between, game_of
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.formula.nodes import (
    Binary,
    Integer,
    Junction,
    Name,
    Negate,
    Node,
    is_truth,
    render,
    walk,
    with_operands,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.statements.printer import text_of

NARROWED = "; the condition was narrowed where it was wrong"
MISSED = " or not all small values of a set occur"
#: Fewest games that remain when a statement that names its games loses those where it is wrong.
FEWEST_NAMED = 3
#: Expressions are compared for parameters up to `TIMES` the largest one seen, plus `MORE`.
TIMES, MORE = 2, 16
#: Fewest choices of parameters for which expressions are compared.
FEWEST = 6


@dataclass(frozen=True)
class ChangedCondition:
    """A statement with a narrower or wider condition, and the trials from which the condition was learned."""

    statement: FoundStatement
    learnt_from: Sequence[TableTrial]


def narrowed(
    statement: FoundStatement,
    seen: Iterable[Parameters],
    outcomes: Sequence[TableTrial],
    searched: str,
) -> ChangedCondition | None:
    """Return a statement with a short condition that excludes the games where it was wrong; None if there is none.

    The games on which trials were right are not used, so that they remain evidence, unless the condition is shorter with them or
    would exclude some of them. A conjunction or disjunction must be shorter, in bits, than the list of games where it was right.
    """
    points = [dict(known) for known in seen]
    wrong = [dict(t.parameters) for t in outcomes if t.is_against]
    right = [dict(t.parameters) for t in outcomes if t.positions]
    right = [point for point in right if point not in wrong and point not in points]
    kept = [point for point in points if point not in wrong]
    if names_its_games(statement):
        return _renamed(statement, kept, wrong, searched)
    domains = [
        domain([*kept, *wrong], [True] * len(kept) + [False] * len(wrong), right),
        domain([*kept, *right, *wrong], [True] * len(kept + right) + [False] * len(wrong)),
    ]
    several = list(_different(wrong))
    inside = sum(1 for _ in _different([*kept, *right]))
    blind, seeing = (fitted if fitted is not None and fitted.text else None for fitted in domains)
    if blind is not None and seeing is not None and not all(map(blind.holds, right)):
        blind = None
    conditions = [
        fitted
        for fitted in (blind, seeing)
        if fitted is not None
        and not (
            isinstance(parse_nodes(fitted.text), Junction)
            and is_chance(fitted, inside + len(several), inside, largest=1)
        )
    ]
    if not conditions:
        return None
    best = min(conditions, key=lambda fitted: nodes_in(parse(fitted.text)))
    when = f"({statement.when}) and ({best.text})" if statement.when else best.text
    when = without_superfluous(when, [*between(statement), *right, *wrong])
    missed = MISSED if any(isinstance(t.verdict, MissingMember) for t in outcomes) else ""
    search = replace(
        statement.tried,
        candidates=statement.tried.candidates + best.tried,
        what=f"{searched}{NARROWED}{missed}, {listed(several)}",
    )
    narrower = simplified(replace(statement, when=when, tried=search))
    return ChangedCondition(narrower, [t for t in outcomes if best is not blind or t.is_against])


def names_its_games(statement: FoundStatement) -> bool:
    """Whether its condition lists the games for which it was seen."""
    condition = named(statement.points) if statement.when else ""
    return bool(condition) and parse(condition).text == statement.when


def told_by_many(statement: FoundStatement, right: Iterable[Parameters]) -> FoundStatement:
    """Return a statement without the parts of its condition that cover very few of the games where it was right.

    Such a part may appear in one narrowing and disappear in the next, because the condition determines which games are tried.
    """
    when = without_few(statement.when, list(_different([dict(point) for point in right])))
    return statement if when == statement.when else replace(statement, when=when)


def _renamed(
    statement: FoundStatement,
    kept: Sequence[Parameters],
    wrong: Sequence[Parameters],
    searched: str,
) -> ChangedCondition | None:
    """Return a statement that lists its games without those where it was wrong; None for too few or too many games."""
    when = named(kept) if len(kept) >= FEWEST_NAMED else ""
    if not when:
        return None
    what = f"{searched}{NARROWED}, {listed(list(_different(wrong)))}"
    fewer = replace(
        statement,
        when=when,
        tried=replace(statement.tried, what=what),
        parameters=values_of(kept, list(statement.parameters)),
        seen=tuple(tuple(point[name] for name in statement.parameters) for point in kept),
    )
    return ChangedCondition(fewer, [])


def _different(points: Sequence[Parameters]) -> Iterator[Parameters]:
    return (point for i, point in enumerate(points) if point not in points[:i])


def simplified(statement: FoundStatement) -> FoundStatement:
    """Return a statement on a family in which expressions in the parameters are as short as its condition allows.

    An expression becomes a number, or a sum of multiples of parameters, if it has that value for all parameters that satisfy
    the condition, up to beyond those for which the statement was seen. Only one formula for all coordinates is rewritten. It is
    another statement then, which has to be tried anew.
    """
    claim = statement.whole
    if claim is None or claim.determined is None or claim.let or claim.reach is not None:
        return statement
    points = _points(statement)
    if len(points) < FEWEST:
        return statement
    shorter = with_formulas(
        claim.proposition, lambda node: _shorter(node, statement.pattern.names, points)
    )
    return replace(statement, statement=text_of(shorter))


def _points(statement: FoundStatement) -> list[Point]:
    """Return all parameters of games that a statement speaks of, to beyond those that it was seen for; none if they are too many."""
    ranges = [range(TIMES * max(values) + MORE + 1) for values in statement.parameters.values()]
    if not statement.claims or prod(map(len, ranges)) > COMBINATIONS:
        return []
    points = (dict(zip(statement.parameters, choice, strict=True)) for choice in product(*ranges))
    return [point for point in points if game_of(statement.claims[0], point) is not None]


def _shorter(node: Node, names: Set[str], points: Sequence[Point]) -> Node:
    """Return an expression in which the largest parts that hold parameters alone are as short as can be."""
    used = sorted(_names(node))
    if is_truth(node) or not used or not names >= set(used):
        operands = _joined(node, names, points) or node
        return _signed(with_operands(operands, lambda operand: _shorter(operand, names, points)))
    try:
        values = [int(parse(render(node)).value(point)) for point in points]
    except FormulaError:
        return node
    terms = [linear(name) for name in used]
    sums = [some for number in (1, 2) for some in combinations(terms, number)]
    shapes = [(CONSTANT,), *(shape for some in sums for shape in (some, (*some, CONSTANT)))]
    law = next(determined(points, values, shapes), None)
    if law is None or law.text is None or nodes_in(parse(law.text)) >= sum(1 for _ in walk(node)):
        return node
    return parse_nodes(law.text)


def _names(node: Node) -> set[str]:
    return {part.name for part in walk(node) if isinstance(part, Name)}


def _joined(node: Node, names: Set[str], points: Sequence[Point]) -> Node | None:
    """Return a sum whose last two terms hold parameters alone, as x+2*k-k, with one shorter term for both; None if there is none."""
    match node:
        case Binary("+" | "-" as last, Binary("+" | "-" as first, left, one), other):
            both = Binary("+" if first == last else "-", one, other)
            shorter = _shorter(both, names, points) if names >= _names(both) else both
            return None if shorter == both else _signed(Binary(first, left, shorter))
        case _:
            return None


def _signed(node: Node) -> Node:
    """Return a sum or a difference without a sign too many, and without 0.

    Examples
    --------
    >>> render(_signed(Binary("-", Name("x"), Integer(-1))))
    'x+1'
    """
    match node:
        case Binary("+" | "-", left, Integer(0)):
            return left
        case Binary("+" | "-" as sign, left, Integer(number)) if number < 0:
            return Binary("-" if sign == "+" else "+", left, Integer(-number))
        case Binary("+" | "-" as sign, left, Negate(number)):
            return Binary("-" if sign == "+" else "+", left, number)
        case _:
            return node
