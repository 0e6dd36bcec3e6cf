"""Checks of statements of any form, by evaluation.

A statement about positions is evaluated at all positions up to a bound, a statement about integers at all integers in its ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from choco_pipeline.claims.checks.evaluation import (
    Batch,
    Board,
    Evaluation,
    necessary_condition,
)
from choco_pipeline.claims.checks.formulas import IntegerSet
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.written.math_text import MathNotation, range_text
from choco_pipeline.games import Position
from choco_pipeline.statements import tree
from choco_pipeline.statements.meaning import UndefinedError, World
from choco_pipeline.tables.cells import Points, holds_at

Least = tuple[int, Position]
#: Words for a comparison with a claimed number.
SIGNS = {"==": "", "!=": "not ", ">=": "at least ", ">": "more than "}
SIGNS |= {"<=": "at most ", "<": "less than "}


@dataclass(frozen=True)
class Cases:
    """The cases of a statement: positions, choices of integers, or a single one."""

    #: The names of the integers that make a case; empty for a single case.
    names: tuple[str, ...]
    unit: str
    #: The proposition that must hold in each case.
    body: tree.Proposition
    #: Whether the batches contain all cases of the statement.
    is_complete: bool
    #: The ranges that are samples, as words.
    sample: str
    #: The cases up to the bound.
    batches: Iterable[Batch]


def judge(
    proposition: tree.Proposition, evaluation: Evaluation, reach: int | None = None
) -> Finding:
    """Judge a statement by evaluating it in every case up to the bound.

    With a `reach` the statement is only about positions without a larger coordinate. The counterexample is the least one: by
    its largest integer, passes not counted, then in the order of the names. The evidence of a refutation is the number of
    ``failures``. A statement is undecided if it refers to a cell that is not a position, or takes too long. Raises
    `FormulaError` if a formula has no value where it is needed.
    """
    try:
        _require_finite_counts(proposition, evaluation)
        if isinstance(proposition, tree.ValueSet):
            return _judge_values(proposition, evaluation, reach)
        return _judge(proposition, evaluation, reach)
    except (UndefinedError, LimitError) as error:
        return Finding(Undecided(str(error)))


def _judge(proposition: tree.Proposition, evaluation: Evaluation, reach: int | None) -> Finding:
    cases = _cases(proposition, evaluation, reach)
    settled = failures = 0
    is_vacuous = True
    least: tuple[Least, Batch] | None = None
    for whole in cases.batches:
        for part, batch in _in_domain(cases.body, evaluation, whole):
            is_vacuous = is_vacuous and not evaluation.holds(tree.applies(part), batch).any()
            wrong = ~evaluation.holds(part, batch)
            settled += batch.size
            failures += int(wrong.sum())
            if wrong.any():
                first = _least(cases.names, batch.chosen(wrong), evaluation)
                least = first if least is None or first[0] < least[0] else least
    if least is not None:
        found = _counterexample(cases.body, cases.names, least[1], evaluation)
        return Finding(Refuted(found, settled), {"failures": failures})
    if is_vacuous:
        nothing = "satisfies its premise"
        nothing += " and has an option that it is about" if settled else ""
        if cases.is_complete:
            return Finding(Vacuous(f"no {cases.unit} {nothing}"))
        why = f"no {cases.unit} up to bound {evaluation.bound:,} {nothing}"
        return Finding(Undecided(why))
    if cases.is_complete:
        return Finding(Exhausted(settled, cases.unit))
    return Finding(HoldsToBound(settled, evaluation.bound, cases.sample or None, cases.unit))


def _in_domain(
    body: tree.Proposition, evaluation: Evaluation, batch: Batch
) -> Iterator[tuple[tree.Proposition, Batch]]:
    """Yield the conclusion of a statement with the cases that satisfy its premise."""
    match body:
        case tree.Let(name, value, inner):
            for _, known in evaluation.defined(name, value, batch):
                yield from _in_domain(inner, evaluation, known)
        case tree.Implies(premise, conclusion):
            yield conclusion, batch.chosen(evaluation.holds(premise, batch))
        case tree.Junction("and", operands) if all(isinstance(p, tree.Implies) for p in operands):
            premises = (part.premise for part in operands if isinstance(part, tree.Implies))
            some = tree.Junction("or", tuple(premises))
            yield body, batch.chosen(evaluation.holds(some, batch))
        case _:
            yield body, batch


# ---- Cases.


def depends_on_position(part: tree.Part, names: Sequence[str]) -> bool:
    """Whether the truth of a part depends on the current position.

    `names` are the coordinates of that position. A part that binds its own position does not depend on it.
    """
    match part:
        case tree.PPosition(place) | tree.Grundy(place) if place.at is None:
            return not place.primed
        case tree.IsOption():
            return True
        case tree.Quantified(_, bindings, body) | tree.Count(bindings, body):
            for one in bindings:
                match one:
                    case tree.OfPosition():
                        return False
                    case tree.OfOption():
                        return True
                    case tree.InRange(_, span) if not span.names.isdisjoint({*names, tree.SIZE}):
                        return True
            return depends_on_position(body, names)
        case tree.At(position, _):
            return any(depends_on_position(one, names) for one in position)
        case tree.ValueSet():
            return False
        case tree.Expression() if not part.names.isdisjoint({*names, tree.SIZE}):
            return True
        case _:
            return any(depends_on_position(child, names) for child in tree.children(part))


def _cases(proposition: tree.Proposition, evaluation: Evaluation, reach: int | None) -> Cases:
    board, fixed = evaluation.board, evaluation.fixed
    listed = ", ".join(
        range_text(one.name, one.span) for one in tree.samples(proposition) if one.name not in fixed
    )
    sample = f"for {listed} alone" if listed else ""
    if board is not None and depends_on_position(proposition, board.names):
        is_complete = _is_complete(board, evaluation, reach) and not tree.samples(proposition)
        body = proposition.body if isinstance(proposition, tree.Quantified) else proposition
        is_of_options = isinstance(body, tree.Implies) and isinstance(body.premise, tree.IsOption)
        if any(isinstance(p, tree.OfCell) for p in tree.walk(proposition)) and not is_of_options:
            is_complete = False  # there are larger cells
        positions = _positions(board, evaluation, reach)
        return Cases(board.names, "position", proposition, is_complete, sample, positions)
    is_complete = not (fixed or tree.samples(proposition) or tree.uses_bound(proposition))
    ranges, body = tree.integers_in_front(proposition)
    choices = evaluation.choices(
        ranges, evaluation.start(), necessary_condition("every", body) if ranges else None
    )
    names = tuple(one.name for one in ranges)
    return Cases(names, "case", body, is_complete, sample, (batch for _, batch in choices))


def _is_complete(board: Board, evaluation: Evaluation, reach: int | None) -> bool:
    return board.is_finite or (reach is not None and evaluation.bound >= reach)


def _positions(board: Board, evaluation: Evaluation, reach: int | None) -> Iterator[Batch]:
    bound = evaluation.bound if reach is None else min(reach, evaluation.bound)
    if bound < 0:
        return
    for points in board.positions(bound):
        batch = evaluation.start(points)
        yield batch if reach is None else batch.chosen(board.sizes(points) <= reach)


def _least(names: Sequence[str], failing: Batch, evaluation: Evaluation) -> tuple[Least, Batch]:
    """Return the least of the failing cases."""
    named = failing.named
    rows = np.stack([named[name] for name in names] or [np.zeros(failing.size, np.int64)], axis=1)
    sizes = np.abs(rows.astype(np.int64)).max(axis=1)
    if evaluation.board is not None and failing.position is not None:
        sizes = evaluation.board.sizes(failing.position)
    first = np.lexsort([*rows.T[::-1], sizes])[:1]
    return (int(sizes[first[0]]), tuple(rows[first[0]].tolist())), failing.chosen(first)


# ---- Counterexamples.


def false_at(part: tree.Proposition, evaluation: Evaluation, at: Position) -> Counterexample | None:
    """Return the counterexample at one position, if any."""
    board = evaluation.board
    assert board is not None
    named = {name: np.array([value], np.int64) for name, value in zip(board.names, at, strict=True)}
    batch = evaluation.start(named)
    if evaluation.holds(part, batch)[0]:
        return None
    return _counterexample(part, board.names, batch, evaluation)


def false_for(
    part: tree.Proposition, integers: Mapping[str, int], printed: Sequence[Sequence[int]] = ()
) -> Counterexample | None:
    """Return the counterexample for integers of any size and `N`, if any."""
    ranges, body = tree.integers_in_front(part)
    known = {"N": integers["N"]}
    for one in ranges:
        if integers[one.name] not in one.span.values(known):
            return None
        known[one.name] = integers[one.name]
    names = tuple(one.name for one in ranges)
    evaluation = Evaluation(None, known["N"], {"N": known["N"]}, printed)
    try:
        batch = Batch(1, {name: np.array([value], np.int64) for name, value in known.items()})
        if evaluation.holds(body, batch)[0]:
            return None
        return _counterexample(body, names, batch, evaluation)
    except (FormulaError, OverflowError):  # an integer exceeds 64 bits
        if World(values=known, printed=printed).holds(body):
            return None
        at = tuple(known[name] for name in names)
        return Counterexample(f"{_math(body)} is false", _math(body), at, names)


def _counterexample(
    body: tree.Proposition, names: tuple[str, ...], batch: Batch, evaluation: Evaluation
) -> Counterexample:
    """Return the counterexample at the one point of a batch."""
    values = list[str]()
    found, claimed = _contradiction(body, batch, evaluation, values)
    if evaluation.board is None and tree.uses_bound(body):
        values.append(f"N = {evaluation.values['N']:,}")
    if values:
        found += f", where {', '.join(values)}"
    at = tuple(int(batch.named[name][0]) for name in names)
    return Counterexample(found, claimed, at, names) if names else Counterexample(found, claimed)


def _contradiction(
    part: tree.Proposition, batch: Batch, evaluation: Evaluation, values: list[str]
) -> tuple[str, str]:
    """Return the facts that contradict a proposition, and its violated part.

    The values of definitions on the way are appended to `values`, as equations.
    """

    def is_true(one: tree.Proposition) -> bool:
        return bool(evaluation.holds(one, batch)[0])

    match part:
        case tree.Junction("and", operands):
            false = next(one for one in operands if not is_true(one))
            return _contradiction(false, batch, evaluation, values)
        case tree.Implies(_, conclusion):
            return _contradiction(conclusion, batch, evaluation, values)
        case tree.Let(name, value, body):
            ((_, inner),) = evaluation.defined(name, value, batch)
            if name in inner.known:
                values.append(f"{name} = {inner.known[name][0]:,}")
            return _contradiction(body, inner, evaluation, values)
        case tree.Quantified("every" | "no" as word, bindings, body):
            for _, inner in evaluation.choices(bindings, batch):
                held = evaluation.holds(body, inner)
                rows = np.flatnonzero(~held if word == "every" else held)
                if rows.size:
                    return _at_choice(
                        word, bindings, body, inner.chosen(rows[:1]), evaluation, values
                    )
            raise AssertionError(f"{_math(part)} is true")
        case tree.Quantified("some", (tree.OfOption(by),), body):
            assert evaluation.board is not None
            number = evaluation.board.options(batch.position or {}, by)[0].size
            moves = f" by {', '.join(by)}" if by else ""
            if not number:
                return f"it has no option{moves}", _math(part)
            return f"{_math(body)} is false for all of its {number:,} options{moves}", _math(part)
        case (
            tree.Equivalent((tree.IsOption(at), _))
            | tree.Equivalent((_, tree.IsOption(at)))
            | tree.IsOption(at)
        ):
            cell = tuple(int(evaluation.value(one, batch)[0]) for one in at)
            is_option = is_true(tree.IsOption(at))
            assert evaluation.board is not None
            game = evaluation.board.game
            why = "" if game.is_position(cell) else f": it is no position, {game.why_not(cell)}"
            is_one, is_none = f"{cell} is an option", f"{cell} is no option{why}"
            return (is_one, is_none) if is_option else (is_none, is_one)
        case tree.Equivalent(operands):
            truths = [f"{_math(one)} is {'true' if is_true(one) else 'false'}" for one in operands]
            return ", ".join(truths), _math(part)
        case tree.Expression(formula, ((name, tree.Count() as count),)):
            counted = tree.term_math(count, MathNotation())
            if isinstance(count.body, tree.Let):  # its definitions come last
                counted = f"({counted})"
            found = f"{counted} is {evaluation.term(count, batch)[0]:,}"
            compared = formula.compared_with(name)
            if compared is None or compared[0] not in SIGNS:
                return found, _math(part)
            sign, other = compared
            return found, f"{SIGNS[sign]}{evaluation.value(tree.Expression(other), batch)[0]:,}"
        case tree.Expression() if len(tree.conjuncts(part)) > 1:
            false = next(one for one in tree.conjuncts(part) if not is_true(one))
            return _contradiction(false, batch, evaluation, values)
        case tree.Expression():
            terms = [
                f"{tree.term_math(term, MathNotation())} = {evaluation.term(term, batch)[0]:,}"
                for _, term in part.terms
            ]
            return ", ".join(terms) or f"{_math(part)} is false", _math(part)
        case tree.PPosition() if part == tree.PPosition():
            return "N-position", "P-position"
        case tree.Not(tree.PPosition() as inner) if inner == tree.PPosition():
            return "P-position", "N-position"
        case _:
            return f"{_math(part)} is false", _math(part)


def _at_choice(
    word: tree.Word,
    bindings: Sequence[tree.Binding],
    body: tree.Proposition,
    batch: Batch,
    evaluation: Evaluation,
    values: list[str],
) -> tuple[str, str]:
    """Return the facts and the violated claim for one choice of variables."""
    coordinates = () if evaluation.board is None else evaluation.board.names

    def row(points: Points | None, names: Sequence[str]) -> Position:
        return tuple(int((points or {})[name][0]) for name in names)

    chosen = []
    for binding in bindings:
        match binding:
            case tree.OfOption():
                chosen.append(f"its option {row(batch.option, coordinates)}")
            case tree.OfPosition():
                chosen.append(f"the position {row(batch.position, coordinates)}")
            case tree.InRange(name):
                chosen.append(f"{name} = {batch.known[name][0]:,}")
            case tree.OfCell(names):
                chosen.append(f"({', '.join(names)}) = {row(batch.known, names)}")
    where = ", ".join(chosen)
    if word == "no":
        return f"{where}: {_math(body)} is true", f"{_math(body)} is false"
    found, claimed = _contradiction(body, batch, evaluation, values)
    return found if _names_a_cell(body) else f"{where}: {found}", claimed


def _names_a_cell(part: tree.Proposition) -> bool:
    """Whether the text of `_contradiction` already names the cell."""
    match part:
        case tree.Equivalent(operands):
            return any(isinstance(one, tree.IsOption) for one in operands)
        case tree.Implies(_, conclusion):
            return _names_a_cell(conclusion)
        case _:
            return isinstance(part, tree.IsOption)


def _math(part: tree.Proposition) -> str:
    return tree.math_of(part, MathNotation())


# ---- Sets of values.


def _judge_values(part: tree.ValueSet, evaluation: Evaluation, reach: int | None) -> Finding:
    board = evaluation.board
    assert board is not None
    is_complete = _is_complete(board, evaluation, reach)
    first_at: dict[int, Least] = {}
    settled = 0
    for batch in _positions(board, evaluation, reach):
        batch = batch.chosen(evaluation.holds(part.condition, batch))
        if not batch.size:
            continue
        settled += batch.size
        assert batch.position is not None
        sizes = board.sizes(batch.position)
        rows = np.stack([batch.position[name] for name in board.names], axis=1)
        values = evaluation.value(part.value, batch)
        order = np.lexsort([*rows.T[::-1], sizes, values])
        distinct, index = np.unique(values[order], return_index=True)
        for value, row in zip(distinct.tolist(), order[index].tolist(), strict=True):
            here = (int(sizes[row]), tuple(rows[row].tolist()))
            first_at[value] = min(here, first_at.get(value, here))
    condition = part.members.formula.substitute(evaluation.values).rename({part.variable: "v"})
    members = IntegerSet(condition)
    evidence: dict[str, Any] = {"values": sorted(first_at)[:64], "count": len(first_at)}
    values = np.array(sorted(first_at), np.int64)
    outside = values[~holds_at(condition, {"v": values})].tolist()
    if outside and part.relation != ">=":
        (_, at), value = min((first_at[value], value) for value in outside)
        found = Counterexample(f"the value {value:,}", "a member of the set", at, board.names)
        return Finding(Refuted(found, settled), {**evidence, "failures": len(outside)})
    missing = members.first_outside(first_at) if is_complete and part.relation != "<=" else None
    if missing is not None:
        found = Counterexample(f"no position has the value {missing:,}", f"{missing:,} is a value")
        return Finding(Refuted(found, settled), evidence)
    up_to = f"up to bound {evaluation.bound:,}"
    if not settled:
        why = "no position satisfies its condition"
        nothing = Vacuous(why) if is_complete else Undecided(f"{why} {up_to}")
        return Finding(nothing, evidence)
    if is_complete or part.relation == "<=":
        agrees = Exhausted(settled) if is_complete else HoldsToBound(settled, evaluation.bound)
        return Finding(agrees, evidence)
    largest = max([*map(abs, first_at), evaluation.bound // 4])
    absent = sorted({*members.up_to(largest).tolist()} - first_at.keys(), key=lambda v: (abs(v), v))
    if absent:
        return Finding(Undecided(f"{absent[0]:,} is a member, and no value {up_to}"), evidence)
    sense = f"every member up to {largest:,} is a value"
    return Finding(HoldsToBound(settled, evaluation.bound, sense), evidence)


def _require_finite_counts(part: tree.Part, evaluation: Evaluation) -> None:
    """Refuse counts and quantifiers over infinitely many positions.

    A quantifier over all cells must be outermost: there a cell up to the bound can refute the statement. Raises `LimitError`.
    """
    board = evaluation.board
    if board is None:
        return
    outer = part
    while isinstance(outer, tree.Let):
        outer = outer.body
    for one in tree.walk(part):
        if not isinstance(one, tree.Quantified | tree.Count):
            continue
        is_every = isinstance(one, tree.Quantified) and one.word == "every"
        if any(isinstance(b, tree.OfCell) for b in one.bindings) and not (
            one is outer and is_every
        ):
            raise LimitError("a quantifier over all cells stands in front of the whole statement")
        if board.is_finite or tree.OfPosition() not in one.bindings:
            continue
        body: tree.Proposition | None = one.body
        if is_every:
            body = body.premise if isinstance(body, tree.Implies) else None
        parts = () if body is None else tree.conjuncts(body)
        limits = (
            c.formula.bound_of(tree.SIZE)
            for c in parts
            if isinstance(c, tree.Expression) and not c.terms
        )
        needed = [
            int(limit.value(dict(evaluation.values)))
            for limit in limits
            if limit is not None and limit.names <= evaluation.values.keys()
        ]
        if not needed:
            raise LimitError(
                "a count or a quantifier over positions needs a limit by parameters: size <= 20 and …, for example"
            )
        if min(needed) > evaluation.bound:
            raise LimitError(f"the bound is {evaluation.bound:,}, and {min(needed):,} is needed")
