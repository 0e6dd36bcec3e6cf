"""Named integers in sentences: those of ranges, those that follow from others, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from choco_pipeline.automata.dfa import Auxiliary, Variable
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.ranges import Range
from choco_pipeline.proof.arithmetic.linear_terms import Sum, TermReader
from choco_pipeline.proof.arithmetic.logic import (
    FALSE,
    Sentence,
    conjunction,
    disjunction,
    equal,
    less,
    linear,
)
from choco_pipeline.proof.arithmetic.terms import at_most, condition, value_is


@dataclass
class Integers:
    """Named integers, each a sum of multiples of variables that were made for it or for those before."""

    #: The integers.
    values: dict[str, Sum]
    #: Those that are numbers: they may divide, shift and multiply.
    numbers: dict[str, int] = field(default_factory=dict)
    #: All variables.
    made: list[Variable] = field(default_factory=list)
    #: For an integer with a range, the variable that says how far it is from where that begins.
    counted_by: dict[str, Variable] = field(default_factory=dict)

    def beside(self) -> Integers:
        """Return the same integers, to which others are added that these do not know."""
        return Integers(dict(self.values), dict(self.numbers))

    def is_value(self, value: Sum, formula: Formula) -> Sentence:
        """Return that a formula has a value."""
        return value_is(value, self.filled(formula), self.values)

    def set(self, name: str, value: Sum) -> None:
        """Name an integer."""
        self.values[name] = value
        if not value.coefficients:
            self.numbers[name] = value.constant

    def within(self, name: str, span: Range) -> list[Sentence]:
        """Name an integer of a range, and return what says that it lies there."""
        step = 1 if span.step is None else int(self.filled(span.step).value({}))
        if step < 1:
            raise FormulaError(f"the step of a range is at least 1, found {step}", span.text, 1)
        if span.first == span.last:
            return self.follows(name, span.first)
        first, sentences = self._value_of(span.first, name)
        steps = self.counted_by[name] = self._made(name)
        self.set(name, first + Sum.of(steps))
        sentences.append(at_most(self.values[name], self.filled(span.last), self.values))
        if step > 1:
            sentences.append(condition(parse(f"v % {step} == 0"), {"v": steps}))
        return sentences

    def holding(self, number: int, span: Range) -> list[Sentence]:
        """Return what says that a range holds a number."""
        parts = [f"{span.first} <= {number}", f"{number} <= {span.last}"]
        if span.step is not None:
            parts.append(f"({number}-({span.first})) % ({span.step}) == 0")
        return [self.say(parse(part)) for part in parts]

    def follows(self, name: str, formula: Formula) -> list[Sentence]:
        """Name the value of a formula, and return what says that it is this."""
        value, sentences = self._value_of(formula, name)
        self.set(name, value)
        return sentences

    def say(self, part: Formula) -> Sentence:
        """Return a condition on the integers."""
        return condition(self.filled(part), self.values)

    def filled(self, formula: Formula) -> Formula:
        """Return a formula with the numbers in it."""
        return formula.substitute(
            {name: self.numbers[name] for name in formula.names & self.numbers.keys()}
        )

    def _value_of(self, formula: Formula, label: str) -> tuple[Sum, list[Sentence]]:
        """Return the value of a formula, and what says that it is this: one variable, or two of which one is 0."""
        filled = self.filled(formula)
        reader = TermReader(filled.text, self.values)
        root = parse_nodes(filled.text, None, filled.functions)
        value = reader.linear(root)
        if value is not None:
            return value, []
        above = self._made(label)
        is_above = value_is(above, filled, self.values)
        if reader.never_negative(root):
            return Sum.of(above), [is_above]
        below = self._made(f"-{label}")
        is_below = value_is(Sum({below: -1}), filled, self.values)
        zero = [linear({side: 1}, 0, "==") for side in (above, below)]
        either = disjunction(conjunction(zero[1], is_above), conjunction(zero[0], is_below))
        return Sum({above: 1, below: -1}), [either]

    def _made(self, label: str) -> Auxiliary:
        variable = Auxiliary(label)
        self.made.append(variable)
        return variable


def before(some: Sequence[Variable], others: Sequence[Variable]) -> Sentence:
    """Return that numbers are before others, compared one by one."""
    if not some:
        return FALSE
    rest = conjunction(equal(some[0], others[0]), before(some[1:], others[1:]))
    return disjunction(less(some[0], others[0]), rest)
