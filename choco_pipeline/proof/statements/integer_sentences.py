"""What a statement on integers says, as sentences: which integers it speaks of, and how it can be false of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from choco_pipeline.automata.dfa import Auxiliary, Variable
from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.kinds.integer_kinds import Number
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
    exists,
    free,
    less,
    linear,
    negation,
)
from choco_pipeline.proof.arithmetic.terms import at_most, condition, value_is
from choco_pipeline.proof.proof_errors import NotDefinableError

#: To say that there are n integers, n of them are named: of larger numbers it is not said.
MOST_COUNTED = 4


class Spoken:
    """A statement on integers of which some are numbers, as sentences about the others.

    Its variables are natural numbers, none of which a name can be. An integer with a range is counted from where that
    begins; one that follows from others and may be negative is a difference of two. Raises `NotDefinableError` if the logic
    cannot say it; the message names the part; `FormulaError` if a part has no value, whatever the integers are.
    """

    def __init__(self, check: IntegerStatement, fixed: Mapping[str, int]) -> None:
        self.check = check
        #: The variable of the bound `N`.
        self.bound = Auxiliary("N")
        self._integers = Integers({"N": Sum.of(self.bound)})
        for name, value in fixed.items():
            self._integers.set(name, Sum({}, value))
        ranges = [part for name in check.all for part in self._within(name)]
        #: That the integers lie in their ranges, for a bound no less than the statement's own.
        self.ranges = (*ranges, linear({self.bound: 1}, -check.bound, ">="))
        supposed = [
            part for name, let in check.let.items() for part in self._integers.follows(name, let)
        ]
        supposed += [self._integers.say(part) for part in check.where]
        #: What else is supposed of them, and what those are that follow.
        self.supposed = conjunction(*supposed)

    @cached_property
    def cases(self) -> Sentence:
        """That the statement speaks of the integers, whatever the bound is, if only ranges depend on it."""
        if any(self.bound in free(part) for part in (self.supposed, *self.wrong)):
            return conjunction(*self.ranges, self.supposed)
        by_bound = [part for part in self.ranges if self.bound in free(part)]
        others = [part for part in self.ranges if self.bound not in free(part)]
        return conjunction(*others, exists((self.bound,), conjunction(*by_bound)), self.supposed)

    @cached_property
    def false(self) -> Sentence:
        """That it speaks of the integers and is false of them; see `cases` for the bound."""
        return disjunction(*(conjunction(self.cases, part) for part in self.wrong))

    @cached_property
    def wrong(self) -> tuple[Sentence, ...]:
        """The ways in which what it claims can be false."""
        check, say = self.check, self._integers.say
        wrong = [negation(say(part)) for part in check.holds]
        if check.equivalent:
            first, *others = map(say, check.equivalent)
            for other in others:
                wrong += [
                    conjunction(first, negation(other)),
                    conjunction(other, negation(first)),
                ]
        if check.number is not None:
            wrong += self._miscounted(check.number)
        return tuple(wrong)

    def ordered(self) -> tuple[tuple[Variable, ...], Sentence]:
        """Return variables for the integers of `check.all`, by which choices are compared, and what they are.

        One that may be negative is compared by how far it is from the first of its range.
        """
        order: list[Variable] = []
        known = []
        for name in self.check.all:
            value = self._integers.values[name]
            if value.never_negative:
                variable = value.variable or Auxiliary(name)
                order.append(variable)
                known.append((value - Sum.of(variable)).compared("=="))
            elif name in self._integers.counted_by:
                order.append(self._integers.counted_by[name])
        return tuple(order), conjunction(*known)

    def value(self, name: str, variables: Mapping[Variable, int]) -> int:
        """Return an integer of the statement, given the values of the variables."""
        value = self._integers.values[name]
        return value.constant + sum(
            factor * variables[variable] for variable, factor in value.coefficients.items()
        )

    def _within(self, name: str) -> list[Sentence]:
        """Return that an integer lies in its range."""
        span, number = self.check.all[name], self._integers.numbers.get(name)
        if number is None:
            return self._integers.within(name, span)
        return self._integers.holding(number, span)

    def _miscounted(self, number: Number) -> Iterator[Sentence]:
        """Yield that there are too few of the counted integers, and that there are too many."""
        claimed = self._integers.filled(number.exactly or number.least or parse("0"))
        if claimed.names:
            raise NotDefinableError(f"{claimed}: a number of integers must not depend on integers")
        value = int(claimed.value({}))
        if value > MOST_COUNTED:
            raise NotDefinableError(f"{claimed}: more than {MOST_COUNTED} integers are counted")
        if value > 0:
            yield negation(self._at_least(number, value))
        if number.exactly is not None:
            yield self._at_least(number, value + 1)

    def _at_least(self, number: Number, value: int) -> Sentence:
        """Return that there are so many choices of the counted integers: one after the other, in their order."""
        sentences: list[Sentence] = []
        choices = [self._integers.beside() for _ in range(value)]
        for choice in choices:
            for name, span in number.of.items():
                sentences += choice.within(name, span)
            for name, formula in number.let.items():
                sentences += choice.follows(name, formula)
            sentences.append(choice.say(number.such))
        for first, second in itertools.pairwise(choices):
            sentences.append(_before([*first.counted_by.values()], [*second.counted_by.values()]))
        return exists([made for choice in choices for made in choice.made], conjunction(*sentences))


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


def _before(some: Sequence[Variable], others: Sequence[Variable]) -> Sentence:
    """Return that numbers are before others, compared one by one."""
    if not some:
        return FALSE
    rest = conjunction(equal(some[0], others[0]), _before(some[1:], others[1:]))
    return disjunction(less(some[0], others[0]), rest)
