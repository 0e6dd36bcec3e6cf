"""The configuration: one typed model, for validation, schema and reference."""

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
#: The largest number of height functions in a box for conditions: the P-positions of each are computed, and conditions are
#: compared on all of them.
MOST_HEIGHT_FUNCTIONS = 1 << 16


class Sweep(Model):
    """A family of tables: a ruleset, ranges of its parameters, and questions."""

    ruleset: Text = Field(
        description="The ruleset, in which parameters stand by name.",
        examples=[
            "step-bar(k=k, s=s)",
            "solid-bar(f=(x+z)//k)",
            "solid-bar(f=f)",
            "rectangular-bar(m=m, n=m)",
        ],
    )
    parameters: dict[ParameterName, int | Text | list[int | Text]] = Field(
        default={},
        description="What each parameter runs over, in order: an integer, a list, a range `0..k-1` or `2..16 step 2`,"
        " or an expression of the parameters before it.",
        examples=[{"k": "2..16", "s": "0..k-1"}],
    )
    where: Text | None = Field(
        default=None,
        description="A condition on the parameters: only where it is true there is a table.",
        examples=["k % 2 == 0"],
    )
    heights: list[Text] = Field(
        default=[],
        description="Height functions that `f` in `solid-bar(f=f)` runs over: formulas in x, z and the parameters, or"
        " `csv(file)` for a table of heights in a file.",
        examples=[["(x+z)//3", "max(x,z)//2", "csv(config/heights.csv)"]],
    )
    passes: int | Text | list[int | Text] = Field(
        default=0,
        description="How many passes there are; like a parameter, this may be a list or a range. 0 is the game without.",
        examples=["0..1"],
    )
    bound: int | Text | list[int | Text] | None = Field(
        default=None,
        description="Largest value of every coordinate that the shape does not limit: an integer, an expression of the"
        " parameters, or several. Only a rectangular bar needs none.",
        examples=[1024],
    )
    quantity: Quantity = Field(
        description="`grundy`: the Grundy number of every position; `p-positions`: only which positions are P, much faster."
    )
    claims: Literal["all", "none"] | list[Text] = Field(
        default="all",
        description="Which claims are checked on the tables: `all` on such a ruleset, `none`, or a list of ids.",
        examples=["all", ["step2015-thm-2.1"]],
    )
    mine: list[Mine] = Field(
        default=[],
        description="What the machine looks for: `formulas`, for P-positions or Grundy numbers; `value-sets`, the values of nim-sums"
        " and sums over the P-positions; `symmetric`, laws of games in which coordinates may be exchanged; `smaller-heaps`,"
        " Grundy numbers of one heap that repeat, or are those of smaller heaps; `lines`, how many"
        " P-positions there are on lines; `counts`, recurrences of the numbers of P-positions; `cellular`, rules modulo 2 by which"
        " pictures of P-positions follow from those before; `blocks`, how they follow from pictures of half the size.",
        examples=[["value-sets", "formulas"]],
    )
    prove: list[Prove] = Field(
        default=[],
        description="The relations to prove for all positions of each game: `p`, the"
        " P-positions; `grundy`, the Grundy numbers. Claims on them are then decided for these parameters.",
        examples=[["p", "grundy"]],
    )
    prove_seconds: int = Field(
        default=60,
        ge=1,
        le=86_400,
        description="Limit of CPU seconds for a proof or a decision on a claim, which is then left undecided.",
        examples=[600],
    )
    prove_memory: int = Field(
        default=4,
        ge=1,
        le=1024,
        description="Limit of memory in GiB for a proof or a decision on a claim, which is then left undecided.",
        examples=[8],
    )


class HeightBox(Model):
    """All monotone height functions with arguments 0..side and heights 0..height."""

    side: int = Field(
        default=3, ge=1, le=4, description="The largest x, and the largest z.", examples=[3]
    )
    height: int = Field(
        default=2,
        ge=1,
        le=4,
        description="The largest height; no larger than `side`.",
        examples=[2],
    )

    @property
    def functions(self) -> int:
        """How many monotone functions there are in the box."""
        return number_of_height_functions(self.side + 1, self.side + 1, self.height)

    @model_validator(mode="after")
    def _is_searchable(self) -> HeightBox:
        if self.height > self.side or self.functions > MOST_HEIGHT_FUNCTIONS:
            raise ValueError(
                f"needs a height of at most {self.side}, the side, and at most {MOST_HEIGHT_FUNCTIONS:,} functions, which are"
                f" {self.functions:,}"
            )
        return self


class Config(Model):
    """One run: its name, claims files, sweeps, and box of height functions."""

    run: Name = Field(
        description="Name of the run: small letters, digits and hyphens. Its results lie in `results/<run>/`.",
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
        description="Where new tables are stored: the URL of an object store, without credentials; `results/tables` by"
        " default. See [object-stores.md](object-stores.md).",
        examples=["s3://bucket/prefix"],
    )
    height_functions: HeightBox | None = Field(
        default=None,
        description="A box of height functions f(x, z): which of them make G = x⊕y⊕z, or P iff x⊕y⊕z = 0, and which condition"
        " on f tells these from the others. Not searched by default; `{}` is the box with the defaults below.",
        examples=[{"side": 3, "height": 2}],
    )
    sweeps: dict[Name, Sweep] = Field(min_length=1, description="The sweeps, by name.")

    @field_validator("run")
    @classmethod
    def _is_no_shared_folder(cls, run: str) -> str:
        if run in SHARED:
            raise ValueError(f"needs another name than {', '.join(SHARED)}, which all runs share")
        return run


HEAD = """\
# Configuration reference

Made from the model in `choco_pipeline/sweep/config.py` by `choco schema --reference`; a test keeps them in step.
Editors that read YAML schemas find theirs in `config/schema.json`. A key that is not listed here is a mistake, and says so.
Paths start from the folder that `choco` runs in, and may not leave it.
"""


def json_schema() -> str:
    """Return the JSON schema of a configuration, as text that ends with a line break."""
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
