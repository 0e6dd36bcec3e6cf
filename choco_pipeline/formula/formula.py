"""Formulas and ranges of integers as frozen values."""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.formula import nodes
from choco_pipeline.formula.evaluate import Evaluator
from choco_pipeline.formula.exact import Place, Table, always_undefined
from choco_pipeline.formula.interval import MOST_BITS, Enclosure
from choco_pipeline.formula.machine_code import MachineFormulas
from choco_pipeline.formula.nodes import FormulaError, Node
from choco_pipeline.formula.parse import parse_nodes

if TYPE_CHECKING:
    from llvmlite import ir


def parse(
    text: str, names: Collection[str] | None = None, functions: Collection[str] = ()
) -> Formula:
    """Parse a formula or a condition; `text` may be untrusted.

    Parameters
    ----------
    text : str
        For example ``(x+z)//k`` or ``0 <= s < k and k % 2 == 0``; docs/statements.md describes the language.
    names : collection of str, optional
        The names that may occur; by default any.
    functions : collection of str
        Look-up functions of one argument that may be called besides min, max, abs, v2 and log2.

    Returns
    -------
    Formula

    Raises
    ------
    FormulaError
        If `text` is not a formula; the message has the column and the allowed words.

    Examples
    --------
    >>> f = parse("( x + z ) // k")
    >>> f.text
    '(x+z)//k'
    >>> f.value({"x": 4, "z": 7, "k": 3})
    3
    """
    return _parsed(text, None if names is None else frozenset(names), tuple(functions))


@lru_cache(1 << 12)
def _parsed(text: str, names: frozenset[str] | None, functions: tuple[str, ...]) -> Formula:
    """Parse with a cache: a claim is parsed again for each of its cases."""
    return Formula(parse_nodes(text, names, functions), text)


