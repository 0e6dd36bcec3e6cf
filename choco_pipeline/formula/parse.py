"""Parser of formulas: whitelisted tokens, and precedence climbing.

Tokens are read one after the other, so the first mistake from the left is reported, with its column.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from choco_pipeline.formula import nodes
from choco_pipeline.formula.nodes import FormulaError, Node

MAX_LENGTH = 2_000
#: Largest depth of a formula, and of nested parentheses.
MAX_DEPTH = 100

#: Alternative signs of operators.
SIGNS = {"⊕": "^", "≤": "<=", "≥": ">=", "≠": "!=", "·": "*"}
ALLOWED = f"operators are {' '.join((*nodes.OPERATORS, *nodes.COMPARISONS))} and or not"

_MEANT = {"=": "==", "/": "//", "!": "not", "−": "-", "×": "*"}

_TOKEN = re.compile(
    r"(?P<number>[0-9][0-9A-Za-z_.]*)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>//|<<|>>|==|!=|<=|>=|\*\*|:=|->|[-+*%^&|<>(),⊕≤≥≠·])|(?P<other>\S)"
)
_OPERAND = "a number, a name or a function is needed"


@dataclass(frozen=True, slots=True)
class Token:
    """A number, name, operator, parenthesis or comma; the last one is empty."""

    text: str
    column: int
    is_operand: bool


def tokenise(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`; raise `FormulaError` for anything else."""
    for match in _TOKEN.finditer(text):
        kind, written, column = match.lastgroup, match[0], match.start() + 1
        if kind == "number" and not (written.isdigit() and (written[0] != "0" or written == "0")):
            problem = f"{quoted(written)} at column {column}: numbers are decimal integers such as 12, with no leading zero"
            raise FormulaError(problem, text, column)
        if kind == "other" or written in (":=", "->"):
            hint = f" (did you mean {quoted(_MEANT[written])}?)" if written in _MEANT else ""
            problem = f"{quoted(written)} at column {column}: {ALLOWED}{hint}"
            raise FormulaError(problem, text, column)
        if keyword.iskeyword(written) and written not in ("and", "or", "not"):
            problem = f"{quoted(written)} at column {column} cannot be a name: {ALLOWED}"
            raise FormulaError(problem, text, column)
        yield Token(
            SIGNS.get(written, written),
            column,
            kind == "number" or (written.isidentifier() and not keyword.iskeyword(written)),
        )


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean "…"?)`` with the nearest of `known`, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {quoted(near[0])}?)" if near else ""


def quoted(text: str) -> str:
    """Return `text` in double quotes, printable and not too long for a message."""
    short = text if len(text) <= 40 else f"{text[:39]}…"
    signs = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
    return f'"{"".join(signs)}"'


def parse_nodes(
    text: str, names: Collection[str] | None = None, functions: Collection[str] = ()
) -> Node:
    """Return the nodes of `text`; see `choco_pipeline.formula.parse`.

    Raises `FormulaError` for any text that is no formula of the language.
    """
    if len(text) > MAX_LENGTH:
        problem = f"formula of {len(text)} characters: at most {MAX_LENGTH} are allowed"
        raise FormulaError(problem, text, MAX_LENGTH + 1)
    # the language's own functions come first and keep their signatures
    signatures = nodes.FUNCTIONS | dict.fromkeys(functions, (1, 1)) | nodes.FUNCTIONS
    tokens = chain(tokenise(text), [Token("", len(text.rstrip()) + 1, False)])
    node = _Reader(text, tokens, names, signatures).read()
    length = len(nodes.render(node))
    if length > MAX_LENGTH:  # so that every canonical text can itself be parsed
        problem = (
            f"formula of {length} characters when written out: at most {MAX_LENGTH} are allowed"
        )
        raise FormulaError(problem, text, MAX_LENGTH)
    return node


