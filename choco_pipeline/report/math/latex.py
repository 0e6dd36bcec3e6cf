"""Formulas as LaTeX, for papers and for Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGNS = {
    "^": r"\oplus",
    "&": r"\mathbin{\&}",
    "|": r"\mathbin{|}",
    "*": r"\cdot",
    "": "",
    "%": r"\bmod",
    "==": "=",
    "!=": r"\neq",
    "<=": r"\leq",
    ">=": r"\geq",
    "≡": r"\equiv",
    "≢": r"\not\equiv",
    "iff": r"\iff",
    "←": r"\leftarrow",
    "⇒": r"\Rightarrow",
    "∪": r"\cup",
    "⊆": r"\subseteq",
    "⊇": r"\supseteq",
}


class LaTeX:
    r"""The notation of `choco_pipeline.formula.written.typeset` in LaTeX with amsmath.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> from choco_pipeline.formula.written.typeset import typeset
    >>> typeset(parse("(x+s) ^ y == z//2 and k%4 == 3"), LaTeX())
    '(x + s) \\oplus y = \\left\\lfloor \\frac{z}{2} \\right\\rfloor \\text{ and } k \\equiv 3 \\pmod{4}'
    """

    def number(self, digits: str) -> str:
        """Return digits."""
        return digits

    def name(self, letters: str, index: str) -> str:
        """Return a name, a word in italics without spaces between its letters."""
        base = (
            letters if len(letters) == 1 else rf"\mathit{{{letters.replace('_', chr(92) + '_')}}}"
        )
        return f"{base}_{{{index}}}" if index else base

    def symbol(self, letter: str, index: str = "", *, primed: bool = False) -> str:
        """Return a letter with an index, which may be empty, and with a prime or none."""
        base = self.name(letter, "") + ("'" if primed else "")
        below = self.name(index, "") if index.isidentifier() else index
        return f"{base}_{{{below}}}" if index else base

    def sign(self, operator: str) -> str:
        """Return an operator or a relation."""
        return _SIGNS.get(operator, operator)

    def minus(self) -> str:
        """Return the sign of a negative number."""
        return "-"

    def row(self, parts: Sequence[str]) -> str:
        """Return parts beside each other."""
        return " ".join(part for part in parts if part)

    def words(self, text: str) -> str:
        """Return words; their spaces are kept."""
        escaped = re.sub(r"([&%$#_{}])", r"\\\1", text)
        return rf"\text{{{escaped}}}"

    def power(self, base: str, exponent: str) -> str:
        """Return a base with an exponent."""
        return f"{base if len(base) == 1 else f'{{{base}}}'}^{{{exponent}}}"

    def floor(self, numerator: str, denominator: str) -> str:
        """Return a quotient, rounded down."""
        return rf"\left\lfloor \frac{{{numerator}}}{{{denominator}}} \right\rfloor"

    def bracketed(self, inner: str, bracket: str) -> str:
        """Return something in parentheses, in braces or between bars."""
        first, last = {"(": ("(", ")"), "{": (r"\{", r"\}")}.get(bracket, (r"\lvert ", r"\rvert"))
        if r"\frac" in inner:
            return rf"\left{first}{inner}\right{last}"
        return f"{first}{inner}{last}"

    def listed(self, parts: Sequence[str], bracket: str = "(") -> str:
        """Return parts in parentheses or braces, with commas between."""
        return self.bracketed(", ".join(parts), bracket)

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """Return a function of arguments."""
        known = {"v2": "v_{2}", "min": r"\min", "max": r"\max"}
        head = known.get(name) or self.name(name, "")
        return head + self.listed(arguments)

    def modulo(self, modulus: str) -> str:
        """Return what stands behind a congruence."""
        return rf"\pmod{{{modulus}}}"

    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        """Return a brace before rows of a formula and a condition."""
        lines = r" \\ ".join(
            f"{value} & {self.words('if ')}{when}" if when else value for value, when in rows
        )
        return rf"\begin{{cases}} {lines} \end{{cases}}"
