"""Statements on integers: checked for all of them in given ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.evidence.choices import Choices, EvaluationBudget, values_at
from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.kinds.integer_kinds import Number
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    Verdict,
)
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula import Formula
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Position
from choco_pipeline.tables.reading.cells import BLOCK, Points, Truths, select

#: Which of the outer integers a choice of inner ones belongs to; no formula can have this name.
_ROW = "#row"


def find_integers(
    check: IntegerStatement, bound: int, fixed: Mapping[str, int], block: int = BLOCK
) -> Finding:
    """Return what holds of a statement on integers.

    A counterexample is the least one: by its largest absolute value, then in the order of the names. Conditions of `holds` are
    asked from the left, each only where those before hold; then `equivalent`, then `number`.

    Names in `fixed` are to have one value; where their range in `all` does not hold it, there is no case. The bound is the value of
    `N`; no finding depends on `block`, the choices of integers that are looked at together. Raises `ConfigError` if a name in
    `fixed` is none of the statement's integers; `FormulaError` if a formula has no value where it is asked, or may leave 64
    bits; `LimitError` if there are too many choices to look at. Cases are the integers that satisfy `where`; evidence of a
    refutation is the number of `failures`.
    """
    for name in fixed.keys() - check.all.keys():
        raise ConfigError(
            f"{name!r} is none of the integers that the statement speaks of: {', '.join(check.all)}"
        )
    statement = _Statement(check, {"N": bound}, EvaluationBudget(), block)
    choices = Choices(check.all, check.let, check.where, {"N": bound}, fixed)
    cases = failures = 0
    least: Position | None = None
    for points in choices.blocks(statement.budget, block):
        wrong = ~statement.holds_at(points)
        cases += wrong.size
        if wrong.any():
            failures += int(wrong.sum())
            failing = _least(np.stack([points[name][wrong] for name in check.all], axis=1))
            least = failing if least is None else min(least, failing, key=_order)
    if least is not None:
        counterexample = statement.counterexample_at(least)
        assert counterexample is not None, f"nothing contradicts the statement at {least}"
        return Finding(Refuted(counterexample, cases), {"failures": failures})
    return Finding(_agreement(check, cases, bound, fixed))


def contradiction_at(
    check: IntegerStatement, bound: int, integers: Mapping[str, int]
) -> Counterexample | None:
    """Return what is wrong with integers of any size; None if the statement is right there, or does not speak of them.

    Raises `FormulaError` if a formula has no value, or where others are counted, and 64 bits do not suffice.
    """
    named = {"N": bound}
    for name, span in check.all.items():
        if integers[name] not in span.values(named):
            return None
        named[name] = integers[name]
    supposed = dict(named)
    for name, formula in check.let.items():
        supposed[name] = int(formula.value(supposed))
    if not all(condition.value(supposed) for condition in check.where):
        return None
    statement = _Statement(check, {"N": bound}, EvaluationBudget(), BLOCK)
    return statement.counterexample_at(tuple(named[name] for name in check.all))


def _agreement(
    check: IntegerStatement, cases: int, bound: int, fixed: Mapping[str, int]
) -> Verdict:
    is_complete = check.is_finite and not fixed
    if cases and is_complete:
        return Exhausted(cases, "case")
    if cases:
        listed = check.listed_text([name for name in check.listed if name not in fixed])
        sense = f"for {listed} alone" if listed else None
        return HoldsToBound(cases, bound, sense, "case")
    if is_complete:
        return Vacuous("no integers are ones that it speaks of")
    given = "".join(f", {name} = {value}" for name, value in fixed.items())
    return Undecided(f"no integers up to N = {bound}{given} are ones that it speaks of")


@dataclass(frozen=True)
class _Statement:
    """What a statement says of integers that satisfy what it supposes."""

    check: IntegerStatement
    known: Mapping[str, int]
    budget: EvaluationBudget
    block: int

    def holds_at(self, points: Points) -> Truths:
        """Return where all that is claimed holds."""
        size = next(iter(points.values())).size
        right = np.ones(size, np.bool_)
        for condition in self.check.holds:
            right[right] = self._truths(condition, select(points, right))
        if self.check.equivalent:
            there = select(points, right)
            first, *others = (self._truths(part, there) for part in self.check.equivalent)
            right[right] = np.logical_and.reduce([first == other for other in others])
        if self.check.number is not None:
            right[right] = self._number_is_right(self.check.number, select(points, right))
        return right

    def counterexample_at(self, position: Position) -> Counterexample | None:
        """Return what is wrong with integers that the statement speaks of; None if nothing is."""
        check = self.check
        named = {**self.known, **dict(zip(check.all, position, strict=True))}
        for name, formula in check.let.items():
            named[name] = int(formula.value(named))
        lets = assigned({name: named[name] for name in check.let})
        contradiction = self._contradiction(named)
        if contradiction is None:
            return None
        actual, claimed = contradiction
        where = f", where {lets}" if lets else ""
        return Counterexample(f"{actual}{where}", claimed, position, tuple(check.all))

    def _contradiction(self, named: Mapping[str, int]) -> tuple[str, str] | None:
        """Return what is the case and what is claimed, for the first of the claims that fails."""
        check = self.check
        for condition in check.holds:
            if not condition.value(named):
                return f"{math_text(condition)} is false", math_text(condition)
        truths = [bool(condition.value(named)) for condition in check.equivalent]
        if len(set(truths)) > 1:
            parts = zip(check.equivalent, truths, strict=True)
            return (
                ", ".join(f"{math_text(part)} is {str(truth).lower()}" for part, truth in parts),
                " ⇔ ".join(map(math_text, check.equivalent)),
            )
        number = check.number
        points = {
            name: np.array([value]) for name, value in named.items() if name not in self.known
        }
        if number is None or self._number_is_right(number, points).all():
            return None
        actual, claimed = (
            ("", number.exactly) if number.least is None else ("at least ", number.least)
        )
        assert claimed is not None
        counts = self._counts(number, points)
        return f"{number.counted} is {counts[0]}", f"{actual}{claimed.value(named)}"

    def _number_is_right(self, number: Number, points: Points) -> Truths:
        counts = self._counts(number, points)
        right = np.ones(counts.shape, np.bool_)
        if number.least is not None:
            right &= counts >= values_at(number.least, points, self.known)
        if number.exactly is not None:
            right &= counts == values_at(number.exactly, points, self.known)
        return right

    def _counts(self, number: Number, points: Points) -> NDArray[np.int64]:
        """Return how many choices of the inner integers there are for each of the outer ones."""
        size = next(iter(points.values())).size
        counts = np.zeros(size, np.int64)
        inner = Choices(number.of, number.let, (number.such,), self.known)
        start = points | {_ROW: np.arange(size)}
        for others in inner.blocks(self.budget, self.block, start):
            counts += np.bincount(others[_ROW], minlength=size)
        return counts

    def _truths(self, condition: Formula, points: Points) -> Truths:
        return values_at(condition, points, self.known).astype(np.bool_, copy=False)


def _least(rows: NDArray[np.int64]) -> Position:
    """Return the least of some choices that stand in the order of the names."""
    row: list[int] = rows[np.abs(rows).max(axis=1).argmin()].tolist()
    return tuple(row)


def _order(position: Position) -> tuple[int, Position]:
    return max(map(abs, position)), position
