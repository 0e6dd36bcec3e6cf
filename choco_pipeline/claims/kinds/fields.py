"""The types of a claim's keys: formulas and ranges that are parsed when a file is read, and short texts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.ranges import Range, parse_range


def _as_text(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise ValueError("a formula is needed")
    return text


def _reader(
    wanted: Literal["an integer", "a condition"], functions: Collection[str] | None = ()
) -> Callable[[object], Formula]:
    def read(value: object) -> Formula:
        if isinstance(value, Formula):
            return value
        try:
            formula = parse(_as_text(value), functions=functions or ())
        except FormulaError as error:
            raise ValueError(str(error)) from error
        if formula.is_truth != (wanted == "a condition"):
            raise ValueError(
                f"{wanted} is needed, this is {'a condition' if formula.is_truth else 'an integer'}"
            )
        return formula

    return read


def _read_range(value: object) -> Range:
    if isinstance(value, Range):
        return value
    try:
        return parse_range(_as_text(value).strip())
    except FormulaError as error:
        raise ValueError(str(error)) from error


_AS_TEXT = PlainSerializer(lambda formula: formula.text, return_type=str)
_INTEGER = WithJsonSchema({"type": ["string", "integer"], "format": "integer formula"})
_CONDITION = WithJsonSchema({"type": "string", "format": "condition"})
_RANGE = WithJsonSchema({"type": ["string", "integer"], "format": "range"})

Integer = Annotated[Formula, PlainValidator(_reader("an integer")), _AS_TEXT, _INTEGER]
Condition = Annotated[Formula, PlainValidator(_reader("a condition")), _AS_TEXT, _CONDITION]
#: An integer, or a condition, in which ``g(n)`` is the number of P-positions in the table whose parameter is n.
Number = Annotated[Formula, PlainValidator(_reader("an integer", {"g"})), _AS_TEXT, _INTEGER]
#: ``first..last``, ``first..last step n``, or a single formula.
Span = Annotated[Range, PlainValidator(_read_range), _AS_TEXT, _RANGE]

Text = Annotated[str, Field(min_length=1, max_length=2000)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")]
Natural = Annotated[int, Field(ge=0)]
