"""Types of a claim's keys: parsed formulas and ranges, and short texts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, TypeVar

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.ranges import Range, parse_range

_T = TypeVar("_T")


def _reader(kind: type[_T], read: Callable[[str], _T]) -> PlainValidator:
    """Return a validator that reads a text or an integer, and refuses anything else."""

    def validated(value: object) -> _T:
        if isinstance(value, kind):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise ValueError("a formula is needed")
        try:
            return read(value)
        except FormulaError as error:
            raise ValueError(str(error)) from error

    return PlainValidator(validated)


def _formula(is_truth: bool, functions: Collection[str] = ()) -> PlainValidator:
    words = {False: "an integer", True: "a condition"}

    def read(text: str) -> Formula:
        formula = parse(text, functions=functions)
        if formula.is_truth != is_truth:
            raise ValueError(f"{words[is_truth]} is needed, this is {words[not is_truth]}")
        return formula

    return _reader(Formula, read)


_AS_TEXT = PlainSerializer(lambda formula: formula.text, return_type=str)
_INTEGER = WithJsonSchema({"type": ["string", "integer"], "format": "integer formula"})
_CONDITION = WithJsonSchema({"type": "string", "format": "condition"})
_RANGE = WithJsonSchema({"type": ["string", "integer"], "format": "range"})

Integer = Annotated[Formula, _formula(False), _AS_TEXT, _INTEGER]
Condition = Annotated[Formula, _formula(True), _AS_TEXT, _CONDITION]
#: An integer, or a condition, in which ``g(n)`` is the number of P-positions in the table whose parameter is n.
Number = Annotated[Formula, _formula(False, {"g"}), _AS_TEXT, _INTEGER]
#: ``first..last``, ``first..last step n``, or a single formula.
Span = Annotated[Range, _reader(Range, lambda text: parse_range(text.strip())), _AS_TEXT, _RANGE]

Text = Annotated[str, Field(min_length=1, max_length=2000)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")]
Natural = Annotated[int, Field(ge=0)]
