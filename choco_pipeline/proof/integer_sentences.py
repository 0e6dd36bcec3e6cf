"""What a statement on integers says, as sentences: which integers it speaks of, and how it can be false of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.kinds.integers import Number, conditions_of
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Node, render, with_operands
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.ranges import Range
from choco_pipeline.proof.errors import NotDefinableError
from choco_pipeline.proof.linear_terms import Reader, never_negative
from choco_pipeline.proof.logic import (
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
from choco_pipeline.proof.terms import condition, value_is

#: To say that there are n integers, n of them are named: of larger numbers it is not said.
MOST_COUNTED = 4
#: Variables that are not integers of a statement: how far one is from the first of its range, and how far below 0.
FROM_FIRST, BELOW = "from_first_of_", "below_0_"
ZERO = parse("0")


class Spoken:
    """A statement on integers of which some are numbers, as sentences about the others.

    Its variables are natural numbers. An integer whose range does not begin at 0 is counted from where it begins, so that
    differences are seldom negative. One that follows from others and may be negative is a difference of two.

    Parameters
    ----------
    check
        The statement.
    fixed
        A number for each of the integers that must be one.

    Attributes
    ----------
    ranges
        That the integers lie in their ranges, for a bound `N` no less than the statement's own.
    supposed
        What else is supposed of them, and what those are that follow.

    Raises
    ------
    NotDefinableError
        If the logic cannot say it; the message names the part.
    FormulaError
        If a part has no value, whatever the integers are.
    """

    def __init__(self, check: IntegerStatement, fixed: Mapping[str, int]) -> None:
        self.check = check
        self._nodes: dict[str, Node] = {name: Integer(value) for name, value in fixed.items()}
        ranges = [self._within(name, check.all[name]) for name in check.all]
        bound = linear({"N": 1}, -check.bound, ">=")
        self.ranges = (*(part for one in ranges for part in one), bound)
        supposed = [part for name, let in check.let.items() for part in self._follows(name, let)]
        supposed += [self._says(part) for part in conditions_of(check.where)]
        self.supposed = conjunction(*supposed)

    @cached_property
    def cases(self) -> Sentence:
        """That the statement speaks of the integers, whatever the bound is, if only ranges depend on it."""
        if any("N" in free(part) for part in (self.supposed, *self.wrong)):
            return conjunction(*self.ranges, self.supposed)
        by_bound = [part for part in self.ranges if "N" in free(part)]
        others = [part for part in self.ranges if "N" not in free(part)]
        return conjunction(*others, exists(("N",), conjunction(*by_bound)), self.supposed)

    @cached_property
    def false(self) -> Sentence:
        """That it speaks of the integers and is false of them; see `cases` for the bound."""
        return disjunction(*(conjunction(self.cases, part) for part in self.wrong))

    @cached_property
    def wrong(self) -> tuple[Sentence, ...]:
        """The ways in which what it claims can be false."""
        check = self.check
        found = [negation(self._says(part)) for part in conditions_of(check.holds)]
        if check.any:
            found.append(conjunction(*(negation(self._says(part)) for part in check.any)))
        if check.equivalent:
            first, *others = map(self._says, check.equivalent)
            for other in others:
                found += [
                    conjunction(first, negation(other)),
                    conjunction(other, negation(first)),
                ]
        if check.number is not None:
            found += self._miscounted(check.number)
        return tuple(found)

    def ordered(self) -> tuple[tuple[str, ...], Sentence]:
        """Return variables for the integers of `check.all`, by which choices are compared, and what they are.

        One that may be negative is compared by how far it is from the first of its range.
        """
        order, known = [], []
        for name in self.check.all:
            value = self._filled(parse(name))
            if value.names == {name}:
                order.append(name)
            elif never_negative(_node(value)):
                order.append(name)
                known.append(value_is(name, value))
            else:
                order += self._variables([name])
        return tuple(order), conjunction(*known)

    def value(self, name: str, variables: Mapping[str, int]) -> int:
        """Return an integer of the statement, given the values of the variables and of `N`."""
        return int(self._filled(parse(name)).value(variables))

    def _within(
        self, name: str, span: Range, copy: Mapping[str, str] | None = None
    ) -> list[Sentence]:
        """Return that an integer lies in its range, which is a variable or counted by one, unless it is a number."""
        if name in self._nodes:
            return []
        first, last = self._filled(span.first), self._filled(span.last)
        if span.first == span.last:
            self._nodes[name] = _node(first)
            return []
        variable = name
        if (_is_linear(first) and first != ZERO) or not never_negative(_node(first)):
            variable = f"{FROM_FIRST}{name}"
            self._nodes[name] = Binary("+", _node(first), Name(variable))
        here = self._filled(parse(name))
        said = [] if variable != name or first == ZERO else [f"{here} >= {first}"]
        said.append(f"{here} <= {last}")
        if span.step is not None:
            step = self._filled(span.step)
            if int(step.value({})) < 1:
                raise FormulaError(f"the step of a range is at least 1, found {step}", step.text, 1)
            of = f"({here}) % ({step}) == ({first}) % ({step})"
            said.append(of if variable == name else f"{variable} % ({step}) == 0")
        return [self._condition(parse(text), copy) for text in said]

    def _follows(
        self, name: str, formula: Formula, copy: Mapping[str, str] | None = None
    ) -> list[Sentence]:
        """Return that an integer follows from others: as one variable, as two of which one is 0, or by its formula."""
        filled = self._filled(formula)
        if _is_linear(filled):
            self._nodes[name] = _node(filled)
            return []
        above, below = name, f"{BELOW}{name}"
        named = copy or {}
        is_above = self._value_is(named.get(above, above), filled, copy)
        if never_negative(_node(filled)):
            return [is_above]
        self._nodes[name] = Binary("-", Name(above), Name(below))
        is_below = self._value_is(named.get(below, below), parse(f"-({filled})"), copy)
        zero = [linear({named.get(one, one): 1}, 0, "==") for one in (above, below)]
        return [disjunction(conjunction(zero[1], is_above), conjunction(zero[0], is_below))]

    def _variables(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the variables that integers are, or are counted by; none for those whose range is one formula."""
        found = []
        for name in names:
            used = self._filled(parse(name)).names
            found += [one for one in (name, f"{FROM_FIRST}{name}") if one in used]
        return tuple(found)

    def _says(self, part: Formula, copy: Mapping[str, str] | None = None) -> Sentence:
        return self._condition(self._filled(part), copy)

    def _condition(self, filled: Formula, copy: Mapping[str, str] | None) -> Sentence:
        with self._in_its_own_names():
            return condition(filled, copy)

    def _value_is(self, variable: str, filled: Formula, copy: Mapping[str, str] | None) -> Sentence:
        with self._in_its_own_names():
            return value_is(variable, filled, copy)

    @contextmanager
    def _in_its_own_names(self) -> Iterator[None]:
        """Say what cannot be said with the statement's integers, not with what they are counted by."""
        try:
            yield
        except NotDefinableError as error:
            said = str(error)
            for name, node in self._nodes.items():
                if f"{FROM_FIRST}{name}" in (text := render(node)):
                    said = said.replace(text, name)
            raise NotDefinableError(said) from None

    def _filled(self, formula: Formula) -> Formula:
        """Return a formula with what stands for its names."""

        def replaced(node: Node) -> Node:
            if isinstance(node, Name):
                return self._nodes.get(node.name, node)
            return with_operands(node, replaced)

        return parse(render(replaced(_node(formula))))

    def _miscounted(self, number: Number) -> Iterator[Sentence]:
        """Yield that there are too few of the counted integers, and that there are too many."""
        claimed = self._filled(number.exactly or number.least or parse("0"))
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
        names = (*number.of, *number.let)
        inner = [one + name for name in names for one in ("", FROM_FIRST, BELOW)]
        copies = [{name: "'" * i + name for name in inner} for i in range(1, value + 1)]
        said: list[Sentence] = []
        for copy in copies:
            for name in names:
                self._nodes.pop(name, None)
            for name, span in number.of.items():
                said += self._within(name, span, copy)
            for name, formula in number.let.items():
                said += self._follows(name, formula, copy)
            said.append(self._says(number.such, copy))
        variables = self._variables(number.of)
        for one, other in itertools.pairwise(copies):
            said.append(_before([one[v] for v in variables], [other[v] for v in variables]))
        return exists([name for copy in copies for name in copy.values()], conjunction(*said))


def _before(some: Sequence[str], others: Sequence[str]) -> Sentence:
    """Return that numbers are before others, compared one by one."""
    if not some:
        return FALSE
    rest = conjunction(equal(some[0], others[0]), _before(some[1:], others[1:]))
    return disjunction(less(some[0], others[0]), rest)


def _is_linear(formula: Formula) -> bool:
    return Reader(formula.text, {}).linear(_node(formula)) is not None


def _node(formula: Formula) -> Node:
    return parse_nodes(formula.text, None, formula.functions)
