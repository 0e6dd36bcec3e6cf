"""The tokens of a formula, checked to alternate and to close, so that every mistake has its own column and message."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from choco_pipeline.formula.formula_errors import FormulaError
from choco_pipeline.formula.nodes import COMPARISONS, OPERATORS

#: Signs of the field that may be written for operators.
SIGNS = {"⊕": "^", "≤": "<=", "≥": ">=", "≠": "!=", "·": "*"}

_PREFIX = frozenset({"+", "-", "not"})
_INFIX = (*OPERATORS, *COMPARISONS, "and", "or")
ALLOWED = f"operators are {' '.join(_INFIX)} not"

_MEANT = {"=": "==", "/": "//", "!": "not", "−": "-", "×": "*"}

_TOKEN = re.compile(
    r"(?P<number>[0-9][0-9A-Za-z_.]*)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>//|<<|>>|==|!=|<=|>=|\*\*|:=|->|[-+*%^&|<>(),⊕≤≥≠·])|(?P<other>\S)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A number, a name, an operator, a parenthesis or a comma, as Python writes it."""

    text: str
    column: int
    is_operand: bool


@dataclass(frozen=True, slots=True)
class _Opening:
    column: int
    is_call: bool


def tokenise(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`; refuse whatever is none of the language's."""
    for match in _TOKEN.finditer(text):
        kind, written, column = match.lastgroup, match[0], match.start() + 1
        if kind == "number" and not (written.isdigit() and (written[0] != "0" or written == "0")):
            raise FormulaError(
                f"{quoted(written)} at column {column}: numbers are decimal integers such as 12, with no leading zero",
                text,
                column,
            )
        if kind == "other" or written in (":=", "->"):
            hint = f" (did you mean {quoted(_MEANT[written])}?)" if written in _MEANT else ""
            raise FormulaError(
                f"{quoted(written)} at column {column}: {ALLOWED}{hint}", text, column
            )
        if keyword.iskeyword(written) and written not in ("and", "or", "not"):
            raise FormulaError(
                f"{quoted(written)} at column {column} cannot be a name: {ALLOWED}", text, column
            )
        yield Token(
            SIGNS.get(written, written),
            column,
            kind == "number" or (written.isidentifier() and not keyword.iskeyword(written)),
        )


def check_grammar(
    text: str, tokens: Iterable[Token], functions: Collection[str], max_depth: int, end: int
) -> list[Token]:
    """Return the tokens if they alternate, parentheses match and only `functions` are called: a formula but for its types.

    `end` is the column behind them.
    """
    open_: list[_Opening] = []
    read: list[Token] = []
    before: Token | None = None
    operand_next = True

    def refuse(token: Token, what: str) -> NoReturn:
        raise FormulaError(
            f"{quoted(token.text)} at column {token.column}: {what}", text, token.column
        )

    for token in tokens:
        match token.text:
            case "(":
                is_call = not operand_next and before is not None and before.text.isidentifier()
                if not operand_next and not is_call:
                    refuse(token, "an operator is needed before it")
                if is_call and before is not None and before.text not in functions:
                    raise _unknown_function(text, before, functions)
                open_.append(_Opening(token.column, is_call))
                if len(open_) > max_depth + 1:
                    refuse(token, f"parentheses may be nested {max_depth} deep")
                operand_next = True
            case ")":
                if operand_next:
                    refuse(token, "a number, a name or a function is needed before it")
                if not open_:
                    refuse(token, "there is no parenthesis to close")
                open_.pop()
            case ",":
                if operand_next or not open_ or not open_[-1].is_call:
                    refuse(token, "commas stand only between the arguments of a function")
                operand_next = True
            case sign if operand_next and sign in _PREFIX:
                if (
                    sign == "not"
                    and before is not None
                    and before.text not in ("(", ",", "and", "or", "not")
                ):
                    refuse(token, "put parentheses around the negation")
            case sign if sign in _INFIX and not operand_next:
                operand_next = True
            case _ if operand_next and token.is_operand:
                operand_next = False
            case _:
                missing = "a number, a name or a function" if operand_next else "an operator"
                refuse(token, f"{missing} is needed before it")
        before = token
        read.append(token)
    if operand_next:
        raise FormulaError(
            f"the formula ends at column {end} where a number, a name or a function is needed",
            text,
            end,
        )
    if open_:
        column = open_[-1].column
        raise FormulaError(f'"(" at column {column} is never closed', text, column)
    return read


def _unknown_function(text: str, token: Token, functions: Collection[str]) -> FormulaError:
    allowed = f"functions are {', '.join(functions)}{suggestion(token.text, functions)}"
    return FormulaError(
        f"call to {quoted(token.text)} at column {token.column}: {allowed}", text, token.column
    )


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean "…"?)`` with the nearest of `known`, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {quoted(near[0])}?)" if near else ""


def quoted(text: str) -> str:
    """Return `text` in double quotes, printable and not too long for a message."""
    short = text if len(text) <= 40 else f"{text[:39]}…"
    return (
        '"'
        + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
        + '"'
    )
