"""The configuration as a typed model, for validation, schema and reference."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from choco_pipeline.claims.checks.height_functions import number_of_height_functions
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.reference import schema_text, section
from choco_pipeline.sweep.run_files import SHARED
from choco_pipeline.tables.spec import Quantity

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
ParameterName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Text = Annotated[str, Field(min_length=1, max_length=4000)]
Mine = Literal[
    "value-sets",
    "formulas",
    "counts",
    "cellular",
    "blocks",
    "symmetric",
    "lines",
    "smaller-heaps",
]
Prove = Literal["p", "grundy"]
#: Largest number of height functions in a box: the P-positions of each are computed, and conditions are compared on all.
MOST_HEIGHT_FUNCTIONS = 1 << 16


class Sweep(Model):
    """A family of tables: a ruleset, ranges of its parameters, and work to do."""

    ruleset: Text = Field(
        description="The ruleset, with the names of parameters.",
        examples=[
            "step-bar(k=k, s=s)",
            "solid-bar(f=(x+z)//k)",
            "solid-bar(f=f)",
            "rectangular-bar(m=m, n=m)",
        ],
    )
    parameters: dict[ParameterName, int | Text | list[int | Text]] = Field(
        default={},
        description="The values of each parameter, in order: an integer, a list, a range such as `0..k-1` or `2..16 step 2`,"
        " or an expression in the parameters before it.",
        examples=[{"k": "2..16", "s": "0..k-1"}],
    )
    where: Text | None = Field(
        default=None,
        description="A condition on the parameters. Tables are computed only for parameters that satisfy it.",
        examples=["k % 2 == 0"],
    )
    heights: list[Text] = Field(
        default=[],
        description="The height functions `f` for `solid-bar(f=f)`: formulas in x, z and the parameters, or"
        " `csv(file)` for a table of heights in a file.",
        examples=[["(x+z)//3", "max(x,z)//2", "csv(config/heights.csv)"]],
    )
    passes: int | Text | list[int | Text] = Field(
        default=0,
        description="The number of passes; like a parameter, it may be a list or a range. 0 is the game without passes.",
        examples=["0..1"],
    )
    bound: int | Text | list[int | Text] | None = Field(
        default=None,
        description="Largest value of every coordinate that the shape does not limit: an integer, an expression in the"
        " parameters, or a list of these. Only a rectangular bar needs no bound.",
        examples=[1024],
    )
    quantity: Quantity = Field(
        description="`grundy`: the Grundy number of every position; `p-positions`: only the set of P-positions, much faster."
    )
    claims: Literal["all", "none"] | list[Text] = Field(
        default="all",
        description="The claims to check on the tables: `all` that fit the ruleset, `none`, or a list of ids.",
        examples=["all", ["step2015-thm-2.1"]],
    )
    mine: list[Mine] = Field(
        default=[],
        description="The searches in the tables. `formulas`: for P-positions or Grundy numbers. `value-sets`: values of nim-sums"
        " and sums at the P-positions. `symmetric`: laws of games with interchangeable coordinates. `smaller-heaps`:"
        " Grundy numbers of one heap that are periodic, or equal those of smaller heaps. `lines`: numbers of"
        " P-positions on lines. `counts`: recurrences for numbers of P-positions. `cellular`: rules modulo 2 that"
        " compute slices of P-positions from earlier slices. `blocks`: rules that compute them from pictures of half the size.",
        examples=[["value-sets", "formulas"]],
    )
    prove: list[Prove] = Field(
        default=[],
        description="The relations to prove for all positions of each game: `p` for the"
        " P-positions, `grundy` for the Grundy numbers. Proofs also decide claims on them for these parameters.",
        examples=[["p", "grundy"]],
    )
    prove_seconds: int = Field(
        default=60,
        ge=1,
        le=86_400,
        description="Limit of CPU seconds for a proof or a decision on a claim. Beyond it, the result is `undecided`.",
        examples=[600],
    )
    prove_memory: int = Field(
        default=4,
        ge=1,
        le=1024,
        description="Limit of memory in GiB for a proof or a decision on a claim. Beyond it, the result is `undecided`.",
        examples=[8],
    )


class HeightBox(Model):
    """All monotone height functions with arguments 0..side and heights 0..height."""

    side: int = Field(
        default=3, ge=1, le=4, description="The largest x, and the largest z.", examples=[3]
    )
    height: int = Field(
        default=2, ge=1, le=4, description="The largest height, at most `side`.", examples=[2]
    )

    @property
    def functions(self) -> int:
        """Number of monotone functions in the box."""
        return number_of_height_functions(self.side + 1, self.side + 1, self.height)

    @model_validator(mode="after")
    def _is_searchable(self) -> HeightBox:
        if self.height > self.side or self.functions > MOST_HEIGHT_FUNCTIONS:
            raise ValueError(
                f"needs a height of at most {self.side}, the side, and at most {MOST_HEIGHT_FUNCTIONS:,} functions"
                f" (got {self.functions:,})"
            )
        return self


class Config(Model):
    """One run: its name, claims files, sweeps, and box of height functions."""

    run: Name = Field(
        description="Name of the run: lower-case letters, digits and hyphens. Its results are in `results/<run>/`.",
        examples=["default"],
    )
    title: Text | None = Field(
        default=None, description="Heading of the report.", examples=["Step bars up to k = 16"]
    )
    claims: list[Text] = Field(
        default=[],
        description="Claims files.",
        examples=[["config/claims/step2015.yaml"]],
    )
    tables: Text | None = Field(
        default=None,
        description="The store of new tables: the URL of an object store, without credentials. The default is"
        " `results/tables`. See [object-stores.md](object-stores.md).",
        examples=["s3://bucket/prefix"],
    )
    height_functions: HeightBox | None = Field(
        default=None,
        description="A box of height functions f(x, z). The search finds those with G = x⊕y⊕z, or with P iff x⊕y⊕z = 0, and"
        " conditions on f that distinguish them from the others. No search by default; `{}` is a box with the defaults below.",
        examples=[{"side": 3, "height": 2}],
    )
    sweeps: dict[Name, Sweep] = Field(min_length=1, description="The sweeps, by name.")

    @field_validator("run")
    @classmethod
    def _is_no_shared_folder(cls, run: str) -> str:
        if run in SHARED:
            raise ValueError(f"must not be one of {', '.join(SHARED)}, which all runs share")
        return run


HEAD = """\
# Configuration reference

`choco schema --reference` writes this page from the model in `choco_pipeline/sweep/config.py`; a test compares them.
The schema for editors is `config/schema.json`. Other keys than those below are errors.
Paths are relative to the folder in which `choco` runs, and must stay inside it.
"""


def json_schema() -> str:
    """Return the JSON schema of a configuration as text."""
    return schema_text(Config)


def reference_page() -> str:
    """Return the reference of all keys, in Markdown."""
    schema = Config.model_json_schema()
    words = {"Sweep": ("a sweep", "sweeps"), "HeightBox": ("a box", "boxes")}
    parts = [
        HEAD,
        section("The file", schema, words),
        section("A sweep", schema["$defs"]["Sweep"], words),
        section("A box of height functions", schema["$defs"]["HeightBox"], words),
    ]
    return "\n".join(parts)
