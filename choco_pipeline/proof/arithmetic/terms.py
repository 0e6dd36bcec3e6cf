"""Translation of formulas into sentences of linear and bitwise arithmetic.

Idea: the logic has no negative numbers, but formulas such as x-z do. So a value remains a linear combination of variables as long as
possible. A value that must become a variable has two cases by sign: t, or -t-1, whose two's complement has the inverted bits of t.

Invariant: a sentence is equivalent to its part of the formula. Auxiliary variables are bound where they are used, and each has exactly
one value. So a sentence can be negated.

Cost: two cases for each value of either sign that becomes a variable. Formulas beyond `MOST_AUXILIARY` or `MOST_COMPARISONS`, with
nested abs or long nim-sums of differences, raise an error. So do parts that are not expressible, such as products of coordinates.
Source: V. Bruyère, G. Hansel, C. Michaux and R. Villemaire, Logic and p-recognizable sets of integers,
Bulletin of the Belgian Mathematical Society 1 (1994).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from choco_pipeline.automata.dfa import Auxiliary, Variable
from choco_pipeline.formula import Formula
from choco_pipeline.formula.exact import Place
from choco_pipeline.formula.nodes import (
    FUNCTIONS,
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Negate,
    Node,
    is_truth,
    nim_terms,
    render,
    walk,
)
from choco_pipeline.proof.arithmetic.logic import (
    FALSE,
    Bitwise,
    Linear,
    NimSumZero,
    Operator,
    Relation,
    Sentence,
    conjunction,
    disjunction,
    exists,
    linear,
    negation,
)
from choco_pipeline.proof.proof_errors import NotDefinableError

#: Limit of auxiliary variables of a formula. Each value of either sign doubles the cases.
MOST_AUXILIARY = 2000
#: Limit of comparisons of a formula. Each nested abs doubles them.
MOST_COMPARISONS = 20_000

_BITWISE: dict[str, Operator] = {"^": "^", "&": "&", "|": "|"}


@dataclass(frozen=True)
class Sum:
    """The linear combination Σ c·x + constant, an integer of either sign."""

    coefficients: Mapping[Variable, int]
    constant: int = 0

    @classmethod
    def of(cls, name: Variable) -> Sum:
        """Return the sum with a single term, the variable with coefficient 1."""
        return cls({name: 1})

    def __add__(self, other: Sum) -> Sum:
        names = [*self.coefficients, *(n for n in other.coefficients if n not in self.coefficients)]
        total = {n: self.coefficients.get(n, 0) + other.coefficients.get(n, 0) for n in names}
        return Sum({n: c for n, c in total.items() if c}, self.constant + other.constant)

    def __sub__(self, other: Sum) -> Sum:
        return self + other.times(-1)

    def plus(self, constant: int) -> Sum:
        """Add an integer."""
        return Sum(self.coefficients, self.constant + constant)

    def times(self, factor: int) -> Sum:
        """Multiply by an integer."""
        scaled = {n: c * factor for n, c in self.coefficients.items() if factor}
        return Sum(scaled, self.constant * factor)

    def compared(self, relation: Relation) -> Linear:
        """Return the sentence: sum (relation) 0."""
        return linear(self.coefficients, self.constant, relation)

    @property
    def never_negative(self) -> bool:
        """Whether all coefficients and the constant are at least 0."""
        return self.constant >= 0 and min(self.coefficients.values(), default=0) >= 0

    @property
    def variable(self) -> Variable | None:
        """The variable, if the sum is a single variable."""
        if self.constant == 0 and list(self.coefficients.values()) == [1]:
            return next(iter(self.coefficients))
        return None


#: The meaning of a name in a formula: a variable, or a linear combination of variables.
Meaning = Variable | Sum


def at_most(
    value: Meaning, formula: Formula, names: Mapping[str, Meaning] | None = None
) -> Sentence:
    """Return the sentence ``value <= formula``.

    `names` has the meanings of names in the formula; by default a name is a variable. Raises `NotDefinableError` if the formula
    multiplies coordinates, has a power, v2 or a table, or divides or shifts by a non-constant.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> at_most("y", parse("(x+z)//3")) == linear({"y": 3, "x": -1, "z": -1}, 0, "<=")
    True
    """
    terms = Terms(formula, names or {})
    return terms.at_most(_sum(value), terms.root)


def value_is(
    value: Meaning, formula: Formula, names: Mapping[str, Meaning] | None = None
) -> Sentence:
    """Return the sentence ``value == formula``; see `at_most`."""
    terms = Terms(formula, names or {})
    return terms.equals(_sum(value), terms.root)


def condition(formula: Formula, names: Mapping[str, Meaning] | None = None) -> Sentence:
    """Return the sentence of a condition; see `at_most`."""
    terms = Terms(formula, names or {})
    return terms.truth(terms.root)


class Terms:
    """Translation of a formula. Raises `FormulaError` if a part is always undefined."""

    def __init__(self, formula: Formula, names: Mapping[str, Meaning]) -> None:
        undefined = formula.always_undefined()
        if undefined is not None:
            raise undefined
        #: The formula, for error messages.
        self.text = formula.text
        self.root = formula.root
        self._names = {name: _sum(value) for name, value in names.items()}
        self._auxiliary = 0
        self._comparisons = 0

    def linear(self, node: Node) -> Sum | None:
        """Return the value as a linear combination of variables, if it is one."""
        if self.is_constant(node):
            return Sum({}, self._integer(node))
        match node:
            case Name():
                return self._of(node)
            case Negate():
                value = self.linear(node.operand)
                return None if value is None else value.times(-1)
            case Binary("+" | "-"):
                left, right = self.linear(node.left), self.linear(node.right)
                if left is None or right is None:
                    return None
                return left + right if node.operator == "+" else left - right
            case Binary("*" | "<<"):
                factor, other = self.factor(node)
                value = self.linear(other)
                return None if value is None else value.times(factor)
            case _:
                return None

    def never_negative(self, node: Node) -> bool:
        """Whether the value is not negative for natural numbers, by its form."""
        match node:
            case Integer():
                return node.value >= 0
            case Name():
                return self._of(node).never_negative
            case Binary("+" | "*" | "^" | "|" | "//" | ">>" | "<<", left, right):
                return self.never_negative(left) and self.never_negative(right)
            case Binary("&", left, right):
                return self.never_negative(left) or self.never_negative(right)
            case Binary("%", _, right):
                return self.never_negative(right)
            case Call("min", arguments):
                return all(map(self.never_negative, arguments))
            case Call("max", arguments):
                return any(map(self.never_negative, arguments))
            case Call("abs"):
                return True
            case _:
                return False

    def factor(self, node: Binary) -> tuple[int, Node]:
        """Return the constant factor of a product or a left shift, and the other factor."""
        if self.is_constant(node.right):
            return self._constant(node), node.left
        if node.operator == "*" and self.is_constant(node.left):
            return self._integer(node.left), node.right
        raise self.not_definable(node)

    def divisor(self, node: Binary) -> int:
        """Return the constant divisor of a quotient, remainder or right shift."""
        if not self.is_constant(node.right):
            raise self.not_definable(node)
        return self._constant(node)

    def is_constant(self, node: Node) -> bool:
        """Whether `node` contains no names and no tables."""
        return not any(
            isinstance(part, Name) or (isinstance(part, Call) and part.function not in FUNCTIONS)
            for part in walk(node)
        )

    def not_definable(self, node: Node) -> NotDefinableError:
        """Return the error that explains why `node` is not expressible."""
        if is_truth(node):
            why = "is true or false, an integer is needed"
        elif isinstance(node, Binary):
            why = {
                "*": "multiplies two coordinates, and only multiples by a constant are linear",
                "**": "is a power, which is not linear",
            }.get(node.operator, f"has a right operand of {node.operator} that is not a constant")
        elif isinstance(node, Call) and node.function in ("v2", "log2"):
            why = "is an exponent, which no automaton can compare with a number"
        else:
            why = "looks up a table, which ends"
        return NotDefinableError(f"{self.text}: {render(node)} {why}")

    def _of(self, name: Name) -> Sum:
        return self._names.get(name.name, Sum.of(name.name))

    def _constant(self, node: Binary) -> int:
        """Return the constant factor or divisor of `node`; for a shift, a power of 2."""
        if node.operator in ("<<", ">>"):
            return self._integer(replace(node, operator="<<", left=Integer(1)))
        return self._integer(node.right)

    def _integer(self, node: Node) -> int:
        return Place(self.text, {}, {}).value(node)

    def truth(self, node: Node) -> Sentence:
        """Return the sentence of a condition."""
        match node:
            case LogicalNot():
                return negation(self.truth(node.operand))
            case Junction():
                parts = map(self.truth, node.operands)
                return conjunction(*parts) if node.operator == "and" else disjunction(*parts)
            case Compare():
                sides = zip(node.operators, node.operands, node.operands[1:], strict=False)
                return conjunction(*(self._compared(*side) for side in sides))
            case _:
                raise NotDefinableError(
                    f"{self.text}: {render(node)} is an integer, a condition is needed"
                )

    def _compared(self, operator: str, left: Node, right: Node) -> Sentence:
        match operator:
            case ">" | ">=":
                return self._compared(operator.replace(">", "<"), right, left)
            case "!=":
                return negation(self._compared("==", left, right))
            case "==":
                return self._same(left, right)
            case _:
                extra = 1 if operator == "<" else 0
                high = self.linear(right)
                if high is not None:
                    return negation(self.at_most(high.plus(1 - extra), left))
                return self._with(left, lambda low: self.at_most(low.plus(extra), right))

    def _same(self, left: Node, right: Node) -> Sentence:
        xor = next((n for n in (left, right) if isinstance(n, Binary) and n.operator == "^"), None)
        if xor is not None:
            parts = [*nim_terms(left), *nim_terms(right)]
            return self._nim_sum_is_zero([part for part in parts if part != Integer(0)], [], False)
        known = self.linear(left)
        if known is not None:
            return self.equals(known, right)
        return self._with(right, lambda value: self.equals(value, left))

    def _nim_sum_is_zero(
        self, parts: list[Node], digits: list[Variable], inverted: bool
    ) -> Sentence:
        if not parts:
            return FALSE if inverted else NimSumZero(tuple(digits))
        return self._digits(
            parts[0],
            lambda name, negative: self._nim_sum_is_zero(
                parts[1:], [*digits, name], inverted != negative
            ),
        )

    def at_most(self, low: Sum, node: Node) -> Sentence:
        """Return ``low <= node``, if possible without a variable for the node."""
        self._comparisons += 1
        if self._comparisons > MOST_COMPARISONS:
            raise NotDefinableError(
                f"{self.text}: more than {MOST_COMPARISONS:,} comparisons are needed"
            )
        value = self.linear(node)
        if value is not None:
            return (low - value).compared("<=")
        match node:
            case Negate():
                return negation(self.at_most(low.times(-1).plus(1), node.operand))
            case Binary("//" | ">>"):
                divisor = self.divisor(node)
                if divisor > 0:
                    return self.at_most(low.times(divisor), node.left)
            case Binary("+" | "-"):
                left, right = self.linear(node.left), self.linear(node.right)
                if right is not None:
                    return self.at_most(
                        low - right if node.operator == "+" else low + right, node.left
                    )
                if left is not None and node.operator == "+":
                    return self.at_most(low - left, node.right)
                if left is not None:
                    return negation(self.at_most((left - low).plus(1), node.right))
            case Call("min", arguments):
                return conjunction(*(self.at_most(low, part) for part in arguments))
            case Call("max", arguments):
                return disjunction(*(self.at_most(low, part) for part in arguments))
            case Call("abs", (argument,)):
                return disjunction(self.at_most(low, argument), self.at_most(low, Negate(argument)))
            case _:
                pass
        return self._with(node, lambda total: (low - total).compared("<="))

    def equals(self, value: Sum, node: Node) -> Sentence:
        """Return ``value == node``."""
        if self._is_comparison(node):
            return conjunction(
                self.at_most(value, node), negation(self.at_most(value.plus(1), node))
            )
        return self._with(node, lambda total: (value - total).compared("=="))

    def _with(self, node: Node, body: Callable[[Sum], Sentence]) -> Sentence:
        """Return `body` applied to the value of `node`."""
        value = self.linear(node)
        if value is not None:
            return body(value)
        match node:
            case Negate():
                return self._with(node.operand, lambda total: body(total.times(-1)))
            case Binary("+", left, right):
                return self._with(left, lambda a: self._with(right, lambda b: body(a + b)))
            case Binary("-", left, right):
                return self._with(left, lambda a: self._with(right, lambda b: body(a - b)))
            case Binary("*" | "<<"):
                factor, other = self.factor(node)
                return self._with(other, lambda total: body(total.times(factor)))
            case Binary("//" | ">>" | "%", left):
                divisor = self.divisor(node)
                return self._with(left, lambda a: self._divided(node.operator, a, divisor, body))
            case Binary("^" | "&" | "|", left, right):
                op = _BITWISE[node.operator]
                return self._digits(
                    left,
                    lambda a, a_negative: self._digits(
                        right,
                        lambda b, b_negative: self._bitwise(op, a, a_negative, b, b_negative, body),
                    ),
                )
            case Call("min" | "max" | "abs"):
                return self._auxiliary_for(
                    self.never_negative(node), lambda total: self.equals(total, node), body
                )
            case _:
                raise self.not_definable(node)

    def _divided(
        self, operator: str, dividend: Sum, divisor: int, body: Callable[[Sum], Sentence]
    ) -> Sentence:
        # a//-k is -a//k, and a % -k is -(-a % k).
        sign = 1 if divisor > 0 else -1
        dividend, size = dividend.times(sign), abs(divisor)

        def rest(quotient: Sum) -> Sum:
            return dividend - quotient.times(size)

        return self._auxiliary_for(
            dividend.never_negative,
            lambda q: conjunction(rest(q).compared(">="), rest(q).plus(-size).compared("<")),
            lambda q: body(rest(q).times(sign) if operator == "%" else q),
        )

    def _bitwise(
        self,
        op: Operator,
        a: Variable,
        a_negative: bool,
        b: Variable,
        b_negative: bool,
        body: Callable[[Sum], Sentence],
    ) -> Sentence:
        """Return `body` applied to a op b; negative operands have inverted bits."""
        digits = self._fresh()
        total = Sum.of(digits)
        inverted = total.times(-1).plus(-1)
        apply: Operator
        match op, a_negative, b_negative:
            case ("^", _, _):
                apply, value = "^", inverted if a_negative != b_negative else total
            case (_, False, False):
                apply, value = op, total
            case ("&", True, True):  # ~a & ~b is ~(a | b)
                apply, value = "|", inverted
            case ("|", True, True):
                apply, value = "&", inverted
            case ("&", _, _):  # ~a & b is b - (a & b)
                apply, value = "&", Sum.of(b if a_negative else a) - total
            case _:  # ~a | b is ~(a & ~b), and a & ~b is a - (a & b)
                apply, value = "&", (total - Sum.of(a if a_negative else b)).plus(-1)
        return exists((digits,), conjunction(Bitwise(apply, a, b, digits), body(value)))

    def _digits(self, node: Node, body: Callable[[Variable, bool], Sentence]) -> Sentence:
        """Return `body` applied to the node's bits, which are inverted if negative."""

        def of_value(value: Sum) -> Sentence:
            if value.variable is not None:
                return body(value.variable, False)
            name = self._fresh()
            same = (value - Sum.of(name)).compared("==")
            positive = exists((name,), conjunction(same, body(name, False)))
            if value.never_negative:
                return positive
            inverse = (value + Sum.of(name)).plus(1).compared("==")
            return disjunction(positive, exists((name,), conjunction(inverse, body(name, True))))

        return self._with(node, of_value)

    def _auxiliary_for(
        self,
        never_negative: bool,
        definition: Callable[[Sum], Sentence],
        body: Callable[[Sum], Sentence],
    ) -> Sentence:
        """Return `body` applied to the unique integer that satisfies `definition`."""
        name = self._fresh()
        values = [Sum.of(name)] if never_negative else [Sum.of(name), Sum({name: -1}, -1)]
        cases = (exists((name,), conjunction(definition(value), body(value))) for value in values)
        return disjunction(*cases)

    def _is_comparison(self, node: Node) -> bool:
        """Whether two calls of `at_most` are better than a variable for `node`."""
        match node:
            case Call("min" | "max" | "abs") | Binary("//" | ">>"):
                return self.linear(node) is None
            case Binary("+" | "-", left, right):
                comparisons = self._is_comparison(left) + self._is_comparison(right)
                linears = (self.linear(left) is not None) + (self.linear(right) is not None)
                return comparisons == linears == 1
            case Negate():
                return self._is_comparison(node.operand)
            case _:
                return False

    def _fresh(self) -> Auxiliary:
        self._auxiliary += 1
        if self._auxiliary > MOST_AUXILIARY:
            raise NotDefinableError(
                f"{self.text}: more than {MOST_AUXILIARY} auxiliary variables are needed"
            )
        return Auxiliary(f"'{self._auxiliary}")


def _sum(meaning: Meaning) -> Sum:
    return meaning if isinstance(meaning, Sum) else Sum.of(meaning)