@dataclass(frozen=True)
class Formula:
    """An integer formula or a condition; formulas are equal if their trees are."""

    #: The outermost node.
    root: Node
    #: The text that was parsed; columns in errors refer to it.
    source: str = field(compare=False)

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"

    def __str__(self) -> str:
        return self.text

    @property
    def junction(self) -> str:
        """The outermost connective: ``and``, ``or``, ``not``, or empty."""
        if isinstance(self.root, nodes.LogicalNot):
            return "not"
        return self.root.operator if isinstance(self.root, nodes.Junction) else ""

    @cached_property
    def text(self) -> str:
        """The canonical text: ``parse(f.text) == f``, with the same functions."""
        return nodes.render(self.root)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that need a value."""
        return nodes.names_of(self.root)

    @cached_property
    def integers(self) -> frozenset[int]:
        """The integer literals in it, with their signs."""
        parts = nodes.walk(self.root)
        return frozenset(part.value for part in parts if isinstance(part, nodes.Integer))

    @cached_property
    def functions(self) -> frozenset[str]:
        """The look-up functions that need a table."""
        return nodes.look_ups_of(self.root)

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.root, self.source)

    @cached_property
    def is_truth(self) -> bool:
        """Whether this is a condition, not an integer."""
        return nodes.is_truth(self.root)

    @property
    def conjuncts(self) -> list[Formula]:
        """The conditions joined by ``and`` on the outside, at least one.

        Examples
        --------
        >>> parse("a < 3 and b < 4 and (c == 0 or d == 0)").conjuncts
        [Formula('a < 3'), Formula('b < 4'), Formula('c == 0 or d == 0')]
        """
        parts = nodes.children(self.root) if self.junction == "and" else (self.root,)
        return [Formula(part, self.source) for part in parts]

    @classmethod
    def joined(cls, word: str, *parts: Formula) -> Formula:
        """Return conditions joined by ``and`` or ``or``, with the first one's source."""
        return cls(nodes.joined(word, *(part.root for part in parts)), parts[0].source)

    @property
    def negated(self) -> Formula:
        """The negation of this condition."""
        return Formula(nodes.LogicalNot(self.root), self.source)

    def rename_all(self, names: Mapping[str, str]) -> Formula:
        """Return this formula with other names, which may be any text."""
        parts = {old: nodes.Name(new) for old, new in names.items()}
        return Formula(nodes.substitute(self.root, parts), self.source)

    def bound_of(self, name: str) -> Formula | None:
        """Return e if this is ``name <= e`` and e does not contain the name."""
        sign, compared = self._comparison(name) or ("", None)
        return compared if sign == "<=" else None

    def solved_for(self, name: str) -> Formula | None:
        """Return e if this is ``name == e`` or ``e == name``, and e lacks the name."""
        sign, compared = self._comparison(name) or ("", None)
        return compared if sign == "==" else None

    def compared_with(self, name: str) -> tuple[str, Formula] | None:
        """Return the sign and e of ``name sign e``, its negation, or ``e == name``."""
        if isinstance(self.root, nodes.LogicalNot):
            inside = Formula(self.root.operand, self.source).compared_with(name)
            return inside and (nodes.OPPOSITE[inside[0]], inside[1])
        return self._comparison(name)

    def _comparison(self, name: str) -> tuple[str, Formula] | None:
        match self.root:
            case nodes.Compare((sign,), (nodes.Name(left), right)) if left == name:
                compared = Formula(right, self.source)
            case nodes.Compare(("==" as sign,), (left, nodes.Name(right))) if right == name:
                compared = Formula(left, self.source)
            case _:
                return None
        return None if name in compared.names else (sign, compared)

    def always_undefined(self) -> FormulaError | None:
        """Return the error of a part without a value for any names, or None.

        Examples
        --------
        >>> print(parse("x//0 == y").always_undefined())
        division by zero at column 2
        """
        return always_undefined(self.root, self.source)

    def substitute(self, values: Mapping[str, int]) -> Formula:
        """Return this formula with integers for some names, without simplification.

        Examples
        --------
        >>> parse("(x+z)//k").substitute({"k": 3})
        Formula('(x+z)//3')
        """
        integers = {name: operator.index(value) for name, value in values.items()}
        for name, value in integers.items():
            if value.bit_length() > nodes.MAX_BITS:
                problem = f"value of {value.bit_length()} bits for {name}: at most {nodes.MAX_BITS}"
                raise FormulaError(problem, self.source, 1)
        parts = {name: nodes.Integer(value) for name, value in integers.items()}
        return self._reparsed(nodes.substitute(self.root, parts))

    def rename(self, names: Mapping[str, str]) -> Formula:
        """Return this formula with other names for some of its own.

        Examples
        --------
        >>> parse("(a+b)//k").rename({"a": "x", "b": "z"})
        Formula('(x+z)//k')
        """
        return self._reparsed(self.rename_all(names).root)

    def with_name(self, name: str, part: Formula) -> Formula:
        """Return this formula with a name in place of each occurrence of `part`.

        Examples
        --------
        >>> parse("(x+z)//3 + x").with_name("n", parse("x+z"))
        Formula('n//3+x')
        """
        return self._reparsed(nodes.name_part(self.root, part.root, name))

    def name_look_ups(self, function: str, prefix: str) -> tuple[Formula, dict[str, Formula]]:
        """Replace look-ups by names; return also the arguments by these names.

        The names are the prefix with a number; no name of this formula may begin with it.

        Examples
        --------
        >>> parse("g(n+1) == g(n)", functions={"g"}).name_look_ups("g", "G")
        (Formula('G0 == G1'), {'G0': Formula('n+1'), 'G1': Formula('n')})
        """
        arguments: list[Node] = []
        named = self._reparsed(nodes.name_calls(self.root, function, prefix, arguments))
        return named, {f"{prefix}{i}": self._reparsed(node) for i, node in enumerate(arguments)}

    def value(
        self, env: Mapping[str, int], functions: Mapping[str, Table] | None = None
    ) -> int | bool:
        """Return the value at one place, in exact integers.

        `//` rounds down and `%` has the divisor's sign; `^ & |` act on two's complement. `and`, `or` and chains
        of comparisons stop at the first operand from the left that decides.

        `env` maps each name to its value, and `functions` maps a look-up function ``g`` to g(0), g(1), ... Raises
        `FormulaError` for a division by zero, a shift by a negative count, a power with a negative exponent, v2(0), log2 of
        a number below 1, a look-up outside its table, a name without a value, or an integer of more than 4096 bits.
        """
        return Place(self.source, env, functions or {}).value(self.root)

    def evaluate(
        self, env: Mapping[str, ArrayLike], functions: Mapping[str, Table] | None = None
    ) -> NDArray[np.int64 | np.bool_]:
        """Return the values on arrays; each one equals `value` at its place.

        `env` maps each name to an integer or an integer array, and `functions` maps a look-up function ``g`` to the array of
        g(0), g(1), ... The result is int64, or bool for a condition; the formula's own names are broadcast to its shape. Raises
        `FormulaError` for the first place at which `value` raises it. Also raises it if interval arithmetic on the ranges of the
        arrays cannot prove that every operator stays within 64 bits, needed or not.

        Examples
        --------
        >>> import numpy as np
        >>> parse("x ^ y == 0 or x == 3").evaluate({"x": np.arange(5), "y": 2})
        array([False, False,  True,  True, False])
        """
        values = self.evaluate_narrow(env, functions)
        return values if self.is_truth else values.astype(np.int64, copy=False)

    def evaluate_narrow(
        self, env: Mapping[str, ArrayLike], functions: Mapping[str, Table] | None = None
    ) -> NDArray[np.signedinteger | np.bool_]:
        """Return the values of `evaluate` in the narrowest dtype for their interval."""
        return self._evaluator.evaluate(env, functions or {})

    def interval(
        self,
        ranges: Mapping[str, tuple[int, int]],
        functions: Mapping[str, tuple[int, int]] | None = None,
    ) -> tuple[int, int]:
        """Return an interval that contains every value; (0, 1) for a condition.

        The ranges are the least and the greatest value of every name, and of every look-up function. Raises `FormulaError` for
        a name without a range, or an integer that may need more than 4096 bits.

        Examples
        --------
        >>> parse("(x+z)//3").interval({"x": (0, 7), "z": (0, 7)})
        (0, 4)
        """
        return Enclosure(self.source, ranges, functions or {}, nodes.MAX_BITS + 1).of(self.root)

    def throughout(self, name: str, low: float, high: float) -> bool | None:
        """Return the value of a condition if it is constant on an interval, or None.

        Both ends are included; they may be infinite. None may also mean that constancy is not proved. Raises `FormulaError` if the
        interval is a single integer at which this formula has no value.

        Examples
        --------
        >>> from math import inf
        >>> f = parse("v == 0 or v == 5000000")
        >>> f.throughout("v", 5000001, inf), f.throughout("v", 1, inf), f.throughout("v", 1, 1000)
        (False, None, False)
        """
        if low == high:
            return bool(self.value({name: int(low)}))
        try:
            ranges = {name: (low, high)}
            return Enclosure(self.source, ranges, {}, MOST_BITS, is_total=True).truth(self.root)
        except FormulaError:
            return None

    def fits(self, ranges: Mapping[str, tuple[int, int]], bits: int) -> bool:
        """Whether `emit` can compute it in `bits` bits for names in their ranges."""
        try:
            Enclosure("", ranges, {}, bits).of(self.root)
        except FormulaError:
            return False
        return True

    def emit(self, machine: MachineFormulas, matters: ir.Value) -> ir.Value:
        """Emit machine code for one cell and return its value; see `MachineFormulas`."""
        return machine.value(self.root, matters)

    def match(self, pattern: Formula, fixed: Collection[str]) -> dict[str, int] | None:
        """Return the integers for names of `pattern` that make it this formula, or None.

        Names in `fixed` are not replaced.

        Examples
        --------
        >>> parse("(x+z)//3").match(parse("(x+z)//k"), {"x", "z"})
        {'k': 3}
        """
        values: dict[str, nodes.Node] = {}
        if not nodes.match_nodes(self.root, pattern.root, fixed, values):
            return None
        integers = {n: one.value for n, one in values.items() if isinstance(one, nodes.Integer)}
        return integers if len(integers) == len(values) else None

    def solve(self, name: str) -> list[Formula] | None:
        """Return candidates for `name`; None if they are unknown.

        Where the condition holds, `name` equals one of them. The converse need not hold. Candidates have a value everywhere and do
        not contain `name`. Raises `FormulaError` if this formula is an integer.

        Examples
        --------
        >>> parse("(x == 0 and p == 1) or (x+s) ^ y ^ (z+s) ^ p == 0").solve("x")
        [Formula('0'), Formula('(y ^ (z+s) ^ p)-s')]
        """
        if not self.is_truth:
            problem = f"{self.text} is an integer: only a condition can be solved for {name}"
            raise FormulaError(problem, self.source, 1)
        solutions = nodes.solve_nodes(self.root, name)
        try:
            return None if solutions is None else [*map(self._reparsed, solutions)]
        except FormulaError:  # a solution is too long or too deep for a formula
            return None

    def _reparsed(self, node: Node) -> Formula:
        """Parse the text of `node`, so that columns refer to this text."""
        return parse(nodes.render(node), functions=self.functions)


