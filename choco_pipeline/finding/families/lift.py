"""Lines with parameters from lines of single tables: integers become expressions in the parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice, product

from choco_pipeline.finding.families.combinations import (
    CONSTANT,
    Combination,
    Point,
    determined,
    shapes_of,
)
from choco_pipeline.finding.statements.lines import with_formulas
from choco_pipeline.formula.nodes import (
    Binary,
    Compare,
    Integer,
    Name,
    Negate,
    Node,
    substitute,
    with_operands,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.statements.tree import Proposition, text_of

#: Most expressions for one integer, and most combinations of them for a line.
MOST_FOR_ONE, MOST_FOR_ALL = 3, 12

#: The largest numerator and the largest denominator in an expression.
LARGEST, LARGEST_BELOW = 8, 2
#: Moduli of residue classes in which tables are compared.
MODULI = (2, 4)

#: Fewest tables in which integers are the same multiples of a term.
FEWEST_ALIKE = 3

#: Parameters, and the integers in a line.
_Instance = tuple[Point, tuple[int, ...]]

#: The first character of a hole; no name of a formula has it.
_HOLE = "#"


def lifted(of_tables: Sequence[tuple[Point, Proposition]], *, by_value: bool = False) -> list[str]:
    """Return lines with parameters that have the lines of single tables as instances.

    Lines of one form differ in integers only. Each integer is then the same in all of them, or an expression in the parameters
    that they determine exactly, in all tables or in those of one residue class. Whether a line is right for a table is another
    question. With `by_value`, tables with the same value of one of several parameters are compared, too: a residue class of a
    small family may have no others.
    """
    forms: dict[Proposition, list[_Instance]] = {}
    for point, proposition in of_tables:
        numbers: list[int] = []
        form = with_formulas(proposition, partial(_with_holes, numbers=numbers))
        forms.setdefault(form, []).append((point, tuple(numbers)))
    lines = (
        text_of(
            with_formulas(with_formulas(form, partial(_filled, holes=holes)), _with_inequalities)
        )
        for form, instances in forms.items()
        for part in _parts(instances, by_value=by_value)
        for holes in islice(_fillings(part), MOST_FOR_ALL)
    )
    return list(dict.fromkeys(lines))


def _parts(instances: Sequence[_Instance], *, by_value: bool) -> Iterator[list[_Instance]]:
    """Yield the sets of lines of one form that may be instances of one line.

    These are the ones with the smallest integers of each table, in all tables and in those of one residue class, or with one
    value of a parameter beside others, the most with integers that are multiples of a term, and the ones with the same integers.
    """
    chosen = _least(instances)
    yield chosen
    names = sorted(instances[0][0])
    for name, modulus in product(names, MODULI):
        yield from _alike(chosen, name, modulus)
    for name in names if by_value and len(names) > 1 else ():
        yield from _alike(chosen, name)
    yield from _proportional(instances)
    same: dict[tuple[int, ...], list[_Instance]] = {}
    for instance in instances:
        same.setdefault(instance[1], []).append(instance)
    yield from same.values()


def _least(instances: Sequence[_Instance]) -> list[_Instance]:
    """Return the line of each table with the smallest integers."""
    least: dict[tuple[int, ...], _Instance] = {}
    for instance in sorted(
        instances, key=lambda instance: (sum(map(abs, instance[1])), instance[1])
    ):
        least.setdefault(tuple(instance[0].values()), instance)
    return list(least.values())


def _proportional(instances: Sequence[_Instance]) -> Iterator[list[_Instance]]:
    """Yield the lines of the most tables whose integers are the same multiples of one term in the parameters.

    Several formulas of one form may be right in a small table, and those with the smallest integers may be wrong farther out.
    """
    points = [point for point, _ in instances]
    most: dict[tuple[int, ...], _Instance] = {}
    for shape in shapes_of(sorted(points[0]), points):
        if len(shape) > 1 or shape == (CONSTANT,):
            continue
        alike: dict[tuple[Fraction, ...], dict[tuple[int, ...], _Instance]] = {}
        for instance in instances:
            value = shape[0].value(instance[0])
            if value:
                multiples = tuple(Fraction(number, value) for number in instance[1])
                alike.setdefault(multiples, {})[tuple(instance[0].values())] = instance
        most = max([most, *alike.values()], key=len)
    if len(most) >= FEWEST_ALIKE:
        yield list(most.values())


def _alike(chosen: Sequence[_Instance], name: str, modulus: int = 0) -> Iterator[list[_Instance]]:
    """Yield the lines by the remainder of a parameter, or by its value without a modulus."""
    classes: dict[int, list[_Instance]] = {}
    for instance in chosen:
        value = instance[0][name]
        classes.setdefault(value % modulus if modulus else value, []).append(instance)
    yield from classes.values()


def _with_holes(node: Node, numbers: list[int]) -> Node:
    match node:
        case Integer(value):
            numbers.append(value)
            return Name(f"{_HOLE}{len(numbers) - 1}")
        case Binary("-", left, Integer(value)):
            return _with_holes(Binary("+", left, Integer(-value)), numbers)
        case _:
            return with_operands(node, lambda operand: _with_holes(operand, numbers))


def _fillings(instances: Sequence[_Instance]) -> Iterator[tuple[Combination, ...]]:
    """Yield the expressions for the holes, given the integers of the tables."""
    points = [point for point, _ in instances]
    shapes = shapes_of(sorted(points[0]), points)
    columns = zip(*(numbers for _, numbers in instances), strict=True)
    fitting = (filter(_is_short, determined(points, column, shapes)) for column in columns)
    yield from product(*(islice(fillings, MOST_FOR_ONE) for fillings in fitting))


def _is_short(combination: Combination) -> bool:
    """Whether the expression is a number, or has small coefficients."""
    return combination.is_constant or all(
        abs(c.numerator) <= LARGEST and c.denominator <= LARGEST_BELOW
        for c in combination.coefficients
    )


def _filled(node: Node, holes: Sequence[Combination]) -> Node:
    """Return a formula with expressions in its holes."""
    match node:
        case Binary("+", left, Name(name)) if name.startswith(_HOLE):
            return _sum(_filled(left, holes), holes[int(name[1:])])
        case Name(name) if name.startswith(_HOLE):
            return parse_nodes(holes[int(name[1:])].text or "0")
        case _:
            return with_operands(node, lambda operand: _filled(operand, holes))


def _sum(kept: Node, added: Combination) -> Node:
    """Return a sum without zero, and with a minus for a negative expression."""
    text = added.text
    if added.leading == 0 or text is None:
        return kept
    if added.leading < 0 and added.is_in_brackets:  # -((k+1)//2), not (-k-1)//2
        text = f"-{added.negated.text}"
    sign = "+" if added.leading > 0 else ""
    return substitute(parse_nodes(f"kept{sign}{text}"), {"kept": kept})


def _with_inequalities(node: Node) -> Node:
    """Return a condition with ``!=`` instead of ``==`` for the other residue modulo 2."""
    match node:
        case Compare(
            ("==",),
            (
                Binary("%", _, Integer(2)) as left,
                Binary("+", Negate(Binary("%", _, Integer(2)) as other), Integer(1)),
            ),
        ):
            return Compare(("!=",), (left, other))
        case _:
            return with_operands(node, _with_inequalities)
