"""The models of a claims file, and of a claim in a ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from choco_pipeline.claims.kinds import Condition, Id, Integer, Name, Natural, PlugIn, Span, Text
from choco_pipeline.documents.model import Model, RecordModel

#: The text of a statement; line breaks count as spaces.
StatementText = Annotated[str, Field(min_length=1, max_length=8000)]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,31}$")]
Status = Literal[
    "definition",
    "theorem",
    "lemma",
    "proposition",
    "corollary",
    "remark",
    "example",
    "figure",
    "table",
    "conjecture",
    "question",
    "ours",
    "found",
]

LemmaName = Literal["sprague-grundy", "free-heap"]


class FollowsFrom(Model):
    """The premises of a claim: other claims, and lemmas on games in general."""

    claims: list[Id] = Field(
        min_length=1,
        description="The premises, each a claim on Grundy numbers or P-positions with a `for_all` of its own. They must be"
        " proved for all parameters for which this one is to follow.",
        examples=[["pass2016-thm-3.1"]],
    )
    lemmas: list[LemmaName] = Field(
        default=[],
        description="The lemmas that lead from the premises' games to this one's, in this order (docs/lemmas.md); none if it is"
        " the same game.",
        examples=[["free-heap"]],
    )


class Statement(Model):
    """The parts of a claim that decide its verdict: rulesets and statement."""

    id: Id = Field(description="For example `step2015-thm-2.1`.")
    ruleset: Text | None = Field(
        default=None,
        description="The ruleset's notation, in which names stand for integers. Statements about integers have none.",
        examples=[
            "step-bar(k=k, s=s)",
            "with-pass(strip-bar(k=k, s=s), passes=1)",
            "solid-bar(f=(x+z)//k)",
        ],
    )
    every: dict[Name, Span] = Field(
        default={},
        description="Further integers, each with its range, that formulas may use: the claim is about every choice of"
        " them that satisfies `when`, and each choice has a verdict of its own.",
        examples=[{"n": "0..8"}],
    )
    some: dict[Name, Span] = Field(
        default={},
        description="Integers that only `when` may use, and `for_all` if it is the same condition, each with the range of the"
        " search: the claim is about the parameters for which some of them satisfy `when`.",
        examples=[{"t": "0..s", "m": "0..k//2-1"}],
    )
    when: Condition | None = Field(
        default=None,
        description="A condition on the parameters and the integers of `every` and `some`.",
    )
    for_all: Condition | None = Field(
        default=None,
        description="A condition on the parameters that implies `when`: a run that proves games decides the statement for"
        " all natural numbers that satisfy it at once (docs/families.md). Only for `P <=> …` and `G == …`, of all"
        " positions, or of those up to a sum of parameters. With `follows_from` also for sets of values and options.",
        examples=["k % 4 == 1", "k % 2 == 0 and 1 <= s < k"],
    )
    follows_from: FollowsFrom | None = Field(
        default=None,
        description="With `for_all`: the premises for these parameters, instead of a proof from the game's rules.",
        examples=[{"claims": ["pass2016-thm-3.1"], "lemmas": ["free-heap"]}],
    )
    statement: StatementText | None = Field(
        default=None,
        description="The claim in the language of statements (docs/statements.md).",
        examples=["P <=> (x+s) ^ y ^ (z+s) == 0", "G == (y ^ (z+s)) - s"],
    )
    bound: Natural | None = Field(
        default=None, description="In a statement about integers: the default of `N`."
    )
    printed: list[list[Natural]] = Field(
        default=[],
        description="A table or a list as a paper prints it, row by row: `printed(row, column)` and `(x, y) in printed`.",
    )
    check: PlugIn | None = Field(
        default=None,
        description="Instead of `statement`, for claims that the language cannot express.",
    )


class Sample(Model):
    """The default tables of `choco claims check`."""

    parameters: dict[Name, Span] = Field(
        default={},
        description="A range for each of the ruleset's parameters, in order; they may depend on further names.",
    )
    bound: Integer = Field(
        description="Bound of the tables: an integer, or a formula in these names."
    )


class Entry(Statement):
    """A claim of a paper."""

    number: Text = Field(description="As printed.", examples=["Theorem 2.1"])
    where: Text | None = Field(default=None, description="Section or page.")
    status: Status = Field(
        description="Its kind in the paper; `question` for a question of the authors, where the verdict answers whether the"
        " formal statement is true; `ours` for a remark of the catalogue on the paper, which its authors do not make."
    )
    words: Text = Field(description="The claim in words.")
    note: Text | None = Field(
        default=None, description="An explanation of the formal reading, if it needs one."
    )
    corrects: Id | None = Field(
        default=None, description="The claim as printed, if this is its intended form."
    )
    contradicts: list[Id] = Field(
        default=[],
        description="Claims, also of other papers, that cannot be true together with this one.",
    )
    independent: Text | None = Field(
        default=None,
        description="The reason why no change of the moves makes it false: such a claim says little about the game.",
    )
    sample: Sample | None = Field(
        default=None,
        description="The default tables of `choco claims check`. Statements without a ruleset need none.",
    )


class Paper(Model):
    """The source of claims."""

    key: Key
    title: Text
    authors: list[Text] = Field(min_length=1)
    year: Annotated[int, Field(ge=1600, le=2200)] | None = Field(
        default=None, description="Left out for a preprint without a date."
    )
    reference: Text = Field(description="Journal, volume and number, or the place of the preprint.")
    doi: Annotated[str, Field(pattern=r"^10\.[0-9]{4,9}/\S+$")] | None = Field(
        default=None, description="Its DOI, a link in reports."
    )
    arxiv: Annotated[str, Field(pattern=r"^[0-9]{4}\.[0-9]{4,5}(v[0-9]+)?$")] | None = Field(
        default=None,
        description="Its number on arXiv, a link in reports if there is no DOI.",
        examples=["1711.04954"],
    )


class ClaimsFile(Model):
    """A file of claims: a paper and its statements."""

    paper: Paper
    claims: list[Entry] = Field(min_length=1)


#: The keys of a claim that a ledger copies from its file.
AS_IN_FILES = ("number", "where", "status", "words", "note", "corrects", "ruleset")


class LedgerClaim(RecordModel):
    """A claim in a ledger: its source, its words, its formal statement."""

    id: str
    paper: Paper
    number: str
    where: str | None
    status: str
    words: str
    note: str | None
    corrects: str | None
    contradicts: tuple[str, ...]
    ruleset: str | None
    #: The name of its check, and the claim in one line.
    kind: str
    formula: str
    #: As `Claim.as_json`.
    formal: Mapping[str, Any]