def parse_tokens(text: str, tokens: Iterable[Token], names: Collection[str], end: int) -> Node:
    """Return the nodes of a part of `text`, given by its tokens.

    `end` is the column of the token after the part. Raises `FormulaError` if the part is no integer or condition.
    """
    whole = chain(tokens, [Token("", end, False)])
    return _Reader(text, whole, names, nodes.FUNCTIONS).read()


class _Part(NamedTuple):
    """A node, the column of its first token, and its depth."""

    node: Node
    start: int
    levels: int = 1


@dataclass
class _Reader:
    text: str
    #: Its tokens; the last one is empty.
    tokens: Iterator[Token]
    names: Collection[str] | None
    functions: Mapping[str, tuple[int, int | None]]
    #: Number of open parentheses.
    open: int = 0

    def __post_init__(self) -> None:
        self.here = next(self.tokens)

    def read(self) -> Node:
        part = self._expression(0, 1)
        if self.here.text:
            raise self._unexpected()
        return part.node

    def _take(self) -> Token:
        token, self.here = self.here, next(self.tokens)
        return token

    def _expression(self, least: int, depth: int) -> _Part:
        """Parse operands and operators with a precedence of at least `least`."""
        left = self._operand(least, depth)
        while (sign := self.here.text) in nodes.PRECEDENCE and sign != "not":
            strength = nodes.PRECEDENCE[sign]
            if strength < least:
                break
            if sign in nodes.COMPARISONS:
                signs, parts = list[str](), [left]
                while self.here.text in nodes.COMPARISONS:
                    signs.append(self._take().text)
                    parts.append(self._expression(strength + 1, depth + 1))
                operands = tuple(map(self._integer, parts, (signs[0], *signs)))
                left = self._with_operands(nodes.Compare(tuple(signs), operands, left.start), parts)
            elif sign in ("and", "or"):
                parts = [left]
                while self.here.text == sign:
                    self._take()
                    parts.append(self._expression(strength + 1, depth + 1))
                junction = nodes.joined(sign, *(self._truth(part, sign) for part in parts))
                left = self._with_operands(replace(junction, column=left.start), parts)
            else:
                token = self._take()
                # a power is right-associative, and its exponent may have a minus sign
                right = self._expression(nodes.UNARY if sign == "**" else strength + 1, depth + 1)
                two = self._integer(left, sign), self._integer(right, sign)
                left = self._with_operands(nodes.Binary(sign, *two, token.column), (left, right))
        return left

    def _operand(self, least: int, depth: int) -> _Part:
        """Parse a number, name, call or parentheses, possibly with a sign."""
        token = self.here
        if depth > MAX_DEPTH:
            raise self._too_deep(token.column)
        match token.text:
            case "(":
                opening = self._take_opening()
                part = self._expression(0, depth)
                self._close(opening)
                return part
            case "not":
                if least > nodes.PRECEDENCE["not"]:
                    raise self._refused(token, "put parentheses around the negation")
                self._take()
                part = self._expression(nodes.PRECEDENCE["not"], depth + 1)
                return self._with_operands(
                    nodes.LogicalNot(self._truth(part, "not"), token.column), [part]
                )
            case "+" | "-" as sign:
                self._take()
                part = self._expression(nodes.UNARY, depth + 1)
                node = self._integer(part, sign)
                signed = nodes.negate(node, token.column) if sign == "-" else node
                return self._with_operands(signed, [part])
            case text if token.is_operand and text[0].isdigit():
                value = int(self._take().text)
                if value.bit_length() > nodes.MAX_BITS:
                    problem = f"integer of {value.bit_length()} bits at column {token.column}: at most {nodes.MAX_BITS} are allowed"
                    raise self._refusal(problem, token.column)
                return _Part(nodes.Integer(value, token.column), token.column)
            case _ if token.is_operand:
                self._take()
                return self._call(token, depth) if self.here.text == "(" else self._name(token)
            case ",":
                raise self._unexpected()
            case "":
                problem = f"the formula ends at column {token.column} where {_OPERAND}"
                raise self._refusal(problem, token.column)
            case _:
                raise self._refused(token, f"{_OPERAND} before it")

    def _name(self, token: Token) -> _Part:
        name, column = token.text, token.column
        if name in self.functions:
            problem = f"{quoted(name)} at column {column} is a function: it needs arguments in parentheses"
            raise self._refusal(problem, column)
        if self.names is not None and name not in self.names:
            known = sorted(self.names)
            allowed = f"names are {', '.join(known)}" if known else "no names are allowed"
            problem = f"name {quoted(name)} at column {column}: {allowed}{suggestion(name, known)}"
            raise self._refusal(problem, column)
        return _Part(nodes.Name(name, column), column)

    def _call(self, token: Token, depth: int) -> _Part:
        function, column = token.text, token.column
        if function not in self.functions:
            names, near = ", ".join(self.functions), suggestion(function, self.functions)
            problem = f"call to {quoted(function)} at column {column}: functions are {names}{near}"
            raise self._refusal(problem, column)
        opening = self._take_opening()
        parts = [self._expression(0, depth + 1)]
        while self.here.text == ",":
            self._take()
            parts.append(self._expression(0, depth + 1))
        self._close(opening)
        least, most = self.functions[function]
        if len(parts) < least or (most is not None and len(parts) > most):
            need = "one argument" if most == least else f"{least} or more arguments"
            problem = f"{function} at column {column} is given {len(parts)}: it needs {need}"
            raise self._refusal(problem, column)
        arguments = tuple(self._integer(part, function) for part in parts)
        return self._with_operands(nodes.Call(function, arguments, column), parts)

    def _take_opening(self) -> Token:
        self.open += 1
        if self.open > MAX_DEPTH + 1:
            raise self._refused(self.here, f"parentheses may be nested {MAX_DEPTH} deep")
        return self._take()

    def _close(self, opening: Token) -> None:
        if not self.here.text:
            problem = f'"(" at column {opening.column} is never closed'
            raise self._refusal(problem, opening.column)
        if self.here.text != ")":
            raise self._unexpected()
        self.open -= 1
        self._take()

    def _with_operands(self, node: Node, parts: Collection[_Part]) -> _Part:
        """Return the part of a node with these parts as operands."""
        levels = 1 + max(part.levels for part in parts)
        start = min(node.column, *(part.start for part in parts))
        if levels > MAX_DEPTH:
            raise self._too_deep(node.column)
        return _Part(node, start, levels)

    def _integer(self, part: _Part, where: str) -> Node:
        if nodes.is_truth(part.node):
            raise self._of_wrong_type(part, f'is true or false: "{where}" needs an integer')
        return part.node

    def _truth(self, part: _Part, where: str) -> Node:
        if not nodes.is_truth(part.node):
            raise self._of_wrong_type(part, f'is an integer: "{where}" needs a comparison')
        return part.node

    def _of_wrong_type(self, part: _Part, what: str) -> FormulaError:
        text = quoted(nodes.render(part.node))
        return self._refusal(f"{text} at column {part.start} {what}", part.start)

    def _unexpected(self) -> FormulaError:
        """Return the error for a token that cannot follow an operand."""
        problems = {
            ")": "there is no parenthesis to close",
            ",": "commas stand only between the arguments of a function",
        }
        what = problems.get(self.here.text, "an operator is needed before it")
        return self._refused(self.here, what)

    def _refused(self, token: Token, what: str) -> FormulaError:
        return self._refusal(f"{quoted(token.text)} at column {token.column}: {what}", token.column)

    def _refusal(self, problem: str, column: int) -> FormulaError:
        return FormulaError(problem, self.text, column)

    def _too_deep(self, column: int) -> FormulaError:
        problem = f"formula nested too deeply at column {column}: at most {MAX_DEPTH} levels"
        return self._refusal(problem, column)
