"""Functions that build lines of the statement language and change their formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import Node, render, walk
from choco_pipeline.statements import tree
from choco_pipeline.statements.tree import (
    Binding,
    Expression,
    Let,
    Proposition,
    Quantified,
    ValueSet,
)


def implied(where: str, conclusion: str) -> str:
    """Return a conclusion under a condition; the conclusion alone without one."""
    return f"({where}) => ({conclusion})" if where else conclusion


def p_iff(formula: str, where: str = "") -> str:
    """Return the line "P if and only if `formula`", for positions with `where`."""
    return implied(where, f"P <=> {formula}")


def grundy(formula: str, where: str = "") -> str:
    """Return the line "G = `formula`" for positions that satisfy `where`."""
    return implied(where, f"G == {formula}")


def up_to(largest: str, line: str) -> str:
    """Return a line for the positions with coordinates up to a limit."""
    return implied(f"size <= {largest}", line)


def by_cases(
    of: Callable[[str, str], str], formulas: Sequence[tuple[str, str]], exceptions: str = ""
) -> str:
    """Return formulas by cases as one line; the last one is for all others.

    `of` is `p_iff` or `grundy`, and `exceptions` is a condition on the positions that are left out.
    Cases for P-positions become one formula, because a statement on P-positions has only one.
    """
    wheres = [where for _, where in formulas]
    if len(formulas) > 1 and all(wheres):
        others = " or ".join(f"({where})" for where in wheres[:-1])
        wheres[-1] = f"not ({others})"
    regular = f"not ({exceptions})" if exceptions else ""
    if of is p_iff and len(formulas) > 1:
        cases = (f"({where}) and ({formula})" for formula, where in formulas if where)
        always = (f"({formula})" for formula, where in formulas if not where)
        return p_iff(" or ".join([*cases, *always]), regular)
    if regular:
        wheres = [f"({where}) and {regular}" if where else regular for where in wheres]
    pairs = zip(formulas, wheres, strict=True)
    lines = [of(formula, where) for (formula, _), where in pairs]
    return lines[0] if len(lines) == 1 else "; ".join(f"({line})" for line in lines)


def at_one_of(positions: Iterable[Sequence[object]], coordinates: Sequence[str]) -> str:
    """Return the condition that a position is one of several; empty for none."""
    places = (
        " and ".join(f"{name} == {value}" for name, value in zip(coordinates, at, strict=True))
        for at in positions
    )
    return " or ".join(f"({place})" for place in places)


def with_formulas(part: Proposition, change: Callable[[Node], Node]) -> Proposition:
    """Return a proposition with changed formulas and ranges, same arguments."""

    def changed(formula: Formula) -> Formula:
        node = change(formula.root)
        return Formula(node, render(node))

    def expression(one: Expression) -> Expression:
        return replace(one, formula=changed(one.formula))

    def binding(one: Binding) -> Binding:
        if not isinstance(one, tree.InRange) or one.span.first == one.span.last:
            return one
        span = replace(one.span, first=changed(one.span.first), last=changed(one.span.last))
        return replace(one, span=span)

    def of(one: Proposition) -> Proposition:
        match one:
            case Expression():
                return expression(one)
            case Let():
                return replace(one, value=expression(one.value), body=of(one.body))
            case ValueSet():
                return replace(
                    one,
                    value=expression(one.value),
                    condition=of(one.condition),
                    members=expression(one.members),
                )
            case Quantified():
                return replace(one, bindings=tuple(map(binding, one.bindings)), body=of(one.body))
            case _:
                return tree.rebuilt(one, of)

    return of(part)


def formulas_of(part: Proposition) -> list[Formula]:
    """Return the formulas in a proposition, its terms and its ranges, left to right."""
    formulas: list[Formula] = []
    for one in tree.walk(part):
        if isinstance(one, Expression):
            formulas.append(one.formula)
        elif isinstance(one, tree.InRange):
            first, last = one.span.first, one.span.last
            formulas += [first] if first == last else [first, last]
    return formulas


def nodes_in(formula: Formula) -> int:
    """Return the number of names, numbers, operators and functions in a formula."""
    return sum(1 for _ in walk(formula.root))
