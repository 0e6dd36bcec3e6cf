"""Formulas as a line of plain text with the field's signs, as terminals, tables and sentences show them."""

from __future__ import annotations

from collections.abc import Sequence

from choco_pipeline.formula.formula import Formula, parse
from choco_pipeline.formula.ranges import Range
from choco_pipeline.formula.written.typeset import typeset

#: Relations and what binds like one, with space around them; other signs stand without.
_SPACED = {
    "^": "⊕",
    "&": "&",
    "|": "|",
    "%": "mod",
    "==": "=",
    "!=": "≠",
    "<": "<",
    "<=": "≤",
    ">": ">",
    ">=": "≥",
    "≡": "≡",
    "≢": "≢",
    "iff": "⇔",
    "⇒": "⇒",
    ":": ":",
    "⊆": "⊆",
    "⊇": "⊇",
    "∪": "∪",
}
_CLOSE = {"-": "−", "*": "·"}
#: Letters and digits that there is a sign below the line for.
SUBSCRIPTS = dict(zip("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_BRACKETS = {"(": ("(", ")"), "{": ("{", "}"), "|": ("|", "|")}


class PlainText:
    """The notation of `choco_pipeline.formula.written.typeset` as text without markup."""

    def number(self, digits: str) -> str:
        """Return digits."""
        return digits

    def name(self, letters: str, index: str) -> str:
        """Return a name with its index below the line; ``m_k`` has one, too."""
        base, _, below = letters.partition("_")
        return self.symbol(base, below + index)

    def symbol(self, letter: str, index: str = "", *, primed: bool = False) -> str:
        """Return a letter with an index, which may be empty, and with a prime or none."""
        if not set(index) <= SUBSCRIPTS.keys():
            return f"{letter}_{index}"
        return letter + "".join(map(SUBSCRIPTS.__getitem__, index)) + ("′" if primed else "")

    def sign(self, operator: str) -> str:
        """Return an operator or a relation."""
        spaced = _SPACED.get(operator)
        return _CLOSE.get(operator, operator) if spaced is None else f" {spaced} "

    def minus(self) -> str:
        """Return the sign of a negative number."""
        return "−"

    def row(self, parts: Sequence[str]) -> str:
        """Return parts beside each other."""
        return "".join(parts)

    def words(self, text: str) -> str:
        """Return words between formulas."""
        return text

    def power(self, base: str, exponent: str) -> str:
        """Return a base with an exponent, in parentheses where it is more than a name or a number."""
        return f"{base}^{_grouped(exponent)}"

    def floor(self, numerator: str, denominator: str) -> str:
        """Return a quotient, rounded down."""
        return f"⌊{_grouped(numerator)}/{_grouped(denominator)}⌋"

    def bracketed(self, inner: str, bracket: str) -> str:
        """Return something in parentheses, in braces or between bars."""
        first, last = _BRACKETS[bracket]
        return f"{first}{inner}{last}"

    def listed(self, parts: Sequence[str], bracket: str = "(") -> str:
        """Return parts in parentheses or braces, with commas between."""
        return self.bracketed(", ".join(parts), bracket)

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """Return a function of arguments."""
        if name == "log2":
            return f"⌊log₂ {self.listed(arguments)}⌋"
        return ("v₂" if name == "v2" else name) + self.listed(arguments)

    def modulo(self, modulus: str) -> str:
        """Return what stands behind a congruence."""
        return f" (mod {modulus})"

    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        """Return formulas, each with its condition behind it."""
        return "; ".join(f"{value} if {when}" if when else value for value, when in rows)


def math_text(formula: Formula | str) -> str:
    """Return a formula, or its text in the formula language, as text that people read and nothing parses again.

    Examples
    --------
    >>> math_text("(x+s) ^ y == z//2 and k % 4 == 3")
    '(x+s) ⊕ y = ⌊z/2⌋ and k ≡ 3 (mod 4)'
    >>> math_text("not s >= 2*k*2**(t+1) or x >> n == abs(y-1)"), math_text("(x+z-1)//(2*k)")
    ('s < 2k·2^(t+1) or ⌊x/2^n⌋ = |y−1|', '⌊(x+z−1)/(2k)⌋')
    >>> math_text("(-2)*m+4*n*p*p >= 0"), math_text("x-(-1)*(y+1)")
    ('−2m+4n·p^2 ≥ 0', 'x−(−(y+1))')
    """
    return typeset(parse(formula) if isinstance(formula, str) else formula, PlainText())


def range_text(name: str, span: Range) -> str:
    """Return over which integers a name runs.

    Examples
    --------
    >>> from choco_pipeline.formula.ranges import parse_range
    >>> range_text("k", parse_range("2**n..2**(n+1)-1 step 2")), range_text("s", parse_range("3"))
    ('k from 2^n to 2^(n+1)−1 in steps of 2', 's = 3')
    """
    if span.first == span.last:
        return f"{name} = {math_text(span.first)}"
    steps = "" if span.step is None else f" in steps of {math_text(span.step)}"
    return f"{name} from {math_text(span.first)} to {math_text(span.last)}{steps}"


def _grouped(text: str) -> str:
    """Return a part of a quotient or an exponent, in parentheses where something in it binds no tighter than that."""
    depth, loose = 0, text[0].isdigit() and text.lstrip("0123456789")[:1].isalpha()
    for sign in text:
        depth += (sign in "(⌊") - (sign in ")⌋")
        loose |= depth == 0 and sign in " +−·"
    return f"({text})" if loose else text
