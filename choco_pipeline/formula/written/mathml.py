"""Formulas as MathML, which browsers show without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.formula.written.math_text import SIGNS, MathNotation

#: A product without a sign gets an invisible sign for screen readers.
_SIGNS = SIGNS | {"": "\u2062", "iff": "⟺"}


class MathML(MathNotation):
    """Formulas in MathML Core.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> from choco_pipeline.formula.written.math_text import typeset
    >>> typeset(parse("x ^ y == 0"), MathML())
    '<mrow><mrow><mi>x</mi><mo>⊕</mo><mi>y</mi></mrow><mo>=</mo><mn>0</mn></mrow>'
    """

    def number(self, digits: str) -> str:
        """Return digits."""
        return f"<mn>{escape(digits)}</mn>"

    def name(self, letters: str, index: str) -> str:
        """Return a name; a word is upright."""
        base = f"<mi>{escape(letters)}</mi>"
        return f"<msub>{base}<mn>{escape(index)}</mn></msub>" if index else base

    def symbol(self, letter: str, index: str = "", *, primed: bool = False) -> str:
        """Return a letter with an index, which may be empty, and maybe a prime."""
        base, prime = f"<mi>{escape(letter)}</mi>", "<mo>′</mo>"
        if not index:
            return f"<msup>{base}{prime}</msup>" if primed else base
        below = f"<mn>{index}</mn>" if index.isdigit() else f"<mi>{escape(index)}</mi>"
        tag, raised = ("msubsup", prime) if primed else ("msub", "")
        return f"<{tag}>{base}{below}{raised}</{tag}>"

    def sign(self, operator: str) -> str:
        """Return an operator or a relation."""
        wide = ' lspace="0.3em" rspace="0.3em"' if operator == "%" else ""
        return f"<mo{wide}>{escape(_SIGNS.get(operator, operator))}</mo>"

    def minus(self) -> str:
        """Return the sign of a negative number."""
        return '<mo form="prefix">−</mo>'

    def row(self, parts: Sequence[str]) -> str:
        """Return parts side by side."""
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def words(self, text: str) -> str:
        """Return words; their spaces are kept."""
        return f"<mtext>{escape(text.replace(' ', chr(0xA0)))}</mtext>"

    def power(self, base: str, exponent: str) -> str:
        """Return a base with an exponent."""
        return f"<msup>{base}{exponent}</msup>"

    def floor(self, numerator: str, denominator: str) -> str:
        """Return a quotient, rounded down."""
        fraction = f"<mfrac>{numerator}{denominator}</mfrac>"
        return f"<mrow><mo>⌊</mo>{fraction}<mo>⌋</mo></mrow>"

    def bracketed(self, inner: str, bracket: str) -> str:
        """Return a part in parentheses, braces or bars."""
        first, last = {"(": ("(", ")"), "{": ("{", "}")}.get(bracket, ("|", "|"))
        still = "" if "<mfrac>" in inner else ' stretchy="false"'
        # A bar alone does not show whether it opens or closes.
        before, after = (' form="prefix"', ' form="postfix"') if first == "|" else ("", "")
        left, right = f"<mo{before}{still}>{first}</mo>", f"<mo{after}{still}>{last}</mo>"
        # Nested brackets keep their own row, which shows where they end.
        bare = _without_row(inner)
        return f"<mrow>{left}{inner if bare.startswith('<mo') else bare}{right}</mrow>"

    def listed(self, parts: Sequence[str], bracket: str = "(") -> str:
        """Return parts in parentheses or braces, with commas between."""
        return self.bracketed("<mo>,</mo>".join(parts), bracket)

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """Return a function of arguments."""
        if name == "log2":
            log = "<msub><mi>log</mi><mn>2</mn></msub>"
            parts = ["<mo>⌊</mo>", log, self.listed(arguments), "<mo>⌋</mo>"]
            return self.row(parts)
        head = "<msub><mi>v</mi><mn>2</mn></msub>" if name == "v2" else f"<mi>{escape(name)}</mi>"
        return self.row([head, self.listed(arguments)])

    def modulo(self, modulus: str) -> str:
        """Return the modulus that follows a congruence."""
        return f'<mspace width="0.4em"/>{self.bracketed(self.words("mod ") + modulus, "(")}'


def in_page(phrases: Iterable[Phrase]) -> Markup:
    """Return a sentence with MathML formulas as HTML.

    A comma after a formula becomes a part of it, because a browser may break the line between them.
    """
    page = ""
    for phrase in phrases:
        text = phrase.text
        if phrase.kind == "formula":
            page += f"<math>{_without_row(text)}</math>"
            continue
        if page.endswith("</math>") and text[:1] in {*".,;:)"}:
            page = f"{page.removesuffix('</math>')}<mtext>{text[0]}</mtext></math>"
            text = text[1:]
        page += f"<code>{escape(text)}</code>" if phrase.kind == "code" else str(escape(text))
    return Markup(page)


def _without_row(text: str) -> str:
    """Return the parts of a formula without the outermost row, if it is implied."""
    depth = 0
    for found in re.finditer("<(/?)mrow>", text):
        depth += -1 if found[1] else 1
        if not depth:
            is_all = text.startswith("<mrow>") and found.end() == len(text)
            return text[len("<mrow>") : -len("</mrow>")] if is_all else text
    return text
