"""Sets of values in a mathematical notation: which they are is read off the condition that tells their members."""

from __future__ import annotations

from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import Compare, Integer, Junction, Name, Node, render
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.shifted_powers import ShiftedPowers
from choco_pipeline.formula.written.typeset import MathNotation, typeset

#: How many of all numbers from one on are shown.
SHOWN = 3


def set_of(condition: str, notation: MathNotation) -> str:
    r"""Return the set of integers v with a condition: a list, {2^n − c : n ≥ m}, both, or {v : the condition}.

    Examples
    --------
    >>> from choco_pipeline.report.math.latex import LaTeX
    >>> set_of("v == 1 or v >= 0 and (v+2) & (v+1) == 0", LaTeX())
    '\\{2^{n} - 2 : n \\geq 1\\} \\cup \\{1\\}'
    >>> set_of("v%4 == 0", LaTeX()), set_of("v >= 0", LaTeX())
    ('\\{v : v \\equiv 0 \\pmod{4}\\}', '\\{0, 1, 2, \\text{…}\\}')
    """
    node = parse_nodes(condition)
    parts = node.operands if isinstance(node, Junction) and node.operator == "or" else (node,)
    members: list[str] = []
    others: list[str] = []
    for part in parts:
        powers = ShiftedPowers.told_by(part)
        match part:
            case Compare(("==",), (Name("v"), Integer(member))):
                members.append(_number(member, notation))
            case _ if powers is not None:
                others.append(_powers(powers, notation))
            case _:
                return _all_with(node, notation)
    lists = [notation.listed(members, "{")] if members else []
    joined = [text for shown in (*others, *lists) for text in (notation.sign("∪"), shown)]
    return notation.row(joined[1:]) if len(joined) > 2 else joined[1]


def _all_with(condition: Node, notation: MathNotation) -> str:
    match condition:
        case Compare((">=",), (Name("v"), Integer(first))):
            shown = [_number(v, notation) for v in range(first, first + SHOWN)]
            return notation.listed([*shown, notation.words("…")], "{")
        case _:
            pass
    inner = [
        notation.name("v", ""),
        notation.sign(":"),
        typeset(parse(render(condition)), notation),
    ]
    return notation.bracketed(notation.row(inner), "{")


def _powers(powers: ShiftedPowers, notation: MathNotation) -> str:
    number, n, c = notation.number, notation.name("n", ""), powers.shift
    power = notation.power(number("2"), n)
    shifted = [notation.sign("-" if c > 0 else "+"), number(str(abs(c)))] if c else []
    where = [notation.sign(":"), n, notation.sign(">="), number(str(powers.least))]
    return notation.bracketed(notation.row([power, *shifted, *where]), "{")


def _number(value: int, notation: MathNotation) -> str:
    digits = notation.number(str(abs(value)))
    return digits if value >= 0 else notation.row([notation.minus(), digits])
