"""Small changes to formulas: constants, operators, comparisons, conjunctions; each makes another formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from choco_pipeline.formula import Formula, FormulaError, Range, nodes, parse, parse_range
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import Notation
from choco_pipeline.statements.tree import Expression, term_text

OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "**": "*",
    "//": "%",
    "%": "//",
    "^": "|",
    "&": "|",
    "|": "^",
    "<<": "*",
    ">>": "<<",
}
COMPARISONS = {
    "==": ("<=",),
    "!=": ("==", "<"),
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
}
FUNCTIONS = {"min": "max", "max": "min"}


def mutants(formula: Formula) -> Iterator[Formula]:
    """Yield formulas with one small change, in the order in which they are written."""
    root = parse_nodes(formula.text, None, formula.functions)
    for changed in _changes(root):
        try:
            mutant = parse(nodes.render(changed), functions=formula.functions)
        except FormulaError:  # a constant that must not be negative, say
            continue
        if mutant != formula:
            yield mutant


def small_changes(part: Formula | Range | None) -> Iterator[Formula | Range]:
    """Yield the small changes of a formula, or a range that begins or ends one off."""
    match part:
        case Formula():
            yield from mutants(part)
        case Range(first, last, step) if first != last:
            steps = "" if step is None else f" step {step}"
            yield parse_range(f"({first})+1..{last}{steps}")
            yield parse_range(f"{first}..({last})-1{steps}")


def conjunct_mutants(whole: Formula) -> Iterator[list[Formula]]:
    """Yield the small changes of each condition that is joined by ``and``, and of the word itself."""
    parts = whole.conjuncts
    for i, part in enumerate(parts):
        changed = ([*parts[:i], one, *parts[i + 1 :]] for one in mutants(part))
        yield [Formula.joined("and", *some) if len(parts) > 1 else some[0] for some in changed]
    if len(parts) > 1:
        yield [Formula.joined("or", *parts)]


def changed_parts(part: Any) -> Iterator[list[Any]]:
    """Yield, for each formula in a part of a statement, this part with each small change of the formula."""
    match part:
        case Range():
            yield list(small_changes(part))
        case Expression(formula, terms):
            names = {name: f"term{i}" for i, (name, _) in enumerate(terms)}
            back = {short: name for name, short in names.items()}
            whole = parse(formula.rename_all(names).text)
            for versions in conjunct_mutants(whole):
                yield [replace(part, formula=one.rename_all(back)) for one in versions]
            for i, (name, term) in enumerate(terms):
                for versions in changed_parts(term):
                    yield [
                        Expression(
                            formula.rename_all({name: term_text(one)}),
                            (*terms[:i], (term_text(one), one), *terms[i + 1 :]),
                        )
                        for one in versions
                    ]
        case tuple():
            for i, inside in enumerate(part):
                for versions in changed_parts(inside):
                    yield [(*part[:i], one, *part[i + 1 :]) for one in versions]
        case _ if is_dataclass(part) and not isinstance(part, Notation):
            for field in fields(part):
                for versions in changed_parts(getattr(part, field.name)):
                    yield [replace(part, **{field.name: one}) for one in versions]


def _changes(node: nodes.Node) -> Iterator[nodes.Node]:
    match node:
        case nodes.Integer(value):
            yield replace(node, value=value + 1)
            yield replace(node, value=value - 1)
        case nodes.Name():
            pass
        case nodes.Negate(operand):
            yield operand
            yield from (replace(node, operand=changed) for changed in _changes(operand))
        case nodes.LogicalNot(operand):
            yield operand
            yield from (replace(node, operand=changed) for changed in _changes(operand))
        case nodes.Binary(operator, left, right):
            yield replace(node, operator=OPERATORS[operator])
            yield from (replace(node, left=changed) for changed in _changes(left))
            yield from (replace(node, right=changed) for changed in _changes(right))
        case nodes.Call(function, arguments):
            if function in FUNCTIONS:
                yield replace(node, function=FUNCTIONS[function])
            for i, argument in enumerate(arguments):
                for changed in _changes(argument):
                    parts = (*arguments[:i], changed, *arguments[i + 1 :])
                    yield replace(node, arguments=parts)
        case nodes.Compare(operators, operands):
            for i, operator in enumerate(operators):
                for other in COMPARISONS[operator]:
                    signs = (*operators[:i], other, *operators[i + 1 :])
                    yield replace(node, operators=signs)
            for i, operand in enumerate(operands):
                for changed in _changes(operand):
                    yield replace(node, operands=(*operands[:i], changed, *operands[i + 1 :]))
        case nodes.Junction(operator, operands):
            yield replace(node, operator="or" if operator == "and" else "and")
            for i, operand in enumerate(operands):
                for changed in _changes(operand):
                    yield replace(node, operands=(*operands[:i], changed, *operands[i + 1 :]))