# ---- Ranges: ``0..k-1``, ``2..16 step 2``, or a single formula.

_RANGE = re.compile(r"(?P<first>.+?)\.\.(?P<last>.+?)(?:\s+step\s+(?P<step>.+))?")
#: Largest absolute value of the ends of ranges on arrays: differences then fit into 64 bits.
_FARTHEST = 2**61


@dataclass(frozen=True)
class Range:
    """The integers from `first` to `last`, both included, as formulas."""

    #: Both ends; they are equal for a single integer.
    first: Formula
    last: Formula
    #: None for 1.
    step: Formula | None = None

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The canonical text: ``parse_range(r.text) == r``."""
        if self.step is None:
            is_single = self.first == self.last
            return self.first.text if is_single else f"{self.first}..{self.last}"
        return f"{self.first}..{self.last} step {self.step}"

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that need a value."""
        parts = (self.first, self.last, *([self.step] if self.step else []))
        return frozenset().union(*(part.names for part in parts))

    def values(self, env: Mapping[str, int]) -> range:
        """Return the integers for given values of the names.

        Raises `FormulaError` if a formula has no value, or the step is less than 1.

        Examples
        --------
        >>> list(parse_range("1..k step 2").values({"k": 6}))
        [1, 3, 5]
        """
        step = 1 if self.step is None else int(self.step.value(env))
        if self.step is not None and step < 1:
            problem = f"the step of a range is at least 1, found {step}"
            raise FormulaError(problem, self.step.source, 1)
        return range(int(self.first.value(env)), int(self.last.value(env)) + 1, step)

    def evaluate(self, env: Mapping[str, NDArray[np.int64]]) -> tuple[NDArray[np.int64], ...]:
        """Return the first integer, the step and the number of integers at each point.

        The arrays are flat and have the same length. Raises `FormulaError` if `values` would raise it at a point, or if the
        absolute value of an end exceeds 2**61.
        """
        shape = (next(iter(env.values())).size,) if env else (1,)
        ones = np.ones(shape, np.int64)
        first = self.first.evaluate(env) * ones
        last = self.last.evaluate(env) * ones
        step = ones if self.step is None else self.step.evaluate(env) * ones
        if self.step is not None and step.size and step.min() < 1:
            problem = f"the step of a range is at least 1, found {step.min()}"
            raise FormulaError(problem, self.step.source, 1)
        for formula, ends in ((self.first, first), (self.last, last)):
            far = ends[(ends < -_FARTHEST) | (ends > _FARTHEST)]
            if far.size:
                problem = f"the ends of a range are at most {_FARTHEST} from 0, found {far[0]}"
                raise FormulaError(problem, formula.source, 1)
        return first, step, np.maximum((last - first) // step + 1, 0)


def parse_range(text: str, names: Collection[str] | None = None) -> Range:
    """Parse ``first..last``, ``first..last step n`` or a single integer.

    By default any names may occur. Raises `FormulaError` if a part is no integer formula; its columns refer to `text`.

    Examples
    --------
    >>> parse_range("2 .. 16 step 2").text
    '2..16 step 2'
    >>> parse_range("k * t").text
    'k*t'
    """
    parts = _RANGE.fullmatch(text)
    if parts is None:
        single = _integer(text, 0, names)
        return Range(single, single)

    def part(key: str) -> Formula:
        return _integer(parts[key], parts.start(key), names)

    return Range(part("first"), part("last"), part("step") if parts["step"] else None)


def _integer(text: str, start: int, names: Collection[str] | None) -> Formula:
    # Leading spaces, so that columns refer to the whole text.
    formula = parse(" " * start + text, names)
    if formula.is_truth:
        problem = f"{text.strip()!r} is true or false, an integer is needed"
        raise FormulaError(problem, formula.source, start + 1)
    return formula
