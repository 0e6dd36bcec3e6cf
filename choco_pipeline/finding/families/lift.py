"""From the formulas of single tables to one with parameters: integers in formulas of one form become expressions in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from choco_pipeline.finding.families.combinations import (
    CONSTANT,
    Combination,
    Point,
    determined,
    shapes_of,
)
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import (
    Binary,
    Compare,
    Integer,
    Name,
    Negate,
    Node,
    render,
    with_operands,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.mining.table_findings import Finding, FormulasFinding, ShiftsFinding

#: For one integer so many expressions are tried, and for all integers of a formula so many combinations of them.
MOST_FOR_ONE, MOST_FOR_ALL = 3, 12

#: Numbers in the expressions are no larger, and no larger where they divide.
LARGEST, LARGEST_BELOW = 8, 2
#: Tables are also compared within the residue classes of a parameter.
MODULI = (2, 4)

#: In so many tables integers are to be the same multiples of a term.
FEWEST_ALIKE = 3

#: Parameters, and the integers in a formula.
_Instance = tuple[Point, tuple[int, ...]]

#: What a hole begins with; no name of a formula can.
_HOLE = "#"


@dataclass(frozen=True)
class LabelledFormula:
    """What was found in one table, or for a whole family in terms of its parameters."""

    #: "P iff" or "G =".
    label: str
    #: Texts of the formula language; `where` is empty for everywhere.
    formula: str
    where: str = ""
    #: Positions at which the formula is wrong, each coordinate a text of that language.
    exceptions: tuple[tuple[str, ...], ...] = ()

    @property
    def size(self) -> tuple[int, str]:
        """What statements are compared by: the length of their formulas."""
        parts = [self.formula, self.where, *(part for place in self.exceptions for part in place)]
        return sum(map(len, parts)), " ".join(parts)


def labelled_formulas_in(finding: Finding, *, with_pass: bool) -> Iterator[LabelledFormula]:
    """Yield what a finding of one table says that is right all over that table: each case, and each shift, by itself."""
    if isinstance(finding, FormulasFinding):
        exceptions = tuple(tuple(map(str, place)) for place in finding.exceptions)
        for case in finding.formulas:
            yield LabelledFormula(finding.label, case.formula, case.where, exceptions)
    elif isinstance(finding, ShiftsFinding):
        for best in finding.best:
            if best.mismatches == 0:
                yield LabelledFormula("P iff", parse(best.formula(with_pass=with_pass)).text)


def lifted(
    of_tables: Sequence[tuple[Point, LabelledFormula]], *, by_value: bool = False
) -> dict[LabelledFormula, Point]:
    """Return statements with parameters that formulas of single tables are instances of, and for which parameters one is.

    Formulas of one form differ in integers only. Each integer is then the same in all of them, or an expression in the
    parameters that they determine exactly, in all tables or in those of one residue class. A sum with 0 may be missing in a table: what a statement says there is for a
    test to find out, not for its form. What was found comes with the parameters that it was found for. If asked `by_value`,
    tables are also compared in which one of several parameters is the same: of few tables a residue class has none but those.
    """
    forms: dict[_Form, list[_Instance]] = {}
    for point, labelled in of_tables:
        form, numbers = _form(labelled)
        forms.setdefault(form, []).append((point, numbers))
    statements: dict[LabelledFormula, Point] = {}
    for form, instances in forms.items():
        for part in _parts(instances, by_value=by_value):
            for holes in islice(_fillings(part), MOST_FOR_ALL):
                statements.setdefault(form.filled(holes), part[0][0])
    return statements


def _parts(instances: Sequence[_Instance], *, by_value: bool) -> Iterator[list[_Instance]]:
    """Yield formulas of one form that may be instances of one statement.

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
    """Return the formula of each table with the smallest integers."""
    least: dict[tuple[int, ...], _Instance] = {}
    for instance in sorted(
        instances, key=lambda instance: (sum(map(abs, instance[1])), instance[1])
    ):
        least.setdefault(tuple(instance[0].values()), instance)
    return list(least.values())


def _proportional(instances: Sequence[_Instance]) -> Iterator[list[_Instance]]:
    """Yield the formulas of the most tables whose integers are the same multiples of one term in the parameters.

    In a small table several formulas of one form may be right, of which those with the smallest integers are wrong farther out.
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
    """Yield formulas by the remainder of a parameter, or by its value if there is no modulus."""
    classes: dict[int, list[_Instance]] = {}
    for instance in chosen:
        value = instance[0][name]
        classes.setdefault(value % modulus if modulus else value, []).append(instance)
    yield from classes.values()


@dataclass(frozen=True)
class _Form:
    """What formulas that differ in integers only have in common: their nodes, with a hole for each integer."""

    label: str
    formula: Node
    where: Node | None
    exceptions: tuple[tuple[Node, ...], ...]

    def filled(self, holes: Sequence[Combination]) -> LabelledFormula:
        """Return what it says with expressions in its holes."""
        return LabelledFormula(
            self.label,
            render(_filled(self.formula, holes)),
            "" if self.where is None else render(_with_inequalities(_filled(self.where, holes))),
            tuple(
                tuple(render(_filled(part, holes)) for part in place) for place in self.exceptions
            ),
        )


def _form(labelled: LabelledFormula) -> tuple[_Form, tuple[int, ...]]:
    """Return the form of what was said, and the integers in it in their order."""
    numbers: list[int] = []

    def form_of(text: str) -> Node:
        return _with_holes(parse_nodes(text), numbers)

    form = _Form(
        labelled.label,
        form_of(labelled.formula),
        form_of(labelled.where) if labelled.where else None,
        tuple(tuple(map(form_of, place)) for place in labelled.exceptions),
    )
    return form, tuple(numbers)


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
    """Yield what the holes may stand for, given the integers that stood there."""
    points = [point for point, _ in instances]
    shapes = shapes_of(sorted(points[0]), points)
    columns = zip(*(numbers for _, numbers in instances), strict=True)
    fitting = (filter(_is_short, determined(points, column, shapes)) for column in columns)
    yield from product(*(islice(fillings, MOST_FOR_ONE) for fillings in fitting))


def _is_short(combination: Combination) -> bool:
    """Whether there are no large numbers in an expression but one alone."""
    return combination.is_constant or all(
        abs(c.numerator) <= LARGEST and c.denominator <= LARGEST_BELOW
        for c in combination.coefficients
    )


def _filled(node: Node, holes: Sequence[Combination]) -> Node:
    """Return a form with expressions in its holes."""
    match node:
        case Binary("+", left, Name(name)) if name.startswith(_HOLE):
            kept, added = render(_filled(left, holes)), holes[int(name[1:])]
            return parse_nodes(_sum(f"({kept})", added))
        case Name(name) if name.startswith(_HOLE):
            return parse_nodes(_sum("", holes[int(name[1:])]))
        case _:
            return with_operands(node, lambda operand: _filled(operand, holes))


def _with_inequalities(node: Node) -> Node:
    """Return a condition in which what is said to be the other residue modulo 2 is said not to be this one."""
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


def _sum(kept: str, added: Combination) -> str:
    """Return a sum as text, without what is 0."""
    text = added.text
    if added.leading == 0 or text is None:
        return kept or "0"
    if added.leading < 0 and added.is_in_brackets:  # -((k+1)//2), not (-k-1)//2
        return f"{kept}-{added.negated.text}"
    return f"{kept}{'+' if added.leading > 0 and kept else ''}{text}"
