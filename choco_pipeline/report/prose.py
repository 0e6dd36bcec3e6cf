"""Recognition and typesetting of formulas in English sentences.

Sentences of catalogues and verdicts contain ``k = 2^(a+2)·m`` and ``⌊(x+z)/k⌋``. A formula is a run of letters, numbers, signs
and brackets between English words or commas. It has a variable, a tuple or an operation on numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.formula.written.math_text import SUBSCRIPTS, MathNotation

_LETTERS = {below: letter for letter, below in SUBSCRIPTS.items()} | {"₊": "+", "₋": "−"}
_BELOW = "".join(_LETTERS)
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    | (?P<word> [A-Za-z]+\d*(?:[-'’][\w.’]*\w)+       # P-position, Nim's, ids of claims
              | (?<![\w)⌋^_+−·/=])\((?:[ivx]+|[a-d](?:\.\d+)*|\d+)\)   # (ii), (a.2), (1): parts of a theorem
              | (?!(?:k[b-df-hj-np-tv-z]|mod)(?![A-Za-z])|(?:min|max|CB)\()[^\W\d_α-ω{_BELOW}]{{2,}}
              | [A-Z]~ | [A-Z]\d{{2,}} | \d+[A-Z] )
    | (?P<number> \d{{1,3}}(?:,\d{{3}})+(?!\d) | \d+(?:\.\d+)* )
    | (?P<name> (?:min|max|CB|mod|k[b-df-hj-np-tv-z](?!\w)|[A-Za-zα-ω])
                (?:_(?:\{{[^{{}}]*\}}|\([^()]*\)|[A-Za-z0-9])|[{_BELOW}]+|\d(?![\d.]))? ′* )
    | (?P<sign> [⊕=≤≥<>≠≡≢+−·/^×∈⊆⊇∪⇔⇒→±√∑Σ∞…&|²] )
    | (?P<open> [(\[{{⌊⌈] ) | (?P<close> [)\]}}⌋⌉] ) | (?P<comma>,) | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_RELATIONS = "=≤≥<>≠≡≢∈⊆⊇⇔⇒"
_OPERATORS = {"⊕": "^", "·": "*", "=": "==", "−": "-"}
#: Longer formulas may be broken before relations.
UNBROKEN = 24


class _Token(NamedTuple):
    kind: str
    text: str
    #: The position in the text.
    start: int
    end: int
    #: Whether white space precedes it.
    apart: bool


def prose(text: str, notation: MathNotation) -> Iterator[Phrase]:
    r"""Yield a sentence as words and formulas, the formulas in a notation.

    Examples
    --------
    >>> from choco_pipeline.formula.written.latex import LaTeX
    >>> [phrase.text for phrase in prose("For a k = 2^(a+2)·m in 3 bars, y ≤ ⌊(x+z)/k⌋.", LaTeX())]
    ['For a ', 'k = 2^{a + 2} \\cdot m', ' in 3 bars, ', 'y \\leq \\left\\lfloor \\frac{x + z}{k} \\right\\rfloor', '.']
    """
    done = 0
    for run in _runs(_tokens(text)):
        if not _is_formula(run):
            continue
        if run[0].start > done:
            yield Phrase(text[done : run[0].start])
        for part in _broken(run):
            yield Phrase(_typeset(part, notation), "formula")
        done = run[-1].end
    if done < len(text):
        yield Phrase(text[done:])


def _tokens(text: str) -> list[_Token]:
    return [
        _Token(found.lastgroup or "", found[0], start, end, text[start - 1 : start].isspace())
        for found in _TOKEN.finditer(text)
        for start, end in [found.span()]
        if found.lastgroup != "space"
    ]


def _closing(tokens: Sequence[_Token], opening: int) -> int | None:
    """Return the index of the closing bracket; None if words are inside."""
    depth = 0
    for place in range(opening, len(tokens)):
        kind = tokens[place].kind
        depth += (kind == "open") - (kind == "close")
        if depth == 0:
            return place
        if kind in ("word", "other"):
            return None
    return None


def _runs(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    run: list[_Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = _closing(tokens, place) if token.kind == "open" else place
        if end is None or token.kind in ("word", "other", "comma", "close"):
            yield run
            run = []
            place += 1
            continue
        is_modulus = end > place and tokens[place + 1].text == "mod"
        follows = run and run[-1].kind in ("name", "number", "close")
        # Operands with a space between them are not a product: "k = 4 (9 bars)", "in a 2 × 2 bar".
        if follows and token.apart and token.kind != "sign" and not is_modulus and token.text != "mod" and run[-1].text != "mod":  # fmt: skip
            yield run
            run = []
        run += tokens[place : end + 1]
        place = end + 1
    yield run


def _is_formula(run: Sequence[_Token]) -> bool:
    kinds = [token.kind for token in run]
    if len(run) == 1:
        return kinds[0] == "name" and run[0].text not in ("a", "A", "I")
    has_operation = "sign" in kinds and "number" in kinds and "…" not in (run[0].text, run[-1].text)
    return "name" in kinds or ("open" in kinds and "comma" in kinds) or has_operation


def _broken(run: Sequence[_Token]) -> Iterator[Sequence[_Token]]:
    """Yield the parts of a formula between which a line may end."""
    is_long = bool(run) and run[-1].end - run[0].start > UNBROKEN
    relations = [p for sign in _RELATIONS for p in _top_level(run, sign)] if is_long else []
    for first, last in pairwise(sorted({0, *relations, len(run)})):
        yield run[first:last]


def _typeset(tokens: Sequence[_Token], to: MathNotation) -> str:
    parts: list[str] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        follows = parts and tokens[place - 1].kind != "sign"
        if token.text == "^" and follows and place + 1 < len(tokens):
            end = _end_of(tokens, place + 1)
            exponent = _typeset(_without_brackets(tokens[place + 1 : end]), to)
            parts.append(to.power(parts.pop(), exponent))
        elif token.text == "²" and follows:
            parts.append(to.power(parts.pop(), to.number("2")))
            end = place + 1
        elif token.kind == "sign":
            is_negative = token.text == "−" and not follows
            sign = _OPERATORS.get(token.text, token.text)
            parts.append(to.minus() if is_negative else to.sign(sign))
            end = place + 1
        else:
            end = _end_of(tokens, place)
            parts.append(_atom(tokens[place:end], to))
        place = end
    return to.row(parts)


def _atom(tokens: Sequence[_Token], to: MathNotation) -> str:
    token, inner = tokens[0], tokens[1:]
    if token.kind == "number":
        return to.number(token.text)
    if token.kind == "name":
        return _name(token.text, inner, to)
    if token.kind != "open":
        return to.sign(token.text)
    inner = inner[:-1]
    if inner and inner[0].text == "mod":
        return to.modulo(_typeset(inner[1:], to))
    slash = [p for p in _top_level(inner, "/") if token.text == "⌊"]
    if len(slash) == 1:
        above, below = inner[: slash[0]], inner[slash[0] + 1 :]
        quotient = (_typeset(_without_brackets(part), to) for part in (above, below))
        return to.floor(*quotient)
    listed = _listed(inner, to)
    if (token.text, tokens[-1].text) in (("(", ")"), ("{", "}")):
        return to.listed(listed, token.text)
    commas = [part for one in listed for part in (to.sign(","), one)][1:]
    return to.row([to.sign(token.text), *commas, to.sign(tokens[-1].text)])


def _name(text: str, arguments: Sequence[_Token], to: MathNotation) -> str:
    bare = text.rstrip("′")
    if bare == "mod":
        return to.sign("%")
    is_product = len(bare) == 2 and bare.isascii() and bare.islower()
    if is_product:
        return to.row([to.name(letter, "") for letter in bare])
    letters = bare if bare in ("min", "max", "CB") else bare[0]
    below = bare[len(letters) :].lstrip("_").strip("{}()")
    index = "".join(_LETTERS.get(sign, sign) for sign in below)
    if not arguments:
        return to.symbol(letters, index, primed=bare != text)
    listed = _listed(arguments[1:-1], to)
    if not index and bare == text:
        return to.function(letters, listed)
    return to.row([to.symbol(letters, index, primed=bare != text), to.listed(listed)])


def _listed(tokens: Sequence[_Token], to: MathNotation) -> list[str]:
    ends = [-1, *_top_level(tokens, ","), len(tokens)]
    return [_typeset(tokens[a + 1 : b], to) for a, b in pairwise(ends)]


def _end_of(tokens: Sequence[_Token], place: int) -> int:
    """Return the end of an operand, including its brackets or arguments."""
    token = tokens[place]
    opening = place
    if token.kind == "name" and place + 1 < len(tokens) and token.text != "mod":
        following = tokens[place + 1]
        if following.text == "(" and not following.apart:
            opening = place + 1
    if tokens[opening].kind != "open":
        return place + 1
    closing = _closing(tokens, opening)
    assert closing is not None, "a formula's brackets are closed"
    return closing + 1


def _top_level(tokens: Sequence[_Token], sign: str) -> list[int]:
    places, depth = [], 0
    for place, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth and token.text == sign:
            places.append(place)
    return places


def _without_brackets(tokens: Sequence[_Token]) -> Sequence[_Token]:
    is_group = tokens and tokens[0].text == "(" and _closing(tokens, 0) == len(tokens) - 1
    return tokens[1:-1] if is_group else tokens
