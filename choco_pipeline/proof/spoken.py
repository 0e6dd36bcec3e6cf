"""That a claim speaks of all parameters for which it is to be decided: its `for_all` implies its `when`.

Two solvers decide it. What is linear is read as it is; of any other comparison nothing is supposed, so that `when` must follow
without it. A claim may have integers in `some`: `when` must then hold for all of them in their ranges, and there must be some.
"""

from __future__ import annotations

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Negate,
    Node,
    walk,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.affine import Affine, number
from choco_pipeline.proof.uniform.sentences import (
    all_of,
    any_of,
    at_least_0,
    is_0,
    names_in,
    negation,
    require_unsat,
    term,
    text,
)

Sums = dict[str, Affine]


class _ConditionReader:
    """Conditions, in which a comparison that is not linear may hold or not.

    What is no sum of parameters, such as ⌊m/2⌋, is a new name with a definition.
    """

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self._count = 0

    def _new(self) -> Affine:
        self._count += 1
        return Affine.of(f"?{self._count}")

    def sum(self, node: Node, names: Sums) -> Affine:
        """Return an integer's value; of an exponent, ``v2(n)`` or ``log2(n)``, that it is natural."""
        match node:
            case Integer(value):
                return number(value)
            case Name(name):
                return names[name]
            case Negate(operand):
                return -self.sum(operand, names)
            case Binary("+", left, right):
                return self.sum(left, names) + self.sum(right, names)
            case Binary("-", left, right):
                return self.sum(left, names) - self.sum(right, names)
            case Binary("*", left, right):
                a, b = self.sum(left, names), self.sum(right, names)
                if a.is_constant or b.is_constant:
                    return a * b
            case Binary("//" | "%" as operator, left, right):
                whole, by = self.sum(left, names), self.sum(right, names)
                if by.is_constant and by.constant > 0:
                    quotient = self._new()
                    rest = whole - quotient * by.constant
                    self.definitions += [
                        at_least_0(rest),
                        at_least_0(number(by.constant - 1) - rest),
                    ]
                    return quotient if operator == "//" else rest
            case Call("abs" | "min" | "max" as function, operands):
                values = [self.sum(operand, names) for operand in operands]
                values += [-values[0]] if function == "abs" else []
                chosen, sign = self._new(), 1 if function == "min" else -1
                self.definitions += [at_least_0((value - chosen) * sign) for value in values]
                self.definitions.append(any_of(is_0(chosen - value) for value in values))
                return chosen
            case Call("v2" | "log2", _):
                exponent = self._new()
                self.definitions.append(at_least_0(exponent))
                return exponent
            case _:
                pass
        raise UndecidedError("a formula that is no sum of parameters")

    def truth(self, node: Node, names: Sums) -> str:
        """Return a condition as SMT-LIB 2 writes it."""
        match node:
            case LogicalNot(operand):
                return negation(self.truth(operand, names))
            case Junction(operator, operands):
                join = all_of if operator == "and" else any_of
                return join([self.truth(operand, names) for operand in operands])
            case Compare(operators, operands):
                try:
                    values = [term(self.sum(operand, names)) for operand in operands]
                except UndecidedError:
                    return is_0(self._new())
                return all_of(
                    f"(distinct {a} {b})"
                    if sign == "!="
                    else f"({sign.replace('==', '=')} {a} {b})"
                    for sign, a, b in zip(operators, values, values[1:], strict=False)
                )
            case _:
                raise UndecidedError("a condition is needed, found an integer")

    def has_value(self, node: Node, names: Sums) -> str:
        """Return the sentence that every part of a formula has a value."""
        conditions = []
        for part in walk(node):
            match part:
                case Call("v2", (of,)):
                    conditions.append(negation(is_0(self.sum(of, names))))
                case Call("log2", (of,)):
                    conditions.append(at_least_0(self.sum(of, names) - 1))
                case Binary("//" | "%", _, divisor):
                    conditions.append(negation(is_0(self.sum(divisor, names))))
                case Binary("**" | "<<" | ">>", _, exponent):
                    conditions.append(at_least_0(self.sum(exponent, names)))
                case _:
                    pass
        return all_of(conditions)


def require_spoken_of(claim: Claim, clock: Clock) -> None:
    """Raise `UndecidedError` if it is not shown that a claim speaks of all that its `for_all` names."""
    statement = claim.statement
    if claim.speaks_for_all_only or statement.for_all is None or statement.when is None:
        return
    reader = _ConditionReader()
    names = {name: Affine.of(name) for name in sorted(claim.parameters)}
    given = [at_least_0(value) for value in names.values()]
    given.append(reader.truth(_node(statement.for_all), names))
    missing = []
    for name, span in statement.some.items():
        first, last = (reader.sum(_node(end), names) for end in (span.first, span.last))
        parts = [span.first, span.last, *([] if span.step is None else [span.step])]
        ends = [reader.has_value(_node(part), names) for part in parts]
        if span.step is not None:
            ends.append(at_least_0(reader.sum(_node(span.step), names) - 1))
        missing.append(negation(all_of([*ends, at_least_0(last - first)])))
        names[name] = Affine.of(name)
        # A range that has a step holds its first integer and fewer others.
        given.append(at_least_0(names[name] - first))
    when = _node(statement.when)
    missing.append(negation(all_of([reader.truth(when, names), reader.has_value(when, names)])))
    sentence = all_of([*given, *reader.definitions, any_of(missing)])
    try:
        require_unsat("for_all", text(sorted(names_in(sentence)), [], sentence), clock)
    except UndecidedError:
        raise UndecidedError(
            f"that the claim speaks of all {', '.join(sorted(claim.parameters))} with {statement.for_all}"
            f" is not shown: `when` is {statement.when}"
        ) from None


def _node(formula: Formula) -> Node:
    return parse_nodes(formula.text)
