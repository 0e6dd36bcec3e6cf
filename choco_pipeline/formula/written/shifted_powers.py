"""The sets {2^n − c : n ≥ m}: text, and the conditions on v that define them."""

from __future__ import annotations

from dataclasses import dataclass

from choco_pipeline.formula.formula import Formula
from choco_pipeline.formula.nodes import Binary, Compare, Integer, Junction, Name, Node, names_of
from choco_pipeline.formula.written.math_text import MathNotation, index_of, typeset

#: Largest |c| of recognised sets {2^n − c}; for a larger one, a few values match by chance.
MOST_SHIFT = 8


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
