"""Which integers of a statement are numbers before it is decided: divisors, shifts, factors, powers, and small ones."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice

from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.language.claim import assignments
from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import Binary, Name, Node, render, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.ranges import Range
from choco_pipeline.proof.proof_errors import NotDefinableError

#: A statement is decided for so many choices of its fixed integers, the first ones: each takes its share of the time.
MOST_CHOICES = 100

_BY_THE_RIGHT = frozenset({"//", "%", "<<", ">>"})


def fixed_integers(check: IntegerStatement) -> tuple[str, ...]:
    """Return the names among `check.all` of integers that are numbers when the statement is decided.

    These divide, shift or multiply others, or the ranges of such ones use them; or they have a range that neither the bound
    nor other integers make longer. Of a product of two names the one that is named first is the factor.

    Raises
    ------
    NotDefinableError
        If the bound or an integer that is counted must be a number; or if finitely many integers are left, of which a
        proof says no more than the check does.

    Examples
    --------
    >>> check = IntegerStatement.model_validate(
    ...     {"kind": "integers", "bound": 9, "all": {"k": "1..5", "z": "0..N"}, "holds": "z - k*(z//k) < k"}
    ... )
    >>> fixed_integers(check)
    ('k',)
    """
    formulas = list(_formulas(check))
    needed = {name: part for f in formulas for name, part in _by_operators(f)}
    needed |= dict(_by_steps(check))
    _close(check, needed)
    while (product := _product(check, formulas, needed)) is not None:
        for name in _factor(check, product, needed):
            needed[name] = render(product)
        _close(check, needed)
    counted = () if check.number is None else tuple(check.number.of)
    for name in ("N", *counted):
        if name in needed:
            what = "is a bound" if name == "N" else "is counted"
            raise NotDefinableError(f"{needed[name]}: {name} {what}, and must be a number there")
    for name, span in check.all.items():
        if span.names <= needed.keys():
            needed.setdefault(name, span.text)
    fixed = tuple(name for name in check.all if name in needed)
    if not any("N" in span.names for name, span in check.all.items() if name not in needed):
        longer = ", ".join(name for name in fixed if "N" in check.all[name].names)
        given = f"given {longer} there are" if longer else "there are"
        raise NotDefinableError(f"{given} finitely many integers, which the check looks at")
    return fixed


def choices(check: IntegerStatement, fixed: tuple[str, ...]) -> tuple[list[dict[str, int]], bool]:
    """Return the values of the fixed integers that a statement is decided for, and whether it speaks of no others.

    They are the first `MOST_CHOICES` in their ranges up to the statement's own bound. A range that is longer for a larger
    bound has others.
    """
    spans = {name: check.all[name] for name in fixed}
    first = list(islice(assignments(spans, {"N": check.bound}), MOST_CHOICES + 1))
    are_all = len(first) <= MOST_CHOICES and not any("N" in span.names for span in spans.values())
    return [{name: choice[name] for name in fixed} for choice in first[:MOST_CHOICES]], are_all


def _formulas(check: IntegerStatement) -> Iterator[Formula]:
    for _, part, _ in check.parts(frozenset()):
        match part:
            case Formula():
                yield part
            case Range():
                yield from (part.first, part.last)
            case None:
                pass


def _by_operators(formula: Formula) -> Iterator[tuple[str, str]]:
    """Yield the names that an operator needs as numbers, each with the part that says so."""
    for node in _nodes(formula):
        if isinstance(node, Binary) and node.operator in _BY_THE_RIGHT:
            yield from ((name, render(node)) for name in _names(node.right))
        if isinstance(node, Binary) and node.operator == "**":
            yield from ((name, render(node)) for name in _names(node))


def _by_steps(check: IntegerStatement) -> Iterator[tuple[str, str]]:
    for _, part, _ in check.parts(frozenset()):
        if isinstance(part, Range) and part.step is not None:
            yield from ((name, part.text) for name in part.step.names)


def _close(check: IntegerStatement, needed: dict[str, str]) -> None:
    """Add the names that those of `needed` follow from, and those that their ranges use."""
    let = _lets(check)
    waiting = list(needed)
    while waiting:
        name = waiting.pop()
        before: Set[str] = frozenset()
        if name in let:
            before = let[name].names
        elif name in check.all:  # up to the statement's own bound
            before = check.all[name].names - {"N"}
        new = before - needed.keys()
        needed |= dict.fromkeys(new, needed[name])
        waiting += new


def _product(
    check: IntegerStatement, formulas: list[Formula], needed: dict[str, str]
) -> Binary | None:
    """Return a product of two parts neither of which is a number yet."""
    for formula in formulas:
        for node in _nodes(formula):
            if (
                isinstance(node, Binary)
                and node.operator == "*"
                and _open(check, _names(node.left), needed)
                and _open(check, _names(node.right), needed)
            ):
                return node
    return None


def _factor(check: IntegerStatement, product: Binary, needed: dict[str, str]) -> list[str]:
    """Return the names that make one side of a product a number: the side whose first name stands first."""
    number = check.number
    order = [*check.all, *check.let, *(() if number is None else (*number.of, *number.let)), "N"]
    sides = [_open(check, _names(side), needed) for side in (product.left, product.right)]
    return min(sides, key=lambda names: min(map(order.index, names)))


def _open(check: IntegerStatement, names: Set[str], needed: dict[str, str]) -> list[str]:
    """Return the names that are no numbers, though those of `needed` are."""
    let = _lets(check)
    return [
        name
        for name in sorted(names)
        if name not in needed and (name not in let or _open(check, let[name].names, needed))
    ]


def _lets(check: IntegerStatement) -> dict[str, Formula]:
    return {**check.let, **({} if check.number is None else check.number.let)}


def _nodes(formula: Formula) -> Iterator[Node]:
    return walk(parse_nodes(formula.text, None, formula.functions))


def _names(node: Node) -> Set[str]:
    return {part.name for part in walk(node) if isinstance(part, Name)}
