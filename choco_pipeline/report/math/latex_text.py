"""Plain text and code in LaTeX: nothing in it becomes a command."""

from __future__ import annotations

import re

from choco_pipeline.formula.written.math_text import SUBSCRIPTS

#: Signs that texts may have and LaTeX has a command for, in mathematics.
SIGNS = {
    "⊕": r"\oplus",
    "∪": r"\cup",
    "∞": r"\infty",
    "≡": r"\equiv",
    "≢": r"\not\equiv",
    "≠": r"\neq",
    "≤": r"\leq",
    "≥": r"\geq",
    "·": r"\cdot",
    "×": r"\times",
    "−": "-",
    "Σ": r"\sum",
    "∑": r"\sum",
    "∈": r"\in",
    "→": r"\to",
    "⇔": r"\iff",
    "⟺": r"\iff",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "…": r"\ldots",
    "⇒": r"\Rightarrow",
    "⊇": r"\supseteq",
    "⊆": r"\subseteq",
    "²": "^{2}",
    "√": r"\surd",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "′": "'",
    "α": r"\alpha",
    "σ": r"\sigma",
    "φ": r"\varphi",
} | {sign: f"_{{{name}}}" for name, sign in SUBSCRIPTS.items()}
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
#: Letters up to this code are in the fonts that LaTeX begins with.
LATIN = 0x17F


def tex_text(text: str) -> str:
    r"""Return plain text in LaTeX; signs that its fonts do not have by their code.

    Examples
    --------
    >>> tex_text("a_1 ≤ 50% ♞")
    'a\\_1 $\\leq$ 50\\% [U+265E]'
    """
    return "".join(_tex_sign(sign) for sign in text)


def tex_code(text: str) -> str:
    """Return code in LaTeX, which may be broken behind a slash or a comma."""
    broken = re.sub(r"([/,=-])", r"\1\\allowbreak{}", tex_text(text))
    return rf"\texttt{{{broken}}}"


def _tex_sign(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign in SIGNS:
        return f"${SIGNS[sign]}$"
    if sign.isspace():
        return " "
    return sign if sign.isprintable() and ord(sign) <= LATIN else f"[U+{ord(sign):04X}]"
