"""Typesetting of formulas and sets as text, or as markup by subclasses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from choco_pipeline.formula.formula import Formula, Range, parse
from choco_pipeline.formula.nodes import (
    OPPOSITE,
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Negate,
    Node,
    names_of,
)

_OR, _AND, _NOT, _COMPARE, _REMAINDER, _SUM, _PRODUCT, _POWER, _ATOM = range(9)
_BITWISE = _REMAINDER
#: Shifts by up to this number are written with 2, 4, …, 64, larger ones with a power of 2.
MOST_WRITTEN_OUT = 6
#: Printed relations and operators; other signs stay as they are. `_CLOSE` has no space around it.
SIGNS = {"^": "⊕", "%": "mod", "==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "-": "−", "*": "·"}
SIGNS |= {"iff": "⇔"} | {sign: sign for sign in "&|<>≡≢⇒:⊆⊇∪"}
_CLOSE = ("-", "*")
#: Letters and digits with a subscript sign.
SUBSCRIPTS = dict(zip("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_BRACKETS = {"(": ("(", ")"), "{": ("{", "}"), "|": ("|", "|")}
#: Largest |c| of recognised sets {2^n − c}; for a larger one, a few values match by chance.
MOST_SHIFT = 8


class MathNotation:
    """Plain text for the parts of a formula; subclasses write markup."""

    def number(self, digits: str) -> str:
        """Return digits."""
        return digits

    def name(self, letters: str, index: str) -> str:
        """Return a letter or word with its index, which may be empty."""
        base, _, below = letters.partition("_")
        return self.symbol(base, below + index)

    def symbol(self, letter: str, index: str = "", *, primed: bool = False) -> str:
        """Return a letter with an index, which may be empty, and maybe a prime."""
        if not set(index) <= SUBSCRIPTS.keys():
            return f"{letter}_{index}"
        return letter + "".join(map(SUBSCRIPTS.__getitem__, index)) + ("′" if primed else "")

    def sign(self, operator: str) -> str:
        """Return an operator or a relation; "" is a product without a sign."""
        shown = SIGNS.get(operator, operator)
        return shown if operator in _CLOSE or operator not in SIGNS else f" {shown} "

    def minus(self) -> str:
        """Return the sign of a negative number."""
        return self.sign("-")

    def row(self, parts: Sequence[str]) -> str:
        """Return parts side by side."""
        return "".join(parts)

    def words(self, text: str) -> str:
        """Return words between formulas."""
        return text

    def power(self, base: str, exponent: str) -> str:
        """Return a base with an exponent."""
        return f"{base}^{_parenthesised(exponent)}"

    def floor(self, numerator: str, denominator: str) -> str:
        """Return a quotient, rounded down."""
        return f"⌊{_parenthesised(numerator)}/{_parenthesised(denominator)}⌋"

    def bracketed(self, inner: str, bracket: str) -> str:
        """Return a part in parentheses "(", braces "{" or bars "|"."""
        first, last = _BRACKETS[bracket]
        return f"{first}{inner}{last}"

    def listed(self, parts: Sequence[str], bracket: str = "(") -> str:
        """Return parts in parentheses or braces, with commas between."""
        return self.bracketed(", ".join(parts), bracket)

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """Return a function with its arguments, also for ``v2`` and ``log2``."""
        if name == "log2":
            return f"⌊log₂ {self.listed(arguments)}⌋"
        return ("v₂" if name == "v2" else name) + self.listed(arguments)

    def modulo(self, modulus: str) -> str:
        """Return the modulus that follows a congruence."""
        return f" (mod {modulus})"


def typeset(
    formula: Formula, notation: MathNotation, names: Mapping[str, str] | None = None
) -> str:
    """Return a formula in a notation; `names` has the text of some names.

    Nim-sums are written with ``⊕``, quotients as floors, shifts with powers of 2, equal remainders as congruences, and look-ups
    as functions.
    """
    return _Typesetter(notation, names or {}).of(formula.root)


def index_of(name: str) -> tuple[str, str]:
    """Split a name into its letters and the digits at its end.

    Examples
    --------
    >>> index_of("x12"), index_of("total")
    (('x', '12'), ('total', ''))
    """
    parts = re.fullmatch(r"([A-Za-z]+)_?([0-9]+)", name)
    return (parts[1], parts[2]) if parts else (name, "")


def math_text(formula: Formula | str) -> str:
    """Return a formula as plain text for readers, which cannot be parsed.

    Examples
    --------
    >>> math_text("(x+s) ^ y == z//2 and k % 4 == 3")
    '(x+s) ⊕ y = ⌊z/2⌋ and k ≡ 3 (mod 4)'
    >>> math_text("not s >= 2*k*2**(t+1) or x >> n == abs(y-1)"), math_text("(x+z-1)//(2*k)")
    ('s < 2k·2^(t+1) or ⌊x/2^n⌋ = |y−1|', '⌊(x+z−1)/(2k)⌋')
    >>> math_text("(-2)*m+4*n*p*p >= 0"), math_text("x-(-1)*(y+1)")
    ('−2m+4n·p^2 ≥ 0', 'x−(−(y+1))')
    """
    return typeset(parse(formula) if isinstance(formula, str) else formula, MathNotation())


def range_text(name: str, span: Range) -> str:
    """Return a name with its range of integers.

    Examples
    --------
    >>> from choco_pipeline.formula.formula import parse_range
    >>> range_text("k", parse_range("2**n..2**(n+1)-1 step 2")), range_text("s", parse_range("3"))
    ('k from 2^n to 2^(n+1)−1 in steps of 2', 's = 3')
    """
    return name + typeset_range(span, MathNotation())


def typeset_range(span: Range, to: MathNotation) -> str:
    """Return a range in a notation, to stand after the name of its integers."""
    first = typeset(span.first, to)
    if span.first == span.last:
        return to.row([to.sign("=="), first])
    row = [to.words(" from "), first, to.words(" to "), typeset(span.last, to)]
    if span.step is not None:
        row += [to.words(" in steps of "), typeset(span.step, to)]
    return to.row(row)


def _parenthesised(text: str) -> str:
    """Return a part of a quotient or an exponent, in parentheses if needed."""
    depth, loose = 0, text[0].isdigit() and text.lstrip("0123456789")[:1].isalpha()
    for sign in text:
        depth += (sign in "(⌊") - (sign in ")⌋")
        loose |= depth == 0 and sign in " +−·"
    return f"({text})" if loose else text


class _Typesetter:
    """Typesets the nodes of a formula in a notation."""

    def __init__(self, notation: MathNotation, names: Mapping[str, str]) -> None:
        self._to, self._names = notation, names

    def of(self, node: Node) -> str:
        match node:
            case Integer(value):
                digits = self._to.number(str(abs(value)))
                return digits if value >= 0 else self._to.row([self._to.minus(), digits])
            case Name(name):
                return self._names.get(name) or self._to.name(*index_of(name))
            case Negate(operand):
                return self._to.row([self._to.minus(), self._in(operand, _POWER)])
            case Binary():
                return self._binary(node)
            case Call():
                return self._call(node)
            case Compare():
                return self._compare(node)
            case LogicalNot(Compare((operator,), operands, column)):
                return self._compare(Compare((OPPOSITE[operator],), operands, column))
            case LogicalNot(operand):
                bracketed = self._to.bracketed(self.of(operand), "(")
                return self._to.row([self._to.words("not "), bracketed])
            case Junction(operator, operands):
                parts: list[str] = []
                for operand in operands:
                    parts += [self._to.words(f" {operator} ")] if parts else []
                    parts.append(self._in(operand, _NOT if operator == "and" else _COMPARE))
                return self._to.row(parts)

    def _in(self, node: Node, least: int) -> str:
        """Return a part, in parentheses if its precedence is below `least`."""
        text = self.of(node)
        return text if _strength(node) >= least else self._to.bracketed(text, "(")

    def _binary(self, node: Binary) -> str:
        left, right, sign = node.left, node.right, self._to.sign
        match node.operator:
            case "//":
                return self._to.floor(self.of(left), self.of(right))
            case ">>":
                return self._to.floor(self.of(left), self._two_to(right))
            case "<<" if left == Integer(1):
                return self._two_to(right)
            case "<<":
                return self._to.row([self._in(left, _PRODUCT), sign("*"), self._two_to(right)])
            case "**":
                return self._to.power(self._in(left, _ATOM), self.of(right))
            case "*" if (positive := _without_sign(node)) is not None:
                return self._to.row([self._to.minus(), self._in(positive, _PRODUCT)])
            case "*" if (shorter := _with_power(node)) is not None:
                return self.of(shorter)
            case "*":
                parts = [self._in(left, _PRODUCT), sign("" if _are_joined(left, right) else "*")]
                return self._to.row([*parts, self._in(right, _POWER)])
            case "%":
                return self._to.row([self._in(left, _PRODUCT), sign("%"), self._in(right, _POWER)])
            case "+" | "-":
                parts = [self._in(left, _SUM), sign(node.operator), self._in(right, _PRODUCT)]
                return self._to.row(parts)
            case _:
                parts = [self._bit(node, left), sign(node.operator), self._bit(node, right)]
                return self._to.row(parts)

    def _bit(self, parent: Binary, node: Node) -> str:
        if isinstance(node, Binary) and node.operator == parent.operator:
            return self.of(node)  # all three bitwise operators are associative
        return self._in(node, _PRODUCT)

    def _two_to(self, exponent: Node) -> str:
        if isinstance(exponent, Integer) and 0 <= exponent.value <= MOST_WRITTEN_OUT:
            return self._to.number(str(1 << exponent.value))
        two = self._to.number("2")
        return self._to.power(two, self.of(exponent))

    def _call(self, node: Call) -> str:
        arguments = [self.of(argument) for argument in node.arguments]
        if node.function == "abs":
            return self._to.bracketed(arguments[0], "|")
        return self._to.function(node.function, arguments)

    def _compare(self, node: Compare) -> str:
        congruence = _congruence(node)
        if congruence is not None:
            left, right = (self._in(side, _REMAINDER) for side in congruence[:2])
            sign = self._to.sign("≡" if node.operators == ("==",) else "≢")
            return self._to.row([left, sign, right, self._to.modulo(self.of(congruence[2]))])
        parts = [self.of(node.operands[0])]
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            parts += [self._to.sign(operator), self.of(operand)]
        return self._to.row(parts)


def _are_joined(left: Node, right: Node) -> bool:
    """Whether a product is written without a sign, such as 2k."""
    match right:
        case Name():
            return isinstance(left, Integer)
        case Call(function):
            return isinstance(left, Integer) and function != "abs"
        case Binary("**", Name(), _):
            return isinstance(left, Integer)
        case _:
            return False


def _congruence(node: Compare) -> tuple[Node, Node, Node] | None:
    """Return the sides and the modulus of a congruence, or None."""
    if node.operators not in (("==",), ("!=",)):
        return None
    match node.operands:
        case (Binary("%", left, modulus), Binary("%", right, other)) if modulus == other:
            return left, right, modulus
        case (Binary("%", left, Integer(m)), Integer(r)) if 0 <= r < m:
            return left, Integer(r), Integer(m)
        case _:
            return None


def _without_sign(node: Node) -> Node | None:
    """Return 2·m for (-2)·m; None if a product has no minus sign in front."""
    match node:
        case Binary("*", Integer(value), right) if value < 0:
            return right if value == -1 else replace(node, left=Integer(-value, node.left.column))
        case Binary("*", left, _):
            positive = _without_sign(left)
            return None if positive is None else replace(node, left=positive)
        case _:
            return None


def _with_power(node: Binary) -> Node | None:
    """Return n·p·p as n·p², if a product's last names are equal, or None."""
    if not isinstance(node.right, Name):
        return None
    number, left = 1, node.left
    while isinstance(left, Binary) and left.operator == "*" and left.right == node.right:
        number, left = number + 1, left.left
    whole = left == node.right
    if not whole and number == 1:
        return None
    power = Binary("**", node.right, Integer(number + whole, node.column), node.column)
    return power if whole else replace(node, left=left, right=power)


