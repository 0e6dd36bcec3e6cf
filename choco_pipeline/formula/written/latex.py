"""LaTeX formulas, and escaped text and code for LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from choco_pipeline.formula.written import math_text
from choco_pipeline.formula.written.math_text import SUBSCRIPTS, MathNotation

_SIGNS = {"&": r"\mathbin{\&}", "|": r"\mathbin{|}", "%": r"\bmod", "←": r"\leftarrow"}

#: Signs in texts with a LaTeX command of mathematics: operators, relations, arrows, brackets, and letters.
SIGNS = {"⊕": r"\oplus", "∪": r"\cup", "·": r"\cdot", "×": r"\times", "−": "-", "√": r"\surd"}
SIGNS |= {"Σ": r"\sum", "∑": r"\sum", "∈": r"\in", "⊇": r"\supseteq", "⊆": r"\subseteq"}
SIGNS |= {"≡": r"\equiv", "≢": r"\not\equiv", "≠": r"\neq", "≤": r"\leq", "≥": r"\geq"}
SIGNS |= {"→": r"\to", "⇔": r"\iff", "⟺": r"\iff", "⇒": r"\Rightarrow"}
SIGNS |= {"⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "…": r"\ldots"}
SIGNS |= {"∞": r"\infty", "α": r"\alpha", "σ": r"\sigma", "φ": r"\varphi", "²": "^{2}", "′": "'"}
SIGNS |= {sign: f"_{{{name}}}" for name, sign in SUBSCRIPTS.items()}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "–": "--",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}
#: Letters up to this code are in the default fonts of LaTeX.
LATIN = 0x17F


class LaTeX(MathNotation):
    r"""Formulas in LaTeX with amsmath.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> from choco_pipeline.formula.written.math_text import typeset
    >>> typeset(parse("(x+s) ^ y == z//2 and k%4 == 3"), LaTeX())
    '(x + s) \\oplus y = \\left\\lfloor \\frac{z}{2} \\right\\rfloor \\text{ and } k \\equiv 3 \\pmod{4}'
    """

    def name(self, letters: str, index: str) -> str:
        """Return a name, a word in italics without spaces between its letters."""
        word = letters.replace("_", r"\_")
        base = letters if len(letters) == 1 else rf"\mathit{{{word}}}"
        return f"{base}_{{{index}}}" if index else base

    def symbol(self, letter: str, index: str = "", *, primed: bool = False) -> str:
        """Return a letter with an index, which may be empty, and maybe a prime."""
        base = self.name(letter, "") + ("'" if primed else "")
        below = self.name(index, "") if index.isidentifier() else index
        return f"{base}_{{{below}}}" if index else base

    def sign(self, operator: str) -> str:
        """Return an operator or a relation."""
        shown = math_text.SIGNS.get(operator, operator)
        return _SIGNS.get(operator, SIGNS.get(shown, shown))

    def row(self, parts: Sequence[str]) -> str:
        """Return parts side by side."""
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
        """Return a part in parentheses, braces or bars."""
        first, last = {"(": ("(", ")"), "{": (r"\{", r"\}")}.get(bracket, (r"\lvert ", r"\rvert"))
        if r"\frac" in inner:
            return rf"\left{first}{inner}\right{last}"
        return f"{first}{inner}{last}"

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """Return a function of arguments."""
        if name == "log2":
            return rf"\left\lfloor \log_{{2}}{self.listed(arguments)} \right\rfloor"
        known = {"v2": "v_{2}", "min": r"\min", "max": r"\max"}
        head = known.get(name) or self.name(name, "")
        return head + self.listed(arguments)

    def modulo(self, modulus: str) -> str:
        """Return the modulus that follows a congruence."""
        return rf"\pmod{{{modulus}}}"


def tex_text(text: str) -> str:
    r"""Escape plain text for LaTeX; signs that its fonts lack become code points.

    Examples
    --------
    >>> tex_text("a_1 ≤ 50% ♞")
    'a\\_1 $\\leq$ 50\\% [U+265E]'
    """
    return "".join(_tex_sign(sign) for sign in text)


def tex_code(text: str) -> str:
    """Return code in LaTeX that may be broken after ``/``, ``,``, ``=`` and ``-``."""
    broken = re.sub(r"([/,=-])", r"\1\\allowbreak{}", tex_text(text))
    return rf"\texttt{{{broken}}}"


def markdown_text(text: str) -> str:
    r"""Escape plain text for Markdown.

    Examples
    --------
    >>> markdown_text("a_1 * <b>")
    'a\\_1 \\* \\<b\\>'
    """
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", " ".join(text.split()))


def markdown_code(text: str) -> str:
    """Return code in Markdown, between more backticks than occur in it."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"


def _tex_sign(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign in SIGNS:
        return f"${SIGNS[sign]}$"
    if sign.isspace():
        return " "
    return sign if sign.isprintable() and ord(sign) <= LATIN else f"[U+{ord(sign):04X}]"
