"""Widen the conditions of found statements.

The condition of a statement was learned from the available tables, and may be too narrow. The statement is tried on games near
these for which the condition fails. If it is right on several of them, it gets the shortest condition that distinguishes all
games on which it is right from the others, and is tried again on further games. The games from which a condition was learned
do not count as evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted, Undecided
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.families.combinations import Point
from choco_pipeline.finding.families.domains import domain, is_chance, is_overfitted
from choco_pipeline.finding.judge.bounds import bound_of_trial, largest_number, table_of_trial
from choco_pipeline.finding.judge.narrower import ChangedCondition
from choco_pipeline.finding.judge.trial_outcome import TableTrial
from choco_pipeline.finding.statements.scope import COMBINATIONS, between, game_of
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Binary, Compare, Integer, Node, render, walk, with_operands
from choco_pipeline.formula.written.parameter_text import listed
from choco_pipeline.tables.specs.schema import quantity_for

#: The largest bound of the tables on which it is tried, and the number of games.
BOUND, GAMES = 64, 24
#: The fewest games outside of the condition on which it is right.
FEWEST = 2
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
    trials = [_trial(unlimited, point) for point in islice(_outside(statement), GAMES)]
    right = [trial for trial in trials if trial.positions]
    wrong = [trial.parameters for trial in trials if not trial.positions]
    if len(right) < FEWEST:
        return None
    inside: list[Point] = [*statement.points, *(trial.parameters for trial in right)]
    for condition in _conditions(statement, inside, wrong):
        formula = parse(condition or "0 == 0")
        meant = (point for point in between(statement) if _has(old, point))
        if all(_has(formula, point) for point in (*inside, *meant)) and not any(
            _has(formula, point) for point in wrong
        ):
            games = listed([dict(trial.parameters) for trial in right])
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
    ranges = [
        range(max(0, min(values) - NEAR), max(values) + NEAR + 1)
        for values in statement.parameters.values()
    ]
    choices = (
        dict(zip(statement.parameters, choice, strict=True))
        for choice in islice(product(*ranges), COMBINATIONS)
    )
    outside = [point for point in choices if point not in seen and not _has(old, point)]

    def distance(point: Point) -> tuple[int, ...]:
        to_seen = (sum(abs(n - other[name]) for name, n in point.items()) for other in seen)
        return min(to_seen, default=0), *point.values()

    return sorted(outside, key=distance)


def _has(condition: Formula, point: Point) -> bool:
    try:
        return bool(condition.value(point))
    except FormulaError:  # such as v2(0)
        return False


def _trial(statement: FoundStatement, point: Point) -> TableTrial:
    """Return the outcome of a statement on a small table of a game; undecided unless each claim holds or one is refuted."""
    undecided = TableTrial(point, BOUND, Undecided("no table decides it"), None)
    outcomes = []
    for claim in statement.claims:
        game = game_of(claim, point)
        if game is None:
            return undecided
        quantity = quantity_for(game, claim.quantities)
        try:
            bound = min(BOUND, bound_of_trial(claim, game, quantity, None))
            if largest_number(game) >= bound:
                return undecided
            data = table_of_trial(game, bound, quantity)
            findings = [check_claim(claim, c, game, bound, data) for c in claim.cases(point)]
        except ChocoError:  # such as a height that divides by 0
            return undecided
        for finding in findings:
            if not isinstance(finding.verdict, Exhausted | HoldsToBound | Refuted):
                return undecided
            outcomes.append(TableTrial(point, bound, finding.verdict, None))
    return min(outcomes, key=lambda trial: trial.positions, default=undecided)