def _strength(node: Node) -> int:
    """Return the precedence of a typeset part; floors and functions are atoms."""
    match node:
        case Integer(value):
            return _ATOM if value >= 0 else _SUM
        case Name() | Call():
            return _ATOM
        case Negate():
            return _SUM
        case Binary(operator):
            match operator:
                case "//" | ">>":
                    return _ATOM
                case "**":
                    return _POWER
                case "<<":
                    return _POWER if node.left == Integer(1) else _PRODUCT
                case "*":
                    return _PRODUCT if _without_sign(node) is None else _SUM
                case "+" | "-":
                    return _SUM
                case _:
                    return _BITWISE
        case Compare() | LogicalNot(Compare()):
            return _COMPARE
        case LogicalNot():
            return _NOT
        case Junction():
            return _AND if node.operator == "and" else _OR


# ---- The sets {2^n − c : n ≥ m}: text, and the conditions on v that define them.


@dataclass(frozen=True)
class ShiftedPowers:
    """The integers 2^n − `shift` for n ≥ `least`."""

    shift: int
    least: int

    @classmethod
    def from_first(cls, shift: int, first: int) -> ShiftedPowers | None:
        """Return the set with the least member `first`; None if there is no such set."""
        power = first + shift
        if power <= 0 or power & (power - 1):
            return None
        return cls(shift, power.bit_length() - 1)

    @classmethod
    def of_condition(cls, node: Node) -> ShiftedPowers | None:
        """Return the set of a condition in the form of `condition`, or None.

        Examples
        --------
        >>> from choco_pipeline.formula.parse import parse_nodes
        >>> ShiftedPowers.of_condition(parse_nodes("v >= 0 and (v+2) & (v+1) == 0"))
        ShiftedPowers(shift=2, least=1)
        """
        match node:
            case Junction(
                "and",
                (
                    Compare((">=",), (Name("v"), Integer(first))),
                    Compare(("==",), (Binary("&", left, right), Integer(0))),
                ),
            ):
                shift, other = _added(left), _added(right)
                if shift is not None and other == shift - 1:
                    return cls.from_first(shift, first)
            case _:
                pass
        return None

    @property
    def first(self) -> int:
        """The least member."""
        return (1 << self.least) - self.shift

    @property
    def text(self) -> str:
        """The set in mathematical notation.

        Examples
        --------
        >>> ShiftedPowers(2, 1).text, ShiftedPowers(0, 0).text
        ('{2^n − 2 : n ≥ 1}', '{2^n : n ≥ 0}')
        """
        sign = "−" if self.shift > 0 else "+"
        power = f"2^n {sign} {abs(self.shift)}" if self.shift else "2^n"
        return f"{{{power} : n ≥ {self.least}}}"

    def typeset(self, to: MathNotation) -> str:
        """Return the set in a notation."""
        n, c = to.name("n", ""), self.shift
        shifted = [to.sign("-" if c > 0 else "+"), to.number(str(abs(c)))] if c else []
        where = [to.sign(":"), n, to.sign(">="), to.number(str(self.least))]
        return to.bracketed(to.row([to.power(to.number("2"), n), *shifted, *where]), "{")

    @property
    def condition(self) -> str:
        """The condition on v, in the formula language."""
        shifted, below = (f"(v{c:+d})" if c else "v" for c in (self.shift, self.shift - 1))
        return f"v >= {self.first} and {shifted} & {below} == 0"


