"""Narrower and wider conditions of found statements.

A statement that is wrong for some parameters gets the shortest condition that excludes them, and shorter expressions if that
condition allows them. A statement that lists its games loses those where it is wrong.

The condition of a statement was learned from the available tables, and may be too narrow. The statement is tried on games near
these for which the condition fails. If it is right on several of them, it gets the shortest condition that distinguishes all
games on which it is right from the others.

Both are tried again on further games (`choco_pipeline.finding.trial`). The games from which a condition was learned do not
count as evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import prod

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted, Undecided
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.bounds import (
    MissingMember,
    TableTrial,
    bound_of_trial,
    largest_number,
    table_of_trial,
)
from choco_pipeline.finding.conditions import (
    domain,
    is_chance,
    is_overfitted,
    named,
    without_few,
    without_superfluous,
)
from choco_pipeline.finding.laws import CONSTANT, Point, determined, linear
from choco_pipeline.finding.lines import nodes_in, with_formulas
from choco_pipeline.finding.scope import (
    COMBINATIONS,
    Parameters,
    between,
    choices,
    game_of,
)
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.tables import listed, values_of
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import (
    Binary,
    Compare,
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
from choco_pipeline.formula.written import parameter_text
from choco_pipeline.statements.tree import text_of
from choco_pipeline.tables.spec import quantity_for

NARROWED = "; the condition was narrowed where it was wrong"
MISSED = " or not all small values of a set occur"
#: Fewest games of a statement that lists its games, after those where it is wrong are removed.
FEWEST_NAMED = 3
#: Expressions are compared for parameters up to `TIMES` the largest one seen, plus `MORE`.
TIMES, MORE = 2, 16
#: Fewest choices of parameters for which expressions are compared.
FEWEST_COMPARED = 6


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
    if len(points) < FEWEST_COMPARED:
        return statement
    shorter = with_formulas(
        claim.proposition, lambda node: _shorter(node, statement.pattern.names, points)
    )
    return replace(statement, statement=text_of(shorter))


def _points(statement: FoundStatement) -> list[Point]:
    """Return all parameters that satisfy the condition, beyond those that were seen; none if there are too many."""
    spans = {
        name: range(TIMES * max(values) + MORE + 1) for name, values in statement.parameters.items()
    }
    if not statement.claims or prod(map(len, spans.values())) > COMBINATIONS:
        return []
    return [point for point in choices(spans) if game_of(statement.claims[0], point) is not None]


def _shorter(node: Node, names: Set[str], points: Sequence[Point]) -> Node:
    """Return an expression whose largest parts without coordinates are as short as possible."""
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
    """Return a sum such as x+2*k-k with one shorter term for its last two, which have no coordinates; None if there is none."""
    match node:
        case Binary("+" | "-" as last, Binary("+" | "-" as first, left, one), other):
            both = Binary("+" if first == last else "-", one, other)
            shorter = _shorter(both, names, points) if names >= _names(both) else both
            return None if shorter == both else _signed(Binary(first, left, shorter))
        case _:
            return None


def _signed(node: Node) -> Node:
    """Return a sum or a difference without double signs and without 0.

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


#: The largest bound of the tables on which it is tried, and the number of games.
BOUND_OUTSIDE, GAMES_OUTSIDE = 64, 24
#: The fewest games outside of the condition on which it is right.
FEWEST_OUTSIDE = 2
WIDENED = "; the condition was widened to games where it is right, too"
#: The comparisons that are relaxed by 1.
RELAXED = (("<",), ("<=",), (">",), (">=",))
#: The distance of these games from the smallest and largest parameters that were seen.
NEAR = 3


