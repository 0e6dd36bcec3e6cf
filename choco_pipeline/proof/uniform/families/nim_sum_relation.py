"""What is said of a family as a nim-sum: shifts of coordinates, a number in it, and one beside it."""

from __future__ import annotations

from choco_pipeline.formula.nodes import Binary, Compare, Node, render, walk
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, number
from choco_pipeline.proof.uniform.families.linear_forms import LinearFormReader


def read_relation(
    reader: LinearFormReader, node: Node, *, is_value: bool
) -> tuple[dict[str, Affine], Affine, Affine]:
    """Return the shifts, the constant and the offset of a relation."""
    if is_value:
        terms, constant, added = _nim_sum(reader, node)
        return terms, constant, -added
    if not (isinstance(node, Compare) and node.operators == ("==",)):
        raise FamilyError(f"{render(node)}: one equation with nim-sums is what is proved")
    (first, fixed, add), (second, other, more) = (_nim_sum(reader, n) for n in node.operands)
    if add != ZERO or more != ZERO:  # (nim-sum) + add == term + more
        if len(first) + (fixed != ZERO) == 1 and not second.keys() & first.keys():
            first, fixed, add, second, other, more = second, other, more, first, fixed, add
        if len(second) + (other != ZERO) > 1 or not first:
            raise FamilyError(f"{render(node)}: a sum of two nim-sums and numbers")
        second = {name: shift + more - add for name, shift in second.items()}
        other = ZERO if second else other + more - add
    if first.keys() & second.keys():
        raise FamilyError(f"{render(node)}: a coordinate stands twice")
    return first | second, _nim_constant(fixed, other, node), ZERO


def _nim_sum(reader: LinearFormReader, node: Node) -> tuple[dict[str, Affine], Affine, Affine]:
    """Return a nim-sum's shifts by coordinate, the number in it, and what is added to it."""
    match node:
        case Binary("+" | "-" as operator, left, right) if _has_nim_sum(left):
            terms, constant, added = _nim_sum(reader, left)
            more = reader.affine(right)
            return terms, constant, added + (more if operator == "+" else -more)
        case Binary("+", left, right) if _has_nim_sum(right):
            terms, constant, added = _nim_sum(reader, right)
            return terms, constant, added + reader.affine(left)
    terms, constant = {}, ZERO
    for part in _operands(node):
        form = reader.form(part)
        if not form.terms:
            constant = _nim_constant(constant, form.constant, node)
            continue
        ((name, a), *others) = form.terms.items()
        if others or a != number(1):
            raise FamilyError(f"{render(part)}: a coordinate plus a number is needed in a nim-sum")
        if name in terms:
            raise FamilyError(f"{render(node)}: {name} stands twice")
        terms[name] = form.constant
    return terms, constant, ZERO


def _has_nim_sum(node: Node) -> bool:
    return any(isinstance(part, Binary) and part.operator == "^" for part in walk(node))


def _operands(node: Node) -> list[Node]:
    if isinstance(node, Binary) and node.operator == "^":
        return _operands(node.left) + _operands(node.right)
    return [node]


def _nim_constant(left: Affine, right: Affine, node: Node) -> Affine:
    if left == ZERO or right == ZERO:
        return left + right
    if left == right:
        return ZERO
    if left.is_constant and right.is_constant:
        return number(left.constant ^ right.constant)
    raise FamilyError(f"{render(node)}: two numbers with parameters in one nim-sum")
