"""The parser of formulas: tokens by a whitelist, their order, and then Python's syntax tree turned into nodes.

The order of tokens is checked first, so that every mistake has a column and a message of its own.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from choco_pipeline.formula.nodes import (
    COMPARISONS,
    FUNCTIONS,
    MAX_BITS,
    OPERATORS,
    Binary,
    Call,
    Compare,
    FormulaError,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Node,
    is_truth,
    negate,
    render,
)

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
    """Yield the tokens of `text`; refuse all others."""
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
    """Return the tokens if they form a formula, types aside: they alternate, and parentheses match.

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


MAX_LENGTH = 2_000
MAX_DEPTH = 100

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def parse_tokens(text: str, tokens: Iterable[Token], names: Collection[str], end: int) -> Node:
    """Return the nodes of an integer or a condition that is a part of `text`; raise `FormulaError` if it is none.

    `end` is the column of what follows the part.
    """
    checked = check_grammar(text, tokens, FUNCTIONS, MAX_DEPTH, end)
    return _FormulaReader(text, checked, names, FUNCTIONS).read()


def parse_nodes(
    text: str, names: Collection[str] | None = None, functions: Collection[str] = ()
) -> Node:
    """Return the nodes of `text`; see `choco_pipeline.formula.parse`.

    Raises `FormulaError` for anything that is not a formula of the language, whatever `text` holds.
    """
    if len(text) > MAX_LENGTH:
        problem = f"formula of {len(text)} characters: at most {MAX_LENGTH} are allowed"
        raise FormulaError(problem, text, MAX_LENGTH + 1)
    signatures = FUNCTIONS | {name: (1, 1) for name in functions if name not in FUNCTIONS}
    end = len(text.rstrip()) + 1
    tokens = check_grammar(text, tokenise(text), signatures, MAX_DEPTH, end)
    node = _FormulaReader(text, tokens, names, signatures).read()
    length = len(render(node))
    if length > MAX_LENGTH:  # so that every canonical text can itself be parsed
        problem = (
            f"formula of {length} characters when written out: at most {MAX_LENGTH} are allowed"
        )
        raise FormulaError(problem, text, MAX_LENGTH)
    return node


class _FormulaReader:
    """Turns Python's syntax tree of checked tokens into nodes; refuses unknown names, wrong types and too deep nesting."""

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        names: Collection[str] | None,
        functions: Mapping[str, tuple[int, int | None]],
    ) -> None:
        self._text = text
        self._names = names
        self._functions = functions
        self._tokens = tokens
        self._starts: list[int] = []  # of each token in the text for Python's parser
        position = 0
        for token in tokens:
            self._starts.append(position)
            position += len(token.text) + 1

    def read(self) -> Node:
        try:
            tree = ast.parse(" ".join(token.text for token in self._tokens), mode="eval")
        except (RecursionError, MemoryError):  # how Python's parser says that its stack is used up
            raise self._too_deep(1) from None
        return self._node(tree.body, 1)

    def _node(self, tree: ast.expr, depth: int) -> Node:
        column = self._column(tree)
        if depth > MAX_DEPTH:
            raise self._too_deep(column)
        match tree:
            case ast.Constant(value=int(value)):
                if value.bit_length() > MAX_BITS:
                    raise self._refusal(
                        f"integer of {value.bit_length()} bits at column {column}: at most {MAX_BITS} are allowed",
                        column,
                    )
                return Integer(value, column)
            case ast.Name(id=name):
                return self._name(name, column)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return LogicalNot(self._truth(operand, depth, "not"), column)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return negate(self._integer(operand, depth, "-"), column)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._integer(operand, depth, "+")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                sign = _BINARY[type(op)]
                return Binary(
                    sign,
                    self._integer(left, depth, sign),
                    self._integer(right, depth, sign),
                    self._operator_after(left),
                )
            case ast.BoolOp(op=op, values=values):
                return self._junction(
                    "and" if isinstance(op, ast.And) else "or", values, depth, column
                )
            case ast.Compare(left=left, ops=ops, comparators=comparators) if all(
                type(op) in _COMPARISONS for op in ops
            ):
                signs = tuple(_COMPARISONS[type(op)] for op in ops)
                operands = (
                    self._integer(item, depth, signs[max(i - 1, 0)])
                    for i, item in enumerate([left, *comparators])
                )
                return Compare(signs, tuple(operands), column)
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
                return self._call(function, arguments, depth, column)
            case _:
                raise self._refusal(f"{type(tree).__name__} at column {column}: {ALLOWED}", column)

    def _name(self, name: str, column: int) -> Name:
        if name in self._functions:
            raise self._refusal(
                f"{quoted(name)} at column {column} is a function: it needs arguments in parentheses",
                column,
            )
        if self._names is not None and name not in self._names:
            known = sorted(self._names)
            allowed = f"names are {', '.join(known)}" if known else "no names are allowed"
            raise self._refusal(
                f"name {quoted(name)} at column {column}: {allowed}{suggestion(name, known)}",
                column,
            )
        return Name(name, column)

    def _call(self, function: str, arguments: list[ast.expr], depth: int, column: int) -> Call:
        least, most = self._functions[function]
        if len(arguments) < least or (most is not None and len(arguments) > most):
            need = "one argument" if most == least else f"{least} or more arguments"
            raise self._refusal(
                f"{function} at column {column} is given {len(arguments)}: it needs {need}",
                column,
            )
        return Call(
            function,
            tuple(self._integer(argument, depth, function) for argument in arguments),
            column,
        )

    def _junction(self, operator: str, values: list[ast.expr], depth: int, column: int) -> Junction:
        operands: list[Node] = []
        for value in values:
            node = self._truth(value, depth, operator)
            if isinstance(node, Junction) and node.operator == operator:
                operands.extend(node.operands)
            else:
                operands.append(node)
        return Junction(operator, tuple(operands), column)

    def _integer(self, tree: ast.expr, depth: int, where: str) -> Node:
        node = self._node(tree, depth + 1)
        if is_truth(node):
            column = self._column(tree)
            raise self._refusal(
                f'{_shown(node)} at column {column} is true or false: "{where}" needs an integer',
                column,
            )
        return node

    def _truth(self, tree: ast.expr, depth: int, where: str) -> Node:
        node = self._node(tree, depth + 1)
        if not is_truth(node):
            column = self._column(tree)
            raise self._refusal(
                f'{_shown(node)} at column {column} is an integer: "{where}" needs a comparison',
                column,
            )
        return node

    def _column(self, tree: ast.expr) -> int:
        return self._tokens[bisect_left(self._starts, tree.col_offset)].column

    def _operator_after(self, left: ast.expr) -> int:
        index = bisect_left(self._starts, left.end_col_offset or 0)
        while self._tokens[index].text == ")":
            index += 1
        return self._tokens[index].column

    def _refusal(self, problem: str, column: int) -> FormulaError:
        return FormulaError(problem, self._text, column)

    def _too_deep(self, column: int) -> FormulaError:
        return FormulaError(
            f"formula nested too deeply at column {column}: at most {MAX_DEPTH} levels",
            self._text,
            column,
        )


def _shown(node: Node) -> str:
    return quoted(render(node))
