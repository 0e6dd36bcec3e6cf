"""What a claims file holds: typed, closed, every formula parsed when it is read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from choco_pipeline.documents.model import Model
from choco_pipeline.formula import Formula, FormulaError, parse


def _reader(
    wanted: Literal["an integer", "a condition"], functions: Collection[str] = ()
) -> Callable[[object], Formula]:
    def read(value: object) -> Formula:
        if isinstance(value, Formula):
            return value
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            raise ValueError("a formula is needed")
        try:
            formula = parse(text, functions=functions)
        except FormulaError as error:
            raise ValueError(str(error)) from error
        if formula.is_truth != (wanted == "a condition"):
            raise ValueError(
                f"{wanted} is needed, this is {'a condition' if formula.is_truth else 'an integer'}"
            )
        return formula

    return read


_AS_TEXT = (
    PlainSerializer(lambda formula: formula.text, return_type=str),
    WithJsonSchema({"type": "string"}),
)

Integer = Annotated[Formula, PlainValidator(_reader("an integer")), *_AS_TEXT]
Condition = Annotated[Formula, PlainValidator(_reader("a condition")), *_AS_TEXT]
#: A condition in which ``g(n)`` is the number of P-positions in the table whose parameter is n.
Relation = Annotated[Formula, PlainValidator(_reader("a condition", {"g"})), *_AS_TEXT]

Text = Annotated[str, Field(min_length=1, max_length=2000)]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,31}$")]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Natural = Annotated[int, Field(ge=0)]


class PPositions(Model):
    """The P-positions are exactly the positions that satisfy `formula`."""

    kind: Literal["p-positions"]
    formula: Condition = Field(description="A condition on coordinates and parameters.")
    where: Condition | None = Field(
        default=None, description="The statement speaks of these positions only."
    )


class GrundyNumbers(Model):
    """The Grundy number equals an integer formula."""

    kind: Literal["grundy"]
    equals: Integer = Field(description="An integer formula in coordinates and parameters.")
    where: Condition | None = Field(
        default=None, description="The statement speaks of these positions only."
    )


class Values(Model):
    """The values of a formula over the P-positions make a set, stay inside of one, or contain one."""

    kind: Literal["values"]
    of: Integer = Field(description="An integer formula in coordinates and parameters.")
    values: Condition = Field(description="The set, as a condition on `v`.")
    relation: Literal["exactly", "contains-all", "within"]
    where: Condition | None = Field(
        default=None, description="The statement speaks of these positions only."
    )


class Count(Model):
    """A finite number of positions, or of P-positions, satisfies a condition."""

    kind: Literal["count"]
    over: Literal["positions", "p-positions"] = "positions"
    of: Condition = Field(
        description="A condition on coordinates and parameters, and on `grundy` where all positions are counted."
    )
    where: Condition | None = Field(
        default=None, description="The box in which positions are counted."
    )
    equals: Integer = Field(description="The number, a formula in the parameters.")


class Counts(Model):
    """Relations between the numbers of P-positions in tables that differ in one parameter."""

    kind: Literal["counts"]
    relations: list[Relation] = Field(
        min_length=1,
        description="Conditions on `g(n)`, the number of P-positions in the table whose parameter is n, for each"
        " value of the parameter from 1.",
    )


class Cellular(Model):
    """The P-positions of a rectangular bar are the cells of a generation of a cellular automaton that are not 0."""

    kind: Literal["cellular"]
    terms: list[Annotated[list[int], Field(min_length=3, max_length=3)]] = Field(
        min_length=1,
        description="`[dn, di, dj]` for each term a(n-dn) at (i-di, j-dj) of the sum that is a(n) at (i, j).",
    )
    start: list[Annotated[list[int], Field(min_length=4, max_length=4)]] = Field(
        min_length=1, description="`[n, i, j, value]` for each cell that is given and not 0."
    )
    modulo: Annotated[int, Field(ge=2)] = Field(description="What sums are reduced by.")
    generation: Integer = Field(
        description="Which generation a table shows, a formula in the parameters."
    )


Check = Annotated[
    PPositions | GrundyNumbers | Values | Count | Counts | Cellular, Field(discriminator="kind")
]


class Statement(Model):
    """What decides a claim's verdict: of which rulesets it speaks, and what it says of them."""

    id: Id = Field(description="For example `step2015-thm-2.1`.")
    ruleset: Text = Field(
        description="The ruleset's notation, in which names stand for integers.",
        examples=[
            "step-bar(k=k, s=s)",
            "with-pass(strip-bar(k=k, s=s), passes=1)",
            "solid-bar(f=(x+z)//k)",
        ],
    )
    when: Condition | None = Field(default=None, description="A condition on the parameters.")
    let: dict[Name, Integer] = Field(
        default={},
        description="Names for integers that follow from the parameters and the names before.",
    )
    finite: Integer | None = Field(
        default=None,
        description="The bound at which a table holds every case of the statement, if there are finitely many.",
    )
    check: Check


class Entry(Statement):
    """A claim as a paper makes it."""

    number: Text = Field(description="As printed.", examples=["Theorem 2.1"])
    where: Text | None = Field(default=None, description="Section or page.")
    status: Literal["theorem", "lemma", "corollary", "example", "conjecture", "question", "figure"]
    statement: Text = Field(description="What is claimed, in words.")


class Paper(Model):
    """Where claims come from."""

    key: Key
    title: Text
    authors: list[Text] = Field(min_length=1)
    year: Annotated[int, Field(ge=1600, le=2200)] | None = Field(
        default=None, description="Left out for a preprint without a date."
    )
    reference: Text = Field(description="Journal, volume and number, or where the preprint is.")


class ClaimsFile(Model):
    """One file of claims: a paper and what it states."""

    paper: Paper
    claims: list[Entry] = Field(min_length=1)
