"""From untrusted text to nodes: checked tokens, then Python's own precedence, then types and names.

The text given to Python's parser is made of checked tokens only; its syntax tree is read, never compiled.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping

from choco_pipeline.formula.formula_errors import FormulaError
from choco_pipeline.formula.nodes import (
    FUNCTIONS,
    MAX_BITS,
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Node,
    is_truth,
    negate,
    render,
)
from choco_pipeline.formula.tokens import (
    ALLOWED,
    Token,
    check_grammar,
    quoted,
    suggestion,
    tokenise,
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