def wider(statement: FoundStatement) -> ChangedCondition | None:
    """Return a statement with a wider condition that is right on games near those of the statement; None if there is none."""
    if not statement.when or statement.every or not statement.pattern.names:
        return None
    if statement.search == "bounds":
        return None  # outside the condition the formula is right beyond the bound
    unlimited = replace(statement, when="")
    old = parse(statement.when)
    trials = [
        _trial_outside(unlimited, point) for point in islice(_outside(statement), GAMES_OUTSIDE)
    ]
    right = [trial for trial in trials if trial.positions]
    wrong = [trial.parameters for trial in trials if not trial.positions]
    if len(right) < FEWEST_OUTSIDE:
        return None
    inside: list[Point] = [*statement.points, *(trial.parameters for trial in right)]
    for condition in _conditions(statement, inside, wrong):
        formula = parse(condition or "0 == 0")
        meant = (point for point in between(statement) if _has(old, point))
        if all(_has(formula, point) for point in (*inside, *meant)) and not any(
            _has(formula, point) for point in wrong
        ):
            games = parameter_text.listed([dict(trial.parameters) for trial in right])
            search = replace(statement.tried, what=f"{statement.tried.what}{WIDENED}, {games}")
            return ChangedCondition(replace(statement, when=condition, tried=search), right)
    return None


def _conditions(
    statement: FoundStatement, inside: Sequence[Point], wrong: Sequence[Point]
) -> Iterator[str]:
    """Yield conditions that may be right: the old one with a comparison relaxed by 1, and one that is learnt anew."""
    root = parse(statement.when).root
    for part in walk(root):
        if isinstance(part, Compare) and part.operators in RELAXED:
            left, right = part.operands
            match part.operators[0]:
                case "<" | ">" as sign:
                    relaxed = Compare((f"{sign}=",), part.operands)
                case "<=":
                    relaxed = Compare(("<=",), (left, Binary("+", right, Integer(1))))
                case _:
                    relaxed = Compare((">=",), (Binary("+", left, Integer(1)), right))
            yield parse(render(_replaced(root, part, relaxed))).text
    fitted = domain(
        [*inside, *wrong], [True] * len(inside) + [False] * len(wrong), between(statement)
    )
    if fitted is None or is_overfitted(fitted.text, [*inside, *wrong]):
        return
    if not is_chance(fitted, len(inside) + len(wrong), len(inside), largest=1):
        yield fitted.text


def _replaced(node: Node, part: Node, other: Node) -> Node:
    if node is part:
        return other
    return with_operands(node, lambda operand: _replaced(operand, part, other))


def _outside(statement: FoundStatement) -> Sequence[Point]:
    """Return parameters for which the condition fails, the nearest to those that were seen first."""
    old, seen = parse(statement.when), statement.points
    spans = {
        name: range(max(0, min(values) - NEAR), max(values) + NEAR + 1)
        for name, values in statement.parameters.items()
    }
    outside = [point for point in choices(spans) if point not in seen and not _has(old, point)]

    def distance(point: Point) -> tuple[int, ...]:
        to_seen = (sum(abs(n - other[name]) for name, n in point.items()) for other in seen)
        return min(to_seen, default=0), *point.values()

    return sorted(outside, key=distance)


def _has(condition: Formula, point: Point) -> bool:
    try:
        return bool(condition.value(point))
    except FormulaError:  # such as v2(0)
        return False


def _trial_outside(statement: FoundStatement, point: Point) -> TableTrial:
    """Return the outcome of a statement on a small table of a game; undecided unless each claim holds or one is refuted."""
    undecided = TableTrial(point, BOUND_OUTSIDE, Undecided("no table decides it"), None)
    outcomes = []
    for claim in statement.claims:
        game = game_of(claim, point)
        if game is None:
            return undecided
        quantity = quantity_for(game, claim.quantities)
        try:
            bound = min(BOUND_OUTSIDE, bound_of_trial(claim, game, quantity, None))
            if largest_number(game) >= bound:
                return undecided
            data = table_of_trial(game, bound, quantity)
            findings = [
                check_claim(claim, case, game, bound, data, explains=False)
                for case in claim.cases(point)
            ]
        except ChocoError:  # such as a height that divides by 0
            return undecided
        for finding in findings:
            if not isinstance(finding.verdict, Exhausted | HoldsToBound | Refuted):
                return undecided
            outcomes.append(TableTrial(point, bound, finding.verdict, None))
    return min(outcomes, key=lambda trial: trial.positions, default=undecided)