def _added(node: Node) -> int | None:
    """Return the integer that is added to v; None for another node."""
    match node:
        case Name("v"):
            return 0
        case Binary("+", Name("v"), Integer(number)):
            return number
        case Binary("-", Name("v"), Integer(number)):
            return -number
        case _:
            return None


def typeset_set(condition: Formula, variable: str, to: MathNotation) -> str:
    """Return the set of integers that satisfy a condition, in a notation.

    It is a union of sets {2^n − c : n ≥ m} and a list, if the condition on ``v`` has this form; otherwise {v : condition}.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> powers = parse("v == 1 or v >= 0 and (v+2) & (v+1) == 0")
    >>> typeset_set(powers, "v", MathNotation())
    '{2^n−2 : n ≥ 1} ∪ {1}'
    """
    root, listed, sets = condition.root, list[str](), list[str]()
    for part in root.operands if isinstance(root, Junction) and root.operator == "or" else (root,):
        match part, ShiftedPowers.of_condition(part):
            case _, ShiftedPowers() as powers if variable == "v":
                sets.append(powers.typeset(to))
            case Compare(("==",), (Name("v"), member)), _ if (
                variable == "v" and "v" not in names_of(member)
            ):
                listed.append(typeset(Formula(member, ""), to))
            case _:
                name = to.name(*index_of(variable))
                return to.bracketed(to.row([name, to.sign(":"), typeset(condition, to)]), "{")
    sets += [to.listed(listed, "{")] if listed else []
    return to.row([text for one in sets for text in (to.sign("∪"), one)][1:])
