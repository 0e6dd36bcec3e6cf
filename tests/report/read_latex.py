"""An evaluator of formulas in LaTeX, independent of the package."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from xml.etree import ElementTree

from tests.formula.drawn import NoValueError, digits_below, exponent_of_2, power

TOKEN = re.compile(
    r"\\text\{[^}]*\}|\\mathbin\{[^}]*\}|\\left\\lfloor|\\right\\rfloor|\\not\\equiv|\\pmod|v_\{2\}|\\log_\{2\}"
    r"|\\left\(|\\right\)|\\left\\lvert|\\right\\rvert|\\[a-z]+|[0-9]+|[a-z]|[-+=<>(),{}^]"
)
OPEN, CLOSE = (
    {"(": ")", r"\left(": r"\right)"},
    {r"\lvert": r"\rvert", r"\left\lvert": r"\right\rvert"},
)
RELATIONS = {
    "=": operator.eq,
    r"\neq": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    r"\leq": operator.le,
    r"\geq": operator.ge,
    r"\equiv": None,
    r"\not\equiv": None,
}
BITWISE = {r"\oplus": operator.xor, r"\mathbin{\&}": operator.and_, r"\mathbin{|}": operator.or_}

#: What signs of MathML are in LaTeX.
SAME = {
    "⊕": r"\oplus",
    "−": "-",
    "·": r"\cdot",
    "⁢": "",
    "mod": r"\bmod",
    "≠": r"\neq",
    "≤": r"\leq",
    "≥": r"\geq",
    "≡": r"\equiv",
    "≢": r"\not\equiv",
    "&": r"\mathbin{\&}",
    "|": r"\mathbin{|}",
    "min": r"\min",
    "max": r"\max",
    "log": r"\log",
}


class Reader:
    """Reader from left to right, in which sums bind tighter than ⊕."""

    def __init__(self, text: str, env: Mapping[str, int]) -> None:
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", ""), text
        self.env = env

    def read(self) -> int | bool:
        """Return the value of all of the text."""
        value = self._any()
        assert not self.tokens, self.tokens
        return value

    def _any(self) -> int | bool:
        return self._words(
            r"\text{ or }", lambda: self._words(r"\text{ and }", self._truth, all), any
        )

    def _words(
        self, word: str, part: Callable[[], int | bool], act: Callable[..., bool]
    ) -> int | bool:
        values = [part()]
        while self._takes(word):
            values.append(part())
        return values[0] if len(values) == 1 else act(values)

    def _truth(self) -> int | bool:
        if self._takes(r"\text{not }"):
            assert self.tokens[0] in OPEN
            return not self._atom()
        values, signs = [self._bits()], []
        while self.tokens and self.tokens[0] in RELATIONS:
            signs.append(self.tokens.pop(0))
            values.append(self._bits())
        if not signs:
            return values[0]
        if self._takes(r"\pmod"):
            (sign,), (left, right) = signs, values
            modulus = self._group()
            if modulus == 0:
                raise NoValueError
            return ((left - right) % modulus == 0) == (sign == r"\equiv")
        return all(RELATIONS[s](a, b) for s, a, b in zip(signs, values, values[1:], strict=False))

    def _bits(self) -> int:
        value, seen = self._sum(), set()
        while self.tokens and self.tokens[0] in BITWISE:
            sign = self.tokens.pop(0)
            seen.add(sign)
            value = BITWISE[sign](value, self._sum())
        assert len(seen) < 2, "which comes first?"
        return value

    def _sum(self) -> int:
        value = -self._product() if self._takes("-") else self._product()
        while self.tokens and self.tokens[0] in "+-":
            value += self._product() if self.tokens.pop(0) == "+" else -self._product()
        return value

    def _product(self) -> int:
        value = self._power()
        while self.tokens:
            if self._takes(r"\cdot"):
                value *= self._power()
            elif self._takes(r"\bmod"):
                value %= self._power()
            elif re.match(r"[a-z]|\\min|\\max", self.tokens[0]):  # beside each other
                value *= self._power()
            else:
                break
        return value

    def _power(self) -> int:
        base = self._atom()
        return power(base, self._group()) if self._takes("^") else base

    def _atom(self) -> int | bool:
        token = self.tokens.pop(0)
        if token in OPEN:
            return self._closed(OPEN[token])
        if token in CLOSE:
            return abs(self._closed(CLOSE[token]))
        if token == "{":
            return self._closed("}")
        if token == r"\left\lfloor" and self._takes(r"\log_{2}"):
            value = self._function(r"\log_{2}")
            assert self._takes(r"\right\rfloor")
            return value
        if token == r"\left\lfloor":
            assert self._takes(r"\frac")
            above, below = self._group(), self._group()
            assert self._takes(r"\right\rfloor")
            return above // below
        if token in (r"\min", r"\max", "v_{2}"):
            return self._function(token)
        return int(token) if token.isdigit() else self.env[token]

    def _function(self, name: str) -> int:
        last = OPEN[self.tokens.pop(0)]
        arguments = [self._any()]
        while self._takes(","):
            arguments.append(self._any())
        assert self._takes(last)
        if name == r"\log_{2}":
            return digits_below(*arguments)
        return {r"\min": min, r"\max": max, "v_{2}": exponent_of_2}[name](*arguments)

    def _group(self) -> int:
        assert self._takes("{")
        return self._closed("}")

    def _closed(self, last: str) -> int | bool:
        value = self._any()
        assert self._takes(last), (last, self.tokens)
        return value

    def _takes(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False


def as_latex(node: ElementTree.Element) -> str:
    """Return MathML in LaTeX, from its elements alone."""
    parts = [as_latex(child) for child in node]
    words = node.text or ""
    match node.tag:
        case "math" | "mrow":
            return _row(node, parts)
        case "mfrac":
            return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
        case "msup":
            base = parts[0] if len(parts[0]) == 1 else f"{{{parts[0]}}}"
            return f"{base}^{{{parts[1]}}}"
        case "msub":
            return f"{parts[0].strip()}_{{{parts[1]}}}"
        case "mtext":
            return rf"\text{{{words.replace(chr(0xA0), ' ')}}}"
        case "mspace":
            return ""
        case _:
            sign = SAME.get(words, words)
            return f"{sign} " if sign.startswith("\\") else sign


def _row(node: ElementTree.Element, parts: list[str]) -> str:
    signs = [child.text if child.tag == "mo" else None for child in node]
    if signs[0] == "⌊":
        return rf"\left\lfloor{''.join(parts[1:-1])}\right\rfloor"
    if (signs[0], signs[-1]) in (("(", ")"), ("|", "|")):
        inner = "".join(parts[1:-1])
        if inner.startswith(r"\text{mod }"):
            return rf"\pmod{{{inner.removeprefix(chr(92) + 'text{mod }')}}}"
        first, last = ("(", ")") if signs[0] == "(" else (r"\lvert", r"\rvert")
        tall = r"\frac" in inner
        assert (node[0].get("stretchy") is None) == tall
        return rf"\left{first}{inner}\right{last}" if tall else f"{first}{inner}{last}"
    return "".join(parts)
