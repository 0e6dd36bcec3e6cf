"""Sets of values in a mathematical notation: which they are is read off the condition that tells their members."""

from __future__ import annotations

import re

from choco_pipeline.formula import parse
from choco_pipeline.formula.written.typeset import MathNotation, typeset

_MEMBER = re.compile(r"v == (-?\d+)")
_POWERS = re.compile(r"v >= (-?\d+) and \(?v([+-]\d+)?\)? & \(?v([+-]\d+)?\)? == 0")
_FROM = re.compile(r"v >= (-?\d+)")
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
    members: list[str] = []
    others: list[str] = []
    for part in parse(condition).text.split(" or "):
        single, powers = _MEMBER.fullmatch(part), _POWERS.fullmatch(part)
        if single:
            members.append(_number(int(single[1]), notation))
        elif powers and _are_powers(*(int(number or 0) for number in powers.groups())):
            others.append(_powers(int(powers[2] or 0), int(powers[1]), notation))
        else:
            return _all_with(condition, notation)
    lists = [notation.listed(members, "{")] if members else []
    joined = [text for one in (*others, *lists) for text in (notation.sign("∪"), one)]
    return notation.row(joined[1:]) if len(joined) > 2 else joined[1]


def _all_with(condition: str, notation: MathNotation) -> str:
    start = _FROM.fullmatch(parse(condition).text)
    if start:
        first = int(start[1])
        shown = [_number(v, notation) for v in range(first, first + SHOWN)]
        return notation.listed([*shown, notation.words("…")], "{")
    inner = [notation.name("v", ""), notation.sign(":"), typeset(parse(condition), notation)]
    return notation.bracketed(notation.row(inner), "{")


def _are_powers(first: int, c: int, other: int) -> bool:
    """Whether ``v >= first and (v+c) & (v+other) == 0`` tells the numbers 2^n − c from `first` on, which is one."""
    return other == c - 1 and first + c > 0 and (first + c) & (first + c - 1) == 0


def _powers(c: int, first: int, notation: MathNotation) -> str:
    """Return {2^n − c : n ≥ m}, whose first member is given."""
    m = (first + c).bit_length() - 1
    number, n = notation.number, notation.name("n", "")
    power = notation.power(number("2"), n)
    shifted = [notation.sign("-" if c > 0 else "+"), number(str(abs(c)))] if c else []
    where = [notation.sign(":"), n, notation.sign(">="), number(str(m))]
    return notation.bracketed(notation.row([power, *shifted, *where]), "{")


def _number(value: int, notation: MathNotation) -> str:
    digits = notation.number(str(abs(value)))
    return digits if value >= 0 else notation.row([notation.minus(), digits])
